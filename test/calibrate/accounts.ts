import { type Finding, reviewAccount } from '../../src/analysis/account-review.ts';
import { explainProfit, type Group, type ProfitChange, profitOf } from '../../src/analysis/profit-change.ts';
import { sum } from '../../src/analysis/statistics/history.ts';
import { groupOfTrouble } from '../../src/answer/troubles.ts';
import { gathered, type SpanVisits } from '../analysis/change/visits.ts';
import { percentTrue, rowPrinter } from './printing.ts';
import { byId, historyAt, isFindingOf } from './simulated-histories.ts';
import { askedAt, dayOf, dimensions, partIn, type Rates, simulateDays, usual, type Visit } from './simulated-visits.ts';
import { quietRates, randomOf, simulate, type Trouble, together, troubles } from './trouble-kinds.ts';

const [days, from] = [14, 10.5 * 24];

/** Troubles that begin at once: in a campaign each, or all in one. */
interface Case {
  readonly name: string;
  readonly campaigns: readonly Troubles[];
}

type Troubles = readonly [Trouble, ...Trouble[]];

const named = (name: string): Trouble => {
  const trouble = troubles.find((one) => one.name === name);
  if (!trouble) throw new Error(`There is no trouble ${name}.`);
  return trouble;
};
const isMissing = { name: 'cost is missing', change: () => ({ cost: () => 0 }), factor: 'cost_per_visit' } as const;

const cases: readonly Case[] = [
  ...troubles.map((trouble) => ({ name: trouble.name, campaigns: [[trouble] as const] })),
  ...(
    [
      ['page without clicks', 'offer dead in a country'],
      ['payout halves', 'robots from a provider'],
    ] as const
  ).map(([one, other]) => ({ name: `${one} + ${other}`, campaigns: [[named(one)], [named(other)]] as const })),
  ...(
    [
      ['page without clicks', 'offer pays double'],
      ['cost of a country doubles', 'offer pays double'],
      ['offer dead in a country', 'cost of a placement falls'],
    ] as const
  ).map(([one, other]) => ({ name: `in one: ${one} + ${other}`, campaigns: [[named(one), named(other)]] as const })),
  { name: 'cost of a source is missing', campaigns: [[isMissing], [isMissing], [isMissing]] },
];

/** The money of a trouble, by how far chance moves that of the same visits. */
const wantedRatio = 3;

const isOf = ({ of, within, hours: [first, last] = [0, 23] }: Trouble, { values, at }: Visit) =>
  at % 24 >= first &&
  at % 24 < last + 1 &&
  [of, within].every((trait) => !trait || trait[0] === 'hour' || values[dimensions.indexOf(trait[0])] === trait[1]);

/** Fewer visits a day are no campaign, and more take too long: what brings too little money with the most has its ratio told. */
const [minVisits, maxVisits] = [150, 25_000];

/**
 * The visits a day at which the money of a trouble is so many times what chance moves, and the ratio that they have. What is new has no
 * visits without the trouble: chance moves as many of the others.
 */
function sizeFor(trouble: Trouble): { readonly visits: number; readonly ratio: number } {
  const visits = 1500;
  const rates = { ...usual, visits };
  const changes = [1, 2, 3].map((seed) => {
    const [calm = [], troubled = []] = [troubles.at(-1) ?? trouble, trouble].map((one) =>
      simulate(one, rates, days, from, randomOf(seed, 5)),
    );
    const [own, ownTroubled] = [calm, troubled].map((some) => some.filter((visit) => isOf(trouble, visit))) as [
      Visit[],
      Visit[],
    ];
    const late = (some: readonly Visit[]) => sum(some.filter(({ at }) => at >= from).map(profitOfVisit));
    const known = own.length > 0 ? own : calm;
    const meanSquare = sum(known.map((visit) => profitOfVisit(visit) ** 2)) / known.length;
    const chance = Math.sqrt(meanSquare * (own.length || ownTroubled.length));
    return (late(ownTroubled) - late(own)) / chance;
  });
  const usualRatio = Math.abs(sum(changes)) / changes.length;
  const wanted = visits * (wantedRatio / Math.max(usualRatio, 0.1)) ** 2;
  const size = Math.round(Math.min(Math.max(wanted, minVisits), maxVisits));
  return { visits: size, ratio: usualRatio * Math.sqrt(size / visits) };
}

