import { Failure } from '../../api/failure.ts';
import { didYouMean } from '../../api/text/names.ts';
import { fromOutside, quoted } from '../../api/text/tracker-text.ts';
import { indexNamed, nameOf, namesOf } from '../../api/vocabulary.ts';
import { amountIn, parseAmount } from '../columns/amounts.ts';
import { type DateOrder, type ReadColumn, readTimes, type TimeColumn } from '../columns/times.ts';
import { wholeSubid, withoutQuotes } from '../given-subids.ts';
import type { Grid } from './statement-grid.ts';

/** The decimal mark of amounts. */
export const decimalMarks = ['point', 'comma'] as const;
type DecimalMark = (typeof decimalMarks)[number];

/** The columns that the caller names. The others are found by their names and cells. */
export interface GivenColumns {
  readonly subid_column?: string | undefined;
  readonly amount_column?: string | undefined;
  readonly time_column?: string | undefined;
  readonly decimal?: DecimalMark | undefined;
  readonly date_order?: DateOrder | undefined;
}

const standings = ['approved', 'pending', 'rejected'] as const;
export type Standing = (typeof standings)[number];
const isStanding = standings.map((standing) => [standing, nameOf('statement', standing)] as const);

/** @returns undefined for a word on which networks contradict each other */
export function standingOf(status: string): Standing | undefined {
  return isStanding.find(([, is]) => is(status))?.[0];
}

/** One line of a statement. */
export interface StatementLine {
  /** Where it begins, from 1. */
  readonly line: number;
  /** Undefined if it is missing or unreadable. */
  readonly amount: number | undefined;
  /** The amount with a decimal comma, if nothing in the column shows which mark it has. */
  readonly otherAmount: number | undefined;
  /** Milliseconds on the statement's own clock, as if that were UTC. */
  readonly time: number | undefined;
  /** A sign or a code. */
  readonly currency: string | undefined;
  readonly transaction: string | undefined;
  /** What its status says, if networks agree on the word. */
  readonly standing: Standing | undefined;
  /** Which cells cannot be read, in words. */
  readonly problems: readonly string[];
}

/** A column that may hold the subIDs: the tracker's conversions show which one does. */
interface SubidColumn {
  readonly name: string;
  /** One for each line. */
  readonly cells: readonly string[];
}

