import { describe, expect, test } from 'vitest';
import { pickWeighted, secureRandom, seededRandom } from '../../../src/sandbox/rotation/random.ts';

const take = (count: number, random: () => number) => Array.from({ length: count }, random);

describe('seeded randomness', () => {
  test('the same seed and stream give the same numbers', () => {
    expect(take(50, seededRandom(5, 3))).toEqual(take(50, seededRandom(5, 3)));
  });

  test('a different seed, large or small, or a different stream gives different numbers', () => {
    const sequences = [seededRandom(5), seededRandom(6), seededRandom(5, 1), seededRandom(5 + 2 ** 40)];
    expect(new Set(sequences.map((random) => take(3, random).join())).size).toBe(4);
  });
});

test.each([
  ['seeded', seededRandom(1)],
  ['secure', secureRandom()],
])('%s numbers are in [0, 1) and evenly spread', (_, random) => {
  const numbers = take(20_000, random);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  const tenths = Array.from({ length: 10 }, (__, tenth) => numbers.filter((x) => Math.floor(x * 10) === tenth).length);
  // 2000 expected in each tenth, standard deviation 42.
  for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(250);
});

describe('a weighted pick', () => {
  const items = [
    { name: 'never', weight: 0 },
    { name: 'rare', weight: 1 },
    { name: 'often', weight: 3 },
    { name: 'never either', weight: 0 },
  ] as const;

  const weightOf = (item: (typeof items)[number]) => item.weight;

  test('picks in proportion to the weights, also at the edges of the range', () => {
    const names = [0, 0.2499, 0.25, 0.9999999].map((drawn) => pickWeighted(items, weightOf, () => drawn)?.name);
    expect(names).toEqual(['rare', 'rare', 'often', 'often']);
  });

  test('picks nothing if nothing has a weight', () => {
    expect(pickWeighted([items[0], items[3]], weightOf, Math.random)).toBeUndefined();
    expect(pickWeighted([], weightOf, Math.random)).toBeUndefined();
  });
});
