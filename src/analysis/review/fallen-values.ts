/** Detectors of values whose visits click or sell less than before, though those of the campaign's others do not. */

import {
  type CampaignHistory,
  type History,
  type PairOfPage,
  pairsOf,
  reviewedDays,
  splitPair,
} from './campaign-history.ts';
import {
  asOneLook,
  chanceOfAtMost,
  clickDays,
  type Detector,
  dimensionsOfVisits,
  type Look,
  leastLikely,
  lookAtValues,
  minExpected,
  perDay,
  type Rate,
  ratio,
  scatterOver,
  well,
  wholesIn,
} from './looks.ts';
import { scatterOfDelay } from './money.ts';

/** After so many days too few are left that show what was usual. */
export const fallenValueDays = reviewedDays - 7;

interface Fall {
  /** Down to this part of what is expected, it is merely worse. */
  readonly maxPart: number;
  /** Of the scatter of rates from day to day. */
  readonly scatter: number;
}

const ofPage: Fall = { maxPart: 0.8, scatter: 1 };

/** Days that are good for a page are so for all who see it. */
const ofPartOfPage: Fall = { ...ofPage, scatter: 0.5 };

/** Who comes from a placement, or with a browser, differs from day to day. */
const ofOthers: Fall = { maxPart: 0.5, scatter: 2 };

/** What was done in some days, and what it is a part of. */
interface Done {
  done: number;
  of: number;
}

type Others = { readonly now: Done; readonly before: Done };

/** What happens, to the visits of which pages, and how much of each day is in. */
interface Seen {
  readonly page: PairOfPage['dimension'];
  readonly rate: Rate;
  readonly partsOf: (page?: string) => readonly number[] | undefined;
}

/**
 * Pages that are clicked less than before, though the other pages of the campaign are not: a page that is slow, or broken for some. An ad
 * or another placement may get worse, or send others.
 */
export const fallenClicks: Detector = (campaign) =>
  lookForFalls(campaign, {
    ...{ page: 'landing_page', rate: { what: 'clicks', of: 'views' } },
    partsOf: () => undefined,
  });

/** Offers, parts of the visitors and placements whose clicks sell less than before, though those of the campaign's others do not. */
export const fallenSalesOfValues: Detector = (campaign, partIn) =>
  lookForFalls(campaign, {
    ...{ page: 'offer', rate: { what: 'conversions', of: 'clicks' } },
    partsOf: (offer) => Array.from({ length: reviewedDays }, (_, age) => partIn(age, offer)),
  });

/**
 * Visitors are drawn at random, so that all pages have the same ones. A part of a page's visitors that does less does so alone: the others
 * who see the page do not, nor does this part on other pages.
 */
function lookForFalls(campaign: CampaignHistory, { page, rate, partsOf }: Seen) {
  if (campaign.sum(0)[rate.what] < 2 * minExpected) return [];
  const [partsOfAll, groups] = [partsOf(), campaign.groups];
  const sumOf = (history: History, from: number, to: number | undefined, parts = partsOfAll): Done => ({
    ...{ done: history.sum(from, to)[rate.what], of: wholesIn(history, rate, parts, from, to) },
  });
  const besides = (whole: History, part: History, days: number, parts = partsOfAll): Others => {
    const rest = (from: number, to?: number): Done => {
      const [all, own] = [sumOf(whole, from, to, parts), sumOf(part, from, to, parts)];
      return { done: all.done - own.done, of: all.of - own.of };
    };
    return { now: rest(0, days), before: rest(days) };
  };
  const lookFor = (
    history: History,
    fall: Fall,
    othersIn: (days: number) => readonly Others[],
    parts = partsOfAll,
  ): readonly Look[] => {
    if (history.sum(0)[rate.what] < minExpected) return [];
    return leastLikely(
      clickDays.map((days) => {
        const [own, before] = [sumOf(history, 0, days, parts), sumOf(history, days, undefined, parts)];
        // Most values are too small, whatever others do.
        if (own.of * ratio(before.done, before.of) < minExpected) return undefined;
        return fallIn({ campaign, history, rate, fall, days, own, before, others: othersIn(days) });
      }),
    );
  };
  const partsByPage = new Map([...(groups.get(page)?.keys() ?? [])].map((name) => [name, partsOf(name)]));
  const pages = lookAtValues(campaign, [page], (history, name) =>
    lookFor(history, ofPage, (days) => [besides(campaign, history, days)], partsByPage.get(name)),
  );
  const parts = lookAtValues(campaign, pairsOf(page), (part, value, dimension) => {
    const [name, within] = splitPair(value);
    const whole = groups.get(page)?.get(name);
    if (!whole) return [];
    const partsOfPage = partsByPage.get(name);
    const othersIn = (days: number) => {
      const onOtherPages = { now: { done: 0, of: 0 }, before: { done: 0, of: 0 } };
      for (const [other, history] of groups.get(dimension) ?? []) {
        if (other === value || splitPair(other)[1] !== within) continue;
        add(onOtherPages.now, sumOf(history, 0, days));
        add(onOtherPages.before, sumOf(history, days, undefined));
      }
      const areKnown = Math.min(onOtherPages.now.done, onOtherPages.before.done) >= minExpected;
      return [besides(whole, part, days, partsOfPage), ...(areKnown ? [onOtherPages] : [])];
    };
    return lookFor(part, ofPartOfPage, othersIn, partsOfPage);
  });
  const others = dimensionsOfVisits(campaign).flatMap((name) =>
    asOneLook(
      lookAtValues(campaign, [name], (history) =>
        lookFor(history, ofOthers, (days) => [besides(campaign, history, days)]),
      ),
    ),
  );
  return [...pages, ...parts, ...others];
}

