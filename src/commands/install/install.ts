import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Argument, type Command } from 'commander';
import { Failure } from '../../api/failure.ts';
import { ConfigurationFailure, type Flags } from '../../config.ts';
import { addSettings, configure, guarded, newCommand, settingsOf } from '../command-line.ts';
import { commandLinePath } from '../typed-name.ts';
import { applyChange, changedLines, type FileChange, readIfThere } from './change-file.ts';
import { type Client, clients, fileOf, findClients, type System } from './clients.ts';
import { findEntry } from './edit-entry.ts';
import { locationOf, type ServerEntry, serverEntry } from './server-entry.ts';

interface Options {
  readonly name: string;
  readonly yes?: true;
  readonly withKey?: true;
}

const examples = `
The settings that are given here, as flags or variables, go into the entry. The API key does not: put it into a file
that only you can read and name that in TRACKER_API_KEY_FILE, or use --with-key.

Examples:
  tracker-mcp install --sandbox
  TRACKER_API_KEY_FILE=~/.tracker-key tracker-mcp install cursor --url https://tracker.example.com --read-only`;

/** `tracker-mcp install`: the entry that starts this server, in the settings of chat programs. */
export function installCommand(): Command {
  const command = withClient(newCommand('tracker-mcp install'))
    .description('Enters this server into the settings of chat programs: of one, or of all that are found.')
    .option('--with-key', 'write the API key itself into the entry')
    .action((id: string | undefined, options: Options) =>
      guarded(async () => {
        const entry = await entryOf(settingsOf(command), options);
        await change(id, options, (client) => client.entry(entry));
      }),
    );
  return addSettings(command).addHelpText('after', examples);
}

/** `tracker-mcp uninstall`: takes the entry out again. */
export function uninstallCommand(): Command {
  return withClient(newCommand('tracker-mcp uninstall'))
    .description('Takes this server out of the settings of chat programs: of one, or of all that are found.')
    .addHelpText('after', '\nExample:\n  tracker-mcp uninstall cursor')
    .action((id: string | undefined, options: Options) => guarded(() => change(id, options, () => undefined)));
}

function withClient(command: Command): Command {
  return command
    .addArgument(
      new Argument('[client]', 'the program; without it every one that is found').choices(clients.map(({ id }) => id)),
    )
    .option('--name <name>', 'what the server is called there', 'tracker')
    .option('--yes', 'do it without asking');
}

/**
 * @throws ConfigurationFailure where the entry could not reach the tracker, since the key is nowhere in it
 */
async function entryOf(flags: Flags, { withKey }: Options): Promise<ServerEntry> {
  const location = locationOf(await configure(flags));
  const entry = serverEntry(location, flags, process.env, withKey ? 'written' : 'left-out');
  const hasKey = withKey || entry.env['TRACKER_API_KEY_FILE'] || entry.env['TRACKER_KEY_COMMAND'];
  if (location === 'url' && !hasKey) {
    throw new ConfigurationFailure(
      'The entry would hold no API key.',
      'Put the key into a file that only you can read and name it in TRACKER_API_KEY_FILE, or add --with-key to write it into the settings of the client.',
    );
  }
  return entry;
}

type EntryFor = (client: Client) => Readonly<Record<string, unknown>> | undefined;

/** Shows what would change, asks, and changes it. */
async function change(id: string | undefined, { name, yes }: Options, entryFor: EntryFor): Promise<void> {
  const system: System = { platform: process.platform, home: homedir(), environment: process.env };
  const chosen = id === undefined ? await findClients(system) : clients.filter((client) => client.id === id);
  if (chosen.length === 0) {
    throw new Failure(
      `No chat program is found that this server could be entered into; known are ${clients.map(({ title }) => title).join(', ')}.`,
      'Name one to write its settings all the same.',
    );
  }
  const changes: FileChange[] = [];
  for (const client of chosen) {
    const planned = await plan(client, name, system, entryFor(client));
    if (typeof planned === 'string') say(planned);
    else {
      changes.push(planned);
      say(`${planned.title}: ${planned.file}\n${changedLines(planned)}\n`);
    }
  }
  if (changes.length === 0) return;
  if (!yes && !(await isAgreed(changes.length))) return say('Nothing was changed.');
  for (const one of changes) {
    const backup = await applyChange(one, new Date());
    say(`${one.title}: done.${backup === undefined ? '' : ` The file as it was: ${backup}`}`);
  }
  say('Restart the programs to have it take effect.');
}

/** The change of one client's file, or why there is none. */
async function plan(
  client: Client,
  name: string,
  system: System,
  entry: Readonly<Record<string, unknown>> | undefined,
): Promise<FileChange | string> {
  const { title } = client;
  const file = await fileOf(client, system);
  const before = await readIfThere(file);
  const found = findEntry(client, before ?? '', name, file);
  if (entry === undefined && found.value === undefined) return `${title}: there is no entry ${name}.`;
  if (JSON.stringify(found.value) === JSON.stringify(entry)) return `${title}: the entry ${name} is there already.`;
  if (found.value !== undefined && !isOurs(found.value)) {
    throw new Failure(
      `${title} has an entry ${name} that starts another program: ${file}.`,
      entry === undefined ? 'Name yours with --name.' : 'Choose another name with --name.',
    );
  }
  return { title, file, before, after: found.write(entry) };
}

/** Whether an entry starts this server, from this place or from another. */
function isOurs(entry: unknown): boolean {
  const text = JSON.stringify(entry);
  return text.includes('tracker-mcp') || text.includes(JSON.stringify(commandLinePath()));
}

/**
 * @throws ConfigurationFailure where there is nobody to ask
 */
async function isAgreed(count: number): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new ConfigurationFailure('Nobody can be asked here, so nothing was changed.', 'Add --yes to change it.');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`Write ${count === 1 ? 'this' : `these ${count} files`}? [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
