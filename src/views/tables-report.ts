import { type Column, describeColumns } from './columns.ts';
import { element } from './element.ts';
import { notices, queryLine } from './report-parts.ts';
import type { ReportTable, ReportTables } from './result.ts';
import { type ChartRow, rowChart } from './row-chart.ts';
import { sortableTable } from './sortable-table.ts';
import { tabs } from './tabs.ts';

const maxBars = 15;

/** What people look at first, where the call sorted by nothing. */
const telling = ['profit', 'p/l', 'revenue', 'conversions', 'clicks', 'views', 'visitors'];

/** The tables of a result, one at a time, each with a chart of one of its measures. */
export function tablesReport({ query, tables, notices: texts }: ReportTables): readonly Node[] {
  const sortedBy = typeof query['sort_by'] === 'string' ? query['sort_by'] : undefined;
  const [first, ...others] = tables;
  const shown =
    others.length > 0
      ? tabs(
          'Reports',
          tables.map((table) => ({ name: table.name, content: () => tablePanel(table, sortedBy) })),
        )
      : first
        ? [element('h1', {}, first.name), ...tablePanel(first, sortedBy)]
        : [element('p', {}, 'The result has no tables.')];
  return [...queryLine(query), ...shown, ...notices(texts)];
}

function tablePanel(table: ReportTable, sortedBy: string | undefined): readonly Node[] {
  if (table.rows.length === 0) return [element('p', { class: 'empty' }, 'No rows.')];
  const columns = describeColumns(table.columns, table.rows, table.units);
  return [
    ...chartOf(table, columns, sortedBy),
    sortableTable({ name: table.name, columns, rows: table.rows, totals: table.totals }),
    extent(table),
  ];
}

function chartOf(table: ReportTable, columns: readonly Column[], sortedBy: string | undefined): readonly Node[] {
  const measures = columns.filter((column) => column.isMeasure);
  const chosen = firstMeasure(measures, sortedBy);
  if (!chosen || table.rows.length < 2) return [];
  const place = element('div');
  const select = element(
    'select',
    {},
    ...measures.map((column) => element('option', { selected: column === chosen }, column.name)),
  );
  const draw = (measure: Column) => place.replaceChildren(barChart(table, columns, measure));
  select.addEventListener('change', () => draw(measures[select.selectedIndex] ?? chosen));
  draw(chosen);
  return [element('label', { class: 'measure' }, 'Chart of', select), place];
}

function firstMeasure(measures: readonly Column[], sortedBy: string | undefined): Column | undefined {
  const sought = [sortedBy?.toLowerCase(), ...telling];
  const found = sought.map((name) => measures.find((measure) => measure.name.toLowerCase() === name));
  return found.find((measure) => measure !== undefined) ?? measures[0];
}

function barChart(table: ReportTable, columns: readonly Column[], measure: Column): Node {
  const at = columns.indexOf(measure);
  const labelAt = columns.findIndex((column) => !column.isNumeric);
  const rows = table.rows.flatMap((row, index): ChartRow[] => {
    const value = row[at];
    if (typeof value !== 'number') return [];
    const label = labelAt < 0 ? `Row ${table.offset + index + 1}` : String(row[labelAt] ?? '(empty)');
    return [{ label, value }];
  });
  const top = rows.toSorted((a, b) => b.value - a.value).slice(0, maxBars);
  const which = rows.length > top.length ? `, the ${top.length} largest of ${rows.length} rows shown` : '';
  const by = columns[labelAt]?.name ?? 'row';
  return rowChart({ title: `${measure.name} by ${by}${which}`, rows: top, format: measure.format, marks: 'bars' });
}

/** Which rows of how many there are, since sorting sorts only those; and the columns that are left out for being empty. */
function extent({ rows, offset, total_rows, omitted_columns }: ReportTable): Node {
  const whole = rows.length === total_rows;
  const count = (rows: number) => rows.toLocaleString('en-US');
  const range = whole
    ? `All ${count(total_rows)} rows.`
    : `Rows ${count(offset + 1)} to ${count(offset + rows.length)} of ${count(total_rows)}; chart and sorting cover these.`;
  const empty = omitted_columns?.length ? ` Empty columns are left out: ${omitted_columns.join(', ')}.` : '';
  return element('p', { class: 'extent' }, `${range}${empty}`);
}
