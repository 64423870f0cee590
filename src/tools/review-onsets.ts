import type { Finding } from '../analysis/account-review.ts';
import { valueAt } from '../analysis/coded.ts';
import { sum } from '../analysis/statistics/history.ts';
import type { TroubleKind } from '../answer/troubles.ts';
import { hourMs } from '../api/durations.ts';
import { type ListOfFinding, listsOf } from './review-placements.ts';
import type { CampaignVisits } from './reviewed-visits.ts';

/** What a visit has of the figure that moved; undefined of one that does not count. */
type FigureOf = (row: number) => number | undefined;

/** Findings by whole days of what moves at once: each visit shows it. */
const figures: Partial<Record<TroubleKind, (finding: Finding, list: ListOfFinding) => FigureOf>> = {
  clicks_fell: ({ dimension, value }, { readingOf, amounts: { clicks } }) => {
    const reading = readingOf(dimension);
    return (row) => (reading && valueAt(reading, row) === value ? Math.min(clicks[row] ?? 0, 1) : undefined);
  },
  cost_rose:
    (_, { amounts: { cost } }) =>
    (row) =>
      cost[row],
  changed_elsewhere: ({ dimension, value }, { readingOf }) => {
    const reading = readingOf(dimension);
    return (row) => {
      const own = reading && valueAt(reading, row);
      return own == null ? undefined : Number(own === value);
    };
  },
};

/** The hours around its day in which it may have begun, and those before and after that show what was and what is. */
const [aroundHours, shownHours] = [24, 72];

/** The same of what is looked for in a few numbers of days. */
const [aroundDays, shownDays] = [96, 192];

/**
 * The age of a finding in hours: where its visits show the moment between two of them from which on their figure is another, it is that
 * moment, by least squares.
 */
export function ageOf(finding: Finding, visits: readonly CampaignVisits[], clock: number): number {
  const { kind, age } = finding;
  const figureOf = figures[kind];
  const [around, shown] = kind === 'clicks_fell' ? [aroundDays, shownDays] : [aroundHours, shownHours];
  if (!figureOf) return age;
  const seen = listsOf({ ...finding, age: age + shown }, visits, clock)
    .flatMap((list) => {
      const read = figureOf(finding, list);
      return Array.from(list.rows, (row) => ({ age: (clock - list.momentOf(row)) / hourMs, figure: read(row) }));
    })
    .filter((visit): visit is { age: number; figure: number } => visit.figure !== undefined)
    .filter((visit) => visit.age > age - shown)
    .sort((one, other) => other.age - one.age);
  const mean = sum(seen.map(({ figure }) => figure)) / seen.length;
  let [before, best, onset] = [0, 0, age];
  for (const [count, visit] of seen.entries()) {
    const gain = count === 0 ? 0 : before ** 2 / (count * (seen.length - count));
    if (gain > best && Math.abs(visit.age - age) <= around) [best, onset] = [gain, visit.age];
    before += visit.figure - mean;
  }
  return onset;
}
