// Holds the server against the protocol's conformance suite, under the Node that the suite needs.
// `node test/conformance/run.js` exits 1 where a scenario is not met; each scenario is one line of output.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { npm } from '../../build/programs.js';

const stable = '0.1.16';
const newest = '0.2.0-alpha.12';

/** Every run of a suite is one process that asks for all that a revision of the protocol requires. */
const suites = {
  'stable, 2025-11-25': { version: stable, given: ['--suite', 'active', '--spec-version', '2025-11-25'] },
  'newest, 2025-11-25': { version: newest, given: ['--requirements', '2025-11-25'] },
  'newest, 2026-07-28': { version: newest, given: ['--requirements', '2026-07-28'] },
};

const ofAnyServer = [
  ...['tools-list', 'resources-list', 'prompts-list', 'completion-complete'],
  ...['server-sse-multiple-streams', 'dns-rebinding-protection'],
];
const ofOlderServer = [...ofAnyServer, 'server-initialize', 'ping'];

/** What the suite runs without counting it: its own server does not meet it yet. */
const pending = ['json-schema-2020-12', 'server-sse-polling'];

/**
 * Which server meets what. The built one meets what any server can. The others ask for tools and prompts by fixed names, which
 * the fixture has, over the same HTTP: it meets all of them.
 */
const runs = [
  { server: 'built', suite: 'stable, 2025-11-25', hasSessions: true, meets: ofOlderServer },
  {
    server: 'built',
    suite: 'newest, 2025-11-25',
    hasSessions: true,
    meets: [...ofOlderServer, 'server-session-lifecycle'],
  },
  {
    server: 'built',
    suite: 'newest, 2026-07-28',
    hasSessions: false,
    meets: [
      ...[...ofAnyServer, 'caching', 'http-header-validation', 'sep-2164-resource-not-found'],
      'input-required-result-unsupported-methods',
    ],
  },
  { server: 'fixture', suite: 'stable, 2025-11-25', hasSessions: true, misses: pending },
  { server: 'fixture', suite: 'newest, 2025-11-25', hasSessions: true, misses: pending },
  {
    server: 'fixture',
    suite: 'newest, 2026-07-28',
    hasSessions: false,
    // Tasks are an extension, which no server has to have.
    misses: [...pending, 'http-custom-header-server-validation', /^tasks-/],
  },
];

/** Scenarios also wait for what a server must not do, so that two at a time keep two cores busy. */
const atATime = 2;

const tracker = createServer((_request, response) => response.end('[{"ID":"1","Name":"One"}]'));
await once(tracker.listen(0, '127.0.0.1'), 'listening');

// Two that install one package would be in each other's way.
for (const version of [stable, newest]) await callSuite(version, ['list', '--server']);
const waiting = [...runs];
const failures = [];
await Promise.all(Array.from({ length: atATime }, work));
tracker.close();
console.log(failures.length === 0 ? 'Every scenario is met.' : `${failures.length} scenarios are not met.`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function work() {
  for (let run = waiting.shift(); run; run = waiting.shift()) await hold(run);
}

/** Runs a suite against a server, and says of each scenario that the server should meet whether it does. */
async function hold({ server, suite, hasSessions, meets, misses = [] }) {
  const { url, end } = await startServer(server, hasSessions ? ['--sessions'] : []);
  const { version, given } = suites[suite];
  const results = await mkdtemp(join(tmpdir(), 'conformance-'));
  const said = await callSuite(version, ['server', '--url', url, '--output-dir', results, ...given]);
  end();
  const outcomes = readOutcomes(said);
  const isMissed = (name) => misses.some((missed) => (missed instanceof RegExp ? missed.test(name) : missed === name));
  const expected = meets ?? [...outcomes.keys()].filter((name) => !isMissed(name));
  const unmet = expected.filter((name) => !outcomes.get(name));
  for (const name of expected) console.log(`${unmet.includes(name) ? 'FAIL' : 'ok  '}  ${server}  ${suite}  ${name}`);
  for (const name of unmet) console.log(await readFailures(results, name));
  await rm(results, { recursive: true });
  if (outcomes.size === 0) {
    console.log(`FAIL  ${server}  ${suite}  nothing was run:\n${said}`);
    unmet.push('any');
  }
  failures.push(...unmet);
}

/** By scenario, from the summary at the end: whether it is met. One without a check would be met by anything. */
function readOutcomes(said) {
  const summary = said.slice(said.indexOf('=== SUMMARY ==='));
  const lines = summary.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm);
  return new Map([...lines].map(([, name, passed, failed]) => [name, Number(passed) > 0 && Number(failed) === 0]));
}

/** What the suite found wrong, as JSON; it gives each scenario a folder with its name and the time. */
async function readFailures(results, scenario) {
  const folders = await readdir(results);
  const folder = folders.find((name) => name.replace(/-\d{4}-\d\d-\d\dT.*/, '') === `server-${scenario}`);
  if (folder === undefined) return `There is no result of ${scenario}.`;
  const checks = JSON.parse(await readFile(join(results, folder, 'checks.json'), 'utf8'));
  return JSON.stringify(
    checks.filter(({ status }) => status === 'FAILURE'),
    null,
    2,
  );
}

/** Starts a server on a free port, and waits until it says where it serves. */
async function startServer(name, given) {
  const commands = {
    built: ['dist/cli.js', 'http', '--port', '0'],
    fixture: ['build/run.js', 'test/conformance/fixture/serve.ts'],
  };
  const server = spawn(process.execPath, [...commands[name], ...given], {
    env: {
      PATH: process.env.PATH,
      TRACKER_URL: `http://127.0.0.1:${tracker.address().port}`,
      TRACKER_API_KEY: 'key-of-no-tracker',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface(server.stderr)) {
    const url = /serving MCP at (\S+?\/mcp)/.exec(line)?.[1];
    if (url !== undefined) return { url: url.replace('127.0.0.1', 'localhost'), end: () => server.kill('SIGTERM') };
  }
  throw new Error(`the ${name} server ended before it served`);
}

/** @returns what it printed, also where it ends with a failure: the built server is asked for what it does not have */
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
