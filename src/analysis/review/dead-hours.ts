/** Detectors of hours of each day in which nothing comes any more: an offer that is capped or closed, a page that is down at night. */

import { countIn, type Range } from '../change/days-of-change.ts';
import {
  expectedByHours,
  type HourlySums,
  type HoursOfDay,
  hoursThatMoved,
  hoursToMidnight,
  nameOfHours,
  sumsAroundEach,
} from '../change/hours.ts';
import { at, sum } from '../statistics/history.ts';
import {
  type CampaignHistory,
  type History,
  HourlyHistory,
  hoursOfDay,
  inHours,
  joinPair,
  reviewedDays,
  stopDays,
} from './campaign-history.ts';
import {
  chanceOfAtMost,
  type Detector,
  type Look,
  maxPart,
  minExpected,
  minExpectedOfStop,
  type PartByAge,
  perDay,
  ratio,
  type Suspicion,
  scatterOver,
  well,
} from './looks.ts';
import { scatterOfDelay, wholeOrOffers } from './money.ts';

/** It shows on so many days, against so many before. */
const [minDeadDays, minUsualDays] = [2, 3];

/** In the other hours there is at least this part of what is usual. */
const minPartOfOthers = 0.5;

/** What is missing, and of what. */
interface Rate {
  readonly page: keyof typeof inHours;
  readonly what: 'clicks' | 'sales';
  readonly of: 'views' | 'clicks';
  /** Whether it may end each day when a number is reached, and begin again at midnight. */
  readonly hasCap: boolean;
}

const sales: Rate = { page: 'offer', what: 'sales', of: 'clicks', hasCap: true };
const clicks: Rate = { page: 'landing_page', what: 'clicks', of: 'views', hasCap: false };

const measureOf = { clicks: 'clicks', sales: 'conversions' } as const;

/** Offers, or a campaign whose offers all do, that sell nothing in some hours of each day any more, most from an hour on until midnight. */
export const unsoldHours: Detector = (campaign, partIn) => lookAtPages(campaign, sales, partIn);

/** A campaign of whose visits none clicks in some hours of each day any more. */
export const unclickedHours: Detector = (campaign) =>
  lookAtPages(campaign, clicks, () => 1).filter(({ dimension }) => dimension === hoursOfDay);

/** The same of a page, whose campaign's others go on. */
export const pagesUnclickedInHours: Detector = (campaign) =>
  lookAtPages(campaign, clicks, () => 1).filter(({ dimension }) => dimension !== hoursOfDay);

function lookAtPages(campaign: CampaignHistory, rate: Rate, partIn: PartByAge): readonly Omit<Suspicion, 'kind'>[] {
  return wholeOrOffers(
    lookForHours(campaign, campaign, rate, partIn, (hours) => ({ dimension: hoursOfDay, value: hours })),
    [...(campaign.groups.get(rate.page) ?? [])].flatMap(([page, history]) =>
      lookForHours(
        history,
        campaign,
        rate,
        (age) => partIn(age, page),
        (hours) => ({
          dimension: inHours[rate.page].name,
          value: joinPair(page, hours),
        }),
      ),
    ),
  );
}

