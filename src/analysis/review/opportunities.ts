/** Detectors of what could earn more: it surely earns well, by days whose sales are in, and gets little traffic. */

import { sum } from '../statistics/history.ts';
import { type GroupFigures, noVisits, without } from '../visit-groups.ts';
import { type CampaignHistory, type History, reviewedDays, sumOfHours } from './campaign-history.ts';
import {
  chanceOfAtLeast,
  type Detector,
  isPlacement,
  type Look,
  leastLikely,
  lookAtValues,
  median,
  minExpected,
  type PartByAge,
  perDay,
  ratio,
  scatterOver,
  well,
} from './looks.ts';

/** From this part on, the sales of a day count as in. */
const maturePart = 0.95;

/** With fewer days whose sales are in, nothing is sure. */
const minMatureDays = 5;

/** The first day, by age, whose sales are in; undefined if too few days are left from there on. */
function firstMatureDay({ pastDays }: History, partIn: PartByAge): number | undefined {
  const days = Array.from({ length: Math.max(pastDays + 1 - minMatureDays, 0) + 1 }, (_, age) => age);
  const first = days.find((age) => partIn(age) >= maturePart);
  return pastDays + 1 < minMatureDays ? undefined : first;
}

/** What counts as much better than the others, and what as profitable: small differences are no reason to move traffic. */
const [minLead, minReturn] = [1.25, 1.2];

/** A value with fewer expected sales is too small to be called better. */
const minExpectedOfBetter = 0.75 * minExpected;

/** The values that sell as usual or better, and their sums: a broken one among the others makes no value good. */
class SoundValues {
  readonly #values: ReadonlySet<GroupFigures>;
  readonly #sums: GroupFigures;

  /** @param small those that are too small to be broken, as one */
  constructor(whole: GroupFigures, values: ReadonlyMap<History, GroupFigures>, small: History | undefined) {
    const rate = ratio(whole.conversions, whole.views);
    const sound = [...values].flatMap(([history, own]) =>
      history === small || own.views * rate < minExpectedOfBetter || own.conversions >= (own.views * rate) / 2
        ? [own]
        : [],
    );
    this.#values = new Set(sound);
    const sumOf = (measure: keyof GroupFigures) => sum(sound.map((value) => value[measure]));
    this.#sums = { ...noVisits(), views: sumOf('views'), conversions: sumOf('conversions'), revenue: sumOf('revenue') };
  }

  /** The sums of the others. */
  without(own: GroupFigures): Pick<GroupFigures, 'views' | 'conversions' | 'revenue'> {
    return this.#values.has(own) ? without(this.#sums, own) : this.#sums;
  }
}

/** Whether a value surely earns much more a visit than the others of its dimension, and surely more than it costs. */
function lookAtValue(
  own: GroupFigures,
  whole: GroupFigures,
  sound: SoundValues,
  usualPayout: number,
  days: number,
): { readonly chance: number; readonly expected: number; readonly leadPerVisit: number } | undefined {
  const rest = sound.without(own);
  const payout = ratio(own.revenue, own.conversions) || ratio(whole.revenue, whole.conversions);
  if (rest.conversions === 0 || payout === 0) return undefined;
  const worth = ratio(rest.revenue, rest.views);
  // Better in sales and in money: more sales of a cheap offer are not, nor is one that paid well by luck.
  const expected = own.views * Math.max(ratio(rest.conversions, rest.views), worth / payout);
  if (expected < minExpectedOfBetter) return undefined;
  const lead = chanceOfAtLeast(own.conversions, expected * minLead, scatterOver(days) + 1 / rest.conversions);
  const chance = Math.max(lead, chanceOfProfit(own, usualPayout, minReturn, days));
  return { chance, expected, leadPerVisit: Math.max(ratio(carefulRevenue(own, usualPayout), own.views) - worth, 0) };
}

/** The revenue without the luck of a few large sales. */
const carefulRevenue = ({ revenue, conversions }: GroupFigures, usualPayout: number): number =>
  Math.min(revenue, conversions * usualPayout * 2);

/** What the middle sale of a campaign pays. */
const usualPayoutOf = ({ sales }: CampaignHistory): number =>
  median(sales.map(({ revenue, conversions }) => revenue / conversions));

