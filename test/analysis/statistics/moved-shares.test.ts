import { expect, it } from 'vitest';
import { movesIn } from '../../../src/analysis/statistics/moved-shares.ts';
import { seeded } from '../../calibrate/simulated-campaigns.ts';

const days = Array.from({ length: 45 }, (_, day) => new Date(Date.UTC(2026, 9, 1 + day)).toISOString().slice(0, 10));

/** Views of two pages on each day, of which the first gets a part of the visitors. */
function split(seed: number, visitsADay: number, partOn: (index: number) => number) {
  const random = seeded(seed);
  const views = days.map((_, index) => {
    const first = Array.from({ length: visitsADay }).filter(() => random() < partOn(index)).length;
    return [first, visitsADay - first];
  });
  return movesIn(days, (day) => views[days.indexOf(day)] ?? []);
}

it('a split that nobody changed never moves, though single days differ by chance', () => {
  const moves = Array.from({ length: 300 }, (_, seed) => split(seed, 30 + (seed % 5) * 40, () => 0.62));
  expect(moves.flat()).toEqual([]);
});

it('a split that was changed moves on the day of the change, once', () => {
  for (const seed of [1, 2, 3]) {
    const moves = split(seed, 200, (index) => (index < 30 ? 0.5 : 0.2));
    expect(moves).toEqual([{ from: days[30], until: days[30] }]);
  }
});

it('a small move among few visitors is on the day that splits them best, and not days later', () => {
  const found = Array.from({ length: 200 }, (_, seed) => split(seed, 120, (index) => (index < 30 ? 0.5 : 0.63))).flat();
  const near = found.filter(({ from, until }) => from <= `${days[31]}` && until >= `${days[29]}`);
  expect(found.length).toBeGreaterThan(150);
  expect(near.length / found.length).toBeGreaterThan(0.93);
});
