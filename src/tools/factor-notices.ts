import type { Figures } from './past-figures.ts';

/** Sums of the same days from two lists or reports of one tracker. */
export interface Source {
  /** Such as “the visitor list”. */
  readonly name: string;
  readonly figures: Figures;
}

/** What a lost or misread decimal mark makes of a number. */
const factors = [100, 1000];

/** Late and unlisted sales move a sum by less than this part of it. */
const tolerance = 0.1;

/** A notice for each figure that one source shows a hundred or a thousand times as large as the other. Neither is corrected. */
export function factorNotices(one: Source, other: Source): string[] {
  return (['cost', 'revenue'] as const).flatMap((measure) => {
    const sums = [one, other].map(({ name, figures }) => ({ name, sum: figures[measure] ?? 0 }));
    const [small, large] = sums.toSorted((a, b) => Math.abs(a.sum) - Math.abs(b.sum));
    const times = small && large ? large.sum / small.sum : Number.NaN;
    const factor = factors.find((factor) => Math.abs(times / factor - 1) <= tolerance);
    if (factor === undefined || !small || !large) return [];
    return [
      `The ${measure} in ${large.name} (${round(large.sum)}) is about ${factor} times that in ${small.name} (${round(small.sum)}): one of them has probably a wrong decimal mark. Nothing was corrected; compare with the tracker, and see TRACKER_DECIMAL.`,
    ];
  });
}

const round = (value: number): number => Number(value.toFixed(2));
