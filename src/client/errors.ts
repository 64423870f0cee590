import { Failure, type Outcome } from '../api/failure.ts';
import type { Cell } from '../api/text/tracker-text.ts';

/** A call to the tracker that gave no reply. */
export class TrackerFailure extends Failure {
  override readonly name = 'TrackerFailure';
  override readonly outcome: Outcome;

  constructor(outcome: Outcome, happened: string, next: string) {
    super(happened, next);
    this.outcome = outcome;
  }
}

/**
 * Why there is no response, and how far the request got.
 *
 * not-sent: no byte of it left, so the tracker cannot have acted on it · lost: it was sent, and the connection failed before
 * the answer was whole · too-large: the answer passed the limit and was given up
 */
export class TransportError extends Error {
  readonly kind: 'not-sent' | 'lost' | 'too-large';

  constructor(kind: TransportError['kind'], cause: unknown) {
    super(reasonOf(cause), { cause });
    this.kind = kind;
  }
}

/** A request whose deadline ended before its turn came. It says nothing about the tracker, which was not tried. */
export class QueueTimeoutError extends TransportError {
  constructor(reason: unknown) {
    super('not-sent', reason);
  }
}

/** The name that networks give to a failure, such as ECONNREFUSED, without addresses or headers. */
function reasonOf(cause: unknown): string {
  if (cause instanceof Error) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    return code || cause.message;
  }
  return String(cause);
}

export class StatusProblem extends Error {
  readonly status: number;
  /** Where a redirect leads, without its query, shortened; null if that is no web address. */
  readonly location: string | null | undefined;
  /** Seconds the tracker asked to wait. */
  readonly retryAfter: number | undefined;
  /** The tracker's own words; null if its error was only a page. */
  readonly said: Cell;

  constructor(
    status: number,
    details: { location?: string | null | undefined; retryAfter?: number | undefined; said?: Cell } = {},
  ) {
    super(`HTTP ${status}`);
    this.status = status;
    this.location = details.location;
    this.retryAfter = details.retryAfter;
    this.said = details.said ?? null;
  }
}
