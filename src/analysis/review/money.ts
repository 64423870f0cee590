/** Detectors of money trouble: losses, missing cost, sales that stopped, pages behind others. */

import { sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type History, type PartOfDay, partsOfDay, reviewedDays, stopDays } from './campaign-history.ts';
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
  type PartByAge,
  perDay,
  ratio,
  scatterOfRates,
  scatterOver,
  sinceLast,
  well,
} from './looks.ts';

/** The chance of a loss this large if the visits were worth their cost; undefined if there is no loss or too little cost. */
export function chanceOfLoss(
  sums: GroupFigures,
  days: number,
  meanRevenue: number,
  partIn: PartByAge,
): number | undefined {
  // Most are too small, whatever is in.
  if (meanRevenue === 0 || sums.cost / meanRevenue < minExpected) return undefined;
  const part = partInOfDays(partIn, days);
  const expected = (sums.cost / meanRevenue) * part;
  if (expected < minExpected || sums.revenue >= sums.cost * part) return undefined;
  return chanceOfAtMost(sums.revenue / meanRevenue, expected, scatterOver(days));
}

/** The part of the sales of some days that are in, if each day sells the same. */
export function partInOfDays(partIn: PartByAge, days: number): number {
  return sum(Array.from({ length: days }, (_, age) => partIn(age))) / days;
}

/** Earlier days belong to a loss if they lost at least this part a day of what the later ones did. */
const minPartOfLoss = 0.25;

/** The last days that make up a loss, and its figures: it began when money was last earned, not with the days that show it. */
export function lossOf(history: History, partIn: PartByAge): Omit<Look, 'chance'> {
  let [lost, most, days] = [0, 0, 0];
  for (const [age, { cost, revenue }] of history.days.slice(0, history.pastDays + 1).entries()) {
    lost += cost * partIn(age) - revenue;
    if (lost - most < minPartOfLoss * perDay(most, days) * (age + 1 - days) || lost <= most) continue;
    [most, days] = [lost, age + 1];
  }
  const { cost, revenue, conversions, clicks } = history.sum(0, days);
  return {
    age: Math.min(days * 24, history.firstVisit),
    moneyPerDay: perDay(cost - revenue, days),
    figures: { cost, revenue, clicks, sales: conversions, days },
  };
}

/** The numbers of days over which a campaign may lose money. */
const lossDays = [2, 7] as const;

export const lostMoney: Detector = (campaign, partIn, { maxPayout }) => {
  const all = campaign.sum(0);
  if (all.cost === 0) return [];
  // Without sales the payout is unknown. With the highest one, the campaign may just have had bad luck.
  const meanRevenue = ratio(all.revenue, all.conversions) || maxPayout;
  return leastLikely(
    lossDays.map((days) => {
      const sums = campaign.sum(0, days);
      const chance = chanceOfLoss(sums, days, meanRevenue, partIn);
      return chance === undefined ? well : { chance, ...lossOf(campaign, partIn) };
    }),
  );
};

/** A campaign whose visits cost something on most days does not stop to cost anything by itself. */
const [usuallyWithCost, minDaysWithCost] = [0.8, 3];

/** Fewer visits without cost may be free ones. */
const minUnpaid = 20;

/** The last hours, of less than a day, whose visits cost nothing, though some did in the same hours of each day before; the most there are. */
function unpaidHours(campaign: History) {
  return partsOfDay
    .toReversed()
    .map((hours) => ({ hours, days: campaign.lastHours(hours).slice(0, campaign.pastDays + 1) }))
    .find(({ hours, days: [now, ...before] }) => {
      const known = before.filter(({ views }) => views > 0);
      const isUnpaid = hours < 24 && now !== undefined && now.views >= minUnpaid && now.cost === 0;
      return isUnpaid && known.length >= minDaysWithCost && known.every(({ cost }) => cost > 0);
    });
}

/** Visits cost nothing, though they did on most days until then. It lasts until a visit costs something again. */
export const missingCost = (campaign: History): Look[] => {
  const { views, cost } = campaign.sum(0, 1);
  if (views < minUnpaid) return [];
  const unpaid = cost > 0 ? unpaidHours(campaign) : undefined;
  if (cost > 0 && !unpaid) return [well];
  const lastDay = campaign.days.findIndex((day, age) => day.cost > 0 && (age > 0 || !unpaid));
  if (lastDay < 0) return [];
  const past = campaign.days.slice(lastDay, campaign.pastDays + 1);
  const daysWithCost = past.filter((day) => day.views > 0 && day.cost > 0).length;
  if (daysWithCost < minDaysWithCost || daysWithCost < past.length * usuallyWithCost) return [];
  const usualCost = perDay(campaign.sum(lastDay).cost, past.length);
  const figures = {
    visits: unpaid ? (unpaid.days[0]?.views ?? 0) : campaign.sum(0, lastDay).views,
    hours: unpaid?.hours ?? lastDay * 24,
    cost_a_day: 0,
    usual_cost_a_day: usualCost,
  };
  // It began with the next visit, within about an hour of the last one that cost something.
  return [{ chance: 0, age: Math.max(campaign.lastCost - 1, 0), moneyPerDay: usualCost, figures }];
};