export interface Statement {
  readonly lines: readonly StatementLine[];
  /** The likeliest first; at least one. */
  readonly subidColumns: readonly SubidColumn[];
  readonly amountColumn: string | undefined;
  /** All columns that may hold the amounts, if none is given; `areNamed` if by their names. */
  readonly amountColumns: { readonly areNamed: boolean; readonly names: readonly string[] };
  readonly timeColumn: string | undefined;
  /** Whether its times have a time of day. */
  readonly hasClock: boolean;
  /** A column that is named like one of times, and its first cell, if none of its cells can be read. */
  readonly unreadTime: { readonly column: string; readonly cell: string } | undefined;
  /** An amount that can be read in two ways, if nothing in the column decides. */
  readonly openAmount: string | undefined;
  /** How often each status appears; empty without a status column. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly notices: readonly string[];
}

/**
 * Finds out what the columns of a statement are, by their names and then by their cells, and reads its lines.
 *
 * @throws Failure if a given column does not exist, or none can hold subIDs
 */
export function readStatement(grid: Grid, given: GivenColumns): Statement {
  const { columns, rows, lines } = grid;
  const cellsOf = (index: number) => rows.map((row) => row[index] ?? '');
  const timeCellsOf = (index: number) => cellsOf(index).map((cell) => withoutQuotes(cell.trim()));
  const indexGiven = (argument: 'subid_column' | 'amount_column' | 'time_column') => {
    const name = given[argument];
    return name === undefined ? undefined : findGivenColumn(columns, name, argument);
  };
  const subidColumns = findSubidColumns(columns, cellsOf, indexGiven('subid_column'));
  const givenAmount = indexGiven('amount_column');
  const found = findColumns(columns, 'amount', cellsOf);
  const amountIndex = givenAmount ?? (found.areNamed || found.indexes.length === 1 ? found.indexes[0] : undefined);
  const timesFound = findColumns(columns, 'time', timeCellsOf);
  const [timeFound, ...otherTimes] = timesFound.indexes;
  const timeIndex =
    indexGiven('time_column') ?? (timesFound.areNamed || otherTimes.length === 0 ? timeFound : undefined);
  const amounts =
    amountIndex === undefined ? undefined : readAmounts(cellsOf(amountIndex), given.decimal, columns[amountIndex]);
  const { times, timeColumn } = readStatementTimes(columns, timeCellsOf, timeIndex, given.date_order);
  const [transactionIndex, statusIndex, currencyIndex] = (['transaction', 'status', 'currency'] as const).map((role) =>
    columnsNamed(columns, role).find((index) => subidColumns.length > 1 || columns[index] !== subidColumns[0]?.name),
  );
  const currencyInHeading = /\b[A-Z]{3}\b/.exec(columns[amountIndex ?? -1] ?? '')?.[0];
  const statuses = new Map<string, number>();
  const readLine = (row: readonly string[], index: number): StatementLine => {
    const cellIn = (column: number | undefined) =>
      column === undefined ? undefined : row[column]?.trim() || undefined;
    const status = cellIn(statusIndex);
    if (status !== undefined) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return {
      line: lines[index] ?? 0,
      amount: amounts?.values[index],
      otherAmount: amounts?.other?.values[index],
      time: times?.values[index],
      currency: amounts?.currencies[index] ?? cellIn(currencyIndex)?.toUpperCase() ?? currencyInHeading,
      transaction: cellIn(transactionIndex),
      standing: status === undefined ? undefined : standingOf(status),
      problems: [
        ...(amounts?.isUnreadable(index) ? [`amount ${quoteText(cellIn(amountIndex) ?? '', 40)}`] : []),
        ...(times?.isUnreadable(index) ? [`time ${quoteText(cellIn(timeIndex) ?? '', 40)}`] : []),
        ...(row.slice(columns.length).some((extra) => extra.trim() !== '')
          ? [`${row.length} cells under ${columns.length} headings`]
          : []),
      ],
    };
  };
  return {
    lines: rows.map(readLine),
    subidColumns,
    amountColumn: amountIndex === undefined ? undefined : columns[amountIndex],
    amountColumns: {
      areNamed: found.areNamed,
      names: givenAmount === undefined ? found.indexes.map((index) => columns[index] ?? '') : [],
    },
    timeColumn,
    hasClock: times?.hasClock ?? false,
    unreadTime: times?.values.some((value) => value !== undefined)
      ? undefined
      : findUnreadTime(columns, cellsOf, timeIndex),
    openAmount: amounts?.other?.example,
    statuses,
    notices: [
      ...grid.notices,
      ...(amounts
        ? amounts.notices
        : ['No column of amounts was found: sales are matched without them. Give amount_column if there is one.']),
      ...(times ? times.notices : ['No column of times was found: give time_column if there is one.']),
    ],
  };
}

function quoteText(text: string, maxLength = 60): string {
  return quoted(fromOutside(text), maxLength);
}

type Role = 'subid' | 'amount' | 'sale_value' | 'time' | 'clock' | 'transaction' | 'status' | 'currency';

/** The columns with a name for a role, in the order of the names: `Payout (USD)` is a payout. */
function columnsNamed(columns: readonly string[], role: Role): number[] {
  const bare = columns.map((column) =>
    column
      .trim()
      .replace(/^Stat\./i, '')
      .replace(/\([^()]*\)|\[[^[\]]*\]|\b[A-Z]{3}$(?<!^[A-Z]{3})|[$€£%]/g, ''),
  );
  const indexes = namesOf('statement', role).flatMap((name) => [indexNamed(columns, [name]), indexNamed(bare, [name])]);
  return [...new Set(indexes)].filter((index) => index >= 0);
}

function findGivenColumn(columns: readonly string[], name: string, argument: string): number {
  const plain = name.trim().toLowerCase();
  const index = columns.findIndex((column) => column.trim().toLowerCase() === plain);
  if (index >= 0) return index;
  throw new Failure(
    `The statement has no column ${quoteText(name)}${didYouMean(name, columns, quoteText)}`,
    `${listColumns(columns)} Give one of them as ${argument}.`,
  );
}

const maxNamed = 40;

function listColumns(columns: readonly string[]): string {
  const names = columns.slice(0, maxNamed).map((column) => quoteText(column));
  return `Its columns are: ${names.join(', ')}${columns.length > maxNamed ? ` and ${columns.length - maxNamed} more` : ''}.`;
}

/** The minimum part of a column's filled cells that must fit a role; a column with another role has no cells that fit. */
const [mostCells, halfOfCells, someCells] = [0.8, 0.5, 0.2];

function findSubidColumns(
  columns: readonly string[],
  cellsOf: (index: number) => string[],
  given: number | undefined,
): SubidColumn[] {
  const byName = columnsNamed(columns, 'subid');
  const indexes = given === undefined ? [...byName, ...columns.keys()] : [given];
  const candidates = [...new Set(indexes)].flatMap((index) => {
    const cells = cellsOf(index);
    const filled = cells.filter((cell) => cell.trim() !== '').length;
    const whole = cells.filter((cell) => wholeSubid.test(cell)).length;
    const isNamed = index === given || byName.includes(index);
    const isCandidate = isNamed || (filled > 0 && whole >= filled * someCells);
    return isCandidate ? [{ name: columns[index] ?? '', cells, filled, whole }] : [];
  });
  if (candidates.length > 0)
    return candidates.sort((one, other) => other.whole - one.whole || other.filled - one.filled);
  throw new Failure(
    'The statement has no column of subIDs: none has such a name or holds texts such as ab12cd34_7_00000345.',
    `${listColumns(columns)} Give subid_column.`,
  );
}

/** More cells of a column add nothing. */
const maxSampled = 2000;

/** How to read the cells of a role, and what makes a cell certain: ten digits may be something other than a time. */
const kinds = {
  amount: { read: readAmounts, sure: /[A-Z$€£¥₽₹₴₺₩฿₫]|[.,]\d{2}\D*$/i },
  time: { read: readTimes, sure: /\D/ },
} as const;

/** The columns of a role: those with a fitting name and cells, the likeliest first; else those whose cells leave no doubt. */
function findColumns(
  columns: readonly string[],
  role: keyof typeof kinds,
  cellsOf: (index: number) => string[],
): { readonly areNamed: boolean; readonly indexes: readonly number[] } {
  const { read, sure } = kinds[role];
  const holds = (index: number, part: number, pattern = /./) => {
    const sample = cellsOf(index)
      .flatMap((cell) => cell.trim() || [])
      .slice(0, maxSampled);
    const { values } = read(sample);
    const readable = sample.filter((cell, row) => values[row] !== undefined && pattern.test(cell));
    return sample.length > 0 && readable.length >= sample.length * part;
  };
  const byName = columnsNamed(columns, role).filter((index) => holds(index, halfOfCells));
  if (byName.length > 0) return { areNamed: true, indexes: byName };
  // What the visitor paid is no payout.
  const excluded = role === 'amount' ? columnsNamed(columns, 'sale_value') : [];
  const indexes = [...columns.keys()].filter((index) => !excluded.includes(index) && holds(index, mostCells, sure));
  return { areNamed: false, indexes };
}

/** The amounts of a column. The whole column decides how to read each: a cell alone does not tell whether 1.234 is a thousand. */
interface AmountColumn extends ReadColumn {
  /** The sign or code next to each amount. */
  readonly currencies: readonly (string | undefined)[];
  /** The values with a decimal comma, and a cell with two readings, if nothing in the column decides. */
  readonly other: { readonly values: readonly (number | undefined)[]; readonly example: string } | undefined;
}

/** Reads amounts: with a currency on either side, thousands, a decimal point or comma, and losses as -1 or (1). */
function readAmounts(cells: readonly string[], given?: DecimalMark, heading = ''): AmountColumn {
  const amounts = cells.map((cell) => parseAmount(withoutQuotes(cell.trim())));
  const counts = { point: 0, comma: 0, open: 0 };
  let example = '';
  for (const amount of amounts) {
    if (amount?.mark === undefined) continue;
    counts[amount.isOpen ? 'open' : amount.mark] += 1;
    if (amount.isOpen) example ||= amount.written;
  }
  const isOpen = given === undefined && counts.open > 0 && counts.point + counts.comma === 0;
  const decimal = given ?? (counts.comma > counts.point ? 'comma' : 'point');
  const units = inCents.test(heading) ? 100 : 1;
  const valuesWith = (mark: DecimalMark) =>
    amounts.map((amount) => {
      const value = amount && amountIn(amount, { decimal: mark, by: 'setting', readsOpenPoint: true });
      return value === undefined ? undefined : value / units;
    });
  const values = valuesWith(decimal);
  return {
    values,
    isUnreadable: (row) => values[row] === undefined && (cells[row] ?? '').trim() !== '',
    currencies: amounts.map((amount) => (amount?.unit === '%' ? undefined : amount?.unit?.toUpperCase())),
    other: isOpen ? { values: valuesWith('comma'), example } : undefined,
    notices: [
      ...(decimal === 'comma' ? ['Amounts have a decimal comma.'] : []),
      ...(units === 1 ? [] : [`Amounts are in cents, as the heading ${quoteText(heading)} says.`]),
    ],
  };
}

const inCents = /\bcents?\b|_cents?$|[a-z]Cents?$/;

/** Reads the times. If their column has only days, a second column may have the times of day. */
function readStatementTimes(
  columns: readonly string[],
  cellsOf: (index: number) => string[],
  timeIndex: number | undefined,
  dateOrder: DateOrder | undefined,
): { readonly times: TimeColumn | undefined; readonly timeColumn: string | undefined } {
  if (timeIndex === undefined) return { times: undefined, timeColumn: undefined };
  const days = cellsOf(timeIndex);
  const times = readTimes(days, dateOrder);
  const clockIndex = columnsNamed(columns, 'clock').find((index) => index !== timeIndex);
  if (times.hasClock || clockIndex === undefined) return { times, timeColumn: columns[timeIndex] };
  return {
    times: readTimes(joinClock(days, cellsOf(clockIndex)), dateOrder),
    timeColumn: `${columns[timeIndex]} and ${columns[clockIndex]}`,
  };
}

function findUnreadTime(columns: readonly string[], cellsOf: (index: number) => string[], given: number | undefined) {
  const indexes = given === undefined ? columnsNamed(columns, 'time') : [given];
  const found = indexes.flatMap((index) => {
    const cell = cellsOf(index).find((text) => text.trim() !== '');
    return cell === undefined ? [] : [{ column: columns[index] ?? '', cell }];
  });
  return found[0];
}

/** Joins a column of days with a column of times of day, such as 2026-06-01 and 14:05. */
function joinClock(days: readonly string[], clocks: readonly string[]): string[] {
  return days.map((day, row) => {
    const time = clocks[row]?.trim() ?? '';
    return /^\d{1,2}:\d{2}/.test(time) ? `${day.trim()} ${time}` : day;
  });
}
