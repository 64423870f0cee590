import { expect, test } from 'vitest';
import { callTool, said, until, worked } from './support/call.ts';
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
  const failedReads: string[] = [];
  const written: string[] = [];
  const refused: string[] = [];
  const lost: string[] = [];
  const read = async () => {
    while (!isOver) {
      reads += 1;
      const reply = await callTool(url, 'list_conversions', { campaign_id: reads, limit: 5 });
      if (!worked(reply)) failedReads.push(said(reply));
    }
  };
  const write = async () => {
    while (!isOver) {
      lastBid += 1;
      const bid = lastBid / 100;
      const reply = await callTool(url, 'edit_campaign', { campaign_id: 1, bid });
      if (worked(reply)) written.push(String(bid));
      else if (reply.status === 502) lost.push(String(bid));
      else refused.push(said(reply));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const load = [...Array.from({ length: readers }, read), ...Array.from({ length: writers }, write)];
  const more = (count: () => number, by: number) => {
    const aim = count() + by;
    return until(() => count() >= aim);
  };
  const readsDone = () => tracker.reads();
  const writesDone = () => written.length;

  await Promise.all([more(readsDone, 40), more(writesDone, 4)]);
  expect(refused).toEqual([]);
  expect(tracker.maxInFlight()).toBeGreaterThan(1);

  const [first, ...others] = replicas;
  await first?.kill();
  await Promise.all([more(readsDone, 40), more(writesDone, 4)]);
  expect(refused).toEqual([]);

  await redis.kill();
  await Promise.all([more(readsDone, 40), more(() => refused.length, 4)]);
  expect(await Promise.all(others.map((replica) => replica.readiness()))).toMatchObject(
    others.map(() => ({ code: 200, status: 'degraded', redis: expect.any(String) })),
  );
  expect(await Promise.all(others.map((replica) => replica.redisUp()))).toEqual(others.map(() => '0'));
  expect([...new Set(refused)].map((text) => /Redis.*nothing was sent/s.test(text))).toEqual(
    [...new Set(refused)].map(() => true),
  );

  await redis.restart();
  await Promise.all([more(readsDone, 40), more(writesDone, 4)]);
  expect(await Promise.all(others.map((replica) => replica.readiness()))).toEqual(
    others.map(() => ({ code: 200, status: 'ready' })),
  );
  expect(await Promise.all(others.map((replica) => replica.redisUp()))).toEqual(others.map(() => '1'));
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
