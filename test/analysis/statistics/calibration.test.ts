import { expect, test } from 'vitest';
import type { Random } from '../../../src/analysis/statistics/random.ts';
import { type Outcome, payoutKinds, runCampaign, type Scenario, type TruePage } from './simulated-campaigns.ts';

const equal = (pages: number, rate: number) => (): TruePage[] =>
  Array.from({ length: pages }, () => ({ rate, payout: 10 }));

/** Rates spread evenly around one, by so much at most. */
const around = (pages: number, rate: number, by: number) => (random: Random) =>
  Array.from({ length: pages }, () => ({ rate: rate * (1 + by * (2 * random() - 1)), payout: 10 }));

const usual = { viewsPerDay: 4_000, known: 'squares', shares: 'even' } as const;

/** A claim is right if its page truly earns most. Where the best earn the same, every claim is wrong. */
const scenarios: readonly Scenario[] = [
  { ...usual, name: 'two equal pages', pages: equal(2, 0.02), payouts: payoutKinds.fixed },
  { ...usual, name: 'three equal pages, heavy payouts', pages: equal(3, 0.01), payouts: payoutKinds.lognormal },
  {
    ...usual,
    name: 'two equal pages, payouts unknown',
    pages: equal(2, 0.01),
    payouts: payoutKinds.exponential,
    known: 'sums',
  },
  {
    ...usual,
    name: 'equal earnings from many small and few large payouts',
    pages: () => [
      { rate: 0.05, payout: 4 },
      { rate: 0.005, payout: 40 },
    ],
    payouts: payoutKinds.lognormal,
  },
  { ...usual, name: 'tiny differences', pages: around(2, 0.02, 0.02), payouts: payoutKinds.exponential },
  { ...usual, name: 'rare conversions, two pages', pages: around(2, 0.002, 0.5), payouts: payoutKinds.fixed },
  {
    ...usual,
    name: 'rare conversions, six pages',
    pages: around(6, 0.002, 0.5),
    payouts: payoutKinds.exponential,
    viewsPerDay: 20_000,
  },
  { ...usual, name: 'two pages, heavy payouts', pages: around(2, 0.02, 0.25), payouts: payoutKinds.lognormal },
  { ...usual, name: 'four pages, two plans', pages: around(4, 0.03, 0.3), payouts: payoutKinds.twoPlans },
  {
    ...usual,
    name: 'three offers, heavy payouts',
    pages: (random) => [0, 1, 2].map(() => ({ rate: 0.01 * (1 + random()), payout: 5 + 10 * random() })),
    payouts: payoutKinds.lognormal,
  },
];

const days = 30;
const campaigns = 200;

function tally(outcomes: readonly Outcome[]) {
  const claims = outcomes.filter(({ claim }) => claim !== undefined);
  return { claims: claims.length, right: claims.filter(({ claim, best }) => claim === best).length };
}

test('asked every day of 2,000 campaigns, leaders are right at least 93 times in 100', { timeout: 120_000 }, () => {
  const results = scenarios.map((scenario, index) => {
    const seeds = Array.from({ length: campaigns }, (_, campaign) => index * 1_000_003 + campaign * 7_919);
    return { name: scenario.name, ...tally(seeds.map((seed) => runCampaign(scenario, days, seed))) };
  });
  const claims = results.reduce((sum, result) => sum + result.claims, 0);
  const right = results.reduce((sum, result) => sum + result.right, 0);
  // Silence would be right, too: it must not be how the promise is kept.
  expect(claims, JSON.stringify(results)).toBeGreaterThan(campaigns);
  expect(right / claims, JSON.stringify(results)).toBeGreaterThanOrEqual(0.93);
  for (const { name, claims: made, right: hits } of results) {
    expect(made - hits, `wrong in: ${name}`).toBeLessThanOrEqual(campaigns * 0.05);
  }
});

test('following the recommended shares from day to day does not make leaders of equals', { timeout: 120_000 }, () => {
  const scenario: Scenario = {
    ...usual,
    name: 'two equal pages, shares as recommended',
    pages: equal(2, 0.01),
    payouts: payoutKinds.exponential,
    shares: 'recommended',
  };
  const outcomes = Array.from({ length: 100 }, (_, campaign) => runCampaign(scenario, 20, campaign * 31));
  expect(tally(outcomes).claims).toBeLessThanOrEqual(5);
});
