import { type Command, InvalidArgumentError } from 'commander';
import { ConfigurationFailure } from '../../config.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { type Quirk, quirkNames } from '../../sandbox/wire.ts';
import { addSetting, newCommand, reportFailures, settingsOf, wholeNumber } from '../command-line.ts';
import { onEndSignal, typedName, withVariables } from '../process.ts';
import { startEmbeddedTracker } from './embedded-tracker.ts';
import { trafficCommand } from './traffic.ts';

interface SandboxFlags {
  readonly port: number;
  readonly data?: string;
  readonly quirks: readonly Quirk[];
  readonly seed: number;
  readonly json?: true;
}

export function makeCommand(): Command {
  const command = newCommand('tracker-mcp sandbox')
    .description('Runs the embedded tracker as a service on this machine. A new one gets 30 days of sample data.')
    .option('--port <number>', 'port on 127.0.0.1; 0 picks a free one', wholeNumber(0, 65_535), 0)
    .option('--data <file>', 'file for the data; without it, the data is lost when the process ends')
    .option(
      '--quirks <list>',
      `imitate other installations, separated by commas: ${quirkNames.join(', ')}`,
      readQuirks,
      [],
    )
    .option(
      '--seed <number>',
      'the same seed gives the same sample data on the same day',
      wholeNumber(0, 2 ** 31 - 1),
      1,
    )
    .option('--json', 'print one line {"url", "api_key"} when it is ready')
    .enablePositionalOptions()
    .addCommand(trafficCommand())
    .addHelpText('after', '\nExample:\n  tracker-mcp sandbox --port 8080 --data tracker.duckdb')
    .action((flags: SandboxFlags) => reportFailures(() => run(flags, settingsOf(command).apiKey)));
  return addSetting(command, 'apiKey', 'API key; by default the key in the data file, or a new one');
}

async function run({ port, data, quirks, seed, json }: SandboxFlags, apiKey: string | undefined): Promise<void> {
  if (apiKey?.trim() === '') {
    throw new ConfigurationFailure('The API key is empty.', 'Give --api-key a key, or leave it out.');
  }
  const ended = new Promise<void>(onEndSignal);
  const sandbox = await startEmbeddedTracker({
    port,
    quirks,
    seed,
    ...(data === undefined ? {} : { file: data }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  try {
    const { url, apiKey: api_key } = sandbox;
    process.stdout.write(json ? `${JSON.stringify({ url, api_key })}\n` : welcome(sandbox));
    await ended;
  } finally {
    await sandbox.close();
  }
}

function welcome({ url, apiKey }: Sandbox): string {
  const variables = { TRACKER_URL: url, TRACKER_API_KEY: apiKey };
  return `The embedded tracker is ready. Ctrl+C ends it.

  URL      ${url}
  API key  ${apiKey}

In another terminal:

  ${withVariables(variables, `${typedName()} call list_campaigns`)}
  ${withVariables(variables, typedName())}
`;
}

function readQuirks(list: string): readonly Quirk[] {
  return list.split(',').map((name) => {
    const quirk = quirkNames.find((candidate) => candidate === name.trim());
    if (quirk) return quirk;
    throw new InvalidArgumentError(`The quirks are: ${quirkNames.join(', ')}.`);
  });
}
