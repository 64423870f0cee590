import { testsInRow } from '../change/deviations.ts';
import { usualMove } from '../change/factor-tests.ts';
import { sum } from '../statistics/history.ts';
import { type GroupFigures, without } from '../visit-groups.ts';
import type { CampaignHistory, History } from './campaign-history.ts';
import {
  type Detector,
  dimensionsOfVisits,
  minExpected,
  type PartByAge,
  perDay,
  ratio,
  type Suspicion,
  well,
} from './looks.ts';
import { partInOfDays } from './money.ts';
import { daysToCompare, minUsualDays, stepIn } from './steps.ts';

/** A visit that costs less than this many times what it did is no trouble; of a placement more, since each has prices of its own. */
const [minRise, minRiseOfValue] = [1.25, 1.5];

/**
 * Visits that cost more since a day, as after a raised bid, by more than days differ: the test by which a change of profit is explained. It
 * is the campaign, the placement or part of its visitors that carries its rise, or one whose own price rose while the others' did not.
 */
export const risenCost: Detector = (campaign, partIn) => {
  const cost = campaign.sum(0).cost;
  if (cost === 0 || daysToCompare(campaign).length === 0) return [];
  // What the price of one visit adds to the scatter of sums.
  const unit = campaign.costSquares / cost;
  const scatter = { unit, chance: unit - cost / campaign.sum(0).views, usual: usualMove.cost_per_visit };
  const step = stepOfCost(campaign, scatter, minRise);
  if (step) {
    const { age, chance, rise } = step;
    const about = valueOfRise(campaign, age, rise, partIn) ?? aboutRise(campaign, rise, age, partIn);
    return [{ chance, age: age * 24, ...about }];
  }
  return [valueThatRose(campaign, scatter, partIn) ?? well];
};

/** Whose visits sources may have a price for: carriers are providers. */
const pricedDimensions = (campaign: CampaignHistory) => [...dimensionsOfVisits(campaign), 'isp'];

/** The day since which visits cost more, and how likely that is by chance; undefined if they do not. */
function stepOfCost(history: History, scatter: Parameters<typeof stepIn>[3], min: number) {
  if (!mayHaveRisen(history, min)) return undefined;
  const days = daysToCompare(history);
  const [costs, views] = [days.map(({ cost }) => cost), days.map((day) => day.views)];
  const { age, size } = stepIn(history, costs, views, scatter);
  const rise = riseOf(history.sum(age), history.sum(0, age));
  const chance = Math.min(testsInRow(days.length - minUsualDays) * Math.exp(-(size ** 2) / 2), 1);
  return rise.usual > 0 && rise.now >= rise.usual * min ? { age, chance, rise } : undefined;
}

/** Whether visits cost so much more since any day. It is asked of all values, of which most did not rise. */
function mayHaveRisen(history: History, min: number): boolean {
  const { pastDays } = history;
  let [cost, views, lateCost, lateViews] = [0, 0, 0, 0];
  for (let age = pastDays; age >= 0; age -= 1) {
    cost += history.on(age, 'cost');
    views += history.on(age, 'views');
  }
  for (let age = 0; age <= pastDays - minUsualDays; age += 1) {
    lateCost += history.on(age, 'cost');
    lateViews += history.on(age, 'views');
    if (ratio(lateCost, lateViews) >= min * ratio(cost - lateCost, views - lateViews)) return true;
  }
  return false;
}

/** The value whose visits cost more since a day, though the campaign's others do not: of several, the one that costs most more. */
function valueThatRose(
  campaign: CampaignHistory,
  scatter: Parameters<typeof stepIn>[3],
  partIn: PartByAge,
): Omit<Suspicion, 'kind'> | undefined {
  const none = new Map<string, History>();
  const groups = pricedDimensions(campaign).map((name) => [name, campaign.groups.get(name) ?? none] as const);
  const risen = groups.flatMap(([dimension, histories]) =>
    [...histories].flatMap(([value, history]) => {
      const step = stepOfCost(history, scatter, minRiseOfValue);
      if (!step || step.rise.visits < minExpected) return [];
      const rest = riseBesides(campaign, history, step.age);
      return rest.isRise || rest.usual === 0 ? [] : [{ dimension, value, history, ...step }];
    }),
  );
  const least = Math.min(...risen.map(({ chance }) => chance));
  // At least 0.7 times as many standard deviations as the surest.
  const found = smallestOfMost(risen.filter(({ chance }) => chance <= Math.sqrt(least)));
  if (!found) return undefined;
  const { dimension, value, history, age, chance, rise } = found;
  const looked = sum(groups.map(([, { size }]) => size));
  const chanceOfAny = Math.min(chance * looked, 1);
  return { dimension, value, chance: chanceOfAny, age: age * 24, ...carried(history, rise, age, partIn) };
}

