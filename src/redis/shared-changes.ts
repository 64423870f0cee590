import { randomUUID } from 'node:crypto';
import type { Change, ChangeJournal, ChangeStep } from '../guard/changes.ts';
import { type Connection, type Run, script } from './connection.ts';

/** About so many entries stay; older changes are in the audit trails alone. */
const maxEntries = 5000;

/** After so long without a change nothing is left in Redis, in milliseconds. */
const forgetAfterMs = 30 * 24 * 60 * 60_000;

/** So many outcomes of writes that were under way when Redis was lost wait for it. */
const maxWaiting = 1000;

/** How long a change stays reserved by a replica that was killed, and how often a reservation is renewed, in milliseconds. */
const reservedMs = 10_000;
const renewEveryMs = 2000;

/** What a stream says of a change: what it is, then what becomes of each step. */
type Entry =
  | { readonly begins: Omit<Change, 'undoneBy'> }
  | (Pick<ChangeStep, 'outcome' | 'id'> & { readonly change: string; readonly step: number });

/** Reserves for so long from now what this replica has reserved; for 0 ms, no more. */
const prolong = script(`
  if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
  return 0
`);

/**
 * The changes of all replicas, in a stream. The audit trail of each is the record that lasts.
 *
 * @param account the beginning of the names of keys
 */
export function shareChanges(connection: Connection, account: string): ChangeJournal {
  const stream = `${account}:changes`;
  let waiting: Entry[] = [];
  connection.onFound(async (run) => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      await append(run, next);
      waiting.shift();
    }
  });
  return {
    requireThere: () => connection.require(),
    read: async () => {
      const words = ['XREVRANGE', stream, '+', '-', 'COUNT', String(maxEntries)];
      const entries = (await connection.run(stream, words)) as readonly [string, readonly string[]][];
      const changes = new Map<string, Change>();
      for (const [, [, entry = '']] of entries.toReversed()) {
        const said = JSON.parse(entry) as Entry;
        if ('begins' in said) {
          const { id, undoes, approved } = said.begins;
          changes.set(id, { ...said.begins, undoes, approved, undoneBy: undefined });
        } else {
          const step = changes.get(said.change)?.steps[said.step];
          if (step) Object.assign(step, { outcome: said.outcome, id: said.id });
        }
      }
      return [...changes.values()];
    },
    announce: async (change, step) => {
      const { undoneBy: _, ...begins } = change;
      // Until a step has settled, its outcome is unknown.
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
    reserve: async (id) => {
      const key = `${account}:undo:${id}`;
      const mine = randomUUID();
      const { run } = connection;
      if ((await run(key, ['SET', key, mine, 'NX', 'PX', String(reservedMs)])) === null) return undefined;
      const reserveFor = (ms: number) => void prolong(run, [key], [mine, ms]).catch(() => undefined);
      const renewing = setInterval(() => reserveFor(reservedMs), renewEveryMs).unref();
      return () => {
        clearInterval(renewing);
        reserveFor(0);
      };
    },
  };

  async function append(run: Run, entry: Entry): Promise<void> {
    const add = ['XADD', stream, 'MAXLEN', '~', String(maxEntries), '*', 'entry', JSON.stringify(entry)];
    await run(stream, add);
    await run(stream, ['PEXPIRE', stream, String(forgetAfterMs)]);
  }
}
