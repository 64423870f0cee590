import { expect, it } from 'vitest';
import { at } from '../../../src/analysis/statistics/history.ts';
import { planTest } from '../../../src/analysis/statistics/planned-test.ts';
import { askDaily, laws, type Setting, seeded } from '../../calibrate/simulated-campaigns.ts';

const byChance = { chiSquare: 1, days: 1 };
const half = { parts: [0.5, 0.5], rate: 0.02, worths: [{ value: 10, count: 1 }], scatterPerDay: byChance };
const daysOf = (plan: ReturnType<typeof planTest>) => plan?.days ?? Number.POSITIVE_INFINITY;

it.each([
  ['fixed payouts', { law: 'fixed', listing: 'missing', lead: 0.5, viewsPerDay: 3000, pages: 2 }],
  ['payouts that vary', { law: 'exponential', listing: 'listed', lead: 1, viewsPerDay: 1500, pages: 2 }],
  ['three pages', { law: 'fixed', listing: 'missing', lead: 0.7, viewsPerDay: 3000, pages: 3 }],
] as const)('planned days are those that tests take: %s', (_, setting: Setting) => {
  const days = Array.from({ length: 15 }, (__, seed) => askDaily(setting, 40, seed + 1, 1, 'clear').clearOn ?? 41).sort(
    (one, other) => one - other,
  );
  const random = seeded(5);
  const worths = Array.from({ length: 300 }, () => ({ value: Math.round(laws[setting.law](random)), count: 1 }));
  const parts = Array.from({ length: setting.pages }, () => 1 / setting.pages);
  const plan = planTest({ ...half, worths, parts, viewsPerDay: setting.viewsPerDay ?? 0 }, setting.lead);
  const median = at(days, 7);
  expect(plan?.low).toBeLessThanOrEqual(median);
  expect(plan?.high).toBeGreaterThanOrEqual(median);
  expect(daysOf(plan) / median).toBeGreaterThan(0.6);
  expect(daysOf(plan) / median).toBeLessThan(1.7);
});

it('a plan is longer for a smaller lead, less traffic, uneven shares, more pages and days that scatter', () => {
  const usual = daysOf(planTest({ ...half, viewsPerDay: 2000 }, 0.3));
  const others = [
    planTest({ ...half, viewsPerDay: 2000 }, 0.2),
    planTest({ ...half, viewsPerDay: 1000 }, 0.3),
    planTest({ ...half, viewsPerDay: 2000, parts: [0.1, 0.9] }, 0.3),
    planTest({ ...half, viewsPerDay: 2000, parts: [1 / 3, 1 / 3, 1 / 3] }, 0.3),
    planTest({ ...half, viewsPerDay: 2000, scatterPerDay: { chiSquare: 4, days: 1 } }, 0.3),
  ].map(daysOf);
  for (const days of others) expect(days).toBeGreaterThan(usual);
  expect(planTest({ ...half, viewsPerDay: 2000 }, 0)).toBeNull();
});
