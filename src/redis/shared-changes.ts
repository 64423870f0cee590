import { randomUUID } from 'node:crypto';
import { dayMs } from '../api/durations.ts';
import type { Change, ChangeJournal, ChangeStep } from '../guard/changes.ts';
import { type Connection, type Run, script } from './connection.ts';

/** About how many entries are kept; older changes are only in the audit trails. */
const maxEntries = 5000;

/** Redis deletes the changes after this time without a new one, in milliseconds. */
const keptForMs = 30 * dayMs;

/** How many outcomes of writes wait for a Redis that is away, and how many own entries are kept for one that loses its data. */
const maxWaiting = 1000;

/** How long the reservation of a killed replica lasts, and how often a reservation is renewed, in milliseconds. */
const reservedMs = 10_000;
const renewEveryMs = 2000;

/** An entry of the stream: a new change, or the outcome of one of its steps. */
type Entry =
  | { readonly begins: Omit<Change, 'undoneBy'> }
  | (Pick<ChangeStep, 'outcome' | 'id'> & { readonly change: string; readonly step: number });

/** Extends a reservation of this replica to a time from now; 0 ms ends it. */
const extend = script(`
  if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
  return 0
`);

/** How long the count of a day is kept, in milliseconds. */
const dayKeptMs = 2 * dayMs;

/** Adds requests to those of a day, unless it would have more than a limit: then it returns how many there are, otherwise -1. */
const takeRequests = script(`
  local taken = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), tonumber(ARGV[3]))
  if taken + ARGV[1] > tonumber(ARGV[2]) then return taken end
  redis.call('SET', KEYS[1], taken + ARGV[1], 'PX', ARGV[4])
  return -1
`);

/**
 * The changes of all replicas, in a stream. The audit trails are the lasting record.
 *
 * @param account the prefix of the keys
 */
export function shareChanges(connection: Connection, account: string): ChangeJournal {
  const stream = `${account}:changes`;
  let waiting: Entry[] = [];
  /** What this replica appended, and the ID of the last. */
  let own: readonly string[] = [];
  let lastId: string | undefined;
  connection.onReached(async (run) => {
    await putBack(run);
    for (let next = waiting[0]; next; next = waiting[0]) {
      await append(run, next);
      waiting.shift();
    }
  });
  return {
    requireReachable: () => connection.require(),
    read: async () => {
      const words = ['XREVRANGE', stream, '+', '-', 'COUNT', String(maxEntries)];
      const entries = (await connection.run(stream, words)) as readonly [string, readonly string[]][];
      const changes = new Map<string, Change>();
      for (const [, [, entry = '']] of entries.toReversed()) {
        const event = JSON.parse(entry) as Entry;
        if ('begins' in event) {
          const { id, undoes, approved } = event.begins;
          changes.set(id, { ...event.begins, undoes, approved, undoneBy: undefined });
        } else {
          const step = changes.get(event.change)?.steps[event.step];
          if (step) Object.assign(step, { outcome: event.outcome, id: event.id });
        }
      }
      return [...changes.values()];
    },
    announce: async (change, step) => {
      const { undoneBy: _, ...begins } = change;
      // The outcome of a step is unknown until it has settled.
      const entry =
        step === undefined ? { begins } : { change: change.id, step, outcome: 'unknown' as const, id: null };
      await append(connection.run, entry);
    },
    settle: async ({ id: change, steps }, index) => {
      const step = steps[index];
      if (!step) return;
      const entry = { change, step: index, outcome: step.outcome, id: step.id };
      try {
        await append(connection.run, entry);
      } catch {
        waiting = [...waiting, entry].slice(-maxWaiting);
      }
    },
    take: async (day, { count, max, known }) => {
      const key = `${account}:requests:${day}`;
      const taken = Number(await takeRequests(connection.run, [key], [count, max, known, dayKeptMs]));
      if (taken >= 0) return { sent: taken };
      return {
        giveBack: (unsent) =>
          void (unsent > 0 && connection.run(key, ['DECRBY', key, String(unsent)]).catch(() => undefined)),
      };
    },
    reserve: async (id) => {
      const key = `${account}:undo:${id}`;
      const owner = randomUUID();
      const { run } = connection;
      if ((await run(key, ['SET', key, owner, 'NX', 'PX', String(reservedMs)])) === null) return undefined;
      const reserveFor = (ms: number) => void extend(run, [key], [owner, ms]).catch(() => undefined);
      const renewing = setInterval(() => reserveFor(reservedMs), renewEveryMs).unref();
      return () => {
        clearInterval(renewing);
        reserveFor(0);
      };
    },
  };

  async function append(run: Run, entry: Entry): Promise<void> {
    const text = JSON.stringify(entry);
    lastId = await add(run, text);
    own = [...own, text].slice(-maxWaiting);
    await run(stream, ['PEXPIRE', stream, String(keptForMs)]);
  }

  async function add(run: Run, text: string): Promise<string> {
    return String(await run(stream, ['XADD', stream, 'MAXLEN', '~', String(maxEntries), '*', 'entry', text]));
  }

  /** Appends all of this replica again if Redis lost it: the others list it, undo it and count it for a day. */
  async function putBack(run: Run): Promise<void> {
    if (lastId === undefined || ((await run(stream, ['XRANGE', stream, lastId, lastId])) as unknown[]).length > 0)
      return;
    let id = lastId;
    for (const text of own) id = await add(run, text);
    lastId = id;
  }
}
