import {
  type AccountFindings,
  CampaignHistory,
  joinPair,
  type Kind,
  pairs,
  reviewAccount,
} from '../../src/analysis/account-review.ts';
import { explainProfit, type Factor, type Group, type ProfitChange } from '../../src/analysis/profit-change.ts';
import { addListed, gathered, type SpanVisits } from '../analysis/change/visits.ts';
import { type Random, seeded } from './simulated-campaigns.ts';
import { type Dimension, dimensions, partIn, type Rates, simulateDays, usual, type Visit } from './simulated-visits.ts';

/** The dimensions of review_account that these visits have. */
const reviewed = ['landing_page', 'offer', 'keyword', 'isp'] as const;
const reviewedPairs = pairs.flatMap(({ within, ...pair }) =>
  within === 'device' || within === 'country' ? [{ ...pair, within }] : [],
);

interface Trouble {
  readonly name: string;
  readonly change: (rates: Rates) => Partial<Rates>;
  /** The finding that review_account should have; absent if it has no kind for it. */
  readonly kind?: Kind;
  /** A value of a dimension; absent for the whole campaign. */
  readonly of?: readonly [Dimension, string];
  /** A second value, if the trouble is where both are. */
  readonly within?: readonly [Dimension, string];
  /** The factor that explain_change should name; absent if it should name none. */
  readonly factor?: Factor;
}

/** Numbers of neighbouring seeds begin alike, so they are spread: Donald Knuth, "The Art of Computer Programming" 3, 6.4. */
const randomOf = (seed: number, use: number) => seeded(Math.imul(seed * 4 + use, 0x9e3779b1));

const reweigh = ({ weights }: Rates, name: Dimension, values: Readonly<Record<string, number>>) => ({
  weights: { ...weights, [name]: { ...weights[name], ...values } },
});

const troubles: readonly Trouble[] = [
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
  { name: 'cost rises fourfold', kind: 'loses_money', change: () => ({ cost: () => 0.12 }), factor: 'cost_per_visit' },
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
    ...{ name: 'known placement burns', kind: 'burning_placement' },
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
    name: 'phones sell a fifth',
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
  { name: 'cost of a placement rises', ...costOf('site0'), of: ['keyword', 'site0'], factor: 'cost_per_visit' },
  {
    name: 'traffic moves to a country',
    change: (rates) => reweigh(rates, 'country', { FR: 90 }),
    ...{ of: ['country', 'FR'], factor: 'visits' },
  },
  { name: 'nothing', change: () => ({}) },
];

function costOf(keyword: string): Pick<Trouble, 'change'> {
  return { change: ({ cost }) => ({ cost: (visit) => (visit.keyword === keyword ? 0.2 : cost(visit)) }) };
}

/** The visits of a campaign over some days, with a trouble from an hour on. */
function simulate(trouble: Trouble, rates: Rates, days: number, from: number, random: Random): Visit[] {
  const changed = { ...rates, ...trouble.change(rates) };
  const visits = simulateDays(0, days, (hour) => (hour >= from ? changed : rates), random);
  if (trouble.kind !== 'decisive_sale') return visits;
  const [values] = visits.filter(({ at, values }) => at >= from && values.includes('Cash')).map(({ values }) => values);
  const at = from + 0.5;
  const sale = { at, soldAt: at, clicks: 1, cost: 0.03, revenue: rates.visits * 0.5, values: values ?? [] };
  return [...visits, sale].sort((a, b) => a.at - b.at);
}

const placeOf = (name: Dimension) => dimensions.indexOf(name);
const places = reviewed.map(placeOf);
const pairPlaces = reviewedPairs.map(({ page, within }) => [placeOf(page), placeOf(within)] as const);

const reviewedValues = new Map<readonly string[], readonly (string | null)[]>();

function reviewedOf(values: readonly string[]): readonly (string | null)[] {
  const picked = reviewedValues.get(values) ?? [
    ...places.map((place) => values[place] || null),
    ...pairPlaces.map(([page, within]) => (values[page] ? joinPair(values[page], values[within] ?? '') : null)),
  ];
  reviewedValues.set(values, picked);
  return picked;
}

function historyAt(visits: readonly Visit[], clock: number): CampaignHistory {
  const history = new CampaignHistory([...reviewed, ...reviewedPairs.map(({ name }) => name)]);
  for (const { at, values, clicks, cost, revenue, soldAt } of visits) {
    if (at > clock) break;
    const sold = soldAt <= clock ? { conversions: 1, revenue } : { conversions: 0, revenue: 0 };
    addListed(history, { age: clock - at, values: reviewedOf(values), clicks, cost, ...sold });
  }
  return history;
}

