import { type Finding, reviewedDays } from '../analysis/account-review.ts';
import { valueAt } from '../analysis/coded.ts';
import { sum } from '../analysis/statistics/history.ts';
import type { TroubleKind } from '../answer/troubles.ts';
import { hourMs } from '../api/durations.ts';
import { type ListOfFinding, listsOf } from './review-placements.ts';
import type { CampaignVisits } from './reviewed-visits.ts';

/** What a visit has of the figure that moved; undefined of one that does not count. */
type FigureOf = (row: number) => number | undefined;

interface Step {
  /** Whether only an age of whole days is that of a step; others are known to the hour. */
  readonly isByDay?: true;
  /** The hours around the age of a finding in which it may have begun, and those before and after that show what was and what is. */
  readonly hours: readonly [around: number, shown: number];
  readonly figureIn: (finding: Finding, list: ListOfFinding) => FigureOf;
  /** Whether it is known by the last click: a few others may have clicked on after most could not. */
  readonly isByLast?: true;
}

const clicksOfValue: Step['figureIn'] = ({ dimension, value }, { readingOf, amounts: { clicks } }) => {
  const reading = readingOf(dimension);
  return (row) => (reading && valueAt(reading, row) === value ? Math.min(clicks[row] ?? 0, 1) : undefined);
};

/** Findings by whole days, or by a few numbers of them, of what moves at once: each visit shows it. */
const steps: Partial<Record<TroubleKind, Step>> = {
  clicks_fell: { hours: [96, 192], figureIn: clicksOfValue },
  page_without_clicks: { isByLast: true, hours: [168, 192], figureIn: clicksOfValue },
  click_rate_fell: {
    hours: [24, 96],
    figureIn:
      (_, { amounts: { clicks } }) =>
      (row) =>
        Math.min(clicks[row] ?? 0, 1),
  },
  clicks_of_no_people: {
    ...{ isByDay: true, hours: [24, 96] },
    figureIn: clicksOfValue,
  },
  cost_rose: {
    hours: [24, 72],
    figureIn: ({ dimension, value }, { readingOf, amounts: { cost } }) => {
      const reading = readingOf(dimension);
      return (row) => (value === undefined || (reading && valueAt(reading, row) === value) ? cost[row] : undefined);
    },
  },
  changed_elsewhere: {
    hours: [24, 72],
    figureIn: ({ dimension, value }, { readingOf }) => {
      const reading = readingOf(dimension);
      return (row) => {
        const own = reading && valueAt(reading, row);
        return own == null ? undefined : Number(own === value);
      };
    },
  },
};

/**
 * The age of a finding in hours: where its visits show the moment between two of them from which on their figure is another, it is that
 * moment, by least squares.
 */
export function ageOf(finding: Finding, visits: readonly CampaignVisits[], clock: number): number {
  const { kind, age } = finding;
  const step = steps[kind];
  if (!step || (step.isByDay && (age % 24 !== 0 || age >= reviewedDays * 24))) return age;
  const [around, shown] = step.hours;
  const seen = listsOf({ ...finding, age: age + shown }, visits, clock)
    .flatMap((list) => {
      const read = step.figureIn(finding, list);
      const ageAt = (row: number) => (clock - (list.moments[row] ?? Number.NaN)) / hourMs;
      return Array.from(list.rows, (row) => ({ age: ageAt(row), figure: read(row) }));
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
  return step.isByLast && !isNearlyNone(seen, onset, age) ? age : onset;
}

/** Of what is told to have stopped, so much may be left from when most of it did, which is so long before the last of it. */
const [maxLeft, minHoursBefore] = [0.2, 12];

/** Whether visits had hardly any of a figure from one age to another, long enough to have begun with the first. */
function isNearlyNone(seen: readonly { readonly age: number; readonly figure: number }[], from: number, to: number) {
  const rateOf = (visits: typeof seen) => sum(visits.map(({ figure }) => figure)) / visits.length;
  const [before, since] = [seen.filter(({ age }) => age > from), seen.filter(({ age }) => age <= from && age > to)];
  return from - to >= minHoursBefore && since.length > 0 && rateOf(since) <= maxLeft * rateOf(before);
}
