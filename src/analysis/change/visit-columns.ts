import type { Coded, Codes } from '../../api/cells.ts';
import { type Pace, unhurried } from '../../api/running-call.ts';
import { countListed } from '../coded.ts';
import type { Reading } from '../visit-dimensions.ts';
import type { GroupFigures, VisitAmounts } from '../visit-groups.ts';

/** A dimension with the index of each visit's value. The codes of nearly all are of one type, so that V8 compiles each loop once. */
export interface Dimension {
  readonly name: string;
  readonly values: readonly (string | null)[];
  readonly codes: Codes;
}

/** The figures of each visit. */
type Amounts = Readonly<Record<Exclude<keyof GroupFigures, 'views'>, Float64Array>>;

/**
 * The same visits as numbers in columns: causes are found by summing them many times. Those of a campaign are beside each other, since
 * most sums are of one.
 */
export interface VisitColumns {
  /** The visits as they were listed, by their index in the columns. */
  readonly listed: Visits;
  readonly dimensions: readonly Dimension[];
  /** All visits with one value. */
  readonly whole: Dimension;
  /** The name of the dimension that says where an ad was shown, if there is one. */
  readonly placement?: string | undefined;
  readonly amounts: Amounts;
  /** Sales that are rejected, or left out: 1. What they paid is no payout. */
  readonly unpaid: Uint8Array;
  /** Days with visits, in order, and the index of each visit's day. */
  readonly days: readonly string[];
  readonly dayCodes: Uint16Array;
  /** 0 for a visit of the earlier span, otherwise the number of its day in the later one. */
  readonly stretches: Uint8Array;
  /** What most visits add to sums besides their cost, in one number: four times their stretch, and 0 or 1 for their click. */
  readonly marks: Uint16Array;
  /** Number of days with visits in each span. */
  readonly dayCounts: readonly [before: number, after: number];
}

/** Some visits of a list. */
export interface VisitsOfList {
  /** In their order. */
  readonly rows: Visits;
  /** 1 for a row of the later span. */
  readonly isAfter: Uint8Array;
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
  const joined = new Uint32Array(count);
  const readingsAt = (index: number) => lists.map(({ rows, readings }) => ({ rows, coded: readings[index] }));
  const listed = byCampaign(joined, joinRows(joined, readingsAt(dimensions.indexOf('campaign'))));
  await pace.rest();
  for (const [index, name] of dimensions.entries()) {
    const values = joinRows(joined, readingsAt(index));
    gathered.push({ name, codes: placed(joined, listed, values), values: values.map((value) => value ?? null) });
    await pace.rest();
  }
  const isAfter = joinNumbers(
    new Uint8Array(count),
    listed,
    lists.map(({ rows, isAfter: column }) => ({ rows, column })),
  );
  await pace.rest();
  const dayValues = joinRows(
    joined,
    lists.map(({ rows, days: coded }) => ({ rows, coded })),
  );
  const days = { codes: placed(joined, listed, dayValues), values: dayValues };
  await pace.rest();
  const columns = await amountsOf(listed, lists, pace);
  const dates = datesOf(days, isAfter);
  await pace.rest();
  const marks = marksOf(columns.amounts, dates.stretches);
  const whole = { name: '', values: [''], codes: new Uint16Array(count) };
  return { listed, dimensions: gathered, whole, placement, ...columns, ...dates, marks };
}

/** Where each visit is if those of a campaign are beside each other, in their order. */
function byCampaign(codes: Uint32Array, { length }: { readonly length: number }): Visits {
  const [ends, places] = [new Uint32Array(length + 1), new Uint32Array(codes.length)];
  for (let visit = 0; visit < codes.length; visit += 1) {
    const next = (codes[visit] ?? 0) + 1;
    ends[next] = (ends[next] ?? 0) + 1;
  }
  for (let code = 1; code < ends.length; code += 1) ends[code] = (ends[code] ?? 0) + (ends[code - 1] ?? 0);
  for (let visit = 0; visit < codes.length; visit += 1) {
    const code = codes[visit] ?? 0;
    places[visit] = ends[code] ?? 0;
    ends[code] = (ends[code] ?? 0) + 1;
  }
  return places;
}

