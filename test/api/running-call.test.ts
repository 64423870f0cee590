import { expect, it } from 'vitest';
import { Deadline } from '../../src/api/deadline.ts';
import { ownerOfCall, runForOwner, yieldIfBusy } from '../../src/api/running-call.ts';
import { LocalQueue } from '../../src/client/queue.ts';

/** Longer than a computation may run before it yields. */
const busyMs = 25;

/** Computes in steps, each of which is long enough to yield after it, and notes each. */
async function compute(name: string, steps: number, done: string[]): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    const end = performance.now() + busyMs;
    while (performance.now() < end) Math.sqrt(step);
    done.push(name);
    await yieldIfBusy();
  }
}

it('a short computation of one holder waits for a step or two of another holder, not for all that it asked', async () => {
  const done: string[] = [];
  const many = Array.from({ length: 8 }, (_, index) => runForOwner('many', () => compute(`many ${index}`, 3, done)));
  const one = runForOwner('one', () => compute('one', 3, done));
  await one;
  const before = done.slice(8).filter((name) => name !== 'one');
  expect(before.length).toBeLessThanOrEqual(4);
  await Promise.all(many);
  expect(done).toHaveLength(8 * 3 + 3);
});

it('of one holder’s long computations one goes on until it is done, after those that are short', async () => {
  const done: string[] = [];
  const long = ['first', 'second'].map((name) => runForOwner('one', () => compute(name, 12, done)));
  await Promise.all(long);
  expect(done.slice(-7).every((name) => name === 'second')).toBe(true);
  expect(done.lastIndexOf('first')).toBeLessThan(done.length - 7);
});

it('without tokens nothing is followed', async () => {
  expect(await runForOwner(undefined, async () => ownerOfCall())).toBe('');
  expect(await runForOwner('one', async () => ownerOfCall())).toBe('one');
});

it('holders take turns at the requests to a tracker', async () => {
  const queue = new LocalQueue();
  const deadline = new Deadline();
  const given: string[] = [];
  const turns: (() => void)[] = [];
  const take = async (owner: string) => {
    turns.push(await queue.take('reads', deadline, owner));
    given.push(owner);
  };
  const all = [...Array.from({ length: 9 }, () => 'many'), 'one', 'two', 'one'].map(take);
  while (given.length < all.length) {
    await new Promise((resolve) => setImmediate(resolve));
    turns.shift()?.();
  }
  expect(given.slice(0, 3)).toEqual(['many', 'many', 'many']);
  expect(given.slice(3, 8)).toEqual(['many', 'one', 'two', 'many', 'one']);
});

it('a request that is given up leaves the line', async () => {
  const queue = new LocalQueue();
  const giveBack = await queue.take('writes', new Deadline(), 'one');
  const late = new Deadline();
  const refused = queue.take('writes', late, 'two');
  late.cancel();
  await expect(refused).rejects.toThrow();
  const next = queue.take('writes', new Deadline(), 'two');
  giveBack();
  await expect(next).resolves.toBeTypeOf('function');
});
