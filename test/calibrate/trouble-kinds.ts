import type { Factor } from '../../src/analysis/profit-change.ts';
import type { TroubleKind } from '../../src/answer/troubles.ts';
import { type Random, seeded } from './simulated-campaigns.ts';
import { type Dimension, type Rates, simulateDays, type Traits, usual, type Visit } from './simulated-visits.ts';

/** A dimension of visits, or the hours of the day: `15-23`. */
type Trait = Dimension | 'hour';

export interface Trouble {
  readonly name: string;
  readonly change: (rates: Rates) => Partial<Rates>;
  /** The finding that review_account should have; absent if it has no kind for it. */
  readonly kind?: TroubleKind;
  /** Another kind that is as true. */
  readonly orKind?: TroubleKind;
  /** The hours of the day in which it is so; absent for all. */
  readonly hours?: readonly [first: number, last: number];
  /** A value of a dimension; absent for the whole campaign. */
  readonly of?: readonly [Trait, string];
  /** A second value, if the trouble is where both are. */
  readonly within?: readonly [Trait, string];
  /** The factor that explain_change should name first; absent if it should name none. */
  readonly factor?: Factor;
}

/** Numbers of neighbouring seeds begin alike, so they are spread: Donald Knuth, "The Art of Computer Programming" 3, 6.4. */
export const randomOf = (seed: number, use: number) => seeded(Math.imul(seed * 4 + use, 0x9e3779b1));

const reweigh = ({ weights }: Rates, name: Dimension, values: Readonly<Record<string, number>>) => ({
  weights: { ...weights, [name]: { ...weights[name], ...values } },
});

