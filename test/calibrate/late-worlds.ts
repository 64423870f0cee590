import { ExpectedSalesOf, type TimedSale } from '../../src/analysis/expected-sales.ts';
import { type DayVisits, trafficLevelsOf } from '../../src/analysis/traffic.ts';
import { atOnce } from '../../src/api/steps.ts';
import { type Random, seededRandom } from '../../src/sandbox/rotation/random.ts';
import { normal, poisson } from './simulated-campaigns.ts';

/** The sales that a list shows at a moment, and those that it does not show yet. Times are on the tracker's clock as if that were UTC. */
interface LateWorld {
  readonly sales: readonly TimedSale[];
  /** The visits of the campaign asked about on its last days, by days before today. */
  readonly visits: readonly DayVisits[];
  /** The campaign asked about. */
  readonly campaign: string;
  /** The first moment of the list. */
  readonly from: number;
  readonly until: number;
  readonly now: number;
  /** The days asked about, YYYY-MM-DD. */
  readonly start: string;
  readonly end: string;
  /** The sales of these days' visits that are not in. */
  readonly truth: number;
  /** The width of the range of one who knows the delays and the visits, and learns only the rate. */
  readonly knownWidth: number;
}

interface Kind {
  /** Sales a day, of all visits. */
  readonly perDay: readonly [number, number];
  /** Hours from a visit to its sale, in the middle. */
  readonly median: readonly [number, number];
  /** The deviation of its logarithm. */
  readonly spread: number;
  /** The days asked about, counted back from today. */
  readonly span: readonly [first: number, last: number];
  /** The hour at which it is asked; default any. */
  readonly hour?: number;
  /** Monday is 1; default any. */
  readonly weekday?: number;
  readonly isReportedOnWeekdays?: boolean;
  /** From so many days ago on, delays are this many times as long. */
  readonly growth?: { readonly daysAgo: number; readonly times: number };
  /** From so many days ago on, each sale comes so many hours later, as of postbacks that wait. */
  readonly heldBack?: { readonly daysAgo: number; readonly hours: number };
  /** The second of two offers has only half of the visits since so many days ago. */
  readonly newOfferDaysAgo?: number;
  /** Nothing is older. */
  readonly startedDaysAgo?: number;
  /** The factor of the traffic since some days ago, at any hour. */
  readonly traffic?: { readonly daysAgo: readonly [number, number]; readonly times: number };
  /** Traffic is this many times as much as the day before. */
  readonly growing?: number;
  /** A second campaign, which alone is asked about, started so many days ago. */
  readonly campaignDaysAgo?: number;
}

const base: Kind = { perDay: [8, 40], median: [8, 8], spread: 1, span: [6, 0] };

export const lateKinds: Readonly<Record<string, Kind>> = {
  'by hours': { ...base, median: [1, 10] },
  'by days': { ...base, median: [20, 90] },
  'by weeks': { ...base, median: [150, 300], spread: 0.7, span: [13, 0] },
  'last whole week': { ...base, median: [20, 90], span: [7, 1] },
  'a new offer': { ...base, median: [15, 60], newOfferDaysAgo: 4 },
  'all new': { ...base, median: [15, 60], startedDaysAgo: 7 },
  'reported on weekdays': { ...base, median: [3, 12], isReportedOnWeekdays: true, weekday: 1, hour: 7, span: [7, 0] },
  'days without a sale': { ...base, perDay: [0.7, 2], median: [20, 60] },
  'a day just begun': { ...base, perDay: [20, 60], median: [3, 30], span: [0, 0], hour: 9 },
  'traffic doubled': { ...base, median: [15, 60], traffic: { daysAgo: [1, 5], times: 2 } },
  'traffic fell by 60%': { ...base, median: [15, 60], traffic: { daysAgo: [1, 5], times: 0.4 } },
  'traffic fell by 80%': { ...base, median: [15, 60], traffic: { daysAgo: [1, 5], times: 0.2 } },
  'traffic grew slowly': { ...base, median: [15, 60], growing: 1.03 },
  'campaign paused': { ...base, median: [15, 60], traffic: { daysAgo: [1, 4], times: 0 } },
  'campaign started': { ...base, median: [15, 60], campaignDaysAgo: 2 },
  'by days, of two offers': { ...base, median: [15, 60], newOfferDaysAgo: 60 },
  'grown lately': { ...base, perDay: [15, 50], median: [6, 20], growth: { daysAgo: 6, times: 3 } },
  'held back lately': { ...base, perDay: [30, 80], median: [1, 10], heldBack: { daysAgo: 4, hours: 30 } },
};

