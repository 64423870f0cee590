import type { SpanVisit } from './span-visits.ts';

/** A dimension with the number of its value for each visit. */
export interface Coded {
  readonly name: string;
  readonly values: readonly (string | null)[];
  readonly codes: Int32Array;
}

export function encode(name: string, cells: readonly (string | null)[]): Coded {
  const known = new Map<string | null, number>();
  const codes = Int32Array.from(cells, (cell) => {
    const code = known.get(cell) ?? known.size;
    known.set(cell, code);
    return code;
  });
  return { name, values: [...known.keys()], codes };
}

/** Of a value in a dimension. */
export interface Place {
  readonly dimension: Coded;
  readonly code: number;
}

export function inside(rows: readonly number[], { dimension, code }: Place): readonly number[] {
  return rows.filter((row) => dimension.codes[row] === code);
}

const measures = ['views', 'clicks', 'conversions', 'cost', 'revenue', 'revenueSquares', 'costSquares'] as const;

/** Sums of one span, with those of squares: how far single amounts scatter. */
export type Sums = Record<(typeof measures)[number], number>;

export interface Spans {
  readonly before: Sums;
  readonly after: Sums;
}

/** What each visit adds to the sums of its span: those of the earlier span first. Millions of additions go through these arrays. */
export interface VisitFigures {
  readonly amounts: Float64Array;
  readonly isAfter: Uint8Array;
}

export function figuresOf(rows: readonly SpanVisit[]): VisitFigures {
  const amounts = rows.flatMap(({ clicks, conversions, cost, revenue }) => [
    1,
    clicks,
    conversions,
    cost,
    revenue,
    revenue ** 2,
    cost ** 2,
  ]);
  return { amounts: Float64Array.from(amounts), isAfter: Uint8Array.from(rows, ({ isAfter }) => Number(isAfter)) };
}

/** The sums of each value of a dimension, by its number. */
export function groupSums(
  open: readonly number[],
  { amounts, isAfter }: VisitFigures,
  { codes, values }: Coded,
): Spans[] {
  const width = measures.length;
  const sums = new Float64Array(values.length * 2 * width);
  for (const row of open) {
    const place = ((codes[row] ?? 0) * 2 + (isAfter[row] ?? 0)) * width;
    for (let index = 0; index < width; index += 1) {
      sums[place + index] = (sums[place + index] ?? 0) + (amounts[row * width + index] ?? 0);
    }
  }
  const sumsAt = (place: number) =>
    Object.fromEntries(measures.map((measure, index) => [measure, sums[place * width + index] ?? 0])) as Sums;
  return values.map((_, code) => ({ before: sumsAt(code * 2), after: sumsAt(code * 2 + 1) }));
}

const zeros = Object.fromEntries(measures.map((measure) => [measure, 0])) as Sums;

export const noSums: Spans = { before: zeros, after: zeros };

function combine(one: Spans, other: Spans, sign: 1 | -1): Spans {
  const add = (a: Sums, b: Sums) =>
    Object.fromEntries(measures.map((measure) => [measure, a[measure] + sign * b[measure]])) as Sums;
  return { before: add(one.before, other.before), after: add(one.after, other.after) };
}

export const plus = (one: Spans, other: Spans): Spans => combine(one, other, 1);
export const minus = (one: Spans, other: Spans): Spans => combine(one, other, -1);
