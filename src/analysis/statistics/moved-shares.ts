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
  if (!(sum(views) > 0 && sum(weights) > 0)) return false;
  const { moved, chiSquare } = differenceOf(views, weights, isExact);
  const isCertain = chiSquare === Number.POSITIVE_INFINITY;
  return moved >= minMoved && (isCertain || isMore(chiSquare, Math.max(views.length - 1, 1)));
}

/** Which part of the views is split differently, and how far that is from chance; infinite if a page has views that should have none. */
function differenceOf(views: readonly number[], weights: readonly number[], isExact: boolean) {
  const [allViews, allWeights] = [sum(views), sum(weights)];
  let [moved, chiSquare] = [0, 0];
  for (const [page, count] of views.entries()) {
    const part = (weights[page] ?? 0) / allWeights;
    const difference = count / allViews - part;
    moved += Math.abs(difference) / 2;
    // Without a change both samples have the same part.
    const common = isExact ? part : (count + part * allWeights) / (allViews + allWeights);
    if (common > 0) chiSquare += difference ** 2 / (common * (1 / allViews + (isExact ? 0 : 1 / allWeights)));
    else if (count > 0) chiSquare = Number.POSITIVE_INFINITY;
  }
  return { moved, chiSquare };
}

/** Neighbouring days on which a split moved. */
export interface Move {
  readonly from: string;
  readonly until: string;
}

/**
 * The days on which views are split anew, and stay so: what came since then differs surely from what came before. A single day that
 * seems different is no move, since in many days of many groups some do by chance. Among few views a move is seen days later: it was on
 * the day that splits them best.
 */
export function movesIn(days: readonly string[], viewsOn: (day: string) => readonly number[]): readonly Move[] {
  const views = days.map((day) => ({ day, views: viewsOn(day) }));
  const candidates = candidatesIn(views);
  const viewsFrom = (start = '', end = '9999') =>
    views
      .filter(({ day }) => day >= start && day < end)
      .reduce<readonly number[]>((all, { views: own }) => own.map((count, page) => count + (all[page] ?? 0)), []);
  const moves: Move[] = [];
  candidates.forEach((seen, index) => {
    const [last, end] = [candidates[index - 1]?.from, candidates[index + 1]?.from];
    if (!isSplitAnew(viewsFrom(seen.from, end), viewsFrom(last, seen.from), 'all days')) return;
    const start = moves.at(-1)?.until ?? '';
    const unlike = (day: string) => {
      const before = viewsFrom(start, day);
      return sum(before) > 0 ? differenceOf(viewsFrom(day, end), before, false).chiSquare : 0;
    };
    const earlier = days.filter((day) => day > start && day < seen.from);
    const best = earlier.reduce((one, other) => (unlike(other) > unlike(one) ? other : one), seen.from);
    moves.push(best < seen.from ? { from: best, until: best } : seen);
  });
  return moves;
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
