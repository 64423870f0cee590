import { Failure } from '../../api/failure.ts';
import { didYouMean } from '../../api/text/names.ts';
import { fromOutside, quoted } from '../../api/text/tracker-text.ts';
import { amountIn, parseAmount } from '../columns/amounts.ts';
import { type DateOrder, dateOrders, type ReadColumn, readTimes, type TimeColumn } from '../columns/times.ts';
import { wholeSubid, withoutQuotes } from '../given-subids.ts';
import { columnsOf, isPart } from './headings.ts';
import { findNoSales, type NoSaleKind } from './not-sales.ts';
import type { Grid } from './statement-grid.ts';
import { findStatusColumns, type StatusCell } from './statuses.ts';

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
  /** The days, if the caller names them. */
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

/**
 * Why the days of sales are not known: their times cannot be read, are in the future, or may have day and month swapped; several
 * columns hold times; or the only times are those of something later, such as the payment.
 */
export type TimeProblem =
  | { readonly kind: 'unreadable' | 'open_order' | 'future' | 'later'; readonly column: string; readonly cell: string }
  | { readonly kind: 'several'; readonly columns: readonly string[] };

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
  readonly offer: string | undefined;
  readonly statuses: readonly StatusCell[];
  /** Which cells cannot be read, in words. */
  readonly problems: readonly string[];
}

/** A column that may hold the subIDs: the tracker's conversions show which one does. */
interface SubidColumn {
  readonly name: string;
  /** One for each line. */
  readonly cells: readonly string[];
}

/** A line that is no sale, such as a total. */
interface NoSale {
  readonly line: number;
  readonly kind: NoSaleKind;
  readonly cells: readonly string[];
}

export interface Statement {
  readonly lines: readonly StatementLine[];
  readonly noSales: readonly NoSale[];
  /** The likeliest first; at least one. */
  readonly subidColumns: readonly SubidColumn[];
  readonly amountColumn: string | undefined;
  /** The columns that may hold the amounts, by their headings or cells, and those that hold numbers; empty if one is given. */
  readonly amountColumns: { readonly likely: readonly string[]; readonly possible: readonly string[] };
  /** The first amount that cannot be read, if none of a known column of payouts can. */
  readonly amountProblem: { readonly column: string; readonly cell: string } | undefined;
  readonly timeColumn: string | undefined;
  /** Whether its times have a time of day. */
  readonly hasClock: boolean;
  /** Why its days are not known although it has times. */
  readonly timeProblem: TimeProblem | undefined;
  /** An amount that can be read in two ways, if nothing in the column decides. */
  readonly openAmount: string | undefined;
  /** The headings. */
  readonly columns: readonly string[];
  readonly notices: readonly string[];
}

/**
 * Finds out what the columns of a statement are, by their headings and then by their cells, and reads its lines.
 *
 * @throws Failure if a given column does not exist, or none can hold subIDs
 */