function lookForHours(
  history: History,
  { pastDays }: CampaignHistory,
  rate: Rate,
  partIn: PartByAge,
  aboutHours: (hours: string) => Required<Pick<Suspicion, 'dimension' | 'value'>>,
): Omit<Suspicion, 'kind'>[] {
  const { what, of } = rate;
  if (!(history instanceof HourlyHistory) || history.sum(0)[measureOf[what]] < 2 * minExpected) return [];
  if (history.sum(0, stopDays)[of] === 0) return [{ ...well, ...aboutHours(''), chance: 0 }];
  // It may begin on any of these days.
  const spans = pastDays + 2 - minUsualDays - minDeadDays;
  if (spans <= 0) return [];
  if (!rate.hasCap && !hasHourWithout(history, rate)) return [{ ...well, ...aboutHours('') }];
  const byDay = Array.from({ length: pastDays + 1 }, (_, index) => {
    const age = pastDays - index;
    const part = partIn(age);
    // Of the clicks those count whose sales are in.
    return { wholes: history.byHour(of, age).map((count) => count * part), parts: history.byHour(what, age) };
  });
  const sums = sumsAroundEach(byDay);
  const looks = Array.from({ length: spans }, (_, index) => {
    const days = index + minDeadDays;
    return lookAtHours(history, rate, byDay, at(sums, byDay.length - days), days, spans);
  });
  const none = looks.flatMap((look) => look.none);
  const [first] = looks
    .flatMap(({ dead }) => dead)
    .toSorted(({ look: one }, { look: other }) => one.chance - other.chance);
  if (!first) return [{ ...well, ...aboutHours(''), none }];
  return [{ ...first.look, ...aboutHours(nameOfHours(first.hours)), none }];
}

/** Whether there are hours that had none in the last days, with so much in them that this is no chance. Most pages have no such hour. */
function hasHourWithout(history: HourlyHistory, { what, of }: Rate): boolean {
  const last = Array.from({ length: minDeadDays }, (_, day) => history.byHour(what, day));
  const hours = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => last.every((day) => day[hour] === 0));
  if (hours.length === 0) return false;
  const all = history.sum(0);
  const days = Array.from({ length: reviewedDays }, (_, day) => history.byHour(of, day));
  const wholes = sum(days.map((day) => sum(hours.map((hour) => day[hour] ?? 0))));
  return wholes * ratio(all[measureOf[what]], all[of]) >= minExpectedOfStop;
}

/** The hours in which something stopped in the last days, and how likely none after each hour is by chance. */
function lookAtHours(
  history: HourlyHistory,
  { what, of, hasCap }: Rate,
  byDay: readonly HoursOfDay[],
  sums: HourlySums,
  days: number,
  spans: number,
) {
  const had = sum(sums.earlier);
  if (had < minExpected) return { none: [], dead: [] };
  const expectedByHour = expectedByHours(sums);
  const usual = history.sum(days);
  const part = ratio(sum(sums.wholes), history.sum(0, days)[of]);
  const scatter = scatterOver(days) + 1 / had + scatterOfDelay(part);
  // Hours that never had much did not stop.
  const expectedIn = (hours: Range) => {
    const [before, ofBefore] = [countAround(sums.earlier, hours), countAround(sums.earlierWholes, hours)];
    return Math.min(countAround(expectedByHour, hours), countAround(sums.wholes, hours) * ratio(before, ofBefore));
  };
  const chanceOf = (count: number, expected: number, tries: number) =>
    Math.min(chanceOfAtMost(count, expected, scatter) * spans * tries, 1);
  const lookAt = (hours: Range, expectedOfOthers: number, tries: number) => {
    const count = countAround(sums.parts, hours);
    const expected = expectedIn(hours);
    if (expected < minExpectedOfStop || count > expected * maxPart) return [];
    if (sum(sums.parts) - count < expectedOfOthers * minPartOfOthers) return [];
    const look: Look = {
      chance: chanceOf(count, expected, tries),
      age: ageOf(hours, history.hourOfNow, days, byDay),
      moneyPerDay: perDay(expected - count, days) * ratio(usual.revenue, usual[measureOf[what]]),
      figures: {
        [what]: count,
        [`expected_${what}`]: expected,
        ...(what === 'sales' ? { clicks: usual.clicks } : { visits: countAround(sums.wholes, hours) }),
        hours: 24 * days,
      },
    };
    return [{ hours, look }];
  };
  const run = longestWithout(sums, expectedByHour);
  const ofRun = run ? lookAt(run, sum(expectedByHour) - countAround(expectedByHour, run), 24) : [];
  if (!hasCap) return { none: [], dead: ofRun };
  const toMidnight = expectedToMidnight(sums, expectedByHour);
  const late = hoursToMidnight
    .map((hours) => ({ hours, expected: at(toMidnight, hours[0]) }))
    .filter(({ expected }) => expected >= minExpectedOfStop);
  const moved = mayHaveStopped(sums.parts, expectedByHour) ? hoursThatMoved(sums)?.hours : undefined;
  const longest = late.find(({ hours }) => countIn(sums.parts, hours) === 0)?.hours;
  const before = ([first]: Range) => countIn(expectedByHour, [0, first - 1]);
  return {
    none: late.map(({ expected }) => chanceOf(0, expected, 1)).filter((chance) => chance < 1),
    // Where there was none, that is one event, whichever hour it is told from; some could be of any of the hours.
    dead: [
      ...(longest ? lookAt(longest, before(longest), 1) : []),
      ...(moved ? lookAt(moved, before(moved), countIn(sums.parts, moved) === 0 ? 1 : hoursToMidnight.length) : []),
      ...ofRun,
    ],
  };
}

