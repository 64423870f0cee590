import { expect, test } from 'vitest';
import { callTool, textOf, until, worked } from './support/call.ts';
import { startCountingTracker } from './support/counting-tracker.ts';
import { startRedis } from './support/redis-server.ts';
import { startReplica } from './support/replicas.ts';
import { startRoundRobin } from './support/round-robin.ts';

/** How many clients read at a time, and how many write. */
const [readers, writers] = [14, 2];

const [tracker, redis] = await Promise.all([startCountingTracker(), startRedis()]);
const settings = { TRACKER_URL: tracker.url, TRACKER_MCP_REDIS: redis.url };
const replicas = await Promise.all([1, 2, 3].map(() => startReplica(settings)));
const { url, handed } = await startRoundRobin(
  replicas.map((replica) => replica.url),
  new Set(['edit_campaign']),
);

test('three replicas under load lose one, then Redis: no read fails, no write is sent twice, four are in flight', async () => {
  let isOver = false;
  let [reads, lastBid] = [0, 0];
  const [failedReads, written, refused, lost]: [string[], string[], string[], string[]] = [[], [], [], []];
  const read = async () => {
    while (!isOver) {
      reads += 1;
      const reply = await callTool(url, 'list_conversions', { campaign_id: reads, limit: 5 });
      if (!worked(reply)) failedReads.push(textOf(reply));
    }
  };
  const write = async () => {
    while (!isOver) {
      lastBid += 1;
      const bid = lastBid / 100;
      const reply = await callTool(url, 'edit_campaign', { campaign_id: 1, bid });
      if (worked(reply)) written.push(String(bid));
      else if (reply.status === 502) lost.push(String(bid));
      else refused.push(textOf(reply));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const load = [...Array.from({ length: readers }, read), ...Array.from({ length: writers }, write)];
  const more = (count: () => number, by: number) => {
    const aim = count() + by;
    return until(() => count() >= aim);
  };
  const moreOfBoth = () => Promise.all([more(tracker.reads, 40), more(() => written.length, 4)]);

  await moreOfBoth();
  expect(refused).toEqual([]);
  expect(tracker.maxInFlight()).toBeGreaterThan(1);

  const [first, ...others] = replicas;
  await first?.kill();
  await moreOfBoth();
  expect(refused).toEqual([]);

  await redis.kill();
  await Promise.all([more(tracker.reads, 40), more(() => refused.length, 4)]);
  for (const replica of others) {
    expect(await replica.readiness()).toMatchObject({ code: 200, status: 'degraded', redis: expect.any(String) });
    expect(await replica.redisUp()).toBe('0');
  }
  for (const message of new Set(refused)) expect(message).toMatch(/Redis.*nothing was sent/s);

  await redis.restart();
  await moreOfBoth();
  for (const replica of others) {
    expect(await replica.readiness()).toEqual({ code: 200, status: 'ready' });
    expect(await replica.redisUp()).toBe('1');
  }
  isOver = true;
  await Promise.all(load);

  expect(new Set(handed).size).toBe(3);
  expect(failedReads).toEqual([]);
  expect(tracker.maxInFlight()).toBeLessThanOrEqual(4);
  // Reported writes were sent once; refused ones were not sent.
  expect(new Set(tracker.bids).size).toBe(tracker.bids.length);
  expect(written.filter((bid) => !tracker.bids.includes(bid))).toEqual([]);
  expect(tracker.bids.filter((bid) => !written.includes(bid) && !lost.includes(bid))).toEqual([]);
});
