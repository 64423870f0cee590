/** Detectors of traffic trouble: visits or clicks that stopped, moved to other pages or come from robots. */

import { likelihoodOfShare } from '../statistics/entropy.ts';
import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import {
  type CampaignHistory,
  type History,
  type PartOfDay,
  pairNamed,
  partsOfDay,
  reviewedDays,
} from './campaign-history.ts';
import {
  chanceOfAtLeast,
  chanceOfAtMost,
  clickDays,
  type Detector,
  type Look,
  leastLikely,
  lookAtPages,
  lookAtValues,
  maxPart,
  minExpected,
  minExpectedOfPoor,
  minExpectedOfRobots,
  minExpectedOfStop,
  ofAtMost,
  perDay,
  ratio,
  scatterOfCounts,
  scatterOfRates,
  scatterOfVisits,
  scatterOver,
  sinceLast,
  well,
} from './looks.ts';
import { minUsualDays } from './steps.ts';

export const wentDark: Detector = (campaign, _, { isSeenUntilNow }) => {
  const { pastDays, lastVisit } = campaign;
  if (pastDays < 3) return [];
  const past = campaign.sum(1);
  if (perDay(past.views, pastDays) < minExpected) return [];
  return leastLikely(
    partsOfDay.map((hours) => {
      if (hours < 24 && !isSeenUntilNow) return undefined;
      const [now, ...before] = campaign.lastHours(hours).slice(0, pastDays + 1);
      const counts = before.map(({ views }) => views);
      const expected = Math.min(perDay(sum(counts), pastDays), usualOnWeekday(counts));
      if (!now || expected < minExpected) return undefined;
      const { views } = now;
      const chances = ofAtMost(views, expected, scatterOfCounts(counts, scatterOfVisits));
      if (views > expected * maxPart) return { ...well, none: chances.none };
      const without = views === 0 ? wholeDays(lastVisit) : 0;
      return {
        ...chances,
        age: sinceLast(views, lastVisit, hours),
        moneyPerDay: Math.max(perDay(past.revenue - past.cost, pastDays), 0),
        figures: {
          visits: views,
          usual_visits:
            without < 2 ? expected : (sum(counts.slice(without)) / Math.max(pastDays - without, 1)) * without,
          hours: without < 2 ? hours : without * 24,
        },
      };
    }),
  );
};

/** The whole days since something stopped: its time is told, rather than the hours that show it. */
const wholeDays = (hours: number): number => (Number.isFinite(hours) ? Math.floor(hours / 24) : 0);

/** The mean visits on the same weekday of earlier weeks; infinite if there is no earlier week. */
function usualOnWeekday(counts: readonly number[]): number {
  const same = counts.filter((_, index) => (index + 1) % 7 === 0);
  return same.length === 0 ? Number.POSITIVE_INFINITY : sum(same) / same.length;
}

export const pagesWithoutClicks: Detector = (campaign) => {
  const whole = campaign.sum(1);
  // A page is compared with itself on the same device, which may always click less.
  return lookAtPages(
    campaign,
    'landing_page',
    (page) => lookForClicks(page, whole),
    (part) => lookForClicks(part),
    (page, part, days) => {
      const [all, own, usual] = [page.sum(0, days), part.sum(0, days), page.sum(days)];
      return ratio(all.clicks - own.clicks, (all.views - own.views) * ratio(usual.clicks, usual.views));
    },
  );
};

/** The number of whole days up to now without a click, if there was one before; 0 if there is one in the last day. */
const daysWithoutClicks = (page: History, today: GroupFigures): number =>
  today.clicks > 0
    ? 0
    : Math.max(
        page.days.findIndex(({ clicks }) => clicks > 0),
        0,
      );

/** @param others visits that show how often people click if the page has too few of its own */
function lookForClicks(page: History, others?: GroupFigures): Look[] {
  const today = page.sum(0, 1);
  if (today.views === 0) return [{ ...well, chance: 0 }];
  const dead = daysWithoutClicks(page, today);
  // Days of the trouble do not show what is usual.
  const past = page.sum(Math.max(dead, 1));
  const usual = past.views >= minExpected ? past : others;
  if (!usual) return [];
  const spans = [
    ...partsOfDay.map((hours) => ({ hours, sums: page.recent(hours) })),
    ...(dead > 1 ? [{ hours: dead * 24, sums: page.sum(0, dead) }] : []),
  ];
  return leastLikely(
    spans.map(({ hours, sums }) => {
      if (!sums) return undefined;
      const { views, clicks } = sums;
      const expected = views * ratio(usual.clicks, usual.views);
      if (expected < minExpectedOfStop) return undefined;
      const chances = ofAtMost(clicks, expected, scatterOfRates + 1 / Math.max(usual.clicks, 1));
      if (clicks > expected * maxPart) return { ...well, none: chances.none };
      return {
        ...chances,
        age: sinceLast(clicks, Math.min(page.lastClick, page.firstVisit), hours),
        moneyPerDay: today.views * ratio(usual.revenue, usual.views),
        figures: { visits: views, clicks, expected_clicks: expected, hours },
      };
    }),
  );
}

