import { isDash, isSumWord } from '../../api/cell-words.ts';
import type { Table } from '../../api/table.ts';
import { fromTracker, rawText, type TrackerText } from '../../api/text/tracker-text.ts';
import { namesRow } from '../../api/vocabulary.ts';
import { type NumberColumn, nameOf, readNumberColumns } from './columns.ts';
import { type Formula, formulas, isAdditive, type Measure, measureOf } from './measures.ts';

export interface NamedNumbers {
  readonly name: string;
  readonly numbers: NumberColumn;
}

interface Part {
  readonly numbers: NumberColumn;
  readonly sum: number | undefined;
}

/**
 * Totals by column name: sums of what adds up, and ratios recomputed from the sums of their parts. A ratio has no total if its
 * parts are missing or the tracker uses a different formula. Rounded to the digits that the tracker shows.
 * @param alsoSums names of further columns that add up
 * @param exact sums that the tracker reports itself, by column name
 */
export function totalsOf(
  columns: readonly NamedNumbers[],
  alsoSums: readonly string[] = [],
  exact: ReadonlyMap<string, number> = new Map(),
): Map<string, number> {
  const parts = new Map<Measure, Part>();
  const summed = columns.map(({ name, numbers }) => {
    const measure = measureOf(name);
    const adds = alsoSums.includes(name) || (measure && isAdditive(measure) && numbers.unit !== '%');
    const sum = adds ? (exact.get(name) ?? numbers.sum) : undefined;
    const part = measure && parts.get(measure);
    if (measure) parts.set(measure, { numbers: part?.numbers ?? numbers, sum: part?.sum ?? sum });
    return { name, numbers, measure, sum };
  });
  const totals = new Map<string, number>();
  for (const { name, numbers, measure, sum } of summed) {
    const ratio = ratioOf(numbers, measure && formulas.get(measure), parts);
    if (ratio !== undefined) totals.set(name, round(ratio, Math.max(numbers.decimals, 2)));
    else if (sum !== undefined) totals.set(name, round(sum, numbers.decimals));
  }
  return totals;
}

function additiveMeasure(column: string): Measure | undefined {
  const measure = measureOf(column);
  return measure && isAdditive(measure) ? measure : undefined;
}

/** A ratio of sums; undefined if the column is not a ratio, a part is missing, or the tracker has a different formula. */
function ratioOf(
  numbers: NumberColumn,
  formula: Formula | undefined,
  parts: ReadonlyMap<Measure, Part>,
): number | undefined {
  if (!formula) return undefined;
  const columns: NumberColumn[] = [];
  const sums: number[] = [];
  for (const part of formula.parts) {
    const { numbers: column, sum } = parts.get(part) ?? {};
    if (column === undefined || sum === undefined) return undefined;
    columns.push(column);
    sums.push(sum);
  }
  if (lacksPart(numbers, columns) || !agrees(formula.compute, numbers, columns)) return undefined;
  // The tracker may know the parts of a single row to more digits than it shows.
  const only = numbers.values.length === 1 ? numbers.values[0] : undefined;
  const total = only === undefined || Number.isNaN(only) ? formula.compute(...sums) : only;
  return Number.isNaN(total) ? undefined : total;
}

/** Whether a row without the ratio has some of its parts alone: their sums are not of the same rows. */
function lacksPart(ratio: NumberColumn, parts: readonly NumberColumn[]): boolean {
  return ratio.values.some((value, row) => {
    if (!Number.isNaN(value)) return false;
    const missing = parts.filter(({ values }) => Number.isNaN(values[row])).length;
    return missing > 0 && missing < parts.length;
  });
}

/** How far the tracker's rounding may move a ratio, as a part of it. */
const tolerance = 0.02;

const maxChecked = 200;

/** Whether the rows agree with a formula, up to the digits that the tracker shows. */
function agrees(compute: Formula['compute'], ratio: NumberColumn, parts: readonly NumberColumn[]): boolean {
  const step = 10 ** -ratio.decimals;
  const [first, second, third] = parts;
  return ratio.values.subarray(0, maxChecked).every((shown, row) => {
    const computed = compute(first?.values[row], second?.values[row], third?.values[row]);
    return !(Math.abs(shown - computed) > step + Math.abs(computed) * tolerance);
  });
}

/** Sums of cents as doubles drift after the last digit; the column's own digits bring them back. */
function round(value: number, decimals: number): number {
  if (Number.isInteger(value)) return value;
  return Number(value.toFixed(Math.min(decimals, 6)));
}

/** Measures whose sums are exact; money may be rounded in every row. */
const counted: ReadonlySet<Measure> = new Set(['views', 'clicks', 'subscribers', 'conversions', 'engaged']);

export interface TrackerTotal {
  readonly index: number;
  /** What the tracker calls it, such as Total. */
  readonly name: TrackerText;
}

/**
 * The first or last row, if it is the tracker's own total: its texts are words such as Total, or it lacks the ID and name that all others
 * have, and each number that adds up is the sum of the others. A campaign that is called Total has other sums. A row without any text, as
 * visits without a keyword have one, is a total if it is the sum of many by more than chance.
 */
