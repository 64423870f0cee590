import type { Command, Option } from 'commander';
import { catalogue } from '../../tools/catalogue.ts';
import { toJsonSchema } from '../../tools/json-schema.ts';

/** The command line with every command loaded. */
export interface CommandLine {
  readonly root: Command;
  readonly commands: ReadonlyMap<string, Command>;
}

/** What can stand at one place of the command line: behind `call`, say, or behind `call get_stats`. */
export interface Place {
  /** The words that lead there, with a space between; '' is the program itself. */
  readonly path: string;
  /** Commands, tools or fixed values. */
  readonly words: readonly Word[];
  readonly flags: readonly Flag[];
}

export interface Word {
  readonly name: string;
  readonly description: string;
  /** Whether it leads to a place of its own. */
  readonly isCommand: boolean;
}

export interface Flag {
  /** With its dashes. */
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** The values there are; empty where any may be given. */
  readonly values: readonly string[];
}

/** The ways from one place to another: the place so far, a space, and the word that leads on. */
export function stepsOf(places: readonly Place[]): string[] {
  return places.flatMap(({ path, words }) =>
    words.filter(({ isCommand }) => isCommand).map(({ name }) => `'${path} ${name}'`),
  );
}

/** Every place of the command line, from the same commands that read it. */
export function readWords({ root, commands }: CommandLine): readonly Place[] {
  return placesFrom(root, '', commands);
}

function placesFrom(command: Command, path: string, loaded: ReadonlyMap<string, Command>): Place[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command);
  const values = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((name) => ({ name, description, isCommand: false })),
  );
  const valuesOf = valuesAt(path);
  const place: Place = {
    path,
    words: [
      ...below.map((one) => ({ name: one.name(), description: firstLine(summaryOf(one)), isCommand: true })),
      ...values,
    ],
    flags: help.visibleOptions(command).map((option) => readFlag(option, valuesOf)),
  };
  return [
    place,
    ...below.flatMap((one) => {
      const name = one.name();
      return placesFrom(path === '' ? (loaded.get(name) ?? one) : one, `${path} ${name}`.trim(), loaded);
    }),
  ];
}

function summaryOf(command: Command): string {
  return command.summary() || command.description();
}

function readFlag(option: Option, valuesOf: (argument: string) => readonly string[]): Flag {
  const { short, long, description, required, optional, argChoices = [] } = option;
  // An argument of a tool stands ahead of its spelling with dashes.
  const name = (short?.startsWith('--') ? short : long) ?? short ?? '';
  const values = argChoices.length > 0 ? argChoices : valuesOf(option.attributeName());
  return {
    name,
    description: firstLine(description),
    takesValue: required || (optional && values.length === 0),
    values,
  };
}

/** Tells the values that an argument may have at a place, by the schema of the tool that is called there. */
function valuesAt(path: string): (argument: string) => readonly string[] {
  const tool = catalogue.find(({ name }) => path === `call ${name}`);
  const { properties = {} } = tool ? toJsonSchema(tool.input, 'input') : {};
  return (argument) => {
    const schema = properties[argument];
    return (schema?.enum ?? schema?.items?.enum ?? []).map(String);
  };
}

/** Enough to tell one word from another, without what a shell would take for its own. */
function firstLine(text: string): string {
  const line = (text.split('\n')[0] ?? '').replace(/ \[.*\]$/, '');
  return line.replace(/[^\p{L}\p{N} .,;()/_-]/gu, '').slice(0, 80);
}