const profitOfVisit = ({ revenue, cost }: Visit) => revenue - cost;

function rowsOf(visits: readonly Visit[], seed: number): SpanVisits['rows'] {
  const { now, isCompared } = askedAt(seed);
  return visits.filter(isCompared).map(({ at, values, clicks, cost, sales, revenue, soldAt }) => ({
    ...{ isAfter: at >= 7 * 24, day: dayOf(at), clicks, cost },
    values: [...values.map((value) => value || null), String(Math.floor(at % 24))],
    isRejected: sales > 0 && revenue === 0,
    ...(soldAt <= now ? { conversions: sales, revenue } : { conversions: 0, revenue: 0 }),
  }));
}

/** A week is compared with the one before; the trouble came three and a half days before its end. */
async function explain(wanted: Troubles, visits: number, seed: number): Promise<ProfitChange> {
  const rows = rowsOf(simulate(together(wanted), { ...usual, visits }, days, from, randomOf(seed, 2)), seed);
  return explainProfit(await gathered({ dimensions: [...dimensions, 'hour'], rows }), askedAt(seed).spans);
}

/** An account of four to eight campaigns, whose values have the same names. */
function simulateAccount(wanted: readonly Troubles[], visits: readonly number[], seed: number): Visit[][] {
  return Array.from({ length: 4 + (seed % 5) }, (_, id) => {
    // No two accounts have a campaign in common.
    const random = randomOf(seed * 16, 10 + id);
    const own = wanted[id];
    const size = visits[id] ?? (visits[0] ?? 0) * (0.2 + 0.8 * random());
    const rates: Rates = {
      ...quietRates(random),
      visits: size,
      ...(own ? { cost: usual.cost, payout: usual.payout } : {}),
    };
    return own ? simulate(together(own), rates, days, from, random) : simulateDays(0, days, () => rates, random);
  });
}

async function explainAccount(campaigns: readonly (readonly Visit[])[], seed: number): Promise<ProfitChange> {
  const rows = campaigns.flatMap((visits, id) =>
    rowsOf(visits, seed).map(({ values, ...row }) => ({
      ...row,
      values: [String(id), id < 3 ? 'Push' : 'Search', ...values],
    })),
  );
  return explainProfit(
    await gathered({ dimensions: ['campaign', 'traffic_source', ...dimensions, 'hour'], rows }),
    askedAt(seed).spans,
  );
}

/** Among the findings of their group, how many that are of no trouble are before the troubles; below 0 if one is not found. */
async function indexInReview(wanted: readonly Troubles[], campaigns: readonly (readonly Visit[])[]) {
  const histories = campaigns.map((visits) => historyAt(visits, days * 24));
  const { findings } = await reviewAccount({ campaigns: byId(histories), partIn });
  const sought = wanted.flatMap((own, id) => own.map((trouble) => ({ trouble, campaign: String(id) })));
  const isOfAny = (finding: Finding) => sought.some(({ trouble, campaign }) => isFindingOf(trouble, finding, campaign));
  const indexes = sought.map(({ trouble, campaign }) => {
    const found = findings.find((finding) => isFindingOf(trouble, finding, campaign));
    if (!found) return trouble.kind ? -1 : 0;
    const group = findings.filter(({ kind }) => groupOfTrouble(kind) === groupOfTrouble(found.kind));
    return group.slice(0, group.indexOf(found)).filter((finding) => !isOfAny(finding)).length;
  });
  return { index: indexes.includes(-1) ? -1 : Math.max(...indexes), findings };
}

/** The hours of an offer's cap come out a little different. */
const isAbout = (found: string | null, wanted: string) =>
  Math.abs(Number.parseInt(found ?? '', 10) - Number.parseInt(wanted, 10)) < 2;