/** The chance of so many sales if they only brought the cost back, times `factor`. A high payout may be luck, so it counts as usual. */
function chanceOfProfit(own: GroupFigures, usualPayout: number, factor: number, days: number): number {
  const payout = Math.min(ratio(own.revenue, own.conversions), usualPayout);
  return payout === 0
    ? 1
    : chanceOfAtLeast(own.conversions, Math.max((own.cost * factor) / payout, 1), scatterOver(days));
}

/** A page is held back if it gets less than this of an equal part, a placement if it is less than this of the campaign. */
const [maxOfEqualPart, maxPartOfPlacement] = [0.75, 0.25];

function valuesHeldBack(campaign: CampaignHistory, partIn: PartByAge, dimensions: readonly string[]) {
  const first = firstMatureDay(campaign, partIn);
  const whole = campaign.sum(first ?? 0);
  // None surely sells more than others with so few in all.
  if (first === undefined || whole.cost === 0 || whole.conversions < minExpectedOfBetter) return [];
  const days = campaign.pastDays + 1 - first;
  const usualPayout = usualPayoutOf(campaign);
  const today = campaign.sum(0, 1).views;
  return dimensions.flatMap((dimension) => {
    const small = campaign.small.get(dimension);
    const histories = [...(campaign.groups.get(dimension)?.values() ?? []), ...(small ? [small] : [])];
    const visitsOfToday = histories.map((history) => history.sum(0, 1).views);
    const running = visitsOfToday.filter((visits) => visits > 0).length;
    if (running < 2) return [];
    const sums = new Map(histories.map((history) => [history, history.sum(first)]));
    const sound = new SoundValues(whole, sums, small);
    const allOfToday = dimension === 'offer' ? sum(visitsOfToday) : today;
    const isPage = !isPlacement(dimension);
    const maxPart = isPage ? maxOfEqualPart / running : maxPartOfPlacement;
    return lookAtValues(campaign, [dimension], (history): Look[] => {
      const own = sums.get(history);
      const visits = history.sum(0, 1).views;
      if (!own || visits === 0) return [];
      const part = ratio(visits, allOfToday);
      const look = part > maxPart ? undefined : lookAtValue(own, whole, sound, usualPayout, days);
      if (!look) return [];
      if (own.conversions <= look.expected) return [well];
      // Twice the visits are a careful guess at what there is to gain.
      const profit = carefulRevenue(own, usualPayout) - own.cost;
      const gain = isPage ? look.leadPerVisit * perDay(own.views, days) : perDay(profit, days);
      return [
        {
          chance: look.chance,
          age: (first + days) * 24,
          moneyPerDay: Math.max(gain, 0),
          figures: {
            ...{ visits: own.views, sales: own.conversions, expected_sales: look.expected },
            ...{ cost: own.cost, revenue: own.revenue, percent_of_visits: part * 100, days },
          },
        },
      ];
    });
  });
}

/** A page or offer that surely earns more than the others of its campaign and gets no more visits than they do. */
export const pagesHeldBack: Detector = (campaign, partIn) =>
  valuesHeldBack(campaign, partIn, ['landing_page', 'offer']);

/** A placement that surely earns more than the others and than it costs, and is a small part of the campaign. */
export const placementsHeldBack: Detector = (campaign, partIn) =>
  valuesHeldBack(campaign, partIn, [...campaign.groups.keys()].filter(isPlacement));

/** The days of a campaign whose sales are in, if it sells and still gets visits: their figures, and how likely chance makes such a return. */
function matureDays(campaign: CampaignHistory, partIn: PartByAge) {
  const first = firstMatureDay(campaign, partIn);
  const own = campaign.sum(first ?? 0);
  if (first === undefined || own.cost === 0 || own.conversions === 0 || campaign.sum(0, 1).views === 0)
    return undefined;
  const days = campaign.pastDays + 1 - first;
  const usualPayout = usualPayoutOf(campaign);
  return {
    ...{ own, days, age: (first + days) * 24 },
    profitPerDay: Math.max(perDay(carefulRevenue(own, usualPayout) - own.cost, days), 0),
    chanceOf: (factor: number) => chanceOfProfit(own, usualPayout, factor, days),
  };
}

