import { expect, it } from 'vitest';
import { daysLeftOut, type Lateness } from '../../../src/analysis/statistics/usable-days.ts';
import { pickWeighted, seededRandom } from '../../../src/sandbox/rotation/random.ts';

const lateness: Lateness = { booking: 'visit', delay: undefined, asOf: '2026-12-31' };

/** The views of pages by day, drawn by their weights. */
function daysWith(views: number, weightsOf: (day: number) => readonly number[], seed: number) {
  const random = seededRandom(seed);
  return Array.from({ length: 14 }, (_, day) => {
    const weights = weightsOf(day);
    const counts = weights.map(() => 0);
    for (let view = 0; view < views; view += 1) {
      const page = pickWeighted([...weights.keys()], (one) => weights[one] ?? 0, random) ?? 0;
      counts[page] = (counts[page] ?? 0) + 1;
    }
    const date = `2026-11-${String(day + 1).padStart(2, '0')}`;
    return { date, pages: counts.map((count) => ({ views: count, conversions: 0, revenue: 0 })) };
  });
}

const seeds = Array.from({ length: 200 }, (_, seed) => seed);

it.each<[string, number, readonly number[]]>([
  ['two pages with a dozen views a day', 12, [1, 1]],
  ['two pages with 40', 40, [1, 1]],
  ['pages of which one gets few', 60, [24, 24, 25, 25, 2]],
])('does not take %s for shares that changed', (_, views, weights) => {
  const changed = seeds.filter(
    (seed) =>
      daysLeftOut(
        daysWith(views, () => weights, seed),
        lateness,
      ).changed.length > 0,
  );
  expect(changed.length).toBeLessThanOrEqual(5);
});

it('sees the day on which shares moved from halves to two thirds', () => {
  const weightsOf = (day: number) => (day < 7 ? [1, 1] : [2, 1]);
  const seen = seeds.filter((seed) =>
    daysLeftOut(daysWith(600, weightsOf, seed), lateness).changed.includes('2026-11-08'),
  );
  expect(seen.length).toBeGreaterThan(190);
});

it('sees shares that changed at noon in few views a day, from the days before and after', () => {
  const weightsOf = (day: number) => (day < 7 ? [3, 1] : day === 7 ? [1, 1] : [1, 4]);
  const seen = seeds.filter((seed) =>
    daysLeftOut(daysWith(36, weightsOf, seed), lateness).changed.some(
      (day) => day === '2026-11-08' || day === '2026-11-09',
    ),
  );
  expect(seen.length).toBeGreaterThan(190);
});
