import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client as NewerClient, StreamableHTTPClientTransport as NewerTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect, test } from 'vitest';
import { closeAfterTests } from '../support/closing.ts';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { bearer, clientHeaders, toolCall } from '../support/messages.ts';
import { startClient, startHttpServer } from './support/clients.ts';
import { runCli, startCli } from './support/run-cli.ts';
import { runCommand } from './support/run-command.ts';

const folder = await newFolder();

const waiting: (() => void)[] = [];
const foreign = await startForeignTracker({
  'campaign/list': '[{"ID":"7","Name":"Seven"}]',
  'campaign/edit': 'OK',
  'ts/list': async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { body: '[]' };
  },
});
const environment = { TRACKER_URL: foreign.url, TRACKER_API_KEY: 'http-secret-key', TRACKER_MCP_PORT: '0' };

const call = (name: string) => ({
  method: 'POST',
  headers: clientHeaders,
  body: JSON.stringify(toolCall(name)),
});

test('the built server serves the stock clients of both eras, and SIGTERM drops no request', async () => {
  const { server, exited, url, stderr } = await startHttpServer([], environment);
  expect(stderr).toContain('there are no tokens');
  const older = new Client({ name: 'older', version: '1' });
  await older.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
  const newer = new NewerClient({ name: 'newer', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await newer.connect(new NewerTransport(new URL(url)));
  expect(newer.getProtocolEra()).toBe('modern');
  for (const client of [older, newer]) {
    expect((await client.callTool({ name: 'list_campaigns' })).isError).toBeFalsy();
    await client.close();
  }
  const underWay = [1, 2, 3].map(() => fetch(url, call('list_traffic_sources')));
  await expect.poll(() => waiting.length).toBeGreaterThan(0);
  server.kill('SIGTERM');
  await expect.poll(async () => (await fetch(new URL('/readyz', url))).status).toBe(503);
  // A late caller is served, too, and its connection closed.
  const late = await fetch(url, call('list_campaigns'));
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
  for (const release of waiting) release();
  for (const answer of await Promise.all(underWay)) {
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ id: 7, result: { structuredContent: { tables: [{}] } } });
  }
  expect(await exited).toEqual([0, null]);
});

test('with a JSON log every line on stderr is an object: warnings, start and stop, and a start that fails', async () => {
  const json = { ...environment, TRACKER_TIMEZON: 'UTC' };
  const child = startCli(['http', '--log-format', 'json'], { environment: json });
  const lines: { readonly event?: string; readonly message: string }[] = [];
  createInterface(child.stderr).on('line', (line) => lines.push(JSON.parse(line)));
  await expect.poll(() => lines.map(({ event }) => event)).toContain('start');
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(lines.map(({ event }) => event)).toEqual(['message', 'start', 'stop']);
  expect(lines[0]?.message).toContain('TRACKER_TIMEZON');

  const { code, stderr } = await runCli(['http', '--log-format', 'json', '--host', '0.0.0.0'], { environment });
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({ event: 'message', message: expect.stringContaining('Without tokens') });
});

test('a signal while sample data is made ends the server', async () => {
  const { server, exited, url } = await startHttpServer(['--sandbox', '--drain', '0'], {});
  fetch(url, call('list_campaigns')).catch(() => undefined);
  await expect.poll(async () => (await fetch(new URL('/metrics', url))).text()).toMatch(/tool_calls|process_cpu/);
  server.kill('SIGTERM');
  server.stderr.resume();
  expect(await exited).toEqual([0, null]);
});

