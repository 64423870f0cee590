import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import { type GivenSettings, isSet } from '../../config/read-settings.ts';
import { ConfigurationFailure, type Flags, readConfiguration, readGiven } from '../../config.ts';
import { checkTrackers } from '../check.ts';
import { addSettings, configure, newCommand, reportFailures, settingsOf } from '../command-line.ts';
import { commandLinePath, print, printSentences, printToStderr } from '../process.ts';
import { askYes, canAsk } from '../terminal/ask.ts';
import { ownPath, thisSystem } from '../user-folders.ts';
import { applyChange, changedLines, type FileChange, findEntry, readIfThere } from './client-file.ts';
import { type Client, clientsOn } from './clients.ts';
import { forget } from './forget.ts';
import { type Answers, askAgain, askForLimits, askForTracker, keyVariables } from './interview.ts';
import { askForRemote, type RemoteServer, serverUrl } from './remote-server.ts';
import { type ServerEntry, serverEntry } from './server-entry.ts';
import { readStored, storing } from './stored-tracker.ts';

interface Options {
  readonly name: string;
  readonly yes?: true;
  readonly withKey?: true;
  readonly forget?: true;
  readonly urlOfServer?: string;
}

const examples = `
Without a tracker in the settings it asks for one, and for its API key. The key is kept in a file that only you can
read, and the entry names that file. The settings that are given here, as flags or variables, go into the entry.
check, call and review know the tracker at a terminal then.

With --url-of-server the programs use a server for a team instead. It asks for your token, or reads it from standard
input, and writes it into the entry; without one the programs sign in by OAuth.

Examples:
  tracker-mcp install
  tracker-mcp install --sandbox
  tracker-mcp install cursor --read-only
  tracker-mcp install cursor --url-of-server https://mcp.example.com/mcp`;

export function installCommand(): Command {
  const command = withClient(newCommand('tracker-mcp install'))
    .description(
      'Adds this server to the settings of one chat program, or of all that are found. It checks the tracker first.',
    )
    .option('--with-key', 'write the API key itself into the entry')
    .action((id: string | undefined, options: Options) =>
      reportFailures(() =>
        options.urlOfServer === undefined
          ? install(id, options, settingsOf(command))
          : installRemote(id, options, options.urlOfServer, settingsOf(command)),
      ),
    );
  return addSettings(command).addHelpText('after', examples);
}

export function uninstallCommand(): Command {
  return withClient(newCommand('tracker-mcp uninstall'))
    .description('Removes this server from the settings of one chat program, or of all that are found.')
    .option('--forget', 'also delete what was kept: changes, proposals, past days, stored trackers and keys, backups')
    .addHelpText('after', '\nExample:\n  tracker-mcp uninstall cursor')
    .action((id: string | undefined, options: Options) => reportFailures(() => uninstall(id, options)));
}

function withClient(command: Command): Command {
  const ids = clientsOn(thisSystem()).map(({ id }) => id);
  return command
    .addArgument(new Argument('[client]', 'the program; by default all that are found').choices(ids))
    .option('--name <name>', 'name of the server in the program', 'tracker')
    .option('--url-of-server <url>', 'the address of a server for a team, for which the entry is', serverUrl)
    .option('--yes', 'do it without asking');
}

/** Enters a server over HTTP, which has its tracker and limits itself. */
async function installRemote(id: string | undefined, options: Options, url: string, given: Flags): Promise<void> {
  const [setting] = Object.keys(given);
  if (setting !== undefined || options.withKey) {
    throw new ConfigurationFailure(
      'The server at --url-of-server has its own settings, and an entry for it takes none.',
      'Give a setting or --url-of-server.',
    );
  }
  const found = findClients(id);
  for (const { title, noRemote } of found) if (noRemote) printSentences(`${title}: ${noRemote}\n`);
  const clients = found.filter(({ noRemote }) => noRemote === undefined);
  if (clients.length === 0)
    throw new Failure('There is no program whose settings can hold it.', 'Nothing was changed.');
  await change(clients, options, await askForRemote(url));
}

