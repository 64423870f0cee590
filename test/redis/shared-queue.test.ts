import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Deadline } from '../../src/api/deadline.ts';
import { QueueTimeoutError } from '../../src/client/queue.ts';
import { until } from './support/call.ts';
import { askRedis, startRedis } from './support/redis-server.ts';
import { type Opened, openReplica } from './support/two-replicas.ts';

const redis = await startRedis();
let count = 0;
let tracker = '';
const open = () => openReplica([redis.url], { tracker });
/** Each test has a tracker of its own. */
beforeEach(() => {
  count += 1;
  tracker = `http://tracker-${count}.example`;
});

/** Asks for turns, and collects those that were given. */
function asking(replicas: readonly Opened[], kind: 'reads' | 'writes', times: number) {
  const held: (() => void)[] = [];
  const asked = replicas.flatMap((replica) =>
    Array.from({ length: times }, () => replica.take(kind).then((giveBack) => held.push(giveBack))),
  );
  return { held, asked };
}

/** Gives turns back until every request has had one. */
async function giveAllBack({ held, asked }: ReturnType<typeof asking>) {
  for (let given = 0; given < asked.length; given += 1) {
    await until(() => held.length > given);
    held[given]?.();
  }
  await Promise.all(asked);
}

describe('turns at a tracker', () => {
  it('are three for reads and one for writes over all replicas, and every caller gets one', async () => {
    const replicas = await Promise.all([open(), open(), open()]);
    const reads = asking(replicas, 'reads', 4);
    const writes = asking(replicas, 'writes', 2);
    await until(() => reads.held.length === 3 && writes.held.length === 1);
    // Time for each to ask again.
    await setTimeout(200);
    expect([reads.held.length, writes.held.length]).toEqual([3, 1]);
    await giveAllBack(reads);
    await giveAllBack(writes);
  });

  it('reach a waiting replica, even if many calls wait at another', async () => {
    const [busy, quiet] = await Promise.all([open(), open()]);
    const order: string[] = [];
    const run = async (name: string, replica: Opened) => {
      const giveBack = await replica.take('writes');
      order.push(name);
      await setTimeout(20);
      giveBack();
    };
    const many = Array.from({ length: 60 }, () => run('busy', busy));
    await until(() => order.length > 0);
    await run('quiet', quiet);
    expect(order.filter((name) => name === 'busy').length).toBeLessThan(60);
    await Promise.all(many);
  });

  it('are waited for until the deadline of the call', async () => {
    const [holding, waits] = await Promise.all([open(), open()]);
    const giveBack = await holding.take('writes');
    const deadline = new Deadline();
    const waiting = waits.queue.take('writes', deadline, '');
    deadline.cancel('over');
    await expect(waiting).rejects.toThrow(QueueTimeoutError);
    giveBack();
    (await waits.take('writes'))();
  });

  it('of a killed replica become free when its leases expire', async () => {
    const [dying, living] = await Promise.all([open(), open()]);
    await Promise.all([1, 2, 3].map(() => dying.take('reads')));
    await dying.close();
    (await living.take('reads'))();
  });

  it('are separate for each tracker', async () => {
    await (await open()).take('writes');
    const elsewhere = await openReplica([redis.url], { tracker: `${tracker}/other` });
    (await elsewhere.take('writes'))();
  });
});

describe('without Redis', () => {
  it('each replica takes its share of the turns for reads, writes are refused, and both recover with it', async () => {
    const [first, second] = await Promise.all([open(), open()]);
    // Each is registered.
    await setTimeout(3000);
    const waiting = asking([first], 'writes', 2);
    await until(() => waiting.held.length === 1);
    const refused = waiting.asked[1];
    redis.freeze();
    await expect(refused).rejects.toThrow(/Redis.*does not answer.*nothing was sent/);
    await expect(second.take('writes')).rejects.toThrow(/Redis/);
    expect(first.away()).toBe('it does not answer');
    expect(() => first.changes.requireReachable()).toThrow(/Redis/);
    waiting.held[0]?.();

    const reads = asking([first, second], 'reads', 3);
    await until(() => reads.held.length === 4);
    await setTimeout(200);
    expect(reads.held.length).toBe(4);
    redis.thaw();
    await until(() => first.away() === undefined && second.away() === undefined);
    await giveAllBack(reads);
    (await first.take('writes'))();
    expect(first.logged).toEqual([expect.stringMatching(/cannot be used now.*writes are refused/), 'Redis is back.']);
  });

  it('from the start, a replica reads one at a time, because the number of replicas is unknown', async () => {
    const alone = await openReplica(['redis://127.0.0.1:9'], { tracker });
    const reads = asking([alone], 'reads', 2);
    await until(() => reads.held.length === 1);
    await setTimeout(100);
    expect(reads.held.length).toBe(1);
    reads.held[0]?.();
    await until(() => reads.held.length === 2);
    expect(alone.logged).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });
});

describe('three replicas under load', () => {
  /** Takes turns in each replica, and counts how many are held at once. */
  function load(replicas: readonly Opened[]) {
    let [inFlight, maxInFlight, done, isOver] = [0, 0, 0, false];
    const hold = async (replica: Opened, kind: 'reads' | 'writes', ms: number) => {
      while (!isOver) {
        const giveBack = await replica.take(kind).catch(() => setTimeout(20));
        if (!giveBack) continue;
        inFlight += 1;
        maxInFlight = Math.max(maxInFlight, inFlight);
        await setTimeout(ms);
        inFlight -= 1;
        done += 1;
        giveBack();
      }
    };
    const running = replicas.flatMap((replica) => [
      ...[60, 90, 150, 400].map((ms) => hold(replica, 'reads', ms)),
      hold(replica, 'writes', 80),
    ]);
    return {
      more: (count: number) => {
        const aim = done + count;
        return until(() => done >= aim);
      },
      end: async () => {
        isOver = true;
        await Promise.all(running);
        return maxInFlight;
      },
    };
  }

  it('have at most four turns, while Redis is emptied again and again', async () => {
    const replicas = await Promise.all([open(), open(), open()]);
    // Each is registered.
    await setTimeout(3000);
    const { more, end } = load(replicas);
    for (let time = 0; time < 4; time += 1) {
      await more(30);
      await askRedis(redis.port, 'FLUSHALL');
    }
    await more(60);
    expect(await end()).toBeLessThanOrEqual(4);
  });
});
