import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readAccept, withFirstEvent } from '../../../src/mcp/http/accept.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';
import { startHttp } from '../../support/http-server.ts';
import { clientHeaders, listTools, toolCall } from '../../support/messages.ts';
import { plainAnswers } from '../../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const stateless = await startHttp({ url: tracker.url });
const inSessions = await startHttp({ url: tracker.url, policy: { confirm: true } }, { sessions: true });

const list = { ...listTools, id: 7 };

const [both, json, stream, neither] = [
  [true, true],
  [true, false],
  [false, true],
  [false, false],
] as const;

/** Accept headers, and whether they take JSON and a stream. */
const headers: readonly (readonly [accept: string | null, accepted: readonly [json: boolean, stream: boolean]])[] = [
  [null, both],
  ['', both],
  ['*/*', both],
  ['*', both],
  ['application/json, text/event-stream', both],
  ['text/event-stream;q=0.5,APPLICATION/JSON ; Q=0.1', both],
  ['application/*, text/*', both],
  ['text/html, */*;q=0.1', both],
  [' , ,', both],
  ['*/*;q=', both],
  ['*/*;q=high', both],
  ['application/json;profile="a;q=0,*/*"', json],
  ['application/json', json],
  ['application/json;charset=utf-8', json],
  ['application/json;version=1', json],
  ['application/json;version=2;q=0, application/*', json],
  ['text/event-stream;v=2;q=0, text/*', stream],
  ['application/json;q=0;ext=1, text/*', stream],
  ['application/*', json],
  ['application/json, text/event-stream;q=0', json],
  ['*/*, text/event-stream;q=0.000', json],
  ['*/*, text/*;q=0', json],
  ['text/event-stream', stream],
  ['text/*', stream],
  ['application/json;q=0, */*', stream],
  ['application/json;q=0, application/*, text/*', stream],
  ['text/html', neither],
  ['*/*;q=0', neither],
  ['application/jsonp, text/event-streams', neither],
  ['application/json;q=0, text/event-stream;q=0', neither],
];

it.each(headers)('the header %j is read by its most specific range', (header, [json, stream]) => {
  expect(readAccept(header)).toEqual({ json, stream });
});

const newer = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const progressing = { ...toolCall('list_campaigns').params, _meta: { progressToken: 1 } };
const newerHeaders = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'list_campaigns' };
const initialize = {
  ...list,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'x', version: '1' },
  },
};

interface Sent {
  readonly url: string;
  readonly message: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const requests: Readonly<Record<string, () => Promise<Sent>>> = {
  'without a session': async () => ({ url: stateless.url, message: list }),
  'at the path with a slash': async () => ({ url: `${stateless.url}/`, message: list }),
  'with progress': async () => ({
    url: stateless.url,
    message: { ...toolCall('list_campaigns'), params: progressing },
  }),
  'of the newer protocol': async () => ({
    url: stateless.url,
    message: { ...toolCall('list_campaigns'), params: { ...progressing, _meta: { ...newer, progressToken: 1 } } },
    headers: newerHeaders,
  }),
  'that starts a session': async () => ({ url: inSessions.url, message: initialize }),
  'in a session': async () => {
    const started = await inSessions.post(initialize, { accept: 'application/json' });
    const headers = { 'mcp-session-id': String(started.headers.get('mcp-session-id')) };
    return { url: inSessions.url, message: list, headers };
  },
};

it('a request that cannot be read is refused in words, with its ID', async () => {
  const response = await stateless.post({ ...list, method: 'tools/call', params: { name: null, arguments: 5 } });
  const message = 'The request was not read: name must be text, and is missing.';
  expect(response.body).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32602, message } });
});

describe.each(Object.entries(requests))('a request %s', (_, prepare) => {
  it.each(headers)('with the header %j gets a form that it takes', async (accept, [json, stream]) => {
    const { url, message, headers: extra } = await prepare();
    const sent = new Headers({ ...clientHeaders, ...extra });
    if (accept === null) sent.delete('accept');
    else sent.set('accept', accept);
    const response = await fetch(url, { method: 'POST', headers: sent, body: JSON.stringify(message) });
    const text = await response.text();
    if (!json && !stream) {
      expect([response.status, JSON.parse(text)]).toEqual([406, expect.objectContaining({ id: 7 })]);
      return;
    }
    expect(response.status, text).toBe(200);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    expect(isStream ? stream : json).toBe(true);
    const answer = isStream ? /^data: (\{.*"result".*)$/m.exec(text)?.[1] : text;
    expect(JSON.parse(answer ?? '')).toMatchObject({ id: 7, result: {} });
  });
});

it('a client without streams cannot be asked, and is told so at once', async () => {
  const started = await inSessions.post(initialize, { accept: 'application/json' });
  const session = { 'mcp-session-id': String(started.headers.get('mcp-session-id')), accept: 'application/json' };
  await inSessions.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  const { body } = await inSessions.post(toolCall('edit_campaign', { campaign_id: 1, bid: 2 }), session);
  expect(JSON.stringify(body)).toMatch(/cannot ask its user/);
});

it('a notification, which has no answer, is taken whatever the client accepts', async () => {
  const message = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const response = await fetch(stateless.url, {
    method: 'POST',
    headers: { ...clientHeaders, accept: 'text/html' },
    body: JSON.stringify(message),
  });
  expect(response.status).toBe(202);
});

it.each([
  [null, 200],
  ['*/*', 200],
  ['text/*', 200],
  ['application/json', 406],
  ['*/*, text/event-stream;q=0', 406],
])('the stream of a session, asked for with the header %j, is answered with %i', async (accept, status) => {
  const started = await inSessions.post(initialize);
  const headers = new Headers({ 'mcp-session-id': String(started.headers.get('mcp-session-id')) });
  if (accept !== null) headers.set('accept', accept);
  // fetch adds */* where no header is given.
  const response = await fetch(inSessions.url, { headers });
  await response.body?.cancel();
  expect(response.status).toBe(status);
});

it('the head of a stream comes with its first event, and its other events after it', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const write = (text: string) => writer.write(new TextEncoder().encode(text));
  const came: string[] = [];
  const stream = new Response(readable, {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'x-kept': 'yes' },
  });
  const answer = withFirstEvent(stream).then((response) => {
    came.push('head');
    return response;
  });
  await nextTurn();
  came.push('event');
  await write('data: 1\n\n');
  const response = await answer;
  expect(came).toEqual(['event', 'head']);
  expect([response.status, response.headers.get('x-kept')]).toEqual([200, 'yes']);
  const text = response.text();
  await write('data: 2\n\n');
  await writer.close();
  expect(await text).toBe('data: 1\n\ndata: 2\n\n');
});
