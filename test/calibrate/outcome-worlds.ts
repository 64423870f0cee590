import { reviewedDays } from '../../src/analysis/account-review.ts';
import {
  addSamples,
  type ComparedDay,
  type Effect,
  effectByOthers,
  effectOverRuns,
  type Otherwise,
  type PageSample,
  type TooFew,
} from '../../src/analysis/effects.ts';
import { ExpectedSalesOf, type TimedSale } from '../../src/analysis/expected-sales.ts';
import { MovedVisits } from '../../src/analysis/moved-money.ts';
import { at, sum } from '../../src/analysis/statistics/history.ts';
import { atOnce } from '../../src/api/steps.ts';
import { laws, normal, poisson, type Random, seeded } from './simulated-campaigns.ts';

const meanPayout = 10;

interface World {
  /** Parts of the visitors before and after the change, by page. */
  readonly shares: readonly [before: readonly number[], after: readonly number[]];
  /** What each page sells of what the usual one does; by default drawn anew in each world. */
  readonly leads?: readonly number[];
  /** What a sale pays, 10 on average. */
  readonly payout?: (random: Random) => number;
  readonly visitsPerDay?: number;
  readonly rate?: number;
  /** How far the rate of a page is off on a day, of which a part lasts until the next. */
  readonly noise?: number;
  /** A factor for the rates of all pages, by day. */
  readonly season?: (day: number) => number;
  /** Hours from a visit to its sale, in the middle; default none. */
  readonly late?: number;
  /** Told so many days after the change, by how the visitors were split before, while sales are still to come. */
  readonly movedSince?: number;
  /** Shares changed after so many of the compared days, to these. */
  readonly again?: readonly (readonly [days: number, parts: readonly number[]])[];
  /** The change is of the first page's payout, by this factor, and is compared with the other pages. */
  readonly pays?: number;
}

/** One sale in so many pays so many times what the others do. */
const rare = (oneIn: number, times: number) => (random: Random) =>
  (meanPayout * oneIn * (random() < 1 / oneIn ? times : 1)) / (times + oneIn - 1);

const even = [0.5, 0.5] as const;
const weekly = (day: number) => (1 + 0.3 * Math.sin(day)) * (day % 7 > 4 ? 0.6 : 1);
const moved = { shares: [even, [0.8, 0.2]], season: weekly } as const satisfies World;
const four = {
  ...moved,
  shares: [
    [0.25, 0.25, 0.25, 0.25],
    [0.6, 0.2, 0.15, 0.05],
  ],
} as const satisfies World;

/** What a media buyer asks: two to four pages of 100 to 500 visits a day each, of which 1 to 3% buy, and other shares. */
const tried = { ...moved, shares: [[0.8, 0.2], even], payout: laws.exponential } as const satisfies World;
const triedOfFour = { ...four, shares: [four.shares[1], four.shares[0]], noise: 0.1 } as const satisfies World;
const tuned = [[5, [0.7, 0.3]] as const, [10, even] as const];

/** Shares that somebody changed in the tracker, as a review finds them. */
const elsewhere = {
  ...moved,
  payout: laws.exponential,
  noise: 0.1,
  visitsPerDay: 1200,
  late: 8,
} as const satisfies World;

/** The leads at which 0.8 of the visitors in place of half of them earn or lose a tenth of the revenue. */
const [better, worse] = [1.4545, 0.737];
const decided = { ...moved, visitsPerDay: 3500, noise: 0.1, late: 10 } as const;

