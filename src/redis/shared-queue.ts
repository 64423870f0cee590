import type { Deadline } from '../api/deadline.ts';
import { maxInFlight, type Queue, type QueueKind } from '../client/connection.ts';
import { QueueTimeoutError } from '../client/errors.ts';
import { type Connection, RedisAway, type Run, script } from './connection.ts';

/** After so many milliseconds a lease ends that was not renewed: its replica was killed, and is not just busy. */
const leaseMs = 5000;

/** How often replicas renew their leases and say that they are there, in milliseconds. */
const renewEveryMs = 1500;

/** For so long after Redis is lost a replica takes no turn, and after it is back no more than alone: the others notice meanwhile. */
const settleMs = 2000;

/** Who has waited as long, in milliseconds, goes ahead of those who came later; before that, the first to ask gets it. */
const patienceMs = 100;

/** A replica that waits for a turn asks again sooner than this, in milliseconds, or waits no longer. */
const waitingMs = 1000;

/** The pause before a turn is asked for again, in milliseconds: at first, and at last. */
const [firstPauseMs, maxPauseMs] = [3, 25];

const maxOfAll = maxInFlight.reads + maxInFlight.writes;

/** When this Redis began to know what is in flight. One that is emptied begins again, and knows no lease until it is renewed. */
const begin = `
  redis.call('SET', since, now, 'NX', 'PX', ${2 * leaseMs})
  local isNew = now < tonumber(redis.call('GET', since)) + ${leaseMs}
`;

/** Grants as many of the leases asked for as there are turns left; -1 if a replica's leases are not known. */
const grant = script(`
  local held, other, waiting, asking, replicas, since = unpack(KEYS)
  local me, limit, expected = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
  ${begin}
  if isNew and redis.call('ZCARD', replicas) < expected then return -1 end
  for _, leases in ipairs({held, other}) do redis.call('ZREMRANGEBYSCORE', leases, '-inf', now) end
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', asking, '-inf', now)) do
    redis.call('ZREM', asking, gone)
    redis.call('ZREM', waiting, gone)
  end
  local first = tonumber(redis.call('ZSCORE', waiting, me)) or now
  local ahead = redis.call('ZCOUNT', waiting, '-inf', math.min(first - 1, now - ${patienceMs}))
  local count = redis.call('ZCARD', held)
  local free = math.min(limit - count, ${maxOfAll} - count - redis.call('ZCARD', other)) - ahead
  local granted = math.max(0, math.min(free, #ARGV - 3))
  for index = 1, granted do redis.call('ZADD', held, now + ${leaseMs}, ARGV[index + 3]) end
  if granted > 0 then
    redis.call('ZREM', waiting, me)
    redis.call('ZREM', asking, me)
  else
    redis.call('ZADD', waiting, 'NX', now, me)
    redis.call('ZADD', asking, now + ${waitingMs}, me)
  end
  for _, key in ipairs({held, waiting, asking}) do redis.call('PEXPIRE', key, ${2 * leaseMs}) end
  return granted
`);

/** Says that this replica is there, and renews its leases: the reads, a gap, the writes. */
const renew = script(`
  local reads, writes, replicas, since = unpack(KEYS)
  ${begin}
  local held = reads
  for index = 2, #ARGV do
    if ARGV[index] == '' then held = writes
    else redis.call('ZADD', held, now + ${leaseMs}, ARGV[index]) end
  end
  redis.call('ZADD', replicas, now + ${leaseMs}, ARGV[1])
  redis.call('ZREMRANGEBYSCORE', replicas, '-inf', now)
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ${2 * leaseMs}) end
  return {redis.call('ZCARD', replicas), isNew and 1 or 0}
`);

/** The leases of turns at a tracker, which hold all replicas to one number of requests in flight. */
class Leases {
  readonly #connection: Connection;
  readonly #tracker: string;
  readonly #me: string;
  readonly #held: Readonly<Record<QueueKind, Set<string>>> = { reads: new Set(), writes: new Set() };
  readonly #renewing: NodeJS.Timeout;
  #count = 0;
  /** How many there were when Redis last knew all of them; 0 if it was never reached. */
  #replicas = 0;

