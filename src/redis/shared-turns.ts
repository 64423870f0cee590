import type { Life } from '../client/life.ts';
import { NoTurn, type TurnKind, type Turns, turnsAtATime } from '../client/replicas/turns.ts';
import { type Connection, RedisAway } from './connection.ts';
import type { Leases } from './leases.ts';

/**
 * How long after Redis is lost a replica waits before it goes on alone, and how long after it is back it does not take more
 * than alone, in milliseconds: the others notice within that time, and most of what they have in flight has ended.
 */
const settleMs = 2000;

/** How soon a turn is asked for again that was not granted, in milliseconds: at first, and at last. */
const [firstPauseMs, maxPauseMs] = [3, 25];

const maxInFlight = turnsAtATime.reads + turnsAtATime.writes;

interface Waiter {
  readonly resolve: (giveBack: () => void) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The turns at a tracker that several replicas ask. Those who wait within a replica come one after the other; between replicas
 * whoever has waited for long goes first.
 *
 * Without Redis each replica takes its part of all turns, by the number of replicas there were, and at least one; writes get
 * none.
 */
export class SharedTurns implements Turns {
  readonly #connection: Connection;
  readonly #lines: Readonly<Record<TurnKind, Line>>;

  constructor(connection: Connection, leases: Leases) {
    this.#connection = connection;
    const line = (kind: TurnKind) => new Line(kind, connection, leases);
    this.#lines = { reads: line('reads'), writes: line('writes') };
  }

  async take(kind: TurnKind, life: Life): Promise<() => void> {
    if (life.hasEnded) throw new NoTurn(life.reason);
    if (kind === 'writes' && this.#connection.reason !== undefined) throw new RedisAway(this.#connection.reason);
    return this.#lines[kind].join(life);
  }
}

/** Those who wait for a turn of one kind in this replica. */
class Line {
  readonly #kind: TurnKind;
  readonly #connection: Connection;
  readonly #leases: Leases;
  readonly #waiting = new Set<Waiter>();
  #isMoving = false;
  #wake: () => void = () => undefined;

  constructor(kind: TurnKind, connection: Connection, leases: Leases) {
    this.#kind = kind;
    this.#connection = connection;
    this.#leases = leases;
  }

  join(life: Life): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = life.onEnd(() => {
        this.#waiting.delete(waiter);
        reject(new NoTurn(life.reason));
      });
      const waiter: Waiter = {
        resolve: (giveBack) => {
          leave();
          resolve(giveBack);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      this.#waiting.add(waiter);
      if (!this.#isMoving) void this.#move();
    });
  }

  async #move(): Promise<void> {
    this.#isMoving = true;
    let pauseMs = firstPauseMs;
    while (this.#waiting.size > 0) {
      const leases = await this.#ask(Math.min(this.#waiting.size, turnsAtATime[this.#kind]));
      for (const lease of leases) this.#hand(lease);
      pauseMs = leases.length > 0 ? firstPauseMs : Math.min(2 * pauseMs, maxPauseMs);
      if (leases.length === 0 && this.#waiting.size > 0) await this.#pause(pauseMs);
    }
    this.#isMoving = false;
  }

  /** @returns the leases of the turns that came */
  async #ask(wanted: number): Promise<readonly string[]> {
    const room = Math.min(wanted, this.#roomAlone());
    if (!this.#connection.isThere) {
      if (this.#kind === 'reads') return this.#leases.take('reads', room);
      this.#refuseAll(new RedisAway(this.#connection.reason ?? ''));
      return [];
    }
    if (room === 0) return [];
    // What is away is seen when it is asked again.
    return this.#leases.ask(this.#kind, room, turnsAtATime[this.#kind]).catch(() => []);
  }

  /** How many turns more this replica takes while not every replica is known to have Redis. */
  #roomAlone(): number {
    const { isThere, lostAt, returnedAt } = this.#connection;
    const sinceMs = Date.now() - (isThere ? returnedAt : (lostAt ?? 0));
    if (isThere && sinceMs >= settleMs) return Number.POSITIVE_INFINITY;
    if (!isThere && sinceMs < settleMs) return 0;
    const share = Math.max(1, Math.floor(maxInFlight / (this.#leases.replicas ?? maxInFlight)));
    return Math.max(0, share - this.#leases.heldHere);
  }

  #hand(lease: string): void {
    const giveBack = () => {
      this.#leases.giveBack(this.#kind, lease);
      this.#wake();
    };
    const [next] = this.#waiting;
    if (!next) {
      giveBack();
      return;
    }
    this.#waiting.delete(next);
    next.resolve(giveBack);
  }

  #refuseAll(error: RedisAway): void {
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
  }

  /** Ends early where this replica gives a turn back. */
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