export const troubles: readonly Trouble[] = [
  { name: 'campaign gone dark', kind: 'campaign_dark', change: () => ({ visits: 0 }), factor: 'visits' },
  { name: 'sales stop', kind: 'sales_stopped', change: () => ({ saleRate: () => 0 }), factor: 'sales_per_click' },
  {
    ...{ name: 'sales of an offer stop', kind: 'sales_stopped' },
    change: ({ saleRate }) => ({ saleRate: (visit) => (visit.offer === 'Cash' ? 0 : saleRate(visit)) }),
    ...{ of: ['offer', 'Cash'], factor: 'sales_per_click' },
  },
  {
    ...{ name: 'page without clicks', kind: 'page_without_clicks' },
    change: ({ clickRate }) => ({ clickRate: (visit) => (visit.landing_page === 'Quiz' ? 0 : clickRate(visit)) }),
    ...{ of: ['landing_page', 'Quiz'], factor: 'clicks_per_visit' },
  },
  {
    ...{ name: 'cost rises fourfold', kind: 'loses_money', orKind: 'cost_rose' },
    ...{ change: () => ({ cost: () => 0.12 }), factor: 'cost_per_visit' },
  },
  {
    ...{ name: 'new placement burns', kind: 'burning_placement' },
    change: (rates) => ({
      visits: rates.visits * 1.25,
      ...reweigh(rates, 'keyword', { burner: 31 }),
      saleRate: (visit) => (visit.keyword === 'burner' ? 0 : rates.saleRate(visit)),
    }),
    ...{ of: ['keyword', 'burner'], factor: 'visits' },
  },
  {
    ...{ name: 'known placement burns', kind: 'burning_placement', orKind: 'cost_rose' },
    change: (rates) => ({
      cost: (visit) => (visit.keyword === 'site0' ? 0.2 : rates.cost(visit)),
      saleRate: (visit) => (visit.keyword === 'site0' ? 0 : rates.saleRate(visit)),
    }),
    ...{ of: ['keyword', 'site0'], factor: 'cost_per_visit' },
  },
  {
    ...{ name: 'robots from a provider', kind: 'clicks_of_no_people' },
    change: (rates) => ({
      clickRate: (visit) => (visit.isp === 'Amazon' ? 0.97 : rates.clickRate(visit)),
      saleRate: (visit) => (visit.isp === 'Amazon' ? 0 : rates.saleRate(visit)),
    }),
    ...{ of: ['isp', 'Amazon'], factor: 'sales_per_click' },
  },
  {
    ...{ name: 'payout halves', kind: 'payout_fell' },
    change: ({ payout }) => ({ payout: (visit, random) => payout(visit, random) * (visit.offer === 'Cash' ? 0.5 : 1) }),
    ...{ of: ['offer', 'Cash'], factor: 'revenue_per_sale' },
  },
  { name: 'bid rises by half', kind: 'cost_rose', change: () => ({ cost: () => 0.045 }), factor: 'cost_per_visit' },
  { name: 'cost is missing', kind: 'cost_missing', change: () => ({ cost: () => 0 }), factor: 'cost_per_visit' },
  {
    ...{ name: 'page sells a fifth', kind: 'page_behind' },
    change: ({ saleRate }) => ({ saleRate: (visit) => saleRate(visit) * (visit.landing_page === 'Story' ? 0.2 : 1) }),
    ...{ of: ['landing_page', 'Story'], factor: 'sales_per_click' },
  },
  {
    ...{ name: 'page switched off elsewhere', kind: 'changed_elsewhere' },
    change: (rates) => reweigh(rates, 'landing_page', { Quiz: 0 }),
    ...{ of: ['landing_page', 'Quiz'], factor: 'visits' },
  },
  { name: 'one very large sale', kind: 'decisive_sale', change: () => ({}), factor: 'revenue_per_sale' },
  {
    ...{ name: 'phones sell a fifth', kind: 'sales_fell', orKind: 'sales_stopped' },
    change: ({ saleRate }) => ({ saleRate: (visit) => saleRate(visit) * (visit.device === 'Phone' ? 0.2 : 1) }),
    ...{ of: ['device', 'Phone'], factor: 'sales_per_click' },
  },
  {
    ...{ name: 'page dead on phones', kind: 'page_without_clicks' },
    change: ({ clickRate }) => ({
      clickRate: (visit) => (visit.landing_page === 'Story' && visit.device === 'Phone' ? 0 : clickRate(visit)),
    }),
    ...{ of: ['landing_page', 'Story'], within: ['device', 'Phone'], factor: 'clicks_per_visit' },
  },
  {
    ...{ name: 'offer dead in a country', kind: 'sales_stopped' },
    change: ({ saleRate }) => ({
      saleRate: (visit) => (visit.offer === 'Cash' && visit.country === 'US' ? 0 : saleRate(visit)),
    }),
    ...{ of: ['offer', 'Cash'], within: ['country', 'US'], factor: 'sales_per_click' },
  },
  {
    name: 'cost of a placement rises',
    kind: 'cost_rose',
    orKind: 'burning_placement',
    ...costOf('site0', 0.2),
    of: ['keyword', 'site0'],
    factor: 'cost_per_visit',
  },
  { name: 'cost of a placement falls', ...costOf('site0', 0.003), of: ['keyword', 'site0'], factor: 'cost_per_visit' },
  {
    name: 'traffic moves to a country',
    change: (rates) => reweigh(rates, 'country', { FR: 90 }),
    ...{ of: ['country', 'FR'], factor: 'visits' },
  },
  {
    ...{ name: 'browser version sells nothing', kind: 'sales_stopped', orKind: 'sales_fell' },
    change: ({ saleRate }) => ({ saleRate: (visit) => (visit.browser === 'Chrome 130' ? 0 : saleRate(visit)) }),
    ...{ of: ['browser', 'Chrome 130'], factor: 'sales_per_click' },
  },
  {
    ...{ name: 'clicks of a placement sell nothing', kind: 'sales_stopped', orKind: 'burning_placement' },
    change: ({ saleRate }) => ({ saleRate: (visit) => (visit.keyword === 'site1' ? 0 : saleRate(visit)) }),
    ...{ of: ['keyword', 'site1'], factor: 'sales_per_click' },
  },
  {
    ...{ name: 'placement without clicks', kind: 'clicks_stopped', orKind: 'burning_placement' },
    change: ({ clickRate }) => ({ clickRate: (visit) => (visit.keyword === 'site1' ? 0 : clickRate(visit)) }),
    ...{ of: ['keyword', 'site1'], factor: 'clicks_per_visit' },
  },
  {
    ...{ name: 'cost of a country doubles', kind: 'cost_rose' },
    change: ({ cost }) => ({ cost: (visit) => cost(visit) * (visit.country === 'GB' ? 2 : 1) }),
    ...{ of: ['country', 'GB'], factor: 'cost_per_visit' },
  },
  {
    ...{ name: 'page clicks half on phones', kind: 'clicks_fell' },
    change: ({ clickRate }) => ({
      clickRate: (visit) => clickRate(visit) * (visit.landing_page === 'Story' && visit.device === 'Phone' ? 0.5 : 1),
    }),
    ...{ of: ['landing_page', 'Story'], within: ['device', 'Phone'], factor: 'clicks_per_visit' },
  },
  {
    ...{ name: 'page dead in a browser', kind: 'page_without_clicks' },
    change: ({ clickRate }) => ({
      clickRate: (visit) => (visit.landing_page === 'Story' && visit.browser === 'Samsung 27' ? 0 : clickRate(visit)),
    }),
    ...{ of: ['landing_page', 'Story'], within: ['browser', 'Samsung 27'], factor: 'clicks_per_visit' },
  },
  {
    ...{ name: 'offer pays double', kind: 'payout_rose' },
    change: ({ payout }) => ({ payout: (visit, random) => payout(visit, random) * (visit.offer === 'Gift' ? 2 : 1) }),
    ...{ of: ['offer', 'Gift'], factor: 'revenue_per_sale' },
  },
  {
    ...{ name: 'page slow in a browser', kind: 'clicks_fell' },
    change: ({ clickRate }) => ({
      clickRate: (visit) =>
        clickRate(visit) * (visit.landing_page === 'Quiz' && visit.browser === 'Safari 18' ? 2 / 3 : 1),
    }),
    ...{ of: ['landing_page', 'Quiz'], within: ['browser', 'Safari 18'], factor: 'clicks_per_visit' },
  },
  {
    ...{ name: 'robots of a provider in a placement', kind: 'clicks_of_no_people' },
    change: (rates) => ({
      clickRate: (visit) => (isFarm(visit) ? 0.97 : rates.clickRate(visit)),
      saleRate: (visit) => (isFarm(visit) ? 0 : rates.saleRate(visit)),
    }),
    ...{ of: ['isp', 'Comcast'], within: ['keyword', 'site1'], factor: 'sales_per_click' },
  },
  {
    ...{ name: 'robots of a new provider', kind: 'clicks_of_no_people', orKind: 'burning_placement' },
    change: (rates) => ({
      visits: rates.visits * 1.3,
      remake: (visit, random) =>
        random() < 0.23
          ? { ...visit, isp: 'Farm', keyword: 'site3', device: 'Desktop', browser: 'Chrome 120', country: 'US' }
          : visit,
      clickRate: (visit) => (visit.isp === 'Farm' ? 0.8 : rates.clickRate(visit)),
      saleRate: (visit) => (visit.isp === 'Farm' ? 0 : rates.saleRate(visit)),
    }),
    ...{ of: ['isp', 'Farm'], factor: 'visits' },
  },
  {
    name: 'new country sells nothing',
    change: (rates) => ({
      visits: rates.visits * 1.25,
      ...reweigh(rates, 'country', { IT: 25 }),
      saleRate: (visit) => (visit.country === 'IT' ? 0 : rates.saleRate(visit)),
    }),
    ...{ of: ['country', 'IT'], factor: 'visits' },
  },
  {
    ...{ name: 'offer capped at 15', kind: 'sales_stopped', hours: [15, 23] },
    change: ({ saleRate }) => ({ saleRate: (visit) => (visit.offer === 'Cash' ? 0 : saleRate(visit)) }),
    ...{ of: ['offer', 'Cash'], within: ['hour', '15-23'], factor: 'sales_per_click' },
  },
  {
    ...{ name: 'offer rejects more' },
    change: ({ payout }) => ({
      payout: (visit, random) => (visit.offer === 'Cash' && random() < 0.5 ? 0 : payout(visit, random)),
    }),
    ...{ of: ['offer', 'Cash'], factor: 'revenue_per_sale' },
  },
  {
    ...{ name: 'sales of an offer count twice', kind: 'sales_counted_twice' },
    change: () => ({ salesOf: ({ offer }) => (offer === 'Gift' ? 2 : 1) }),
    ...{ of: ['offer', 'Gift'], factor: 'sales_per_click' },
  },
  {
    ...{ name: 'more visits that do not sell' },
    change: (rates) => ({ visits: rates.visits * 1.7, saleRate: (visit) => rates.saleRate(visit) / 1.7 }),
    factor: 'sales_per_click',
  },
  { name: 'nothing', change: () => ({}) },
];