/** A campaign is held back if it surely returns this many times its cost, more than the account by so much, with less than so much traffic. */
const [minReturnOfCampaign, minLeadOfCampaign, maxPartOfCampaign] = [2, 1.5, 0.5];

/** A campaign that surely returns much more than the account does, and gets far less traffic than its other campaigns. */
export const campaignHeldBack: Detector = (campaign, partIn, { usualVisits, usualReturn }) => {
  const mature = matureDays(campaign, partIn);
  if (!mature) return [];
  const { own, days, age, chanceOf, profitPerDay } = mature;
  const visits = perDay(own.views, days);
  if (visits > usualVisits * maxPartOfCampaign) return [];
  const factor = Math.max(minReturnOfCampaign, usualReturn * minLeadOfCampaign);
  return [
    {
      chance: chanceOf(factor),
      age,
      moneyPerDay: profitPerDay,
      figures: { cost: own.cost, revenue: own.revenue, sales: own.conversions, visits_a_day: visits, days },
    },
  ];
};

/** So many whole days tell whether each costs the same: all that are known, or the last, where a budget was set since. */
const budgetDays = [7, reviewedDays - 2] as const;

/** With fewer visits a day, days that cost the same are chance. */
const minVisitsOfBudget = 50;

/** That it earns is no news, so that it is looked for once. */
const maxChanceOfNoProfit = 0.01;

/** A campaign that earns, and surely costs the same each day, more closely than visits come by chance: a budget ends them. */
export const campaignCapped: Detector = (campaign, partIn) => {
  const mature = matureDays(campaign, partIn);
  if (!mature || mature.chanceOf(1) > maxChanceOfNoProfit) return [];
  const { own, days, profitPerDay } = mature;
  const byChance = perDay(campaign.costSquares, campaign.pastDays + 1);
  return leastLikely(
    budgetDays.map((count): Look | undefined => {
      if (campaign.pastDays <= count || perDay(campaign.sum(0, count).views, count) < minVisitsOfBudget)
        return undefined;
      const byDay = wholeDays(campaign, count);
      const [cost, scatter] = scatterOf(
        byDay.map((day) => day.cost),
        byChance,
      );
      const lastHour = median(byDay.map((day) => day.lastHour));
      // A price for a day, whoever comes, ends no visits.
      const areEnded = lastHour < 22 || scatterOf(byDay.map(({ visits }) => visits))[1] < maxScatterOfEnded;
      if (scatter >= 1 || cost === 0 || !areEnded) return well;
      return {
        chance: chanceOfEven(scatter, count - 1),
        age: count * 24,
        moneyPerDay: profitPerDay,
        figures: {
          ...{ cost: own.cost, revenue: own.revenue, sales: own.conversions, days },
          ...{ cost_a_day: cost, last_hour: lastHour },
        },
      };
    }),
  );
};

/** Visits of a campaign scatter from day to day at least this much of what chance makes them, if nothing ends them. */
const maxScatterOfEnded = 0.5;

/** The mean of some days, and how far they scatter, as a part of what chance makes of one; by default, of counts. */
function scatterOf(days: readonly number[], byChance?: number): readonly [mean: number, scatter: number] {
  const mean = sum(days) / days.length;
  return [mean, sum(days.map((amount) => (amount - mean) ** 2)) / (byChance ?? mean) / (days.length - 1)];
}

/** The whole days before today, the latest first: what each cost, its visits, and the hour in which its last ones came. */
const wholeDays = ({ hourOfNow, costByHour, visitsByHour }: CampaignHistory, count: number) =>
  Array.from({ length: count }, (_, day) => {
    const start = Math.floor(hourOfNow) + 1 + day * 24;
    return {
      cost: sumOfHours(costByHour, start, start + 24),
      visits: sumOfHours(visitsByHour, start, start + 24),
      lastHour: 23 - visitsByHour.subarray(start, start + 24).findIndex((visits) => visits > 0),
    };
  });

/**
 * How likely days scatter at most so little of what chance makes them: the lower tail of chi squared, bounded after Herman Chernoff, "A
 * measure of asymptotic efficiency", 1952.
 * @param scatter as a part of that, 0 to 1
 */
const chanceOfEven = (scatter: number, freedom: number): number =>
  Math.exp((freedom / 2) * (Math.log(Math.max(scatter, 1e-12)) + 1 - scatter));
