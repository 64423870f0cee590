import { type OpenDay, sayOpenDay } from '../answer/open-day.ts';
import { ownValue } from '../api/text/json.ts';
import type { DaysBefore, EarlierDays, ForView } from '../tools/present/for-views.ts';
import type { PresentedTable, PresentedTables } from '../tools/present/outputs.ts';
import { dayName, describeColumns, orderColumns } from './columns.ts';
import { daysOf, element, header, remarksAndDetails, tabs, tiles } from './parts.ts';
import { sortableTable } from './sortable-table.ts';
import { type ChartFacts, dayBefore, tableChart } from './table-chart.ts';

/** Shows one table at a time, with its totals and a chart of one measure. Empty tables come last. */
export function tablesReport(
  { query, tables, notices }: PresentedTables,
  { campaign, comparedTo, daysBefore, openDay, remarks }: ForView,
): readonly Node[] {
  const sortedBy = typeof query['sort_by'] === 'string' ? query['sort_by'] : undefined;
  const facts = { sortedBy, daysBefore, openDay: openDay?.day };
  const ordered = tables.toSorted((one, other) => Number(one.rows.length === 0) - Number(other.rows.length === 0));
  const [first] = ordered;
  const shown =
    ordered.length > 1
      ? tabs(
          'Reports',
          ordered.map((table) => ({
            name: tabName(table.name),
            isEmpty: table.rows.length === 0,
            content: () => tablePanel(table, facts),
          })),
        )
      : first
        ? tablePanel(first, facts)
        : [element('p', { class: 'empty' }, 'The result has no tables.')];
  return [
    header(
      campaign ?? campaignIn(tables) ?? titleOf(query, first),
      query,
      ...against(query, comparedTo, daysBefore),
      ...cutBy(query),
      ...describeOpenDay(openDay, comparedTo),
    ),
    ...shown,
    ...remarksAndDetails({ query, notices, remarks }),
  ];
}

const reportNames: Readonly<Record<string, string>> = {
  target: 'Targets',
  ad: 'Ads',
  landing: 'Landing pages',
  thankyou: 'Thank-you pages',
  offer: 'Offers',
  campaign: 'Campaign',
  campaigns: 'All campaigns',
  traffic_sources: 'All traffic sources',
  offers: 'All offers',
  landing_pages: 'All landing pages',
  networks: 'All networks',
  pages: 'The pages of all campaigns',
};

function tabName(name: string): string {
  return ownValue(reportNames, name) ?? name;
}

function titleOf({ campaign_id: id }: PresentedTables['query'], table: PresentedTable | undefined): string {
  return id === undefined ? tabName(table?.name ?? 'Report') : `Campaign ${id}`;
}

/** The campaign's name, from its report. */
function campaignIn(tables: readonly PresentedTable[]): string | undefined {
  const table = tables.find(({ name, rows }) => name === 'campaign' && rows.length === 1);
  const index = table?.columns.findIndex((column) => /^(campaign )?name$|^campaign$/i.test(column)) ?? -1;
  const name = table?.rows[0]?.[index];
  return typeof name === 'string' ? name : undefined;
}

function cutBy({ by }: PresentedTables['query']): string[] {
  return Array.isArray(by) ? [`by ${by.join(' and ').replaceAll('_', ' ')}`] : [];
}

/** The days that are compared with: those that the server names, or else those that the chart has. */
function against(
  { start_date: start, end_date: end }: PresentedTables['query'],
  earlier: EarlierDays | undefined,
  daysBefore: DaysBefore | undefined,
): string[] {
  if (earlier) return [`against ${daysOf({ ...earlier })}${earlier.until ? ` up to ${earlier.until}` : ''}`];
  if (!daysBefore) return [];
  const [start_date, end_date] = [start, end].map((day) => dayBefore(String(day), daysBefore.apart));
  return [`against ${daysOf({ start_date, end_date })}`];
}

/** Its mark in a chart of days says the rest. */
function describeOpenDay(open: OpenDay | undefined, earlier: EarlierDays | undefined): string[] {
  const name = open && dayName(open.day);
  if (open === undefined || name === undefined) return [];
  return [earlier ? sayOpenDay(open, name) : `${name} is not over`];
}

function tablePanel(table: PresentedTable, facts: ChartFacts): readonly Node[] {
  if (table.rows.length === 0) {
    const text = table.total_rows > 0 ? `No rows here, ${count(table.total_rows)} in all.` : 'No rows in these days.';
    return [element('p', { class: 'empty' }, text)];
  }
  const named = orderColumns(table, describeColumns(table.columns, table.rows, table));
  const columns = describeColumns(named.table.columns, named.table.rows, table);
  const { frame, sortBy } = sortableTable({
    name: tabName(table.name),
    columns,
    rows: named.table.rows,
    // The totals of a single row would repeat it.
    totals: table.total_rows > 1 ? table.totals : undefined,
  });
  return [...tiles(columns, table.totals), ...tableChart(named, columns, facts, sortBy), frame, extent(table)];
}

/** Which rows are shown, because chart and sorting cover only those; and which columns are left out because they are empty. */
function extent({ rows, offset, total_rows, omitted_columns }: PresentedTable): Node {
  const range =
    rows.length === total_rows
      ? total_rows === 1
        ? 'One row.'
        : `All ${count(total_rows)} rows.`
      : `Rows ${count(offset + 1)} to ${count(offset + rows.length)} of ${count(total_rows)}; chart and sorting cover these.`;
  const empty = omitted_columns?.length ? ` Empty columns are left out: ${omitted_columns.join(', ')}.` : '';
  return element('p', { class: 'extent' }, `${range}${empty}`);
}

function count(rows: number): string {
  return rows.toLocaleString('en-US');
}
