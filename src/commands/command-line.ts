import { Command, Help, InvalidArgumentError, Option } from 'commander';
import { Failure } from '../api/failure.ts';
import { type Setting, settings } from '../config/settings.ts';
import {
  type Configuration,
  ConfigurationFailure,
  type Flags,
  type Leniency,
  readConfiguration,
  readGiven,
  readSharedSettings,
  type SharedSettings,
} from '../config.ts';
import { outputFailure, printable, printToStderr } from './process.ts';
import { findUnknownVariables } from './unknown-variables.ts';

/** Shared by all commands: how they take settings, and how they fail. */

/** The exit code for a wrong command line or configuration. */
export const misuse = 2;

/**
 * A command that ends with exit code 2 and a hint about --help if its command line is wrong.
 *
 * @param help how its help differs from others
 */
export function newCommand(name: string, help: Partial<Help> = {}): Command {
  return new Command(name)
    .helpCommand(false)
    .configureHelp({ ...help, formatHelp: (command, helper) => formatHelp(command, helper) })
    .configureOutput({
      writeOut: (text) => process.stdout.write(printable(text, process.stdout)),
      writeErr: (text) => process.stderr.write(printable(text, process.stderr)),
    })
    .showHelpAfterError(`(${name} --help shows the options)`)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : misuse));
}

const settingsHeading = 'Settings:';

/**
 * The help of a command. Its settings come last, because they are many, and the same for all commands.
 *
 * @param instead what stands in their place
 */
export function formatHelp(command: Command, helper: Help, instead?: string): string {
  const isSetting = ({ helpGroupHeading: heading }: Option) => heading === settingsHeading;
  const others = (one: Command) => helper.visibleOptions(one).filter((option) => !isSetting(option));
  const withoutSettings: Help = Object.assign(Object.create(helper), { visibleOptions: others });
  const usual = Help.prototype.formatHelp.call(withoutSettings, command, withoutSettings);
  const given = command.options.filter(isSetting);
  if (given.length === 0) return usual;
  if (instead !== undefined) return `${usual}\n${instead}\n`;
  const width = helper.padWidth(command, helper);
  const lines = given.map((option) =>
    helper.formatItem(helper.optionTerm(option), width, helper.optionDescription(option), helper),
  );
  const variables = settings.filter(({ flag }) => flag === undefined);
  const named = variables.map(({ variable, description }) => `  ${variable}  ${description}`);
  const blocks = [
    ...helper.formatItemList(settingsHeading, lines, helper),
    ...helper.formatItemList('Set by the environment only:', named, helper),
  ];
  return [usual, ...blocks].join('\n');
}

/**
 * Adds every setting to a command.
 *
 * @param taken flags that have a different meaning in this command
 */
export function addSettings(command: Command, taken: ReadonlySet<string> = new Set()): Command {
  command.optionsGroup(settingsHeading);
  addSettingsOf(command, undefined, taken);
  return command;
}

/** Adds the settings of one command, or the settings of all commands if the owner is undefined. */
export function addSettingsOf(
  command: Command,
  owner: Setting['command'],
  taken: ReadonlySet<string> = new Set(),
): Command {
  for (const { key, flag, variable, description, fallback, command: settingOwner } of settings) {
    if (flag === undefined || settingOwner !== owner || taken.has(flag)) continue;
    addSetting(command, key, `${description} [${variable}${fallback === '' ? '' : `; ${fallback}`}]`);
  }
  return command;
}

/** Adds one setting to a command that does not take all. */
export function addSetting(command: Command, wanted: keyof Flags, description: string): Command {
  const { flag = '', value } = settings.find(({ key }) => key === wanted) ?? {};
  const option = new Option(value === undefined ? flag : `${flag} <${value}>`, description);
  option.attributeName = () => attributeOf(wanted);
  return command.addOption(option);
}

/**
 * Gives a command the settings before its name, unless it has the same settings after it. Ends with an error if it does not take one.
 *
 * @param acting the command itself, or the subcommand that was called
 * @param before the settings before the name
 */
export function takeSettings(command: Command, acting: Command, before: Flags): void {
  const chain = acting === command ? [acting] : [acting, command];
  for (const { key, flag } of settings) {
    const value = before[key];
    if (value === undefined || chain.some((one) => settingsOf(one)[key] !== undefined)) continue;
    const taker = chain.find(({ options }) => options.some((option) => option.attributeName() === attributeOf(key)));
    if (!taker) acting.error(`error: option '${flag}' comes before a command that does not take it.`);
    taker?.setOptionValue(attributeOf(key), value);
  }
}

/** The settings among the options of a command; a switch is the text "true". */
export function settingsOf(command: Command): Flags {
  const options: Readonly<Record<string, unknown>> = command.opts();
  const given = settings.flatMap(({ key }) => {
    const value = options[attributeOf(key)];
    return value === undefined ? [] : [[key, String(value)] as const];
  });
  return Object.fromEntries(given);
}

/** One setting of a command that reads no configuration, from its command line or the environment. */
export function givenSetting(command: Command, key: keyof Flags): string | undefined {
  return readGiven(settingsOf(command), process.env)[key]?.text.trim() || undefined;
}

/** The name of a setting among options. Arguments of tools are options as well, and may have the name of a setting. */
export function attributeOf(key: string): string {
  return `setting ${key}`;
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/**
 * Reads the configuration and prints its warnings on stderr.
 *
 * @throws ConfigurationFailure if it cannot work
 */
export async function configure(
  flags: Flags,
  environment = process.env,
  leniency: Leniency = {},
): Promise<Configuration> {
  checkVariables();
  const configuration = await readConfiguration(flags, environment, leniency);
  configuration.warnings.forEach(printToStderr);
  return configuration;
}

/** Reads the settings of each tracker without its address and key, and prints warnings on stderr. */
export function configureShared(flags: Flags): Promise<readonly SharedSettings[]> {
  checkVariables();
  return readSharedSettings(flags, process.env);
}

/** Runs before the settings are read, because they may fail for the same reason. */
function checkVariables(): void {
  const { warnings, problems } = findUnknownVariables(process.env);
  warnings.forEach(printToStderr);
  if (problems.length > 0) throw new ConfigurationFailure(problems.join('\n'));
}

/** Runs a command. A failure is one message on stderr, without a stack. */
export async function reportFailures(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const failure = error instanceof Failure ? error : outputFailure(error);
    if (!failure) throw error;
    printToStderr(failure.message);
    process.exitCode = failure instanceof ConfigurationFailure ? misuse : 1;
  }
}

/**
 * Runs code that reads the command line or a file named by a setting.
 *
 * @throws ConfigurationFailure instead of a Failure, which makes the exit code 2
 */
export async function asUsageError<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof Failure ? new ConfigurationFailure(error.message) : error;
  }
}
