import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { listening } from '../support/listening.ts';
import { clientHeaders } from '../support/messages.ts';
import { greeting, startClient, startHttpServer, toolCall } from './support/clients.ts';
import { startCli } from './support/run-cli.ts';

interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

const collected: { path: string; type: string | undefined; body: string }[] = [];
const collector = createServer(async (request, response) => {
  collected.push({ path: request.url ?? '', type: request.headers['content-type'], body: await text(request) });
  response.setHeader('content-type', 'application/json').end('{}');
});
beforeEach(() => {
  collected.length = 0;
});

let answers = 0;
/** Answers every other request. */
const foreign = await startForeignTracker({
  'campaign/list': () => {
    answers += 1;
    if (answers % 2 === 1) return { status: 503, body: '', headers: { 'retry-after': '0' } };
    return { body: '[{"ID":"7","Name":"Seven"}]' };
  },
});
const environment = {
  TRACKER_URL: foreign.url,
  TRACKER_API_KEY: 'secret-key-of-the-tracker',
  OTEL_EXPORTER_OTLP_ENDPOINT: await listening(collector),
};

/** The spans that were collected, and the name of the service they come from. */
function spansCollected() {
  const resources = collected.flatMap(({ body }) => JSON.parse(body).resourceSpans);
  const spans: CollectedSpan[] = resources.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap((scope: { spans: readonly CollectedSpan[] }) => scope.spans),
  );
  return { spans, resource: JSON.stringify(resources[0]?.resource) };
}

const attributeOf = (span: CollectedSpan | undefined, wanted: string) =>
  Object.values(span?.attributes.find(({ key }) => key === wanted)?.value ?? {})[0];

/** Calls a tool over HTTP. */
async function post(url: string, params: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  await (await fetch(url, { method: 'POST', headers: { ...clientHeaders, ...headers }, body })).text();
}

test('a call over stdio is a span with a child per request to the tracker, without the key', async () => {
  const { client, call: callTool } = await startClient(environment);
  await callTool('list_campaigns');
  expect((await callTool('lookup_subid')).isError).toBe(true);
  // The server sends the remaining spans when it ends.
  await client.close();
  const { spans, resource } = spansCollected();
  expect(collected.map(({ path, type }) => [path, type])).toContainEqual(['/v1/traces', 'application/json']);
  expect(resource).toContain('"stringValue":"tracker-mcp"');
  const [call, refused] = spans.filter(({ name }) => name.startsWith('tools/call '));
  const requests = spans.filter(({ name }) => name === 'tracker list_campaigns');
  expect([call, refused].map((span) => [span?.name, attributeOf(span, 'tracker_mcp.outcome')])).toEqual([
    ['tools/call list_campaigns', 'ok'],
    ['tools/call lookup_subid', 'error'],
  ]);
  for (const { parentSpanId, traceId } of requests)
    expect([parentSpanId, traceId]).toEqual([call?.spanId, call?.traceId]);
  const numbersOf = (name: string) => requests.map((span) => Number(attributeOf(span, name)));
  expect(numbersOf('http.response.status_code')).toEqual([503, 200]);
  expect(numbersOf('http.request.resend_count')).toEqual([0, 1]);
  const all = collected.map(({ body }) => body).join('');
  expect(all).not.toContain(environment.TRACKER_API_KEY);
  expect(all).not.toContain('campaign/list');
});

test('continues the trace named by the message, or else by the HTTP headers', async () => {
  const { server, exited, url } = await startHttpServer([], environment);
  const parent = (digit: string) => ({ traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01` });
  const named = (_meta: object) => ({ name: 'list_campaigns', arguments: {}, _meta });
  await post(url, named({}), parent('a'));
  await post(url, named(parent('b')), parent('a'));
  await post(url, named({ traceparent: 'nonsense' }));
  server.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  const calls = spansCollected().spans.filter(({ name }) => name === 'tools/call list_campaigns');
  expect(calls.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual([
    ['a'.repeat(32), 'a'.repeat(16)],
    ['b'.repeat(32), 'b'.repeat(16)],
    [expect.stringMatching(/^[\da-f]{32}$/), undefined],
  ]);
});

test('with several trackers, metrics and spans have the configured name', async () => {
  const folder = await newFolder();
  const config = join(folder, 'trackers.json');
  const { TRACKER_API_KEY: key, OTEL_EXPORTER_OTLP_ENDPOINT } = environment;
  await writeFile(join(folder, 'key'), key, { mode: 0o600 });
  const tracker = { url: foreign.url, key_file: 'key' };
  const trackers = { main: tracker, other: { ...tracker, read_only: true } };
  await writeFile(config, JSON.stringify({ trackers }));
  const { server, exited, url } = await startHttpServer([], { TRACKER_CONFIG: config, OTEL_EXPORTER_OTLP_ENDPOINT });
  const call = (name: string, given: object) => post(url, { name, arguments: given });
  await call('list_campaigns', { tracker: 'main' });
  await call('list_campaigns', { tracker: 'other' });
  await call('edit_campaign', { tracker: 'other', campaign_id: 1, bid: 1 });
  const metrics = (await (await fetch(new URL('/metrics', url))).text()).split('\n');
  server.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  for (const line of [
    'tracker_mcp_tracker_request_seconds_count{tool="list_campaigns",status="200",tracker="main"} 1',
    'tracker_mcp_tracker_request_seconds_count{tool="list_campaigns",status="503",tracker="other"} 1',
    'tracker_mcp_tracker_retries_total{tool="list_campaigns",tracker="other"} 1',
    'tracker_mcp_guard_refusals_total{tool="edit_campaign",tracker="other"} 1',
  ]) {
    expect(metrics).toContain(line);
  }
  const requests = spansCollected().spans.filter(({ name }) => name === 'tracker list_campaigns');
  const asked = requests.map((span) => attributeOf(span, 'tracker_mcp.tracker'));
  expect([...new Set(asked)].sort()).toEqual(['main', 'other']);
});

test('a missing collector logs one line and delays nothing', async () => {
  const impatient = { OTEL_BSP_SCHEDULE_DELAY: '10', OTEL_EXPORTER_OTLP_TIMEOUT: '50' };
  const missing = { ...environment, ...impatient, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const server = startCli([], { environment: missing });
  const exited = once(server, 'exit');
  const stderr = text(server.stderr);
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
  server.stdin.write(greeting());
  await lines.next();
  server.stdin.write(toolCall(2, 'list_campaigns'));
  const answer = JSON.parse((await lines.next()).value);
  expect(answer.result.structuredContent.tables).toHaveLength(1);
  server.stdin.write(toolCall(3, 'list_campaigns'));
  await lines.next();
  server.stdin.end();
  expect(await exited).toEqual([0, null]);
  expect((await stderr).match(/traces cannot be sent/g)?.length ?? 0).toBeLessThanOrEqual(1);
});