export function readStatement(grid: Grid, given: GivenColumns, now: Date): Statement {
  const { columns, rows, lines, hasHeading } = grid;
  const cellsOf = (index: number) => rows.map((row) => withoutQuotes(row[index]?.trim() ?? ''));
  const indexGiven = (argument: 'subid_column' | 'amount_column' | 'time_column') => {
    const name = given[argument];
    return name === undefined ? undefined : findGivenColumn(columns, name, argument);
  };
  const subidColumns = findSubidColumns(
    columns,
    (index) => rows.map((row) => row[index] ?? ''),
    indexGiven('subid_column'),
  );
  const { times, timeColumn, timeIndex, timeProblem } = findTimes(
    columns,
    cellsOf,
    indexGiven('time_column'),
    given,
    now,
  );
  const subidNames = subidColumns.map(({ name }) => name);
  const isSubid = (index: number) => subidNames.length === 1 && columns[index] === subidNames[0];
  const found = (['transaction', 'currency', 'offer'] as const).map((meaning) =>
    columnsOf(columns, meaning).find((index) => !isSubid(index) && index !== timeIndex),
  );
  const [transactionIndex, currencyIndex, offerIndex] = found;
  const known = new Set([...found, timeIndex, ...subidNames.map((name) => columns.indexOf(name))]);
  const statusColumns = findStatusColumns(columns, cellsOf, known);
  const others = new Set([...known, ...statusColumns.map(({ index }) => index)]);
  const { amountIndex, amountColumns, amountProblem } = findAmounts(
    columns,
    cellsOf,
    indexGiven('amount_column'),
    others,
    hasHeading,
  );
  const amounts =
    amountIndex === undefined ? undefined : readAmounts(cellsOf(amountIndex), given.decimal, columns[amountIndex]);
  const currencyInHeading = /\b[A-Z]{3}\b/.exec(columns[amountIndex ?? -1] ?? '')?.[0];
  const readLine = (row: readonly string[], index: number): StatementLine => {
    const cellIn = (column: number | undefined) =>
      column === undefined ? undefined : row[column]?.trim() || undefined;
    return {
      line: lines[index] ?? 0,
      amount: amounts?.values[index],
      otherAmount: amounts?.other?.values[index],
      time: times?.values[index],
      currency: amounts?.currencies[index] ?? cellIn(currencyIndex)?.toUpperCase() ?? currencyInHeading,
      transaction: cellIn(transactionIndex),
      offer: cellIn(offerIndex),
      statuses: statusColumns.flatMap(({ index: column, kind }) => {
        const cell = cellIn(column);
        return cell === undefined ? [] : [{ kind, heading: columns[column] ?? '', cell: withoutQuotes(cell) }];
      }),
      problems: [
        ...(amounts?.isUnreadable(index) ? [`amount ${quoteText(cellIn(amountIndex) ?? '', 40)}`] : []),
        ...(times?.isUnreadable(index) ? [`time ${quoteText(cellIn(timeIndex) ?? '', 40)}`] : []),
        ...(row.slice(columns.length).some((extra) => extra.trim() !== '')
          ? [`${row.length} cells under ${columns.length} headings`]
          : []),
      ],
    };
  };
  const subidIndex = columns.indexOf(subidNames[0] ?? '');
  const cellAt = (row: readonly string[], index: number | undefined) => withoutQuotes(row[index ?? -1]?.trim() ?? '');
  const noSales = findNoSales(
    rows.map((row, index) => ({
      cells: row.map((cell) => cell.trim()),
      subid: cellAt(row, subidIndex),
      time: times?.values[index] === undefined ? '' : cellAt(row, timeIndex),
      amount: amounts?.values[index],
    })),
    columns,
  );
  const isSale = (_: unknown, index: number) => noSales.size === rows.length || !noSales.has(index);
  return {
    lines: rows.map(readLine).filter(isSale),
    noSales: [...rows.entries()].flatMap(([index, cells]) => {
      const kind = noSales.get(index);
      return kind === undefined || isSale(cells, index) ? [] : [{ line: lines[index] ?? 0, kind, cells }];
    }),
    columns,
    subidColumns: subidColumns.map(({ name, cells }) => ({ name, cells: cells.filter(isSale) })),
    amountColumn: amountIndex === undefined ? undefined : columns[amountIndex],
    amountColumns,
    amountProblem,
    timeColumn,
    hasClock: times?.hasClock ?? false,
    timeProblem,
    openAmount: amounts?.other?.example,
    notices: [...grid.notices, ...(amounts?.notices ?? [describeNoAmounts(columns)]), ...(times?.notices ?? [])],
  };
}

function describeNoAmounts(columns: readonly string[]): string {
  const [saleValue] = columnsOf(columns, 'sale_value');
  const what = 'No column of payouts was found: sales are matched without amounts.';
  return saleValue === undefined
    ? `${what} Give amount_column if there is one.`
    : `${what} ${quoteText(columns[saleValue] ?? '')} is what the visitor paid; if it is the payout, give it as amount_column.`;
}

function quoteText(text: string, maxLength = 60): string {
  return quoted(fromOutside(text), maxLength);
}