export function findTotal(table: Table): TrackerTotal | undefined {
  const last = table.rowCount - 1;
  if (last < 1) return undefined;
  const numbers = readNumberColumns(table);
  for (const index of [last, 0]) {
    const name = totalWordIn(table, index, numbers);
    const mayBeNameless = () => lacksText(table, index, numbers) && isNoChance(index, numbers, table);
    if (name === undefined && !mayBeNameless()) continue;
    if (isSumOfAll(table, index, numbers)) return { index, name: fromTracker(name ?? '') };
  }
  return undefined;
}

function totalWordIn(table: Table, row: number, numbers: ReadonlyMap<number, NumberColumn>): string | undefined {
  let word: string | undefined;
  const isNameless = lacksName(table, row);
  for (const column of table.columns.keys()) {
    const cell = numbers.has(column) ? null : table.text(row, column);
    if (cell === null || isDash(rawText(cell))) continue;
    if (!isSumWord(rawText(cell).trim()) && !isNameless) return undefined;
    word ??= rawText(cell).trim();
  }
  return word;
}

/** Whether a row has nothing but numbers, and others have a text. */
function lacksText(table: Table, row: number, numbers: ReadonlyMap<number, NumberColumn>): boolean {
  const texts = [...table.columns.keys()].filter((column) => !numbers.has(column));
  const isEmpty = (column: number) => table.text(row, column) === null;
  return texts.every(isEmpty) && texts.some((column) => table.column(column).some((cell) => cell !== null));
}

/** So many rows, and so many in the sum, make one row equal to all others in each of three counts or amounts by no chance. */
const [minOthers, minCount, minSums] = [2, 20, 3];

function isNoChance(row: number, numbers: ReadonlyMap<number, NumberColumn>, table: Table): boolean {
  const sums = [...numbers].flatMap(([index, { values }]) =>
    additiveMeasure(nameOf(table, index)) ? Math.abs(values[row] || 0) : [],
  );
  const filled = sums.filter((sum) => sum > 0).length;
  return table.rowCount > minOthers && filled >= minSums && Math.max(...sums) >= minCount;
}

/** Whether a row has no ID and no name, and all others have one. */
function lacksName(table: Table, row: number): boolean {
  const isFilled = (column: number) => table.column(column).every((cell, index) => index === row || cell !== null);
  let isOdd = false;
  for (const column of table.columns.keys()) {
    if (!namesRow(nameOf(table, column))) continue;
    if (table.text(row, column) !== null) return false;
    isOdd ||= isFilled(column);
  }
  return isOdd;
}

/** Whether a row has a number in a column that adds up, and in each of these the sum of the others. */
function isSumOfAll(table: Table, row: number, numbers: ReadonlyMap<number, NumberColumn>): boolean {
  let isFilled = false;
  for (const [index, column] of numbers) {
    const measure = additiveMeasure(nameOf(table, index));
    if (!measure || column.unit === '%') continue;
    if (!isSumOfOthers(column, row, counted.has(measure))) return false;
    isFilled ||= Math.abs(column.values[row] ?? 0) > 0;
  }
  return isFilled;
}

function isSumOfOthers({ values, decimals }: NumberColumn, row: number, isCounted: boolean): boolean {
  const shown = values[row] ?? Number.NaN;
  if (Number.isNaN(shown)) return true;
  let sum = 0;
  for (const [index, value] of values.entries()) if (index !== row && !Number.isNaN(value)) sum += value;
  // Each row, and the total, may be half a step off.
  const rounding = isCounted ? 0 : (values.length * 10 ** -decimals) / 2;
  return Math.abs(shown - sum) <= rounding + Math.abs(sum) * 1e-9;
}

/** Money is rounded in every row; these exact counts show whether two reports cover the same visitors. */
const countsToCompare: Partial<Readonly<Record<Measure, readonly Measure[]>>> = {
  revenue: ['conversions'],
  cost: ['views'],
  profit: ['conversions', 'views'],
};

/** Roundings of many rows rarely add up to more than this many of their standard deviations. */
const maxDeviations = 4;

/**
 * Sums by column name as the tracker reports them, to use in place of sums of rounded rows: from its own total row, or from the
 * campaign report if that covers the same visitors.
 */
export function exactSums(
  table: Table,
  total: TrackerTotal | undefined,
  campaign: Table | undefined,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  if (!total && !campaign) return sums;
  for (const [index, column] of readNumberColumns(table)) {
    const name = nameOf(table, index);
    const measure = additiveMeasure(name);
    if (!measure) continue;
    const sum = total ? column.values[total.index] : campaignSum(measure, column, table, campaign);
    if (sum !== undefined && !Number.isNaN(sum)) sums.set(name, sum);
  }
  return sums;
}

function campaignSum(
  measure: Measure,
  { values, decimals }: NumberColumn,
  report: Table,
  campaign: Table | undefined,
): number | undefined {
  const counts = countsToCompare[measure];
  if (!counts || !campaign) return undefined;
  const exact = sumIn(campaign, measure);
  const sum = sumIn(report, measure);
  if (exact === undefined || sum === undefined) return undefined;
  const isSame = counts.every((count) => {
    const counted = sumIn(report, count);
    return counted !== undefined && counted === sumIn(campaign, count);
  });
  const rounding = 10 ** -decimals * maxDeviations * Math.sqrt(values.length / 12);
  return isSame && Math.abs(sum - exact) <= rounding ? exact : undefined;
}

function sumIn(table: Table, measure: Measure): number | undefined {
  const index = table.columns.findIndex((column) => measureOf(rawText(column)) === measure);
  return readNumberColumns(table).get(index)?.sum;
}
