// Everything that must hold, on a clean clone: install, build, checks, and the test command of the README.
// A step that fails lets the others run, and fails the whole. The last line is what the tests said: "N passed, N failed".
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findBrowser, findRedis, npm } from './programs.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
process.env.CI = 'true';

const results = 'node_modules/.cache/tracker-mcp/test-results.json';
/** What a failed step said last is said again where the output ends: much is printed after it. */
const recalledLines = 60;
const failed = [];

/** What npm does not bring. */
const browser = {
  find: findBrowser,
  variable: 'CHROME_PATH',
  missing: 'There is no Chromium or Chrome. Install one, or name it with CHROME_PATH.',
  debian: 'chromium',
};
const redis = {
  find: findRedis,
  variable: 'REDIS_SERVER_PATH',
  missing: 'There is no redis-server. Install it, or name one, or a valkey-server, with REDIS_SERVER_PATH.',
  debian: 'redis-server',
};

/** In this order; those of a row need little of the machine each, and run side by side. */
const steps = [
  [{ name: 'build', run: script('build') }],
  [
    { name: 'lint and format', run: [...npm, 'exec', '--', 'biome', 'ci', '--error-on-warnings'] },
    { name: 'dead code', run: script('dead-code') },
  ],
  [
    { name: 'types', run: script('typecheck') },
    { name: 'generated docs', run: script('docs', '--check') },
  ],
  [{ name: 'browser tests', needs: browser, run: script('test:browser') }],
  // Redis is not made for Windows.
  ...(process.platform === 'win32' ? [] : [[{ name: 'redis tests', needs: redis, run: script('test:redis') }]]),
  // More than a GB from npm, which changes with none of our commits: asked for ahead of a release and by the workflow.
  ...(process.argv.includes('--chat-programs') ? [[{ name: 'chat programs', run: script('test:clients') }]] : []),
  // Both wait for what npm brings.
  [
    { name: 'Node 20, 22 and 24', run: [process.execPath, 'test/nodes/run.js', '--smoke'] },
    { name: 'conformance', run: [process.execPath, 'test/conformance/run.js'] },
  ],
];

if (!isInstalled()) await step('install', [...npm, 'ci', '--no-audit', '--no-fund']);
if (isInstalled()) {
  for (const row of steps) {
    if (row.length > 1) console.log(`\n== side by side: ${row.map(({ name }) => name).join(', ')}`);
    await Promise.all(
      row.map(async ({ name, needs, run }) => {
        if (!needs || (await isThere(name, needs))) await step(name, run, process.env, row.length > 1);
      }),
    );
  }
  await testAsReadmeSays();
}
for (const { name, lines } of failed) console.log(`\n== failed: ${name}\n${lines.slice(-recalledLines).join('\n')}`);
console.log('');
if (!countTests() || failed.length > 0) process.exitCode = 1;

function script(name, ...given) {
  return [...npm, 'run', '--silent', name, ...(given.length > 0 ? ['--', ...given] : [])];
}

/** Whether the packages are those of the lock file. */
function isInstalled() {
  const [wanted, there] = ['package-lock.json', 'node_modules/.package-lock.json'].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY,
  );
  return there !== Number.POSITIVE_INFINITY && there >= wanted;
}

/** The README promises this command, so it is this one that is run. */
async function testAsReadmeSays() {
  const command = 'npm install && npm test';
  rmSync(results, { force: true });
  if (!readFileSync('README.md', 'utf8').split(/\r?\n/).includes(command)) {
    failed.push({ name: 'tests', lines: [`README.md has no line "${command}".`] });
    return;
  }
  const environment = { ...process.env, TEST_RESULTS: results };
  for (const part of command.split(' && ')) {
    if (!(await step(part, [...npm, ...part.split(' ').slice(1)], environment))) return;
  }
}

/**
 * Looks for a program that tests need. Where there is none, Debian's is installed if that can be done.
 *
 * @returns whether the tests can run; if not, that counts as a failure
 */
async function isThere(name, { find, variable, missing, debian }) {
  if (find()) return true;
  const named = process.env[variable];
  const isRootOnDebian = process.getuid?.() === 0 && statSync('/etc/debian_version', { throwIfNoEntry: false });
  if (named || !isRootOnDebian) {
    failed.push({ name, lines: [named ? `${variable} names ${named}, which is no program.` : missing] });
    return false;
  }
  const quiet = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', debian];
  return (
    (await step('package lists', ['apt-get', 'update', '-qq'], quiet)) &&
    (await step(`install ${debian}`, install, quiet))
  );
}

/**
 * Runs a step and says how long it took.
 *
 * @param isWhole whether what it says is printed once it has ended, so that it stays apart from what others say meanwhile
 */
async function step(name, [program, ...given], env = process.env, isWhole = false) {
  const start = performance.now();
  const print = isWhole ? (text) => printed.push(text) : (text) => process.stdout.write(text);
  const printed = [];
  print(`\n== ${name}: ${[program, ...given].join(' ')}\n`);
  const lines = [];
  const code = await new Promise((resolve) => {
    const child = spawn(program, given, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of ['stdout', 'stderr']) {
      child[stream].setEncoding('utf8').on('data', (text) => {
        print(text);
        lines.push(...text.split('\n'));
      });
    }
    child.on('error', (error) => lines.push(error.message)).on('close', resolve);
  });
  if (code !== 0) failed.push({ name, lines });
  print(`-- ${name}: ${code === 0 ? 'ok' : 'FAILED'}, ${Math.round((performance.now() - start) / 1000)} s\n`);
  process.stdout.write(printed.join(''));
  return code === 0;
}

/** Prints "N passed, N failed"; a test that did not run, and a run without tests, are failures. */
function countTests() {
  let all = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, success: false };
  try {
    all = JSON.parse(readFileSync(results, 'utf8'));
  } catch {
    console.log('There are no test results.');
  }
  const notRun = all.numPendingTests + all.numTodoTests;
  if (notRun > 0) console.log(`${notRun} tests were skipped or are only planned; that is a failure here.`);
  console.log(`${all.numPassedTests} passed, ${all.numFailedTests} failed`);
  return all.success && all.numPassedTests > 0 && all.numFailedTests === 0 && notRun === 0;
}
