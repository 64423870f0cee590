import { Command, Option } from 'commander';
import { Failure } from '../api/failure.ts';
import { type Config, type Flags, readConfig, settings } from '../config.ts';
import { version } from '../version.ts';

/** The exit code of a command line or configuration that cannot work. */
const misuse = 2;

/** The command line: the stdio server without a command, and the other commands, each loaded when it is called. */
export function program(): Command {
  const root = withSettings(new Command('tracker-mcp'))
    .description(
      'An MCP server for an ad-campaign tracker. Without a command it serves over standard input and output.',
    )
    .version(version)
    .enablePositionalOptions()
    .showHelpAfterError('(tracker-mcp --help shows what there is)')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : misuse))
    .action(async (flags: Flags) => {
      const { serve } = await import('./serve.ts');
      await guarded(() => serve(configure(flags)));
    });
  return root;
}

/** Adds every setting to a command, so that `--help` and what is read come from one schema. */
function withSettings(command: Command): Command {
  for (const { key, flag, value, variable, description, fallback } of settings) {
    if (flag === undefined) continue;
    const option = new Option(
      value === undefined ? flag : `${flag} <${value}>`,
      describeSetting(description, variable, fallback),
    );
    command.addOption(option.argParser((text: string) => text));
    option.attributeName = () => key;
  }
  return command;
}

function describeSetting(description: string, variable: string, fallback: string): string {
  return `${description} [${variable}${fallback === '' ? '' : `; ${fallback}`}]`;
}

/** Reads the configuration and tells its warnings; a switch given as a flag is the text "true". */
function configure(flags: Flags): Config {
  const texts = Object.entries(flags).map(([key, value]) => [key, String(value)]);
  const config = readConfig(Object.fromEntries(texts), process.env);
  for (const warning of config.warnings) console.error(`tracker-mcp: ${warning}`);
  return config;
}

/** Runs a command; what it cannot do is one message on stderr, never a stack. */
async function guarded(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`tracker-mcp: ${error.message}`);
    process.exitCode = misuse;
  }
}
