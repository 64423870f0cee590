import { type ClientRequest, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client as NewerClient, StreamableHTTPClientTransport as NewerTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/tools/catalogue.ts';
import { closeAfterTests } from '../../support/closing.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';
import { startHttp } from '../../support/http-server.ts';
import { clientHeaders, listTools, toolCall } from '../../support/messages.ts';
import { plainAnswers } from '../../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const stateless = await startHttp(
  { url: tracker.url, policy: { confirm: true } },
  { allowOrigins: ['https://app.example.com'] },
);
const withSessions = await startHttp({ url: tracker.url, policy: { confirm: true } }, { sessions: true });

async function older(url: string, answer?: ElicitResult) {
  const client = new Client({ name: 'older', version: '1' }, { capabilities: answer ? { elicitation: {} } : {} });
  if (answer) client.setRequestHandler(ElicitRequestSchema, () => answer);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
  closeAfterTests(() => client.close());
  return client;
}

const call = toolCall('list_campaigns');
const change = { name: 'edit_campaign', arguments: { campaign_id: 1, bid: 2 } };
const yes: ElicitResult = { action: 'accept', content: { agree: true } };

describe('the stock clients', () => {
  it('of the older protocol lists and calls without a session', async () => {
    const client = await older(stateless.url);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(catalogue.map(({ name }) => name));
    expect((await client.callTool({ name: 'list_campaigns' })).isError).toBeFalsy();
    expect((client.transport as StreamableHTTPClientTransport).sessionId).toBeUndefined();
  });

  it('of the older protocol cannot ask its user without a session', async () => {
    const client = await older(stateless.url, yes);
    const { isError, content } = await client.callTool(change);
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toMatch(/cannot ask its user/);
    expect(tracker.writes()).toEqual([]);
  });

  it('of the older protocol asks its user in a session', async () => {
    expect((await (await older(withSessions.url, yes)).callTool(change)).isError).toBeFalsy();
    expect(tracker.writes()).toHaveLength(1);
    expect((await (await older(withSessions.url, { action: 'decline' })).callTool(change)).isError).toBe(true);
    expect(tracker.writes()).toEqual([]);
  });

  it.each([stateless, withSessions])('of the newer protocol asks its user, with sessions or not', async ({ url }) => {
    const options = { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } } as const;
    const client = new NewerClient({ name: 'newer', version: '1' }, options);
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { agree: true } }));
    await client.connect(new NewerTransport(new URL(url)));
    closeAfterTests(() => client.close());
    expect(client.getProtocolEra()).toBe('modern');
    expect((await client.listTools()).tools).toHaveLength(catalogue.length);
    expect((await client.callTool(change)).isError).toBeFalsy();
    expect(tracker.writes()).toHaveLength(1);
  });
});

describe('an answer', () => {
  it('is one JSON document, or a stream if progress is wanted', async () => {
    const plain = await stateless.post(call);
    expect(plain.headers.get('content-type')).toBe('application/json');
    const streamed = await stateless.post({ ...call, params: { ...call.params, _meta: { progressToken: 1 } } });
    expect(streamed.headers.get('content-type')).toBe('text/event-stream');
    expect(Object.keys(streamed.body.result ?? {})).toEqual(Object.keys(plain.body.result ?? {}));
  });

  it('is an error if the session is missing or unknown', async () => {
    expect(await withSessions.post(listTools)).toMatchObject({ status: 400, body: { id: 1, error: {} } });
    const unknown = await withSessions.post(listTools, { 'mcp-session-id': 'none' });
    expect(unknown).toMatchObject({ status: 404, body: { id: 1, error: { code: -32001 } } });
  });
});

/** The status of a request that `send` writes by hand. */
function statusOf(headers: Readonly<Record<string, string>>, send: (sent: ClientRequest) => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(stateless.url, { method: 'POST', headers: { ...clientHeaders, ...headers } });
    sent.on('error', reject).on('response', (response) => {
      resolve(response.statusCode);
      sent.off('error', reject).on('error', () => undefined);
      sent.destroy();
    });
    send(sent);
  });
}

