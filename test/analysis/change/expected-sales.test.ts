import { describe, expect, it } from 'vitest';
import { expectSales } from '../../../src/analysis/profit-change.ts';
import { seeded } from '../../calibrate/simulated-campaigns.ts';
import { days, gathered, type SpanVisit } from './visits.ts';

/** By now a third of the sales of today's visits are in, and each day brings a third of the rest. */
const partAt = (day: string) => 1 - (2 / 3) ** (days.length - days.indexOf(day));
const known = (day: string) => ({ part: partAt(day), low: partAt(day), high: partAt(day) });

interface World {
  /** Sales a visit, by campaign. */
  readonly rates: readonly number[];
  readonly visits: number;
}

/** Visits with the sales that are in by now, and the number of sales of the later span that are not. */
function simulate({ rates, visits }: World, seed: number) {
  const random = seeded(seed);
  let missing = 0;
  const rows = rates.flatMap((rate, campaign) =>
    days.flatMap((day, index) =>
      Array.from({ length: visits }, (): SpanVisit => {
        const hasSold = random() < rate;
        const isIn = random() < partAt(day);
        if (hasSold && !isIn && index >= 7) missing += 1;
        const conversions = Number(hasSold && isIn);
        const figures = { clicks: 1, cost: 0.1, conversions, revenue: conversions * 10 * (campaign + 1) };
        return { day, isAfter: index >= 7, values: [`${campaign}`], ...figures };
      }),
    ),
  );
  return { missing, visits: gathered({ dimensions: ['campaign'], rows }) };
}

describe('expected late sales', () => {
  it.each<World>([
    { rates: [0.03], visits: 100 },
    { rates: [0.03], visits: 600 },
    { rates: [0.01, 0.05, 0.002], visits: 150 },
  ])('are in their range in 9 of 10 worlds, and right on average: %j', async (world) => {
    let [covered, expected, truth] = [0, 0, 0];
    const worlds = 150;
    for (let seed = 1; seed <= worlds; seed += 1) {
      const { missing, visits } = simulate(world, seed);
      const { count = 0, low = 0, high = 0 } = expectSales(await visits, known) ?? {};
      if (missing >= Math.floor(low) && missing <= Math.ceil(high)) covered += 1;
      expected += count;
      truth += missing;
    }
    expect(covered / worlds).toBeGreaterThan(0.85);
    expect(covered / worlds).toBeLessThanOrEqual(0.985);
    expect(expected / truth).toBeGreaterThan(0.93);
    expect(expected / truth).toBeLessThan(1.07);
  });

  it('are expected of a day without a sale too', async () => {
    const sold = (day: string) => day !== days.at(-1);
    const rows = days.flatMap((day, index) =>
      Array.from({ length: 100 }, (_, visit): SpanVisit => {
        const conversions = Number(sold(day) && visit % 25 === 0);
        return { day, isAfter: index >= 7, values: ['a'], clicks: 1, cost: 0, conversions, revenue: conversions * 10 };
      }),
    );
    const partIn = (day: string) => ({ part: sold(day) ? 1 : 0, low: sold(day) ? 1 : 0, high: sold(day) ? 1 : 0 });
    const expected = expectSales(await gathered({ dimensions: ['campaign'], rows }), partIn);
    expect(expected?.count).toBeCloseTo(4, 6);
    expect(expected?.revenue).toBeCloseTo(40, 6);
  });

  it('are not known without a single sale', async () => {
    const rows = [{ day: days[8] ?? '', isAfter: true, values: ['a'], clicks: 1, cost: 0, conversions: 0, revenue: 0 }];
    expect(expectSales(await gathered({ dimensions: ['campaign'], rows }), known)).toBeUndefined();
  });
});
