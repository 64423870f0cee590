import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect, it } from 'vitest';
import type { TokenVerifier } from '../../../src/mcp/http/gate.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';
import { startHttp } from '../../support/http-server.ts';
import { bearer, toolCall } from '../../support/messages.ts';
import { plainAnswers } from '../../support/specified.ts';

const token = 'a-secret-token';
const tokens: TokenVerifier = { verify: async () => ({ name: 'ann', access: 'read', limits: {} }) };
const tracker = await startForeignTracker(plainAnswers);

const call = toolCall('list_campaigns');
const { authorization } = bearer(token);

it('the JSON log has a line per call and refusal, with time, request, token and outcome', async () => {
  const { post, url, logged } = await startHttp({ url: tracker.url }, { verifier: tokens }, 'json');
  await post(call, { authorization, 'x-request-id': 'from-the-proxy' });
  const { headers } = await post(call);
  await post(toolCall('get_stats'), { authorization, 'x-request-id': 'two words' });
  await fetch(new URL('/nothing', url), { headers: { authorization } });
  const lines = logged.map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { event: 'call', request_id: 'from-the-proxy', token: 'ann', tool: 'list_campaigns', outcome: 'ok' },
    { event: 'refused', request_id: headers.get('x-request-id'), method: 'POST', path: '/mcp', status: 401 },
    { event: 'call', request_id: expect.stringMatching(/^[\da-f-]{36}$/), tool: 'get_stats', outcome: 'error' },
    { event: 'refused', method: 'GET', path: '/nothing', status: 404 },
  ]);
  for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time);
  expect(logged.join()).not.toContain(token);
});

it('a session of a stock client without faults has no line of a refusal', async () => {
  const { url, logged } = await startHttp({ url: tracker.url }, { verifier: tokens }, 'json');
  const client = new Client({ name: 'older', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } });
  await client.connect(transport as Transport);
  await client.listTools();
  await client.callTool({ name: 'list_campaigns' });
  await transport.terminateSession();
  await client.close();
  // The stock client asks for its stream on its own time.
  await fetch(url, { headers: { authorization } });
  expect(logged.map((line) => JSON.parse(line).event)).toEqual(['call']);
});

it('the text log has no line for routine requests', async () => {
  const { post, url, logged } = await startHttp({ url: tracker.url }, { verifier: tokens });
  await post(call, { authorization });
  await post(call);
  await fetch(url, { headers: { authorization } });
  expect(logged).toEqual([]);
});

it('docs/serving.md names every metric of this program', async () => {
  const { metricsUrl } = await startHttp({ url: tracker.url });
  const text = await (await fetch(metricsUrl)).text();
  const names = [...text.matchAll(/^# TYPE (tracker_mcp_\w+)/gm)].map(([, name]) => name);
  expect(names).toHaveLength(5);
  const docs = await readFile('docs/serving.md', 'utf8');
  for (const name of [...names, 'tracker_mcp_redis_up']) expect(docs).toContain(`| \`${name}\` |`);
});

it('metrics are served only on their own port, if they have one', async () => {
  const { url, metricsUrl } = await startHttp({ url: tracker.url }, { metricsPort: 0 });
  expect(new URL(metricsUrl).port).not.toBe(new URL(url).port);
  expect(await (await fetch(metricsUrl)).text()).toContain('process_cpu_seconds_total');
  expect((await fetch(new URL('/metrics', url))).status).toBe(404);
  expect((await fetch(new URL('/mcp', metricsUrl))).status).toBe(404);
});
