import { holdsMoney } from '../../analysis/columns/formats.ts';
import { measureOf } from '../../analysis/columns/measures.ts';
import { placeholderNotes, unreadNotes } from '../../analysis/columns/unread.ts';
import type { Block } from '../../answer/blocks.ts';
import type { Note, Notice, Unworded } from '../../answer/notes.ts';
import type { TablesReply } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import type { Answer, Query } from '../define-tool.ts';
import { maxResultLength } from '../fit.ts';
import { daysBlock } from '../period.ts';
import { cleanCell, isUntrustedColumn, strangersText } from './cells.ts';
import type { PresentedCell, PresentedTable, PresentedTables } from './outputs.ts';
import { shownAmong, type TableView, type View, viewTables } from './view.ts';

/**
 * Turns the tables of a reply into an answer: columns chosen, rows sorted and cut into a page, totals over all rows, text cleaned.
 *
 * Leaves out what does not fit: first tables beyond the specified reports, then rows, in every table from the same index so that one
 * `next_offset` serves all. At least one row is shown, so that paging never stops; then columns are left out.
 * @param isUntrusted whether a column can hold what visitors typed
 * @throws Failure if no table has a column that the view names
 */
export function presentTables(
  reply: TablesReply,
  query: Query,
  view: View,
  notices: readonly Notice[] = [],
  isUntrusted: (column: string) => boolean = isUntrustedColumn,
): Answer {
  const views = viewTables(reply.tables, view);
  const allNotices = [...reply.notices, ...notices];
  const widest = Math.max(1, ...views.map(({ shown, omitted }) => Math.max(shown.length, omitted.length)));
  const specified = Math.min(views.length, specifiedReports);
  return {
    parts: [
      { count: views.length, min: specified },
      { count: view.limit, min: 1 },
      { count: widest, min: 1 },
      { count: specified, min: Math.min(1, specified) },
    ],
    render: ([tables = 0, rows = 0, width = 0, reports = 0]) => {
      const kept = views.slice(0, tables > specified ? tables : Math.min(tables, reports));
      const said = [...allNotices, ...leftOutNotes(kept, width, views.length)];
      const shown = kept.map((table) => narrow(table, width));
      const structured = presentPage(shown, query, { ...view, limit: rows }, said, isUntrusted);
      return { structured, blocks: blocksOf(structured, view) };
    },
  };
}

function leftOutNotes(kept: readonly TableView[], width: number, count: number): Note[] {
  const notes = kept.flatMap((table) => narrowNotices(table, width));
  return kept.length < count ? [...notes, didNotFit('table', count - kept.length)] : notes;
}

const specifiedReports = 6;

function narrow(table: TableView, width: number): TableView {
  const { columns, shown, totals, omitted } = table;
  if (shown.length <= width && omitted.length <= width) return table;
  const leftOut = new Set(shown.slice(width).map((index) => columns[index]));
  return {
    ...table,
    shown: shown.slice(0, width),
    totals: new Map([...totals].filter(([name]) => !leftOut.has(name))),
    omitted: omitted.slice(0, width),
  };
}

function narrowNotices({ name: table, columns, shown, omitted }: TableView, width: number): Note[] {
  const from = columns[shown[width] ?? -1];
  const left = { code: 'columns-left-out', table, columns: shown.length - width } as const;
  const empty = { code: 'empty-columns-left-out', table, columns: omitted.length - width } as const;
  return [...(from === undefined ? [] : [{ ...left, from }]), ...(empty.columns > 0 ? [empty] : [])];
}

/** What an answer has no room for. */
export const didNotFit = (what: 'table' | 'group' | 'field', count: number) =>
  ({ code: 'did-not-fit', what, count }) as const;

/** What presenting cells brings up. */
interface Seen {
  shortened: number;
  hasUntrustedText: boolean;
}

function presentPage(
  views: readonly TableView[],
  query: Query,
  view: View,
  notices: readonly Notice[],
  isUntrusted: (column: string) => boolean,
): Unworded<PresentedTables> {
  const seen: Seen = { shortened: 0, hasUntrustedText: false };
  const tables = views.map((table) => presentTable(table, presentRows(table, view, isUntrusted, seen), view));
  return {
    query,
    tables,
    notices: [...notices, ...noticesOn(views), ...pageNotices(tables, query, view), ...noticesOnCells(seen)],
  };
}

function presentRows(
  { table, columns, shown, numbers, order }: TableView,
  view: View,
  isUntrusted: (column: string) => boolean,
  seen: Seen,
): PresentedCell[][] {
  const isRounded = view.digits !== undefined || view.differences !== undefined;
  const numberOf = (column: string, row: number) => numbers.get(columns.indexOf(column))?.values[row];
  const textOf = (row: number, index: number, name: string) => {
    const { text, isShortened } = cleanCell(table.text(row, index));
    if (isShortened) seen.shortened += 1;
    seen.hasUntrustedText ||= text !== null && isUntrusted(name);
    return text ?? view.noNames?.get(name) ?? null;
  };
  const cellOf = (row: number, index: number): PresentedCell => {
    const name = columns[index] ?? '';
    const number = numbers.get(index)?.values[row];
    if (number === undefined) return textOf(row, index, name);
    if (Number.isNaN(number)) return null;
    return isRounded ? shownAmong(number, name, view, (other) => numberOf(other, row)) : number;
  };
  const rows = order.subarray(view.offset, view.offset + view.limit);
  return Array.from(rows, (row) => shown.map((index) => cellOf(row, index)));
}