async function install(id: string | undefined, options: Options, given: Flags): Promise<void> {
  const { name, yes = false, withKey = false } = options;
  const clients = findClients(id);
  if (id === undefined) sayNotFound(clients);
  warnOfCache();
  const { configuration, answers, isUsable } = await settle(clients, name, given, yes);
  const { flags, environment } = answers;
  const [{ name: nameInFile, config }] = configuration.trackers;
  /** Undefined with a configuration file, which has the trackers. */
  const tracker = nameInFile === undefined ? config.tracker : undefined;
  const entry = serverEntry(configuration, flags, environment, withKey ? 'written' : 'left-out');
  const hasKey = keyVariables.some((variable) => variable in entry.env);
  const key = typeof tracker === 'object' && !hasKey ? await keyChange(name, tracker) : undefined;
  const env = key ? { ...entry.env, TRACKER_API_KEY_FILE: key.file } : entry.env;
  const isKeyKept = key?.before !== undefined && key.before !== key.after && !isUsable;
  if (isKeyKept) {
    printToStderr(`the key in ${key.file} stays: one that failed the check does not replace it.`);
    process.exitCode = 1;
  }
  // With a key in the entry there is no file that the terminal could read.
  const isStored = typeof tracker === 'object' && isUsable && !withKey;
  const stored = isStored ? await storing(name, readGiven(flags, environment), key?.file) : undefined;
  const written = await change(clients, options, { ...entry, env }, [
    ...(key && !isKeyKept ? [key] : []),
    ...(stored ? [stored] : []),
  ]);
  if (written.length === 0) return;
  if (!isUsable) {
    throw new Failure(
      'The entry is written, but the check of the tracker failed, so the server cannot work yet.',
      'Correct what FAIL says above, and install again.',
    );
  }
  if (typeof tracker === 'object' && !config.readOnly) {
    printSentences('This server can change the tracker. To have it look only, install it again with --read-only.');
  }
}

/** The settings of the entry, from flags, variables and a person’s answers, and whether the tracker can be used with them. */
async function settle(clients: readonly Client[], name: string, given: Flags, isSilent: boolean) {
  const answers: Answers = { flags: given, environment: process.env };
  const stored = await readStored(name);
  const offered = (await settingsInEntry(clients, name)) ?? stored;
  if (canAsk()) await askForTracker(answers, offered);
  let configuration = await configure(answers.flags, answers.environment);
  const [{ name: nameInFile, config }] = configuration.trackers;
  if (config.tracker === 'sandbox' || !(isSilent || canAsk())) return { configuration, answers, isUsable: true };
  const asks = canAsk() && !isSilent && nameInFile === undefined;
  let result = await checkTrackers(configuration);
  while (result.exitCode !== 0 && asks && (await askAgain(answers, result.rightUrl))) {
    configuration = await configure(answers.flags, answers.environment);
    result = await checkTrackers(configuration);
  }
  const isUsable = result.exitCode === 0;
  print(isUsable ? '' : '\nThe tracker cannot be used like this. The entry can still be written.\n');
  if (asks) {
    await askForLimits(answers, offered);
    configuration = await readConfiguration(answers.flags, answers.environment);
  }
  return { configuration, answers, isUsable };
}

/** The variables of an entry, by the name that a client has for them. */
const entryVariables = z.object({
  env: z.record(z.string(), z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
});

/** The settings of the first entry of a tracker; a person may have edited it since. */
async function settingsInEntry(clients: readonly Client[], name: string): Promise<GivenSettings | undefined> {
  for (const client of clients) {
    // A file that cannot be read is told when it should be written.
    const { value } = await readEntry(client, name).catch(() => ({ value: undefined }));
    const { data } = entryVariables.safeParse(value);
    const given = data && startsThisServer(value) ? readGiven({}, { ...data.env, ...data.environment }) : {};
    if (isSet(given.url)) return given;
  }
  return undefined;
}

/** A path that npm deletes would stop the server one day. */
function warnOfCache(): void {
  if (!/[\\/]_npx[\\/]/.test(commandLinePath())) return;
  printToStderr(
    `this program runs from the cache of npx (${commandLinePath()}), which npm clears now and then: the entry would stop working. ` +
      'Install it first with npm install -g, and run install from there.',
  );
}

async function uninstall(id: string | undefined, options: Options): Promise<void> {
  // What was kept can be deleted after the programs are gone.
  const written = options.forget && clientsNamed(id).length === 0 ? [] : await change(findClients(id), options);
  if (options.forget) return forget(options.yes === true);
  for (const file of new Set(written.flatMap(({ oldEntry }) => keyFileIn(oldEntry) ?? []))) {
    if (existsSync(file)) printSentences(`The API key stays in ${file}. Delete the file if nothing else uses it.`);
  }
}

/** The key file that an entry names. Clients call its variables differently, so the variable is looked for in the whole text. */
function keyFileIn(entry: unknown): string | undefined {
  const [text] = /(?<="TRACKER_API_KEY_FILE":)"(?:[^"\\]|\\.)*"/.exec(JSON.stringify(entry) ?? '') ?? [];
  return text && JSON.parse(text);
}

/** The key file of an entry. Each URL and each name of an entry has its own. */
async function keyChange(name: string, { url, apiKey }: { readonly url: string; readonly apiKey: string }) {
  const { host, href } = new URL(url);
  const plain = `${name}-${host}`.replace(/[^\w.-]+/g, '-').toLowerCase();
  // Two trackers on one host have different paths.
  const suffix = createHash('sha256').update(`${name} ${href}`).digest('hex').slice(0, 6);
  const file = ownPath('config', 'keys', `${plain}-${suffix}`);
  const what = 'The API key goes into a file that only you can read';
  return { what, file, before: await readIfThere(file), after: `${apiKey}\n`, isSecret: true };
}

