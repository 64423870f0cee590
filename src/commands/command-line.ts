import { Command, Option } from 'commander';
import { Failure } from '../api/failure.ts';
import { type Config, ConfigurationFailure, type Flags, readConfig, settings } from '../config.ts';
import { outputFailure } from './output.ts';

/** What every command has in common: how it takes settings, and how it fails. */

/** The exit code of a command line or configuration that cannot work. */
const misuse = 2;

/** A command that ends with exit code 2 where its command line is wrong, after saying where help is. */
export function newCommand(name: string): Command {
  return new Command(name)
    .helpCommand(false)
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
  for (const { key, flag, value, variable, description, fallback } of settings) {
    if (flag === undefined || taken.has(flag)) continue;
    const meaning = `${description} [${variable}${fallback === '' ? '' : `; ${fallback}`}]`;
    const option = new Option(value === undefined ? flag : `${flag} <${value}>`, meaning);
    option.attributeName = () => attributeOf(key);
    command.addOption(option);
  }
  const variables = settings.filter(({ flag }) => flag === undefined);
  const lines = variables.map(({ variable, description }) => `  ${variable}  ${description}`);
  return command.addHelpText('after', `\nSet by the environment only:\n${lines.join('\n')}`);
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

/** An argument of a tool may have the name of a setting. */
function attributeOf(key: string): string {
  return `setting ${key}`;
}

/**
 * Reads the configuration and tells its warnings on stderr.
 *
 * @throws ConfigurationFailure where it cannot work
 */
export function configure(flags: Flags): Config {
  const config = readConfig(flags, process.env);
  for (const warning of config.warnings) console.error(`tracker-mcp: ${warning}`);
  return config;
}

/** Runs a command; what it cannot do is one message on stderr, never a stack. */
export async function guarded(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const failure = error instanceof Failure ? error : outputFailure(error);
    if (!failure) throw error;
    console.error(`tracker-mcp: ${failure.message}`);
    process.exitCode = failure instanceof ConfigurationFailure ? misuse : 1;
  }
}