/** The hours in which sales may have stopped. */
const stopHours = [12, 24, 48, 72] as const;

/** How far the sales to come are usually off, by the delays of the whole account: relative. */
const unlikeDelay = 0.4;

/** @param part of the sales that are in, 0 to 1 */
export const scatterOfDelay = (part: number): number => (unlikeDelay * (1 / part - 1)) ** 2;

/** Below this chance, the finding about a campaign replaces those about its offers. */
export const maxChanceOfWhole = 1e-3;

/** There are clicks but no more sales, for the campaign, for one of its offers, or for an offer in a country or on a device. */
export const stoppedSales: Detector = (campaign, partIn) => {
  const stopsOf = (history: History, offer?: string) =>
    stopOf([{ history, partIn: (age) => partIn(age, offer) }], campaign.pastDays);
  const isGone = (history: History) => history.sum(0, stopDays).clicks === 0;
  const whole = stopsOf(campaign);
  const offers = lookAtPages(
    campaign,
    'offer',
    (history, offer) => (isGone(history) ? [{ ...well, chance: 0 }] : stopsOf(history, offer)),
    (history, offer) => (isGone(history) ? [] : stopsOf(history, offer)),
    (offer, part, days) => {
      const [all, own, usual] = [offer.sum(0, days), part.sum(0, days), offer.sum(stopDays)];
      return ratio(
        all.conversions - own.conversions,
        (all.clicks - own.clicks) * ratio(usual.conversions, usual.clicks),
      );
    },
  );
  return wholeOrOffers(whole, offers);
};

/** A campaign that stopped is less likely by chance than each of its offers; one with a dead offer is more likely than that offer. */
export function wholeOrOffers<One extends Look>(whole: readonly One[], offers: readonly One[]): readonly One[] {
  const least = Math.min(...offers.flatMap(({ isWell, chance }) => (isWell ? [] : chance)));
  if (!whole.some(({ chance }) => chance < maxChanceOfWhole)) return [...whole, ...offers];
  return whole.some(({ chance }) => chance <= least)
    ? whole
    : [...whole.map((look) => ({ ...look, ...well })), ...offers];
}

/** @param members the visits together: each is expected to sell as it did itself, and as late */
export function stopOf(
  members: readonly { readonly history: History; readonly partIn: PartByAge }[],
  pastDays: number,
): Look[] {
  const pasts = members.map(({ history }) => history.sum(stopDays));
  const days = pastDays - stopDays + 1;
  const sold = sum(pasts.map(({ conversions }) => conversions));
  if (days < 3 || sold < minExpected) return [];
  const sales = members.map(({ history, partIn }, index) => {
    const past = pasts[index];
    const lastDays = Array.from({ length: stopDays }, (_, age) => ({
      ...history.sum(age, age + 1),
      part: partIn(age),
    }));
    return { history, partIn, lastDays, rate: ratio(past?.conversions ?? 0, past?.clicks ?? 0) };
  });
  return leastLikely(
    stopHours.map((hours) => {
      let [clicks, clicksIn, expected, conversions] = [0, 0, 0, 0];
      for (const { history, partIn, lastDays, rate } of sales) {
        const halfDay = hours === 12 ? history.recent(hours) : undefined;
        if (hours === 12 && !halfDay) continue;
        const recent = halfDay ? [{ ...halfDay, part: partInOfHours(partIn, 12) }] : lastDays.slice(0, hours / 24);
        let ownIn = 0;
        for (const day of recent) {
          ownIn += day.clicks * day.part;
          clicks += day.clicks;
          conversions += day.conversions;
        }
        clicksIn += ownIn;
        expected += ownIn * rate;
      }
      if (expected < minExpectedOfStop) return undefined;
      const part = ratio(clicksIn, clicks);
      // What is usual is a count of sales too, and those of others tell how much is in.
      const scatter = scatterOfRates + 1 / sold + scatterOfDelay(part);
      const chances = ofAtMost(conversions, expected, scatter);
      if (conversions > expected * maxPart) return { ...well, none: chances.none };
      return {
        ...chances,
        age: sinceLast(conversions, Math.min(...members.map(({ history }) => history.lastSale)), hours),
        moneyPerDay: perDay(sum(pasts.map(({ revenue }) => revenue)), days),
        figures: { sales: conversions, expected_sales: expected },
      };
    }),
  );
}