/** Codes at the places of their visits. */
function placed(codes: Uint32Array, listed: Visits, { length }: { readonly length: number }): Codes {
  const all = length <= 0x1_0000 ? new Uint16Array(codes.length) : new Uint32Array(codes.length);
  for (let visit = 0; visit < codes.length; visit += 1) all[listed[visit] ?? 0] = codes[visit] ?? 0;
  return all;
}

/** The days of visits. */
function datesOf(listed: Coded<string | null>, isAfter: Uint8Array) {
  const [before, after] = [0, 1].map((span) => new Set(daysIn(listed, isAfter, span))) as [Set<string>, Set<string>];
  const days = [...new Set([...before, ...after])].sort();
  const codeOfDay = Uint16Array.from(listed.values, (day) => days.indexOf(day ?? ''));
  const daysAfter = [...after].sort();
  const stretchOfDay = Uint8Array.from(listed.values, (day) => daysAfter.indexOf(day ?? '') + 1);
  const [dayCodes, stretches] = [new Uint16Array(isAfter.length), new Uint8Array(isAfter.length)];
  readByCode(dayCodes, listed.codes, codeOfDay);
  readByCode(stretches, listed.codes, stretchOfDay);
  for (let visit = 0; visit < stretches.length; visit += 1) if (isAfter[visit] === 0) stretches[visit] = 0;
  return { days, dayCodes, stretches, dayCounts: [before.size, after.size] as const };
}

/** The days of the visits of a span. Long loops are functions of their own, since V8 compiles what they are in again in each call. */
function daysIn({ codes, values }: Coded<string | null>, isAfter: Uint8Array, span: number): string[] {
  const isSeen = new Uint8Array(values.length);
  for (let visit = 0; visit < isAfter.length; visit += 1) if (isAfter[visit] === span) isSeen[codes[visit] ?? 0] = 1;
  return values.filter((_, code) => isSeen[code] === 1).map((day) => day ?? '');
}

function readByCode(read: Uint8Array | Uint16Array, codes: Codes, ofCode: ArrayLike<number>): void {
  for (let visit = 0; visit < read.length; visit += 1) read[visit] = ofCode[codes[visit] ?? 0] ?? 0;
}

/** The mark of a visit that sold, or has several clicks: its figures are read one by one. */
export const otherMark = 2;

export function marksOf({ clicks, conversions, revenue }: Amounts, stretches: Uint8Array): Uint16Array {
  const marks = new Uint16Array(stretches.length);
  for (let visit = 0; visit < marks.length; visit += 1) {
    const clicked = clicks[visit] ?? 0;
    const isUsual = (clicked === 0 || clicked === 1) && conversions[visit] === 0 && revenue[visit] === 0;
    marks[visit] = 4 * (stretches[visit] ?? 0) + (isUsual ? clicked : otherMark);
  }
  return marks;
}

/**
 * Writes rows of several columns as one column, in which equal values share a code.
 * @returns the values
 */
function joinRows<Value>(
  codes: Uint32Array,
  parts: readonly { readonly rows: Visits; readonly coded: Coded<Value> | undefined }[],
): (Value | null)[] {
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
  return [...codeByValue.keys()];
}

async function amountsOf(
  listed: Visits,
  lists: readonly VisitsOfList[],
  pace: Pace,
): Promise<Pick<VisitColumns, 'amounts' | 'unpaid'>> {
  const gathered = async (measure: keyof Amounts) => {
    const parts = lists.map(({ rows, amounts }) => ({ rows, column: amounts[measure] }));
    const joined = joinNumbers(new Float64Array(listed.length), listed, parts);
    await pace.rest();
    return joined;
  };
  const amounts = {
    clicks: await gathered('clicks'),
    conversions: await gathered('conversions'),
    cost: await gathered('cost'),
    revenue: await gathered('revenue'),
  };
  const unpaid = unpaidIn(amounts, listed, lists);
  await pace.rest();
  return { amounts, unpaid };
}

