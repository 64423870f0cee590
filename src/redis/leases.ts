import type { TurnKind } from '../client/replicas/turns.ts';
import type { Connection, Run } from './connection.ts';
import type { Names } from './names.ts';
import { script } from './script.ts';

/**
 * A lease of a replica that was killed ends after this time, in milliseconds. Until then the request it was for may be under
 * way at the tracker, and a process that is only busy has time to renew it.
 */
const leaseMs = 5000;

/** How often replicas renew their leases and say that they are there, in milliseconds. */
const renewEveryMs = 1500;

/** Whoever has waited as long, in milliseconds, goes ahead of those who came later; before that, whoever asks first. */
const patienceMs = 100;

/** One that asked for a turn asks again sooner than this, in milliseconds, or waits no longer. */
const waitingMs = 1000;

/** Grants as many of the leases asked for as there are turns left for this replica. */
const grant = script(`
  local held, waiting, asking = KEYS[1], KEYS[2], KEYS[3]
  local me, limit = ARGV[1], tonumber(ARGV[2])
  redis.call('ZREMRANGEBYSCORE', held, '-inf', now)
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', asking, '-inf', now)) do
    redis.call('ZREM', asking, gone)
    redis.call('ZREM', waiting, gone)
  end
  local since = tonumber(redis.call('ZSCORE', waiting, me)) or now
  local ahead = redis.call('ZCOUNT', waiting, '-inf', math.min(since - 1, now - ${patienceMs}))
  local free = limit - redis.call('ZCARD', held) - ahead
  local granted = math.max(0, math.min(free, #ARGV - 2))
  for index = 1, granted do redis.call('ZADD', held, now + ${leaseMs}, ARGV[index + 2]) end
  if granted > 0 then
    redis.call('ZREM', waiting, me)
    redis.call('ZREM', asking, me)
  else
    redis.call('ZADD', waiting, 'NX', now, me)
    redis.call('ZADD', asking, now + ${waitingMs}, me)
  end
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ${2 * leaseMs}) end
  return granted
`);

/** Says that this replica is there, and renews its leases; one that Redis has forgotten is there again. */
const renew = script(`
  local replicas, held = KEYS[1], KEYS[2]
  redis.call('ZADD', replicas, now + ${leaseMs}, ARGV[1])
  redis.call('ZREMRANGEBYSCORE', replicas, '-inf', now)
  for index = 2, #ARGV do redis.call('ZADD', held, now + ${leaseMs}, ARGV[index]) end
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ${2 * leaseMs}) end
  return redis.call('ZCARD', replicas)
`);

/** The leases of the turns at a tracker, by which replicas are held to one number of requests in flight between them. */
export class Leases {
  readonly #connection: Connection;
  readonly #names: Names;
  readonly #me: string;
  readonly #held: Readonly<Record<TurnKind, Set<string>>> = { reads: new Set(), writes: new Set() };
  readonly #renewing: NodeJS.Timeout;
  #count = 0;
  #replicas: number | undefined;

  /** @param me the name of this replica */
  constructor(connection: Connection, names: Names, me: string) {
    this.#connection = connection;
    this.#names = names;
    this.#me = me;
    connection.onFound((run) => this.#renew(run));
    this.#renewing = setInterval(() => {
      // Redis may be away, which the connection sees to.
      if (connection.isThere) this.#renew(connection.run).catch(() => undefined);
    }, renewEveryMs).unref();
  }

  /** How many replicas there were when Redis last told; undefined where it never did. */
  get replicas(): number | undefined {
    return this.#replicas;
  }

  /** How many turns this replica holds. */
  get heldHere(): number {
    return this.#held.reads.size + this.#held.writes.size;
  }

  /**
   * Asks for turns.
   *
   * @param wanted how many
   * @param limit how many all replicas may hold of this kind
   * @returns the leases that are granted, none where there is no turn
   * @throws RedisAway
   */
  async ask(kind: TurnKind, wanted: number, limit: number): Promise<readonly string[]> {
    const leases = this.#named(wanted);
    const { tracker } = this.#names;
    const keys = [`${tracker}:${kind}`, `${tracker}:${kind}:waiting`, `${tracker}:${kind}:asking`] as const;
    const granted = leases.slice(0, Number(await grant(this.#connection.run, keys, [this.#me, limit, ...leases])));
    for (const lease of granted) this.#held[kind].add(lease);
    return granted;
  }

  /** Takes turns without asking, as nobody can be asked. Once somebody can, they count. */
  take(kind: TurnKind, wanted: number): readonly string[] {
    const leases = this.#named(wanted);
    for (const lease of leases) this.#held[kind].add(lease);
    return leases;
  }

  giveBack(kind: TurnKind, lease: string): void {
    this.#held[kind].delete(lease);
    const key = `${this.#names.tracker}:${kind}`;
    // One that cannot be given back ends by itself.
    if (this.#connection.isThere) this.#connection.run(key, ['ZREM', key, lease]).catch(() => undefined);
  }

  /** Says that this replica is gone. The leases it still holds end by themselves. */
  async close(): Promise<void> {
    clearInterval(this.#renewing);
    const key = `${this.#names.tracker}:replicas`;
    if (this.#connection.isThere) await this.#connection.run(key, ['ZREM', key, this.#me]).catch(() => undefined);
  }

  #named(wanted: number): string[] {
    return Array.from({ length: wanted }, () => {
      this.#count += 1;
      return `${this.#me}:${this.#count}`;
    });
  }

  async #renew(run: Run): Promise<void> {
    const { tracker } = this.#names;
    for (const kind of ['reads', 'writes'] as const) {
      const given = [this.#me, ...this.#held[kind]];
      this.#replicas = Number(await renew(run, [`${tracker}:replicas`, `${tracker}:${kind}`], given));
    }
  }
}
