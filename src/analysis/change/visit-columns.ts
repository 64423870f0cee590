import { type Pace, unhurried } from '../../api/running-call.ts';
import { type Coded, type Codes, packCodes } from '../../api/table.ts';
import { countListed } from '../coded.ts';
import type { Reading } from '../visit-dimensions.ts';
import type { GroupFigures, VisitAmounts } from '../visit-groups.ts';

export interface SpanSums {
  readonly before: GroupFigures;
  readonly after: GroupFigures;
}

/** A dimension with the index of each visit's value. */
export interface Dimension {
  readonly name: string;
  readonly values: readonly (string | null)[];
  readonly codes: Codes;
  /** If it is a pair of dimensions: the two values that a value stands for. */
  readonly partsOf?: (code: number) => readonly Value[];
}

export const measures = ['views', 'clicks', 'conversions', 'cost', 'costSquares', 'revenue', 'revenueSquares'] as const;
export type Measure = (typeof measures)[number];

/** The same visits as numbers in columns: causes are found by summing them many times. */
export interface VisitColumns {
  readonly dimensions: readonly Dimension[];
  /** The name of the dimension that says where an ad was shown, if there is one. */
  readonly placement?: string | undefined;
  /** All measures of the first visit, then those of the second, and so on. */
  readonly amounts: Float64Array;
  /** Sales that are rejected, or left out: 1. What they paid is no payout. */
  readonly unpaid: Uint8Array;
  /** Days with visits, in order, and the index of each visit's day. */
  readonly days: readonly string[];
  readonly dayCodes: Uint8Array;
  /** 0 for a visit of the earlier span, otherwise the number of its day in the later one. */
  readonly stretches: Uint8Array;
  /** Number of days with visits in each span. */
  readonly dayCounts: readonly [before: number, after: number];
}

/** Some visits of a list. */
export interface VisitsOfList {
  /** In their order. */
  readonly rows: Visits;
  /** Whether a row is in the later span. */
  readonly isAfter: (row: number) => boolean;
  /** YYYY-MM-DD, in the tracker's time zone. */
  readonly days: Coded<string | null>;
  /** The dimensions, in their order; undefined if the list lacks one. */
  readonly readings: readonly (Reading | undefined)[];
  readonly amounts: VisitAmounts;
}

/**
 * Gathers the visits of two spans. The values of a dimension keep the order of their first visits.
 * @param lists of at most 254 days
 * @param placement the dimension that says where an ad was shown
 */
export async function gatherVisits(
  dimensions: readonly string[],
  lists: readonly VisitsOfList[],
  pace: Pace = unhurried,
  placement?: string,
): Promise<VisitColumns> {
  const count = countListed(lists);
  const gathered: Dimension[] = [];
  for (const [index, name] of dimensions.entries()) {
    const { codes, values } = joinRows(
      count,
      lists.map(({ rows, readings }) => ({ rows, coded: readings[index] })),
    );
    gathered.push({ name, codes, values: values.map((value) => value ?? null) });
    await pace.rest();
  }
  const isAfter = new Uint8Array(count);
  let end = 0;
  for (const { rows, isAfter: isRowAfter } of lists)
    for (let index = 0; index < rows.length; index += 1) {
      isAfter[end] = Number(isRowAfter(rows[index] ?? 0));
      end += 1;
    }
  const listed = joinRows(
    count,
    lists.map(({ rows, days: coded }) => ({ rows, coded })),
  );
  await pace.rest();
  const inSpan = [0, 1].map(() => new Uint8Array(listed.values.length)) as [Uint8Array, Uint8Array];
  for (let visit = 0; visit < count; visit += 1) inSpan[isAfter[visit] === 1 ? 1 : 0][listed.codes[visit] ?? 0] = 1;
  const [before, after] = inSpan.map(
    (has) => new Set(listed.values.filter((_, code) => has[code] === 1).map((day) => day ?? '')),
  ) as [Set<string>, Set<string>];
  await pace.rest();
  const columns = await amountsOf(count, lists, pace);
  const days = [...new Set([...before, ...after])].sort();
  const codeOfDay = listed.values.map((day) => days.indexOf(day ?? ''));
  const daysAfter = [...after].sort();
  const stretchOfDay = listed.values.map((day) => daysAfter.indexOf(day ?? '') + 1);
  const [dayCodes, stretches] = [new Uint8Array(count), new Uint8Array(count)];
  for (let visit = 0; visit < count; visit += 1) {
    const day = listed.codes[visit] ?? 0;
    dayCodes[visit] = codeOfDay[day] ?? 0;
    if (isAfter[visit] === 1) stretches[visit] = stretchOfDay[day] ?? 0;
  }
  const dayCounts = [before.size, after.size] as const;
  return { dimensions: gathered, placement, ...columns, days, dayCodes, stretches, dayCounts };
}