export const outcomeWorlds: Readonly<Record<string, World>> = {
  'fixed payouts': moved,
  'exponential payouts': { ...moved, payout: laws.exponential },
  'lognormal payouts': { ...moved, payout: laws['lognormal (2)'] },
  'one in 100 pays 1,000': { ...moved, payout: laws['one in 100 pays 1,000'] },
  'one in 300 pays 1,000 times': { ...moved, payout: rare(300, 1000) },
  'one in 300 pays 100 times': { ...moved, payout: rare(300, 100) },
  'one in 50 pays 20 times': { ...moved, payout: rare(50, 20) },
  'one in 300 pays 1,000 times, a quarter as many': { ...moved, payout: rare(300, 1000), visitsPerDay: 500 },
  'one in 300 pays 1,000 times, half as many': { ...moved, payout: rare(300, 1000), visitsPerDay: 1000 },
  'one in 300 pays 100 times, half as many': { ...moved, payout: rare(300, 100), visitsPerDay: 1000 },
  'one in 300 pays 100 times, a quarter as many': { ...moved, payout: rare(300, 100), visitsPerDay: 500 },
  'four pages': { ...four, payout: laws.exponential },
  'one in five buys': { ...moved, rate: 0.2, visitsPerDay: 300 },
  'pages drift': { ...four, noise: 0.3 },
  'late by days': { ...moved, late: 40, noise: 0.1, visitsPerDay: 800 },
  'few visitors': { ...moved, visitsPerDay: 150 },
  'tried: 2 pages of 100, 1%': { ...tried, visitsPerDay: 200, rate: 0.01 },
  'tried: 2 pages of 200, 2%': { ...tried, visitsPerDay: 400, rate: 0.02 },
  'tried: 2 pages of 500, 3%': { ...tried, visitsPerDay: 1000, rate: 0.03 },
  'tried: 4 pages of 100, 1%': { ...triedOfFour, visitsPerDay: 400, rate: 0.01 },
  'tried: 4 pages of 300, 2%': { ...triedOfFour, visitsPerDay: 1200, rate: 0.02, payout: laws.exponential },
  'tried: 2 pages of 100, 1%, tuned twice': { ...tried, visitsPerDay: 200, rate: 0.01, again: tuned },
  'tried: 2 pages of 300, 2%, tuned twice': { ...tried, visitsPerDay: 600, rate: 0.02, again: tuned },
  'moved: 400 visits, 2%, since 7 days': { ...elsewhere, visitsPerDay: 400, movedSince: 7 },
  'moved: 1,000 visits, 3%, since 3 days': { ...elsewhere, visitsPerDay: 1000, rate: 0.03, movedSince: 3 },
  'moved: 2,000 visits, 2%, since 2 days': { ...elsewhere, visitsPerDay: 2000, movedSince: 2 },
  'moved: 2,000 visits, 2%, late by days': { ...elsewhere, visitsPerDay: 2000, late: 40, movedSince: 6 },
  'moved: 4 pages, 1,200 visits, since 10 days': { ...four, ...elsewhere, shares: four.shares, movedSince: 10 },
  'a tenth better': { ...decided, leads: [better, 1] },
  'a tenth worse': { ...decided, leads: [worse, 1] },
  'equal pages': { ...decided, leads: [1, 1] },
  'nothing to tell': { ...moved, visitsPerDay: 30 },
  'payout changed': { ...four, pays: 1.3, visitsPerDay: 4000 },
  'payout changed, pages drift': { ...four, pays: 1.3, noise: 0.2, visitsPerDay: 4000 },
};

const dayMs = 86_400_000;
const firstDay = Date.UTC(2026, 5, 1);
const compared = 14;
const learned = 28;
/** The conversion list has sales of so many days before those that are compared. */
const listed = 76;
const dayOf = (index: number) => new Date(firstDay + index * dayMs).toISOString().slice(0, 10);

interface Bought {
  readonly page: number;
  readonly day: number;
  readonly sales: readonly { readonly value: number; readonly booked: number }[];
}

