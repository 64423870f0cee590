import type { Command } from 'commander';
import { joined, type TextFor, textFor } from '../../api/text/destinations.ts';
import type { ToolResult } from '../../tools/define-tool.ts';
import { comparisonOutput } from '../../tools/detail-tools.ts';
import { lookupOutput, type PresentedTable, tablesOutput } from '../../tools/present/outputs.ts';
import { print, printJson, printToStderr } from '../process.ts';
import { lookOfOutput } from './look.ts';
import { renderResult } from './render-result.ts';
import type { TableCell } from './render-table.ts';

const descriptions = {
  json: 'print JSON on a terminal too',
  csv: 'print CSV, for a spreadsheet',
  wide: 'print a table with whole cells, however long its lines get',
  vertical: 'print each row as a list of its cells, whole',
} as const;

/** The default is a table for a person, and JSON for a pipe. */
export type OutputForm = keyof typeof descriptions | 'table';

const forms = Object.keys(descriptions) as readonly (keyof typeof descriptions)[];

/** Adds the flags for the form of the output, which exclude each other. */
export function addOutputForms(command: Command): void {
  command.optionsGroup('Output:');
  for (const form of forms) command.option(`--${form}`, descriptions[form]);
}

/** The form that a command line asks for, before or after the tool. Two forms are an error. */
export function outputFormOf(...commands: readonly [Command, ...Command[]]): OutputForm {
  const asked = forms.filter((form) => commands.some((command) => command.opts()[form] === true));
  const [form, other] = asked;
  if (other !== undefined) commands[0].error(`error: --${form} and --${other} exclude each other.`);
  return form ?? (process.stdout.isTTY ? 'table' : 'json');
}

/**
 * Prints a result on stdout. CSV cannot show that rows are missing, so stderr reports it.
 *
 * @param command the command line that calls tools with the same settings
 */
export function printResult(result: ToolResult, form: OutputForm, command: string): void {
  if (form === 'json') printJson(JSON.stringify(result.structured, null, 2));
  else if (form === 'csv') {
    process.stdout.write(renderCsv(result));
    for (const line of missingRows(result)) printToStderr(line);
  } else print(renderResult(result, { ...lookOfOutput(form), command }));
}

function missingRows({ structured }: ToolResult): string[] {
  const tables = tablesOutput.safeParse(structured).data?.tables ?? [];
  return tables.flatMap(({ name, rows, total_rows, next_offset }) =>
    next_offset === null
      ? []
      : [`${name}: ${rows.length} of ${total_rows} rows. More: --offset ${next_offset}, or a higher --limit.`],
  );
}

interface Sheet {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
}

/**
 * Renders a result as CSV (RFC 4180), in one table. If the result has several tables, a column names them. A result without a list is
 * one row with its fields.
 */
export function renderCsv({ structured }: ToolResult): TextFor<'csv'> {
  const { columns, rows } = sheetOf(structured);
  const lines = [columns, ...rows].map((cells) => joined(cells.map(csvCell), ','));
  return joined([...lines, textFor('csv', '')], '\r\n');
}

function sheetOf(structured: Readonly<Record<string, unknown>>): Sheet {
  const tables = tablesOutput.safeParse(structured).data?.tables;
  if (tables) return joinTables(tables);
  const groups = lookupOutput.safeParse(structured).data?.groups;
  if (groups) {
    const rows = groups.flatMap(({ name, fields }) =>
      Object.entries(fields).map(([field, value]) => [name, field, value]),
    );
    return { columns: ['group', 'field', 'value'], rows };
  }
  const { steps } = structured;
  const pages = comparisonOutput.safeParse(structured).data?.pages;
  return sheetOfRecords(pages ?? (Array.isArray(steps) ? steps : [structured]));
}

/** All tables in one, with the name of the table in the first column. */
function joinTables(tables: readonly PresentedTable[]): Sheet {
  const [only, ...others] = tables;
  if (only && others.length === 0) return only;
  const columns = [...new Set(tables.flatMap((table) => table.columns))];
  const rows = tables.flatMap((table) =>
    table.rows.map((row) => [table.name, ...columns.map((column) => row[table.columns.indexOf(column)] ?? null)]),
  );
  return { columns: ['table', ...columns], rows };
}

function sheetOfRecords(records: readonly Readonly<Record<string, unknown>>[]): Sheet {
  const columns = [...new Set(records.flatMap(Object.keys))];
  return { columns, rows: records.map((record) => columns.map((column) => cellOf(record[column]))) };
}

function cellOf(value: unknown): TableCell {
  if (value === undefined || value === null || typeof value === 'number') return value ?? null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function csvCell(cell: TableCell): TextFor<'csv'> {
  return textFor('csv', String(cell ?? ''));
}
