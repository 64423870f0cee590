import { Client as NewerClient, StreamableHTTPClientTransport as NewerTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect, test } from 'vitest';
import { closeAfterTests } from '../support/closing.ts';
import { freePort } from '../support/free-port.ts';
import { startCaddy } from './support/caddy.ts';
import { until } from './support/call.ts';
import { startCountingTracker } from './support/counting-tracker.ts';
import { startRedis } from './support/redis-server.ts';
import { startReplica } from './support/replicas.ts';

const [tracker, redis] = await Promise.all([startCountingTracker(), startRedis()]);

/** Clients that stay connected, each with a header of its own, which decides to which replica Caddy sends it. */
const people = Array.from({ length: 16 }, (_, number) => ({
  isNewer: number % 4 === 0,
  requestInit: { headers: { authorization: `Bearer person-${number}` } },
}));

async function connect(url: URL, { isNewer, requestInit }: (typeof people)[number]) {
  const client = isNewer
    ? new NewerClient({ name: 'newer', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    : new Client({ name: 'older', version: '1' });
  if (client instanceof Client) {
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }) as Transport);
  } else {
    await client.connect(new NewerTransport(url, { requestInit }));
  }
  closeAfterTests(() => client.close());
  return client;
}

test.each([
  { title: 'replicas behind Caddy are replaced one after the other under load, and no call fails', sessions: 'false' },
  { title: 'with sessions too, no call fails while replicas are replaced under load', sessions: 'true' },
])('$title', async ({ sessions }) => {
  const settings = { TRACKER_URL: tracker.url, TRACKER_MCP_REDIS: redis.url, TRACKER_MCP_SESSIONS: sessions };
  const start = (port: number) => startReplica({ ...settings, TRACKER_MCP_PORT: String(port) });
  const ports = [await freePort(), await freePort()];
  const replicas = await Promise.all(ports.map(start));
  const site = await startCaddy(replicas.map(({ url }) => url));
  const clients = await Promise.all(people.map((person) => connect(new URL('/mcp', site), person)));
  const failures: string[] = [];
  const bids: string[] = [];
  let [isOver, answered, asked] = [false, 0, 0];
  /** Each call has a campaign or bid of its own, so that no answer comes from a cache. */
  const nextCall = (isWriter: boolean) => {
    asked += 1;
    if (!isWriter) return { name: 'list_conversions', arguments: { campaign_id: asked, limit: 5 } };
    bids.push(String(asked));
    return { name: 'edit_campaign', arguments: { campaign_id: 1, bid: asked } };
  };
  const load = clients.map(async (client, number) => {
    while (!isOver) {
      const call = client.callTool(nextCall(number < 2));
      const failure = await call.then(
        ({ isError, content }) => (isError ? JSON.stringify(content) : undefined),
        (error: unknown) => String(error),
      );
      if (failure === undefined) answered += 1;
      else failures.push(failure);
    }
  });
  const moreAnswers = () => {
    const aim = answered + 40;
    return until(() => answered >= aim);
  };
  for (const [index, replica] of replicas.entries()) {
    await moreAnswers();
    await replica.stop();
    await moreAnswers();
    await start(ports[index] ?? 0);
  }
  await moreAnswers();
  isOver = true;
  await Promise.all(load);
  for (const path of ['/metrics', '/metrics/', '/readyz']) expect((await fetch(site + path)).status).toBe(404);
  expect(failures).toEqual([]);
  // Every write arrived, and none twice.
  expect(tracker.bids.splice(0).toSorted()).toEqual(bids.toSorted());
});
