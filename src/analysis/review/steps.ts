import { bestBoundary, type Scatter } from '../change/whole.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type History, reviewedDays } from './campaign-history.ts';

/** So many days show what is usual before a step. */
export const minUsualDays = 3;

/** A step that is longer ago is out of sight: too few days before it are left. */
export const daysOfSteps = reviewedDays - minUsualDays;

/** The days of a campaign or value since its first visit, the oldest first; none if they are too few to have a step. */
export function daysToCompare(campaign: History): readonly GroupFigures[] {
  const days = campaign.days.slice(0, campaign.pastDays + 1).toReversed();
  return days.length > minUsualDays ? days : [];
}

/**
 * The step of a rate: how many days ago it began, by how many standard deviations, and the figures before it and since then.
 * @param parts of the days to compare, and the wholes that they are of
 */
export function stepIn(
  campaign: History,
  parts: readonly number[],
  wholes: readonly number[],
  scatter: Omit<Scatter, 'minDaysOfNone'>,
) {
  const ofSome = { ...scatter, minDaysOfNone: Number.POSITIVE_INFINITY };
  const { day, size } = bestBoundary(parts, wholes, minUsualDays, ofSome);
  const age = parts.length - day;
  return { age, size, before: campaign.sum(age), after: campaign.sum(0, age) };
}