/** Humans do not click this often. */
const robotRate = 0.8;

/** Clicks are far above the usual ones from this factor on. They prove nothing alone: sales must be missing as well. */
const minTimesUsual = 1.5;

/** The chance of both of two independent things, each by its own chance: R. A. Fisher's product of two. */
function chanceOfBoth(one: number, other: number): number {
  const product = Math.max(one * other, Number.MIN_VALUE);
  return product * (1 - Math.log(product));
}

/** Some last days, and the visits of the campaign in them. */
interface RobotSpan {
  readonly days: number;
  readonly whole: GroupFigures;
}

/** A value whose visits click far more than the campaign's others on the same days, and buy nothing where those buy. */
function lookForPoorClicks(
  campaign: History,
  history: History,
  { days, whole }: RobotSpan,
  own: GroupFigures,
): Look | undefined {
  const rest = {
    views: whole.views - own.views,
    clicks: whole.clicks - own.clicks,
    conversions: whole.conversions - own.conversions,
  };
  if (rest.conversions === 0) return undefined;
  const usualClicks = own.views * ratio(rest.clicks, rest.views);
  const expected = own.clicks * ratio(rest.conversions, rest.clicks);
  if (expected < minExpectedOfPoor) return undefined;
  if (own.clicks < minTimesUsual * usualClicks || own.conversions > expected * maxPart) return well;
  const chanceOfClicks = chanceOfAtLeast(own.clicks, usualClicks, scatterOfRates + 1 / Math.max(rest.clicks, 1));
  const chanceOfSales = chanceOfAtMost(own.conversions, expected, scatterOver(days) + 1 / rest.conversions);
  return {
    chance: chanceOfBoth(chanceOfClicks, chanceOfSales),
    age: sinceLikeNow(campaign, history, days),
    moneyPerDay: perDay(own.cost, Math.min(days, Math.ceil(history.firstVisit / 24))),
    figures: { clicks: own.clicks, visits: own.views, sales: own.conversions, expected_sales: expected },
  };
}

/** A value whose visits came or grew since a day, and hardly click: such growth is bought or sent, not people who got tired of a page. */
function lookForNoClicks(
  campaign: CampaignHistory,
  history: History,
  { days, whole }: RobotSpan,
  own: GroupFigures,
): Look | undefined {
  if (campaign.pastDays < days + minUsualDays) return undefined;
  const rest = { views: whole.views - own.views, clicks: whole.clicks - own.clicks };
  const expected = own.views * ratio(rest.clicks, rest.views);
  const usual = perDay(history.sum(days).views, campaign.pastDays + 1 - days);
  if (expected < minExpected || own.views < minTimesGrown * usual * days) return undefined;
  if (own.clicks > expected * maxPart) return undefined;
  return {
    chance: chanceOfAtMost(own.clicks, expected, scatterOver(days) + 1 / rest.clicks),
    age: sinceLikeNow(campaign, history, days),
    moneyPerDay: perDay(own.cost, Math.min(days, Math.ceil(history.firstVisit / 24))),
    figures: {
      clicks: own.clicks,
      visits: own.views,
      sales: own.conversions,
      expected_sales: own.views * ratio(whole.conversions - own.conversions, rest.views),
    },
  };
}

/** Visits of robots that do not click come by the hundred where few came before. */
const minTimesGrown = 3;

/** Hours since a value clicks as it does now: from the first of the last days on that are nearer to its rate than to the usual one. */
function sinceLikeNow(campaign: History, history: History, days: number): number {
  const [whole, own] = [campaign.sum(0, days), history.sum(0, days)];
  const [rate, usual] = [ratio(own.clicks, own.views), ratio(whole.clicks - own.clicks, whole.views - own.views)];
  const isLikeOthers = (own: number) => Math.abs(own - rate) > Math.abs(own - usual);
  const other = history.days.findIndex(({ views, clicks }) => views > 0 && isLikeOthers(clicks / views));
  return Math.min((other <= 0 ? reviewedDays : other) * 24, history.firstVisit);
}

/** A value whose visits click like robots and do not buy. */
export const robotClicks: Detector = (campaign) => {
  const all = campaign.sum(0);
  const spans = clickDays.map((days) => ({ days, whole: campaign.sum(0, days) }));
  const lookAt = (history: History, dimension: string, span: RobotSpan): Look | undefined => {
    const { days } = span;
    const sums = history.sum(0, days);
    const unclicked = dimension === 'landing_page' ? undefined : lookForNoClicks(campaign, history, span, sums);
    if (unclicked) return unclicked;
    // Most values have few clicks, and none lately.
    if (history.lastClick >= days * 24) return undefined;
    const rest = {
      clicks: all.clicks - sums.clicks,
      views: all.views - sums.views,
      conversions: all.conversions - sums.conversions,
    };
    const [rate, usualRate] = [ratio(sums.clicks, sums.views), ratio(rest.clicks, rest.views)];
    const expected = sums.clicks * ratio(rest.conversions, rest.clicks);
    const isRobotic = rate >= robotRate && rate >= 2 * usualRate;
    const poor =
      isRobotic || dimension === 'landing_page' ? undefined : lookForPoorClicks(campaign, history, span, sums);
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
  };
  const dimensions = [...campaign.groups.keys()].filter((dimension) => dimension !== 'offer' && !pairNamed(dimension));
  return lookAtValues(campaign, dimensions, (history, _, dimension) =>
    leastLikely(spans.map((span) => lookAt(history, dimension, span))),
  );
};