  constructor(connection: Connection, tracker: string, me: string) {
    this.#connection = connection;
    this.#tracker = tracker;
    this.#me = me;
    connection.onFound((run) => this.#renew(run));
    this.#renewing = setInterval(() => this.#renewSoon(), renewEveryMs).unref();
  }

  /** How many turns more this replica takes while not every replica is known to have Redis. */
  roomAlone(): number {
    const { isThere, sinceChangeMs } = this.#connection;
    if (isThere && sinceChangeMs >= settleMs) return Number.POSITIVE_INFINITY;
    if (!isThere && sinceChangeMs < settleMs) return 0;
    const share = Math.max(1, Math.floor(maxOfAll / (this.#replicas || maxOfAll)));
    return Math.max(0, share - this.#held.reads.size - this.#held.writes.size);
  }

  /**
   * Asks for turns.
   *
   * @returns the leases that are granted
   * @throws RedisAway
   */
  async ask(kind: QueueKind, wanted: number): Promise<readonly string[]> {
    const leases = this.#named(wanted);
    const other = kind === 'reads' ? 'writes' : 'reads';
    const keys = this.#keys(kind, other, `${kind}:waiting`, `${kind}:asking`, 'replicas', 'since');
    const given = [this.#me, maxInFlight[kind], this.#replicas, ...leases];
    const count = Number(await grant(this.#connection.run, keys, given));
    if (count < 0) this.#renewSoon();
    return this.#hold(kind, leases.slice(0, Math.max(0, count)));
  }

  /** Takes turns without asking, as there is no Redis to ask. They count as soon as it is back. */
  take(kind: QueueKind, wanted: number): readonly string[] {
    return this.#hold(kind, this.#named(wanted));
  }

  #hold(kind: QueueKind, leases: readonly string[]): readonly string[] {
    for (const lease of leases) this.#held[kind].add(lease);
    return leases;
  }

  #keys(...names: readonly string[]): readonly string[] {
    return names.map((name) => `${this.#tracker}:${name}`);
  }

  giveBack(kind: QueueKind, lease: string): void {
    this.#held[kind].delete(lease);
    const key = `${this.#tracker}:${kind}`;
    // One that cannot be given back ends by itself.
    if (this.#connection.isThere) this.#connection.run(key, ['ZREM', key, lease]).catch(() => undefined);
  }

  /** Says that this replica is gone. The leases it still holds end by themselves. */
  async close(): Promise<void> {
    clearInterval(this.#renewing);
    const key = `${this.#tracker}:replicas`;
    if (this.#connection.isThere) await this.#connection.run(key, ['ZREM', key, this.#me]).catch(() => undefined);
  }

  #named(wanted: number): string[] {
    return Array.from({ length: wanted }, () => `${this.#me}:${++this.#count}`);
  }

  #renewSoon(): void {
    if (this.#connection.isThere) this.#renew(this.#connection.run).catch(() => undefined);
  }

  async #renew(run: Run): Promise<void> {
    const keys = this.#keys('reads', 'writes', 'replicas', 'since');
    const given = [this.#me, ...this.#held.reads, '', ...this.#held.writes];
    const [count = 1, isNew = 0] = (await renew(run, keys, given)) as readonly number[];
    // Right after Redis was away or emptied, some have not said again that they are there; they may have requests in flight.
    const mayMiss = !this.#connection.isThere || isNew === 1 || this.#connection.sinceChangeMs < leaseMs;
    this.#replicas = mayMiss ? Math.max(count, this.#replicas) : count;
  }
}

/** A call that waits for a turn; `leave` has it listen to its deadline no more. */
interface Waiter {
  readonly leave: () => void;
  readonly resolve: (giveBack: () => void) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The queue for a tracker that several replicas ask. Within a replica calls come one after the other; between replicas the one
 * that has waited for long goes first.
 *
 * Without Redis each replica takes its part of all turns, by the number of replicas there were, and at least one; writes get
 * none.
 *
 * @param tracker the beginning of the names of keys
 * @param me the name of this replica
 */
export function openSharedQueue(connection: Connection, tracker: string, me: string) {
  const leases = new Leases(connection, tracker, me);
  const lines = { reads: new Line('reads', connection, leases), writes: new Line('writes', connection, leases) };
  const take: Queue['take'] = async (kind, deadline) => {
    if (deadline.hasEnded) throw new QueueTimeoutError(deadline.reason);
    if (kind === 'writes') connection.require();
    return lines[kind].join(deadline);
  };
  return { take, close: () => leases.close() };
}

/** The calls that wait for a turn of one kind in this replica. */
class Line {
  readonly #kind: QueueKind;
  readonly #connection: Connection;
  readonly #leases: Leases;
  readonly #waiting = new Set<Waiter>();
  #isMoving = false;
  #wake: () => void = () => undefined;

  constructor(kind: QueueKind, connection: Connection, leases: Leases) {
    this.#kind = kind;
    this.#connection = connection;
    this.#leases = leases;
  }

  join(deadline: Deadline): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = deadline.onEnd(() => this.#settle(waiter).reject(new QueueTimeoutError(deadline.reason)));
      const waiter: Waiter = { resolve, reject, leave };
      this.#waiting.add(waiter);
      if (!this.#isMoving) void this.#move();
    });
  }

  async #move(): Promise<void> {
    this.#isMoving = true;
    let pauseMs = firstPauseMs;
    while (this.#waiting.size > 0) {
      const leases = await this.#ask(Math.min(this.#waiting.size, maxInFlight[this.#kind]));
      for (const lease of leases) this.#hand(lease);
      pauseMs = leases.length > 0 ? firstPauseMs : Math.min(2 * pauseMs, maxPauseMs);
      if (leases.length === 0 && this.#waiting.size > 0) await this.#pause(pauseMs);
    }
    this.#isMoving = false;
  }

  /** @returns the leases of the turns that came */
  async #ask(wanted: number): Promise<readonly string[]> {
    const room = Math.min(wanted, this.#leases.roomAlone());
    if (!this.#connection.isThere) {
      if (this.#kind === 'reads') return this.#leases.take('reads', room);
      const away = new RedisAway(this.#connection.reason ?? '');
      for (const waiter of this.#waiting) this.#settle(waiter).reject(away);
      return [];
    }
    if (room === 0) return [];
    // What is away is seen when it is asked again.
    return this.#leases.ask(this.#kind, room).catch(() => []);
  }

  #hand(lease: string): void {
    const giveBack = () => {
      this.#leases.giveBack(this.#kind, lease);
      this.#wake();
    };
    const [next] = this.#waiting;
    if (next) this.#settle(next).resolve(giveBack);
    else giveBack();
  }

  #settle(waiter: Waiter): Waiter {
    this.#waiting.delete(waiter);
    waiter.leave();
    return waiter;
  }

  /** Ends early if this replica gives a turn back. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
