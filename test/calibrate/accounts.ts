import { explainProfit, type Group, type ProfitChange, profitOf } from '../../src/analysis/profit-change.ts';
import { sum } from '../../src/analysis/statistics/history.ts';
import { gathered, type SpanVisits } from '../analysis/change/visits.ts';
import { percentTrue, rowPrinter } from './printing.ts';
import { dayOf, dimensions, type Rates, simulateDays, spans, usual, type Visit } from './simulated-visits.ts';
import { quietRates, randomOf, simulate, type Trouble, troubles } from './trouble-kinds.ts';

const [days, from] = [14, 10.5 * 24];

/** A trouble that begins in one campaign, or two at once in two. */
interface Case {
  readonly name: string;
  /** Of the campaigns 0, 1 and so on. */
  readonly troubles: readonly Trouble[];
}

const named = (name: string) => troubles.find((trouble) => trouble.name === name) ?? troubles[0];
const isMissing = { name: 'cost is missing', change: () => ({ cost: () => 0 }), factor: 'cost_per_visit' } as const;

const cases: readonly Case[] = [
  ...troubles.map((trouble) => ({ name: trouble.name, troubles: [trouble] })),
  ...[
    ['page without clicks', 'offer dead in a country'],
    ['payout halves', 'robots from a provider'],
  ].map((both) => ({ name: both.join(' + '), troubles: both.flatMap((name) => named(name) ?? []) })),
  { name: 'cost of a source is missing', troubles: [isMissing, isMissing, isMissing] },
];

/** The money of a trouble, by how far chance moves that of the same visits. */
const wantedRatio = 3;

const isOf = ({ of, within }: Trouble, values: readonly string[]) =>
  [of, within].every((value) => !value || values[dimensions.indexOf(value[0])] === value[1]);

/** The visits a day at which the money of a trouble is so many times what chance moves. */
function visitsFor(trouble: Trouble): number {
  const visits = 1500;
  const profits = (some: readonly Visit[]) => {
    const own = some.filter(({ values, soldAt }) => isOf(trouble, values) && soldAt > 0);
    return own.map(({ at, revenue, cost }) => ({ at, profit: revenue - cost }));
  };
  const rates = { ...usual, visits };
  const changes = [1, 2, 3].map((seed) => {
    const [calm, troubled] = [troubles.at(-1) ?? trouble, trouble].map((one) =>
      profits(simulate(one, rates, days, from, randomOf(seed, 5))),
    );
    const late = (some = calm) => sum((some ?? []).filter(({ at }) => at >= from).map(({ profit }) => profit));
    const chance = Math.sqrt(sum((calm ?? []).map(({ profit }) => profit ** 2)));
    return (late(troubled) - late(calm)) / chance;
  });
  const ratio = Math.abs(sum(changes)) / changes.length;
  return Math.round(Math.min(Math.max(visits * (wantedRatio / Math.max(ratio, 0.1)) ** 2, 150), 8000));
}

function rowsOf(visits: readonly Visit[]): SpanVisits['rows'] {
  return visits.map(({ at, values, clicks, cost, revenue, soldAt }) => ({
    ...{ isAfter: at >= 7 * 24, day: dayOf(at), clicks, cost },
    values: [...values.map((value) => value || null), String(Math.floor(at % 24))],
    ...(soldAt <= days * 24 ? { conversions: 1, revenue } : { conversions: 0, revenue: 0 }),
  }));
}

/** A week is compared with the one before; the trouble came three and a half days before its end. */
async function explain(trouble: Trouble, visits: number, seed: number): Promise<ProfitChange> {
  const rows = rowsOf(simulate(trouble, { ...usual, visits }, days, from, randomOf(seed, 2)));
  return explainProfit(await gathered({ dimensions: [...dimensions, 'hour'], rows }), spans);
}