/** The scatter of pages' shares from day to day, beyond chance. */
const shareScatter = 0.1;

/** Whether a page has again about the share that it had on its best day. Days after a change pull the mean down with them. */
function isShareBack(allOfDays: readonly number[], page: History): boolean {
  const shares = page.days.map(({ views }, age) => {
    const all = at(allOfDays, age);
    return all < minVisitsOfShare ? 0 : views / all;
  });
  const [now = 0] = shares;
  return now > 0 && now >= 0.75 * Math.max(...shares);
}

/** With fewer visits, shares are chance. */
const minVisitsOfShare = 50;

/** The traffic of a page or offer suddenly went to others, as happens if someone changes shares. */
export const changedElsewhere: Detector = (campaign) => {
  if (campaign.pastDays < 3 || campaign.sum(0, 1).views < minVisitsOfShare) return [];
  const pages = lookForShares(campaign, 'landing_page');
  const haveMoved = pages.some(({ isWell, chance }) => !isWell && chance <= maxChanceOfMoved);
  // The offers of a page follow its traffic.
  return haveMoved ? pages : [...pages, ...lookForShares(campaign, 'offer')];
};

/** From this chance on, the traffic of a page counts as moved when that of offers is looked at. */
const maxChanceOfMoved = 1e-3;

function lookForShares(campaign: CampaignHistory, dimension: 'landing_page' | 'offer') {
  const values = [...(campaign.groups.get(dimension)?.values() ?? [])];
  const viewsOf = (hours: PartOfDay): readonly number[] =>
    dimension === 'landing_page'
      ? campaign.lastHours(hours).map(({ views }) => views)
      : campaign.days.map((_, age) => sum(values.map((value) => at(value.lastHours(hours), age).views)));
  const views = new Map(partsOfDay.map((hours) => [hours, viewsOf(hours)]));
  const viewsOfDays = views.get(24) ?? [];
  return lookAtValues(campaign, [dimension], (page) => {
    const moved = daysSinceMoved(viewsOfDays, page, campaign.pastDays);
    const { views: visitsBefore } = page.sum(moved);
    const before = ratio(visitsBefore, sum(viewsOfDays.slice(moved)));
    // The share of few days is uncertain too, and a day that was picked is one of several.
    const scatter = shareScatter ** 2 + 1 / Math.max(visitsBefore, 1);
    const picked = moved === 1 ? 1 : campaign.pastDays;
    const [today, visitsToday] = [at(viewsOfDays, 0), page.sum(0, 1).views];
    const isToday = today < minVisitsOfShare || visitsToday < (before * today) / 2;
    const spans = [
      ...partsOfDay.map((hours) => ({
        ...{ all: at(views.get(hours) ?? [], 0), visits: at(page.lastHours(hours), 0).views },
        hours: moved === 1 ? hours : moved * 24,
      })),
      // A day has fewer visits than all days since it moved, which show it better.
      ...(moved > 1 && isToday
        ? [{ all: sum(viewsOfDays.slice(0, moved)), visits: page.sum(0, moved).views, hours: moved * 24 }]
        : []),
    ];
    return leastLikely(
      spans.map(({ all, visits, hours }) => {
        const expected = before * all;
        if (all < minVisitsOfShare || expected < minExpected) return undefined;
        if (visits >= expected / 2) return isShareBack(viewsOfDays, page) ? well : undefined;
        return {
          chance: Math.min(chanceOfAtMost(visits, expected, scatter) * picked, 1),
          age: sinceLast(visits, page.lastVisit, hours),
          moneyPerDay: 0,
          figures: { percent_of_visits: ratio(visits, all) * 100, percent_before: before * 100 },
        };
      }),
    );
  });
}

/** For how many days up to now a page has another share than before: where two shares fit its visits best; at least the last day. */
function daysSinceMoved(allOfDays: readonly number[], page: History, pastDays: number): number {
  const [views, all] = [page.sum(0).views, sum(allOfDays)];
  let [moved, best, now, allNow] = [1, Number.NEGATIVE_INFINITY, 0, 0];
  for (let days = 1; days <= pastDays; days += 1) {
    now += at(page.days, days - 1).views;
    allNow += at(allOfDays, days - 1);
    const likely = likelihoodOfShare(now, allNow) + likelihoodOfShare(views - now, all - allNow);
    if (likely > best) [moved, best] = [days, likely];
  }
  return moved;
}
