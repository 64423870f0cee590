import { isBlankText } from '../api/cell-words.ts';
import type { Coded, IsPlain } from '../api/cells.ts';
import { dimensionNamed, type timeDimensions } from '../api/dimensions.ts';
import { dayMs } from '../api/durations.ts';
import type { Pace } from '../api/running-call.ts';
import type { Table } from '../api/table.ts';
import { ownValue } from '../api/text/json.ts';
import { plainName } from '../api/text/names.ts';
import { type Cell, rawCells, rawText } from '../api/text/tracker-text.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { mapCoded, sameInAll } from './coded.ts';
import { indexOfColumn, isBlank } from './columns/columns.ts';
import { type ListedTimes, timesIn, timesInLongList } from './columns/times.ts';

/** Reads what visits of visitor lists are grouped by: dimensions, columns by their names, and times. */

const { time: timeNames } = thingsOf('visit');
const dimensionNames: Readonly<Record<string, readonly string[]>> = thingsOf('dimension');

/** Columns that visits are compared by, with too many values to be a dimension of tables. */
const finerNames: Readonly<Record<string, readonly string[]>> = { user_agent: thingsOf('visitor').userAgent };

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/** The weekday of a day, YYYY-MM-DD. */
export function weekdayOf(day: string | null): string | null {
  return day === null ? null : (weekdays[(Math.floor(Date.parse(day) / dayMs) + 3) % 7] ?? null);
}

/** The dimensions that follow from the time of a visit, in the tracker's zone. */
const timeParts: Readonly<Record<(typeof timeDimensions)[number], (times: ListedTimes) => Reading>> = {
  day: ({ days }) => days,
  hour: ({ hours: coded }) => mapCoded(coded, (hour) => (hour === null ? null : (hours[hour] ?? null))),
  weekday: ({ days }) => mapCoded(days, weekdayOf),
};

/** How to sort the rows of a time dimension: as text, or as days of the week; undefined for other dimensions. */
export function orderOf(name: string): ((one: string, other: string) => number) | undefined {
  const dimension = dimensionNamed(name) ?? '';
  if (dimension === 'weekday') return (one, other) => weekdays.indexOf(one) - weekdays.indexOf(other);
  return Object.hasOwn(timeParts, dimension) ? (one, other) => (one < other ? -1 : Number(one > other)) : undefined;
}

/** The values of the visits of a list: null if a value is empty, undefined if the visit is not part of the question. */
export type Reading = Coded<string | null | undefined>;

/** Reads values of a list; undefined if the list does not have them. */
export type Reader = (table: Table) => Reading | undefined;

/** The column of a dimension, or the one with a name; undefined if a list has none. */
export function columnOf(name: string, table: Table): number | undefined {
  const names = ownValue(dimensionNames, dimensionNamed(name) ?? '') ?? ownValue(finerNames, name) ?? [];
  return indexOfColumn(table, [plainName(name), ...names]);
}

/** Reads a dimension, or a column by its name. */
export const readerOf =
  (name: string): Reader =>
  (table) => {
    const part = ownValue(timeParts, dimensionNamed(name) ?? '');
    if (part) {
      const times = visitTimes(table);
      return times && part(times);
    }
    const column = columnOf(name, table);
    return column === undefined ? undefined : textsIn(table.coded(column));
  };

/** Reads a column by its name, in which only texts that are not plain tell something. */
export async function readButPlain(name: string, table: Table, isPlain: IsPlain, pace: Pace): Promise<Reading> {
  const column = columnOf(name, table);
  return column === undefined
    ? sameInAll(table.rowCount, null)
    : textsIn(await table.codeButPlain(column, isPlain, pace.rest));
}

/** The texts of a column with null for each blank one. They are not copied: a column may have its own text in each row. */
function textsIn({ codes, values }: Coded<Cell>): Reading {
  const texts = rawCells(values);
  const hasBlanks = texts.some((text) => text !== null && isBlankText(text));
  return { codes, values: hasBlanks ? texts.map((text) => (text === null || isBlankText(text) ? null : text)) : texts };
}

/** The times of the visits in a list; undefined if it has none. */
export const visitTimes = (table: Table): ListedTimes | undefined => timesIn(table, timeNames);

/** The first time in a list whose times do not show a dimension, such as the hour; undefined if they do, or there are none. */
export function timeWithout(name: string, { codes, values }: Reading, table: Table): string | undefined {
  const dimension = dimensionNamed(name);
  const isShown = (dimension !== 'hour' && dimension !== 'weekday') || codes.some((code) => values[code] !== null);
  const column = isShown ? undefined : indexOfColumn(table, timeNames);
  const first = column === undefined ? undefined : table.column(column).find((cell) => !isBlank(cell));
  return first == null ? undefined : rawText(first);
}

/** Reads the times of a long list before their use. Other calls run in between. */
export async function readVisitTimes(table: Table, pace: Pace): Promise<void> {
  await timesInLongList(table, timeNames, pace);
}
