import type { Codes } from '../../api/table.ts';
import type { GroupFigures } from '../visit-groups.ts';
import type { Dimension, VisitColumns, Visits } from './visit-columns.ts';

export const measures = ['views', 'clicks', 'conversions', 'cost', 'costSquares', 'revenue', 'revenueSquares'] as const;
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

/** The sums of some visits by the values of a dimension. The next dimension uses the same memory. */
export class GroupSums {
  /** The codes of the values that enough visits have, in the order of their first visits. */
  codes = new Uint32Array();
  readonly #columns: VisitColumns;
  /** By code: the visits that have it, and where the sums of its stretches are; -1 if there are none. */
  #views = new Uint32Array();
  #starts = new Int32Array();
  /** The codes of all visits, and how many there are. */
  #seen = new Uint32Array();
  #seenCount = 0;
  #sums = new Float64Array();

  constructor(columns: VisitColumns) {
    this.#columns = columns;
  }

  /**
   * @param minViews only the visits of values with as many are summed
   * @param without the code of visits that are not summed
   */
  group(rows: Visits, { codes, values }: Omit<Dimension, 'name'>, minViews = 1, without = -1): this {
    for (let index = 0; index < this.#seenCount; index += 1) this.#views[this.#seen[index] ?? 0] = 0;
    if (this.#views.length < values.length) {
      this.#views = new Uint32Array(values.length);
      this.#starts = new Int32Array(values.length);
      this.#seen = new Uint32Array(values.length);
    }
    this.#count(rows, codes);
    let [count, end] = [0, 0];
    const kept = new Uint32Array(Math.min(this.#seenCount, rows.length / minViews));
    for (let index = 0; index < this.#seenCount; index += 1) {
      const code = this.#seen[index] ?? 0;
      this.#starts[code] = -1;
      if (code === without || this.viewsOf(code) < minViews) continue;
      this.#starts[code] = end;
      end += this.#length;
      kept[count] = code;
      count += 1;
    }
    this.codes = kept.subarray(0, count);
    if (this.#sums.length < end) this.#sums = new Float64Array(end);
    else this.#sums.fill(0, 0, end);
    this.#add(rows, codes);
    return this;
  }

  /** The length of all stretches of a value. */
  get #length(): number {
    return (this.#columns.dayCounts[1] + 1) * width;
  }

  #count(rows: Visits, codes: Codes): void {
    const views = this.#views;
    const seen = this.#seen;
    let end = 0;
    for (let index = 0; index < rows.length; index += 1) {
      const code = codes[rows[index] ?? 0] ?? 0;
      const count = views[code] ?? 0;
      views[code] = count + 1;
      if (count > 0) continue;
      seen[end] = code;
      end += 1;
    }
    this.#seenCount = end;
  }

  #add(rows: Visits, codes: Codes): void {
    const { amounts, stretches } = this.#columns;
    const { clicks, conversions, cost, revenue } = amounts;
    const [starts, sums] = [this.#starts, this.#sums];
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      const start = starts[codes[row] ?? 0] ?? -1;
      if (start < 0) continue;
      // Written out by their places, since a visit is added to many groups; and most visits sold nothing.
      const to = start + (stretches[row] ?? 0) * width;
      const paid = cost[row] ?? 0;
      sums[to] = (sums[to] ?? 0) + 1;
      sums[to + 1] = (sums[to + 1] ?? 0) + (clicks[row] ?? 0);
      sums[to + 3] = (sums[to + 3] ?? 0) + paid;
      sums[to + 4] = (sums[to + 4] ?? 0) + paid * paid;
      const sales = conversions[row] ?? 0;
      const earned = revenue[row] ?? 0;
      if (sales === 0 && earned === 0) continue;
      sums[to + 2] = (sums[to + 2] ?? 0) + sales;
      sums[to + 5] = (sums[to + 5] ?? 0) + earned;
      sums[to + 6] = (sums[to + 6] ?? 0) + earned * earned;
    }
  }

  /** The visits with a value, in both spans. */
  viewsOf(code: number): number {
    return this.#views[code] ?? 0;
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
    const start = this.viewsOf(code) === 0 ? -1 : (this.#starts[code] ?? -1);
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

const sumsIn = (sums: Float64Array) =>
  Object.fromEntries(measures.map((measure, place) => [measure, sums[place] ?? 0])) as Sums;

/** Writes the sums of all visits outside a group. */
export function subtract(all: Boundaries, group: Boundaries, rest: Boundaries): void {
  for (let place = 0; place < rest.before.length; place += 1) {
    rest.before[place] = (all.before[place] ?? 0) - (group.before[place] ?? 0);
    rest.after[place] = (all.after[place] ?? 0) - (group.after[place] ?? 0);
  }
}