it('answers a request without a content length', async () => {
  const [start, rest] = [JSON.stringify(listTools).slice(0, 10), JSON.stringify(listTools).slice(10)];
  expect(await statusOf({}, (sent) => void sent.write(start, () => sent.end(rest)))).toBe(200);
});

it('the check of a load balancer that names no host, in HTTP/1.0, is answered, and the protocol is refused to it', async () => {
  const { url, metricsUrl } = await startHttp({ url: tracker.url }, { metricsPort: 0 });
  const firstLine = async (server: string, line: string) => {
    const socket = connect(Number(new URL(server).port), '127.0.0.1');
    socket.write(`${line} HTTP/1.0\r\n\r\n`);
    return (await text(socket)).split('\r\n')[0];
  };
  for (const path of ['/healthz', '/readyz']) expect(await firstLine(url, `GET ${path}`)).toBe('HTTP/1.1 200 OK');
  expect(await firstLine(metricsUrl, 'GET /metrics')).toBe('HTTP/1.1 200 OK');
  expect(await firstLine(url, 'GET /mcp')).toBe('HTTP/1.1 403 Forbidden');
});

it.each<[string, object | null]>([
  ['tools/list', null],
  ['ping', null],
  ['initialize', null],
  ['initialize', { protocolVersion: null, capabilities: null, clientInfo: null }],
  ['tools/list', { cursor: null, _meta: null }],
  ['tools/call', { name: 'list_campaigns', arguments: null, _meta: { progressToken: null } }],
])('takes null in the parameters of %s as left out: %j', async (method, params) => {
  const { status, body } = await stateless.post({ jsonrpc: '2.0', id: 7, method, params });
  expect({ status, body }).toMatchObject({ status: 200, body: { id: 7, result: {} } });
});

describe('rejects with an error of JSON-RPC', () => {
  const nested = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(5000)}${']'.repeat(5000)}}`;
  it.each<[string, unknown, Readonly<Record<string, string | null>>, number, number]>([
    ['a body that is not JSON', '{oops', {}, 400, -32700],
    ['an empty body', '', {}, 400, -32700],
    ['a body that is not a message', { params: {} }, {}, 400, -32600],
    ['a batch', [listTools, call], {}, 400, -32600],
    ['a body of more than 4 MB', `"${'x'.repeat(4 * 1024 * 1024)}"`, {}, 413, -32000],
    ['a body nested 5,000 deep', nested, {}, 400, -32600],
    ['a different content type', listTools, { 'content-type': 'text/plain' }, 415, -32000],
    ['a client that accepts no form of the answer', listTools, { accept: 'text/html' }, 406, -32000],
    ['an unknown version of the protocol', listTools, { 'mcp-protocol-version': '1999-01-01' }, 400, -32000],
    ['a newer version without its envelope', listTools, { 'mcp-protocol-version': '2026-07-28' }, 400, -32602],
    ['an unknown origin', listTools, { origin: 'https://evil.example' }, 403, -32000],
    ['the origin null', listTools, { origin: 'null' }, 403, -32000],
  ])('%s', async (_, body, headers, status, code) => {
    const answer = await stateless.post(body, headers);
    expect({ status: answer.status, code: answer.body.error?.code }).toEqual({ status, code });
  });

  it.each<[string, string, object]>([
    ['a tool with an object as its name', 'tools/call', { name: { toString: 1 } }],
    ['a tool', 'tools/call', { name: 'x'.repeat(3_000_000) }],
    ['a prompt', 'prompts/get', { name: 'x'.repeat(3_000_000) }],
    ['a resource', 'resources/read', { uri: `x:${'x'.repeat(3_000_000)}` }],
  ])('%s that does not exist, without repeating a long name', async (_, method, params) => {
    const { body } = await stateless.post({ jsonrpc: '2.0', id: 7, method, params });
    expect(body).toMatchObject({ id: 7, error: { code: -32602 } });
    expect(JSON.stringify(body).length).toBeLessThan(1000);
  });

  it('headers that contradict the body', async () => {
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const newer = { ...call, params: { ...call.params, _meta: envelope } };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'list_campaigns' };
    expect((await stateless.post(newer, headers)).status).toBe(200);
    tracker.taken();
    const wrong = { 'mcp-method': 'tools/list', 'mcp-name': 'get_stats', 'mcp-protocol-version': '2025-11-25' };
    for (const [name, value] of Object.entries(wrong)) {
      const answer = await stateless.post(newer, { ...headers, [name]: value });
      expect(answer).toMatchObject({ status: 400, body: { id: 7, error: { code: -32020 } } });
    }
    expect(tracker.writes()).toEqual([]);
  });

  it('a body of more than 4 MB without a content length', async () => {
    // It never ends, so the server cannot read all of it.
    expect(await statusOf({}, (sent) => sent.write(`"${'x'.repeat(4 * 1024 * 1024)}`))).toBe(413);
  });

  it('an unknown host name, as in DNS rebinding', async () => {
    expect(await statusOf({ host: 'evil.example' }, (sent) => sent.end(JSON.stringify(listTools)))).toBe(403);
  });

  it.each(['GET', 'DELETE', 'PUT'])('%s without sessions', async (method) => {
    const response = await fetch(stateless.url, { method, headers: { accept: 'text/event-stream' } });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: {} });
  });

  it('other paths', async () => {
    const response = await fetch(new URL('/other', stateless.url));
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ jsonrpc: '2.0' })]);
  });
});

