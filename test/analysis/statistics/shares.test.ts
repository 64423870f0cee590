import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stepTowards, thompsonShares } from '../../../src/analysis/statistics/shares.ts';

const weights = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 20 });

test('shares are whole, sum to 100, and follow the probability to be best', () => {
  fc.assert(
    fc.property(weights, (raw) => {
      const total = raw.reduce((sum, weight) => sum + weight, 0);
      fc.pre(total > 1e-6);
      const probabilities = raw.map((weight) => weight / total);
      const shares = thompsonShares(probabilities);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(100);
      for (const [page, share] of shares.entries()) {
        expect(Number.isInteger(share)).toBe(true);
        expect(share).toBeGreaterThanOrEqual(1);
        for (const [other, otherShare] of shares.entries()) {
          if ((probabilities[page] ?? 0) > (probabilities[other] ?? 0))
            expect(share).toBeGreaterThanOrEqual(otherShare);
        }
      }
    }),
    { seed: 4, numRuns: 200 },
  );
});

test('the floor of a page shrinks with certainty, and with the number of pages', () => {
  expect(thompsonShares([0.999, 0.001])).toEqual([96, 4]);
  expect(thompsonShares([0.8, 0.2])).toEqual([74, 26]);
  expect(thompsonShares([0.5, 0.5, 0])).toEqual([48, 47, 5]);
  expect(thompsonShares([0.997, 0.001, 0.001, 0.001])).toEqual([97, 1, 1, 1]);
});

test('without a verdict a page gives up traffic only as far as the evidence against it goes', () => {
  expect(stepTowards([40, 40, 20], [6, 92, 2], [0.5, 0, 0.1])).toEqual([23, 59, 18]);
  expect(stepTowards([40, 40, 20], [6, 92, 2], [1, 0, 1])).toEqual([6, 92, 2]);
  expect(stepTowards([40, 40, 20], [6, 92, 2], [0, 0, 0])).toEqual([40, 40, 20]);
  expect(stepTowards([96, 4], [74, 26], [0, 0.9])).toEqual([96, 4]);
});