const has = (groups: readonly Group[], value: readonly [string, string] | undefined) =>
  !value ||
  groups.some(
    (group) =>
      group.dimension === value[0] &&
      (group.value === value[1] || (group.dimension === 'hour' && isAbout(group.value, value[1]))),
  );

/** The index of the right cause in the order in which the summary names them; below 0 if it is not there. */
function indexOfCause({ of, within, factor }: Trouble, { causes, restFactors }: ProfitChange, campaign?: string) {
  if (factor === undefined) return causes.some(({ isSure }) => isSure) ? -1 : 0;
  if (of === undefined && campaign === undefined && causes.length === 0)
    return restFactors[0]?.factor === factor ? 0 : -1;
  return causes.findIndex(({ groups, alike, moved }) => {
    const all = [...groups, ...alike];
    const isCampaign = campaign === undefined || has(all, ['campaign', campaign]);
    return moved.includes(factor) && isCampaign && has(all, of) && has(all, within);
  });
}

/** The trouble begins at noon of the first one. */
const beganOn = [dayOf(from), dayOf(from + 24)];

/** Whether the first cause has the day on which the trouble began, or the day after it. */
const hasDay = ({ causes: [first] }: ProfitChange) => first?.since !== undefined && beganOn.includes(first.since);

/** Where the troubles are named: first, if they are before all else. */
function indexOfAll(wanted: readonly Troubles[], change: ProfitChange, isAccount = true): number {
  const source = change.causes.findIndex(({ groups }) => has(groups, ['traffic_source', 'Push']));
  if (wanted.length > 2 && source >= 0) return source;
  const places = wanted.flatMap((own, id) =>
    own.map((trouble) => indexOfCause(trouble, change, isAccount ? String(id) : undefined)),
  );
  return places.includes(-1) ? -1 : Math.max(...places) - places.length + 1;
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
const places = ['campaign', 'account', 'review'] as const;
print(['', 'visits', 'ratio', ...places.flatMap((place) => [place, 'top 3']), 'day', 'ms']);
for (const { name, campaigns } of cases.filter(({ name }) => name.includes(wantedName))) {
  const start = performance.now();
  const sizes = campaigns.map((own) =>
    own.map(sizeFor).reduce((one, other) => (other.visits > one.visits ? other : one)),
  );
  const visits = sizes.map((size) => size.visits);
  const found: Record<(typeof places)[number], number[]> = { campaign: [], account: [], review: [] };
  const days: boolean[] = [];
  const note = (place: (typeof places)[number], index: number, told: string) => {
    found[place].push(index);
    if (isVerbose === 'all') console.log(place, index, told);
  };
  for (let seed = Number(firstSeed); seed < Number(firstSeed) + seeds; seed += 1) {
    const [first, ...others] = campaigns;
    if (first && others.length === 0) {
      const change = await explain(first, visits[0] ?? 0, seed);
      note('campaign', indexOfAll([first], change, false), describe(change));
    }
    const account = simulateAccount(campaigns, visits, seed);
    const change = await explainAccount(account, seed);
    note('account', indexOfAll(campaigns, change), describe(change));
    if (found.account.at(-1) === 0) days.push(hasDay(change));
    if (campaigns.every((own) => own.every(({ kind }) => kind === undefined))) continue;
    const { index, findings } = await indexInReview(campaigns, account);
    note(
      'review',
      index,
      findings
        .map(({ key, value = '', moneyPerDay }) => `${key} ${value.replace('\n', '/')} ${moneyPerDay.toFixed(1)}`)
        .join(' | '),
    );
  }
  print([
    ...[name, visits.join(), sizes.map(({ ratio }) => ratio.toFixed(1)).join()],
    ...places.flatMap((place) => [
      found[place].length > 0 ? percentTrue(found[place].map((index) => index === 0)) : '',
      found[place].length > 0 ? percentTrue(found[place].map((index) => index >= 0 && index < 3)) : '',
    ]),
    percentTrue(days),
    ((performance.now() - start) / seeds).toFixed(0),
  ]);
}