test('a token is created, accepted, named in the audit trail, and removed', async () => {
  const tokens = join(folder, 'tokens.json');
  const auditLog = join(folder, 'writes.jsonl');
  const tokenCommand = (...given: readonly string[]) => runCommand(['token', '--tokens', tokens, ...given]);
  expect(await tokenCommand('add', 'ann', '--write', '--expires', 'soon')).toMatchObject({ code: 2, stdout: '' });
  for (const odd of ['0,5', '0x10', '1e3', 'NaN', '-1', '', '9'.repeat(12)]) {
    const refused = await tokenCommand('add', 'ann', '--write', '--max-bid', odd);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--max-bid must be a number') });
  }
  for (const odd of ['1e1', '0x10', '1.5', '7;8', '']) {
    const refused = await tokenCommand('add', 'ann', '--write', '--campaigns', odd);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--campaigns must') });
  }
  const made = await tokenCommand('add', 'ann', '--write', '--campaigns', '7', '--expires', '30d');
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tmcp_[\w-]{43}\n$/) });
  expect((await tokenCommand('list')).stdout).toMatch(/ann +write .* not seen +campaigns: 7/);

  const { server, exited, url } = await startHttpServer(
    ['--tokens', tokens, '--audit-log', auditLog, '--host', '0.0.0.0'],
    environment,
  );
  const headers = bearer(made.stdout.trim());
  const connect = async () => {
    const client = new Client({ name: 'older', version: '1' });
    const address = new URL(url.replace('0.0.0.0', '127.0.0.1'));
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }) as Transport);
    return client;
  };
  const client = await connect();
  const edit = (campaign_id: number) => client.callTool({ name: 'edit_campaign', arguments: { campaign_id, bid: 1 } });
  expect((await edit(8)).isError).toBe(true);
  expect((await edit(7)).isError).toBeFalsy();
  expect((await runCommand(['audit', auditLog])).stdout).toContain('(ann)');
  expect((await tokenCommand('list')).stdout).not.toContain('not seen');
  expect((await tokenCommand('remove', 'ann')).code).toBe(0);
  await expect(edit(7)).rejects.toThrow(/401|token is unknown/i);
  await expect(connect()).rejects.toThrow();
  server.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test.each<[string, readonly string[], RegExp]>([
  ['if other machines reach it without tokens', ['--host', '0.0.0.0'], /only this machine is served.*--tokens/s],
  ['with half of OAuth', ['--oauth-issuer', 'https://id.example.com'], /--oauth-audience/],
  ['with an origin that can never match', ['--allow-origins', 'app.example.com'], /--allow-origins.*https:\/\//],
  ['with an invalid port', ['--port', '70000'], /--port.*65535/],
  ['with a missing file of tokens', ['--tokens', join(folder, 'no.json')], /no\.json cannot be read.*token add/s],
  ['with a broken file of tokens', ['--tokens', 'package.json'], /package\.json is invalid at/],
  [
    'with an unencrypted authorization server',
    ['--oauth-issuer', 'http://id.example.com', '--oauth-audience', 'https://mcp.example.com/mcp'],
    /not encrypted.*--oauth-issuer/s,
  ],
])('it does not start, and exits 2, %s', async (_, given, error) => {
  const { code, stderr } = await runCommand(['http', ...given], { environment });
  expect(stderr).toMatch(error);
  expect(code).toBe(2);
});

test('prints one line if there is too little memory for WebAssembly', async () => {
  const fail = '()=>{throw(new(RangeError))}';
  const code = `WebAssembly.Memory=function(){throw(new(RangeError))};WebAssembly.instantiate=async${fail}`;
  const given = { ...environment, NODE_OPTIONS: `--import data:text/javascript,${code}` };
  const ended = await runCli(['http'], { environment: given });
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^tracker-mcp: .*ulimit -v.*\n$/) });
});

test('with views off, neither the process over HTTP nor the one over stdio lists one', async () => {
  const { url } = await startHttpServer(['--views', 'off'], environment);
  const overHttp = new Client({ name: 'older', version: '1' });
  await overHttp.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
  closeAfterTests(() => overHttp.close());
  const { client: overStdio } = await startClient({ ...environment, TRACKER_VIEWS: 'off' });
  for (const client of [overHttp, overStdio]) {
    const lists = JSON.stringify([await client.listTools(), await client.listResources()]);
    expect(lists).toContain('get_stats');
    expect(lists).not.toContain('ui://');
  }
});
