import { createHash, createHmac, randomBytes, randomUUID, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Tracker } from '../client/request.ts';
import { Connection, RedisAway, type Run, script } from './connection.ts';
import { shareChanges } from './shared-changes.ts';
import { SharedQueue } from './shared-queue.ts';

export type SharedState = Awaited<ReturnType<typeof openSharedState>>;

/**
 * Opens what replicas share about one tracker. It is open with or without Redis, which is looked for until it is there.
 *
 * @param urls of one Redis, or of some nodes of a cluster
 * @param log gets when Redis is away and when it is back
 */
export async function openSharedState(urls: readonly string[], tracker: Tracker, log: (line: string) => void) {
  const names = await namesFor(tracker);
  const connection = new Connection(urls, `${names.tracker}:probe`, log);
  const queue = new SharedQueue(connection, names.tracker, randomUUID());
  const shared = {
    queue,
    changes: shareChanges(connection, names.account),
    questions: shareQuestions(connection, names.account, tracker.apiKey),
    counts: {
      /** Counts a request of a caller of all replicas, within a time that begins with its first; undefined if Redis is away. */
      count: async (caller: string, windowMs: number) => {
        const key = `${names.account}:calls:${createHash('sha256').update(caller).digest('base64url')}`;
        const counted = (await count(connection.run, [key], [windowMs]).catch(() => undefined)) as number[] | undefined;
        return counted && { requests: counted[0] ?? 0, leftMs: counted[1] ?? 0 };
      },
    },
    /** Why Redis cannot be used; undefined if it can. */
    away: () => connection.away,
    close: async () => {
      await queue.close();
      connection.close();
    },
  };
  await connection.open();
  return shared;
}

/** Part of every key. It goes up with each change of what is stored, which servers of another version must not read. */
const version = 1;

/**
 * The beginnings of the names of keys: for what is about a tracker, and for what belongs to one API key at it. All of a tracker's
 * keys are on one node of a cluster, as a script takes several.
 *
 * The API key cannot be got back from them: it is hashed slowly, as some are short.
 */
async function namesFor({ url, apiKey }: Tracker): Promise<{ readonly tracker: string; readonly account: string }> {
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

/** Remembers that an answer was used, if the secret by which it was signed is still the one there. */
const use = script(`
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end
  if redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[2]) then return 1 end
  return 0
`);

/**
 * What replicas need to take a person's answer to a question that another one asked, once between them.
 *
 * The key has two parts: a random secret in Redis, which the first replica puts there, and the API key, which all of them
 * have. Reading Redis is not enough to sign an answer. And a Redis that lost which answers were used has lost its secret too,
 * so none of them can be used again; a key from the configuration would let them.
 *
 * @param account the beginning of the names of keys
 */
function shareQuestions(connection: Connection, account: string, apiKey: string) {
  const secretName = `${account}:question-secret`;
  let secret: string | undefined;
  const agree = async (run: Run) => {
    await run(secretName, ['SET', secretName, randomBytes(32).toString('base64url'), 'NX']);
    secret = String(await run(secretName, ['GET', secretName]));
  };
  connection.onFound(agree);
  return {
    /**
     * Signs questions.
     *
     * @throws RedisAway if it is not known
     */
    get key(): Uint8Array {
      if (secret === undefined) throw new RedisAway(connection.away ?? 'it was not reached yet');
      return createHmac('sha256', apiKey).update(`state of questions: ${secret}`).digest();
    },
    /**
     * Remembers that a question was answered, between all replicas.
     *
     * @param until when it can no longer be answered, in milliseconds since the epoch
     * @returns whether this is the first answer to it
     */
    take: async (question: string, until: number): Promise<boolean> => {
      const leftMs = Math.max(1, Math.ceil(until - Date.now()));
      // Longer than it can be used by any replica’s clock.
      const given = [secret ?? '', 2 * leftMs];
      const used = await use(connection.run, [secretName, `${account}:answered:${question}`], given);
      // Redis was emptied while it ran; what is asked from now on is signed by the new secret.
      if (used === -1) await agree(connection.run);
      return used === 1;
    },
  };
}
