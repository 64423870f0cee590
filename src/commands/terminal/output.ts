import type { Command } from 'commander';
import { type Block, isOf, type ShownCell, type ShownRows } from '../../answer/blocks.ts';
import { joined, type TextFor, textFor } from '../../api/text/destinations.ts';
import type { ToolResult } from '../../tools/define-tool.ts';
import { print, printJson, printToStderr } from '../process.ts';
import { lookOfOutput } from './look.ts';
import { renderResult } from './render-result.ts';

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

function missingRows({ blocks }: ToolResult): string[] {
  return pagesIn(blocks).flatMap(({ name, rows, total_rows, next_offset }) =>
    next_offset === null
      ? []
      : [`${name}: ${rows.length} of ${total_rows} rows. More: --offset ${next_offset}, or a higher --limit.`],
  );
}

const pagesIn = (blocks: readonly Block[]): readonly ShownRows[] =>
  blocks.filter((block) => isOf(block, 'page')).map(({ page }) => page);

interface Sheet {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ShownCell[])[];
}

/**
 * Renders a result as CSV (RFC 4180), in one table. If the result has several tables, a column names them. A result without tables is
 * its first list, or one row with its fields.
 */
export function renderCsv(result: Pick<ToolResult, 'structured' | 'blocks'>): TextFor<'csv'> {
  const { columns, rows } = sheetOf(result);
  const lines = [columns, ...rows].map((cells) => joined(cells.map(csvCell), ','));
  return joined([...lines, textFor('csv', '')], '\r\n');
}

function sheetOf({ structured, blocks }: Pick<ToolResult, 'structured' | 'blocks'>): Sheet {
  const pages = pagesIn(blocks);
  if (pages.length > 0) return joinTables(pages);
  const rows = blocks
    .filter((block) => isOf(block, 'fields'))
    .flatMap(({ name, fields }) => fields.map((field) => [name, ...field]));
  if (rows.length > 0) return { columns: ['group', 'field', 'value'], rows };
  const isRecords = (value: unknown): value is readonly Readonly<Record<string, unknown>>[] =>
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' && one !== null);
  return sheetOfRecords(Object.values<unknown>(structured).find(isRecords) ?? [structured]);
}

/** All tables in one, with the name of the table in the first column. */
function joinTables(tables: readonly ShownRows[]): Sheet {
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

function cellOf(value: unknown): ShownCell {
  if (value === undefined || value === null || typeof value === 'number') return value ?? null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function csvCell(cell: ShownCell): TextFor<'csv'> {
  return textFor('csv', String(cell ?? ''));
}
