import { dayMs } from '../../api/durations.ts';
import { type DateOrder, dateOrders, readTimes, type TimeColumn } from '../columns/times.ts';
import { type CellsOf, firstUnread, halfOfCells, holderOf, mostCells } from './column-cells.ts';
import { columnsOf } from './headings.ts';

/**
 * Why the days of sales are not known: their times cannot be read, are in the future, or may have day and month swapped; several
 * columns hold times; or the only times are those of something later, such as the payment.
 */
export type TimeProblem =
  | { readonly kind: 'unreadable' | 'open_order' | 'future' | 'later'; readonly column: string; readonly cell: string }
  | { readonly kind: 'several'; readonly columns: readonly string[] };

/** What the caller says of the times. */
export interface GivenTimes {
  readonly date_order?: DateOrder | undefined;
  /** The days, if the caller names them. */
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

/** How a text that is meant as a time looks. */
const timeLike = /\d{1,4}[-/.]\p{L}{0,9}\d{0,2}[-/.]\d{1,4}|\d{1,2}:\d{2}|\d{1,2}\.? \p{L}{3,12} \d{2,4}/u;

interface TimesFound {
  readonly times?: TimeColumn;
  readonly timeColumn?: string | undefined;
  readonly timeIndex?: number;
  readonly timeProblem?: TimeProblem;
}

/** Finds the column of the times, by its heading or else its cells, and reads it. */
export function findTimes(
  columns: readonly string[],
  cellsOf: CellsOf,
  givenIndex: number | undefined,
  given: GivenTimes,
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
  const repeated = known.filter((one) => unnumbered(columns[one]) === unnumbered(columns[index ?? -1]));
  if (new Set(repeated.map((one) => cellsOf(one).join('\n'))).size > 1)
    return { timeProblem: { kind: 'several', columns: repeated.map((one) => columns[one] ?? '') } };
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

/** A heading without the number that it got because another is like it. */
const unnumbered = (heading = ''): string => heading.replace(/ \(\d+\)$/, '');

/** Reads the times. If their column has only days, a second column may have the times of day. */
function readStatementTimes(
  columns: readonly string[],
  cellsOf: CellsOf,
  timeIndex: number,
  { date_order, start_date, end_date }: GivenTimes,
  now: Date,
): TimesFound {
  const days = cellsOf(timeIndex);
  const daysRead = readTimes(days, date_order);
  const clockIndex = daysRead.hasClock ? undefined : columnsOf(columns, 'clock').find((index) => index !== timeIndex);
  const cells = clockIndex === undefined ? days : joinClock(days, cellsOf(clockIndex));
  const timeColumn = clockIndex === undefined ? columns[timeIndex] : `${columns[timeIndex]} and ${columns[clockIndex]}`;
  const times = clockIndex === undefined ? daysRead : readTimes(cells, date_order);
  // No sale is in the future; a day of grace, for zones.
  const latest = now.getTime() + dayMs;
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
