import { type ServingOptions, serveTracker } from '../../../src/sandbox/sandbox.ts';
import { Database, type Row } from '../../../src/sandbox/store/database.ts';

export const apiKey = 'the-key-of-the-tests';

export type Arguments = Readonly<Record<string, string | number>>;

/** The parts of a JSON reply that tests look at. */
export interface WireReply {
  readonly Status: string;
  readonly Message?: string;
  readonly ID?: string;
  readonly Rows?: readonly Readonly<Record<string, string>>[];
  readonly Reports?: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
  readonly Groups?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Reads a row or group from a text such as `Views=6 Clicks=4`. */
export function rowOf(text: string): Readonly<Record<string, string>> {
  // A value ends at the next name.
  const fields = text.matchAll(/(\S+?)=(.*?)(?=\s+[^\s=]+=|\s*$)/gs);
  return Object.fromEntries([...fields].map(([, name, value]) => [name, value]));
}

export interface Tracker {
  readonly url: string;
  /** Sends a form to an endpoint with the right key and reads the JSON. */
  ask(path: string, form?: Arguments): Promise<WireReply>;
  /** Returns the message of a refusal; throws if the request succeeds. */
  refusal(path: string, form?: Arguments): Promise<string>;
  /** Runs a SELECT on the database. */
  stored(sql: string): Promise<Row[]>;
  close(): Promise<void>;
}

/**
 * Starts an embedded tracker with API access enabled.
 *
 * @param fixture SQL that fills the tables
 */
export async function startTracker(fixture: readonly string[], options: ServingOptions = {}): Promise<Tracker> {
  const database = await Database.open();
  await database.transaction(async (writer) => {
    await writer.execute(`INSERT INTO settings VALUES ('api_key', '${apiKey}'), ('api_enabled', '1')`);
    for (const statement of fixture) await writer.execute(statement);
  });
  const { url, stop } = await serveTracker(database, options);
  const ask = async (path: string, form: Arguments = {}): Promise<WireReply> => {
    const body = new URLSearchParams({ key: apiKey, ...form } as Record<string, string>);
    const response = await fetch(`${url}/api/${path}/`, { method: 'POST', body });
    return (await response.json()) as WireReply;
  };
  return {
    url,
    ask,
    refusal: async (path, form) => {
      const reply = await ask(path, form);
      if (reply.Status !== 'Error') throw new Error(`${path} succeeded: ${JSON.stringify(reply)}`);
      return String(reply.Message);
    },
    stored: (sql) => database.query(sql),
    close: async () => {
      await stop();
      await database.close();
    },
  };
}
