import type { Cell, Table } from '../api/table.ts';
import { rawCell, rawText } from '../api/text/tracker-text.ts';
import { nameOf, thingsOf } from '../api/vocabulary.ts';
import { indexOfColumn, readNumbers } from './columns/columns.ts';
import { measureOf } from './columns/measures.ts';
import type { PageRow } from './page-rows.ts';
import { agreesWithReport, type ListedConversion } from './statistics/basis.ts';

/** The single conversions of a campaign, as far as they are those that its report counts. */
export interface ListedConversions {
  readonly byPage: ReadonlyMap<PageRow, readonly ListedConversion[]>;
  /** The mean time from a visit to its conversion, in days, where the report books conversions on a day of their own. */
  readonly delay: number | undefined;
}

const columnNames = thingsOf('conversion');
const isPayout = nameOf('conversion', 'payout');

interface Row extends ListedConversion {
  readonly page: PageRow;
  readonly visited: string | null;
}

/**
 * Finds the conversions of each page in a conversion list, and keeps those of pages for which list and report agree. Reports book
 * a conversion on its own day or on that of its visit; what agrees for more pages is taken.
 *
 * @param rows all pages of the report, so that no name is taken for that of a single one which is not
 * @param start the first day of the period, YYYY-MM-DD
 */
export function readListedConversions(
  table: Table,
  rows: readonly PageRow[],
  kind: 'offer' | 'landing',
  start: string,
): ListedConversions {
  const listed = readRows(table, rows, kind);
  const booked = agreeing(rows, listed);
  const ofVisits = listed
    .filter(({ visited }) => visited !== null && visited >= start)
    .map((row) => ({ ...row, date: row.visited }));
  const visited = agreeing(rows, ofVisits);
  if (ofVisits.length > 0 && visited.size >= booked.size) return { byPage: visited, delay: undefined };
  return { byPage: booked, delay: meanDelay(listed) };
}

function readRows(table: Table, rows: readonly PageRow[], kind: 'offer' | 'landing'): readonly Row[] {
  const money = table.columns.findIndex(
    (column) => measureOf(rawText(column)) === 'revenue' || isPayout(rawText(column)),
  );
  const values = money < 0 ? undefined : readNumbers(table, money)?.values;
  if (!values) return [];
  const pageOf = findPage(table, rows, kind);
  const [booked, visited] = [indexOfColumn(table, columnNames.booked), indexOfColumn(table, columnNames.visited)];
  return Array.from({ length: table.rowCount }, (_, index) => index).flatMap((index) => {
    const page = pageOf(index);
    const value = values[index] ?? 0;
    if (!page) return [];
    const dates = { date: dayOf(table.text(index, booked ?? -1)), visited: dayOf(table.text(index, visited ?? -1)) };
    return [{ page, value: Number.isNaN(value) ? 0 : value, ...dates }];
  });
}

/** Tells the page of a row: by its ID where the list has IDs of these pages, else by a name that only one page of the report has. */
function findPage(
  table: Table,
  rows: readonly PageRow[],
  kind: 'offer' | 'landing',
): (row: number) => PageRow | undefined {
  const byId = uniqueBy(rows, ({ pageId }) => pageId);
  const idColumn = indexOfColumn(table, columnNames[`${kind}Id`]) ?? -1;
  const ids = Array.from({ length: table.rowCount }, (_, row) => rawCell(table.text(row, idColumn)) ?? []).flat();
  if (ids.length > 0 && ids.every((id) => byId.has(id)))
    return (row) => byId.get(rawCell(table.text(row, idColumn)) ?? '');
  const byName = uniqueBy(rows, ({ name }) => rawText(name));
  const nameColumn = indexOfColumn(table, columnNames[`${kind}Name`]) ?? -1;
  return (row) => byName.get(rawCell(table.text(row, nameColumn)) ?? '');
}

/** The pages by a key, without those that share theirs with another. */
function uniqueBy(rows: readonly PageRow[], keyOf: (row: PageRow) => string | null): ReadonlyMap<string, PageRow> {
  const counts = new Map<string | null, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return new Map(
    rows.flatMap((row) => {
      const key = keyOf(row);
      return key !== null && counts.get(key) === 1 ? [[key, row] as const] : [];
    }),
  );
}

function agreeing(rows: readonly PageRow[], listed: readonly Row[]): ReadonlyMap<PageRow, readonly ListedConversion[]> {
  const byPage = new Map<PageRow, Row[]>(rows.map((row) => [row, []]));
  for (const row of listed) byPage.get(row.page)?.push(row);
  return new Map([...byPage].filter(([page, conversions]) => agreesWithReport(conversions, page)));
}

function meanDelay(listed: readonly Row[]): number | undefined {
  const delays = listed.flatMap(({ date, visited }) =>
    date !== null && visited !== null ? [Math.max(Date.parse(date) - Date.parse(visited), 0) / 86_400_000] : [],
  );
  return delays.length > 0 ? delays.reduce((sum, delay) => sum + delay, 0) / delays.length : undefined;
}

/** The day of a time that begins with the year; other orders of day and month cannot be told apart. */
function dayOf(cell: Cell): string | null {
  const [, year, month, day] = /^(\d{4})[-/](\d{2})[-/](\d{2})/.exec(rawCell(cell) ?? '') ?? [];
  return year && month && day ? `${year}-${month}-${day}` : null;
}
