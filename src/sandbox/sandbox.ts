import { randomBytes } from 'node:crypto';
import { Failure } from '../api/failure.ts';
import { loadSampleData } from './sample-data/load-sample-data.ts';
import { type ServingOptions, serveTracker } from './serve-tracker.ts';
import { Database } from './store/database.ts';

export interface SandboxOptions extends ServingOptions {
  /** The file that keeps the data; without it the data ends with the process. */
  readonly file?: string;
  /** The API key, which is stored; null: none is defined. Without it the stored one, else a new one. */
  readonly apiKey?: string | null;
  /** Whether API access is enabled in the general settings. Without it as stored; giving or making a key enables it. */
  readonly apiEnabled?: boolean;
  /** Whether to fill the database with sample data; by default when it holds no campaign. */
  readonly sampleData?: boolean;
  /** The same seed on the same day gives the same sample data. */
  readonly seed?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** An embedded tracker that is serving. */
export interface Sandbox {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  /** Empty when none is defined. */
  readonly apiKey: string;
  /** Finishes the requests under way, then closes the database. */
  close(): Promise<void>;
}

/** Starts the embedded tracker on 127.0.0.1. Throws a Failure if the port or the file cannot be used. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const database = await openDatabase(options.file);
  try {
    await fill(database, options);
    const apiKey = await settleAccess(database, options);
    const { url, stop } = await serveTracker(database, options);
    return {
      url,
      apiKey,
      close: async () => {
        try {
          await stop();
        } finally {
          await database.close();
        }
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openDatabase(file: string | undefined): Promise<Database> {
  try {
    return await Database.open(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!/lock/i.test(reason)) throw new Failure(`The data file ${file} cannot be opened: ${reason}`);
    throw new Failure(`The data file ${file} is in use by another process.`, 'One tracker at a time works on a file.');
  }
}

async function fill(database: Database, { sampleData, seed = 1, now, onProgress }: SandboxOptions): Promise<void> {
  const [first] = await database.query('SELECT id FROM campaigns LIMIT 1');
  if (first && sampleData) {
    throw new Failure('The data file already holds campaigns.', 'Sample data goes only into an empty one.');
  }
  if (first || sampleData === false) return;
  await loadSampleData(database, { seed, now: now?.() ?? new Date(), ...(onProgress && { onProgress }) });
}

/** Stores the two settings of API access as the options ask. Returns the key, empty if none is defined. */
async function settleAccess(database: Database, { apiKey, apiEnabled }: SandboxOptions): Promise<string> {
  return database.transaction(async (writer) => {
    const set = (name: string, value: string) =>
      writer.execute('INSERT OR REPLACE INTO settings VALUES ($name, $value)', { name, value });
    const [stored] = await writer.query("SELECT value FROM settings WHERE name = 'api_key' AND value <> ''");
    const newKey = apiKey === undefined && !stored ? randomBytes(16).toString('hex') : apiKey;
    if (newKey !== undefined) await set('api_key', newKey ?? '');
    const enabled = apiEnabled ?? (newKey ? true : undefined);
    if (enabled !== undefined) await set('api_enabled', enabled ? '1' : '0');
    return newKey === undefined ? String(stored?.['value']) : (newKey ?? '');
  });
}
