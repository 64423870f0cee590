import { testsInRow } from '../change/deviations.ts';
import { usualMove } from '../change/factor-tests.ts';
import { sum } from '../statistics/history.ts';
import { type GroupFigures, without } from '../visit-groups.ts';
import type { CampaignHistory, History } from './campaign-history.ts';
import {
  type Detector,
  minExpected,
  type PartByAge,
  perDay,
  placementsIn,
  ratio,
  type Suspicion,
  well,
} from './looks.ts';
import { partInOfDays } from './money.ts';
import { daysToCompare, minUsualDays, stepIn } from './steps.ts';

/** A visit that costs less than this many times what it did is no trouble. */
const minRise = 1.25;

/** Visits that cost more since a day, as after a raised bid, by more than days differ: the test by which a change of profit is explained. */
export const risenCost: Detector = (campaign, partIn) => {
  const days = daysToCompare(campaign);
  const [costs, views] = [days.map(({ cost }) => cost), days.map((day) => day.views)];
  const cost = sum(costs);
  if (cost === 0) return [];
  let [isRise, lateCost, lateViews] = [false, 0, 0];
  for (let day = days.length - 1; day >= minUsualDays; day -= 1) {
    lateCost += costs[day] ?? 0;
    lateViews += views[day] ?? 0;
    isRise ||= ratio(lateCost, lateViews) >= minRise * ratio(cost - lateCost, sum(views) - lateViews);
  }
  if (!isRise) return [well];
  const unit = campaign.costSquares / cost;
  const chance = unit - cost / sum(views);
  const { age, size } = stepIn(campaign, costs, views, { unit, chance, usual: usualMove.cost_per_visit });
  const whole = riseOf(campaign.sum(age), campaign.sum(0, age));
  if (!whole.isRise) return [well];
  return [
    {
      chance: Math.min(testsInRow(days.length - minUsualDays) * Math.exp(-(size ** 2) / 2), 1),
      age: age * 24,
      ...(placementOfRise(campaign, age, whole, partIn) ?? aboutRise(whole, age)),
    },
  ];
};

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

const aboutRise = ({ usual, now, visits, more }: Rise, days: number) => ({
  moneyPerDay: perDay(more, days),
  figures: { cost_a_visit: now, usual_cost_a_visit: usual, visits, days },
});

/** A placement that carries a rise has this part of it. */
const minPartOfRise = 0.5;

/** The smallest placement that carries a rise: without it the campaign's visits cost what they did. */
function placementOfRise(
  campaign: CampaignHistory,
  age: number,
  whole: Rise,
  partIn: PartByAge,
): Omit<Suspicion, 'kind' | 'chance' | 'age'> | undefined {
  const [before, after] = [campaign.sum(age), campaign.sum(0, age)];
  const found = placementsIn(campaign).flatMap((dimension) =>
    [...(campaign.groups.get(dimension) ?? [])].flatMap(([value, history]) => {
      const [ownBefore, own] = [history.sum(age), history.sum(0, age)];
      const rise = riseOf(ownBefore, own);
      const rest = riseOf(without(before, ownBefore), without(after, own));
      const carries = ownBefore.views >= minExpected && rest.usual > 0 && rest.now > 0 && !rest.isRise;
      return carries && rise.more >= minPartOfRise * whole.more ? [{ dimension, value, history, rise }] : [];
    }),
  );
  const [first] = found.toSorted((one, other) => one.rise.visits - other.rise.visits);
  if (!first) return undefined;
  const { dimension, value, history, rise } = first;
  return { dimension, value, ...aboutRise(rise, age), ...(isWorthIt(history, age, partIn) ? { isWorthIt: true } : {}) };
}

/** Whether visits earn more than they cost, late sales included. */
function isWorthIt(history: History, days: number, partIn: PartByAge): boolean {
  const { cost, revenue } = history.sum(0, days);
  return revenue > cost * partInOfDays(partIn, days);
}
