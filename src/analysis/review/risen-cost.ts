import { testsInRow, usualMove } from '../change/deviations.ts';
import { sum } from '../statistics/history.ts';
import { type Detector, perDay, ratio, well } from './looks.ts';
import { daysToCompare, minUsualDays, stepIn } from './steps.ts';

/** A visit that costs less than this many times what it did is no trouble. */
const minRise = 1.25;

/** Visits that cost more since a day, as after a raised bid, by more than days differ: the test by which a change of profit is explained. */
export const risenCost: Detector = (campaign) => {
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
  const { age, size, before, after } = stepIn(campaign, costs, views, {
    unit,
    chance,
    usual: usualMove.cost_per_visit,
  });
  const [usual, now] = [ratio(before.cost, before.views), ratio(after.cost, after.views)];
  if (usual === 0 || now < usual * minRise) return [well];
  return [
    {
      chance: Math.min(testsInRow(days.length - minUsualDays) * Math.exp(-(size ** 2) / 2), 1),
      age: age * 24,
      moneyPerDay: perDay((now - usual) * after.views, age),
      figures: { cost_a_visit: now, usual_cost_a_visit: usual, visits: after.views, days: age },
    },
  ];
};
