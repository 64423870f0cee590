import type { Deadline } from '../api/deadline.ts';
import { Turns } from '../api/turns.ts';
import { maxInFlight, type Queue, type QueueKind, QueueTimeoutError } from '../client/queue.ts';
import { type Connection, RedisAway, type Run, script } from './connection.ts';

/** How long a lease lasts: longer than a replica is ever busy. And how often leases are renewed. In milliseconds. */
const [leaseMs, renewEveryMs] = [5000, 1500];

/**
 * The time in which all replicas notice that Redis was lost or is back, in milliseconds. After a loss a replica takes no turns
 * for so long; after the return it takes no more than its own share.
 */
const settleMs = 2000;

/** After waiting this long a replica goes before those that came later; until then the first to ask gets the turn. */
const patienceMs = 100;

/** The first and the longest pause before a replica asks again, and the time without asking after which it no longer waits. */
const [firstPauseMs, maxPauseMs, waitingMs] = [3, 25, 1000];

const maxInAll = maxInFlight.reads + maxInFlight.writes;

/** When this Redis started to record leases. After it is emptied it knows no lease until each is renewed. */
const begin = `
  redis.call('SET', since, now, 'NX', 'PX', ${2 * leaseMs})
  local isNew = now < tonumber(redis.call('GET', since)) + ${leaseMs}
`;

/** Grants the requested leases as far as turns are free; -1 if the leases of some replica are unknown. */
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
  local free = math.min(limit - count, ${maxInAll} - count - redis.call('ZCARD', other)) - ahead
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

/** Registers this replica and renews its leases: those of reads, an empty text, those of writes. */
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

interface Waiter {
  readonly stopListening: () => void;
  readonly resolve: (giveBack: () => void) => void;
  readonly reject: (error: unknown) => void;
}

/** The turns of one kind in this replica: its leases, and the calls that wait for one. */
class Line {
  readonly held = new Set<string>();
  readonly waiting = new Turns<Waiter>();
  isMoving = false;
  /** Ends the pause before the next request for turns. */
  wake: () => void = () => undefined;

  next(): Waiter | undefined {
    const waiter = this.waiting.next();
    waiter?.stopListening();
    return waiter;
  }

  /** Ends early if this replica gives a turn back. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/**
 * The queue for a tracker that several replicas ask. Within a replica owners take turns; between replicas the one that
 * has waited long goes first.
 *
 * Without Redis each replica takes its share of the turns, at least one, by the last known number of replicas. Writes get
 * none.
 */
export class SharedQueue implements Queue {
  readonly #connection: Connection;
  readonly #tracker: string;
  readonly #me: string;
  readonly #lines: Readonly<Record<QueueKind, Line>> = { reads: new Line(), writes: new Line() };
  readonly #renewing: NodeJS.Timeout;
  #count = 0;
  /** The last known number of replicas; 0 if Redis was never reached. */
  #replicas = 0;

