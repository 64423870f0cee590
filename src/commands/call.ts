import { type Command, InvalidArgumentError, Option } from 'commander';
import { describeReadings, readingsOf } from '../api/text/id-lists.ts';
import { parseJson } from '../api/text/json.ts';
import { didYouMean } from '../api/text/names.ts';
import { shorten } from '../api/text/tracker-text.ts';
import { settings } from '../config/settings.ts';
import { ConfigurationFailure, type Flags } from '../config.ts';
import { catalogue } from '../tools/catalogue.ts';
import { describeType } from '../tools/check-arguments.ts';
import type { Given, Tool, ToolResult } from '../tools/define-tool.ts';
import { type JsonSchema, toJsonSchema } from '../tools/json-schema.ts';
import { queryReport } from '../tools/query-report.ts';
import { readArguments } from '../tools/read-arguments.ts';
import { checkWithNames } from '../tools/resolve-names.ts';
import { callOnTracker, inputWithTracker, type Trackers } from '../tools/trackers.ts';
import { addSettings, asUsageError, formatHelp, newCommand, reportFailures, settingsOf } from './command-line.ts';
import { openTrackers } from './open-trackers.ts';
import { onEndSignal, quoted, typedName } from './process.ts';
import { configureAtTerminal } from './stored-trackers.ts';
import { askOnTerminal } from './terminal/ask.ts';
import { addOutputForms, outputFormOf, printResult } from './terminal/output.ts';

const notes = `
Arguments may also be written with dashes (--campaign-id). Lists are separated by commas (\\, is a comma in
an item), given with one flag for each item, or JSON. A list of objects (--where) is JSON: one object for each
flag, or one array. A flag of type true or false needs no value for true.
Settings may come before or after TOOL. If a tool has an argument of the same name (--url, --timezone),
the flag means the argument after TOOL, and the setting before it.

Examples:
  tracker-mcp call list_campaigns --sandbox
  tracker-mcp call get_stats --campaign_id 1 --period last_7_days --reports offer --sort_by Profit --sandbox
  tracker-mcp call list_campaigns --where ${quoted('{"column":"Name","op":"contains","value":"fit"}')} --sandbox
  tracker-mcp call edit_campaign_page --campaign_id 1 --page_id 4 --share 60 --dry_run --sandbox`;

/** All tools but query_report, which queries the answers of earlier calls. */
const callable = catalogue.filter(({ name }) => name !== queryReport.name);

/** Values for examples, by the name of the argument or of a field in it. */
const exampleValues: Readonly<Record<string, string>> = {
  campaign_id: '1',
  name: 'New page',
  url: 'https://example.com/page',
  subid: 'ab12cd34_1_00000345',
  statement: 'ab12cd34_1_00000345;5.00',
  column: 'Name',
  op: 'contains',
  value: 'fit',
  by: 'day',
  page_id: '4',
  share: '60',
  bid: '0.05',
  change_id: '1a2b3c4d5e6f',
  tool: 'edit_campaign',
};

/** The arguments of one of several writes. */
const exampleWrite = { campaign_id: '1', bid: 0.05 };

/** The optional arguments in the example of a tool. */
const exampleExtras: Readonly<Record<string, readonly string[]>> = {
  edit_landing_page: ['name'],
  add_landing_page_to_campaign: ['name', 'url'],
  edit_offer: ['name'],
  add_offer_to_campaign: ['name', 'url'],
  edit_campaign: ['bid'],
  undo_change: ['change_id'],
  diagnose_subid: ['subid'],
  reconcile_conversions: ['statement'],
  edit_campaign_page: ['share'],
};

export function makeCommand(): Command {
  const call = newCommand('tracker-mcp call', {
    subcommandTerm: (command) => command.name(),
    optionTerm,
  })
    .usage('[settings] TOOL [--argument value ...] [--json | --csv]')
    .description('Calls one tool. Prints a table, or JSON into a pipe.')
    .enablePositionalOptions()
    .commandsGroup('Tools:')
    .allowExcessArguments()
    // The arguments of a misspelt tool are unknown too, but the tool is the mistake.
    .allowUnknownOption()
    .action(() => {
      const [unknown] = call.args;
      if (unknown?.startsWith('-')) return call.error(`error: unknown option '${unknown}'`);
      if (unknown === queryReport.name) {
        return call.error(
          `error: ${unknown} queries the answers of earlier calls, and each call here is independent. ` +
            'Use it through an MCP client, or narrow one answer with --where, --columns and --sort_by.',
        );
      }
      const names = callable.map(({ name }) => name);
      const list = `The tools are: ${names.join(', ')}.`;
      if (unknown === undefined) return call.error(`error: which tool? ${list}`);
      return call.error(`error: there is no tool '${unknown}'${didYouMean(unknown, names)} ${list}`);
    });
  addOutputForms(call);
  addSettings(call).addOption(trackerOption()).addHelpText('after', notes);
  for (const tool of callable) addTool(call, tool);
  return call;
}

