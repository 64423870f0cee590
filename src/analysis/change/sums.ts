import type { Codes } from '../../api/cells.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type Dimension, otherMark, type VisitColumns, type Visits } from './visit-columns.ts';

export const measures = [
  'views',
  'clicks',
  'conversions',
  'cost',
  'costSquares',
  'revenue',
  'revenueSquares',
  // Conversions that are neither rejected nor left out.
  'paid',
] as const;
export type Measure = (typeof measures)[number];

/** Where each measure is among the sums of a boundary, and how many there are. */
export const placeOf = Object.fromEntries(measures.map((measure, place) => [measure, place])) as Record<
  Measure,
  number
>;
export const width = measures.length;

export interface SpanSums {
  readonly before: GroupFigures;
  readonly after: GroupFigures;
}

/** Sums of one span. The sums of squares show how far single amounts scatter. */
export type Sums = Record<Measure, number>;

/** The sums of both spans, with each later day as the boundary between them: trouble rarely begins with a span. */
export interface Boundaries {
  /** All measures until the first boundary, then those until the second, and so on. */
  readonly before: Float64Array;
  /** The same from each boundary on. */
  readonly after: Float64Array;
  /** The days with visits on both sides of the first boundary. */
  readonly days: readonly [before: number, after: number];
}

/** Room for the sums of a group at a number of boundaries; by default at each. */
export function noSums({ dayCounts }: Pick<VisitColumns, 'dayCounts'>, count = Math.max(dayCounts[1], 1)): Boundaries {
  return { before: new Float64Array(count * width), after: new Float64Array(count * width), days: dayCounts };
}

/** Where the sums of a value are that no visit was seen of yet, and of one that is not summed. */
const [unseen, skipped] = [-1, -2];

/** The sums of some visits by the values of a dimension. The next dimension uses the same memory. */
export class GroupSums {
  /** The codes of the values that are summed, in the order of their first visits. */
  codes = new Uint32Array();
  readonly #columns: VisitColumns;
  /** By code: where the sums of its stretches are. */
  #starts = new Int32Array();
  #views = new Uint32Array();
  #sums = new Float64Array();

  constructor(columns: VisitColumns) {
    this.#columns = columns;
  }

  /**
   * @param minViews visits of values with fewer need not be summed
   * @param without the code of visits that are not summed
   */
  group(rows: Visits, { codes, values }: Omit<Dimension, 'name'>, minViews = 1, without = -1): this {
    const count = values.length;
    if (this.#starts.length < count) [this.#starts, this.#views] = [new Int32Array(count), new Uint32Array(count)];
    this.#starts.fill(unseen, 0, count);
    const isLong = count * minViews > rows.length;
    const kept = isLong ? this.#countFrequent(rows, codes, count, minViews) : count;
    if (without >= 0) this.#starts[without] = skipped;
    const end = kept * this.#length;
    if (this.#sums.length < end) this.#sums = new Float64Array(end);
    this.codes = this.#add(rows, codes, new Uint32Array(kept), isLong ? minViews : 0);
    return this;
  }

  /** The length of all stretches of a value. */
  get #length(): number {
    return (this.#columns.dayCounts[1] + 1) * width;
  }

  /** Most values of a long dimension are rare. Counts the visits of all; returns the number of those that are not. */
  #countFrequent(rows: Visits, codes: Codes, count: number, minViews: number): number {
    const views = this.#views.fill(0, 0, count);
    let kept = 0;
    for (let index = 0; index < rows.length; index += 1) {
      const code = codes[rows[index] ?? 0] ?? 0;
      const seen = (views[code] ?? 0) + 1;
      views[code] = seen;
      if (seen === minViews) kept += 1;
    }
    return kept;
  }

  /** @param minViews of values with fewer, as they were counted, nothing is summed @returns the codes that were seen */
  #add(rows: Visits, codes: Codes, seen: Uint32Array<ArrayBuffer>, minViews: number): Uint32Array<ArrayBuffer> {
    const { amounts, marks, unpaid } = this.#columns;
    const { clicks, conversions, cost, revenue } = amounts;
    const [starts, views, sums, length] = [this.#starts, this.#views, this.#sums, this.#length];
    let count = 0;
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      const code = codes[row] ?? 0;
      let start = starts[code] ?? skipped;
      if (start < 0) {
        if (start === unseen && minViews > 0 && (views[code] ?? 0) < minViews) starts[code] = skipped;
        if (starts[code] === skipped) continue;
        start = count * length;
        // Most values are not seen in a part of the visits.
        sums.fill(0, start, start + length);
        starts[code] = start;
        seen[count] = code;
        count += 1;
      }
      // Written out by their places, since a visit is added to many groups.
      const mark = marks[row] ?? 0;
      const to = start + (mark >> 2) * width;
      const paid = cost[row] ?? 0;
      sums[to] = (sums[to] ?? 0) + 1;
      sums[to + 1] = (sums[to + 1] ?? 0) + (mark & 1);
      sums[to + 3] = (sums[to + 3] ?? 0) + paid;
      sums[to + 4] = (sums[to + 4] ?? 0) + paid * paid;
      if ((mark & otherMark) === 0) continue;
      const earned = revenue[row] ?? 0;
      sums[to + 1] = (sums[to + 1] ?? 0) + (clicks[row] ?? 0);
      const sales = conversions[row] ?? 0;
      sums[to + 2] = (sums[to + 2] ?? 0) + sales;
      sums[to + 5] = (sums[to + 5] ?? 0) + earned;
      sums[to + 6] = (sums[to + 6] ?? 0) + earned * earned;
      if (unpaid[row] === 0) sums[to + 7] = (sums[to + 7] ?? 0) + sales;
    }
    return seen.subarray(0, count);
  }