/** Rows of several columns as one column, in which equal values share a code. */
function joinRows<Value>(
  count: number,
  parts: readonly { readonly rows: Visits; readonly coded: Coded<Value> | undefined }[],
): Coded<Value | null> {
  const codes = new Uint32Array(count);
  const codeByValue = new Map<Value | null, number>();
  const codeOf = (value: Value | null) => {
    const code = codeByValue.get(value) ?? codeByValue.size;
    codeByValue.set(value, code);
    return code;
  };
  let visit = 0;
  for (const { rows, coded } of parts) {
    const joined = new Int32Array(coded?.values.length ?? 1).fill(-1);
    for (let index = 0; index < rows.length; index += 1) {
      const own = coded?.codes[rows[index] ?? 0] ?? 0;
      if ((joined[own] ?? -1) < 0) joined[own] = codeOf(coded?.values[own] ?? null);
      codes[visit] = joined[own] ?? 0;
      visit += 1;
    }
  }
  return { codes: packCodes(codes, codeByValue.size), values: [...codeByValue.keys()] };
}

async function amountsOf(
  count: number,
  lists: readonly VisitsOfList[],
  pace: Pace,
): Promise<Pick<VisitColumns, 'amounts' | 'unpaid'>> {
  const unpaid = new Uint8Array(count);
  const amounts = new Float64Array(count * measures.length);
  let end = 0;
  for (const { rows, amounts: read } of lists) {
    for (let index = 0; index < rows.length; index += 1) {
      if (index % rowsPerStep === 0) await pace.rest();
      const row = rows[index] ?? 0;
      const [conversions, cost, revenue] = [read.conversions(row), read.cost(row), read.revenue(row)];
      amounts[end] = 1;
      amounts[end + 1] = read.clicks(row);
      amounts[end + 2] = conversions;
      amounts[end + 3] = cost;
      amounts[end + 4] = cost ** 2;
      amounts[end + 5] = revenue;
      amounts[end + 6] = revenue ** 2;
      if (conversions > 0 && revenue === 0 && read.held?.(row).length) unpaid[end / measures.length] = 1;
      end += measures.length;
    }
  }
  return { amounts, unpaid };
}

/** Takes a few milliseconds. */
const rowsPerStep = 4000;

/** The place of each measure among those of a visit or of sums, and their number. */
export const placeOf = Object.fromEntries(measures.map((measure, place) => [measure, place])) as Record<
  Measure,
  number
>;
export const width = measures.length;

/** A figure of one visit. */
export function amountOf({ amounts }: VisitColumns, visit: number, measure: Measure): number {
  return amounts[visit * measures.length + placeOf[measure]] ?? 0;
}

/** A visit that sold. */
export interface SoldVisit {
  readonly visit: number;
  readonly conversions: number;
  readonly revenue: number;
  /** YYYY-MM-DD. */
  readonly day: string;
  /** Whether it is in the later span. */
  readonly isAfter: boolean;
}

/** The visits whose sales are paid, or will be as far as is known, in their order. */
export function soldVisits(columns: VisitColumns): SoldVisit[] {
  const { stretches, days, dayCodes } = columns;
  const sold: SoldVisit[] = [];
  for (let visit = 0; visit < stretches.length; visit += 1) {
    const conversions = amountOf(columns, visit, 'conversions');
    if (conversions === 0 || columns.unpaid[visit] === 1) continue;
    const [day = '', isAfter] = [days[dayCodes[visit] ?? 0], (stretches[visit] ?? 0) > 0];
    sold.push({ visit, conversions, revenue: amountOf(columns, visit, 'revenue'), day, isAfter });
  }
  return sold;
}

/** Some visits by their index. */
export type Visits = Uint32Array;

export function allRows({ stretches }: VisitColumns): Visits {
  const rows = new Uint32Array(stretches.length);
  for (let row = 0; row < rows.length; row += 1) rows[row] = row;
  return rows;
}

