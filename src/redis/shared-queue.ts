import type { Deadline } from '../api/deadline.ts';
import { maxInFlight, type Queue, type QueueKind, QueueTimeoutError } from '../client/queue.ts';
import { type Connection, RedisAway, type Run, script } from './connection.ts';

/** A lease that was not renewed for so long ends: its replica was killed, and is not just busy; and how often leases are renewed. */
const [leaseMs, renewEveryMs] = [5000, 1500];

/** For so long after Redis is lost a replica takes no turn, and after it is back no more than alone: the others notice meanwhile. */
const settleMs = 2000;

/** A replica that has waited as long goes ahead of those that came later; before that, the first to ask gets it. */
const patienceMs = 100;

/** The pause before a turn is asked for again, at first and at last; a replica that does not ask for so long waits no more. */
const [firstPauseMs, maxPauseMs, waitingMs] = [3, 25, 1000];

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

/** A call that waits for a turn; `leave` has it listen to its deadline no more. */
interface Waiter {
  readonly leave: () => void;
  readonly resolve: (giveBack: () => void) => void;
  readonly reject: (error: unknown) => void;
}

/** The turns of one kind in this replica: the leases that it holds, and the calls that wait for one. */
class Line {
  readonly held = new Set<string>();
  readonly waiting = new Set<Waiter>();
  isMoving = false;
  /** Ends the pause before turns are asked for again. */
  wake: () => void = () => undefined;

  settle(waiter: Waiter): Waiter {
    this.waiting.delete(waiter);
    waiter.leave();
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
 * The queue for a tracker that several replicas ask. Within a replica calls come one after the other; between replicas the one
 * that has waited for long goes first.
 *
 * Without Redis each replica takes its part of all turns, by the number of replicas there were, and at least one; writes get
 * none.
 */
export class SharedQueue implements Queue {
  readonly #connection: Connection;
  readonly #tracker: string;
  readonly #me: string;
  readonly #lines: Readonly<Record<QueueKind, Line>> = { reads: new Line(), writes: new Line() };
  readonly #renewing: NodeJS.Timeout;
  #count = 0;
  /** How many there were when Redis last knew all of them; 0 if it was never reached. */
  #replicas = 0;

  /**
   * @param tracker the beginning of the names of keys
   * @param me the name of this replica
   */
  constructor(connection: Connection, tracker: string, me: string) {
    this.#connection = connection;
    this.#tracker = tracker;
    this.#me = me;
    connection.onFound((run) => this.#renew(run));
    this.#renewing = setInterval(() => this.#renewSoon(), renewEveryMs).unref();
  }

  async take(kind: QueueKind, deadline: Deadline): Promise<() => void> {
    if (deadline.hasEnded) throw new QueueTimeoutError(deadline.reason);
    if (kind === 'writes') this.#connection.require();
    const line = this.#lines[kind];
    return new Promise((resolve, reject) => {
      const leave = deadline.onEnd(() => line.settle(waiter).reject(new QueueTimeoutError(deadline.reason)));
      const waiter: Waiter = { resolve, reject, leave };
      line.waiting.add(waiter);
      if (!line.isMoving) void this.#move(kind, line);
    });
  }

  /** Says that this replica is gone. The leases it still holds end by themselves. */
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
      for (const waiter of line.waiting) line.settle(waiter).reject(new RedisAway(away));
      return [];
    }
    const room = Math.min(line.waiting.size, maxInFlight[kind], this.#roomAlone());
    if (room === 0) return [];
    const leases = Array.from({ length: room }, () => `${this.#me}:${++this.#count}`);
    // Turns that are taken without Redis count as soon as it is back. If it is lost meanwhile, the next look finds out.
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

  /** How many turns more this replica takes while not every replica is known to have Redis. */
  #roomAlone(): number {
    const { away, sinceChangeMs } = this.#connection;
    if (away === undefined && sinceChangeMs >= settleMs) return Number.POSITIVE_INFINITY;
    if (away !== undefined && sinceChangeMs < settleMs) return 0;
    const share = Math.max(1, Math.floor(maxOfAll / (this.#replicas || maxOfAll)));
    return Math.max(0, share - this.#lines.reads.held.size - this.#lines.writes.held.size);
  }

  #hand(kind: QueueKind, lease: string): void {
    const line = this.#lines[kind];
    const [key = ''] = this.#keys(kind);
    const giveBack = () => {
      line.held.delete(lease);
      // One that cannot be given back ends by itself.
      this.#connection.run(key, ['ZREM', key, lease]).catch(() => undefined);
      line.wake();
    };
    const [next] = line.waiting;
    if (next) line.settle(next).resolve(giveBack);
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
    // Right after Redis was away or emptied, some have not said again that they are there; they may have requests in flight.
    const { away, sinceChangeMs } = this.#connection;
    const mayMiss = away !== undefined || isNew === 1 || sinceChangeMs < leaseMs;
    this.#replicas = mayMiss ? Math.max(count, this.#replicas) : count;
  }
}
