import { sum } from './history.ts';
import { deviationOf } from './scatter.ts';

const isBeyond = (deviation: number) => (chiSquare: number, freedom: number) =>
  deviationOf(chiSquare, freedom) > deviation;

/** Chi-square exceeds its expectation by four standard deviations. */
const isBeyondChance = (chiSquare: number, freedom: number) => chiSquare > freedom + 4 * Math.sqrt(2 * freedom);

/** What a split is compared with: the smallest part of the views that matters, and when it is more than chance. */
const comparisons = {
  /** Shares are exact, like a sample of infinite size. */
  shares: { minMoved: 0.03, isExact: true, isMore: isBeyondChance },
  'views before': { minMoved: 0.1, isExact: false, isMore: isBeyondChance },
  /** By chance in one of 1,000 cases: each day of a comparison is looked at. */
  'each day': { minMoved: 0.1, isExact: false, isMore: isBeyond(3.09) },
  /** By chance in about one of 300,000 cases: the days of many groups are looked at. */
  'all days': { minMoved: 0.03, isExact: false, isMore: isBeyond(4.5) },
} as const;

/**
 * Whether views are split differently from shares or earlier views, by more than chance and by enough to matter. Where a share is not
 * known, nothing shows it.
 */
export function isSplitAnew(
  views: readonly number[],
  before: readonly (number | null)[],
  by: keyof typeof comparisons,
): boolean {
  const { minMoved, isExact, isMore } = comparisons[by];
  const weights = before.map((weight) => weight ?? Number.NaN);
  const [allViews, allWeights] = [sum(views), sum(weights)];
  if (!(allViews > 0 && allWeights > 0)) return false;
  let moved = 0;
  let chiSquare = 0;
  for (const [page, count] of views.entries()) {
    const part = (weights[page] ?? 0) / allWeights;
    const difference = count / allViews - part;
    moved += Math.abs(difference) / 2;
    // Without a change both samples have the same part.
    const common = isExact ? part : (count + part * allWeights) / (allViews + allWeights);
    if (common > 0) chiSquare += difference ** 2 / (common * (1 / allViews + (isExact ? 0 : 1 / allWeights)));
    else if (count > 0) return moved >= minMoved;
  }
  return moved >= minMoved && isMore(chiSquare, Math.max(views.length - 1, 1));
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
    return isSplitAnew(viewsFrom(from, candidates[index + 1]?.from), before, 'all days');
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
    if (before && isSplitAnew(views, before, 'views before')) {
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
