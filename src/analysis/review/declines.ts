/** Detectors of what does a little less each day, such as an ad that its visitors have seen too often. */

import { at, sum } from '../statistics/history.ts';
import { without } from '../visit-groups.ts';
import type { CampaignHistory, History } from './campaign-history.ts';
import {
  asOneLook,
  type Detector,
  isPlacement,
  type Look,
  lookAtValues,
  minExpected,
  perDay,
  ratio,
  well,
} from './looks.ts';

/** With fewer days a line and a step look alike. */
export const minDaysOfDecline = 8;

/** A day with fewer visits of a value, or of the others, has no rate. */
const minVisits = 20;

/** A rate that keeps more than this part is merely worse. */
const maxPartKept = 0.7;

/** A placement or page of whose visits fewer and fewer click, though of the others no fewer do. */
export const decliningClicks: Detector = (campaign) => {
  if (campaign.pastDays + 1 < minDaysOfDecline) return [];
  const dimensions = [...[...campaign.groups.keys()].filter(isPlacement), 'landing_page'];
  return dimensions.flatMap((dimension) => {
    const lines = new Map<History, Line>();
    for (const history of campaign.groups.get(dimension)?.values() ?? []) {
      const points = history.sum(0).clicks < minDaysOfDecline * minExpected ? [] : pointsOf(campaign, history);
      if (points.length >= minDaysOfDecline) lines.set(history, lineThrough(points));
    }
    const usual = usualScatterOf([...lines.values()]);
    return asOneLook(
      lookAtValues(campaign, [dimension], (history) => {
        const line = lines.get(history);
        return line ? [lookForDecline(campaign, history, line, usual)] : [];
      }),
    );
  });
};

/** The clicks of a visit on a day, by those of the others' visits, as a logarithm. */
interface Point {
  readonly day: number;
  readonly value: number;
  /** The inverse of its variance by chance. */
  readonly weight: number;
}

function lookForDecline(campaign: CampaignHistory, history: History, line: Line, usual: Scatter): Look {
  const { points } = line;
  const [first, last] = [at(points, 0).day, at(points, points.length - 1).day];
  const [began, now] = [line.at(first), line.at(last)];
  // What fell at once is another finding.
  if (now - began > Math.log(maxPartKept) || line.error >= leastErrorOfStep(points)) return well;
  const [ofOldest, lately, all] = [history.sum(campaign.pastDays - 2), history.sum(0, 3), history.sum(0)];
  const ofAll = campaign.sum(0, 3);
  const lostClicks = perDay(lately.views, 3) * ratio(ofAll.clicks, ofAll.views) * (Math.exp(began) - Math.exp(now));
  const days = last - first + 1;
  return {
    chance: chanceOfSlope(line, usual),
    age: days * 24,
    moneyPerDay: Math.max(lostClicks * ratio(all.revenue, all.clicks), 0),
    figures: {
      ...{ visits: all.views, clicks: all.clicks, days },
      percent_before: ratio(ofOldest.clicks, ofOldest.views) * 100,
      percent_that_click: ratio(lately.clicks, lately.views) * 100,
    },
  };
}

function pointsOf(campaign: CampaignHistory, history: History): readonly Point[] {
  const points: Point[] = [];
  for (let age = campaign.pastDays; age >= 0; age -= 1) {
    const own = at(history.days, age);
    const others = without(at(campaign.days, age), own);
    if (Math.min(own.views, others.views) < minVisits) continue;
    // Half a click more, so that a day without any has a rate.
    const [logOf, varianceOf] = [
      ({ clicks, views }: typeof own) => Math.log((clicks + 0.5) / (views + 1)),
      ({ clicks, views }: typeof own) => 1 / (clicks + 0.5) - 1 / (views + 1),
    ];
    const weight = 1 / (varianceOf(own) + varianceOf(others));
    points.push({ day: campaign.pastDays - age, value: logOf(own) - logOf(others), weight });
  }
  return points;
}

/** The line of least squares through points, with what is left of them, and its slope by standard deviations. */
function lineThrough(points: readonly Point[]) {
  const total = sum(points.map(({ weight }) => weight));
  const meanOf = (of: (point: Point) => number) => sum(points.map((point) => point.weight * of(point))) / total;
  const [middle, height] = [meanOf(({ day }) => day), meanOf(({ value }) => value)];
  const spread = sum(points.map(({ day, weight }) => weight * (day - middle) ** 2));
  const slope = sum(points.map(({ day, value, weight }) => weight * (day - middle) * (value - height))) / spread;
  const valueAt = (day: number) => height + slope * (day - middle);
  const error = sum(points.map(({ day, value, weight }) => weight * (value - valueAt(day)) ** 2));
  return { points, at: valueAt, error, slope: slope * Math.sqrt(spread) };
}

type Line = ReturnType<typeof lineThrough>;

const freedomOf = ({ points }: Pick<Line, 'points'>) => points.length - 2;

/** How far days are from their line, as a variance by that of chance, and of how many degrees of freedom that is known. */
interface Scatter {
  readonly variance: number;
  readonly freedom: number;
}

/** All values of a dimension tell how far days scatter; they count as two, since values differ in that. Chance makes the least. */
function usualScatterOf(lines: readonly Line[]): Scatter {
  const freedom = sum(lines.map(freedomOf));
  const variance = Math.max(sum(lines.map(({ error }) => error)) / Math.max(freedom, 1), 1);
  return { variance, freedom: Math.min(2 * Math.max(...lines.map(freedomOf), 0), freedom) };
}

/** What is left of points if they are of two heights, one before a day and one from it on: of the best such day. */
function leastErrorOfStep(points: readonly Point[]): number {
  const errorOf = (some: readonly Point[]) => {
    const mean = sum(some.map(({ value, weight }) => value * weight)) / sum(some.map(({ weight }) => weight));
    return sum(some.map(({ value, weight }) => weight * (value - mean) ** 2));
  };
  const steps = points
    .slice(1)
    .map((_, index) => errorOf(points.slice(0, index + 1)) + errorOf(points.slice(index + 1)));
  return Math.min(...steps);
}

/**
 * How likely chance makes so steep a fall: Student's t, as a normal variable (D. L. Wallace, "Bounds on normal approximations to Student's
 * and the chi-square distributions", 1959), whose tail is bounded by Mills' ratio.
 */
function chanceOfSlope(line: Line, usual: Scatter): number {
  const freedom = freedomOf(line) + usual.freedom;
  const variance = (line.error + usual.variance * usual.freedom) / freedom;
  const t = Math.abs(line.slope) / Math.sqrt(Math.max(variance, 1));
  const deviations = ((8 * freedom + 1) / (8 * freedom + 3)) * Math.sqrt(freedom * Math.log1p(t ** 2 / freedom));
  return deviations < 1 ? 1 : Math.exp(-(deviations ** 2) / 2) / (deviations * Math.sqrt(2 * Math.PI));
}
