import { sum } from './history.ts';
import { deviationOf } from './scatter.ts';

/** Smaller changes of the split do not mislead. */
const minMoved = { fromShares: 0.03, fromDayToDay: 0.1, forGood: 0.03 } as const;

/** A split has moved if chi-square exceeds its expectation by this many standard deviations. */
const deviations = 4;

const isBeyondChance = (chiSquare: number, freedom: number) =>
  chiSquare > freedom + deviations * Math.sqrt(2 * freedom);

const isBeyond = (deviation: number) => (chiSquare: number, freedom: number) =>
  deviationOf(chiSquare, freedom) > deviation;

/** By chance in one of 1,000 cases: each day of a comparison is looked at. */
const isRare = isBeyond(3.09);

/** By chance in about one of 300,000 cases: the days of many groups are looked at. */
const isSure = isBeyond(4.5);

/** Whether the views of a period are split as the shares require. If not, other shares applied before. */
export function fitShares(views: readonly number[], shares: readonly (number | null)[]): boolean {
  const weights = shares.map((share) => share ?? Number.NaN);
  // Shares are exact, like a sample of infinite size.
  return !hasMoved(views, weights, Number.POSITIVE_INFINITY, minMoved.fromShares);
}

/** Whether the views of two spans are split differently, by more than chance. */
export function haveSharesMoved(views: readonly number[], before: readonly number[]): boolean {
  return hasMoved(views, before, sum(before), minMoved.fromDayToDay);
}

/** The same of a day, if each day is looked at. */
export function haveSharesMovedOnDay(views: readonly number[], before: readonly number[]): boolean {
  return hasMoved(views, before, sum(before), minMoved.fromDayToDay, isRare);
}

/** Whether they are surely split differently, though many spans of many groups are looked at. */
function haveSharesSurelyMoved(views: readonly number[], before: readonly number[]): boolean {
  return hasMoved(views, before, sum(before), minMoved.forGood, isSure);
}

/** Whether views are split differently from `weights`, a sample of `size`, by more than chance and by enough to matter. */
function hasMoved(
  views: readonly number[],
  weights: readonly number[],
  size: number,
  minPart: number,
  hasExceeded = isBeyondChance,
): boolean {
  const [allViews, allWeights] = [sum(views), sum(weights)];
  if (!(allViews > 0 && allWeights > 0)) return false;
  let moved = 0;
  let chiSquare = 0;
  for (const [page, count] of views.entries()) {
    const part = (weights[page] ?? 0) / allWeights;
    const difference = count / allViews - part;
    moved += Math.abs(difference) / 2;
    // Without a change both samples have the same part.
    const common = size === Number.POSITIVE_INFINITY ? part : (count + part * size) / (allViews + size);
    if (common > 0) chiSquare += difference ** 2 / (common * (1 / allViews + 1 / size));
    else if (count > 0) return moved >= minPart;
  }
  const freedom = Math.max(views.length - 1, 1);
  return moved >= minPart && hasExceeded(chiSquare, freedom);
}

/** Neighbouring days on which a split moved. */
export interface Move {
  readonly from: string;
  readonly until: string;
}

/**
 * The days on which views are split anew, and stay so: what came since then differs surely from what came before. A single day that
 * seems different is no move, since in many days of many groups some do by chance.
 */
export function movesIn(days: readonly string[], viewsOn: (day: string) => readonly number[]): readonly Move[] {
  const views = days.map((day) => ({ day, views: viewsOn(day) }));
  const candidates = candidatesIn(views);
  const viewsFrom = (start = '', end = '9999') =>
    views
      .filter(({ day }) => day >= start && day < end)
      .reduce<readonly number[]>((all, { views: own }) => own.map((count, page) => count + (all[page] ?? 0)), []);
  return candidates.filter(({ from }, index) => {
    const before = viewsFrom(candidates[index - 1]?.from, from);
    return haveSharesSurelyMoved(viewsFrom(from, candidates[index + 1]?.from), before);
  });
}

interface ViewsOfDay {
  readonly day: string;
  /** By page. */
  readonly views: readonly number[];
}

/** The days on which views seem to be split differently from the days before. */
function candidatesIn(days: readonly ViewsOfDay[]): readonly Move[] {
  const moves: { from: string; until: string }[] = [];
  let before: readonly number[] | undefined;
  let lastMoved = -1;
  for (const [index, { day, views }] of days.entries()) {
    if (sum(views) === 0) continue;
    const last = moves.at(-1);
    if (before && haveSharesMoved(views, before)) {
      if (last && lastMoved === index - 1) last.until = day;
      else moves.push({ from: day, until: day });
      lastMoved = index;
      before = views;
      continue;
    }
    // The sum of all days since a move is surer than the day before.
    before = before && lastMoved < index - 1 ? before.map((count, page) => count + (views[page] ?? 0)) : views;
  }
  return moves;
}
