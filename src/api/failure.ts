/**
 * How far a call came, which decides whether it may be repeated.
 *
 * not-sent and refused: nothing was changed · unknown: a write may have been carried out · failed: a read that gave nothing
 */
export type Outcome = 'not-sent' | 'refused' | 'unknown' | 'cancelled' | 'failed';

/**
 * A failure that a reader can act on. Its message is written for the agent or person who gets it: what happened, then what
 * to do next, naming the argument or setting. It never holds a key, a stack or a page of the tracker.
 *
 * Every error this project raises on purpose is one; anything else is a defect and is reported as such.
 */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  /** How far the call to the tracker came; absent if there was none. */
  readonly outcome?: Outcome;

  /** The message without what to do next, for an answer that goes on without what was asked. */
  readonly happened: string;

  constructor(happened: string, next = '') {
    super(next ? `${happened} ${next}` : happened);
    this.happened = happened;
  }
}
