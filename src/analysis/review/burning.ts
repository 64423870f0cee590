/** Detectors of placements that cost more than they bring back. */

import { at } from '../statistics/history.ts';
import { type GroupFigures, without } from '../visit-groups.ts';
import { type History, partsOfVisitors, reviewedDays } from './campaign-history.ts';
import {
  asOneLook,
  chanceOfAtMost,
  type Detector,
  hasEnded,
  isPlacement,
  type Look,
  leastLikely,
  lookAtValues,
  minExpected,
  minExpectedOfStop,
  type PartByAge,
  perDay,
  ratio,
  scatterOver,
  well,
  wholesIn,
} from './looks.ts';
import { chanceOfLoss, lossOf, partInOfDays } from './money.ts';

/** The numbers of days over which a placement may burn money. */
const burningDays = [2, reviewedDays] as const;

/** A part of the visitors that always loses money is bought on purpose; with so many times the visits a day that it had, it is new. */
const timesMoreVisits = 2;

/**
 * A placement or keyword that loses money and sells less than the campaign does, or a new part of its visitors. What was blocked, or ended,
 * burns no more.
 */
export const burningPlacements: Detector = (campaign, partIn) => {
  const all = campaign.sum(0);
  const meanRevenue = ratio(all.revenue, all.conversions);
  if (meanRevenue === 0) return [];
  const spans = burningDays.map((days) => ({ days, campaign, whole: campaign.sum(0, days), meanRevenue, partIn }));
  const placements = [...campaign.groups.keys()].filter(isPlacement);
  const [newDays] = burningDays;
  const isNew = (history: History) =>
    perDay(history.sum(0, newDays).views, newDays) >
    timesMoreVisits * perDay(history.sum(newDays).views, campaign.pastDays + 1 - newDays);
  const lookAt = (history: History) =>
    hasEnded(campaign, history)
      ? [{ ...well, chance: 0 }]
      : leastLikely(spans.map((span) => lookForLoss(history, span)));
  return [
    ...placements.flatMap((dimension) => {
      const span = { ...at(spans, 1), best: bestOf(campaign.groups.get(dimension)?.values() ?? []) };
      const poor = lookAtValues(campaign, [dimension], (history) => {
        const look = hasEnded(campaign, history) ? undefined : lookForFewSales(history, span);
        return look ? [look] : [];
      });
      return leastLikelyOf([...lookAtValues(campaign, [dimension], lookAt), ...asOneLook(poor)]);
    }),
    ...lookAtValues(campaign, [...partsOfVisitors, 'isp'], (history) => (isNew(history) ? lookAt(history) : [])),
  ];
};

/** Of looks at the same value the one that is least likely by chance. */
function leastLikelyOf(looks: readonly LookAtValue[]): LookAtValue[] {
  const least = new Map<LookAtValue['value'], LookAtValue>();
  for (const look of looks) {
    const known = least.get(look.value);
    if (!look.isWell && (!known || look.chance < known.chance)) least.set(look.value, look);
  }
  return looks.filter((look) => look.isWell || least.get(look.value) === look);
}

type LookAtValue = ReturnType<typeof lookAtValues>[number];

/** The value that sells best: beside it, others seem poor. */
function bestOf(values: Iterable<History>): History | undefined {
  let [best, most] = [undefined as History | undefined, 0];
  for (const history of values) {
    const { views, conversions } = history.sum(0);
    const rate = conversions < minExpectedOfStop ? 0 : conversions / views;
    if (rate > most) [best, most] = [history, rate];
  }
  return best;
}

/** A placement that sells this part of what the campaign's others do is poor; with fewer expected, not even none at all shows it. */
const [maxPartOfPoor, minExpectedOfPoor] = [0.6, 1.5 * minExpected];

/** A placement that surely sells far less than the others do, and brings back less than it costs. */
function lookForFewSales(
  history: History,
  { days, campaign, whole, partIn, best }: BurningSpan & { readonly best: History | undefined },
): Look | undefined {
  const sums = history.sum(0, days);
  if (!best || best === history) return undefined;
  const rest = without(without(whole, sums), best.sum(0, days));
  // Most are too small.
  if (sums.views * rest.conversions < minExpectedOfPoor * rest.views) return undefined;
  const parts = Array.from({ length: days }, (_, age) => partIn(age));
  const [viewsIn, ofBest, ofAll] = [history, best, campaign].map((some) =>
    wholesIn(some, visitsThatSell, parts, 0, days),
  ) as [number, number, number];
  const expected = viewsIn * ratio(rest.conversions, ofAll - viewsIn - ofBest);
  if (expected < minExpectedOfPoor) return undefined;
  const isLoss = sums.revenue < sums.cost * partInOfDays(partIn, days);
  if (!isLoss || sums.conversions > expected * maxPartOfPoor) return well;
  const { cost, revenue, clicks, conversions: sales } = sums;
  return {
    chance: chanceOfAtMost(sales, expected, scatterOver(days) + 1 / rest.conversions),
    age: Math.min(days * 24, history.firstVisit),
    moneyPerDay: perDay(cost - revenue, Math.min(days, Math.ceil(history.firstVisit / 24))),
    figures: { cost, revenue, clicks, sales, days, expected_sales: expected },
  };
}

const visitsThatSell = { what: 'conversions', of: 'views' } as const;

/** Some last days of a campaign, and its visits in them. */
interface BurningSpan {
  readonly days: number;
  readonly campaign: History;
  readonly whole: GroupFigures;
  readonly meanRevenue: number;
  readonly partIn: PartByAge;
}

function lookForLoss(history: History, { days, whole, meanRevenue, partIn }: BurningSpan): Look | undefined {
  const sums = history.sum(0, days);
  if (sums.cost / meanRevenue < minExpected) return undefined;
  const loss = chanceOfLoss(sums, days, meanRevenue, partIn);
  if (loss === undefined) return well;
  const rest = without(whole, sums);
  const expected = (sums.views * rest.conversions) / Math.max(rest.views, 1);
  // If the whole campaign loses, a placement that sells as much as the others is not the trouble.
  const chanceOfSales = rest.revenue > rest.cost ? 0 : chanceOfAtMost(sums.conversions, expected, scatterOver(days));
  return { chance: Math.max(loss, chanceOfSales), ...lossOf(history, partIn) };
}