/** A value of a dimension. */
export interface Value {
  readonly dimension: Dimension;
  readonly code: number;
}

export function rowsWith(rows: Visits, { dimension, code }: Value): Visits {
  return rows.filter((row) => dimension.codes[row] === code);
}

/** Counts the visits with each code. */
export function countCodes(rows: Visits, codes: Codes, counts: Uint32Array): void {
  for (let index = 0; index < rows.length; index += 1) {
    const code = codes[rows[index] ?? 0] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
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

/** The sums of each value of a dimension, by its code. */
export class GroupSums {
  readonly #counts: Uint32Array;
  /** Where the first stretch of each value is, and all stretches; values with few visits have none. */
  readonly #starts: Int32Array;
  readonly #sums: Float64Array;
  /** The length of all stretches of a value. */
  readonly #length: number;
  readonly #days: VisitColumns['dayCounts'];

  /** @param minViews only the visits of values with as many are summed */
  constructor(
    rows: Visits,
    { amounts, stretches, dayCounts }: VisitColumns,
    { codes, values }: Omit<Dimension, 'name'>,
    minViews = 1,
  ) {
    const counts = new Uint32Array(values.length);
    countCodes(rows, codes, counts);
    const starts = new Int32Array(values.length).fill(-1);
    const length = (dayCounts[1] + 1) * width;
    let end = 0;
    for (let code = 0; code < starts.length; code += 1) {
      if ((counts[code] ?? 0) < minViews) continue;
      starts[code] = end;
      end += length;
    }
    const sums = new Float64Array(end);
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      const first = starts[codes[row] ?? 0] ?? -1;
      if (first < 0) continue;
      const from = row * width;
      const to = first + (stretches[row] ?? 0) * width;
      // Written out by their places, since a visit is added to many groups; and most visits sold nothing.
      sums[to] = (sums[to] ?? 0) + (amounts[from] ?? 0);
      sums[to + 1] = (sums[to + 1] ?? 0) + (amounts[from + 1] ?? 0);
      sums[to + 2] = (sums[to + 2] ?? 0) + (amounts[from + 2] ?? 0);
      sums[to + 3] = (sums[to + 3] ?? 0) + (amounts[from + 3] ?? 0);
      sums[to + 4] = (sums[to + 4] ?? 0) + (amounts[from + 4] ?? 0);
      if (amounts[from + 5] === 0) continue;
      sums[to + 5] = (sums[to + 5] ?? 0) + (amounts[from + 5] ?? 0);
      sums[to + 6] = (sums[to + 6] ?? 0) + (amounts[from + 6] ?? 0);
    }
    this.#counts = counts;
    this.#starts = starts;
    this.#sums = sums;
    this.#length = length;
    this.#days = dayCounts;
  }

  /** The visits with a value, in both spans. */
  viewsOf(code: number): number {
    return this.#counts[code] ?? 0;
  }

  /** How many values have so many visits. */
  countOf(minViews: number): number {
    return this.#counts.reduce((count, views) => count + Number(views >= minViews), 0);
  }

  /** The sums of a value at the first boundary. */
  spansOf(code: number): { readonly before: Sums; readonly after: Sums } {
    const sums = { before: new Float64Array(width), after: new Float64Array(width), days: this.#days };
    this.read(code, sums);
    return spansOf(sums);
  }

  /** Writes the sums of a value at as many boundaries as there is room for. */
  read(code: number, { before, after }: Boundaries): void {
    const sums = this.#sums;
    const start = this.#starts[code] ?? -1;
    if (start < 0) {
      before.fill(0);
      after.fill(0);
      return;
    }
    const end = start + this.#length;
    for (let place = 0; place < before.length; place += 1) {
      before[place] = (place < width ? 0 : (before[place - width] ?? 0)) + (sums[start + place] ?? 0);
      let sum = 0;
      for (let index = start + place + width; index < end; index += width) sum += sums[index] ?? 0;
      after[place] = sum;
    }
  }
}

/** The sums of some visits at each boundary. */
export function sumRows(rows: Visits, columns: VisitColumns): Boundaries {
  const sums = noSums(columns);
  const all = { values: [''], codes: new Uint8Array(columns.stretches.length) };
  new GroupSums(rows, columns, all, 0).read(0, sums);
  return sums;
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
