/** Detectors of traffic trouble: visits or clicks that stopped, moved to other pages or come from robots. */

import { likelihoodOfShare } from '../statistics/entropy.ts';
import { at, sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type CampaignHistory, type History, type PartOfDay, partsOfDay } from './campaign-history.ts';
import {
  chanceOfAtMost,
  type Detector,
  type Look,
  leastLikely,
  lookAtPages,
  lookAtValues,
  maxPart,
  minExpected,
  minExpectedOfStop,
  ofAtMost,
  perDay,
  ratio,
  scatterOfCounts,
  scatterOfRates,
  scatterOfVisits,
  sinceLast,
  well,
} from './looks.ts';
import { minUsualDays } from './steps.ts';

export const wentDark: Detector = (campaign, _, { isSeenUntilNow }) =>
  lookForVisits(campaign, campaign.pastDays, isSeenUntilNow ? partsOfDay : [24]);

/** Parts of the visitors that a source is paid for, and that stay the same ones: systems and browsers are updated. */
const targetedParts = ['country', 'device'] as const;

/** A country or device that earned money and sends nobody any more, though the campaign's others go on. */
export const stoppedVisits: Detector = (campaign) => {
  const isAlive = campaign.sum(0, 1).views > 0;
  return lookAtValues(campaign, targetedParts, (history) => {
    const past = history.sum(1);
    if (!isAlive || history.sum(0).conversions < minExpectedOfStop || past.revenue <= past.cost) return [];
    return lookForVisits(history, campaign.pastDays, [24]).map((look) => ({
      ...look,
      ...((look.figures['visits'] ?? 0) > 0 ? well : {}),
      isOnlyNone: true,
    }));
  });
};

/**
 * Looks for visits that do not come any more.
 * @param hours the parts of the day that can be judged
 */
function lookForVisits(history: History, pastDays: number, hours: readonly PartOfDay[]): Look[] {
  if (pastDays < minUsualDays || perDay(history.sum(1).views, pastDays) < minExpected) return [];
  const { lastVisit } = history;
  return leastLikely(
    hours.map((part) => {
      const [now, ...before] = history.lastHours(part).slice(0, pastDays + 1);
      const without = now?.views === 0 ? wholeDays(lastVisit) : 0;
      // Days of the trouble do not show what is usual, nor does the one on which it began.
      const from = pastDays - without < minUsualDays || without === 0 ? 1 : without + 1;
      const counts = before.slice(from - 1).map(({ views }) => views);
      const expected = Math.min(perDay(sum(counts), counts.length), usualOnWeekday(before.slice(0, pastDays), from));
      if (!now || expected < minExpected) return undefined;
      const { views } = now;
      const chances = ofAtMost(views, expected, scatterOfCounts(counts, scatterOfVisits));
      if (views > expected * maxPart) return { ...well, none: chances.none };
      const { revenue, cost, views: usualViews } = history.sum(from);
      return {
        ...chances,
        age: sinceLast(views, lastVisit, part),
        moneyPerDay: Math.max(perDay(revenue - cost, counts.length), 0),
        figures: {
          visits: views,
          usual_visits: without < 2 ? expected : perDay(usualViews, counts.length) * without,
          hours: without < 2 ? part : without * 24,
        },
      };
    }),
  );
}

/** The whole days since something stopped: its time is told, rather than the hours that show it. */
const wholeDays = (hours: number): number => (Number.isFinite(hours) ? Math.floor(hours / 24) : 0);

/**
 * The mean visits on the same weekday of earlier weeks; infinite if there is no earlier week.
 * @param days from yesterday on, backwards
 * @param from so many days ago, the first that counts
 */
function usualOnWeekday(days: readonly GroupFigures[], from: number): number {
  const same = days.filter((_, index) => index + 1 >= from && (index + 1) % 7 === 0);
  return same.length === 0 ? Number.POSITIVE_INFINITY : sum(same.map(({ views }) => views)) / same.length;
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

/** A campaign of whose visits none clicks any more, whichever page they see. */
export const stoppedClicks: Detector = (campaign) => ofNone(lookForClicks(campaign));

/** The same of several campaigns together. */
export const stoppedClicksOf = (whole: History, campaigns: readonly History[]): Look[] =>
  ofNone(lookForClicks(whole, undefined, campaigns));

/** Fewer clicks are told of a page, or as a rate that fell. */
const ofNone = (looks: readonly Look[]): Look[] =>
  looks.map((look) => ({ ...look, ...((look.figures['clicks'] ?? 0) > 0 ? well : {}), isOnlyNone: true }));

/** The number of whole days up to now without a click, if there was one before; 0 if there is one in the last day. */
const daysWithoutClicks = (page: History, today: GroupFigures): number =>
  today.clicks > 0
    ? 0
    : Math.max(
        page.days.findIndex(({ clicks }) => clicks > 0),
        0,
      );

/**
 * @param others visits that show how often people click if the page has too few of its own
 * @param members what it consists of: each is expected to click as it did itself
 */
function lookForClicks(page: History, others?: GroupFigures, members: readonly History[] = [page]): Look[] {
  const today = page.sum(0, 1);
  if (today.views === 0) return [{ ...well, chance: 0 }];
  const dead = daysWithoutClicks(page, today);
  const usuals = members.map((member) => {
    // Days of the trouble do not show what is usual.
    const past = member.sum(Math.max(dead, 1));
    return past.views >= minExpected ? past : others;
  });
  const clicksBefore = sum(usuals.map((usual) => usual?.clicks ?? 0));
  if (clicksBefore === 0) return [];
  const expectedOf = (figure: 'clicks' | 'revenue', sumsOf: (member: History) => GroupFigures | undefined) =>
    sum(
      members.map((member, index) => {
        const usual = usuals[index];
        return usual ? (sumsOf(member)?.views ?? 0) * ratio(usual[figure], usual.views) : 0;
      }),
    );
  const spans: { hours: number; sumsOf: (member: History) => GroupFigures | undefined }[] = [
    ...partsOfDay.map((hours) => ({ hours, sumsOf: (member: History) => member.recent(hours) })),
    ...(dead > 1 ? [{ hours: dead * 24, sumsOf: (member: History) => member.sum(0, dead) }] : []),
  ];
  return leastLikely(
    spans.map(({ hours, sumsOf }) => {
      const sums = sumsOf(page);
      if (!sums) return undefined;
      const { views, clicks } = sums;
      const expected = expectedOf('clicks', sumsOf);
      if (expected < minExpectedOfStop) return undefined;
      const chances = ofAtMost(clicks, expected, scatterOfRates + 1 / clicksBefore);
      if (clicks > expected * maxPart) return { ...well, none: chances.none };
      return {
        ...chances,
        age: sinceLast(clicks, Math.min(page.lastClick, page.firstVisit), hours),
        moneyPerDay: expectedOf('revenue', (member) => member.sum(0, 1)),
        figures: { visits: views, clicks, expected_clicks: expected, hours },
      };
    }),
  );
}

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
