import { type Breakers, CircuitOpen, type End, failuresToOpen, OwnBreakers, openForMs } from '../client/circuit.ts';
import type { Connection } from './connection.ts';
import type { Names } from './names.ts';
import { script } from './script.ts';

/** What a breaker knows is forgotten where nothing is asked for so long, in milliseconds. */
const forgetAfterMs = 10 * 60_000;

/** Lets a call begin, or says which breaker refuses it and for how long. A call that tries for all the others is marked. */
const begin = script(`
  for index, key in ipairs(KEYS) do
    local known = redis.call('HMGET', key, 'failures', 'until', 'trying')
    if (tonumber(known[1]) or 0) >= ${failuresToOpen} then
      local wait = (tonumber(known[2]) or 0) - now
      if wait > 0 or (tonumber(known[3]) or 0) > now then return {index, wait} end
    end
  end
  local trials = {0}
  for index, key in ipairs(KEYS) do
    local failures = tonumber(redis.call('HGET', key, 'failures')) or 0
    trials[index + 1] = failures >= ${failuresToOpen} and 1 or 0
    if trials[index + 1] == 1 then redis.call('HSET', key, 'trying', now + tonumber(ARGV[1])) end
  end
  return trials
`);

/** Ends a call: by breaker, whether it tried and what it says. */
const end = script(`
  for index, key in ipairs(KEYS) do
    if ARGV[2 * index - 1] == '1' then redis.call('HDEL', key, 'trying') end
    local verdict = ARGV[2 * index]
    if verdict == 'works' then redis.call('DEL', key) end
    if verdict == 'fails' then
      if redis.call('HINCRBY', key, 'failures', 1) >= ${failuresToOpen} then
        redis.call('HSET', key, 'until', now + ${openForMs})
      end
      redis.call('PEXPIRE', key, ${forgetAfterMs})
    end
  end
  return 0
`);

/** The breakers of all replicas: what one found out spares the others, and one call tries for all. Without Redis, each its own. */
export class SharedBreakers implements Breakers {
  readonly #connection: Connection;
  readonly #names: Names;
  readonly #maxCallMs: number;
  readonly #own = new OwnBreakers();

  /** @param maxCallMs how long a call can take; one that tries and was killed holds the others up for no longer */
  constructor(connection: Connection, names: Names, maxCallMs: number) {
    this.#connection = connection;
    this.#names = names;
    this.#maxCallMs = maxCallMs;
  }

  async begin(path: string): Promise<End> {
    if (!this.#connection.isThere) return this.#own.begin(path);
    const keys = [`${this.#names.tracker}:circuit`, `${this.#names.tracker}:circuit:${path}`] as const;
    let reply: readonly number[];
    try {
      reply = (await begin(this.#connection.run, keys, [this.#maxCallMs])) as readonly number[];
    } catch {
      return this.#own.begin(path);
    }
    const [refusing = 0, first = 0, second = 0] = reply;
    if (refusing > 0) {
      throw new CircuitOpen(refusing === 1 ? 'tracker' : 'endpoint', Math.max(1, Math.ceil(first / 1000)));
    }
    return async ({ tracker, endpoint }) => {
      if (!this.#connection.isThere) return;
      await end(this.#connection.run, keys, [first, tracker, second, endpoint]).catch(() => undefined);
    };
  }
}
