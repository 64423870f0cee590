import type { PlacedPage } from './page-rows.ts';
import { sum } from './statistics/history.ts';
import { haveSharesMoved, haveSharesSurelyMoved } from './statistics/usable-days.ts';

/** What a request set of a page's traffic, and what was there before; a value that is not known is absent. */
export interface SplitStep {
  readonly page: string;
  readonly set: Traffic;
  readonly before: Traffic;
}

interface Traffic {
  readonly share?: number | undefined;
  readonly active?: boolean | undefined;
}

/**
 * The parts of the visitors that pages should have had before some requests, from the shares of today.
 * @param undone the requests, latest first
 * @param done requests right before these, which surely set what they set
 * @returns undefined if one is unknown
 */
export function partsBefore(
  pages: readonly Pick<PlacedPage, 'pageId' | 'share' | 'active'>[],
  undone: readonly SplitStep[],
  done: readonly SplitStep[] = [],
): readonly number[] | undefined {
  const weights = pages.map(({ pageId, share, active }) => {
    const state: { share: number | null | undefined; active: boolean | null | undefined } = { share, active };
    for (const { page, set, before } of undone) {
      if (page !== pageId) continue;
      if (set.share !== undefined) state.share = before.share;
      if (set.active !== undefined) state.active = before.active;
    }
    for (const { page, set } of done) if (page === pageId) Object.assign(state, definedIn(set));
    if (state.active === false) return 0;
    return state.active === undefined || state.share == null ? Number.NaN : state.share;
  });
  const all = sum(weights);
  return all > 0 ? weights.map((weight) => weight / all) : undefined;
}

const definedIn = (set: Traffic) => Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));

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
