import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '../api/failure.ts';
import { findFile, whyNot } from '../files/at-path.ts';
import { giveToFolderOwner } from '../files/write-file.ts';
import { answerRequest } from './api/routes.ts';
import { insertSetup, insertVisits, loadSampleData } from './sample-data/load-sample-data.ts';
import { Database } from './store/database.ts';
import { send } from './traffic/http.ts';
import { openTraffic } from './traffic/traffic.ts';
import { type Quirk, styleWith } from './wire.ts';

export interface ServingOptions {
  /** The port on 127.0.0.1; 0, the default, is any free one. */
  readonly port?: number;
  readonly now?: () => Date;
  /** How the wire differs from the tracker's own. */
  readonly quirks?: readonly Quirk[];
}

export interface SandboxOptions extends ServingOptions {
  /** The file that keeps the data; without it the data ends with the process. */
  readonly file?: string;
  /** Replaces the stored API key. Without it the stored one is used, or a new one is made. */
  readonly apiKey?: string;
  /** false: an empty database is not filled with sample data. */
  readonly sampleData?: false;
  /** The same seed on the same day gives the same sample data. */
  readonly seed?: number;
  /** Whether the sample visits are made only once they are needed; in a file they are always made at once. */
  readonly isLazy?: boolean;
}

export interface Sandbox {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  readonly apiKey: string;
  /** Finishes the requests under way, then closes the database. */
  close(): Promise<void>;
}

/** Starts the embedded tracker on 127.0.0.1. Throws a Failure if the port or the file cannot be used. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const database = await openDatabase(options.file);
  try {
    const makeVisits = await fill(database, options);
    const apiKey = await chooseApiKey(database, options.apiKey);
    const { url, stop } = await serveTracker(database, options, makeVisits);
    return { url, apiKey, close: () => stop().finally(() => database.close()) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openDatabase(file: string | undefined): Promise<Database> {
  const found = await (file === undefined ? undefined : findFile(file))?.catch((error: unknown) => {
    throw new Failure(`The data file ${file} cannot be opened (${whyNot(error)}).`);
  });
  try {
    const database = await Database.open(found?.path);
    if (found && !found.about) await giveToFolderOwner(found.path);
    return database;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!/lock/i.test(reason)) throw new Failure(`The data file ${file} cannot be opened: ${reason}`);
    throw new Failure(
      `The data file ${file} is in use by another process.`,
      'Only one tracker at a time can use a file.',
    );
  }
}

/**
 * Fills an empty database with sample data.
 * @returns what makes the visits that were not made yet
 */
async function fill(
  database: Database,
  { file, sampleData, seed = 1, now = () => new Date(), isLazy }: SandboxOptions,
): Promise<() => Promise<void>> {
  const nothing = async () => undefined;
  const campaigns = await database.query('SELECT id FROM campaigns LIMIT 1');
  if (campaigns.length > 0 || sampleData === false) return nothing;
  const wanted = () => ({ seed, now: now() });
  if (file !== undefined || !isLazy) {
    await loadSampleData(database, wanted());
    return nothing;
  }
  await database.transaction(insertSetup);
  return () => database.transaction((writer) => insertVisits(writer, wanted()), 'traffic');
}

/** Returns the given key, otherwise the stored one, otherwise a new one. A given or new key is stored and enabled. */
async function chooseApiKey(database: Database, given: string | undefined): Promise<string> {
  const [stored] = await database.query("SELECT value FROM settings WHERE name = 'api_key' AND value <> ''");
  if (given === undefined && stored) return String(stored['value']);
  const key = given ?? randomBytes(16).toString('hex');
  await database.transaction((writer) =>
    writer.execute("INSERT OR REPLACE INTO settings VALUES ('api_key', $key), ('api_enabled', '1')", { key }),
  );
  return key;
}

/**
 * Serves a tracker's database over HTTP on 127.0.0.1: the API and live traffic. `stop` answers the requests under way, and
 * commits everything that visitors did. Throws a Failure if the port cannot be used.
 */
export async function serveTracker(
  database: Database,
  { port = 0, now = () => new Date(), quirks = [] }: ServingOptions,
  makeVisits?: () => Promise<void>,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const style = styleWith(quirks);
  const { serve, flush, close } = openTraffic(database, now, makeVisits);
  let url = '';
  const environment = { database, style, context: () => ({ now: now(), baseUrl: url }), flush };
  const server = createServer((request, response) => {
    if (!serve(request, response)) void answerRequest(request, environment).then((answer) => send(response, answer));
  });
  const address = await listen(server, port);
  url = `http://127.0.0.1:${address.port}`;
  return { url, stop: () => stop(server).then(close) };
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listeningFailure(error, port)));
    server.listen(port, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

export function listeningFailure(error: NodeJS.ErrnoException, port: number): Failure {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'is in use',
    EACCES: 'may not be used: the system reserves it for privileged processes',
  };
  const reason = reasons[error.code ?? ''] ?? `cannot be used: ${error.message}`;
  return new Failure(`Port ${port} ${reason}.`, 'Choose another with --port, or 0 for a free one.');
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    // A keep-alive connection becomes idle only after its answer, and would hold the closed server open until it times out.
    const closing = setInterval(() => server.closeIdleConnections(), 10);
    server.close((error) => {
      clearInterval(closing);
      error ? reject(error) : resolve();
    });
    server.closeIdleConnections();
  });
}
