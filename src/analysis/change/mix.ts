import { profitOf } from './factors.ts';
import { type CodedVisits, everything, groupSums } from './group-sums.ts';

/** A mix that turns a total around: the whole went one way, and each part of it the other (Simpson's paradox). */
export interface Mix {
  readonly dimension: string;
  /** Whether the parts earned more a visit, while the whole earned less. */
  readonly isBetterInParts: boolean;
  /** Profit a visit over all, in each span. */
  readonly before: number;
  readonly after: number;
  readonly parts: readonly MixPart[];
}

export interface MixPart {
  readonly value: string | null;
  /** Profit a visit. */
  readonly before: number;
  readonly after: number;
  /** Its part of the visits, 0 to 1. */
  readonly shareBefore: number;
  readonly shareAfter: number;
}

/** Parts with fewer visits in a span say nothing; together they may be no more than this part of it. */
const minVisits = 30;
const maxUnread = 0.05;

/** The dimensions over which the mix turned the profit of a visit around, that with the fewest parts first. */
export function findMixes({ dimensions, figures }: CodedVisits): Mix[] {
  const all = Array.from(figures.stretches.keys());
  const [whole] = groupSums(all, figures, everything(figures));
  if (!whole) return [];
  const perVisit = (sums: typeof whole.before) => profitOf(sums) / sums.views;
  const [before, after] = [perVisit(whole.before), perVisit(whole.after)];
  return dimensions
    .flatMap((dimension): Mix[] => {
      const groups = groupSums(all, figures, dimension).map((sums, code) => ({
        value: dimension.values[code] ?? null,
        sums,
      }));
      const known = groups.filter(({ sums }) => Math.min(sums.before.views, sums.after.views) >= minVisits);
      const isKnown = (['before', 'after'] as const).every((span) => {
        const views = known.reduce((sum, { sums }) => sum + sums[span].views, 0);
        return views >= whole[span].views * (1 - maxUnread);
      });
      if (known.length < 2 || !isKnown) return [];
      const parts = known.map(({ value, sums }) => ({
        value,
        before: perVisit(sums.before),
        after: perVisit(sums.after),
        shareBefore: sums.before.views / whole.before.views,
        shareAfter: sums.after.views / whole.after.views,
      }));
      const isBetterInParts = after < before;
      if (
        after === before ||
        !parts.every((part) => (isBetterInParts ? part.after > part.before : part.after < part.before))
      )
        return [];
      return [{ dimension: dimension.name, isBetterInParts, before, after, parts }];
    })
    .sort((a, b) => a.parts.length - b.parts.length);
}
