import { expect, it } from 'vitest';
import { differByChance } from '../../../src/analysis/statistics/scatter.ts';

/** Numbers from 0 to 1, the same in each run (Park and Miller). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const views = 200;
const random = randomNumbers(7);
const sold = (rate: number) => Array.from({ length: views }, () => random() < rate).filter(Boolean).length;
const groups = (count: number, rateOf: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => ({ views, count: sold(rateOf(index)) }));
const partOfChance = (count: number, rateOf: (index: number) => number) =>
  Array.from({ length: 400 }, () => differByChance(groups(count, rateOf))).filter(Boolean).length / 400;

it.each([7, 24])('19 of 20 sets of %i equal groups differ by chance', (count) => {
  const part = partOfChance(count, () => 0.05);
  expect(part).toBeGreaterThan(0.92);
  expect(part).toBeLessThan(0.98);
});

it.each([7, 24])('one of %i groups that sells three times as much is more than chance', (count) => {
  expect(partOfChance(count, (index) => (index === 0 ? 0.15 : 0.05))).toBeLessThan(0.15);
});

it.each([
  ['one group', [{ views: 10, count: 1 }]],
  ['no sales', groups(3, () => 0)],
  ['only sales', groups(3, () => 1)],
])('with %s there is nothing to compare', (_, given) => {
  expect(differByChance(given)).toBeUndefined();
});
