/** Visits of robots: values that click and do not buy, or came and do not click. */

import { clickInVain, comeUnclicked, maxPartOfSales, minExpectedSales } from '../change/bots.ts';
import { type GroupFigures, without } from '../visit-groups.ts';
import { type CampaignHistory, type History, pairNamed, partsOfVisitors, reviewedDays } from './campaign-history.ts';
import {
  chanceOfAtLeast,
  chanceOfAtMost,
  clickDays,
  type Detector,
  hasEnded,
  type Look,
  leastLikely,
  lookAtValues,
  maxPart,
  minExpected,
  minExpectedOfRobots,
  perDay,
  ratio,
  scatterOfRates,
  scatterOver,
  well,
} from './looks.ts';
import { minUsualDays } from './steps.ts';

/** Humans do not click this often. */
const robotRate = 0.8;

/** The chance of both of two independent things, each by its own chance: R. A. Fisher's product of two. */
function chanceOfBoth(one: number, other: number): number {
  const product = Math.max(one * other, Number.MIN_VALUE);
  return product * (1 - Math.log(product));
}

/** Some last days of a campaign, and its visits in them and in all days. */
interface RobotSpan {
  readonly campaign: CampaignHistory;
  readonly all: GroupFigures;
  readonly days: number;
  readonly whole: GroupFigures;
}

/** A value whose visits click far more than the campaign's others on the same days, and do not buy as much more: none, or less than before. */
function lookForPoorClicks(
  history: History,
  { campaign, days, whole }: RobotSpan,
  own: GroupFigures,
): Look | undefined {
  const rest = without(whole, own);
  if (rest.conversions === 0) return undefined;
  const usualClicks = own.views * ratio(rest.clicks, rest.views);
  const expected = own.clicks * ratio(rest.conversions, rest.clicks);
  if (expected < minExpectedSales) return undefined;
  const past = history.sum(days);
  const before = past.views < minExpected ? undefined : own.views * ratio(past.clicks, past.views);
  const seen = { clicks: own.clicks, usualClicks, before, sales: own.conversions, expectedSales: expected };
  if (!clickInVain(seen)) return well;
  const chanceOfClicks = chanceOfAtLeast(own.clicks, usualClicks, scatterOfRates + 1 / Math.max(rest.clicks, 1));
  const chanceOfSales = (of: number) => chanceOfAtMost(own.conversions, of, scatterOver(days) + 1 / rest.conversions);
  const isAmongPeople = own.conversions > maxPartOfSales * expected;
  // Curious people click more and buy as much as others: with robots among them, they buy less than half way up to what they click.
  const ofCurious = (expected + own.views * ratio(rest.conversions, rest.views)) / 2;
  return {
    ...(isAmongPeople
      ? { isAmongPeople, chance: Math.max(chanceOfClicks, chanceOfSales(ofCurious)) }
      : { chance: chanceOfBoth(chanceOfClicks, chanceOfSales(expected)) }),
    age: sinceLikeNow(campaign, history, days),
    moneyPerDay: perDay(own.cost, Math.min(days, Math.ceil(history.firstVisit / 24))),
    figures: { clicks: own.clicks, visits: own.views, sales: own.conversions, expected_sales: expected },
  };
}

/** A value whose visits came or grew since a day, and hardly click: such growth is bought or sent, not people who got tired of a page. */
function lookForNoClicks(history: History, { campaign, days, whole }: RobotSpan, own: GroupFigures): Look | undefined {
  if (campaign.pastDays < days + minUsualDays) return undefined;
  const rest = without(whole, own);
  const expected = own.views * ratio(rest.clicks, rest.views);
  const usual = perDay(history.sum(days).views, campaign.pastDays + 1 - days);
  if (!comeUnclicked({ visits: own.views, usualVisits: usual * days, clicks: own.clicks, usualClicks: expected }))
    return undefined;
  return {
    chance: chanceOfAtMost(own.clicks, expected, scatterOver(days) + 1 / rest.clicks),
    age: sinceLikeNow(campaign, history, days),
    moneyPerDay: perDay(own.cost, Math.min(days, Math.ceil(history.firstVisit / 24))),
    figures: {
      clicks: own.clicks,
      visits: own.views,
      sales: own.conversions,
      expected_sales: own.views * ratio(rest.conversions, rest.views),
    },
  };
}

/** Hours since a value clicks as it does now: from the first of the last days on that are nearer to its rate than to the usual one. */
function sinceLikeNow(campaign: History, history: History, days: number): number {
  const [whole, own] = [campaign.sum(0, days), history.sum(0, days)];
  const others = without(whole, own);
  const [rate, usual] = [ratio(own.clicks, own.views), ratio(others.clicks, others.views)];
  const isLikeOthers = (own: number) => Math.abs(own - rate) > Math.abs(own - usual);
  const other = history.days.findIndex(({ views, clicks }) => views > 0 && isLikeOthers(clicks / views));
  return Math.min((other <= 0 ? reviewedDays : other) * 24, history.firstVisit);
}

function lookAt(history: History, dimension: string, span: RobotSpan): Look | undefined {
  const { campaign, all, days } = span;
  const sums = history.sum(0, days);
  const unclicked = dimension === 'landing_page' ? undefined : lookForNoClicks(history, span, sums);
  if (unclicked) return unclicked;
  // Most values have few clicks, and none lately.
  if (history.lastClick >= days * 24) return undefined;
  const rest = without(all, sums);
  const [rate, usualRate] = [ratio(sums.clicks, sums.views), ratio(rest.clicks, rest.views)];
  const expected = sums.clicks * ratio(rest.conversions, rest.clicks);
  const isRobotic = rate >= robotRate && rate >= 2 * usualRate;
  const poor = isRobotic || dimension === 'landing_page' ? undefined : lookForPoorClicks(history, span, sums);
  if (poor) return poor;
  // Such a click rate is proof enough without many missing sales, except for a page that is made so that every visit clicks.
  const isSure = isRobotic && dimension !== 'landing_page' && sums.conversions <= expected * maxPart;
  if (expected < (isSure ? minExpectedOfRobots : minExpected)) return undefined;
  if (!isRobotic) return well;
  const chanceOfSales = chanceOfAtMost(sums.conversions, expected, scatterOver(days));
  const chanceOfClicks = chanceOfAtMost(sums.views - sums.clicks, sums.views * (1 - usualRate), scatterOfRates);
  return {
    chance: isSure ? Math.min(chanceOfSales, chanceOfClicks) : chanceOfSales,
    age: sinceLikeNow(campaign, history, days),
    moneyPerDay: perDay(sums.cost, days),
    figures: { clicks: sums.clicks, visits: sums.views, sales: sums.conversions, expected_sales: expected },
  };
}

/** A value whose visits click like robots and do not buy. */
export const robotClicks: Detector = (campaign) => {
  const all = campaign.sum(0);
  const spans = clickDays.map((days) => ({ campaign, all, days, whole: campaign.sum(0, days) }));
  const dimensions = [...campaign.groups.keys()].filter(
    (dimension) => dimension !== 'offer' && !pairNamed(dimension) && !partsOfVisitors.includes(dimension),
  );
  return lookAtValues(campaign, dimensions, (history, _, dimension) =>
    hasEnded(campaign, history)
      ? [{ ...well, chance: 0 }]
      : leastLikely(spans.map((span) => lookAt(history, dimension, span))),
  );
};
