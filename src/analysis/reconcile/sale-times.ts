import { dayMs } from '../../api/durations.ts';
import { type DateOrder, dateOrders, isSpreadsheetDay, readTimes, type TimeColumn } from '../columns/times.ts';
import { type CellsOf, firstUnread, halfOfCells, holderOf, mostCells } from './column-cells.ts';
import { columnsOf } from './headings.ts';

/**
 * Why the days of sales are not known: their times cannot be read, are in the future, or may have day and month swapped; several
 * columns hold times; the only times are those of something later, such as the payment; days are counted from 1900 or from 1904; or
 * numbers under an unknown heading may count seconds.
 */
export type TimeProblem =
  | {
      readonly kind: 'unreadable' | 'open_order' | 'future' | 'later' | 'old_count' | 'count';
      readonly column: string;
      readonly cell: string;
    }
  | { readonly kind: 'several'; readonly columns: readonly string[] };

/** What the caller says of the times. */
export interface GivenTimes {
  readonly date_order?: DateOrder | undefined;
  /** The days, if the caller names them. */
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

/** How a text that is meant as a day looks. */
const dayLike = /\d{1,4}[-/.]\p{L}{0,9}\d{0,2}[-/.]\d{1,4}|\d{1,2}\.? \p{L}{3,12} \d{2,4}/u;

/** The same, or a time of day alone. */
const timeLike = new RegExp(String.raw`${dayLike.source}|\d{1,2}:\d{2}`, 'u');

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
  const isMeant = (one: number, part: RegExp) => {
    const filled = cellsOf(one).filter((cell) => cell !== '');
    return filled.filter((cell) => part.test(cell)).length > filled.length * halfOfCells;
  };
  const unread = (indexes: readonly number[]): TimesFound => {
    const first = firstUnread(indexes, columns, cellsOf, readTimes);
    return first ? { timeProblem: { kind: 'unreadable', ...first } } : {};
  };
  // The times of a surer column are not passed over for those of another.
  const surest = named.find((one) => known.includes(one) || isMeant(one, dayLike));
  if (surest !== undefined && !known.includes(surest)) return unread([surest]);
  const apart = (['click_time', 'later_time'] as const).map((meaning) => columnsOf(columns, meaning));
  const holding = (indexes: readonly number[]) =>
    known.length > 0 ? [] : indexes.filter((index) => holds(index, mostCells, /\D/));
  const [clicked = [], later = []] = apart.map(holding);
  const unknown = holding(all.filter((index) => !apart.flat().includes(index)));
  // A click may be days before its sale: it counts only if no other column may have the times of the sales.
  const found = [...known, ...unknown, ...clicked];
  const [index, ...others] = found;
  const repeated = known.filter((one) => unnumbered(columns[one]) === unnumbered(columns[index ?? -1]));
  const nameOf = (one: number) => columns[one] ?? '';
  if (new Set(repeated.map((one) => cellsOf(one).join('\n'))).size > 1)
    return { timeProblem: { kind: 'several', columns: repeated.map(nameOf) } };
  if (index !== undefined && (known.length > 0 || others.length === 0))
    return { timeIndex: index, ...readStatementTimes(columns, cellsOf, index, given, now) };
  if (others.length > 0) return { timeProblem: { kind: 'several', columns: found.map(nameOf) } };
  const [first] = later;
  if (first === undefined) {
    const found = unread([...named, ...all.filter((one) => isMeant(one, timeLike))]);
    // Read as a time, a year or the number of a week would be another day.
    const [long] = columnsOf(columns, 'long_time').filter((one) => cellsOf(one).some(Boolean));
    if (!found.timeProblem && long !== undefined)
      return { timeProblem: { kind: 'unreadable', column: nameOf(long), cell: cellsOf(long).find(Boolean) ?? '' } };
    const counts = all.find((one) => countsSeconds(cellsOf(one), now));
    if (found.timeProblem || counts === undefined) return found;
    return { timeProblem: { kind: 'count', column: nameOf(counts), cell: cellsOf(counts).find(Boolean) ?? '' } };
  }
  const cell = cellsOf(first).find((one) => one !== '') ?? '';
  return { timeProblem: { kind: 'later', column: nameOf(first), cell } };
}

/** Whether all cells may be seconds or milliseconds since 1970 of the last years; order numbers may look the same. */
function countsSeconds(cells: readonly string[], now: Date): boolean {
  const filled = cells.filter((cell) => cell !== '');
  const isRecent = (cell: string) => {
    const age = now.getTime() - Number(cell.length === 10 ? `${cell}000` : cell);
    return /^\d{10}(?:\d{3})?$/.test(cell) && age > -dayMs && age < maxAge;
  };
  return filled.length > 0 && filled.every(isRecent);
}

const maxAge = 750 * dayMs;

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
  const isFuture = (value = 0) => value > latest;
  const problem = (kind: 'future' | 'old_count' | 'open_order', cell = ''): TimesFound => ({
    timeProblem: { kind, column: timeColumn ?? '', cell },
  });
  const inOrders = times.order === 'shown' ? [times] : dateOrders.map((order) => readTimes(cells, order));
  const [only, other] = inOrders.filter(({ values }) => !values.some(isFuture));
  if (!only) return problem('future', cells[times.values.findIndex(isFuture)]);
  const counted = cells.filter(isSpreadsheetDay);
  if (counted.length > 0 && !only.values.some((value = 0) => isFuture(value + from1900To1904)))
    return problem('old_count', counted[0]);
  if (!other) return { times: only, timeColumn };
  const isOpen = times.order === 'open' && (start_date === undefined || end_date === undefined);
  const openCell = days.find((day) => readTimes([day]).order === 'open') ?? days.find((day) => day !== '');
  return isOpen ? problem('open_order', openCell) : { times, timeColumn };
}

/** Spreadsheets of a Mac count days from 1904, and nothing in a cell shows it. */
const from1900To1904 = 1462 * dayMs;

/** Joins a column of days with a column of times of day, such as 2026-06-01 and 14:05. */
function joinClock(days: readonly string[], clocks: readonly string[]): string[] {
  return days.map((day, row) => {
    const time = clocks[row]?.trim() ?? '';
    return /^\d{1,2}:\d{2}/.test(time) ? `${day.trim()} ${time}` : day;
  });
}
