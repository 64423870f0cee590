// Holds the built server against the protocol's conformance suite, under the Node that the suite needs.
// `node test/conformance/run.js` exits 1 where a scenario fails; each scenario is one line of output.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const stable = '0.1.16';
const newest = '0.2.0-alpha.12';

/** Scenarios that any server can meet; the others ask for tools that only a server made for them has. */
const suites = [
  {
    version: stable,
    revision: '2025-11-25',
    given: ['--sessions'],
    scenarios: [
      ...['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'],
      ...['server-sse-multiple-streams', 'dns-rebinding-protection'],
    ],
  },
  {
    version: newest,
    revision: '2025-11-25',
    given: ['--sessions'],
    scenarios: [
      ...['server-initialize', 'server-session-lifecycle', 'ping', 'tools-list', 'resources-list', 'prompts-list'],
      ...['server-sse-multiple-streams', 'dns-rebinding-protection'],
    ],
  },
  {
    version: newest,
    revision: '2026-07-28',
    given: [],
    scenarios: [
      ...['tools-list', 'resources-list', 'prompts-list', 'caching', 'http-header-validation'],
      ...['sep-2164-resource-not-found', 'server-sse-multiple-streams', 'dns-rebinding-protection'],
      'input-required-result-unsupported-methods',
    ],
  },
];

const tracker = createServer((_request, response) => response.end('[{"ID":"1","Name":"One"}]'));
await once(tracker.listen(0, '127.0.0.1'), 'listening');

let failed = 0;
for (const { version, revision, given, scenarios } of suites) {
  const server = await startServer(given);
  for (const scenario of scenarios) {
    const { works, said } = await runScenario(version, revision, scenario, server.url);
    console.log(`${works ? 'ok  ' : 'FAIL'}  ${version}  ${revision}  ${scenario}`);
    if (works) continue;
    failed += 1;
    console.log(said);
  }
  server.end();
}
tracker.close();
console.log(failed === 0 ? 'Every scenario is met.' : `${failed} scenarios are not met.`);
process.exitCode = failed === 0 ? 0 : 1;

/** Starts the built server on a free port, and waits until it says where it serves. */
async function startServer(given) {
  const server = spawn(process.execPath, ['dist/cli.js', 'http', '--port', '0', ...given], {
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
  throw new Error('the server ended before it served');
}

async function runScenario(version, revision, scenario, url) {
  const suite = `@modelcontextprotocol/conformance@${version}`;
  const asked = ['--url', url, '--scenario', scenario, '--spec-version', revision];
  try {
    const command = ['-y', '-p', 'node@24', '-p', suite, 'conformance', 'server', ...asked];
    const { stdout } = await promisify(execFile)('npx', command, { maxBuffer: 16_000_000 });
    // A scenario without a check would be met by anything.
    return { works: /SUCCESS/.test(stdout), said: stdout };
  } catch (error) {
    return { works: false, said: `${error.stdout ?? ''}${error.stderr ?? error}` };
  }
}
