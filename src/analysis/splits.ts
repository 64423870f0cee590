import type { PlacedPage } from './page-rows.ts';
import { sum } from './statistics/history.ts';

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