/**
 * Shows what would change, asks, and writes it. A file that cannot be changed does not stop the others.
 *
 * @param entry absent to remove the entry
 * @param own files of this program, which are written first
 * @returns the changes that were written
 */
async function change(
  clients: readonly Client[],
  { name, yes, urlOfServer }: Options,
  entry?: ServerEntry | RemoteServer,
  own: readonly (FileChange & { readonly what: string })[] = [],
) {
  const changes = await forEach(clients, (client) => planChange(client, { name, url: urlOfServer }, entry));
  const changed = own.filter(({ before, after }) => before !== after);
  for (const { what, file } of changed) print(`${what}: ${file}\n`);
  const count = changes.length + changed.length;
  if (count === 0 || (changes.length === 0 && process.exitCode)) return [];
  if (!yes && !canAsk()) {
    throw new ConfigurationFailure('No one can be asked here, so nothing was changed.', 'Add --yes to change it.');
  }
  if (!yes && !(await askYes(`Write ${count === 1 ? 'this file' : `these ${count} files`}?`))) {
    print('Nothing was changed.');
    return [];
  }
  for (const one of changed) await applyChange(one);
  const written = await forEach(changes, async (one) => {
    const copy = await applyChange(one);
    print(`${one.title}: done.${copy === undefined ? '' : ` The file as it was: ${copy}`}`);
    return one;
  });
  if (written.length > 0) printSentences(`Restart ${titlesOf(written)} to have it take effect.`);
  for (const { title, needs } of entry ? written : []) if (needs) printSentences(`${title}: ${needs}`);
  return written;
}

const titlesOf = (clients: readonly Pick<Client, 'title'>[]) => clients.map(({ title }) => title).join(', ');

const clientsNamed = (id: string | undefined) =>
  clientsOn(thisSystem()).filter(({ id: own, traces }) => (id === undefined ? traces.some(existsSync) : own === id));

/**
 * The program that is named, or all that are found.
 *
 * @throws Failure if there is none
 */
function findClients(id: string | undefined): readonly Client[] {
  const found = clientsNamed(id);
  if (found.length > 0) return found;
  throw new Failure(
    `No chat program is found that this server could be entered into; known are ${titlesOf(clientsOn(thisSystem()))}.`,
    'Name one to write its settings anyway.',
  );
}

function sayNotFound(found: readonly Client[]): void {
  const missing = clientsOn(thisSystem()).filter(({ id }) => !found.some((client) => client.id === id));
  printSentences(
    `Found: ${titlesOf(found)}.${missing.length === 0 ? '' : ` Looked for and not found: ${titlesOf(missing)}.`}\n`,
  );
}

/** Collects the results of an action on each item. A Failure is reported on stderr, and sets the exit code to 1. */
async function forEach<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result | undefined>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    try {
      const result = await act(item);
      if (result !== undefined) results.push(result);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      printToStderr(error.message);
      process.exitCode = 1;
    }
  }
  return results;
}

async function readEntry(client: Client, name: string) {
  const file = client.files.find(existsSync) ?? client.files[0];
  const before = await readIfThere(file);
  return { file, before, ...findEntry(client, before ?? '', name, file) };
}

/** Shows the change of one client’s file; undefined if there is nothing to change. */
async function planChange(
  client: Client,
  { name, url }: { readonly name: string; readonly url: string | undefined },
  server: ServerEntry | RemoteServer | undefined,
) {
  const { title, needs } = client;
  const entry = server && ('url' in server ? client.remoteEntry(server) : client.entry(server));
  const { file, before, value: oldEntry, write } = await readEntry(client, name);
  if (JSON.stringify(oldEntry) === JSON.stringify(entry)) {
    print(`${title}: ${entry === undefined ? `there is no entry ${name}` : `the entry ${name} is there already`}.`);
    return undefined;
  }
  if (oldEntry !== undefined && !startsThisServer(oldEntry) && !namesUrl(oldEntry, url)) {
    throw new Failure(
      `${title} has an entry ${name} that starts another program: ${file}.`,
      'Use a different --name. If it is for a server over HTTP, give its address with --url-of-server.',
    );
  }
  const after = write(entry);
  print(`${title}: ${file}\n${changedLines(before, after)}\n`);
  return { title, needs, file, before, after, oldEntry };
}

const namesUrl = (entry: unknown, url: string | undefined) =>
  url !== undefined && Object.values(z.record(z.string(), z.unknown()).catch({}).parse(entry)).includes(url);

/** Whether an entry starts this program, from here or from another folder. */
function startsThisServer(entry: unknown): boolean {
  const text = JSON.stringify(entry);
  return text.includes('tracker-mcp') || text.includes(JSON.stringify(commandLinePath()));
}
