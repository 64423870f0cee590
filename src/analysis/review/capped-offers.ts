import { countIn, type Range } from '../change/days-of-change.ts';
import {
  expectedByHours,
  type HoursOfDay,
  hoursThatMoved,
  hoursToMidnight,
  nameOfHours,
  sumsAround,
} from '../change/hours.ts';
import { sum } from '../statistics/history.ts';
import {
  type CampaignHistory,
  type History,
  HourlyHistory,
  hoursOfDay,
  joinPair,
  offerInHours,
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

/** A cap shows on so many days, against so many before. */
const [minCappedDays, minUsualDays] = [2, 3];

/** In the other hours, what is capped sells at least this part of what is usual. */
const minPartOfOthers = 0.5;

/** Offers that sell nothing any more from an hour of each day on, as where a cap is reached, or a campaign whose offers all do: the hours by which a change is explained. */
export const cappedOffers: Detector = (campaign, partIn) =>
  wholeOrOffers(
    lookForCap(campaign, campaign, partIn, (hours) => ({ dimension: hoursOfDay, value: hours })),
    [...(campaign.groups.get('offer') ?? [])].flatMap(([offer, history]) =>
      lookForCap(history, campaign, partIn, (hours) => ({
        dimension: offerInHours.name,
        value: joinPair(offer, hours),
      })),
    ),
  );

function lookForCap(
  history: History,
  { pastDays }: CampaignHistory,
  partIn: PartByAge,
  aboutHours: (hours: string) => Required<Pick<Suspicion, 'dimension' | 'value'>>,
): Omit<Suspicion, 'kind'>[] {
  if (!(history instanceof HourlyHistory) || history.sum(0).conversions < 2 * minExpected) return [];
  if (history.sum(0, stopDays).clicks === 0) return [{ ...well, ...aboutHours(''), chance: 0 }];
  // It may begin on any of these days.
  const spans = pastDays + 2 - minUsualDays - minCappedDays;
  if (spans <= 0) return [];
  const byDay = Array.from({ length: pastDays + 1 }, (_, index) => {
    const age = pastDays - index;
    const part = partIn(age);
    // Of the clicks those count whose sales are in.
    const clicks = history.byHour('clicks', age).map((count) => count * part);
    return { clicks, sales: history.byHour('sales', age) };
  });
  const looks = Array.from({ length: spans }, (_, index) => lookAtHours(history, byDay, index + minCappedDays, spans));
  const none = looks.flatMap((look) => look.none);
  const [first] = looks
    .flatMap(({ capped }) => capped)
    .toSorted(({ look: one }, { look: other }) => one.chance - other.chance);
  if (!first) return [{ ...well, ...aboutHours(''), none }];
  return [{ ...first.look, ...aboutHours(nameOfHours(first.hours)), none }];
}

/** The hours in which an offer or campaign stopped to sell in its last days, and how likely no sale after each hour is by chance. */
function lookAtHours(history: HourlyHistory, byDay: readonly HoursOfDay[], days: number, spans: number) {
  const sums = sumsAround(byDay, byDay.length - days);
  const sold = sum(sums.earlier);
  if (sold < minExpected) return { none: [], capped: [] };
  const expectedByHour = expectedByHours(sums);
  const { clicks, conversions, revenue } = history.sum(days);
  const part = ratio(sum(sums.wholes), history.sum(0, days).clicks);
  const scatter = scatterOver(days) + 1 / sold + scatterOfDelay(part);
  // Hours that never sold much did not stop.
  const expectedIn = (hours: Range) => {
    const [before, of] = [countIn(sums.earlier, hours), countIn(sums.earlierWholes, hours)];
    return Math.min(countIn(expectedByHour, hours), countIn(sums.wholes, hours) * ratio(before, of));
  };
  const chanceOf = (sales: number, expected: number, tries: number) =>
    Math.min(chanceOfAtMost(sales, expected, scatter) * spans * tries, 1);
  const late = hoursToMidnight
    .map((hours) => ({ hours, expected: expectedIn(hours) }))
    .filter(({ expected }) => expected >= minExpectedOfStop);
  const lookAt = (hours: Range) => {
    const [first] = hours;
    const sales = countIn(sums.parts, hours);
    const [expected, others] = [expectedIn(hours), countIn(expectedByHour, [0, first - 1])];
    if (sales > expected * maxPart || sum(sums.parts) - sales < others * minPartOfOthers) return [];
    const sinceFirst = (((history.hourOfNow - first) % 24) + 24) % 24;
    const look: Look = {
      // Where none was sold, that is one event, whichever hour it is told from; some sales could be of any of the hours.
      chance: chanceOf(sales, expected, sales === 0 ? 1 : hoursToMidnight.length),
      age: (days - 1) * 24 + sinceFirst,
      moneyPerDay: perDay(expected - sales, days) * ratio(revenue, conversions),
      figures: { sales, expected_sales: expected, clicks },
    };
    return [{ hours, look }];
  };
  const moved = mayHaveStopped(sums.parts, expectedByHour) ? hoursThatMoved(sums)?.hours : undefined;
  const longest = late.find(({ hours }) => countIn(sums.parts, hours) === 0)?.hours;
  return {
    none: late.map(({ expected }) => chanceOf(0, expected, 1)).filter((chance) => chance < 1),
    capped: [...(longest ? lookAt(longest) : []), ...(moved ? lookAt(moved) : [])],
  };
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
