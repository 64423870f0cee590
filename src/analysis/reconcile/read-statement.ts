import type { Note } from '../../answer/notes.ts';
import { Failure } from '../../api/failure.ts';
import { didYouMean } from '../../api/text/names.ts';
import type { DecimalMark } from '../../api/tracker-numbers.ts';
import { wholeSubid, withoutQuotes } from '../given-subids.ts';
import { sum } from '../statistics/history.ts';
import { lastPageOf, sectionsOf, textOfPart } from './between-lines.ts';
import { type CellsOf, quoteText, someCells } from './column-cells.ts';
import { columnsOf } from './headings.ts';
import { type MoneyBeside, moneyBeside } from './money-beside.ts';
import { findNoSales, type NoSaleKind } from './not-sales.ts';
import { type AmountColumns, findAmounts, readAmounts } from './payout-column.ts';
import { findTimes, type GivenTimes, type TimeProblem } from './sale-times.ts';
import { type Grid, noStatement } from './statement-grid.ts';
import { findStatusColumns, type StatusCell } from './statuses.ts';

/** The columns that the caller names. The others are found by their names and cells. */
export interface GivenColumns extends GivenTimes {
  readonly subid_column?: string | undefined;
  readonly amount_column?: string | undefined;
  readonly time_column?: string | undefined;
  readonly decimal?: DecimalMark | undefined;
}

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

export interface Statement extends AmountColumns {
  readonly lines: readonly StatementLine[];
  readonly noSales: readonly NoSale[];
  /** The likeliest first; at least one. */
  readonly subidColumns: readonly SubidColumn[];
  readonly amountColumn: string | undefined;
  readonly timeColumn: string | undefined;
  readonly hasClock: boolean;
  /** Why its days are not known although it has times. */
  readonly timeProblem: TimeProblem | undefined;
  /** An amount that can be read in two ways, if nothing in the column decides. */
  readonly openAmount: string | undefined;
  /** Columns of money that is in no sum. */
  readonly moneyBeside: readonly MoneyBeside[];
  /** The headings. */
  readonly columns: readonly string[];
  readonly notices: readonly Note[];
}

/**
 * Finds out what the columns of a statement are, by their headings and then by their cells, and reads its lines.
 *
 * @throws Failure if a given column does not exist, or none can hold subIDs, or the statement says that it is a part
 */
export function readStatement(grid: Grid, given: GivenColumns, now: Date): Statement {
  const { columns, rows, above, lines, hasHeading } = grid;
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
  const takenAway = new Map(
    statusColumns.flatMap(({ index, kind }) =>
      kind === 'money' ? [[index, readAmounts(cellsOf(index), given.decimal, columns[index]).values]] : [],
    ),
  );
  const currencyInHeading = /\b[A-Z]{3}\b/.exec(columns[amountIndex ?? -1] ?? '')?.[0];
  /** What takes money away in a line that gives none: a debit beside credits. */
  const debitIn = (index: number) => {
    const sums = [...takenAway.values()].flatMap((values) => values[index] ?? []);
    return sums.length === 0 ? undefined : -Math.abs(sum(sums));
  };
  const readLine = (row: readonly string[], index: number): StatementLine => {
    const cellIn = (column: number | undefined) =>
      column === undefined ? undefined : row[column]?.trim() || undefined;
    return {
      line: lines[index] ?? 0,
      amount: cellIn(amountIndex) === undefined ? debitIn(index) : amounts?.values[index],
      otherAmount: amounts?.other?.values[index],
      time: times?.values[index],
      currency: amounts?.currencies[index] ?? cellIn(currencyIndex)?.toUpperCase() ?? currencyInHeading,
      transaction: cellIn(transactionIndex),
      offer: cellIn(offerIndex),
      statuses: [
        ...(sections[index] === undefined ? [] : [{ kind: 'status' as const, heading: '', cell: sections[index] }]),
        ...statusColumns.flatMap(({ index: column, kind, isAnsweredByNothing }) => {
          const cell = cellIn(column) ?? (isAnsweredByNothing ? '' : undefined);
          const taken = Math.abs(takenAway.get(column)?.[index] ?? Number.NaN);
          if (cell === undefined || taken === 0) return [];
          const isPart = taken < Math.abs(amounts?.values[index] ?? 0);
          return [{ kind, heading: columns[column] ?? '', cell: withoutQuotes(cell), isPart }];
        }),
      ],
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
  const isAround = (_: unknown, index: number) => ['note', 'page_number'].includes(noSales.get(index) ?? '');
  const around = [...above, ...rows.filter(isAround)].map((row) => row.join(' ').trim().slice(0, 200));
  const [part, page] = [textOfPart(around, rows.length - noSales.size), lastPageOf(around)];
  if (part !== undefined)
    throw noStatement(
      `it says that there are more lines: ${quoteText(part, 80)}`,
      'Give all lines, or leave that text out if these are all.',
    );
  const sections = sectionsOf(above, rows, (index) => noSales.get(index) === 'note');
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
    moneyBeside: hasHeading
      ? moneyBeside(columns, cellsOf, new Set([...others, amountIndex]), amountIndex, (row) => isSale(undefined, row))
      : [],
    notices: [
      ...grid.notices,
      ...(page === undefined ? [] : [{ code: 'last-page', page } as const]),
      ...(amounts?.notices ?? [noPayoutsNote(columns)]),
      ...(times?.notices ?? []),
    ],
  };
}

function noPayoutsNote(columns: readonly string[]): Note {
  const [saleValue] = columnsOf(columns, 'sale_value');
  return { code: 'no-payouts', paid: saleValue === undefined ? undefined : (columns[saleValue] ?? '') };
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
