import type { Deadline } from '../api/deadline.ts';

/** Reads wait in one queue and writes in another, so that a long report holds up no write. */
export type QueueKind = 'reads' | 'writes';

/** How many requests of a kind are in flight to a tracker at a time. */
export const maxInFlight: Readonly<Record<QueueKind, number>> = { reads: 3, writes: 1 };

/** The queue for a tracker that several servers ask. A server that is the only one has it in its sockets. */
export interface Queue {
  /**
   * Waits for a turn.
   *
   * @param deadline its end ends the wait
   * @returns gives the turn back
   * @throws QueueTimeoutError if the deadline ended first; a Failure if no turn can be had
   */
  take(kind: QueueKind, deadline: Deadline): Promise<() => void>;
}