/** The minimum part of the sales of a day's last hours that are in: all sales still missing may belong to these hours. */
function partInOfHours(partIn: PartByAge, hours: PartOfDay): number {
  return Math.max(1 - (24 / hours) * (1 - partIn(0)), 0);
}

/** The numbers of days over which pages are compared. Offers whose sales come late seem worse over a few days. */
const comparedDays = { landing_page: [3, reviewedDays], offer: [reviewedDays] } as const;

/** A page that sells and earns less than the other pages of the campaign, by more than chance, and still gets traffic. */
export const pagesBehind: Detector = (campaign, partIn) =>
  (['offer', 'landing_page'] as const).flatMap((dimension) => {
    const pages = [...(campaign.groups.get(dimension) ?? [])].filter(([, page]) => page.sum(0, 1).views > 0);
    // Of offers, some sell later than others.
    const partOf = (page: string, days: number) =>
      dimension === 'offer' ? partInOfDays((age) => partIn(age, page), days) : 1;
    const spans = comparedDays[dimension].map((days) => ({
      days,
      byPage: new Map(
        pages.map(([name, page]) => {
          const [sums, part] = [page.sum(0, days), partOf(name, days)];
          return [page, { ...sums, part, viewsIn: sums.views * part }];
        }),
      ),
    }));
    const lookAt = (page: History, { days, byPage }: (typeof spans)[number]): Look | undefined => {
      const sums = byPage.get(page);
      if (!sums) return undefined;
      const rest = { viewsIn: 0, conversions: 0, revenue: 0 };
      for (const [other, { viewsIn, conversions, revenue }] of byPage) {
        if (other === page) continue;
        rest.viewsIn += viewsIn;
        rest.conversions += conversions;
        rest.revenue += revenue;
      }
      // An offer that pays twice as much earns the same with half the sales.
      const payout = sums.revenue > 0 ? ratio(sums.revenue, sums.conversions) : ratio(rest.revenue, rest.conversions);
      const asMuchMoney = payout > 0 ? (sums.viewsIn * ratio(rest.revenue, rest.viewsIn)) / payout : Infinity;
      const expected = Math.min(sums.viewsIn * ratio(rest.conversions, rest.viewsIn), asMuchMoney);
      if (expected < minExpected) return undefined;
      const lost = ratio(rest.revenue, rest.viewsIn) - ratio(sums.revenue, sums.viewsIn);
      if (lost <= 0 || sums.conversions > expected) return well;
      // The expected sales are uncertain as well: they come from the sales of the other pages.
      const scatter = scatterOver(days) + 1 / rest.conversions + scatterOfDelay(sums.part);
      return {
        chance: chanceOfAtMost(sums.conversions, expected, scatter),
        age: Math.min(days * 24, page.firstVisit),
        moneyPerDay: lost * page.sum(0, 1).views,
        figures: { visits: sums.views, sales: sums.conversions, expected_sales: expected },
      };
    };
    return lookAtValues(campaign, [dimension], (page) => leastLikely(spans.map((span) => lookAt(page, span))));
  });

/** The days in which one sale may bring most of the revenue. */
const decidedDays = 7;

/** With fewer other sales, the account shows what is usual, less surely: a sale has to be this many times more. */
const [minOthers, timesMore] = [4, 2];

export const decisiveSales: Detector = (campaign, _, { usualSale }) => {
  const byRevenue = campaign.sales.toSorted((one, other) => other.revenue - one.revenue);
  const [largest, ...others] = byRevenue.filter(({ age }) => age < decidedDays * 24);
  const [, second] = byRevenue;
  const own = others.length < minOthers ? undefined : others[Math.floor(others.length / 2)]?.revenue;
  const usual = own ?? usualSale * timesMore;
  const { revenue, cost } = campaign.sum(0, decidedDays);
  const profit = revenue - cost;
  if (
    !largest ||
    !second ||
    usual === 0 ||
    largest.revenue < 5 * usual ||
    largest.revenue < 3 * second.revenue ||
    (largest.revenue < revenue / 2 && (profit <= 0 || largest.revenue < profit / 2))
  )
    return [];
  const revenueWithout = revenue - largest.revenue;
  return [
    {
      chance: 0,
      age: largest.age,
      // It is earned, and comes once: nothing a day depends on it.
      moneyPerDay: 0,
      figures: {
        ...{ amount: largest.revenue, days: decidedDays },
        ...{ revenue_without: revenueWithout, profit_without: revenueWithout - cost },
      },
    },
  ];
};
