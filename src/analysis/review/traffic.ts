/** Detectors of traffic trouble: visits or clicks that stopped, moved to other pages or come from robots. */

import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type History, pairNamed, partsOfDay } from './campaign-history.ts';
import {
  chanceOfAtMost,
  type Detector,
  type Look,
  leastLikely,
  lookAtPages,
  lookAtValues,
  maxPart,
  minExpected,
  perDay,
  ratio,
  scatterOfCounts,
  scatterOfRates,
  scatterOfVisits,
  scatterOver,
  sinceLast,
  well,
} from './looks.ts';

export const wentDark: Detector = (campaign, _, { isSeenUntilNow }) => {
  const { pastDays, lastVisit } = campaign;
  if (pastDays < 3) return [];
  const past = campaign.sum(1);
  return leastLikely(
    partsOfDay.map((hours) => {
      if (hours < 24 && !isSeenUntilNow) return undefined;
      const [now, ...before] = campaign.lastHours(hours).slice(0, pastDays + 1);
      const counts = before.map(({ views }) => views);
      const expected = Math.min(perDay(sum(counts), pastDays), usualOnWeekday(counts));
      if (!now || expected < minExpected) return undefined;
      const { views } = now;
      if (views > expected * maxPart) return well;
      return {
        chance: chanceOfAtMost(views, expected, scatterOfCounts(counts, scatterOfVisits)),
        age: sinceLast(views, lastVisit, hours),
        moneyPerDay: Math.max(perDay(past.revenue - past.cost, pastDays), 0),
        figures: { visits: views, usual_visits: expected, hours },
      };
    }),
  );
};

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
const daysWithoutClicks = (page: History): number =>
  Math.max(
    page.days.findIndex(({ clicks }) => clicks > 0),
    0,
  );

/** @param others visits that show how often people click if the page has too few of its own */
function lookForClicks(page: History, others?: GroupFigures): Look[] {
  const today = at(page.days, 0);
  if (today.views === 0) return [{ ...well, chance: 0 }];
  const dead = daysWithoutClicks(page);
  // Days of the trouble do not show what is usual.
  const past = page.sum(Math.max(dead, 1));
  const usual = past.views >= minExpected ? past : others;
  if (!usual) return [];
  const spans = [
    ...partsOfDay.map((hours) => ({ hours, sums: page.lastHours(hours)[0] })),
    ...(dead > 1 ? [{ hours: dead * 24, sums: page.sum(0, dead) }] : []),
  ];
  return leastLikely(
    spans.map(({ hours, sums }) => {
      if (!sums) return undefined;
      const { views, clicks } = sums;
      const expected = views * ratio(usual.clicks, usual.views);
      if (expected < minExpected) return undefined;
      if (clicks > expected * maxPart) return well;
      return {
        chance: chanceOfAtMost(clicks, expected, scatterOfRates),
        age: sinceLast(clicks, Math.min(page.lastClick, page.firstVisit), hours),
        moneyPerDay: today.views * ratio(usual.revenue, usual.views),
        figures: { visits: views, clicks, expected_clicks: expected, hours },
      };
    }),
  );
}

/** Humans do not click this often. */
const robotRate = 0.8;

const robotDays = [1, 3] as const;

/** A value whose visits click like robots and do not buy. */
export const robotClicks: Detector = (campaign) => {
  const all = campaign.sum(0);
  const lookAt = (history: History, dimension: string, days: number): Look | undefined => {
    const sums = history.sum(0, days);
    const rest = {
      clicks: all.clicks - sums.clicks,
      views: all.views - sums.views,
      conversions: all.conversions - sums.conversions,
    };
    const [rate, usualRate] = [ratio(sums.clicks, sums.views), ratio(rest.clicks, rest.views)];
    const expected = sums.clicks * ratio(rest.conversions, rest.clicks);
    const isRobotic = rate >= robotRate && rate >= 2 * usualRate;
    // Such a click rate is proof enough without many missing sales, except for a page that is made so that every visit clicks.
    const isSure = isRobotic && dimension !== 'landing_page' && sums.conversions <= expected * maxPart;
    if (expected < (isSure ? minExpectedOfRobots : minExpected)) return undefined;
    if (!isRobotic) return well;
    const chanceOfSales = chanceOfAtMost(sums.conversions, expected, scatterOver(days));
    const chanceOfClicks = chanceOfAtMost(sums.views - sums.clicks, sums.views * (1 - usualRate), scatterOfRates);
    return {
      chance: isSure ? Math.min(chanceOfSales, chanceOfClicks) : chanceOfSales,
      age: days * 24,
      moneyPerDay: perDay(sums.cost, days),
      figures: { clicks: sums.clicks, visits: sums.views, sales: sums.conversions, expected_sales: expected },
    };
  };
  const dimensions = [...campaign.groups.keys()].filter((dimension) => dimension !== 'offer' && !pairNamed(dimension));
  return lookAtValues(campaign, dimensions, (history, _, dimension) =>
    leastLikely(robotDays.map((days) => lookAt(history, dimension, days))),
  );
};

/** With fewer expected sales, the absence of sales proves nothing. */
const minExpectedOfRobots = 0.5;

/** The scatter of pages' shares from day to day, beyond chance. */
const shareScatter = 0.1;

/** Whether a page has again about the share that it had on its best day. Days after a change pull the mean down with them. */
function isShareBack(campaign: History, page: History): boolean {
  const shares = page.days.map(({ views }, age) => {
    const all = at(campaign.days, age).views;
    return all < minVisitsOfShare ? 0 : views / all;
  });
  return (shares[0] ?? 0) >= 0.75 * Math.max(...shares);
}

/** With fewer visits, shares are chance. */
const minVisitsOfShare = 50;

/** The traffic of a page suddenly went to other pages, as happens if someone changes shares. */
export const changedElsewhere: Detector = (campaign) => {
  if (campaign.pastDays < 3) return [];
  const past = campaign.sum(1);
  return lookAtValues(campaign, ['landing_page'], (page) => {
    const before = ratio(page.sum(1).views, past.views);
    return leastLikely(
      partsOfDay.map((hours) => {
        const all = at(campaign.lastHours(hours), 0).views;
        const { views } = at(page.lastHours(hours), 0);
        const expected = before * all;
        if (all < minVisitsOfShare || expected < minExpected) return undefined;
        if (views >= expected / 2) return isShareBack(campaign, page) ? well : undefined;
        return {
          chance: chanceOfAtMost(views, expected, shareScatter ** 2),
          age: sinceLast(views, page.lastVisit, hours),
          moneyPerDay: 0,
          figures: { percent_of_visits: ratio(views, all) * 100, percent_before: before * 100 },
        };
      }),
    );
  });
};
