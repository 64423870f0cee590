import type { ToolResult } from '../../tools/define-tool.ts';
import { type PresentedTable, type PresentedTables, tablesOutput } from '../../tools/present/outputs.ts';
import { renderTable } from './render-table.ts';

/** A result for a person at a terminal: tables aligned, everything else as its text. */
export function renderResult({ structured, text }: ToolResult, width: number): string {
  const tables = tablesOutput.safeParse(structured);
  return tables.success ? renderTables(tables.data, width) : text;
}

function renderTables({ tables, notices }: PresentedTables, width: number): string {
  return [...tables.map((table) => renderOne(table, width)), ...notices].join('\n\n');
}

function renderOne(table: PresentedTable, width: number): string {
  const { name, columns, rows, offset, total_rows, next_offset, units = {}, totals = {}, omitted_columns = [] } = table;
  const range = rows.length === 0 ? 'no rows' : `rows ${offset + 1} to ${offset + rows.length} of ${total_rows}`;
  const next = next_offset === null ? '' : `, more from offset ${next_offset}`;
  const headings = columns.map((column) => (units[column] ? `${column} ${units[column]}` : column));
  const sums = Object.entries(totals).map(([column, total]) => `${column} ${total}`);
  return [
    `${name}: ${range}${next}`,
    ...(rows.length === 0 ? [] : [renderTable(headings, rows, width)]),
    ...(sums.length === 0 ? [] : [`Totals of all rows: ${sums.join(', ')}`]),
    ...(omitted_columns.length === 0 ? [] : [`Empty in every row: ${omitted_columns.join(', ')}`]),
  ].join('\n');
}