/** The sales that paid nothing since they are held. */
function unpaidIn({ conversions, revenue }: Amounts, listed: Visits, lists: readonly VisitsOfList[]): Uint8Array {
  const unpaid = new Uint8Array(listed.length);
  let place = 0;
  for (const { rows, amounts } of lists)
    for (let index = 0; index < rows.length; index += 1, place += 1) {
      const visit = listed[place] ?? 0;
      if ((conversions[visit] ?? 0) > 0 && revenue[visit] === 0 && amounts.held?.of(rows[index] ?? 0).length)
        unpaid[visit] = 1;
    }
  return unpaid;
}

/** Some rows of several columns as one column. */
function joinNumbers<Numbers extends Float64Array | Uint8Array>(
  joined: Numbers,
  listed: Visits,
  parts: readonly { readonly rows: Visits; readonly column: Numbers }[],
): Numbers {
  let place = 0;
  for (const { rows, column } of parts)
    for (let index = 0; index < rows.length; index += 1, place += 1)
      joined[listed[place] ?? 0] = column[rows[index] ?? 0] ?? 0;
  return joined;
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
export function soldVisits({ listed, amounts, stretches, days, dayCodes, unpaid }: VisitColumns): SoldVisit[] {
  const sold: SoldVisit[] = [];
  for (let place = 0; place < listed.length; place += 1) {
    const visit = listed[place] ?? 0;
    const conversions = amounts.conversions[visit] ?? 0;
    if (conversions === 0 || unpaid[visit] === 1) continue;
    const [day = '', isAfter] = [days[dayCodes[visit] ?? 0], (stretches[visit] ?? 0) > 0];
    sold.push({ visit, conversions, revenue: amounts.revenue[visit] ?? 0, day, isAfter });
  }
  return sold;
}

/** Some visits by their index. */
export type Visits = Uint32Array;

export const allRows = ({ listed }: VisitColumns): Visits => listed;

/** A value of a dimension. */
export interface Value {
  readonly dimension: Dimension;
  readonly code: number;
}

export function rowsWhere(rows: Visits, isChosen: (row: number) => boolean): Visits {
  const chosen = new Uint32Array(rows.length);
  let count = 0;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    if (!isChosen(row)) continue;
    chosen[count] = row;
    count += 1;
  }
  return chosen.slice(0, count);
}

/** The visits without a value. */
export const rowsWithoutValue = (rows: Visits, { dimension, code }: Value): Visits =>
  rowsWhere(rows, (row) => dimension.codes[row] !== code);

/** The visits without some of them. */
export function rowsWithout(rows: Visits, some: Visits, { stretches }: VisitColumns): Visits {
  const isTaken = new Uint8Array(stretches.length);
  for (const row of some) isTaken[row] = 1;
  return rowsWhere(rows, (row) => isTaken[row] === 0);
}

/** What a visit adds to a figure. */
export function readerOf({ amounts }: VisitColumns, measure: keyof GroupFigures): (row: number) => number {
  if (measure === 'views') return () => 1;
  const column = amounts[measure];
  return (row) => column[row] ?? 0;
}

/** The visits that have all of some values. */
export const rowsWith = (rows: Visits, ...values: readonly Value[]): Visits =>
  values.reduce((some, { dimension: { codes }, code }) => rowsOf(some, codes, code), rows);

/** Calls no function for each visit, since it is asked most. */
function rowsOf(rows: Visits, codes: Codes, code: number): Visits {
  const chosen = new Uint32Array(rows.length);
  let count = 0;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    if (codes[row] !== code) continue;
    chosen[count] = row;
    count += 1;
  }
  return chosen.slice(0, count);
}

/** Counts the visits with each code. */
export function countCodes(rows: Visits, codes: Codes, counts: Uint32Array): void {
  for (let index = 0; index < rows.length; index += 1) {
    const code = codes[rows[index] ?? 0] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
}
