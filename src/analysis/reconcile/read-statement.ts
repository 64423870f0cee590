import { Failure } from '../../api/failure.ts';
import { nearestName } from '../../api/text/names.ts';
import { fromOutside, quoted } from '../../api/text/tracker-text.ts';
import { indexNamed, namesOf } from '../../api/vocabulary.ts';
import { type DateOrder, readTimes } from '../columns/times.ts';
import { wholeSubid } from '../given-subids.ts';
import type { DecimalMark } from './choices.ts';
import type { Grid } from './statement-grid.ts';
import { joinClock, readAmounts } from './statement-values.ts';

/** What a caller says of the columns; what is left out is found. */
export interface GivenColumns {
  readonly subid_column?: string | undefined;
  readonly amount_column?: string | undefined;
  readonly time_column?: string | undefined;
  readonly decimal?: DecimalMark | undefined;
  readonly date_order?: DateOrder | undefined;
}

/** One line of a statement. */
export interface StatementLine {
  /** Where it begins, from 1. */
  readonly line: number;
  /** Undefined if it has none, or none that can be read. */
  readonly amount: number | undefined;
  /** The amount with a decimal comma, if the column leaves open which mark it has. */
  readonly otherAmount: number | undefined;
  /** Milliseconds on the statement's own clock, as if that were UTC. */
  readonly time: number | undefined;
  /** A sign or a code. */
  readonly currency: string | undefined;
  readonly transaction: string | undefined;
  /** Which cells cannot be read, in words. */
  readonly problems: readonly string[];
}

/** A column that may hold the subIDs: which one does shows in the tracker's conversions. */
export interface SubidColumn {
  readonly name: string;
  /** One for each line. */
  readonly cells: readonly string[];
}