interface Rise {
  readonly usual: number;
  readonly now: number;
  readonly isRise: boolean;
  readonly visits: number;
  /** What the visits cost more. */
  readonly more: number;
}

function riseOf(before: GroupFigures, after: GroupFigures): Rise {
  const [usual, now] = [ratio(before.cost, before.views), ratio(after.cost, after.views)];
  const isRise = usual > 0 && now >= usual * minRise;
  return { usual, now, isRise, visits: after.views, more: (now - usual) * after.views };
}

/** That of the campaign's others. */
const riseBesides = (campaign: History, own: History, age: number): Rise =>
  riseOf(without(campaign.sum(age), own.sum(age)), without(campaign.sum(0, age), own.sum(0, age)));

function aboutRise(history: History, { usual, now, visits, more }: Rise, days: number, partIn: PartByAge) {
  const [before, since, daysBefore] = [history.sum(days), history.sum(0, days), history.pastDays + 1 - days];
  // A raised bid also buys other visits. Sales that are still to come count.
  const earned = since.revenue / Math.max(partInOfDays(partIn, days), minPartIn);
  return {
    moneyPerDay: perDay(more, days),
    figures: {
      ...{ cost_a_visit: now, usual_cost_a_visit: usual, visits, days },
      ...{ usual_visits_a_day: perDay(before.views, daysBefore), visits_a_day: perDay(visits, days) },
      usual_profit_a_day: perDay(before.revenue - before.cost, daysBefore),
      profit_a_day: perDay(earned - since.cost, days),
    },
  };
}

/** With less of the sales in, how many are to come is a guess. */
const minPartIn = 0.3;

/** What carries a rise has this part of it, and about as much of it as any other value. */
const [minPartOfRise, minPartOfMost] = [0.5, 0.9];

/** The smallest placement or part of the visitors that carries a rise: without it the campaign's visits cost what they did. */
function valueOfRise(
  campaign: CampaignHistory,
  age: number,
  whole: Rise,
  partIn: PartByAge,
): Omit<Suspicion, 'kind' | 'chance' | 'age'> | undefined {
  const found = pricedDimensions(campaign).flatMap((dimension) =>
    [...(campaign.groups.get(dimension) ?? [])].flatMap(([value, history]) => {
      const [ownBefore, own] = [history.sum(age), history.sum(0, age)];
      const rise = riseOf(ownBefore, own);
      const rest = riseBesides(campaign, history, age);
      const carries = ownBefore.views >= minExpected && rest.usual > 0 && rest.now > 0 && !rest.isRise;
      return carries && rise.more >= minPartOfRise * whole.more ? [{ dimension, value, history, rise }] : [];
    }),
  );
  const first = smallestOfMost(found);
  if (!first) return undefined;
  const { dimension, value, history, rise } = first;
  return { dimension, value, ...carried(history, rise, age, partIn) };
}

/** Of values that have about as much of a rise as the one that has most, the smallest. */
function smallestOfMost<Found extends { readonly rise: Rise }>(found: readonly Found[]): Found | undefined {
  const most = Math.max(...found.map(({ rise }) => rise.more));
  return found
    .filter(({ rise }) => rise.more >= minPartOfMost * most)
    .toSorted((one, other) => one.rise.visits - other.rise.visits)
    .at(0);
}

const carried = (history: History, rise: Rise, age: number, partIn: PartByAge) => ({
  ...aboutRise(history, rise, age, partIn),
  ...(isWorthIt(history, age, partIn) ? { isWorthIt: true as const } : {}),
});

/** Whether visits earn more than they cost, late sales included. */
function isWorthIt(history: History, days: number, partIn: PartByAge): boolean {
  const { cost, revenue } = history.sum(0, days);
  return revenue > cost * partInOfDays(partIn, days);
}
