// Runs what hosts and directories check against the built server: the inspector's lint of schemas and its verification of skills,
// and MCPJam's suites of the protocol, of views and of OAuth. `node test/conformance/hosts.js` prints a line per check, and exits 1 if one
// fails, warns, or skips what is served. npm downloads the programs, about 150 MB, into node_modules/.cache.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { npm } from '../../build/programs.js';
import { known, startAuthorizationServer } from './authorization-server.js';
import { startServer, trackerUrl } from './start-server.js';

/** MCPJam's needs the client that it was made for. */
const packages = [
  '@modelcontextprotocol/inspector@2.12.0',
  '@mcpjam/sdk@1.14.0',
  '@modelcontextprotocol/client@2.0.0-alpha.2',
];

/** Parts of the protocol that this server does not serve: it sends no log messages. */
const notServed = ['logging-set-level'];

/** Without sessions there is nothing to poll. */
const needsSession = ['server-sse-polling-session'];

let failed = 0;

const modules = await install();
const home = await mkdtemp(join(tmpdir(), 'hosts-'));
const entry = { TRACKER_URL: await trackerUrl(), TRACKER_API_KEY: 'key-of-no-tracker' };
for (const era of ['legacy', 'modern']) await inspect(era);
for (const given of [[], ['--sessions']]) await runSuites(given);
await signIn();
await rm(home, { recursive: true });
console.log(failed === 0 ? 'Every check is met.' : `${failed} checks are not met.`);
process.exit(failed === 0 ? 0 : 1);

/** @returns the folder of the packages, without links: the inspector runs only by its own path */
async function install() {
  const folder = resolve('node_modules/.cache/tracker-mcp/hosts');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const [program, ...command] = [...npm, 'install', '--no-audit', '--no-fund', '--no-save', '--ignore-scripts'];
  await promisify(execFile)(program, [...command, ...packages], { cwd: folder, maxBuffer: 64_000_000 });
  return realpath(join(folder, 'node_modules'));
}

function report(name, problem) {
  console.log(problem === undefined ? `ok    ${name}` : `FAIL  ${name}: ${problem}`);
  if (problem !== undefined) failed += 1;
}

/** The inspector starts the server over stdio, as a host does. */
async function inspect(era) {
  const config = join(home, 'inspector.json');
  const server = { command: process.execPath, args: [resolve('dist/cli.js')], env: entry };
  await writeFile(config, JSON.stringify({ mcpServers: { tracker: server } }));
  const ask = async (method, ...flags) => {
    const cli = join(modules, '@modelcontextprotocol/inspector/clients/cli/build/index.js');
    const given = ['--config', config, '--server', 'tracker', '--protocol-era', era, '--method', method, ...flags];
    const env = { ...process.env, HOME: home, USERPROFILE: home, MCP_INSPECTOR_SECRET_STORE: 'memory' };
    return promisify(execFile)(process.execPath, [cli, ...given], { env, maxBuffer: 64_000_000 });
  };
  try {
    const { stdout } = await ask('tools/list', '--strict', '--format', 'json');
    const { result, schemaFindings = [] } = JSON.parse(stdout);
    report(`inspector, ${era}: ${result.tools.length} tools`, schemaFindings[0] && JSON.stringify(schemaFindings));
    const verified = (await ask('skills/list', '--verify')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const { name, outcome } of verified) {
      report(`inspector, ${era}: skill ${name}`, outcome === 'verified' ? undefined : outcome);
    }
  } catch (error) {
    report(`inspector, ${era}`, error.stderr ?? error);
  }
}

function mcpjam() {
  return import(pathToFileURL(join(modules, '@mcpjam/sdk/dist/index.js')));
}

async function runSuites(given) {
  const { MCPAppsConformanceTest, MCPConformanceTest } = await mcpjam();
  const { url, end } = await startServer('built', given);
  const mayBeSkipped = given.includes('--sessions') ? notServed : [...notServed, ...needsSession];
  const suites = { protocol: new MCPConformanceTest({ serverUrl: url }), views: new MCPAppsConformanceTest({ url }) };
  for (const [suite, test] of Object.entries(suites)) {
    const { checks } = await test.run();
    for (const { id, status, error, warnings = [] } of checks) {
      const isMet = status === 'passed' || (status === 'skipped' && mayBeSkipped.includes(id));
      const problem = isMet ? warnings[0] : `${status} ${error?.message ?? ''}`;
      report(`${['MCPJam', suite, ...given].join(', ')}: ${id}${status === 'skipped' ? ' (not served)' : ''}`, problem);
    }
  }
  end();
}

/** A person and a program sign in and list the tools. What the suite skips then is the authorization server's alone. */
async function signIn() {
  const { OAuthConformanceTest } = await mcpjam();
  const port = await freePort();
  const audience = `http://localhost:${port}/mcp`;
  const given = [
    '--port',
    String(port),
    '--oauth-issuer',
    await startAuthorizationServer(),
    '--oauth-audience',
    audience,
  ];
  const { end } = await startServer('built', given);
  const person = { registrationStrategy: 'dcr', auth: { mode: 'headless' } };
  const auth = { mode: 'client_credentials', ...known };
  const program = { registrationStrategy: 'preregistered', auth, client: { preregistered: known } };
  for (const protocolVersion of ['2025-06-18', '2025-11-25']) {
    for (const client of [person, program]) {
      const test = { serverUrl: audience, protocolVersion, ...client, verification: { listTools: true } };
      const { passed, summary, verification } = await new OAuthConformanceTest(test).run();
      const isMet = passed && verification?.listTools?.passed;
      report(`MCPJam, OAuth ${protocolVersion}, ${client.auth.mode}`, isMet ? undefined : summary);
    }
  }
  end();
}

/** The audience of tokens holds the port, so it must be known before the server starts. */
async function freePort() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