export interface Statement {
  readonly lines: readonly StatementLine[];
  /** The likeliest first; at least one. */
  readonly subidColumns: readonly SubidColumn[];
  readonly amountColumn: string | undefined;
  readonly timeColumn: string | undefined;
  /** Whether its times have a time of day. */
  readonly hasClock: boolean;
  /** An amount that has two readings, if nothing in the column decides between them. */
  readonly openAmount: string | undefined;
  /** How often each status stands in it; empty if it has none. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly notices: readonly string[];
}

/** So many of a column's filled cells show what it holds; a column of another kind has no such cells at all. */
const [mostCells, halfOfCells, someCells] = [0.8, 0.5, 0.2];

/**
 * Finds out what the columns of a statement are, by their names and then by their cells, and reads its lines.
 *
 * @throws Failure if a column that is given is not there, or none can hold subIDs
 */
export function readStatement(grid: Grid, given: GivenColumns): Statement {
  const { columns, rows, lines } = grid;
  const cellsOf = (index: number) => rows.map((row) => row[index] ?? '');
  const asked = (argument: 'subid_column' | 'amount_column' | 'time_column') => {
    const name = given[argument];
    return name === undefined ? undefined : indexAsked(columns, name, argument);
  };
  const subidColumns = findSubidColumns(columns, cellsOf, asked('subid_column'));
  const amountAt = asked('amount_column') ?? findColumn(columns, 'amount', cellsOf);
  const timeAt = asked('time_column') ?? findColumn(columns, 'time', cellsOf);
  const amounts = amountAt === undefined ? undefined : readAmounts(cellsOf(amountAt), given.decimal);
  const days = timeAt === undefined ? undefined : cellsOf(timeAt);
  const clockAt = named(columns, 'clock').find((index) => index !== timeAt);
  const alone = days && readTimes(days, given.date_order);
  const isJoined = days && alone && !alone.hasClock && clockAt !== undefined;
  const times = isJoined ? readTimes(joinClock(days, cellsOf(clockAt)), given.date_order) : alone;
  const [transactionAt, statusAt, currencyAt] = (['transaction', 'status', 'currency'] as const).map((role) =>
    named(columns, role).find((index) => subidColumns.length > 1 || columns[index] !== subidColumns[0]?.name),
  );
  const headed = /\b[A-Z]{3}\b/.exec(columns[amountAt ?? -1] ?? '')?.[0];
  const statuses = new Map<string, number>();
  const read = rows.map((row, index): StatementLine => {
    const cell = (at: number | undefined) => (at === undefined ? undefined : row[at]?.trim() || undefined);
    const status = cell(statusAt);
    if (status !== undefined) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return {
      line: lines[index] ?? 0,
      amount: amounts?.values[index],
      otherAmount: amounts?.other?.values[index],
      time: times?.values[index],
      currency: amounts?.currencies[index] ?? cell(currencyAt)?.toUpperCase() ?? headed,
      transaction: cell(transactionAt),
      problems: [
        ...(amounts?.isUnreadable(index) ? [`amount ${sayCell(cell(amountAt))}`] : []),
        ...(times?.isUnreadable(index) ? [`time ${sayCell(cell(timeAt))}`] : []),
        ...(row.slice(columns.length).some((extra) => extra.trim() !== '')
          ? [`${row.length} cells under ${columns.length} headings`]
          : []),
      ],
    };
  });
  return {
    lines: read,
    subidColumns,
    amountColumn: amountAt === undefined ? undefined : columns[amountAt],
    timeColumn: timeAt === undefined ? undefined : `${columns[timeAt]}${isJoined ? ` and ${columns[clockAt]}` : ''}`,
    hasClock: times?.hasClock ?? false,
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

function sayCell(cell = ''): string {
  return quoted(fromOutside(cell), 40);
}

type Role = 'subid' | 'amount' | 'time' | 'clock' | 'transaction' | 'status' | 'currency';

/** The columns that go by a name of a role, in the order of the names: `Payout (USD)` is a payout. */
function named(columns: readonly string[], role: Role): number[] {
  const bare = columns.map((column) =>
    column.replace(/\(.*?\)|\[.*?\]|\b[A-Z]{3}\b(?=\s*$)(?<!^[A-Z]{3})|[$€£%]/g, ''),
  );
  const found = namesOf('statement', role).flatMap((name) => [indexNamed(columns, [name]), indexNamed(bare, [name])]);
  return [...new Set(found)].filter((index) => index >= 0);
}

function indexAsked(columns: readonly string[], name: string, argument: string): number {
  const plain = name.trim().toLowerCase();
  const index = columns.findIndex((column) => column.trim().toLowerCase() === plain);
  if (index >= 0) return index;
  const near = nearestName(name, columns);
  throw new Failure(
    `The statement has no column ${quoted(fromOutside(name), 60)}${near === undefined ? '.' : `; did you mean ${quoted(fromOutside(near), 60)}?`}`,
    `${saysColumns(columns)} Give one of them as ${argument}.`,
  );
}

const maxNamed = 40;

function saysColumns(columns: readonly string[]): string {
  const some = columns.slice(0, maxNamed).map((column) => quoted(fromOutside(column), 60));
  return `Its columns are: ${some.join(', ')}${columns.length > maxNamed ? ` and ${columns.length - maxNamed} more` : ''}.`;
}

function findSubidColumns(
  columns: readonly string[],
  cellsOf: (index: number) => string[],
  asked: number | undefined,
): SubidColumn[] {
  const byName = named(columns, 'subid');
  const indexes = asked === undefined ? [...byName, ...columns.keys()] : [asked];
  const found = [...new Set(indexes)].flatMap((index) => {
    const cells = cellsOf(index);
    const filled = cells.filter((cell) => cell.trim() !== '').length;
    const whole = cells.filter((cell) => wholeSubid.test(cell)).length;
    const isNamed = index === asked || byName.includes(index);
    const isCandidate = isNamed || (filled > 0 && whole >= filled * someCells);
    return isCandidate ? [{ name: columns[index] ?? '', cells, filled, whole }] : [];
  });
  if (found.length > 0) return found.sort((one, other) => other.whole - one.whole || other.filled - one.filled);
  throw new Failure(
    'The statement has no column of subIDs: none is called so, and none holds texts such as ab12cd34_7_00000345.',
    `${saysColumns(columns)} Give subid_column.`,
  );
}

/** More cells of a column say nothing new. */
const sampled = 2000;

/** How the cells of a role are read, and what those have that cannot be anything else: ten digits are not surely a time. */
const kinds = {
  amount: { read: readAmounts, sure: /[A-Z$€£¥₽₹₴₺₩฿₫]|[.,]\d{2}\D*$/i },
  time: { read: readTimes, sure: /\D/ },
} as const;

/** The column of a role: the first that is called so and holds it, else the only one whose cells leave no doubt. */
function findColumn(
  columns: readonly string[],
  role: keyof typeof kinds,
  cellsOf: (index: number) => string[],
): number | undefined {
  const { read, sure } = kinds[role];
  const holds = (index: number, part: number, pattern = /./) => {
    const sample = cellsOf(index)
      .flatMap((cell) => cell.trim() || [])
      .slice(0, sampled);
    const { values } = read(sample);
    const known = sample.filter((cell, row) => values[row] !== undefined && pattern.test(cell));
    return sample.length > 0 && known.length >= sample.length * part;
  };
  const found = named(columns, role).find((index) => holds(index, halfOfCells));
  if (found !== undefined) return found;
  const [only, ...others] = [...columns.keys()].filter((index) => holds(index, mostCells, sure));
  return others.length === 0 ? only : undefined;
}