/** The same over an account of four to eight campaigns, whose values have the same names. */
async function explainAccount(wanted: readonly Trouble[], visits: readonly number[], seed: number) {
  const rows = Array.from({ length: 4 + (seed % 5) }, (_, id) => {
    const random = randomOf(seed, 10 + id);
    const trouble = wanted[id];
    const own = visits[id] ?? (visits[0] ?? 0) * (0.2 + 0.8 * random());
    const rates: Rates = { ...quietRates(random), visits: own };
    const some = trouble
      ? simulate(trouble, { ...rates, cost: usual.cost, payout: usual.payout }, days, from, random)
      : simulateDays(0, days, () => rates, random);
    const source = id < 3 ? 'Push' : 'Search';
    return rowsOf(some).map(({ values, ...row }) => ({ ...row, values: [String(id), source, ...values] }));
  });
  return explainProfit(
    await gathered({ dimensions: ['campaign', 'traffic_source', ...dimensions, 'hour'], rows: rows.flat() }),
    spans,
  );
}

const has = (groups: readonly Group[], value: readonly [string, string] | undefined) =>
  !value || groups.some((group) => group.dimension === value[0] && group.value === value[1]);

/** The index of the right cause in the order in which the summary names them; below 0 if it is not there. */
function indexOfCause({ of, within, factor }: Trouble, { causes, restFactors }: ProfitChange, campaign?: string) {
  if (factor === undefined) return causes.some(({ isSure }) => isSure) ? -1 : 0;
  if (of === undefined && campaign === undefined && causes.length === 0)
    return restFactors[0]?.factor === factor ? 0 : -1;
  return causes.findIndex(({ groups, alike, moved }) => {
    const all = [...groups, ...alike];
    const isCampaign = campaign === undefined || has(all, ['campaign', campaign]);
    return moved[0] === factor && isCampaign && has(all, of) && has(all, within);
  });
}

/** The trouble begins at noon of the first one. */
const beganOn = [dayOf(from), dayOf(from + 24)];

/** Whether the first cause has the day on which the trouble began, or the day after it. */
const hasDay = ({ causes: [first] }: ProfitChange) => first?.since !== undefined && beganOn.includes(first.since);

/** Where the troubles are named: first, if they are before all else. */
function indexInAccount(wanted: readonly Trouble[], change: ProfitChange): number {
  const source = change.causes.findIndex(({ groups }) => has(groups, ['traffic_source', 'Push']));
  if (wanted.length > 2 && source >= 0) return source;
  const places = wanted.map((trouble, id) => indexOfCause(trouble, change, String(id)));
  return places.includes(-1) ? -1 : Math.max(...places) - wanted.length + 1;
}

const print = rowPrinter(44, 9);

const describe = ({ causes, whole }: ProfitChange) =>
  [
    `${profitOf(whole.before).toFixed(0)} to ${profitOf(whole.after).toFixed(0)}`,
    ...causes.map(({ groups, moved, isSure }) => {
      const where = groups.map(({ dimension, value }) => `${dimension} ${value}`).join(', ');
      return `${where}: ${moved.join()}${isSure ? '' : '?'}`;
    }),
  ].join(' | ');

const seeds = Number(process.argv[3] ?? 20);
const [wantedName = '', isVerbose, firstSeed = '0'] = process.argv.slice(4);
print(['', 'visits', 'campaign', 'top 3', 'account', 'top 3', 'day', 'ms']);
for (const { name, troubles: own } of cases.filter(({ name }) => name.includes(wantedName))) {
  const start = performance.now();
  const visits = own.map(visitsFor);
  const [alone, together]: number[][] = [[], []];
  const days: boolean[] = [];
  for (let seed = Number(firstSeed); seed < Number(firstSeed) + seeds; seed += 1) {
    const [first] = own;
    if (first && own.length === 1) {
      const change = await explain(first, visits[0] ?? 0, seed);
      alone?.push(indexOfCause(first, change));
      if (isVerbose === 'all') console.log(alone?.at(-1), describe(change));
    }
    const change = await explainAccount(own, visits, seed);
    together?.push(indexInAccount(own, change));
    if (together?.at(-1) === 0) days.push(hasDay(change));
    if (isVerbose === 'all') console.log('account', together?.at(-1), describe(change));
  }
  print([
    ...[name, visits.join()],
    ...[alone, together].flatMap((places = []) => [
      places.length > 0 ? percentTrue(places.map((index) => index === 0)) : '',
      places.length > 0 ? percentTrue(places.map((index) => index >= 0 && index < 3)) : '',
    ]),
    percentTrue(days),
    ((performance.now() - start) / seeds).toFixed(0),
  ]);
}
