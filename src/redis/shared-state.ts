import { createHash, randomUUID, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Queue } from '../client/connection.ts';
import type { Tracker } from '../client/request.ts';
import type { ChangeJournal } from '../guard/changes.ts';
import { Connection, script } from './connection.ts';
import { SharedChanges } from './shared-changes.ts';
import { SharedQuestions } from './shared-questions.ts';
import { SharedQueue } from './shared-queue.ts';

/** What replicas of a server share through Redis. */
export interface SharedState {
  /** For the client of the tracker. */
  readonly queue: Queue;
  readonly changes: ChangeJournal;
  readonly questions: SharedQuestions;
  readonly counts: SharedCounts;
  /** Why Redis cannot be used; undefined if it can. */
  readonly away: () => string | undefined;
  close(): Promise<void>;
}

/**
 * Opens what replicas share about one tracker. It is open with or without Redis, which is looked for until it is there.
 *
 * @param urls of one Redis, or of some nodes of a cluster
 * @param log told when Redis is away and when it is back
 */
export async function openSharedState(
  urls: readonly string[],
  tracker: Tracker,
  log: (line: string) => void,
): Promise<SharedState> {
  const names = await namesFor(tracker);
  const connection = new Connection(urls, `${names.tracker}:probe`, log);
  const queue = new SharedQueue(connection, names.tracker, randomUUID());
  const shared = {
    queue,
    changes: new SharedChanges(connection, names.account),
    questions: new SharedQuestions(connection, names.account, tracker.apiKey),
    counts: new SharedCounts(connection, names.account),
  };
  await connection.open();
  return {
    ...shared,
    away: () => connection.reason,
    close: async () => {
      await queue.close();
      connection.close();
    },
  };
}

/** Where what is shared stands in Redis. Servers of another version that store in another way must not read it: the number goes up. */
const version = 1;

/** The beginnings of the names of keys. */
interface Names {
  /** What is about the tracker, whoever asks it. */
  readonly tracker: string;
  /** What was answered to, or changed by, those with one API key. */
  readonly account: string;
}

/**
 * The names for one tracker and one API key. All of a tracker's keys are on one node of a cluster, as a script takes several.
 *
 * The key cannot be got back from them: it is hashed slowly, as some are short.
 */
async function namesFor({ url, apiKey }: { readonly url: string; readonly apiKey: string }): Promise<Names> {
  const place = createHash('sha256').update(url).digest('base64url').slice(0, 16);
  const account = await promisify<string, string, number, Buffer>(scrypt)(apiKey, `tracker-mcp ${url}`, 12);
  const tracker = `{tracker-mcp:${version}:${place}}`;
  return { tracker, account: `${tracker}:${account.toString('base64url')}` };
}

const count = script(`
  local requests = redis.call('INCR', KEYS[1])
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return {requests, redis.call('PTTL', KEYS[1])}
`);

/** What callers ask of all replicas. */
class SharedCounts {
  readonly #connection: Connection;
  readonly #account: string;

  /** @param account the beginning of the names of keys */
  constructor(connection: Connection, account: string) {
    this.#connection = connection;
    this.#account = account;
  }

  /**
   * Counts a request of a caller within a time that begins with its first.
   *
   * @returns undefined where Redis is away
   */
  async count(caller: string, windowMs: number): Promise<{ requests: number; leftMs: number } | undefined> {
    if (!this.#connection.isThere) return undefined;
    const key = `${this.#account}:calls:${createHash('sha256').update(caller).digest('base64url')}`;
    try {
      const [requests = 0, leftMs = 0] = (await count(this.#connection.run, [key], [windowMs])) as readonly number[];
      return { requests, leftMs };
    } catch {
      return undefined;
    }
  }
}
