import type { Deadline } from '../api/deadline.ts';
import { Turns } from '../api/turns.ts';
import { TransportError } from './errors.ts';

/** Reads and writes queue separately, so that a long report does not delay a write. */
export type QueueKind = 'reads' | 'writes';

/** How many requests of a kind are in flight to a tracker at a time. */
export const maxInFlight: Readonly<Record<QueueKind, number>> = { reads: 3, writes: 1 };

/** The queue for requests to a tracker. */
export interface Queue {
  /**
   * Waits for a turn. Owners take turns, so that many requests of one do not delay those of others.
   *
   * @param owner the holder of the token whose call asks; empty without tokens
   * @returns a function that gives the turn back
   * @throws QueueTimeoutError if the deadline ends first; a Failure if no turn is available
   */
  take(kind: QueueKind, deadline: Deadline, owner: string): Promise<() => void>;
}

/** The deadline of a request ended before its turn came, so the tracker was not tried. */
export class QueueTimeoutError extends TransportError {
  constructor(reason: unknown) {
    super('not-sent', reason);
  }
}

/** The queue of a server that is the only one to ask its tracker. */
export class LocalQueue implements Queue {
  readonly #inFlight = { reads: 0, writes: 0 };
  readonly #waiting = { reads: new Turns<() => void>(), writes: new Turns<() => void>() };

  async take(kind: QueueKind, deadline: Deadline, owner: string): Promise<() => void> {
    if (deadline.hasEnded) throw new QueueTimeoutError(deadline.reason);
    if (this.#inFlight[kind] < maxInFlight[kind]) this.#inFlight[kind] += 1;
    else await this.#wait(this.#waiting[kind], deadline, owner);
    return () => this.#giveBack(kind);
  }

  #wait(waiting: Turns<() => void>, deadline: Deadline, owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        stopListening();
        resolve();
      };
      const stopListening = deadline.onEnd(() => {
        waiting.delete(owner, start);
        reject(new QueueTimeoutError(deadline.reason));
      });
      waiting.add(owner, start);
    });
  }

  /** Hands the turn to the next in line. */
  #giveBack(kind: QueueKind): void {
    const next = this.#waiting[kind].next();
    if (next) next();
    else this.#inFlight[kind] -= 1;
  }
}
