import { type Pace, unhurried } from '../../api/running-call.ts';
import { type Coded, type Codes, packCodes } from '../../api/table.ts';
import { valueAt } from '../coded.ts';
import { countListed, type GroupFigures, type Reading, type VisitAmounts } from '../visit-groups.ts';

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

export const measures = ['views', 'clicks', 'conversions', 'cost', 'revenue', 'revenueSquares', 'costSquares'] as const;
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
  readonly rows: readonly number[];
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
  const isAfter = lists.flatMap(({ rows, isAfter: isRowAfter }) => rows.map(isRowAfter));
  const listed = joinRows(
    count,
    lists.map(({ rows, days: coded }) => ({ rows, coded })),
  );
  const dayOf = (visit: number) => valueAt(listed, visit) ?? '';
  await pace.rest();
  const [before, after] = [new Set<string>(), new Set<string>()];
  for (const [visit, isLater] of isAfter.entries()) (isLater ? after : before).add(dayOf(visit));
  await pace.rest();
  const columns = await amountsOf(count, lists, pace);
  const days = [...new Set([...before, ...after])].sort();
  const codeOfDay = listed.values.map((day) => days.indexOf(day ?? ''));
  const daysAfter = [...after].sort();
  const stretchOfDay = listed.values.map((day) => daysAfter.indexOf(day ?? '') + 1);
  return {
    dimensions: gathered,
    placement,
    ...columns,
    days,
    dayCodes: Uint8Array.from(listed.codes, (code) => codeOfDay[code] ?? 0),
    stretches: Uint8Array.from(listed.codes, (code, visit) => (isAfter[visit] ? (stretchOfDay[code] ?? 0) : 0)),
    dayCounts: [before.size, after.size],
  };
}

/** Rows of several columns as one column, in which equal values share a code. */
function joinRows<Value>(
  count: number,
  parts: readonly { readonly rows: readonly number[]; readonly coded: Coded<Value> | undefined }[],
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
    for (const row of rows) {
      const own = coded?.codes[row] ?? 0;
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
    for (const [index, row] of rows.entries()) {
      if (index % rowsPerStep === 0) await pace.rest();
      const [conversions, cost, revenue] = [read.conversions(row), read.cost(row), read.revenue(row)];
      amounts[end] = 1;
      amounts[end + 1] = read.clicks(row);
      amounts[end + 2] = conversions;
      amounts[end + 3] = cost;
      amounts[end + 4] = revenue;
      amounts[end + 5] = revenue ** 2;
      amounts[end + 6] = cost ** 2;
      if (conversions > 0 && revenue === 0 && read.held?.(row).length) unpaid[end / measures.length] = 1;
      end += measures.length;
    }
  }
  return { amounts, unpaid };
}

/** Takes a few milliseconds. */
const rowsPerStep = 4000;

const placeOf = Object.fromEntries(measures.map((measure, place) => [measure, place])) as Record<Measure, number>;

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

export const allRows = ({ stretches }: VisitColumns): Visits => Uint32Array.from(stretches.keys());

/** A value of a dimension. */
export interface Value {
  readonly dimension: Dimension;
  readonly code: number;
}

export function rowsWith(rows: Visits, { dimension, code }: Value): Visits {
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

/** The sums of each value of a dimension, by its code: objects are made of those that are asked for. */
export class GroupSums {
  readonly #counts: Uint32Array;
  /** The index of each value's first stretch, and all stretches; values with few visits have none. */
  readonly #starts: Int32Array;
  readonly #sums: Float64Array;
  readonly #dayCounts: VisitColumns['dayCounts'];

  /** @param minViews only the visits of values with fewer are summed */
  constructor(
    rows: Visits,
    { amounts, stretches, dayCounts }: VisitColumns,
    { codes, values }: Omit<Dimension, 'name'>,
    minViews = 1,
  ) {
    const counts = new Uint32Array(values.length);
    for (const row of rows) counts[codes[row] ?? 0] = (counts[codes[row] ?? 0] ?? 0) + 1;
    const starts = new Int32Array(values.length).fill(-1);
    let end = 0;
    for (let code = 0; code < starts.length; code += 1) {
      if ((counts[code] ?? 0) < minViews) continue;
      starts[code] = end;
      end += dayCounts[1] + 1;
    }
    const sums = new Float64Array(end * width);
    for (const row of rows) {
      const first = starts[codes[row] ?? 0] ?? -1;
      if (first < 0) continue;
      const start = (first + (stretches[row] ?? 0)) * width;
      for (let index = 0; index < width; index += 1) {
        const amount = amounts[row * width + index] ?? 0;
        // Most visits sold nothing.
        if (amount !== 0) sums[start + index] = (sums[start + index] ?? 0) + amount;
      }
    }
    this.#counts = counts;
    this.#starts = starts;
    this.#sums = sums;
    this.#dayCounts = dayCounts;
  }

  /** The visits with a value, in both spans. */
  viewsOf(code: number): number {
    return this.#counts[code] ?? 0;
  }

  of(code: number): Spans {
    return this.#splitAt(code, 1);
  }

  /** The same with each later day as the boundary. */
  split(code: number): Stretches {
    const count = Math.max(this.#dayCounts[1] - 1, 0);
    return { ...this.of(code), splits: Array.from({ length: count }, (_, index) => this.#splitAt(code, index + 2)) };
  }

  #splitAt(code: number, day: number): Spans {
    const [daysBefore, daysAfter] = this.#dayCounts;
    const start = this.#starts[code] ?? -1;
    const end = start < 0 ? start : start + daysAfter + 1;
    return {
      before: sumStretches(this.#sums, start, Math.min(start + day, end)),
      after: sumStretches(this.#sums, start + day, end),
      days: [daysBefore + day - 1, daysAfter - day + 1],
    };
  }
}

/** The sums of some visits. */
export function sumRows(rows: Visits, columns: VisitColumns): Stretches {
  return new GroupSums(rows, columns, { values: [''], codes: new Uint8Array(columns.stretches.length) }).split(0);
}

const width = measures.length;

// Written out, since an object that is built name by name costs ten times as much.
function sumStretches(all: Float64Array, from: number, to: number): Sums {
  const sums = { views: 0, clicks: 0, conversions: 0, cost: 0, revenue: 0, revenueSquares: 0, costSquares: 0 };
  for (let start = from * width; start < to * width; start += width) {
    sums.views += all[start] ?? 0;
    sums.clicks += all[start + 1] ?? 0;
    sums.conversions += all[start + 2] ?? 0;
    sums.cost += all[start + 3] ?? 0;
    sums.revenue += all[start + 4] ?? 0;
    sums.revenueSquares += all[start + 5] ?? 0;
    sums.costSquares += all[start + 6] ?? 0;
  }
  return sums;
}

/** The sums of all visits outside a group. */
export function subtract(all: Stretches, group: Stretches): Stretches {
  const splits = all.splits.map((split, index) => subtractSpans(split, group.splits[index] ?? split));
  return { ...subtractSpans(all, group), splits };
}

export function subtractSpans(all: Spans, group: Spans): Spans {
  return {
    before: difference(all.before, group.before),
    after: difference(all.after, group.after),
    days: all.days,
  };
}

function difference(one: Sums, other: Sums): Sums {
  return {
    views: one.views - other.views,
    clicks: one.clicks - other.clicks,
    conversions: one.conversions - other.conversions,
    cost: one.cost - other.cost,
    revenue: one.revenue - other.revenue,
    revenueSquares: one.revenueSquares - other.revenueSquares,
    costSquares: one.costSquares - other.costSquares,
  };
}
