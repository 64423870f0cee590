import { usualMove } from '../change/factor-tests.ts';
import { sum } from '../statistics/history.ts';
import { chanceOfAtMost, type Detector, minExpected, perDay, ratio, scatterOver, well } from './looks.ts';
import { partInOfDays, scatterOfDelay } from './money.ts';
import { daysToCompare, stepIn } from './steps.ts';

/** Fewer visits than so many times the usual ones are no growth, and sales that grew by this part of it are a gain. */
const [minGrowth, minPartOfGain] = [1.3, 0.25];

/** Visits that grew since a day, cost as much more, and bring no more sales: more of people who do not buy, or of bots. */
export const grownUnsold: Detector = (campaign, partIn) => {
  const days = daysToCompare(campaign);
  const views = days.map((day) => day.views);
  if (sum(views) === 0) return [];
  const each = views.map(() => 1);
  const { age, before, after } = stepIn(campaign, views, each, { unit: 1, chance: 1, usual: usualMove.visits });
  const daysBefore = days.length - age;
  const usual = perDay(before.views, daysBefore);
  const areIn = Array.from({ length: age }, (_, ago) => partIn(ago));
  const rate = ratio(before.conversions, before.views);
  const expected = rate * sum(areIn.map((part, ago) => part * campaign.sum(ago, ago + 1).views));
  const asBefore = rate * usual * sum(areIn);
  if (asBefore < minExpected) return [];
  const { conversions: sales } = after;
  const moneyPerDay = perDay(after.cost - after.revenue, age) - perDay(before.cost - before.revenue, daysBefore);
  if (after.views < minGrowth * usual * age || moneyPerDay <= 0) return [well];
  if (sales > asBefore + minPartOfGain * (expected - asBefore)) return [well];
  const scatter = scatterOver(age) + 1 / before.conversions + scatterOfDelay(partInOfDays(partIn, age));
  return [
    {
      chance: chanceOfAtMost(sales, expected, scatter),
      age: age * 24,
      moneyPerDay,
      figures: {
        visits_a_day: perDay(after.views, age),
        usual_visits_a_day: usual,
        sales,
        expected_sales: expected,
        days: age,
      },
    },
  ];
};
