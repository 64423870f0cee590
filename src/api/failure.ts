/**
 * How far a call got, which decides whether it may be repeated.
 *
 * not-sent, refused, cancelled: nothing was changed · unknown: a write may have been carried out · failed: a read without a
 * result
 */
export type Outcome = 'not-sent' | 'refused' | 'unknown' | 'cancelled' | 'failed';

/**
 * An expected error. Its message tells the agent or person what happened and what to do next, and names the argument or
 * setting. It never contains a key, a stack or a page of the tracker. Any other error is a defect and is reported as such.
 */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  /** How far the call to the tracker got; absent if there was none. */
  readonly outcome?: Outcome;
  /** The ID of the change that a failed write is recorded as; absent if nothing was to be sent. */
  change?: string;

  /** The message without the next step, for an answer that goes on without this part. */
  readonly happened: string;

  constructor(happened: string, next = '') {
    super(next ? `${happened} ${next}` : happened);
    this.happened = happened;
  }
}
