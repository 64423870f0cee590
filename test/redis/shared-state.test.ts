import { expect, it } from 'vitest';
import type { Change, ChangeStep } from '../../src/guard/changes.ts';
import { OpenQuestions } from '../../src/mcp/open-questions.ts';
import { until } from './support/call.ts';
import { askRedis, startRedis } from './support/redis-server.ts';
import { openReplica } from './support/two-replicas.ts';

const redis = await startRedis();
const open = (apiKey?: string) => openReplica([redis.url], apiKey === undefined ? {} : { apiKey });
const [first, second] = await Promise.all([open(), open()]);

const subject = { tracker: 'http://tracker.example', owner: '', tool: 'x', arguments: { a: 1 }, question: 'Sure?' };

/** A change with a number of steps, each with this outcome. */
function changeOf(id: string, steps: number, outcome: ChangeStep['outcome'] = 'waiting'): Change {
  return {
    ...{ id, time: '2026-01-01T00:00:00Z', tool: 'edit_campaign', client: 'x' },
    ...{ undoes: undefined, approved: undefined, undoneBy: undefined },
    steps: Array.from({ length: steps }, () => ({
      ...{ tool: 'edit_campaign', arguments: {}, before: {}, outcome, id: null },
    })),
  };
}

/** The outcomes of the steps at the second replica. */
const outcomesOf = async (id: string) =>
  (await second.changes.read()).find((change) => change.id === id)?.steps.map(({ outcome }) => outcome);

it('each API key has its own changes, and all share the queue', async () => {
  const stranger = await open('another-key');
  await first.changes.announce(changeOf('mine', 1));
  expect(await outcomesOf('mine')).toEqual(['waiting']);
  const giveBack = await first.take('writes');
  let isGiven = false;
  const waiting = stranger.take('writes').then(() => {
    isGiven = true;
  });
  expect(await stranger.changes.read()).toEqual([]);
  expect(isGiven).toBe(false);
  giveBack();
  await waiting;
});

it('the content of Redis shows neither the API key nor how questions are signed', async () => {
  const state = new OpenQuestions(first.questions).seal(subject);
  expect(await new OpenQuestions(second.questions).take(state, subject)).toBe('open');
  const keys = await askRedis(redis.port, 'KEYS', '*');
  expect(keys).not.toContain('a-key-of-the-tests');
  const name = /\S+question-secret/.exec(keys)?.[0] ?? '';
  const secret = (await askRedis(redis.port, 'GET', name)).split('\r\n')[1] ?? '';
  expect(secret).toHaveLength(43);
  const take = second.questions.take.bind(second.questions);
  const forged = new OpenQuestions({ key: Buffer.from(secret, 'base64url'), take });
  expect(await new OpenQuestions(second.questions).take(forged.seal(subject), subject)).toBe('stale');
});

it('after Redis was emptied, no answer counts a second time, and new questions can be answered', async () => {
  const [asks, takes] = [new OpenQuestions(first.questions), new OpenQuestions(second.questions)];
  const state = asks.seal(subject);
  expect(await takes.take(state, subject)).toBe('open');
  await askRedis(redis.port, 'FLUSHALL');
  expect(await takes.take(state, subject)).toBe('stale');
  expect(await asks.take(state, subject)).toBe('stale');
  expect(await takes.take(asks.seal(subject), subject)).toBe('open');
});

it('a step whose replica was killed before its outcome is unknown', async () => {
  const change = changeOf('abc123', 2);
  await first.changes.announce(change);
  await first.changes.announce(change, 0);
  expect(await outcomesOf('abc123')).toEqual(['unknown', 'waiting']);
});

it('an outcome while Redis is away is recorded when it is back', async () => {
  const change = changeOf('def456', 1, 'ok');
  await first.changes.announce(change);
  await first.changes.announce(change, 0);
  redis.freeze();
  await first.changes.settle(change, 0);
  expect(first.away()).toBeDefined();
  redis.thaw();
  await until(() => first.away() === undefined && second.away() === undefined);
  expect(await outcomesOf('def456')).toEqual(['ok']);
});
