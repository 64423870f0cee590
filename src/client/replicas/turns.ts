import type { Life } from '../life.ts';

export { NoTurn } from '../http/exchange.ts';

/** What a request waits for among others: reads share three turns, and a write takes the one that writes have. */
export type TurnKind = 'reads' | 'writes';

/** How many requests are in flight to a tracker at a time. */
export const turnsAtATime: Readonly<Record<TurnKind, number>> = { reads: 3, writes: 1 };

/** The turns at a tracker that several servers ask. A server that is the only one has them in its sockets. */
export interface Turns {
  /**
   * Waits for a turn.
   *
   * @param life its end ends the wait
   * @returns gives the turn back
   * @throws NoTurn where its life ended first; a Failure where no turn can be had
   */
  take(kind: TurnKind, life: Life): Promise<() => void>;
}