/** Plays the days before and after a change, on day 28. */
function play(world: World, random: Random) {
  const {
    shares,
    payout = laws.fixed,
    visitsPerDay = 2000,
    rate = 0.02,
    noise = 0,
    season = () => 1,
    late,
    pays = 1,
    again = [],
  } = world;
  const pages = shares[0].length;
  const leads = world.leads ?? Array.from({ length: pages }, () => Math.exp(0.3 * normal(random)));
  const luck = leads.map(() => normal(random));
  const visits: number[][] = [];
  const bought: Bought[] = [];
  let [truth, live] = [0, 0];
  for (let day = 0; day < learned + compared; day += 1) {
    const isAfter = day >= learned;
    const split = again.findLast(([days]) => day >= learned + days)?.[1] ?? shares[isAfter ? 1 : 0];
    const traffic = visitsPerDay * (0.8 + 0.4 * random());
    const counts = split.map((part) => poisson(traffic * part, random));
    const all = sum(counts);
    visits.push(counts);
    for (let page = 0; page < pages; page += 1) {
      luck[page] = 0.5 * at(luck, page) + Math.sqrt(0.75) * normal(random);
      const factor = pays !== 1 && isAfter && page === 0 ? pays : 1;
      const own = Math.min(rate * season(day) * at(leads, page) * Math.exp(noise * at(luck, page)), 1);
      const count = buyersOf(at(counts, page), own, random);
      const sales = Array.from({ length: count }, () => {
        const delay = late === undefined ? 0 : late * Math.exp(normal(random));
        const booked = firstDay + (day + random()) * dayMs + delay * 3_600_000;
        return { value: payout(random) * factor, booked };
      });
      bought.push({ page, day, sales });
      if (!isAfter || day >= learned + (world.movedSince ?? compared)) continue;
      const others = poisson(all * at(shares[0], page) * own, random);
      for (let sale = 0; sale < others; sale += 1) live += payout(random);
      truth +=
        pays === 1
          ? all * (at(split, page) - at(shares[0], page)) * own * meanPayout
          : at(counts, page) * own * meanPayout * (factor - 1);
    }
  }
  const older = poisson((listed - compared) * visitsPerDay * rate, random);
  return { visits, bought, truth, live, older: Array.from({ length: older }, () => payout(random)) };
}

/** A binomial number; where few buy, that of a Poisson process. */
function buyersOf(visits: number, rate: number, random: Random): number {
  if (rate < 0.05) return Math.min(poisson(visits * rate, random), visits);
  return Array.from({ length: visits }, random).filter((chance) => chance < rate).length;
}

/** The moment from which on the sales of the compared days are in, as list_changes waits for them. */
function closedAt(bought: readonly Bought[], late: number | undefined): number {
  const end = firstDay + (learned + compared) * dayMs;
  if (late === undefined) return Number.POSITIVE_INFINITY;
  const all = bought.flatMap(({ day, page, sales }) =>
    sales.map(({ value, booked }): TimedSale => {
      return { visited: firstDay + (day + 0.5) * dayMs, booked, value, campaign: '1', offer: `${page}`, network: '' };
    }),
  );
  const days = { start: dayOf(learned), end: dayOf(learned + compared - 1) };
  for (let now = end; ; now += dayMs) {
    const listed = { from: Math.max(now - 31 * dayMs, firstDay), until: now, now };
    const known = all.filter(({ visited, booked }) => booked >= visited && booked <= now && booked >= listed.from);
    const { seen, count } = atOnce(ExpectedSalesOf.learn(known, listed)).expect(days);
    if (Math.round(count) === 0 || seen >= (seen + count) * 0.97) return now;
  }
}

const paid = (values: readonly number[], visits: number): PageSample => ({
  ...{ visits, sales: values.length, revenue: sum(values), squares: sum(values.map((value) => value ** 2)) },
});

interface Told {
  readonly told: Effect | Otherwise | TooFew;
  /** What the change brought by the rates of the pages. */
  readonly truth: number;
  /** What other visitors, as many and as good, earn with the old shares. */
  readonly live?: number;
}

