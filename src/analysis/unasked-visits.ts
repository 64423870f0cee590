import type { Coded } from '../api/cells.ts';
import type { Table } from '../api/table.ts';
import { rawCell } from '../api/text/tracker-text.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { mapCoded, rowsThat, valueAt } from './coded.ts';
import { indexOfColumn } from './columns/columns.ts';
import { readerOf } from './visit-dimensions.ts';

/** Visits in a list that were not asked for: some trackers ignore the days or the campaign of a question. */

/** YYYY-MM-DD */
interface Days {
  readonly start: string;
  readonly end: string;
}

const readDay = readerOf('day');

/**
 * The rows of other days than those asked for.
 * @param margin the days that rows may be of where the tracker heeds the question: its clock may be of another zone
 */
export function rowsOfOtherDays(visits: Table, asked: Days, margin: Days): readonly number[] {
  const days = readDay(visits);
  const isOutside = (day: string | null | undefined, { start, end }: Days) =>
    typeof day === 'string' && (day < start || day > end);
  if (!days?.values.some((day) => isOutside(day, margin))) return [];
  return rowsWhere(mapCoded(days, (day) => isOutside(day, asked)));
}

const { campaignId: ids } = thingsOf('visitor');

/** The rows of other campaigns than the one asked for, in a list with the IDs of several. */
export function rowsOfOtherCampaigns(visits: Table, campaign: string): readonly number[] {
  const column = indexOfColumn(visits, ids);
  if (column === undefined) return [];
  const own = mapCoded(visits.coded(column), rawCell);
  // One that is not the asked one may be its number elsewhere.
  if (new Set(own.values.filter((id) => id !== null)).size < 2) return [];
  return rowsWhere(mapCoded(own, (id) => id !== null && id !== campaign));
}

const rowsWhere = (coded: Coded<boolean>): readonly number[] =>
  coded.values.includes(true) ? [...rowsThat(coded.codes.length, (row) => valueAt(coded, row) === true)] : [];
