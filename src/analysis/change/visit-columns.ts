import { yieldIfBusy } from '../../api/running-call.ts';
import { at } from '../statistics/history.ts';
import type { GroupFigures, ListedVisit } from '../visit-groups.ts';

/** The visits of two spans, one row each, with their values in the order of the dimensions. */
export interface SpanVisits {
  readonly dimensions: readonly string[];
  readonly rows: readonly SpanVisit[];
}

export interface SpanVisit extends ListedVisit {
  /** Whether it is in the later span. */
  readonly isAfter: boolean;
  /** YYYY-MM-DD, in the tracker's time zone. */
  readonly day: string;
}

export interface SpanSums {
  readonly before: GroupFigures;
  readonly after: GroupFigures;
}

/** A dimension with the index of each visit's value. */
export interface Dimension {
  readonly name: string;
  readonly values: readonly (string | null)[];
  readonly codes: Int32Array;
}

export const measures = ['views', 'clicks', 'conversions', 'cost', 'revenue', 'revenueSquares', 'costSquares'] as const;
export type Measure = (typeof measures)[number];

/** The same visits as numbers in columns: causes are found by summing them many times. */
export interface VisitColumns {
  readonly dimensions: readonly Dimension[];
  /** All measures of the first visit, then those of the second, and so on. */
  readonly amounts: Float64Array;
  /** Days with visits, in order, and the index of each visit's day. */
  readonly days: readonly string[];
  readonly dayCodes: Uint8Array;
  /** 0 for a visit of the earlier span, otherwise the number of its day in the later one. */
  readonly stretches: Uint8Array;
  /** Number of days with visits in each span. */
  readonly dayCounts: readonly [before: number, after: number];
}

/** @param visits of at most 254 days */
export async function encodeVisits({ dimensions, rows }: SpanVisits): Promise<VisitColumns> {
  const coded: Dimension[] = [];
  for (const [index, name] of dimensions.entries()) {
    coded.push(
      encodeDimension(
        name,
        rows.map(({ values }) => values[index] ?? null),
      ),
    );
    await yieldIfBusy();
  }
  const [before, after] = [false, true].map((isAfter) => daysOf(rows.filter((row) => row.isAfter === isAfter)));
  const stretchByDay = new Map(after?.map((day, index) => [day, index + 1]));
  const days = daysOf(rows);
  const codeByDay = new Map(days.map((day, index) => [day, index]));
  await yieldIfBusy();
  const amounts = new Float64Array(rows.length * measures.length);
  for (const [index, { clicks, conversions, cost, revenue }] of rows.entries())
    amounts.set([1, clicks, conversions, cost, revenue, revenue ** 2, cost ** 2], index * measures.length);
  return {
    dimensions: coded,
    amounts,
    days,
    dayCodes: Uint8Array.from(rows, ({ day }) => codeByDay.get(day) ?? 0),
    stretches: Uint8Array.from(rows, ({ isAfter, day }) => (isAfter ? (stretchByDay.get(day) ?? 0) : 0)),
    dayCounts: [before?.length ?? 0, after?.length ?? 0],
  };
}

function encodeDimension(name: string, cells: readonly (string | null)[]): Dimension {
  const codeByValue = new Map<string | null, number>();
  const codes = Int32Array.from(cells, (value) => {
    const code = codeByValue.get(value) ?? codeByValue.size;
    codeByValue.set(value, code);
    return code;
  });
  return { name, values: [...codeByValue.keys()], codes };
}

function daysOf(rows: readonly SpanVisit[]): string[] {
  return [...new Set(rows.map(({ day }) => day))].sort();
}

export const allRows = ({ stretches }: VisitColumns): readonly number[] => Array.from(stretches.keys());

/** A value of a dimension. */
export interface Value {
  readonly dimension: Dimension;
  readonly code: number;
}

export function rowsWith(rows: readonly number[], { dimension, code }: Value): readonly number[] {
  return rows.filter((row) => dimension.codes[row] === code);
}

/** Sums of one span. The sums of squares show how far single amounts scatter. */
export type Sums = Record<Measure, number>;

/** The sums before and after a moment. */
export interface Spans {
  readonly before: Sums;
  readonly after: Sums;
  readonly days: readonly [before: number, after: number];
}

/** The sums of both spans. `splits` has them with each later day as the boundary: trouble rarely begins with a span. */
export interface Stretches extends Spans {
  readonly splits: readonly Spans[];
}

/**
 * The sums of each value of a dimension, by its code.
 * @param minSplit a value with fewer visits is not split at each later day
 */
export function groupSums(
  rows: readonly number[],
  { amounts, stretches, dayCounts }: VisitColumns,
  { codes, values }: Dimension,
  minSplit = Number.POSITIVE_INFINITY,
): Stretches[] {
  const [width, count] = [measures.length, dayCounts[1] + 1];
  const sums = new Float64Array(values.length * count * width);
  for (const row of rows) {
    const start = ((codes[row] ?? 0) * count + (stretches[row] ?? 0)) * width;
    for (let index = 0; index < width; index += 1) {
      sums[start + index] = (sums[start + index] ?? 0) + (amounts[row * width + index] ?? 0);
    }
  }
  return values.map((_, code) => stretchesIn(sums, code * count, dayCounts, minSplit));
}

/** The sums of some visits. */
export function sumRows(rows: readonly number[], columns: VisitColumns, minSplit?: number): Stretches {
  const everything = { name: '', values: [''], codes: new Int32Array(columns.stretches.length) };
  return at(groupSums(rows, columns, everything, minSplit), 0);
}

/** @param start the index of the value's first stretch */
function stretchesIn(
  sums: Float64Array,
  start: number,
  [daysBefore, daysAfter]: VisitColumns['dayCounts'],
  minSplit: number,
): Stretches {
  const end = start + daysAfter + 1;
  const splitAt = (day: number): Spans => ({
    before: sumStretches(sums, start, start + day),
    after: sumStretches(sums, start + day, end),
    days: [daysBefore + day - 1, daysAfter - day + 1],
  });
  const whole = splitAt(1);
  const count = whole.before.views + whole.after.views < minSplit ? 0 : Math.max(daysAfter - 1, 0);
  return { ...whole, splits: Array.from({ length: count }, (_, index) => splitAt(index + 2)) };
}

function sumStretches(sums: Float64Array, from: number, to: number): Sums {
  const sumOf = (measure: number) => {
    let sum = 0;
    for (let stretch = from; stretch < to; stretch += 1) sum += sums[stretch * measures.length + measure] ?? 0;
    return sum;
  };
  return Object.fromEntries(measures.map((measure, index) => [measure, sumOf(index)])) as Sums;
}

/** The sums of all visits outside a group. */
export function subtract(all: Stretches, group: Stretches): Stretches {
  const without = (one: Spans, other: Spans): Spans => ({
    before: difference(one.before, other.before),
    after: difference(one.after, other.after),
    days: one.days,
  });
  const splits = all.splits.map((split, index) => without(split, group.splits[index] ?? split));
  return { ...without(all, group), splits };
}

function difference(one: Sums, other: Sums): Sums {
  return Object.fromEntries(measures.map((measure) => [measure, one[measure] - other[measure]])) as Sums;
}
