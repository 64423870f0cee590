import { describe, expect, test } from 'vitest';
import { chancesOf, expectationOf, normalCdf, posteriorsOf } from '../../../src/analysis/statistics/posteriors.ts';

test.each([
  [0, 0.5],
  [1, 0.841344746],
  [-1.959963985, 0.025],
  [3, 0.998650102],
])('the normal distribution at %d is %d, as tables have it', (value, cumulative) => {
  expect(normalCdf(value)).toBeCloseTo(cumulative, 6);
});

describe('chances and losses agree with the closed forms of two lognormals', () => {
  test.each([
    { name: 'close together', one: { mean: 0, deviation: 0.2 }, other: { mean: 0.1, deviation: 0.3 } },
    { name: 'one far better known', one: { mean: 0, deviation: 0.004 }, other: { mean: -0.3, deviation: 0.4 } },
    { name: 'far apart', one: { mean: 0.5, deviation: 0.1 }, other: { mean: -0.5, deviation: 0.1 } },
  ])('$name', ({ one, other }) => {
    const { chances, loss } = chancesOf([one, other], 0);
    const both = Math.hypot(one.deviation, other.deviation);
    expect(chances[0]).toBeCloseTo(normalCdf((one.mean - other.mean) / both), 2);
    expect((chances[0] ?? 0) + (chances[1] ?? 0)).toBeCloseTo(1, 9);
    // Margrabe, "The value of an option to exchange one asset for another" (1978).
    const [first, second] = [expectationOf(one), expectationOf(other)];
    const upper = (Math.log(second / first) + both ** 2 / 2) / both;
    const exact = second * normalCdf(upper) - first * normalCdf(upper - both);
    expect(Math.abs(loss - exact)).toBeLessThan(0.02 * exact + 1e-4);
  });
});

test('posteriors of pages with little data are drawn towards the others', () => {
  const [known, fresh] = posteriorsOf(
    [
      { views: 10_000, conversions: 200, worth: 200 },
      { views: 50, conversions: 3, worth: 3 },
    ],
    1,
    1,
  );
  expect(known && expectationOf(known)).toBeCloseTo(0.02, 2);
  expect(fresh && expectationOf(fresh)).toBeLessThan(0.04);
  expect(fresh?.deviation).toBeGreaterThan(3 * (known?.deviation ?? 1));
});

test('a page that lost money is expected to earn next to nothing', () => {
  const posteriors = posteriorsOf(
    [
      { views: 1000, conversions: 40, worth: 800 },
      { views: 1000, conversions: 30, worth: -200 },
    ],
    1,
    1,
  );
  const { chances } = chancesOf(posteriors, 0);
  expect(chances[0]).toBeGreaterThan(0.99);
});
