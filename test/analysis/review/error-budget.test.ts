import { describe, expect, it } from 'vitest';
import { sureOf } from '../../../src/analysis/review/error-budget.ts';
import { leastLikely, ofAtMost, well } from '../../../src/analysis/review/looks.ts';
import { poisson, seeded } from '../../calibrate/simulated-campaigns.ts';

const stop = (count: number, expected: number) => {
  const { isWell: _, ...look } = well;
  return { ...look, ...ofAtMost(count, expected, 0.02) };
};

describe('the error budget of a review', () => {
  it('is hardly used by looks that so many visits make sure, so that eight missing sales are told in a day', () => {
    const eight = stop(0, 8);
    const busy = Array.from({ length: 300 }, () => ({ ...well, none: stop(1, 60).none }));
    expect(sureOf([eight, ...busy])(eight)).toBe(true);
    const alike = Array.from({ length: 300 }, () => ({ ...well, none: eight.none }));
    expect(sureOf([eight, ...alike])(eight)).toBe(false);
  });

  it('counts nothing at all once, however many spans show it', () => {
    const spans = [stop(0, 8), stop(0, 12), undefined, stop(0, 20)];
    const [look] = leastLikely(spans);
    expect(look).toMatchObject({ chance: spans[3]?.chance, none: spans.flatMap((span) => span?.none ?? []) });
    const some = [stop(1, 8), stop(1, 12)];
    expect(leastLikely(some)[0]?.chance).toBe((some[1]?.chance ?? 0) * 2);
  });

  it('is not exceeded where nothing happened', () => {
    const random = seeded(1);
    let wrong = 0;
    for (let review = 0; review < 600; review += 1) {
      const looks = Array.from({ length: 60 }, (_, index) => {
        const expected = 4 + (index % 12);
        const [day, days] = [poisson(expected, random), poisson(expected, random)];
        return leastLikely([stop(day, expected), stop(day + days, 2 * expected)]);
      }).flat();
      const isSure = sureOf(looks);
      if (looks.some(isSure)) wrong += 1;
    }
    expect(wrong / 600).toBeLessThan(1 / 7);
  });
});
