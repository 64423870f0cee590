import { Command, InvalidArgumentError, Option } from 'commander';
import { Failure } from '../api/failure.ts';
import { type Setting, settings } from '../config/settings.ts';
import {
  type Configuration,
  ConfigurationFailure,
  type Flags,
  readConfiguration,
  readGiven,
  readSharedSettings,
  type SharedSettings,
} from '../config.ts';
import { outputFailure, printable, tell } from './process.ts';
import { findUnknownVariables } from './unknown-variables.ts';

/** What every command has in common: how it takes settings, and how it fails. */

/** The exit code of a command line or configuration that cannot work. */
export const misuse = 2;

/** A command that ends with exit code 2 if its command line is wrong, after saying where help is. */
export function newCommand(name: string): Command {
  return new Command(name)
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => process.stdout.write(printable(text, process.stdout)),
      writeErr: (text) => process.stderr.write(printable(text, process.stderr)),
    })
    .showHelpAfterError(`(${name} --help shows what there is)`)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : misuse));
}

/**
 * Adds every setting to a command, so that `--help` and what is read come from one schema.
 *
 * @param taken flags that mean something else in this command
 */
export function addSettings(command: Command, taken: ReadonlySet<string> = new Set()): Command {
  command.optionsGroup('Settings:');
  addSettingsOf(command, undefined, taken);
  const variables = settings.filter(({ flag }) => flag === undefined);
  const lines = variables.map(({ variable, description }) => `  ${variable}  ${description}`);
  return command.addHelpText('after', `\nSet by the environment only:\n${lines.join('\n')}`);
}

/** Adds the settings that belong to one command, or, without one, to all. */
export function addSettingsOf(
  command: Command,
  owner: Setting['command'],
  taken: ReadonlySet<string> = new Set(),
): Command {
  for (const { key, flag, variable, description, fallback, command: own } of settings) {
    if (flag === undefined || own !== owner || taken.has(flag)) continue;
    addSetting(command, key, `${description} [${variable}${fallback === '' ? '' : `; ${fallback}`}]`);
  }
  return command;
}

/** Adds one setting to a command that takes only some; the meaning is what it is for there. */
export function addSetting(command: Command, wanted: keyof Flags, meaning: string): Command {
  const { flag = '', value } = settings.find(({ key }) => key === wanted) ?? {};
  const option = new Option(value === undefined ? flag : `${flag} <${value}>`, meaning);
  option.attributeName = () => attributeOf(wanted);
  return command.addOption(option);
}

/**
 * Gives a command the settings that stood before its name, as if they stood after it; a setting that does stand after it
 * decides. Ends with an error if the command does not take one.
 *
 * @param command the command that was made
 * @param acting the command that acts: the same, or one below it
 */
export function takeSettings(command: Command, acting: Command, ahead: Flags): void {
  const chain = acting === command ? [acting] : [acting, command];
  for (const { key, flag } of settings) {
    const value = ahead[key];
    if (value === undefined || chain.some((one) => settingsOf(one)[key] !== undefined)) continue;
    const taker = chain.find(({ options }) => options.some((option) => option.attributeName() === attributeOf(key)));
    if (!taker) acting.error(`error: option '${flag}' stands ahead of a command that does not take it.`);
    taker?.setOptionValue(attributeOf(key), value);
  }
}

/** The settings among the options that a command was given; a switch is the text "true". */
export function settingsOf(command: Command): Flags {
  const options: Readonly<Record<string, unknown>> = command.opts();
  const given = settings.flatMap(({ key }) => {
    const value = options[attributeOf(key)];
    return value === undefined ? [] : [[key, String(value)] as const];
  });
  return Object.fromEntries(given);
}

/** One setting of a command that reads no configuration: of its command line, else of the environment. */
export function givenSetting(command: Command, key: keyof Flags): string | undefined {
  return readGiven(settingsOf(command), process.env)[key]?.text.trim() || undefined;
}

/** The name of a setting among options: an argument of a tool may be called like a setting. */
export function attributeOf(key: string): string {
  return `setting ${key}`;
}

export function wholeNumber(least: number, largest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= largest) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${largest}.`);
  };
}

/**
 * Reads the configuration and prints its warnings on stderr.
 *
 * @throws ConfigurationFailure if it cannot work
 */
export async function configure(flags: Flags, environment = process.env): Promise<Configuration> {
  checkVariables();
  const configuration = await readConfiguration(flags, environment);
  configuration.warnings.forEach(tell);
  return configuration;
}

/** The same of what each tracker is offered with, without its key. */
export function configureShared(flags: Flags): Promise<readonly SharedSettings[]> {
  checkVariables();
  return readSharedSettings(flags, process.env);
}

/** Before the settings are read, which may fail for the very reason. */
function checkVariables(): void {
  const { warnings, problems } = findUnknownVariables(process.env);
  warnings.forEach(tell);
  if (problems.length > 0) throw new ConfigurationFailure(problems.join('\n'));
}

/** Runs a command; what it cannot do is one message on stderr, never a stack. */
export async function guarded(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const failure = error instanceof Failure ? error : outputFailure(error);
    if (!failure) throw error;
    tell(failure.message);
    process.exitCode = failure instanceof ConfigurationFailure ? misuse : 1;
  }
}

/**
 * Runs what reads a command line or a file that settings name.
 *
 * @throws ConfigurationFailure in place of a Failure, so that the command ends as one that cannot work
 */
export async function asMisuse<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof Failure ? new ConfigurationFailure(error.message) : error;
  }
}
