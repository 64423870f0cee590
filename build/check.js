// Runs everything that must hold, on a clean clone: install, build, checks, and the test command of the README.
// If a step fails, the others still run, and the check fails. The last line is "N passed, N failed", counted in tests.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findBrowser, findCaddy, findRedis, npm } from './programs.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
process.env.CI = 'true';

const results = 'node_modules/.cache/tracker-mcp/test-results.json';
/** The end of a failed step is printed again at the end of all output. */
const repeatedLines = 60;
const failed = [];

/** Programs that npm does not install. */
const browser = {
  find: findBrowser,
  variable: 'CHROME_PATH',
  missing: 'There is no Chromium or Chrome. Install one, or name it with CHROME_PATH.',
  debianPackage: 'chromium',
};
const redis = {
  find: findRedis,
  variable: 'REDIS_SERVER_PATH',
  missing: 'There is no redis-server. Install it, or name one, or a valkey-server, with REDIS_SERVER_PATH.',
  debianPackage: 'redis-server',
};

const caddy = {
  find: findCaddy,
  variable: 'CADDY_PATH',
  missing: 'There is no caddy. Install it, or name it with CADDY_PATH.',
  debianPackage: 'caddy',
};

/** The rows run one after the other, the steps of a row two at a time, in this order. */
const rows = [
  [{ name: 'build', run: script('build') }],
  // The types take longer than the others together.
  [
    { name: 'types', run: script('typecheck') },
    { name: 'lint and format', run: [...npm, 'exec', '--', 'biome', 'ci', '--error-on-warnings'] },
    { name: 'dead code', run: script('dead-code') },
    { name: 'generated docs', run: script('docs', '--', '--check') },
  ],
  // They wait a lot: for pages, for Redis, for servers that start. Two together keep two cores busy.
  [
    { name: 'browser tests', needs: [browser], run: script('test:browser') },
    // There is no Redis for Windows.
    ...(process.platform === 'win32'
      ? []
      : [{ name: 'redis tests', needs: [redis, caddy], run: script('test:redis') }]),
    { name: 'conformance', run: [process.execPath, 'test/conformance/run.js'] },
    { name: 'Node 20, 22 and 24', run: [process.execPath, 'test/nodes/run.js', '--smoke'] },
  ],
  // Half an hour: only before a release.
  ...(process.argv.includes('--days') ? [[{ name: 'days of a year', run: script('test:days') }]] : []),
  // More than a GB from npm: only before a release and in the workflow.
  ...(process.argv.includes('--chat-programs')
    ? [
        [
          { name: 'chat programs', run: script('test:clients') },
          { name: 'checks of hosts and directories', run: [process.execPath, 'test/conformance/hosts.js'] },
        ],
      ]
    : []),
];

if (!isInstalled()) await step('install', [...npm, 'ci', '--no-audit', '--no-fund']);
if (isInstalled()) {
  for (const row of rows) {
    const isParallel = row.length > 1;
    if (isParallel) console.log(`\n== two at a time: ${row.map(({ name }) => name).join(', ')}`);
    const waiting = [];
    for (const one of row) if (await provideAll(one)) waiting.push(one);
    const work = async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        await step(one.name, one.run, process.env, isParallel);
      }
    };
    await Promise.all([work(), work()]);
  }
  await runReadmeTests();
}
for (const { name, lines } of failed) console.log(`\n== failed: ${name}\n${lines.slice(-repeatedLines).join('\n')}`);
console.log('');
if (!reportTests() || failed.length > 0) process.exitCode = 1;

function script(name, ...given) {
  return [...npm, 'run', '--silent', name, ...given];
}

/** Whether node_modules is as new as the lock file. */
function isInstalled() {
  const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  const installed = timeOf('node_modules/.package-lock.json');
  return installed !== undefined && installed >= timeOf('package-lock.json');
}

/** The README promises this command, so exactly this one is run. */
async function runReadmeTests() {
  const command = 'npm install && npm test';
  rmSync(results, { force: true });
  if (!readFileSync('README.md', 'utf8').split(/\r?\n/).includes(command)) {
    failed.push({ name: 'tests', lines: [`README.md has no line "${command}".`] });
    return;
  }
  for (const part of command.split(' && ')) {
    if (!(await step(part, [...npm, ...part.split(' ').slice(1)], { ...process.env, TEST_RESULTS: results }))) return;
  }
}

/** Provides what a step needs, one after the other: a second apt-get would be refused. */
async function provideAll({ name, needs = [] }) {
  for (const program of needs) if (!(await provide(name, program))) return false;
  return true;
}

/** Finds a program that tests need, or installs it on Debian. Returns whether there is one; if not, that is a failure. */
async function provide(name, { find, variable, missing, debianPackage }) {
  if (find()) return true;
  const path = process.env[variable];
  const isRootOnDebian = process.getuid?.() === 0 && statSync('/etc/debian_version', { throwIfNoEntry: false });
  if (path || !isRootOnDebian) {
    failed.push({ name, lines: [path ? `${variable} names ${path}, which is not a program.` : missing] });
    return false;
  }
  const quiet = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', debianPackage];
  return (
    (await step('package lists', ['apt-get', 'update', '-qq'], quiet)) &&
    (await step(`install ${debianPackage}`, install, quiet))
  );
}

/** Runs a step. With isBuffered, its output is printed at its end, so that it does not mix with the output of parallel steps. */
async function step(name, [program, ...given], env = process.env, isBuffered = false) {
  const start = performance.now();
  const buffer = [];
  const print = isBuffered ? (text) => buffer.push(text) : (text) => process.stdout.write(text);
  print(`\n== ${name}: ${[program, ...given].join(' ')}\n`);
  const lines = [];
  const code = await new Promise((resolve) => {
    const child = spawn(program, given, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        print(text);
        lines.push(...text.split('\n'));
      });
    }
    child.on('error', (error) => lines.push(error.message)).on('close', resolve);
  });
  if (code !== 0) failed.push({ name, lines });
  print(`-- ${name}: ${code === 0 ? 'ok' : 'FAILED'}, ${Math.round((performance.now() - start) / 1000)} s\n`);
  process.stdout.write(buffer.join(''));
  return code === 0;
}

/** Prints "N passed, N failed". Returns false if a test failed or did not run, or if there are none. */
function reportTests() {
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