const isFarm = ({ isp, keyword }: Traits) => isp === 'Comcast' && keyword === 'site1';

function costOf(keyword: string, amount: number): Pick<Trouble, 'change'> {
  return { change: ({ cost }) => ({ cost: (visit) => (visit.keyword === keyword ? amount : cost(visit)) }) };
}

/** Several troubles of one campaign, that begin at once. */
export const together = (all: readonly [Trouble, ...Trouble[]]): Trouble => ({
  ...all[0],
  change: (rates) => {
    let changed = rates;
    for (const { change } of all) changed = { ...changed, ...change(changed) };
    return changed;
  },
});

/** The visits of a campaign over some days, with a trouble from an hour on. */
export function simulate(trouble: Trouble, rates: Rates, days: number, from: number, random: Random): Visit[] {
  const changed = { ...rates, ...trouble.change(rates) };
  const [first, last] = trouble.hours ?? [0, 23];
  const isChanged = (hour: number) => hour >= from && hour % 24 >= first && hour % 24 <= last;
  const visits = simulateDays(0, days, (hour) => (isChanged(hour) ? changed : rates), random);
  if (trouble.kind !== 'decisive_sale') return visits;
  const [values] = visits.filter(({ at, values }) => at >= from && values.includes('Cash')).map(({ values }) => values);
  const at = from + 0.5;
  const sale = { at, soldAt: at, clicks: 1, cost: 0.03, sales: 1, revenue: rates.visits * 0.5, values: values ?? [] };
  return [...visits, sale].sort((a, b) => a.at - b.at);
}

/** A campaign in which nothing happens; each has its size, its margin, its weekends and its payouts. */
export function quietRates(random: Random): Rates {
  const size = random();
  const cost = 0.0495 / (1.2 + random());
  const way = random();
  const pays = (mean: number, chance: Random): number => {
    if (way < 0.7) return mean;
    if (way < 0.9) return mean * (0.8 + 0.2 * Math.floor(chance() * 3));
    return -mean * Math.log(1 - chance());
  };
  return {
    ...usual,
    visits: size < 0.7 ? 200 : size < 0.9 ? 600 : 2000,
    cost: () => cost,
    payout: (visit, chance) => Math.round(pays(usual.payout(visit, chance), chance) * 100) / 100,
    weekend: 0.3 + 0.8 * random(),
  };
}
