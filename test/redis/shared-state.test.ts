import { expect, it } from 'vitest';
import { OpenQuestions } from '../../src/mcp/open-questions.ts';
import { askRedis, startRedis } from './support/redis-server.ts';
import { openReplica } from './support/two-replicas.ts';

const redis = await startRedis();
const open = (apiKey?: string) => openReplica([redis.url], apiKey === undefined ? {} : { apiKey });
const [one, other] = await Promise.all([open(), open()]);

const subject = { tracker: 'http://tracker.example', owner: '', tool: 'x', arguments: { a: 1 }, question: 'Sure?' };

it('another API key has changes of its own, and the queue in common', async () => {
  const stranger = await open('another-key');
  const step = { tool: 'edit_campaign', arguments: {}, before: {}, outcome: 'waiting' as const, id: null };
  await one.changes.announce({
    ...{ id: 'mine', time: '2026-01-01T00:00:00Z', tool: 'edit_campaign', client: 'x' },
    ...{ undoes: undefined, approved: undefined, undoneBy: undefined, steps: [step] },
  });
  expect((await other.changes.read()).map(({ id }) => id)).toContain('mine');
  const giveBack = await one.take('writes');
  let isGiven = false;
  const waiting = stranger.take('writes').then(() => {
    isGiven = true;
  });
  expect(await stranger.changes.read()).toEqual([]);
  expect(isGiven).toBe(false);
  giveBack();
  await waiting;
});

it('what stands in Redis tells neither the API key nor how a question is signed', async () => {
  const state = new OpenQuestions(one.questions).seal(subject);
  expect(await new OpenQuestions(other.questions).take(state, subject)).toBe('open');
  const keys = await askRedis(redis.port, 'KEYS', '*');
  expect(keys).not.toContain('a-key-of-the-tests');
  const name = /\S+question-secret/.exec(keys)?.[0] ?? '';
  const secret = (await askRedis(redis.port, 'GET', name)).split('\r\n')[1] ?? '';
  expect(secret).toHaveLength(43);
  const take = other.questions.take.bind(other.questions);
  const forged = new OpenQuestions({ key: Buffer.from(secret, 'base64url'), take });
  expect(await new OpenQuestions(other.questions).take(forged.seal(subject), subject)).toBe('stale');
});

it('in a Redis that was emptied while it ran, no answer counts a second time, and new questions can be answered', async () => {
  const [asks, takes] = [new OpenQuestions(one.questions), new OpenQuestions(other.questions)];
  const state = asks.seal(subject);
  expect(await takes.take(state, subject)).toBe('open');
  await askRedis(redis.port, 'FLUSHALL');
  expect(await takes.take(state, subject)).toBe('stale');
  expect(await asks.take(state, subject)).toBe('stale');
  expect(await takes.take(asks.seal(subject), subject)).toBe('open');
});

it('a change says nothing of a step but that it was sent, where its replica was killed before the outcome was known', async () => {
  const step = { tool: 'edit_campaign', arguments: {}, before: {}, outcome: 'waiting' as const, id: null };
  const change = {
    ...{ id: 'abc123', time: '2026-01-01T00:00:00Z', tool: 'set_shares', client: 'x' },
    ...{ undoes: undefined, approved: undefined, undoneBy: undefined, steps: [step, { ...step }] },
  };
  await one.changes.announce(change);
  await one.changes.announce(change, 0);
  const [read] = await other.changes.read();
  expect(read?.steps.map(({ outcome }) => outcome)).toEqual(['unknown', 'waiting']);
});

it('an outcome that could not be told while Redis was away is told once it is back', async () => {
  const step = { tool: 'edit_campaign', arguments: {}, before: {}, outcome: 'ok' as const, id: null };
  const change = {
    ...{ id: 'def456', time: '2026-01-01T00:00:01Z', tool: 'edit_campaign', client: 'x' },
    ...{ undoes: undefined, approved: undefined, undoneBy: undefined, steps: [step] },
  };
  await one.changes.announce(change);
  await one.changes.announce(change, 0);
  redis.freeze();
  await one.changes.settle(change, 0);
  expect(one.away()).toBeDefined();
  redis.thaw();
  while (one.away() !== undefined || other.away() !== undefined)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const changes = await other.changes.read();
  expect(changes.find(({ id }) => id === 'def456')?.steps.map(({ outcome }) => outcome)).toEqual(['ok']);
});
