import type { Command } from 'commander';
import type { ToolResult } from '../../tools/define-tool.ts';
import { tablesOutput } from '../../tools/present/outputs.ts';
import { tell } from '../process.ts';
import { renderCsv } from './csv.ts';
import { lookOfOutput } from './look.ts';
import { renderResult } from './render-result.ts';

const descriptions = {
  json: 'print JSON on a terminal too',
  csv: 'print CSV, for a spreadsheet',
  wide: 'print a table with whole cells, however long its lines get',
  vertical: 'print each row as a list of its cells, whole',
} as const;

/** How a result is printed: as asked for, else a table for a person and JSON into a pipe. */
export type OutputForm = keyof typeof descriptions | 'table';

const forms = Object.keys(descriptions) as readonly (keyof typeof descriptions)[];

/** Adds the flags that choose the form of the output; one excludes the others. */
export function addOutputForms(command: Command): void {
  command.optionsGroup('Output:');
  for (const form of forms) command.option(`--${form}`, descriptions[form]);
}

/** The form that a command line asks for, after the tool or before it. Ends with an error if it asks for two. */
export function outputFormOf(...commands: readonly [Command, ...Command[]]): OutputForm {
  const asked = forms.filter((form) => commands.some((command) => command.opts()[form] === true));
  const [form, other] = asked;
  if (other !== undefined) commands[0].error(`error: --${form} and --${other} exclude each other.`);
  return form ?? (process.stdout.isTTY ? 'table' : 'json');
}

/**
 * Prints a result on stdout. What CSV has no place for, such as where the next page begins, goes to stderr.
 *
 * @param command how a tool is called with the same settings
 */
export function printResult(result: ToolResult, form: OutputForm, command: string): void {
  if (form === 'json') process.stdout.write(`${JSON.stringify(result.structured, null, 2)}\n`);
  else if (form === 'csv') {
    process.stdout.write(renderCsv(result));
    for (const line of leftOut(result)) tell(line);
  } else process.stdout.write(`${renderResult(result, { ...lookOfOutput(form), command })}\n`);
}

/** A spreadsheet that misses rows looks like one that has them all. */
function leftOut({ structured }: ToolResult): string[] {
  const tables = tablesOutput.safeParse(structured).data?.tables ?? [];
  return tables.flatMap(({ name, rows, total_rows, next_offset }) =>
    next_offset === null
      ? []
      : [`${name}: ${rows.length} of ${total_rows} rows. More: --offset ${next_offset}, or a higher --limit.`],
  );
}