function noticesOn(views: readonly TableView[]): Notice[] {
  return [
    ...views.flatMap(filterNotices),
    ...unreadNotes(views.flatMap(({ unread }) => unread)),
    ...placeholderNotes(
      views.flatMap(({ shown, columns, numbers }) =>
        shown.flatMap((index) => {
          const placeholder = numbers.get(index)?.placeholder;
          return placeholder === undefined ? [] : [{ name: columns[index] ?? '', placeholder }];
        }),
      ),
    ),
    ...mixedNotice(views),
    ...totalsNotice(views),
  ];
}

function noticesOnCells({ shortened, hasUntrustedText }: Seen): Note[] {
  return [
    ...(shortened > 0 ? [{ code: 'cells-cut', cells: shortened } as const] : []),
    ...(hasUntrustedText ? [strangersText] : []),
  ];
}

function pageNotices(tables: readonly PresentedTable[], query: Query, view: View): Note[] {
  const isCut = tables.some((table) => table.next_offset !== null && table.rows.length < Number(query['limit'] ?? 0));
  return [
    ...(isCut ? [{ code: 'page-cut', maxLength: maxResultLength } as const] : []),
    ...tables
      .filter(({ offset, total_rows: total }) => offset > 0 && offset >= total)
      .map(({ name: table }) => ({ code: 'after-last-row', table, offset: view.offset }) as const),
    ...tables
      .filter((table) => view.columns !== undefined && table.columns.length === 0 && table.total_rows > 0)
      .map(({ name: table }) => ({ code: 'none-of-columns', table }) as const),
  ];
}

/** The totals of all rows that are told where conditions leave some out. */
const toldOfAll: ReadonlySet<string | undefined> = new Set(['views', 'conversions', 'cost', 'revenue', 'profit']);

function filterNotices(view: TableView): Note[] {
  const { table, name, order, unmet, isUnsorted, isCountedTwice, totalsOfAll } = view;
  const isUnmet = unmet.length > 0 && table.columns.length > 0;
  const of = { table: name };
  const sums = [...totalsOfAll].filter(([column]) => toldOfAll.has(measureOf(column)));
  return [
    ...(isUnmet ? [{ code: 'no-such-column', ...of, columns: unmet } as const] : []),
    ...(isUnmet || order.length === table.rowCount
      ? []
      : [{ code: 'rows-match', ...of, rows: order.length, of: table.rowCount, sums } as const]),
    ...(isUnsorted ? [{ code: 'not-sorted', ...of } as const] : []),
    ...(isCountedTwice ? [{ code: 'no-totals-by-level', ...of } as const] : []),
  ];
}

function mixedNotice(views: readonly TableView[]): Note[] {
  const columns = views.flatMap(({ name: table, mixed }) =>
    mixed.map(({ name: column, texts, filled: of }) => ({ table, column, texts, of })),
  );
  return columns.length === 0 ? [] : [{ code: 'mixed-cells', columns }];
}

function totalsNotice(views: readonly TableView[]): Note[] {
  const rows = views.flatMap(({ name: table, trackerTotal: total }) =>
    total ? [{ table, isFirst: total.index === 0, name: rawText(total.name) }] : [],
  );
  return rows.length === 0 ? [] : [{ code: 'trackers-total', rows }];
}

function presentTable(table: TableView, rows: PresentedCell[][], view: View): PresentedTable {
  const { name, shown, totals, omitted } = table;
  const { offset } = view;
  const columns = shown.map((index) => table.columns[index] ?? '');
  const [units, labels] = [unitsOf(table, view), labelsOf(columns, view)];
  const end = offset + rows.length;
  const total = table.order.length;
  return {
    name,
    columns,
    rows,
    total_rows: total,
    offset,
    next_offset: end < total && offset < total ? end : null,
    ...(units.length > 0 ? { units: Object.fromEntries(units) } : {}),
    ...(labels.length > 0 ? { labels: Object.fromEntries(labels) } : {}),
    ...(totals.size > 0 ? { totals: Object.fromEntries(totals) } : {}),
    ...(omitted.length > 0 ? { omitted_columns: [...omitted] } : {}),
  };
}

function unitsOf({ columns, shown, numbers }: TableView, view: View): [column: string, unit: string][] {
  // A sign in one column and a code in another would look like two currencies.
  const hasSign = [...numbers.values()].some(({ unit }) => unit !== undefined && unit !== '%');
  const units: [column: string, unit: string][] = [];
  for (const index of shown) {
    const column = columns[index] ?? '';
    const read = numbers.get(index);
    const unit = read?.unit ?? (read && view.currency && !hasSign && holdsMoney(column) ? view.currency : undefined);
    if (unit) units.push([column, unit]);
  }
  return units;
}

function labelsOf(columns: readonly string[], { labels }: View): [column: string, label: string][] {
  if (!labels) return [];
  return columns.flatMap((column) => {
    const label = labels.get(column);
    return label === undefined ? [] : [[column, label]];
  });
}

function blocksOf({ query, tables }: Unworded<PresentedTables>, { cents = [], where }: View): Block[] {
  return [
    ...daysBlock(query),
    ...tables.map((page) => ({ is: 'page' as const, page, isFiltered: where !== undefined, cents })),
  ];
}