const [hourMs, dayMs] = [3_600_000, 86_400_000];
const listedDays = 31;
/** The most days of known visits. */
const maxVisitDays = 28;
const saleRate = 0.02;
const olderDays = 60;
const lastDay = Date.UTC(2026, 10, 16);

const between = ([low, high]: readonly [number, number], random: Random) => low + (high - low) * random();

/** How the visits of a day are spread over its hours. */
const hourly = Array.from({ length: 24 }, (_, hour) => 1 + 0.8 * Math.sin(((hour - 9) / 24) * 2 * Math.PI));
const hourlySum = hourly.reduce((sum, one) => sum + one, 0);

/** The next moment at which a network that rests on weekends reports: Monday at 8 for all that came since Friday at 18. */
function reportedAt(moment: number): number {
  const weekHours = ((moment / hourMs + 72) % 168) % 168;
  const closing = 4 * 24 + 18;
  const opening = 7 * 24 + 8;
  const hours = weekHours < 8 ? weekHours + 168 : weekHours;
  return hours >= closing && hours < opening ? moment + (opening - hours) * hourMs : moment;
}

/** Simulates 60 days before a list of 31, whose traffic differs by hour, weekday and day. */
function simulateLateSales(name: string, seed: number): LateWorld {
  const kind = lateKinds[name] ?? base;
  const draw = seededRandom(seed);
  const random = () => draw() || Number.EPSILON;
  const weekday = kind.weekday ?? Math.floor(random() * 7);
  // 16 November 2026 is a Monday.
  const today = lastDay + ((weekday + 6) % 7) * dayMs;
  const now = today + (kind.hour ?? 1 + Math.floor(random() * 22)) * hourMs + 40 * 60_000;
  const perDay = between(kind.perDay, random);
  const median = Math.exp(between([Math.log(kind.median[0]), Math.log(kind.median[1])], random));
  const [start, end] = kind.span.map((days) => today - days * dayMs) as [number, number];
  const offers = [kind.newOfferDaysAgo, kind.campaignDaysAgo].every((days) => days === undefined)
    ? [1]
    : [1, Math.exp(0.3 * normal(random))];
  const campaign = kind.campaignDaysAgo === undefined ? '1' : '2';
  const jumped = kind.traffic && today - (between(kind.traffic.daysAgo, random) - 1) * dayMs;
  const sales: TimedSale[] = [];
  const visited: { whole: number; soFar: number }[] = [];
  const known = { toCome: 0, exposure: 0, seen: 0 };
  let truth = 0;
  for (let day = today - (listedDays + olderDays) * dayMs; day <= today; day += dayMs) {
    if (day < today - (kind.startedDaysAgo ?? Number.POSITIVE_INFINITY) * dayMs) continue;
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    const luck = (0.85 + 0.3 * random()) * (isWeekend ? 0.8 : 1);
    const ago = (today - day) / dayMs;
    const grown = kind.growth && ago < kind.growth.daysAgo ? kind.growth.times : 1;
    const slowly = (kind.growing ?? 1) ** -ago;
    const ofDay = { whole: 0, soFar: 0 };
    visited[ago] = ofDay;
    for (const [hour, part] of hourly.entries())
      for (const [offer, factor] of offers.entries()) {
        const at = day + hour * hourMs;
        const isOwn = kind.campaignDaysAgo === undefined || offer === 1;
        const isNew = kind.newOfferDaysAgo !== undefined && ago < kind.newOfferDaysAgo;
        const isStarted = offer === 0 || ago < (kind.campaignDaysAgo ?? 0);
        const share = kind.newOfferDaysAgo === undefined ? Number(isStarted) : isNew ? 0.5 : 1 - offer;
        const times = kind.traffic && at >= (jumped ?? 0) ? kind.traffic.times : 1;
        const expected = (perDay * luck * times * slowly * share * part) / hourlySum;
        const elapsed = Math.min((now - at) / hourMs, 1);
        if (share === 0) continue;
        // Visits are known, sales are a part of them by chance.
        const count = poisson(expected / saleRate, random);
        const countSoFar = at > now ? 0 : Math.round(count * elapsed);
        if (isOwn) {
          ofDay.whole += at > now ? 0 : countSoFar;
          if ((at - day) % dayMs <= now - today)
            ofDay.soFar += Math.round(count * Math.min((now - today - (at - day)) / hourMs, 1));
        }
        if (at > now) continue;
        const bookedAfter = (moment: number) => {
          const held = kind.heldBack && ago < kind.heldBack.daysAgo ? kind.heldBack.hours : 0;
          const hours = median * factor * grown * Math.exp(kind.spread * normal(random)) + held;
          const booked = moment + hours * hourMs;
          return kind.isReportedOnWeekdays ? reportedAt(booked) : booked;
        };
        const isAsked = isOwn && day >= start && day <= end;
        const sold = poisson(countSoFar * saleRate, random);
        for (let sale = 0; sale < sold; sale += 1) {
          const visit = at + random() * elapsed * hourMs;
          const booked = bookedAfter(visit);
          const of = { value: 10, campaign: isOwn ? campaign : '1', offer: `${offer}`, network: 'a' };
          if (booked <= now && booked >= today - listedDays * dayMs) sales.push({ visited: visit, booked, ...of });
          if (booked > now && isAsked) truth += 1;
        }
        if (ago > 28 || !isOwn) continue;
        const draws = 20;
        let isIn = 0;
        for (let draw = 0; draw < draws; draw += 1) if (bookedAfter(at + (elapsed * hourMs) / 2) <= now) isIn += 1;
        known.exposure += (countSoFar * saleRate * isIn) / draws;
        if (isAsked) known.toCome += countSoFar * saleRate * (1 - isIn / draws);
      }
  }
  const deviation = Math.sqrt(known.toCome + known.toCome ** 2 / Math.max(known.exposure, 1));
  return {
    sales,
    visits: Array.from({ length: maxVisitDays + 1 }, (_, ago) => visited[ago] ?? { whole: 0, soFar: 0 }),
    campaign,
    from: today - listedDays * dayMs,
    until: now,
    now,
    start: new Date(start).toISOString().slice(0, 10),
    end: new Date(end).toISOString().slice(0, 10),
    truth,
    knownWidth: 2 * 1.645 * deviation,
  };
}