function tell(world: World, random: Random): Told {
  const { visits, bought, truth, live, older } = play(world, random);
  if (world.movedSince !== undefined)
    return { truth, told: tellMoved(world, world.movedSince, visits, bought, random) };
  const closed = closedAt(bought, world.late);
  const sampleOn = (page: number, days: readonly number[]) => {
    const own = bought.filter((one) => one.page === page && days.includes(one.day)).flatMap(({ sales }) => sales);
    const values = own.filter(({ booked }) => booked <= closed).map(({ value }) => value);
    return paid(values, sum(days.map((day) => at(at(visits, day), page))));
  };
  const pages = world.shares[0].map((_, page) => page);
  const after = Array.from({ length: compared }, (_, day) => learned + day);
  if (world.pays === undefined) {
    const known = pages.map((page) => sampleOn(page, [...after.map((day) => day - compared), ...after]));
    const starts = [0, ...(world.again ?? []).map(([days]) => days), compared];
    const runs = starts.slice(1).map((end, index) => after.slice(at(starts, index), end));
    const drawn = runs.map((days) =>
      pages.map((page) => ({ page, own: sampleOn(page, days), part: at(world.shares[0], page) })),
    );
    return { truth, live, told: effectOverRuns(drawn, addSamples([...known, paid(older, 0)])) };
  }
  const compare = (day: number): ComparedDay => {
    const [own = [], others = []] = [pages.slice(0, 1), pages.slice(1)].map((some) =>
      some
        .map((page) => sampleOn(page, [day]))
        .map(({ visits: size, sales, revenue: money }) => ({ size, sales, money })),
    );
    return { own, others };
  };
  return {
    truth,
    told: effectByOthers(
      after.map((day) => compare(day - compared)),
      after.map(compare),
    ),
  };
}

/** As a review tells it: over the last 15 days, of which the last ones have the new shares. */
function tellMoved(
  { late = 0 }: World,
  since: number,
  visits: readonly (readonly number[])[],
  bought: readonly Bought[],
  random: Random,
): Effect | TooFew {
  const end = learned + since;
  const delays = Array.from({ length: 2000 }, () => random() + (late * Math.exp(normal(random))) / 24);
  const partIn = (age: number) => delays.filter((days) => days < age + 1).length / delays.length;
  const parts = Array.from({ length: reviewedDays }, (_, age) => partIn(age));
  const moved = new MovedVisits(since * 24, (age) => at(parts, age));
  for (const { page, day, sales } of bought) {
    if (day < end - reviewedDays || day >= end) continue;
    const age = (end - day - 0.5) * 24;
    const known = sales.filter(({ booked }) => booked < firstDay + end * dayMs);
    for (const { value } of known) moved.add(`${page}`, age, 1, value);
    for (let visit = known.length; visit < at(at(visits, day), page); visit += 1) moved.add(`${page}`, age, 0, 0);
  }
  const told = moved.perDay();
  if ('why' in told) return told;
  return { earned: 0, without: 0, difference: told.difference * since, low: told.low * since, high: told.high * since };
}

/** What was told in some worlds, as parts of all; `right` and `wrong` are changes that are said to have paid or cost. */
export interface MeasuredOutcomes {
  readonly refused: number;
  /** Of those that were told. */
  readonly covered: number;
  readonly right: number;
  readonly wrong: number;
  /** Of those that were told: what the other shares earn live is in its range. */
  readonly live: number;
}

export function measureOutcomes(name: string, worlds: number, firstSeed: number): MeasuredOutcomes {
  const world = outcomeWorlds[name] ?? moved;
  let [refused, covered, right, wrong, inLive] = [0, 0, 0, 0, 0];
  for (let seed = 1; seed <= worlds; seed += 1) {
    const { told, truth, live = Number.NaN } = tell(world, seeded(firstSeed + seed));
    if ('why' in told) {
      refused += 1;
      continue;
    }
    const { low, high } = told;
    if (truth >= low && truth <= high) covered += 1;
    if ('withoutLow' in told && live >= told.withoutLow && live <= told.withoutHigh) inLive += 1;
    const said = low > 0 ? 1 : high < 0 ? -1 : 0;
    if (said !== 0 && said === Math.sign(truth)) right += 1;
    else if (said !== 0) wrong += 1;
  }
  return {
    refused: refused / worlds,
    covered: covered / Math.max(worlds - refused, 1),
    right: right / worlds,
    wrong: wrong / worlds,
    live: inLive / Math.max(worlds - refused, 1),
  };
}
