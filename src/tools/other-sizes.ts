import type { Source } from '../answer/money-notes.ts';
import type { Note } from '../answer/notes.ts';
import type { Figures } from './past-figures.ts';

/** Sums of the same days from two lists or reports of one tracker. */
interface Sums {
  readonly source: Source;
  readonly figures: Figures;
}

/** What a lost or misread decimal mark makes of a number. */
const factors = [100, 1000];

/** Late and unlisted sales move a sum by less than this part of it. */
const tolerance = 0.1;

/** A note for each figure that one source shows a hundred or a thousand times as large as the other. Neither is corrected. */
export function otherSizes(one: Sums, other: Sums): Note[] {
  return (['cost', 'revenue'] as const).flatMap((measure): Note[] => {
    const sums = [one, other].map(({ source, figures }) => ({ source, sum: figures[measure] ?? 0 }));
    const [small, large] = sums.toSorted((a, b) => Math.abs(a.sum) - Math.abs(b.sum));
    const times = small && large ? large.sum / small.sum : Number.NaN;
    const factor = factors.find((factor) => Math.abs(times / factor - 1) <= tolerance);
    if (factor === undefined || !small || !large) return [];
    return [{ code: 'other-size', measure, factor, large: inCents(large), small: inCents(small) }];
  });
}

const inCents = ({ source, sum }: { readonly source: Source; readonly sum: number }) => ({
  ...{ source, sum: Number(sum.toFixed(2)) },
});