/** What is expected from each hour on until midnight, as of any range of hours. */
function expectedToMidnight(
  { wholes, earlier, earlierWholes }: HourlySums,
  expectedByHour: readonly number[],
): number[] {
  const expected = new Array<number>(24).fill(0);
  let [all, whole, before, ofBefore] = [0, 0, 0, 0];
  for (let hour = 23; hour > 0; hour -= 1) {
    all += at(expectedByHour, hour);
    whole += at(wholes, hour);
    before += at(earlier, hour);
    ofBefore += at(earlierWholes, hour);
    expected[hour] = Math.min(all, whole * ratio(before, ofBefore));
  }
  return expected;
}

/** Hours since some hours stopped. If it is one of them now, the oldest of these days begins within them, and the one before may have some. */
function ageOf([first, last]: Range, now: number, days: number, byDay: readonly HoursOfDay[]): number {
  const hoursAfter = (hour: number, other: number) => (((hour - other) % 24) + 24) % 24;
  const sinceFirst = hoursAfter(now, first);
  if (sinceFirst >= hoursAfter(last, first) + 1) return (days - 1) * 24 + sinceFirst;
  const { parts } = byDay[byDay.length - 1 - days] ?? { parts: [] };
  const earlier = Array.from({ length: Math.floor(sinceFirst) }, (_, index) => parts[(first + index) % 24] ?? 1);
  return days * 24 + (sum(earlier) === 0 ? sinceFirst : 0);
}

/** The sum of some hours, which may go on after midnight: 22 to 4. */
const countAround = (counts: readonly number[], [first, last]: Range): number =>
  first <= last ? countIn(counts, [first, last]) : countIn(counts, [first, 23]) + countIn(counts, [0, last]);

/** The hours in a row, around the clock, that have nothing and had most before; undefined if each hour has something, or none. */
function longestWithout({ parts, wholes }: HourlySums, expectedByHour: readonly number[]): Range | undefined {
  let [best, most]: [Range | undefined, number] = [undefined, 0];
  for (let start = 0; start < 24; start += 1) {
    if (parts[start] !== 0 || parts[(start + 23) % 24] === 0) continue;
    const hours: number[] = [];
    let expected = 0;
    for (let hour = start; parts[hour % 24] === 0; hour += 1) {
      expected += expectedByHour[hour % 24] ?? 0;
      if (wholes[hour % 24] !== 0) hours.push(hour % 24);
    }
    const [first, last] = [hours[0], hours.at(-1)];
    if (expected > most && first !== undefined && last !== undefined) [best, most] = [[first, last], expected];
  }
  return best;
}

/** Whether there is an hour after which nearly nothing came of what was expected. */
function mayHaveStopped(parts: readonly number[], expectedByHour: readonly number[]): boolean {
  let [count, expected] = [0, 0];
  for (let hour = 23; hour > 0; hour -= 1) {
    count += parts[hour] ?? 0;
    expected += expectedByHour[hour] ?? 0;
    if (expected >= minExpectedOfStop && count <= expected * maxPart) return true;
  }
  return false;
}