  /** The visits with a value, in both spans. */
  viewsOf(code: number): number {
    const start = this.#starts[code] ?? unseen;
    const end = start < 0 ? start : start + this.#length;
    let views = 0;
    for (let place = start; place < end; place += width) views += this.#sums[place] ?? 0;
    return views;
  }

  /** The sums of a value at the first boundary. */
  spansOf(code: number): { readonly before: Sums; readonly after: Sums } {
    const sums = noSums(this.#columns, 1);
    this.read(code, sums);
    return spansOf(sums);
  }

  /** Writes the sums of a value at as many boundaries as there is room for. */
  read(code: number, { before, after }: Boundaries): void {
    const sums = this.#sums;
    const start = this.#starts[code] ?? unseen;
    before.fill(0);
    after.fill(0);
    if (start < 0) return;
    const last = before.length;
    for (let place = 0; place < last; place += 1)
      before[place] = (sums[start + place] ?? 0) + (place < width ? 0 : (before[place - width] ?? 0));
    const end = start + this.#length;
    for (let place = 0; place < width; place += 1) {
      let sum = 0;
      for (let from = end - width + place, to = from - width - start; to >= 0; from -= width, to -= width) {
        sum += sums[from] ?? 0;
        if (to < last) after[to] = sum;
      }
    }
  }
}

/** The sums of some visits at each boundary. */
export function sumRows(rows: Visits, columns: VisitColumns): Boundaries {
  const sums = noSums(columns);
  new GroupSums(columns).group(rows, columns.whole).read(0, sums);
  return sums;
}

/** The sums of each measure on some days, in their order. */
export type SumsByDay = Readonly<Record<Measure, readonly number[]>>;

/** The sums of some visits on each of some days. */
export function sumByDay(rows: Visits, columns: VisitColumns, wanted: readonly string[]): SumsByDay {
  const { days, dayCodes } = columns;
  const byDay = new GroupSums(columns).group(rows, { values: days, codes: dayCodes });
  const spans = wanted.map((day) => byDay.spansOf(days.indexOf(day)));
  const sumOf = (measure: Measure) => spans.map(({ before, after }) => before[measure] + after[measure]);
  return Object.fromEntries(measures.map((measure) => [measure, sumOf(measure)])) as Record<Measure, number[]>;
}

/** The sums at the first boundary, as objects. */
export function spansOf({ before, after }: Boundaries): { readonly before: Sums; readonly after: Sums } {
  return { before: sumsIn(before), after: sumsIn(after) };
}

/** Written out, since thousands are read. */
const sumsIn = (sums: Float64Array): Sums => ({
  views: sums[placeOf.views] ?? 0,
  clicks: sums[placeOf.clicks] ?? 0,
  conversions: sums[placeOf.conversions] ?? 0,
  cost: sums[placeOf.cost] ?? 0,
  costSquares: sums[placeOf.costSquares] ?? 0,
  revenue: sums[placeOf.revenue] ?? 0,
  revenueSquares: sums[placeOf.revenueSquares] ?? 0,
  paid: sums[placeOf.paid] ?? 0,
});

/** Writes the sums of all visits outside a group. */
export function subtract(all: Boundaries, group: Boundaries, rest: Boundaries): void {
  for (let place = 0; place < rest.before.length; place += 1) {
    rest.before[place] = (all.before[place] ?? 0) - (group.before[place] ?? 0);
    rest.after[place] = (all.after[place] ?? 0) - (group.after[place] ?? 0);
  }
}