const optionTerm = ({ flags }: Option) => flags.replace(/^--[\w-]+, (?=--)/, '');

const aboutSettings = 'Settings, such as --sandbox, --config and --timezone: tracker-mcp call --help';

function addTool(call: Command, tool: Tool): void {
  const { properties = {}, required = [] } = toJsonSchema(tool.input(), 'input');
  const names = Object.keys(properties);
  const command = call
    .command(tool.name)
    .usage('[--argument value ...] [--json | --csv]')
    .configureHelp({ optionTerm, formatHelp: (command, helper) => formatHelp(command, helper, aboutSettings) })
    .summary(tool.title)
    .description(tool.description)
    .allowExcessArguments(false)
    .showHelpAfterError(names.length === 0 ? 'The tool takes no arguments.' : `The arguments are: ${names.join(', ')}.`)
    .optionsGroup('Arguments:');
  addArguments(command, tool);
  command.addHelpText(
    'after',
    `\nExample:\n  tracker-mcp call ${tool.name} ${exampleOf(tool, properties, required)}--sandbox`,
  );
  command.action(async () => {
    const flags = { ...settingsOf(call), ...settingsOf(command) };
    const form = outputFormOf(command, call);
    const given = { ...trackerOf(call), ...argumentsOf(command, tool) };
    await reportFailures(async () => {
      const result = await callFromCommand(tool, given, flags);
      printResult(result, form, [typedName(), 'call', ...settingWords(flags)].join(' '));
    });
  });
}

/** Adds the arguments of a tool, the forms of output and the settings to a command. */
export function addArguments(command: Command, { input }: Pick<Tool, 'input'>): void {
  const { properties = {}, required = [] } = toJsonSchema(input(), 'input');
  for (const [name, schema] of Object.entries(properties)) {
    command.addOption(argumentOption(name, schema, required.includes(name)));
  }
  addOutputForms(command);
  addSettings(command, new Set(Object.keys(properties).map((name) => `--${name}`))).addOption(trackerOption());
}

function trackerOption(): Option {
  return new Option('--tracker <name>', 'the tracker of a configuration file that the call is about');
}

/**
 * Calls a tool as a server does, and asks the person at the terminal.
 *
 * @param given the arguments, with the name of the tracker if there is one
 * @throws ConfigurationFailure for a mistake in the command line, before a tracker is opened; otherwise the failure of the tool
 */
export async function callFromCommand(tool: Tool, given: Given, flags: Flags): Promise<ToolResult> {
  const configuration = await configureAtTerminal(flags);
  const asked = { name: tool.name, input: inputWithTracker(tool) };
  await asUsageError(async () => checkWithNames(asked, (await readArguments(asked, given)).given));
  const { trackers, close } = await openTrackers(configuration, { keepsChanges: true });
  const cancellation = new AbortController();
  onEndSignal(() => cancellation.abort());
  try {
    return await callOnTracker(tool, withoutOnlyTracker(given, trackers), trackers, (context) => ({
      ...context,
      recentTables: undefined,
      caller: 'tracker-mcp call',
      endsWithCall: true,
      // An agent with a shell can type y, so an approval has to come from elsewhere.
      ask:
        context.guard.policy.confirm === 'approve'
          ? async () => 'unavailable'
          : askOnTerminal(cancellation.signal, context.trackerIdentity),
      signal: cancellation.signal,
    }));
  } finally {
    await close();
  }
}

/** The settings of this call as words of a command line, without secrets. */
function settingWords(flags: Flags): string[] {
  return settings.flatMap(({ key, flag = '', value, isSecret }) => {
    const given = flags[key];
    if (given === undefined || isSecret) return [];
    return value === undefined ? [flag] : [flag, quoted(given)];
  });
}

/**
 * Removes the name of the only tracker, which a call does not take.
 *
 * @throws ConfigurationFailure if there is no tracker of that name
 */
function withoutOnlyTracker(given: Given, { only }: Trackers): Given {
  const { tracker, ...rest } = given;
  if (!only || tracker === undefined) return given;
  if (tracker === only.name) return rest;
  throw new ConfigurationFailure(
    `There is no tracker ${JSON.stringify(tracker)}${only.name === '' ? ': --config names none' : `, only ${only.name}`}.`,
    'Leave out --tracker.',
  );
}

