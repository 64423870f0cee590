// Runs the protocol's conformance suite against the server, under the Node that the suite needs.
// `node test/conformance/run.js` prints a line per scenario, and exits 1 if one fails.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npm } from '../../build/programs.js';
import { startServer } from './start-server.js';

const stable = '0.1.16';
const newest = '0.2.0-alpha.12';

/** An extension has no suite, only scenarios. That of directories needs skills of several files, and these have one each. */
const skills = ['sep-2640-skills-enumeration', 'sep-2640-skills-manifest'];

/** Each suite covers all requirements of a revision of the protocol. */
const suites = {
  'stable, 2025-11-25': { version: stable, given: ['--suite', 'active', '--spec-version', '2025-11-25'] },
  'newest, 2025-11-25': { version: newest, given: ['--requirements', '2025-11-25'] },
  'newest, 2026-07-28': { version: newest, given: ['--requirements', '2026-07-28'] },
  ...Object.fromEntries(skills.map((name) => [`newest, ${name}`, { version: newest, given: scenario(name) }])),
};

const anyServer = [
  ...['tools-list', 'resources-list', 'prompts-list', 'completion-complete'],
  ...['server-sse-multiple-streams', 'dns-rebinding-protection'],
];
const olderServer = [...anyServer, 'server-initialize', 'ping'];

const sessionServer = [...olderServer, 'server-session-lifecycle'];

/** Not served: a stream that broke is not resumed. */
const notServed = ['server-sse-polling'];

/**
 * The built server passes the scenarios for any server. The others need tools and prompts by fixed names: the fixture has them,
 * over the same HTTP, and passes all.
 */
const runs = [
  { server: 'built', suite: 'stable, 2025-11-25', hasSessions: true, meets: olderServer },
  { server: 'built', suite: 'newest, 2025-11-25', hasSessions: true, meets: sessionServer },
  {
    ...{ server: 'built', suite: 'newest, 2026-07-28', hasSessions: false },
    meets: [
      ...[...anyServer, 'caching', 'http-header-validation', 'sep-2164-resource-not-found'],
      'input-required-result-unsupported-methods',
    ],
  },
  ...skills.map((name) => ({ server: 'built', suite: `newest, ${name}`, hasSessions: false, meets: [name] })),
  { server: 'fixture', suite: 'stable, 2025-11-25', hasSessions: true, misses: notServed },
  { server: 'fixture', suite: 'newest, 2025-11-25', hasSessions: true, misses: notServed },
  {
    ...{ server: 'fixture', suite: 'newest, 2026-07-28', hasSessions: false },
    // No tool takes an argument from a header, and tasks are an optional extension.
    misses: [...notServed, 'http-custom-header-server-validation', /^tasks-/],
  },
];

/** Scenarios wait a lot, so two runs keep two cores busy. */
const concurrency = 2;

// Installs the packages first: concurrent installs would collide.
for (const version of [stable, newest]) await callSuite(version, ['list', '--server']);
const waiting = [...runs];
const failures = [];
await Promise.all(Array.from({ length: concurrency }, work));
console.log(failures.length === 0 ? 'Every scenario is met.' : `${failures.length} scenarios are not met.`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** An extension belongs to no revision, so it is forced. */
function scenario(name) {
  return ['--scenario', name, '--spec-version', '2026-07-28', '--force'];
}

async function work() {
  for (let run = waiting.shift(); run; run = waiting.shift()) await runSuite(run);
}

/** Runs a suite against a server, and prints a line per expected scenario. */
async function runSuite({ server, suite, hasSessions, meets, misses = [] }) {
  const { url, end } = await startServer(server, hasSessions ? ['--sessions'] : []);
  const { version, given } = suites[suite];
  const results = await mkdtemp(join(tmpdir(), 'conformance-'));
  const output = await callSuite(version, ['server', '--url', url, '--output-dir', results, ...given]);
  end();
  const outcomes = readOutcomes(output, given[0] === '--scenario' ? given[1] : undefined);
  const isMissed = (name) => misses.some((missed) => (missed instanceof RegExp ? missed.test(name) : missed === name));
  const expected = meets ?? [...outcomes.keys()].filter((name) => !isMissed(name));
  const unmet = expected.filter((name) => !outcomes.get(name));
  for (const name of expected) console.log(`${unmet.includes(name) ? 'FAIL' : 'ok  '}  ${server}  ${suite}  ${name}`);
  for (const name of unmet) console.log(await readFailures(results, name));
  await rm(results, { recursive: true });
  if (outcomes.size === 0) {
    console.log(`FAIL  ${server}  ${suite}  nothing was run:\n${output}`);
    unmet.push('any');
  }
  failures.push(...unmet);
}

/** Whether each scenario passed, from the summary at the end. A scenario without checks does not count as passed. */
function readOutcomes(output, only) {
  if (only !== undefined) return new Map([[only, /^Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings$/m.test(output)]]);
  const summary = output.slice(output.indexOf('=== SUMMARY ==='));
  const lines = summary.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm);
  return new Map([...lines].map(([, name, passed, failed]) => [name, Number(passed) > 0 && Number(failed) === 0]));
}

/** The failed checks of a scenario as JSON. The suite names its folder by scenario and time. */
async function readFailures(results, scenario) {
  const folders = await readdir(results);
  const folder = folders.find((name) => name.replace(/-\d{4}-\d\d-\d\dT.*/, '') === `server-${scenario}`);
  if (folder === undefined) return `There is no result of ${scenario}.`;
  const checks = JSON.parse(await readFile(join(results, folder, 'checks.json'), 'utf8'));
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  return JSON.stringify(failed, null, 2);
}

/** Returns the output, even on failure: the built server lacks the fixture's tools. */
async function callSuite(version, given) {
  const suite = `@modelcontextprotocol/conformance@${version}`;
  const run = ['exec', '--yes', '--package=node@24', `--package=${suite}`, '--', 'conformance', ...given];
  const [program, ...command] = [...npm, ...run];
  try {
    const { stdout } = await promisify(execFile)(program, command, { maxBuffer: 64_000_000 });
    return stdout;
  } catch (error) {
    return `${error.stdout ?? ''}${error.stderr ?? error}`;
  }
}
