import type { SpanVisit, SpanVisits } from './span-visits.ts';

/** A dimension with the number of its value for each visit. */
export interface Coded {
  readonly name: string;
  readonly values: readonly (string | null)[];
  readonly codes: Int32Array;
}

function encode(name: string, cells: readonly (string | null)[]): Coded {
  const known = new Map<string | null, number>();
  const codes = Int32Array.from(cells, (cell) => {
    const code = known.get(cell) ?? known.size;
    known.set(cell, code);
    return code;
  });
  return { name, values: [...known.keys()], codes };
}

/** The visits as sums are made of them: each dimension by numbers, and the amounts. */
export interface CodedVisits {
  readonly dimensions: readonly Coded[];
  readonly figures: VisitFigures;
}

export function codeVisits({ dimensions, rows }: SpanVisits): CodedVisits {
  const cellsOf = (index: number) => rows.map(({ values }) => values[index] ?? null);
  return { dimensions: dimensions.map((name, index) => encode(name, cellsOf(index))), figures: figuresOf(rows) };
}

/** Of a value in a dimension. */
export interface Place {
  readonly dimension: Coded;
  readonly code: number;
}

export function inside(rows: readonly number[], { dimension, code }: Place): readonly number[] {
  return rows.filter((row) => dimension.codes[row] === code);
}

export const measures = ['views', 'clicks', 'conversions', 'cost', 'revenue', 'revenueSquares', 'costSquares'] as const;

/** Sums of one span, with those of squares: how far single amounts scatter. */
export type Sums = Record<(typeof measures)[number], number>;

/** What some visits did before and after a moment. */
export interface Spans {
  readonly before: Sums;
  readonly after: Sums;
  /** How many days each side has. */
  readonly days: readonly [before: number, after: number];
}

/** The same between the two spans, and before and after each later day of the second: a trouble rarely begins with it. */
export interface Stretches extends Spans {
  readonly splits: readonly Spans[];
}

/** What each visit adds to the sums of its stretch. Millions of additions go through these arrays. */
export interface VisitFigures {
  readonly amounts: Float64Array;
  /** 0 for the earlier span, then the days of the later one. */
  readonly stretches: Uint8Array;
  readonly days: readonly [before: number, after: number];
}

function figuresOf(rows: readonly SpanVisit[]): VisitFigures {
  const daysOf = (isAfter: boolean) =>
    [...new Set(rows.flatMap((row) => (row.isAfter === isAfter ? [row.day] : [])))].sort();
  const [before, after] = [daysOf(false), daysOf(true)];
  const stretchOf = new Map(after.map((day, index) => [day, index + 1]));
  const amounts = rows.flatMap(({ clicks, conversions, cost, revenue }) => [
    1,
    clicks,
    conversions,
    cost,
    revenue,
    revenue ** 2,
    cost ** 2,
  ]);
  return {
    amounts: Float64Array.from(amounts),
    stretches: Uint8Array.from(rows, ({ isAfter, day }) => (isAfter ? (stretchOf.get(day) ?? 0) : 0)),
    days: [before.length, after.length],
  };
}

/**
 * The sums of each value of a dimension, by its number.
 * @param minSplit the visits from which on a value is split at each later day, too
 */
export function groupSums(
  open: readonly number[],
  figures: VisitFigures,
  { codes, values }: Coded,
  minSplit = Number.POSITIVE_INFINITY,
): Stretches[] {
  const { amounts, stretches, days } = figures;
  const [width, count] = [measures.length, days[1] + 1];
  const sums = new Float64Array(values.length * count * width);
  for (const row of open) {
    const place = ((codes[row] ?? 0) * count + (stretches[row] ?? 0)) * width;
    for (let index = 0; index < width; index += 1) {
      sums[place + index] = (sums[place + index] ?? 0) + (amounts[row * width + index] ?? 0);
    }
  }
  return values.map((_, code) => stretchesOf(sums, code * count, days, minSplit));
}

/** All visits as one value. */
export function everything({ stretches }: VisitFigures): Coded {
  return { name: '', values: [''], codes: new Int32Array(stretches.length) };
}

/** @param start the place of its first stretch in the sums of all */
function stretchesOf(sums: Float64Array, start: number, days: VisitFigures['days'], minSplit: number): Stretches {
  const end = start + days[1] + 1;
  const splitAt = (first: number): Spans => ({
    before: add(sums, start, start + first),
    after: add(sums, start + first, end),
    days: [days[0] + first - 1, days[1] - first + 1],
  });
  const whole = splitAt(1);
  const count = whole.before.views + whole.after.views < minSplit ? 0 : Math.max(days[1] - 1, 0);
  return { ...whole, splits: Array.from({ length: count }, (_, index) => splitAt(index + 2)) };
}

function add(sums: Float64Array, from: number, to: number): Sums {
  const sumOf = (measure: number) => {
    let sum = 0;
    for (let stretch = from; stretch < to; stretch += 1) sum += sums[stretch * measures.length + measure] ?? 0;
    return sum;
  };
  return Object.fromEntries(measures.map((measure, index) => [measure, sumOf(index)])) as Sums;
}

/** All visits but those of a group. */
export function minus(whole: Stretches, part: Stretches): Stretches {
  const of = (one: Spans, other: Spans): Spans => ({
    before: difference(one.before, other.before),
    after: difference(one.after, other.after),
    days: one.days,
  });
  return { ...of(whole, part), splits: whole.splits.map((split, index) => of(split, part.splits[index] ?? split)) };
}

function difference(one: Sums, other: Sums): Sums {
  return Object.fromEntries(measures.map((measure) => [measure, one[measure] - other[measure]])) as Sums;
}