function argumentOption(name: string, schema: JsonSchema, isRequired: boolean): Option {
  // The last form is the one that a hint about a misspelt flag names.
  const flags = [...new Set([`--${name.replaceAll('_', '-')}`, `--${name}`])].join(', ');
  const option = new Option(`${flags} ${placeholderOf(schema)}`, describe(schema, isRequired));
  option.attributeName = () => name;
  if (holdsObjects(schema)) {
    option.argParser((text: string, earlier: readonly unknown[] = []) => [...earlier, ...readObjects(text, schema)]);
  } else if (schema.type === 'array') {
    option.argParser((text: string, earlier: readonly string[] = []) => [...earlier, ...splitList(text)]);
  }
  return option;
}

/** The items of a JSON list, or those between the commas; a backslash keeps a comma in an item. */
function splitList(text: string): readonly string[] {
  const list = parseJson(text);
  if (Array.isArray(list) && list.every((item) => typeof item === 'string' || typeof item === 'number'))
    return list.map(String);
  const readings = readingsOf(text);
  if (!readings) return text.split(/(?<!\\),/).map((item) => item.replaceAll('\\,', ',').trim());
  throw new InvalidArgumentError(
    `${describeReadings(readings)}. Write ${readings.number}, or put a space after each comma: ${quoted(shorten(readings.ids.join(', '), 100))}.`,
  );
}

function holdsObjects({ items }: JsonSchema): boolean {
  return items?.type === 'object';
}

/** Reads a JSON object or an array of them. The tool checks their contents. */
function readObjects(text: string, schema: JsonSchema): readonly unknown[] {
  const given = parseJson(text);
  if (typeof given === 'object' && given !== null) return Array.isArray(given) ? given : [given];
  throw new InvalidArgumentError(
    `It must be a JSON object, or an array of them, such as ${quoted(exampleObject(schema))}.`,
  );
}

function exampleObject({ items }: JsonSchema): string {
  // A condition takes either a value or a list of values, and a page either a share or a percentage.
  const fields = Object.entries(items?.properties ?? {}).filter(
    ([name, field]) => field.type !== 'array' && name !== 'percent',
  );
  const values = fields.map(([name, field]) => {
    if (name === 'arguments') return [name, exampleWrite];
    const text = exampleValue(name, field);
    return [name, isNumber(field) ? Number(text) : text];
  });
  return JSON.stringify(Object.fromEntries(values));
}

function exampleValue(name: string, schema: JsonSchema): string {
  if (holdsObjects(schema)) return exampleObject(schema);
  return exampleValues[name] ?? (isNumber(schema) ? '1' : String(schema.enum?.[0] ?? 'text'));
}

function placeholderOf(schema: JsonSchema): string {
  if (holdsObjects(schema)) return '<json>';
  if (isNumber(schema)) return '<number>';
  return { boolean: '[true|false]', array: '<list>' }[String(schema.type)] ?? '<text>';
}

function describe(schema: JsonSchema, isRequired: boolean): string {
  const { description = '', default: fallback } = schema;
  const type = describeType(schema);
  const facts = [
    ...(type === 'text' ? [] : [type]),
    ...(holdsObjects(schema) ? [`as JSON: ${exampleObject(schema)}`] : []),
    ...(isRequired ? ['required'] : []),
    ...(fallback === undefined || /default/i.test(description) ? [] : [`default ${fallback}`]),
  ];
  return facts.length === 0 ? description : `${description} (${facts.join('; ')})`;
}

/** The arguments of an example, which writes nothing. */
function exampleOf(
  { name: tool, access }: Tool,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): string {
  const names = [...required, ...(exampleExtras[tool] ?? [])];
  const given = names.map((name) => `--${name} ${quoted(exampleValue(name, properties[name] ?? {}))} `);
  return [...given, ...(access === 'read' ? [] : ['--dry_run '])].join('');
}

function isNumber({ type }: JsonSchema): boolean {
  return type === 'integer' || type === 'number';
}

/** The given arguments of a tool, and the tracker if it is named. */
export function argumentsOf(command: Command, { input }: Pick<Tool, 'input'>): Given {
  const options: Readonly<Record<string, unknown>> = command.opts();
  const names = Object.keys(input().shape).filter((name) => options[name] !== undefined);
  return { ...trackerOf(command), ...Object.fromEntries(names.map((name) => [name, options[name]])) };
}

function trackerOf(command: Command): Given {
  const { tracker } = command.opts();
  return tracker === undefined ? {} : { tracker };
}