/** A campaign in which nothing happens; each has its size, its margin, its weekends and its payouts. */
function quietRates(random: Random): Rates {
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

const byId = (histories: readonly CampaignHistory[]) => new Map(histories.map((history, id) => [String(id), history]));

/** How many hours after a trouble it is looked for; 0 is before it. */
const looks = [0, 1, 3, 6, 12, 24, 48, 72] as const;
const daysBefore = 15;

/** The looks at which review_account has the trouble, among nine quiet campaigns. */
async function lookFor(
  trouble: Trouble,
  visits: number,
  seed: number,
  others: readonly CampaignHistory[],
): Promise<boolean[]> {
  const random = randomOf(seed, 1);
  const from = daysBefore * 24 + Math.floor(random() * 7 * 24);
  const all = simulate(trouble, { ...usual, visits }, Math.ceil((from + 72) / 24), from, random);
  const { of, within } = trouble;
  const sought = of && within ? joinPair(of[1], within[1]) : of?.[1];
  const found: boolean[] = [];
  for (const hours of looks) {
    const recent = all.filter(({ at }) => at > from + hours - daysBefore * 24);
    const { findings } = await reviewAccount({ campaigns: byId([historyAt(recent, from + hours), ...others]), partIn });
    const isOfTrouble = ({ campaign, kind, value }: (typeof findings)[number]) =>
      campaign === '0' && kind === trouble.kind && value === sought;
    found.push(findings.some(isOfTrouble));
  }
  return found;
}

/** A week is compared with the one before; the trouble came three and a half days before its end. */
async function explain(trouble: Trouble, visits: number, seed: number): Promise<ProfitChange> {
  const rows = rowsOf(simulate(trouble, { ...usual, visits }, days, from, randomOf(seed, 2)));
  return explainProfit(await gathered({ dimensions: [...dimensions, 'hour'], rows }), spans);
}

/** The same over an account: the trouble is in one of several campaigns, whose values have the same names. */
async function explainAccount(trouble: Trouble, visits: number, seed: number): Promise<ProfitChange> {
  const rows = Array.from({ length: campaignCount }, (_, id) => {
    const random = randomOf(seed, 10 + id);
    const rates = { ...quietRates(random), visits };
    const own = id === 0 ? simulate(trouble, rates, days, from, random) : simulateDays(0, days, () => rates, random);
    return rowsOf(own).map(({ values, ...row }) => ({ ...row, values: [String(id), ...values] }));
  });
  const named = ['campaign', ...dimensions, 'hour'];
  return explainProfit(await gathered({ dimensions: named, rows: rows.flat() }), spans);
}

const campaignCount = 6;
const [days, from] = [14, 10.5 * 24];
const dayOf = (at: number) => `2026-11-${String(Math.floor(at / 24) + 2).padStart(2, '0')}`;
const spanOf = (first: number) => Array.from({ length: 7 }, (_, day) => dayOf((first + day) * 24));
const spans = { before: spanOf(0), after: spanOf(7) };

function rowsOf(visits: readonly Visit[]): SpanVisits['rows'] {
  return visits.map(({ at, values, clicks, cost, revenue, soldAt }) => ({
    ...{ isAfter: at >= 7 * 24, day: dayOf(at), clicks, cost },
    values: [...values.map((value) => value || null), String(Math.floor(at % 24))],
    ...(soldAt <= days * 24 ? { conversions: 1, revenue } : { conversions: 0, revenue: 0 }),
  }));
}

/** The index of the right cause in the order in which the summary names them; below 0 if it is not there. */
function indexOfCause({ of, within, factor }: Trouble, { causes, restFactors }: ProfitChange): number {
  if (factor === undefined) return causes.some(({ isSure }) => isSure) ? -1 : 0;
  if (of === undefined) return restFactors[0]?.factor === factor ? causes.length : -1;
  return causes.findIndex(
    ({ groups, alike, moved }) => moved[0] === factor && names([...groups, ...alike], of) && names(groups, within),
  );
}

function names(groups: readonly Group[], value: Trouble['of']): boolean {
  return !value || groups.some((group) => group.dimension === value[0] && group.value === value[1]);
}

/** The same over an account, where the cause must name the campaign. */
function indexInAccount({ of, within, factor }: Trouble, { causes }: ProfitChange): number {
  if (factor === undefined) return causes.some(({ isSure }) => isSure) ? -1 : 0;
  return causes.findIndex(({ groups, alike, moved }) => {
    const all = [...groups, ...alike];
    return moved[0] === factor && all.some(isTroubled) && names(all, of) && names(all, within);
  });
}

const isTroubled = ({ dimension, value }: Group) => dimension === 'campaign' && value === '0';

const percent = (some: readonly boolean[]) => `${Math.round((some.filter(Boolean).length / some.length) * 100)}%`;

function print([name = '', ...cells]: readonly string[]): void {
  console.log(name.padEnd(30) + cells.map((cell) => cell.padStart(8)).join(''));
}

const quietVisits = (rates: Rates, random: Random, days: number) => simulateDays(0, days, () => rates, random);

/** Prints how well each trouble is found in campaigns of 200 and of 2,000 visits a day. */
async function measureTroubles(seeds: number, wanted: string): Promise<void> {
  const others = Array.from({ length: 9 }, (_, id) => {
    const random = randomOf(id, 3);
    return historyAt(quietVisits(quietRates(random), random, daysBefore), daysBefore * 24);
  });
  for (const visits of [200, 2000]) {
    console.log(`\n${visits} visits a day, ${seeds} seeds`);
    print(['found after, hours', ...looks.map((hours) => (hours === 0 ? 'before' : String(hours))), 'first', 'top 3']);
    for (const trouble of troubles.filter(({ name }) => name.includes(wanted))) {
      const found: boolean[][] = [];
      const named: number[] = [];
      for (let seed = 0; seed < seeds; seed += 1) {
        if (trouble.kind) found.push(await lookFor(trouble, visits, seed, others));
        named.push(indexOfCause(trouble, await explain(trouble, visits, seed)));
      }
      print([
        trouble.name,
        ...looks.map((_, look) => (trouble.kind ? percent(found.map((some) => some[look] ?? false)) : '')),
        percent(named.map((index) => index === 0)),
        percent(named.map((index) => index >= 0 && index < 3)),
      ]);
    }
  }
}

/** Prints how often an account of quiet campaigns has a finding that was over, or not there, the day before. */
async function measureQuiet(days: number, campaigns = 500): Promise<void> {
  const accounts = Array.from({ length: campaigns }, (_, id) => {
    const random = randomOf(id, 4);
    const rates = quietRates(random);
    return { rates, random, visits: quietVisits(rates, random, daysBefore) };
  });
  const counts = new Map<string, number>();
  let before: AccountFindings | undefined;
  let lookCount = 0;
  for (let day = daysBefore; day < daysBefore + days; day += 1) {
    for (const account of accounts) {
      const { rates, random, visits } = account;
      const recent = visits.filter(({ at }) => at > (day - daysBefore) * 24 + 8);
      account.visits = [...recent, ...simulateDays(day, 1, () => rates, random)];
    }
    const clock = day * 24 + 8;
    const histories = accounts.map(({ visits }) => historyAt(visits, clock));
    const review = await reviewAccount({ campaigns: byId(histories), partIn });
    lookCount = review.looks;
    for (const { key, kind, chance, age, figures } of review.findings) {
      if (!before?.isOver(key, 0)) continue;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      console.log(day, key, chance, age, JSON.stringify(figures));
    }
    before = review;
  }
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const aWeek = ((all / days) * 7).toFixed(2);
  console.log(`${campaigns} quiet campaigns, ${days} days, ${lookCount} looks a day: ${aWeek} false findings a week`);
  for (const [kind, count] of counts) print([kind, String(count)]);
}

/** Prints how often the first cause over an account is the trouble, with its campaign, and how long an answer takes. */
async function measureAccounts(seeds: number, wanted: string): Promise<void> {
  for (const visits of [200, 1000]) {
    console.log(`\n${campaignCount} campaigns of ${visits} visits a day, ${seeds} seeds`);
    print(['', 'first', 'top 3', 'ms']);
    for (const trouble of troubles.filter(({ name }) => name.includes(wanted))) {
      const start = performance.now();
      const named: number[] = [];
      for (let seed = 0; seed < seeds; seed += 1)
        named.push(indexInAccount(trouble, await explainAccount(trouble, visits, seed)));
      print([
        trouble.name,
        percent(named.map((index) => index === 0)),
        percent(named.map((index) => index >= 0 && index < 3)),
        ((performance.now() - start) / seeds).toFixed(0),
      ]);
    }
  }
}

const [what, count, wanted = ''] = process.argv.slice(2);
if (what === 'quiet') await measureQuiet(Number(count ?? 60));
else if (what === 'accounts') await measureAccounts(Number(count ?? 20), wanted);
else await measureTroubles(Number(count ?? 50), wanted);
