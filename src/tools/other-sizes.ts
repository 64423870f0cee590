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

/**
 * A note for each figure that one source shows a hundred or a thousand times as large as the other, and if they are of the same visits, for
 * each that they show otherwise. Neither is corrected.
 */
export function otherSizes(one: Sums, other: Sums, areSameVisits = false): Note[] {
  const sizes = (['cost', 'revenue'] as const).flatMap((measure) => {
    const sums = [one, other].map(({ source, figures }) => ({ source, sum: figures[measure] ?? 0 }));
    const [small, large] = sums.toSorted((a, b) => Math.abs(a.sum) - Math.abs(b.sum));
    const times = small && large ? large.sum / small.sum : Number.NaN;
    const factor = factors.find((factor) => Math.abs(times / factor - 1) <= tolerance);
    if (factor === undefined || !small || !large) return [];
    return [{ code: 'other-size' as const, measure, factor, large: inCents(large), small: inCents(small) }];
  });
  const told: ReadonlySet<string> = new Set(sizes.map(({ measure }) => measure));
  return areSameVisits ? [...sizes, ...otherSums(one, other, told)] : sizes;
}

/** The part by which a figure of the same visits may differ: reports round, and count second sales, or those that came on these days. */
const tolerances = { cost: 0.05, conversions: 0.4 };

/** Less is no reason for a word. */
const minDifference = 5;

/** @param told the figures that have a note */
function otherSums(one: Sums, other: Sums, told: ReadonlySet<string>): Note[] {
  return (['cost', 'conversions'] as const).flatMap((measure): Note[] => {
    const [here, there] = [one.figures[measure], other.figures[measure]];
    if (here === undefined || there === undefined || told.has(measure)) return [];
    const difference = Math.abs(here - there);
    const isLarge = difference >= minDifference && difference > Math.max(here, there) * tolerances[measure];
    const sums = [one, other].map(({ source }, index) => inCents({ source, sum: index === 0 ? here : there }));
    return isLarge ? [{ code: 'other-sum', measure, sums }] : [];
  });
}

const inCents = ({ source, sum }: { readonly source: Source; readonly sum: number }) => ({
  ...{ source, sum: Number(sum.toFixed(2)) },
});