it('sends no text whose letters were lost, because its client does not write UTF-8', async () => {
  const { url } = await startHttp({ url: tracker.url });
  const body = Buffer.from(
    JSON.stringify(toolCall('add_offer', { name: 'Café', url: 'https://example.com' })),
    'latin1',
  );
  const answer = await fetch(url, { method: 'POST', headers: clientHeaders, body });
  expect(await answer.text()).toContain('name must not contain U+FFFD');
  expect(tracker.taken()).toEqual([]);
});

it('lets only pages of allowed origins call', async () => {
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'mcp-method' };
  const preflight = (origin: string) => fetch(stateless.url, { method: 'OPTIONS', headers: { origin, ...asked } });
  const allowed = await preflight('https://app.example.com');
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  expect(allowed.headers.get('access-control-allow-headers')).toMatch(/Mcp-Method/);
  const refused = await preflight('https://app.example.com.evil.example');
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  const answer = await stateless.post(listTools, { origin: 'https://app.example.com' });
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
});

it('counts calls and errors by tool, requests to the tracker, retries and refusals', async () => {
  const { post, url } = await startHttp({ url: tracker.url, policy: { tools: ['list_campaigns', 'get_stats'] } });
  const callTool = (name: string, given?: object) => post(toolCall(name, given));
  await callTool('list_campaigns');
  await callTool('get_stats', { colour: 'red' });
  await callTool('edit_campaign', change.arguments);
  tracker.answer('campaign/list', () => ({ status: 503, body: '' }));
  await callTool('list_campaigns');
  tracker.answer('campaign/list', plainAnswers['campaign/list'] ?? '');
  const metrics = (await (await fetch(new URL('/metrics', url))).text()).split('\n');
  for (const line of [
    'tracker_mcp_tool_calls_total{tool="list_campaigns",outcome="ok"} 1',
    'tracker_mcp_tool_calls_total{tool="get_stats",outcome="error"} 1',
    'tracker_mcp_tool_call_seconds_count{tool="list_campaigns"} 2',
    'tracker_mcp_tracker_request_seconds_count{tool="list_campaigns",status="200"} 1',
    'tracker_mcp_tracker_request_seconds_count{tool="list_campaigns",status="503"} 3',
    'tracker_mcp_tracker_retries_total{tool="list_campaigns"} 2',
    'tracker_mcp_guard_refusals_total{tool="edit_campaign"} 1',
  ])
    expect(metrics).toContain(line);
});

it('reported no defect', () => {
  expect([...stateless.defects, ...withSessions.defects]).toEqual([]);
});
