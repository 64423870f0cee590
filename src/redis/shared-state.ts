import { createHash, createHmac, randomBytes, randomUUID, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Tracker } from '../client/request.ts';
import { Connection, RedisAway, type Run, script } from './connection.ts';
import { shareChanges } from './shared-changes.ts';
import { SharedQueue } from './shared-queue.ts';

/**
 * Opens what replicas share for one tracker. It opens without Redis too, and keeps trying to reach it.
 *
 * @param urls one Redis, or some nodes of a cluster
 * @param log gets a line when Redis is away and when it is back
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
      /** Counts a caller's requests over all replicas, in a window that starts with the first; undefined if Redis is away. */
      count: async (caller: string, windowMs: number) => {
        const key = `${names.account}:calls:${createHash('sha256').update(caller).digest('base64url')}`;
        const counted = (await count(connection.run, [key], [windowMs]).catch(() => undefined)) as number[] | undefined;
        return counted && { requests: counted[0] ?? 0, leftMs: counted[1] ?? 0 };
      },
    },
    sessions: shareSessions(connection, names.account),
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

/** Lets each replica go on with a session of another. Without Redis each has only its own. */
function shareSessions({ run }: Connection, account: string) {
  const keyOf = (id: string) => `${account}:session:${createHash('sha256').update(id).digest('base64url')}`;
  const send = (id: string, ...[command, ...words]: readonly [string, ...string[]]) =>
    run(keyOf(id), [command, keyOf(id), ...words]).catch(() => undefined);
  return {
    keep: async (id: string, start: string, ms: number): Promise<void> => {
      await send(id, 'SET', start, 'PX', String(ms));
    },
    find: async (id: string): Promise<string | undefined> => {
      const start = await send(id, 'GET');
      return typeof start === 'string' ? start : undefined;
    },
    forget: async (id: string): Promise<void> => {
      await send(id, 'DEL');
    },
  };
}

/** Part of every key. Increase it with each change of what is stored: servers of different versions must not share it. */
const version = 1;

/**
 * The prefixes of keys: for a tracker, and for one API key at it. All keys of a tracker are on one node of a cluster, because
 * scripts use several. The API key is hashed slowly, because some are short enough to guess.
 */
async function namesFor({ url, apiKey }: Tracker): Promise<{ readonly tracker: string; readonly account: string }> {
  const urlHash = createHash('sha256').update(url).digest('base64url').slice(0, 16);
  const account = await promisify<string, string, number, Buffer>(scrypt)(apiKey, `tracker-mcp ${url}`, 12);
  const tracker = `{tracker-mcp:${version}:${urlHash}}`;
  return { tracker, account: `${tracker}:${account.toString('base64url')}` };
}

const count = script(`
  local requests = redis.call('INCR', KEYS[1])
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return {requests, redis.call('PTTL', KEYS[1])}
`);

/** Records that an answer was used, if it was signed with the current secret. */
const use = script(`
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end
  if redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[2]) then return 1 end
  return 0
`);

/**
 * Lets each replica take a person's answer to a question of any replica, once in all.
 *
 * Questions are signed with a key of two parts: a random secret in Redis, stored by the first replica, and the API key, which
 * all replicas have. So reading Redis is not enough to sign an answer. And if Redis loses the used answers, it loses the
 * secret too, so none can be used again; a key from the configuration would allow that.
 *
 * @param account the prefix of the keys
 */
function shareQuestions(connection: Connection, account: string, apiKey: string) {
  const secretName = `${account}:question-secret`;
  let secret: string | undefined;
  const agree = async (run: Run) => {
    await run(secretName, ['SET', secretName, randomBytes(32).toString('base64url'), 'NX']);
    secret = String(await run(secretName, ['GET', secretName]));
  };
  connection.onReached(agree);
  return {
    /**
     * The key that signs questions.
     *
     * @throws RedisAway if the secret is not known yet
     */
    get key(): Uint8Array {
      if (secret === undefined) throw new RedisAway(connection.away ?? 'it was not reached yet');
      return createHmac('sha256', apiKey).update(`state of questions: ${secret}`).digest();
    },
    /**
     * Records for all replicas that a question was answered.
     *
     * @param until when it expires, in milliseconds since the epoch
     * @returns whether this is its first answer
     */
    take: async (question: string, until: number): Promise<boolean> => {
      const leftMs = Math.max(1, Math.ceil(until - Date.now()));
      // Longer than it is valid by the clock of any replica.
      const given = [secret ?? '', 2 * leftMs];
      const used = await use(connection.run, [secretName, `${account}:answered:${question}`], given);
      // Redis was emptied: new questions are signed with a new secret.
      if (used === -1) await agree(connection.run);
      return used === 1;
    },
  };
}
