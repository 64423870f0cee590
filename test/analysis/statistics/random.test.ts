import { expect, test } from 'vitest';
import { drawBeta, drawGamma, drawNormal, type Random, seededRandom } from '../../../src/analysis/statistics/random.ts';

const count = 100_000;

test('the same seed gives the same numbers, another seed others', () => {
  const numbers = (seed: number) => Array.from({ length: 100 }, seededRandom(seed));
  expect(numbers(7)).toEqual(numbers(7));
  expect(numbers(7)).not.toEqual(numbers(8));
});

test('numbers lie between 0 and 1, evenly', () => {
  const bins = new Array<number>(20).fill(0);
  const random = seededRandom(1);
  for (let draw = 0; draw < count; draw += 1) {
    const bin = Math.floor(random() * 20);
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  const expected = count / 20;
  const chiSquare = bins.reduce((sum, bin) => sum + (bin - expected) ** 2 / expected, 0);
  // 99.9% of a chi-square of 19 degrees of freedom lies below.
  expect(chiSquare).toBeLessThan(43.8);
});

interface Distribution {
  readonly name: string;
  readonly draw: (random: Random) => number;
  readonly mean: number;
  readonly variance: number;
}

const gamma = (shape: number): Distribution => ({
  name: `Gamma(${shape}, 1)`,
  draw: (random) => drawGamma(shape, random),
  mean: shape,
  variance: shape,
});

const beta = (alpha: number, other: number): Distribution => ({
  name: `Beta(${alpha}, ${other})`,
  draw: (random) => drawBeta(alpha, other, random),
  mean: alpha / (alpha + other),
  variance: (alpha * other) / ((alpha + other) ** 2 * (alpha + other + 1)),
});

test.each([
  { name: 'the standard normal', draw: drawNormal, mean: 0, variance: 1 },
  ...[0.3, 1, 2.5, 100, 1e6].map(gamma),
  beta(1, 1),
  beta(3, 1_997),
  beta(438, 544),
])('draws from $name have its mean and variance', ({ draw, mean, variance }) => {
  const random = seededRandom(20);
  const draws = Float64Array.from({ length: count }, () => draw(random));
  const average = draws.reduce((sum, value) => sum + value, 0) / count;
  const spread = draws.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count;
  // Five standard errors of the mean; the heaviest tail here leaves the variance within 8%.
  expect(Math.abs(average - mean)).toBeLessThan(5 * Math.sqrt(variance / count));
  expect(Math.abs(spread / variance - 1)).toBeLessThan(0.08);
});
