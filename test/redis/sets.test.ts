import { expect, it } from 'vitest';
import { Changes } from '../../src/guard/changes.ts';
import { Guard } from '../../src/guard/guard.ts';
import { connect, contextFor } from '../support/connect.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';
import { until } from './support/call.ts';
import { startRedis } from './support/redis-server.ts';
import { type Opened, openReplica } from './support/two-replicas.ts';

const redis = await startRedis();

interface Made {
  readonly change_id: string;
}

/** Two servers of one tracker that share a Redis and may send five requests on a day. */
async function startTwo() {
  const { tracker, campaign } = await startKeepingTracker();
  const noon = new Date('2026-05-06T12:00:00Z');
  const replicas: Opened[] = [];
  const open = async () => {
    const replica = await openReplica([redis.url], { apiKey: tracker.url });
    replicas.push(replica);
    const { changes } = replica;
    const policy = { readOnly: false, limits: { maxChanges: 5 }, confirm: false };
    const guard = new Guard(policy, undefined, new Changes(undefined, changes, () => noon));
    return connect({ context: { ...contextFor({ url: tracker.url, timeoutMs: 60_000 }), guard } });
  };
  const [one, other] = await Promise.all([open(), open()]);
  /** What a replica takes that is killed before it sends. */
  const takeAndDie = async (count: number) => {
    const { changes } = await openReplica([redis.url], { apiKey: tracker.url });
    await changes.take('2026-05-06', { count, max: 5, known: 0 });
  };
  /** Restarts Redis, which then has no data, and waits until both have noticed. */
  const emptyRedis = async () => {
    await redis.kill();
    await until(() => replicas.every(({ away }) => away() !== undefined));
    await redis.restart();
    await until(() => replicas.every(({ away }) => away() === undefined));
  };
  return { one, other, campaign, tracker, takeAndDie, emptyRedis };
}

const writes = [
  { tool: 'edit_campaign', arguments: { campaign_id: 1, bid: 0.5 } },
  { tool: 'edit_campaign', arguments: { campaign_id: 1, engage_rate: 30 } },
];

it('a set that one replica made is undone by the other, once', async () => {
  const { one, other, campaign } = await startTwo();
  const { change_id } = await one.data<Made>('make_changes', { writes });
  await other.data('undo_change', { change_id });
  expect([campaign.Bid, campaign.EngageRate]).toEqual(['0.1', '40']);
  expect(await one.refusal('undo_change', { change_id })).toContain('already undone');
});

it('requests that one replica sent count at the other', async () => {
  const { one, other, tracker } = await startTwo();
  await one.data('make_changes', { writes });
  await other.data('edit_campaign', { campaign_id: 1, bid: 0.6 });
  await one.data('edit_campaign', { campaign_id: 1, bid: 0.7 });
  for (const replica of [one, other]) {
    const others = [{ bid: 0.8 }, { engage_rate: 20 }].map((value) => ({
      tool: 'edit_campaign',
      arguments: { campaign_id: 1, ...value },
    }));
    expect(await replica.refusal('make_changes', { writes: others })).toContain('4 were sent today');
  }
  expect(tracker.writes()).toHaveLength(4);
});

it('what one replica changed is undone by the other, and counts there, after Redis lost its data', async () => {
  const { one, other, campaign, emptyRedis } = await startTwo();
  const { change_id } = await one.data<Made>('make_changes', { writes });
  for (let times = 0; times < 2; times += 1) {
    await emptyRedis();
    const four = Array.from({ length: 4 }, (_, index) => ({
      tool: 'edit_offer',
      arguments: { offer_id: index + 1, payout: 2 },
    }));
    expect(await other.refusal('make_changes', { writes: four })).toContain('2 were sent today');
  }
  await other.data('undo_change', { change_id });
  expect([campaign.Bid, campaign.EngageRate]).toEqual(['0.1', '40']);
  expect(await one.refusal('undo_change', { change_id })).toContain('already undone');
});

it('what a replica took before it was killed counts for the day, and is not called sent', async () => {
  const { one, takeAndDie } = await startTwo();
  await one.data('edit_campaign', { campaign_id: 1, bid: 0.6 });
  await takeAndDie(4);
  expect(await one.refusal('edit_campaign', { campaign_id: 1, bid: 0.7 })).toContain(
    '1 was sent today (UTC), other servers took 4 more to send, and an act or a day may send 5',
  );
});

it('two replicas that send at the same moment send no more than a day may have', async () => {
  const { one, other, tracker } = await startTwo();
  const three = [{ bid: 0.5 }, { engage_rate: 30 }, { priority: 2 }].map((value) => ({
    tool: 'edit_campaign',
    arguments: { campaign_id: 1, ...value },
  }));
  const made = await Promise.all([one, other].map(({ call }) => call('make_changes', { writes: three })));
  expect(made.filter(({ isError }) => isError)).toHaveLength(1);
  expect(tracker.writes()).toHaveLength(3);
  // What was not sent is given back.
  await one.data('make_changes', {
    writes: writes.map((write) => ({ ...write, arguments: { ...write.arguments, bid: 0.9 } })).slice(0, 1),
  });
  expect(tracker.writes()).toHaveLength(1);
});
