/** Detectors of values whose visits click or sell less than before, though those of the campaign's others do not. */

import { at, groupBy } from '../statistics/history.ts';
import {
  type CampaignHistory,
  History,
  type PairOfPage,
  pairsOf,
  reviewedDays,
  splitPair,
} from './campaign-history.ts';
import {
  asOneLook,
  chanceOfAtLeast,
  chanceOfAtMost,
  clickDays,
  type Detector,
  dimensionsOfVisits,
  type Look,
  leastLikely,
  lookAtValues,
  minExpected,
  type PartInCampaign,
  perDay,
  type Rate,
  ratio,
  type Suspicion,
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

/** What was done in the last days, and before them. */
interface Around {
  readonly now: Done;
  readonly before: Done;
}

/** The same for each number of days over which clicks are judged. */
type AroundEach = readonly Around[];

function doneIn(history: History, rate: Rate, parts: readonly number[] | undefined): AroundEach {
  const sumOf = (from: number, to?: number): Done => ({
    done: history.sum(from, to)[rate.what],
    of: wholesIn(history, rate, parts, from, to),
  });
  return clickDays.map((days) => ({ now: sumOf(0, days), before: sumOf(days) }));
}

/** What the visits of a group did besides some of them. */
function besides(all: AroundEach, own: AroundEach): AroundEach {
  const rest = (one: Done, other: Done): Done => ({ done: one.done - other.done, of: one.of - other.of });
  return all.map(({ now, before }, span) => ({
    now: rest(now, at(own, span).now),
    before: rest(before, at(own, span).before),
  }));
}

/** What several groups did together. */
function together(some: readonly AroundEach[]): AroundEach {
  const sums = clickDays.map(() => ({ now: { done: 0, of: 0 }, before: { done: 0, of: 0 } }));
  for (const one of some)
    for (const [span, { now, before }] of sums.entries()) {
      add(now, at(one, span).now);
      add(before, at(one, span).before);
    }
  return sums;
}

function add(sums: Done, { done, of }: Done): void {
  sums.done += done;
  sums.of += of;
}

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

/** A country that sells less in several campaigns does so without any one of them, by more than this chance. */
const maxChanceWithoutOne = 0.01;

/** The same of the countries of all campaigns together: a country is one thing in each, and may sell less in all, a little in each. */
export function fallenCountries(
  campaigns: ReadonlyMap<string, CampaignHistory>,
  partIn: PartInCampaign,
): (Omit<Suspicion, 'kind'> & { readonly campaigns: readonly string[] })[] {
  const rate = { what: 'conversions', of: 'clicks' } as const;
  const parts = Array.from({ length: reviewedDays }, (_, age) => partIn(age));
  const all = new History();
  const byCountry = new Map<string, { readonly whole: History; readonly own: Map<string, History> }>();
  for (const [id, campaign] of campaigns) {
    all.addAll(campaign);
    for (const [value, history] of campaign.groups.get('country') ?? []) {
      const { whole, own } = byCountry.get(value) ?? { whole: new History(), own: new Map() };
      byCountry.set(value, { whole, own: own.set(id, history) });
      whole.addAll(history);
    }
  }
  const lookAt = (campaign: History, history: History) => {
    const own = doneIn(history, rate, parts);
    const others = besides(doneIn(campaign, rate, parts), own);
    return lookForFall({ campaign, history, rate, fall: ofOthers, own, others });
  };
  const looks = [...byCountry].flatMap(([value, { whole, own }]) => {
    if (own.size < 2 || whole.sum(0).conversions < minExpected) return [];
    return lookAt(all, whole).map((look) => {
      const isOfOne =
        look.chance <= maxChanceWithoutOne &&
        [...own].some(([id, history]) => {
          const [rest] = lookAt(lessOf(all, campaigns.get(id)), lessOf(whole, history));
          return !rest || rest.isWell || rest.chance > maxChanceWithoutOne;
        });
      return { ...(isOfOne ? well : look), dimension: 'country', value, campaigns: [...own.keys()] };
    });
  });
  return asOneLook(looks);
}

function lessOf(all: History, one: History | undefined): History {
  const rest = new History();
  rest.addAll(all);
  if (one) rest.takeAway(one, reviewedDays);
  return rest;
}

/**
 * Visitors are drawn at random, so that all pages have the same ones. A part of a page's visitors that does less does so alone: the others
 * who see the page do not, nor does this part on other pages.
 */
function lookForFalls(campaign: CampaignHistory, { page, rate, partsOf }: Seen) {
  const isSmall = (history: History) => history.sum(0)[rate.what] < minExpected;
  if (campaign.sum(0)[rate.what] < 2 * minExpected) return [];
  const [partsOfAll, groups] = [partsOf(), campaign.groups];
  const partsByPage = new Map([...(groups.get(page)?.keys() ?? [])].map((name) => [name, partsOf(name)]));
  const all = doneIn(campaign, rate, partsOfAll);
  const pages = lookAtValues(campaign, [page], (history, name) => {
    if (isSmall(history)) return [];
    const own = doneIn(history, rate, partsByPage.get(name));
    const others = besides(all, doneIn(history, rate, partsOfAll));
    return lookForFall({ campaign, history, rate, fall: ofPage, own, others });
  });
  const parts = pairsOf(page).flatMap((pair) => {
    const sharing = groupBy([...(groups.get(pair) ?? [])], ([value]) => splitPair(value)[1]);
    return lookAtValues(campaign, [pair], (history, value) => {
      const [name, within] = splitPair(value);
      const whole = groups.get(page)?.get(name);
      if (!whole || isSmall(history)) return [];
      const own = doneIn(history, rate, partsByPage.get(name));
      const others = besides(doneIn(whole, rate, partsByPage.get(name)), own);
      const onPages = (sharing.get(within) ?? []).filter(([other]) => other !== value);
      const onOtherPages = together(onPages.map(([, other]) => doneIn(other, rate, partsOfAll)));
      return lookForFall({ campaign, history, rate, fall: ofPartOfPage, own, others, onOtherPages });
    });
  });
  const others = dimensionsOfVisits(campaign).flatMap((name) =>
    asOneLook(
      lookAtValues(campaign, [name], (history) => {
        if (isSmall(history)) return [];
        const own = doneIn(history, rate, partsOfAll);
        return lookForFall({ campaign, history, rate, fall: ofOthers, own, others: besides(all, own) });
      }),
    ),
  );
  return [...pages, ...parts, ...others];
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
function keptBy({ now, before }: Around) {
  const usual = now.of * rateOf(before);
  const kept = Math.min(1, ratio(now.done, usual));
  if (chanceOfAtMost(now.done, usual, usualMove + 1 / before.done) < maxChanceOfSame)
    return { kept, variance: 1 / now.done + 1 / before.done };
  // None at all is less than one.
  const variance = 1 / Math.max(now.done, 0.5) + 1 / before.done;
  const weight = usualMove / (usualMove + variance);
  return { kept: 1 - weight * (1 - kept), variance: weight * variance };
}

/** What may have fallen, and what the others did who may show that all did. */
interface MaybeFallen {
  readonly campaign: History;
  readonly history: History;
  readonly rate: Rate;
  readonly fall: Fall;
  readonly own: AroundEach;
  readonly others: AroundEach;
  /** What the same visitors did elsewhere. */
  readonly onOtherPages?: AroundEach;
}

function lookForFall(about: MaybeFallen): Look[] {
  const looks = leastLikely(clickDays.map((days, span) => fallIn(about, days, span)));
  const spanOf = ({ figures }: Look) => clickDays.findIndex((days) => days >= (figures['days'] ?? 0));
  return looks.map((look) => (!look.isWell && isBack(about, spanOf(look)) ? well : look));
}

/** What a day did is as before a fall if it is this part of it, and more than chance makes of what is left after the fall. */
const [minPartBack, maxChanceOfFallen] = [0.75, 0.01];

/** Whether a fall that some days show is over: the last of them is as those before it. */
function isBack({ own, others, fall }: MaybeFallen, span: number): boolean {
  const [today, all] = [at(own, 0).now, at(own, span)];
  const earlier = { done: all.now.done - today.done, of: all.now.of - today.of };
  const usual = today.of * rateOf(all.before) * keptBy(at(others, span)).kept;
  if (earlier.of <= 0 || usual < minExpected || today.done < usual * minPartBack) return false;
  const fallen = Math.max(today.of * rateOf(earlier), 0.5);
  const scatter = fall.scatter * scatterOver(1) + 1 / Math.max(earlier.done, 0.5);
  return chanceOfAtLeast(today.done, fallen, Math.min(scatter, 1)) <= maxChanceOfFallen;
}

function fallIn(about: MaybeFallen, days: number, span: number): Look | undefined {
  const { campaign, history, rate, fall, onOtherPages } = about;
  const { now: own, before } = at(about.own, span);
  // Most values are too small, whatever others do.
  if (own.of * rateOf(before) < minExpected) return undefined;
  const elsewhere = onOtherPages?.[span];
  const areKnown = elsewhere && Math.min(elsewhere.now.done, elsewhere.before.done) >= minExpected;
  const others = [at(about.others, span), ...(areKnown ? [elsewhere] : [])];
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
