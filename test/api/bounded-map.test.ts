import { expect, test, vi } from 'vitest';
import { BoundedMap } from '../../src/api/bounded-map.ts';

const found = (map: BoundedMap<number, number>, last: number) =>
  Array.from({ length: last }, (_, index) => index + 1).filter((key) => map.get(key) !== undefined);

test('the oldest entries make room, once there are more than fit', () => {
  const map = new BoundedMap<number, number>({ max: 3 });
  for (const key of [1, 2, 3, 4, 5]) map.set(key, key);
  expect(found(map, 5)).toEqual([3, 4, 5]);
  expect(map.weight).toBe(3);
});

test('an entry that is set again is the newest', () => {
  const map = new BoundedMap<number, number>({ max: 2 });
  for (const key of [1, 2, 1, 3]) map.set(key, key);
  expect(found(map, 3)).toEqual([1, 3]);
});

test('what entries weigh together stays within the bound, and one that is too heavy is not kept', () => {
  const map = new BoundedMap<number, number>({ max: 64, weigh: (value) => value });
  for (let key = 1; key <= 28; key += 1) {
    map.set(key, 20);
    expect(map.weight).toBeLessThanOrEqual(64);
  }
  expect(found(map, 28)).toEqual([26, 27, 28]);
  map.set(29, 65);
  expect(found(map, 29)).toEqual([]);
  expect(map.weight).toBe(0);
});

test('after entries were taken out and all were dropped, the oldest still go first', () => {
  const map = new BoundedMap<number, number>({ max: 3 });
  for (let round = 0; round < 4; round += 1) {
    for (const key of [1, 2, 3]) map.set(key, key);
    map.delete(2);
    for (const key of [4, 5]) map.set(key, key);
    expect(found(map, 5)).toEqual([3, 4, 5]);
    map.clear();
    expect(map.weight).toBe(0);
  }
});

test('an entry is found for its time, whatever happens to the clock, and then makes room', ({ onTestFinished }) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const map = new BoundedMap<number, number>({ max: 10, maxAgeMs: 1000 });
  map.set(1, 1);
  vi.advanceTimersByTime(400);
  vi.setSystemTime(Date.now() - 3_600_000);
  map.set(2, 2);
  expect(map.ageOf(1)).toBe(400);
  vi.advanceTimersByTime(600);
  expect(found(map, 2)).toEqual([2]);
  map.set(3, 3);
  expect(map.weight).toBe(2);
});

test('a full map of a hundred thousand entries takes no longer for each than a small one', () => {
  const map = new BoundedMap<number, number>({ max: 70_000 });
  for (let key = 0; key < 400_000; key += 1) map.set(key, key);
  expect(map.get(399_999)).toBe(399_999);
  expect(map.get(300_000)).toBeUndefined();
});