  /**
   * @param tracker the prefix of the keys
   * @param me the name of this replica
   */
  constructor(connection: Connection, tracker: string, me: string) {
    this.#connection = connection;
    this.#tracker = tracker;
    this.#me = me;
    connection.onReached((run) => this.#renew(run));
    this.#renewing = setInterval(() => this.#renewSoon(), renewEveryMs).unref();
  }

  async take(kind: QueueKind, deadline: Deadline, owner: string): Promise<() => void> {
    if (deadline.hasEnded) throw new QueueTimeoutError(deadline.reason);
    if (kind === 'writes') this.#connection.require();
    const line = this.#lines[kind];
    return new Promise((resolve, reject) => {
      const stopListening = deadline.onEnd(() => {
        line.waiting.delete(owner, waiter);
        reject(new QueueTimeoutError(deadline.reason));
      });
      const waiter: Waiter = { resolve, reject, stopListening };
      line.waiting.add(owner, waiter);
      if (!line.isMoving) void this.#move(kind, line);
    });
  }

  /** Unregisters this replica. Its leases expire. */
  async close(): Promise<void> {
    clearInterval(this.#renewing);
    const [key = ''] = this.#keys('replicas');
    await this.#connection.run(key, ['ZREM', key, this.#me]).catch(() => undefined);
  }

  async #move(kind: QueueKind, line: Line): Promise<void> {
    line.isMoving = true;
    let pauseMs = firstPauseMs;
    while (line.waiting.size > 0) {
      const leases = await this.#ask(kind, line);
      for (const lease of leases) this.#hand(kind, lease);
      pauseMs = leases.length > 0 ? firstPauseMs : Math.min(2 * pauseMs, maxPauseMs);
      if (leases.length === 0 && line.waiting.size > 0) await line.pause(pauseMs);
    }
    line.isMoving = false;
  }

  async #ask(kind: QueueKind, line: Line): Promise<readonly string[]> {
    const { away } = this.#connection;
    if (away !== undefined && kind === 'writes') {
      for (let waiter = line.next(); waiter; waiter = line.next()) waiter.reject(new RedisAway(away));
      return [];
    }
    const room = Math.min(line.waiting.size, maxInFlight[kind], this.#roomAlone());
    if (room === 0) return [];
    const leases = Array.from({ length: room }, () => `${this.#me}:${++this.#count}`);
    // Turns taken without Redis are registered as soon as it is back. A failed grant shows as `away` in the next round.
    const granted = away === undefined ? await this.#grant(kind, leases).catch(() => []) : leases;
    for (const lease of granted) line.held.add(lease);
    return granted;
  }

  async #grant(kind: QueueKind, leases: readonly string[]): Promise<readonly string[]> {
    const other = kind === 'reads' ? 'writes' : 'reads';
    const keys = this.#keys(kind, other, `${kind}:waiting`, `${kind}:asking`, 'replicas', 'since');
    const given = [this.#me, maxInFlight[kind], this.#replicas, ...leases];
    const count = Number(await grant(this.#connection.run, keys, given));
    if (count < 0) this.#renewSoon();
    return leases.slice(0, Math.max(0, count));
  }

  /** How many more turns this replica may take while other replicas may be without Redis. */
  #roomAlone(): number {
    const { away, sinceChangeMs } = this.#connection;
    if (away === undefined && sinceChangeMs >= settleMs) return Number.POSITIVE_INFINITY;
    if (away !== undefined && sinceChangeMs < settleMs) return 0;
    const share = Math.max(1, Math.floor(maxInAll / (this.#replicas || maxInAll)));
    return Math.max(0, share - this.#lines.reads.held.size - this.#lines.writes.held.size);
  }

  #hand(kind: QueueKind, lease: string): void {
    const line = this.#lines[kind];
    const [key = ''] = this.#keys(kind);
    const giveBack = () => {
      line.held.delete(lease);
      // Otherwise the lease expires.
      this.#connection.run(key, ['ZREM', key, lease]).catch(() => undefined);
      line.wake();
    };
    const next = line.next();
    if (next) next.resolve(giveBack);
    else giveBack();
  }

  #keys(...names: readonly string[]): readonly string[] {
    return names.map((name) => `${this.#tracker}:${name}`);
  }

  #renewSoon(): void {
    this.#renew(this.#connection.run).catch(() => undefined);
  }

  async #renew(run: Run): Promise<void> {
    const keys = this.#keys('reads', 'writes', 'replicas', 'since');
    const given = [this.#me, ...this.#lines.reads.held, '', ...this.#lines.writes.held];
    const [count = 1, isNew = 0] = (await renew(run, keys, given)) as readonly number[];
    // Soon after Redis was away or emptied, some replicas may not be registered yet and still have requests in flight.
    const { away, sinceChangeMs } = this.#connection;
    const mayMiss = away !== undefined || isNew === 1 || sinceChangeMs < leaseMs;
    this.#replicas = mayMiss ? Math.max(count, this.#replicas) : count;
  }
}