/** How good the ranges are in some worlds of a kind. */
export interface MeasuredRanges {
  /** The parts of the worlds whose truth is in its range, below it, and above it. */
  readonly covered: number;
  readonly below: number;
  readonly above: number;
  /** What was expected over all worlds, by what came. */
  readonly expectedPart: number;
  /** The width of the range by that of one who knows the delays, in the middle. */
  readonly width: number;
}

/** @param visitDays of so many days before today visits are known */
export function measureLateSales(name: string, worlds: number, firstSeed: number, visitDays = 14): MeasuredRanges {
  let [below, above, expected, came] = [0, 0, 0, 0];
  const widths: number[] = [];
  for (let seed = 1; seed <= worlds; seed += 1) {
    const world = simulateLateSales(name, firstSeed + seed);
    const levels = visitDays > 0 ? trafficLevelsOf(world.visits.slice(0, visitDays + 1)) : undefined;
    const trafficOf = (campaign: string) => (campaign === world.campaign ? levels : undefined);
    const late = atOnce(ExpectedSalesOf.learn(world.sales, world, trafficOf));
    const { count, low, high } = late.expect(world, (campaign) => campaign === world.campaign);
    if (world.truth < low) below += 1;
    if (world.truth > high) above += 1;
    expected += count;
    came += world.truth;
    widths.push((high - low) / world.knownWidth);
  }
  widths.sort((one, other) => one - other);
  const [partBelow, partAbove] = [below / worlds, above / worlds];
  return {
    ...{ covered: 1 - partBelow - partAbove, below: partBelow, above: partAbove },
    expectedPart: expected / came,
    width: widths[Math.floor(worlds / 2)] ?? Number.NaN,
  };
}