function add(sums: Done, { done, of }: Done): void {
  sums.done += done;
  sums.of += of;
}

const rateOf = ({ done, of }: Done) => ratio(done, of);

/** How far a rate of all visits of a campaign moves within days, as a relative variance. */
const usualMove = 0.03;

/** Others that did as little as chance seldom shows did less as well. */
const maxChanceOfSame = 0.07;

/**
 * What the others kept of their rate, at most 1, with its relative variance. Few others hardly show it: they count as far as they tell
 * more than what is usual, unless they clearly did less.
 */
function keptBy({ now, before }: Others) {
  const usual = now.of * rateOf(before);
  const kept = Math.min(1, ratio(now.done, usual));
  if (chanceOfAtMost(now.done, usual, usualMove + 1 / before.done) < maxChanceOfSame)
    return { kept, variance: 1 / now.done + 1 / before.done };
  // None at all is less than one.
  const variance = 1 / Math.max(now.done, 0.5) + 1 / before.done;
  const weight = usualMove / (usualMove + variance);
  return { kept: 1 - weight * (1 - kept), variance: weight * variance };
}

/** What may have fallen in some days, and what the others did who may show that all did. */
interface MaybeFallen {
  readonly campaign: CampaignHistory;
  readonly history: History;
  readonly rate: Rate;
  readonly fall: Fall;
  readonly days: number;
  readonly own: Done;
  readonly before: Done;
  readonly others: readonly Others[];
}

function fallIn({ campaign, history, rate, fall, days, own, before, others }: MaybeFallen): Look | undefined {
  if (others.some((one) => one.now.of === 0 || one.before.done === 0)) return undefined;
  // Clicks of all pages fall with other visitors.
  const keptByOthers = others.map(keptBy);
  const kept = Math.min(...keptByOthers.map((one) => one.kept));
  const expected = own.of * rateOf(before) * kept;
  if (expected < minExpected) return undefined;
  if (own.done > expected * fall.maxPart) return well;
  const few = Math.max(...keptByOthers.map(({ variance }) => variance));
  const [sums, usual] = [history.sum(0, days), campaign.sum(days)];
  const part = ratio(own.of, sums[rate.of]);
  return {
    chance: chanceOfAtMost(
      own.done,
      expected,
      fall.scatter * scatterOver(days) + 1 / before.done + few + scatterOfDelay(part),
    ),
    age: days * 24,
    // Of the sales to come as many are lost.
    moneyPerDay: perDay(((expected - own.done) / part) * ratio(usual.revenue, usual[rate.what]), days),
    figures: {
      ...{ visits: sums.views, clicks: sums.clicks, days },
      ...(rate.what === 'clicks'
        ? { expected_clicks: expected }
        : { sales: sums.conversions, expected_sales: expected }),
    },
  };
}
