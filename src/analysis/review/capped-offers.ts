import { countIn, type Range } from '../change/days-of-change.ts';
import { expectedByHours, type HourlySums, hoursThatMoved, nameOfHours } from '../change/hours.ts';
import { sum } from '../statistics/history.ts';
import { joinPair, OfferHistory, offerInHours, stopDays } from './campaign-history.ts';
import {
  type Detector,
  type Look,
  maxPart,
  minExpected,
  minExpectedOfStop,
  ofAtMost,
  type PartByAge,
  perDay,
  ratio,
  scatterOver,
  well,
} from './looks.ts';
import { scatterOfDelay } from './money.ts';

/** A cap shows on so many days, against so many before. */
const [minCappedDays, minUsualDays] = [2, 3];

/** In the other hours, an offer that is capped sells at least this part of what is usual. */
const minPartOfOthers = 0.5;

/** Offers that sell nothing any more from an hour of each day on, as where a cap is reached: the hours by which a change is explained. */
export const cappedOffers: Detector = (campaign, partIn) =>
  [...(campaign.groups.get('offer') ?? [])].flatMap(([offer, history]) => {
    if (!(history instanceof OfferHistory) || history.sum(0).conversions < 2 * minExpected) return [];
    const about = { dimension: offerInHours.name, value: joinPair(offer, '') };
    if (history.sum(0, stopDays).clicks === 0) return [{ ...well, ...about, chance: 0 }];
    const spans = campaign.pastDays + 2 - minUsualDays - minCappedDays;
    const looks = Array.from({ length: Math.max(spans, 0) }, (_, index) =>
      lookAtHours(history, index + minCappedDays, campaign.pastDays, campaign.hourOfNow, partIn),
    );
    if (looks.length === 0) return [];
    const [first] = looks.flatMap((look) => look ?? []).sort((one, other) => one.look.chance - other.look.chance);
    if (!first) return [{ ...well, ...about }];
    // It may begin with any hour, on any of these days.
    const spread = (chance: number) => Math.min(chance * 23 * spans, 1);
    const { look, hours } = first;
    return [
      {
        ...look,
        ...{ chance: spread(look.chance), none: (look.none ?? []).map(spread) },
        ...{ dimension: offerInHours.name, value: joinPair(offer, nameOfHours(hours)) },
      },
    ];
  });

/** The hours in which an offer stopped to sell in its last days; undefined if there are none. */
function lookAtHours(
  history: OfferHistory,
  days: number,
  pastDays: number,
  hourOfNow: number,
  partIn: PartByAge,
): { readonly look: Look; readonly hours: Range } | undefined {
  const sumsOf = (what: 'clicks' | 'sales', from: number, to: number) => {
    const sums = new Array<number>(24).fill(0);
    for (let day = from; day < to; day += 1) {
      // Of the clicks those count whose sales are in.
      const part = what === 'clicks' ? partIn(day) : 1;
      for (const [hour, count] of history.byHour(what, day).entries()) sums[hour] = (sums[hour] ?? 0) + count * part;
    }
    return sums;
  };
  const sums: HourlySums = {
    ...{ parts: sumsOf('sales', 0, days), wholes: sumsOf('clicks', 0, days) },
    ...{ earlier: sumsOf('sales', days, pastDays + 1), earlierWholes: sumsOf('clicks', days, pastDays + 1) },
  };
  const [expectedByHour, sold] = [expectedByHours(sums), sum(sums.earlier)];
  if (sold < minExpected || !mayHaveStopped(sums.parts, expectedByHour)) return undefined;
  const [first, last] = hoursThatMoved(sums) ?? [0, 0];
  // What starts again before the day ends is no cap.
  const isUntilNight = first > 0 && countIn(sums.parts, [last + 1, 23]) === 0;
  const hours: Range = [first, 23];
  const [expected, others] = [countIn(expectedByHour, hours), countIn(expectedByHour, [0, first - 1])];
  const sales = countIn(sums.parts, hours);
  if (!isUntilNight || expected < minExpectedOfStop || sales > expected * maxPart) return undefined;
  if (sum(sums.parts) - sales < others * minPartOfOthers) return undefined;
  const { clicks, conversions, revenue } = history.sum(days);
  const part = ratio(sum(sums.wholes), history.sum(0, days).clicks);
  const scatter = scatterOver(days) + 1 / sold + scatterOfDelay(part);
  const sinceFirst = (((hourOfNow - first) % 24) + 24) % 24;
  return {
    hours,
    look: {
      ...ofAtMost(sales, expected, scatter),
      age: (days - 1) * 24 + sinceFirst,
      moneyPerDay: perDay(expected - sales, days) * ratio(revenue, conversions),
      figures: { sales, expected_sales: expected, clicks },
    },
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
