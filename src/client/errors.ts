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

/** Ends a call; the reason of its life's end. */
export class CallEnded extends Error {
  readonly kind: 'deadline' | 'cancelled';

  constructor(kind: 'deadline' | 'cancelled') {
    super(kind);
    this.kind = kind;
  }
}

/** A response whose status says that there is no reply in it. */
export class StatusProblem extends Error {
  readonly status: number;
  /** Where a redirect leads, without its query, shortened; null where that is no web address. */
  readonly location: string | null | undefined;
  /** Seconds the tracker asked to wait. */
  readonly retryAfter: number | undefined;
  /** The tracker's own words; null where its error was only a page. */
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
