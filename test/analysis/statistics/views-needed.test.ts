import { expect, test } from 'vitest';
import { comparePages } from '../../../src/analysis/statistics/compare-pages.ts';
import { seededRandom } from '../../../src/analysis/statistics/random.ts';
import { at } from './at.ts';
import { addVisitors, claimOf, emptyTally, payoutKinds } from './simulated-campaigns.ts';

const most = 2_000_000;

interface Forecast {
  readonly median: number;
  readonly likely: number;
  /** The views it took in the end, by the recommended shares. */
  readonly actual: number;
}

/** Two pages that differ by up to 100%, asked once after 8,000 views and then run until a leader is named. */
function forecastAndWait(seed: number): Forecast | undefined {
  const random = seededRandom(seed);
  const truth = [0, 1].map(() => ({ rate: 0.02 * (0.67 + 0.67 * random()), payout: 10 }));
  const tallies = truth.map(emptyTally);
  const run = (views: number, shares: readonly number[]) => {
    for (const [index, tally] of tallies.entries()) {
      addVisitors(tally, at(truth, index), payoutKinds.exponential, (views * at(shares, index)) / 100, random);
    }
  };
  run(8_000, [50, 50]);
  const { decision, pages } = comparePages(tallies);
  if (decision.kind === 'leader') return undefined;
  const { median, likely } = decision.viewsNeeded;
  let actual = 0;
  while (actual < most && claimOf(tallies) === undefined) {
    const more = Math.max(1_000, actual * 0.1);
    run(
      more,
      pages.map(({ share }) => share),
    );
    actual += more;
  }
  return { median: median ?? most, likely: likely ?? most, actual: Math.min(actual, most) };
}

test('the views it takes are below the median in about half of the campaigns, below the likely ones in most', () => {
  const forecasts = Array.from({ length: 60 }, (_, index) => forecastAndWait(index * 101)).filter(
    (forecast) => forecast !== undefined,
  );
  const part = (hits: readonly Forecast[]) => hits.length / forecasts.length;
  expect(forecasts.length).toBeGreaterThan(40);
  const belowMedian = part(forecasts.filter(({ actual, median }) => actual <= median));
  expect(belowMedian).toBeGreaterThan(0.3);
  expect(belowMedian).toBeLessThan(0.75);
  expect(part(forecasts.filter(({ actual, likely }) => actual <= likely))).toBeGreaterThan(0.8);
});
