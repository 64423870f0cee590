import { homedir } from 'node:os';
import { Argument, type Command } from 'commander';
import { Failure } from '../../api/failure.ts';
import { ConfigurationFailure, type Flags } from '../../config.ts';
import { checkTrackers } from '../check.ts';
import { addSettings, configure, guarded, newCommand, settingsOf } from '../command-line.ts';
import { commandLinePath, tell } from '../process.ts';
import { askYes, canAsk } from '../terminal/ask.ts';
import { applyChange, changedLines, type FileChange, readIfThere, writePrivate } from './change-file.ts';
import { type Client, clients, fileOf, findClients, type System } from './clients.ts';
import { findEntry } from './edit-entry.ts';
import { completeSettings, keyFileOf } from './own-tracker.ts';
import { locationOf, type ServerEntry, serverEntry } from './server-entry.ts';

interface Options {
  readonly name: string;
  readonly yes?: true;
  readonly withKey?: true;
}

const examples = `
Without a tracker in the settings it asks for one, and for its API key. The key is kept in a file that only you can
read, and the entry names that file. The settings that are given here, as flags or variables, go into the entry.

Examples:
  tracker-mcp install
  tracker-mcp install --sandbox
  tracker-mcp install cursor --read-only`;

/** `tracker-mcp install`: the entry that starts this server, in the settings of chat programs. */
export function installCommand(): Command {
  const command = withClient(newCommand('tracker-mcp install'))
    .description(
      'Enters this server into the settings of chat programs: of one, or of all that are found. It checks the tracker first.',
    )
    .option('--with-key', 'write the API key itself into the entry')
    .action((id: string | undefined, options: Options) => guarded(() => install(id, options, settingsOf(command))));
  return addSettings(command).addHelpText('after', examples);
}

/** `tracker-mcp uninstall`: takes the entry out again. */
export function uninstallCommand(): Command {
  return withClient(newCommand('tracker-mcp uninstall'))
    .description('Takes this server out of the settings of chat programs: of one, or of all that are found.')
    .addHelpText('after', '\nExample:\n  tracker-mcp uninstall cursor')
    .action((id: string | undefined, options: Options) => guarded(async () => void (await change(id, options, {}))));
}

function withClient(command: Command): Command {
  return command
    .addArgument(
      new Argument('[client]', 'the program; without it every one that is found').choices(clients.map(({ id }) => id)),
    )
    .option('--name <name>', 'what the server is called there', 'tracker')
    .option('--yes', 'do it without asking');
}

async function install(id: string | undefined, options: Options, given: Flags): Promise<void> {
  const { name, yes = false, withKey = false } = options;
  const { flags, environment } = await completeSettings(given, process.env, yes);
  const configuration = await configure(flags, environment);
  const location = locationOf(configuration);
  const { command, args, env } = serverEntry(location, flags, environment, withKey ? 'written' : 'left-out');
  const [{ config }] = configuration.trackers;
  const isElsewhere = 'TRACKER_API_KEY_FILE' in env || 'TRACKER_KEY_COMMAND' in env;
  const key =
    config.tracker === 'sandbox' || location === 'file' || withKey || isElsewhere
      ? undefined
      : { file: keyFileOf(system(), name, config.tracker.url), text: `${config.tracker.apiKey}\n` };
  if (location !== 'sandbox' && (yes || canAsk())) {
    const isReached = (await checkTrackers(configuration)) === 0;
    say(isReached ? '' : '\nThe tracker cannot be used like this. The entry can be written all the same.\n');
  }
  const entry = { command, args, env: key ? { ...env, TRACKER_API_KEY_FILE: key.file } : env };
  const isWritten = await change(id, options, { entry, key });
  if (isWritten && location === 'url' && !config.readOnly) {
    say('This server can change the tracker. To have it look only, install it again with --read-only.');
  }
}

interface Wanted {
  /** Absent: the entry goes out. */
  readonly entry?: ServerEntry;
  /** The key that the entry names the file of. */
  readonly key?: { readonly file: string; readonly text: string } | undefined;
}

/**
 * Shows what would change, asks, and changes it. What cannot be changed costs the other programs nothing.
 *
 * @returns whether any program was changed
 */
async function change(id: string | undefined, { name, yes }: Options, { entry, key }: Wanted): Promise<boolean> {
  const chosen = id === undefined ? await findClients(system()) : clients.filter((client) => client.id === id);
  if (chosen.length === 0) {
    throw new Failure(
      `No chat program is found that this server could be entered into; known are ${clients.map(({ title }) => title).join(', ')}.`,
      'Name one to write its settings all the same.',
    );
  }
  const changes: FileChange[] = [];
  for (const client of chosen) {
    const planned = await attempt(() => plan(client, name, entry && client.entry(entry)));
    if (planned === undefined) continue;
    if (typeof planned === 'string') say(planned);
    else {
      changes.push(planned);
      say(`${planned.title}: ${planned.file}\n${changedLines(planned)}\n`);
    }
  }
  const newKey = key && (await readIfThere(key.file)) !== key.text ? key : undefined;
  if (newKey) say(`The API key goes into a file that only you can read: ${newKey.file}\n`);
  const count = changes.length + (newKey ? 1 : 0);
  if (count === 0 || (newKey && changes.length === 0 && process.exitCode)) return false;
  if (!yes) {
    if (!canAsk()) {
      throw new ConfigurationFailure('Nobody can be asked here, so nothing was changed.', 'Add --yes to change it.');
    }
    if (!(await askYes(`Write ${count === 1 ? 'this file' : `these ${count} files`}?`))) {
      say('Nothing was changed.');
      return false;
    }
  }
  if (newKey) await writePrivate(newKey.file, newKey.text);
  const written: string[] = [];
  for (const one of changes) {
    const done = await attempt(async () => ({ backup: await applyChange(one, new Date()) }));
    if (!done) continue;
    written.push(one.title);
    say(`${one.title}: done.${done.backup === undefined ? '' : ` The file as it was: ${done.backup}`}`);
  }
  if (written.length > 0) say(`Restart ${written.join(', ')} to have it take effect.`);
  return written.length > 0;
}

/** Does one of several things; what it cannot do is told, and makes the exit code 1. */
async function attempt<Done>(act: () => Promise<Done>): Promise<Done | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    tell(error.message);
    process.exitCode = 1;
    return undefined;
  }
}

function system(): System {
  return { platform: process.platform, home: homedir(), environment: process.env };
}

/** The change of one client's file, or why there is none. */
async function plan(
  client: Client,
  name: string,
  entry: Readonly<Record<string, unknown>> | undefined,
): Promise<FileChange | string> {
  const { title } = client;
  const file = await fileOf(client, system());
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

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
