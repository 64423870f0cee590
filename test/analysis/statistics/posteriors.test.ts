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
    { name: 'close together', first: { mean: 0, deviation: 0.2 }, second: { mean: 0.1, deviation: 0.3 } },
    {
      name: 'known to a different precision',
      first: { mean: 0, deviation: 0.004 },
      second: { mean: -0.3, deviation: 0.4 },
    },
    { name: 'far apart', first: { mean: 0.5, deviation: 0.1 }, second: { mean: -0.5, deviation: 0.1 } },
  ])('$name', ({ first, second }) => {
    const { chances, loss } = chancesOf([first, second], 0);
    const both = Math.hypot(first.deviation, second.deviation);
    expect(chances[0]).toBeCloseTo(normalCdf((first.mean - second.mean) / both), 2);
    expect((chances[0] ?? 0) + (chances[1] ?? 0)).toBeCloseTo(1, 9);
    // Margrabe, "The value of an option to exchange one asset for another" (1978).
    const [mean, secondMean] = [expectationOf(first), expectationOf(second)];
    const upper = (Math.log(secondMean / mean) + both ** 2 / 2) / both;
    const exact = secondMean * normalCdf(upper) - mean * normalCdf(upper - both);
    expect(Math.abs(loss - exact)).toBeLessThan(0.02 * exact + 1e-4);
  });
});

test('posteriors of pages with little data are drawn towards the others', () => {
  const much = { views: 10_000, conversions: 200, worth: 200 };
  const [known, fresh] = posteriorsOf([much, { views: 50, conversions: 3, worth: 3 }], 1, 1);
  expect(known && expectationOf(known)).toBeCloseTo(0.02, 2);
  expect(fresh && expectationOf(fresh)).toBeLessThan(0.04);
  expect(fresh?.deviation).toBeGreaterThan(3 * (known?.deviation ?? 1));
});

test('a page that lost money is expected to earn next to nothing', () => {
  const loser = { views: 1000, conversions: 30, worth: -200 };
  const { chances } = chancesOf(posteriorsOf([{ views: 1000, conversions: 40, worth: 800 }, loser], 1, 1), 0);
  expect(chances[0]).toBeGreaterThan(0.99);
});
