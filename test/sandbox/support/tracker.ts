import { type ServingOptions, serveTracker } from '../../../src/sandbox/sandbox.ts';
import { Database } from '../../../src/sandbox/store/database.ts';
import { closeAfterTests } from '../../support/closing.ts';

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

/**
 * Starts an embedded tracker with API access enabled, and tables filled by SQL, until the tests of the file are done.
 *
 * @param file a database that it keeps its tables in; without it they are empty, and in memory
 */
export async function startTracker(
  fixture: readonly string[],
  { file, ...options }: ServingOptions & { readonly file?: string } = {},
) {
  const database = await Database.open(file);
  await database.transaction(async (writer) => {
    await writer.execute(`INSERT INTO settings VALUES ('api_key', '${apiKey}'), ('api_enabled', '1')`);
    for (const statement of fixture) await writer.execute(statement);
  });
  const { url, stop } = await serveTracker(database, options);
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= stop().then(() => database.close());
    return closed;
  };
  closeAfterTests(close);
  /** Sends a form to an endpoint with the right key and reads the JSON. */
  const ask = async (path: string, form: Arguments = {}): Promise<WireReply> => {
    const body = new URLSearchParams({ key: apiKey, ...form } as Record<string, string>);
    const response = await fetch(`${url}/api/${path}/`, { method: 'POST', body });
    return (await response.json()) as WireReply;
  };
  return {
    url,
    ask,
    /** Returns the message of a refusal; throws if the request succeeds. */
    refusal: async (path: string, form?: Arguments) => {
      const reply = await ask(path, form);
      if (reply.Status !== 'Error') throw new Error(`${path} succeeded: ${JSON.stringify(reply)}`);
      return String(reply.Message);
    },
    /** Runs a SELECT on the database. */
    stored: (...select: Parameters<typeof database.query>) => database.query(...select),
    close,
  };
}