function findGivenColumn(columns: readonly string[], name: string, argument: string): number {
  const plain = name.trim().toLowerCase();
  const index = columns.findIndex((column) => column.trim().toLowerCase() === plain);
  if (index >= 0 || (plain === noColumn && argument === 'amount_column')) return index;
  throw new Failure(
    `The statement has no column ${quoteText(name)}${didYouMean(name, columns, quoteText)}`,
    `${listColumns(columns)} Give one of them as ${argument}.`,
  );
}

/** Given as `amount_column`, it compares without amounts. */
const noColumn = 'none';

const maxNamed = 40;

function listColumns(columns: readonly string[]): string {
  const names = columns.slice(0, maxNamed).map((column) => quoteText(column));
  return `Its columns are: ${names.join(', ')}${columns.length > maxNamed ? ` and ${columns.length - maxNamed} more` : ''}.`;
}

/** The minimum part of a column's filled cells that must fit a meaning; a column of another has no cells that fit. */
const [mostCells, halfOfCells, someCells] = [0.8, 0.5, 0.2];

type CellsOf = (index: number) => readonly string[];

function findSubidColumns(columns: readonly string[], cellsOf: CellsOf, given: number | undefined): SubidColumn[] {
  const byName = columnsOf(columns, 'subid');
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

/** Makes a check whether enough of a column's filled cells are of a kind, and match a pattern. */
function holderOf(cellsOf: CellsOf, read: (cells: readonly string[]) => ReadColumn) {
  return (index: number, part: number, pattern = /./): boolean => {
    const sample = cellsOf(index)
      .filter((cell) => cell !== '')
      .slice(0, maxSampled);
    const { values } = read(sample);
    const readable = sample.filter((cell, row) => values[row] !== undefined && pattern.test(cell));
    return sample.length > 0 && readable.length >= sample.length * part;
  };
}

/** The first cell of some columns that is filled and cannot be read. */
function firstUnread(
  indexes: readonly number[],
  columns: readonly string[],
  cellsOf: CellsOf,
  read: (cells: readonly string[]) => ReadColumn,
): { readonly column: string; readonly cell: string } | undefined {
  for (const index of indexes) {
    const cells = cellsOf(index);
    const { isUnreadable } = read(cells);
    const cell = cells.find((_, row) => isUnreadable(row));
    if (cell !== undefined) return { column: columns[index] ?? '', cell };
  }
  return undefined;
}

/** What makes a cell certain to be an amount, under any heading: a currency or cents. */
const surelyAmount = /[A-Z$€£¥₽₹₴₺₩฿₫]|[.,]\d{2}\D*$/i;

/**
 * Finds the column of the payouts: the given one, or the only one with such a heading; else none, and those that the tracker's amounts
 * may choose from.
 * @param others columns that hold something else
 */
function findAmounts(
  columns: readonly string[],
  cellsOf: CellsOf,
  given: number | undefined,
  others: ReadonlySet<number | undefined>,
  hasHeading: boolean,
): { readonly amountIndex: number | undefined } & Pick<Statement, 'amountColumns' | 'amountProblem'> {
  const holds = holderOf(cellsOf, readMoney);
  const namesOf = (indexes: readonly number[]) => indexes.map((index) => columns[index] ?? '');
  const choose = (
    amountIndex: number | undefined,
    likely: readonly number[] = [],
    possible: readonly number[] = [],
  ) => ({
    amountIndex,
    amountColumns: { likely: namesOf(likely), possible: namesOf(possible) },
    amountProblem: undefined,
  });
  if (given !== undefined) return choose(given < 0 ? undefined : given);
  const named = (['payout', 'amount'] as const).map((meaning) =>
    columnsOf(columns, meaning).filter((index) => !others.has(index)),
  ) as [number[], number[]];
  const [payouts, amounts] = named.map((indexes) =>
    indexes.filter((index) => holds(index, halfOfCells)),
  ) as typeof named;
  const [payout, ...otherPayouts] = payouts;
  // What the visitor paid is no payout, and nor is a time.
  const excluded = new Set(noMoney.flatMap((meaning) => columnsOf(columns, meaning)));
  const unknown = [...columns.keys()].filter(
    (index) =>
      ![others, excluded, new Set(named.flat())].some((set) => set.has(index)) &&
      !isPart(columns[index] ?? '') &&
      holds(index, mostCells),
  );
  if (payout !== undefined)
    return choose(otherPayouts.length === 0 ? payout : undefined, [...payouts, ...amounts], unknown);
  const unread = amounts.length > 0 ? undefined : firstUnread(named.flat(), columns, cellsOf, readMoney);
  if (unread) return { ...choose(undefined), amountProblem: unread };
  const sure = unknown.filter((index) => holds(index, mostCells, surelyAmount));
  const likely = [...amounts, ...sure];
  // Without headings there is nothing that could say what the only column of amounts is.
  const only = hasHeading ? amounts[0] : likely[0];
  return choose(likely.length === 1 ? only : undefined, likely, amounts.length > 0 ? [] : unknown);
}

/** Known headings of columns without payouts. */
const noMoney = ['sale_value', 'time', 'later_time', 'clock', 'other', 'type', 'status'] as const;

/** Amounts that are no percentages. */
function readMoney(cells: readonly string[]): ReadColumn {
  const read = readAmounts(cells);
  const values = read.values.map((value, row) => (/%/.test(cells[row]?.slice(-maxPercent) ?? '') ? undefined : value));
  return { ...read, values, isUnreadable: (row) => values[row] === undefined && (cells[row] ?? '').trim() !== '' };
}

const maxPercent = 3;

/** The amounts of a column. The whole column decides how to read each: a cell alone does not tell whether 1.234 is a thousand. */
interface AmountColumn extends ReadColumn {
  /** The sign or code next to each amount. */
  readonly currencies: readonly (string | undefined)[];
  /** The values with a decimal comma, and a cell with two readings, if nothing in the column decides. */
  readonly other: { readonly values: readonly (number | undefined)[]; readonly example: string } | undefined;
}

/** Reads amounts: with a currency on either side, thousands, a decimal point or comma, and losses as -1 or (1). */
function readAmounts(cells: readonly string[], given?: DecimalMark, heading = ''): AmountColumn {
  const read = cells.map((cell) => withoutQuotes(cell.trim()));
  const areCents = read.map((cell) => cell.length < 60 && inCents.test(cell));
  const amounts = read.map((cell, row) => parseAmount(areCents[row] ? cell.replace(inCents, '').trim() : cell));
  const counts = { point: 0, comma: 0, open: 0 };
  let example = '';
  for (const amount of amounts) {
    if (amount?.mark === undefined) continue;
    counts[amount.isOpen ? 'open' : amount.mark] += 1;
    if (amount.isOpen) example ||= amount.written;
  }
  const isOpen = given === undefined && counts.open > 0 && counts.point + counts.comma === 0;
  const decimal = given ?? (counts.comma > counts.point ? 'comma' : 'point');
  const units = inCents.test(heading) || camelCents.test(heading) ? centsPerUnit : 1;
  const valuesWith = (mark: DecimalMark) =>
    amounts.map((amount, row) => {
      const value = amount && amountIn(amount, { decimal: mark, by: 'setting', readsOpenPoint: true });
      return value === undefined ? undefined : value / (areCents[row] ? centsPerUnit : units);
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

const centsPerUnit = 100;

/** A heading or a cell in the hundredth part of a currency. */
const inCents = /(?<!\p{L})(?:cents?|pence|pennies|centimes?|c[ée]ntimos?|centavos?)(?!\p{L})/iu;
const camelCents = /[a-z](?:Cents|Pence)(?![a-z])/;

/** How a text that is meant as a time looks. */
const timeLike = /\d{1,4}[-/.]\p{L}{0,9}\d{0,2}[-/.]\d{1,4}|\d{1,2}:\d{2}|\d{1,2}\.? \p{L}{3,12} \d{2,4}/u;

interface TimesFound {
  readonly times?: TimeColumn;
  readonly timeColumn?: string | undefined;
  readonly timeIndex?: number;
  readonly timeProblem?: TimeProblem;
}

/** Finds the column of the times, by its heading or else its cells, and reads it. */
function findTimes(
  columns: readonly string[],
  cellsOf: CellsOf,
  givenIndex: number | undefined,
  given: GivenColumns,
  now: Date,
): TimesFound {
  const holds = holderOf(cellsOf, readTimes);
  const named = givenIndex === undefined ? columnsOf(columns, 'time') : [givenIndex];
  const known = named.filter((index) => holds(index, halfOfCells));
  const all = [...columns.keys()];
  const after = new Set(columnsOf(columns, 'later_time'));
  const [later, unknown] = [true, false].map((isLater) =>
    known.length > 0 ? [] : all.filter((index) => after.has(index) === isLater && holds(index, mostCells, /\D/)),
  ) as [number[], number[]];
  const [index, ...others] = [...known, ...unknown];
  if (index !== undefined && (known.length > 0 || others.length === 0))
    return { timeIndex: index, ...readStatementTimes(columns, cellsOf, index, given, now) };
  const firstCell = (one: number) => ({
    column: columns[one] ?? '',
    cell: cellsOf(one).find((cell) => cell !== '') ?? '',
  });
  if (later[0] !== undefined && others.length === 0) return { timeProblem: { kind: 'later', ...firstCell(later[0]) } };
  if (others.length > 0) return { timeProblem: { kind: 'several', columns: unknown.map((one) => columns[one] ?? '') } };
  const isMeant = (one: number) => {
    const filled = cellsOf(one).filter((cell) => cell !== '');
    return filled.filter((cell) => timeLike.test(cell)).length > filled.length * halfOfCells;
  };
  const unread = firstUnread([...named, ...all.filter(isMeant)], columns, cellsOf, readTimes);
  return unread ? { timeProblem: { kind: 'unreadable', ...unread } } : {};
}

/** Reads the times. If their column has only days, a second column may have the times of day. */
function readStatementTimes(
  columns: readonly string[],
  cellsOf: CellsOf,
  timeIndex: number,
  { date_order, start_date, end_date }: GivenColumns,
  now: Date,
): TimesFound {
  const days = cellsOf(timeIndex);
  const daysRead = readTimes(days, date_order);
  const clockIndex = daysRead.hasClock ? undefined : columnsOf(columns, 'clock').find((index) => index !== timeIndex);
  const cells = clockIndex === undefined ? days : joinClock(days, cellsOf(clockIndex));
  const timeColumn = clockIndex === undefined ? columns[timeIndex] : `${columns[timeIndex]} and ${columns[clockIndex]}`;
  const times = clockIndex === undefined ? daysRead : readTimes(cells, date_order);
  // No sale is in the future; a day of grace, for zones.
  const latest = now.getTime() + 86_400_000;
  if (times.order === 'shown') {
    const future = times.values.findIndex((value) => value !== undefined && value > latest);
    return future < 0
      ? { times, timeColumn }
      : { timeProblem: { kind: 'future', column: timeColumn ?? '', cell: cells[future] ?? '' } };
  }
  const [only, other] = dateOrders
    .map((order) => readTimes(cells, order))
    .filter(({ values }) => values.every((value) => value === undefined || value <= latest));
  if (only && !other) return { times: only, timeColumn };
  const isOpen = times.order === 'open' && (start_date === undefined || end_date === undefined);
  const cell = days.find((day) => day !== '') ?? '';
  return isOpen ? { timeProblem: { kind: 'open_order', column: timeColumn ?? '', cell } } : { times, timeColumn };
}

/** Joins a column of days with a column of times of day, such as 2026-06-01 and 14:05. */
function joinClock(days: readonly string[], clocks: readonly string[]): string[] {
  return days.map((day, row) => {
    const time = clocks[row]?.trim() ?? '';
    return /^\d{1,2}:\d{2}/.test(time) ? `${day.trim()} ${time}` : day;
  });
}
