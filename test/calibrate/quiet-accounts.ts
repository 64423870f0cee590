import { explainProfit } from '../../src/analysis/profit-change.ts';
import { gathered, type SpanVisits } from '../analysis/change/visits.ts';
import { percent } from './printing.ts';
import { normal, type Random } from './simulated-campaigns.ts';
import { askedAt, dayOf, dimensions, type Rates, simulateDays } from './simulated-visits.ts';
import { quietRates, randomOf } from './trouble-kinds.ts';

/** The visits of both weeks together. */
const sizes = [300, 3_000, 28_000];

/** How large the campaigns of an account are, compared with each other. */
const weights = {
  equal: () => 1,
  unequal: (random: Random) => Math.exp(1.2 * normal(random)),
} as const satisfies Record<string, (random: Random) => number>;

/** What a campaign pays for its visits: a bid of its own for each, a price of impressions that moves a little, or nothing. */
const costs = {
  'per click': (random: Random) => {
    const bid = 0.02 * Math.exp(1.3 * normal(random));
    return () => bid;
  },
  CPM: (random: Random) => {
    const price = 0.02 * Math.exp(1.3 * normal(random));
    return () => price * Math.exp(0.1 * normal(random));
  },
  none: () => () => 0,
} as const satisfies Record<string, (random: Random) => () => number>;

interface QuietKind {
  readonly size: number;
  readonly weight: keyof typeof weights;
  readonly cost: keyof typeof costs;
}

/** The causes that explain_change names as sure in an account where nothing happens. */
async function sureCauses({ size, weight, cost }: QuietKind, seed: number): Promise<string[]> {
  const random = randomOf(seed, 7);
  const { now, spans, isCompared } = askedAt(seed);
  const shares = Array.from({ length: 3 + (seed % 6) }, () => weights[weight](random));
  const all = shares.reduce((sum, one) => sum + one, 0);
  const rows = shares.flatMap((share, id): SpanVisits['rows'] => {
    const [clickRate, saleRate] = [0.3 * Math.exp(0.4 * normal(random)), 0.06 * Math.exp(0.4 * normal(random))];
    const own: Rates = {
      ...quietRates(random),
      visits: ((size / 14) * share) / all,
      cost: costs[cost](random),
      clickRate: () => clickRate,
      saleRate: () => saleRate,
    };
    const source = random() < 0.6 ? 'Push' : 'Search';
    const visits = simulateDays(0, 14, () => own, random).filter(isCompared);
    return visits.map(({ at, values, clicks, cost, sales, revenue, soldAt }) => ({
      ...{ isAfter: at >= 7 * 24, day: dayOf(at), clicks, cost },
      values: [String(id), source, ...values.map((value) => value || null), String(Math.floor(at % 24))],
      ...(soldAt <= now ? { conversions: sales, revenue } : { conversions: 0, revenue: 0 }),
    }));
  });
  const names = ['campaign', 'traffic_source', ...dimensions, 'hour'];
  const { causes } = await explainProfit(await gathered({ dimensions: names, rows }), spans);
  return (
    causes
      // What one sale did is a fact, whatever its reason.
      .filter(({ isSure, sale }) => isSure && sale === undefined)
      .map(
        ({ groups, moved }) => `${groups.map(({ dimension, value }) => `${dimension} ${value}`).join(', ')}: ${moved}`,
      )
  );
}

const accounts = Number(process.argv[3] ?? 20);
const wanted = Number(process.argv[4] ?? 0);
let [found, count] = [0, 0];
for (const size of sizes.filter((one) => wanted === 0 || one === wanted))
  for (const weight of Object.keys(weights) as (keyof typeof weights)[])
    for (const cost of Object.keys(costs) as (keyof typeof costs)[]) {
      const wrong: string[][] = [];
      for (let seed = 0; seed < accounts; seed += 1) wrong.push(await sureCauses({ size, weight, cost }, seed));
      const named = wrong.filter((causes) => causes.length > 0);
      found += named.length;
      count += accounts;
      console.log(`${size} visits, ${weight} campaigns, cost ${cost}: ${named.length} of ${accounts}`, named.flat());
    }
console.log(`a sure cause in ${percent(found / count)} of ${count} quiet accounts`);
