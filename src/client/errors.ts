import { Failure, type Outcome } from '../api/failure.ts';
import type { Cell } from '../api/text/tracker-text.ts';
import type { ProblemKind } from './decode/answer-problem.ts';

/** A call to the tracker that got no reply. */
export class TrackerFailure extends Failure {
  override readonly name = 'TrackerFailure';
  override readonly outcome: Outcome;
  /** What is wrong with the tracker's answer; undefined if another thing failed. */
  readonly kind: ProblemKind | undefined;

  constructor(outcome: Outcome, happened: string, next: string, kind?: ProblemKind) {
    super(happened, next);
    this.outcome = outcome;
    this.kind = kind;
  }
}

/** Whether the tracker refused what was asked for, such as a visitor that it does not know, and not the caller. */
export function isPlainRefusal(error: unknown): error is TrackerFailure {
  return error instanceof TrackerFailure && error.kind === 'refused';
}

/**
 * Why there is no response, and how far the request got.
 *
 * not-sent: no byte of it left, so the tracker cannot have acted on it · lost: it was sent, and the connection failed before
 * the answer was complete · broken: an answer came that is not a complete and readable HTTP response · too-large: the answer was
 * over the limit
 */
export class TransportError extends Error {
  readonly kind: 'not-sent' | 'lost' | 'broken' | 'too-large';

  constructor(kind: TransportError['kind'], cause: unknown) {
    super(reasonOf(cause), { cause });
    this.kind = kind;
  }
}

/** What is wrong with a response that is not one by the rules of HTTP, or that cannot be decoded. */
export type ResponseFault =
  | 'no-http'
  | 'headers'
  | 'length'
  | 'large-headers'
  | 'continue'
  | 'upgrade'
  | 'partial'
  | 'chunks'
  | 'cut'
  | 'unknown-encoding'
  | 'many-encodings'
  | 'broken-encoding'
  | 'cut-encoding'
  | 'binary';

/** The tracker answered, but its answer is not a readable HTTP response. */
export class BrokenResponse extends TransportError {
  readonly fault: ResponseFault;
  /** The name of the encoding, as the response has it. */
  readonly encoding: string | undefined;

  constructor(fault: ResponseFault, cause?: unknown, encoding?: string) {
    super('broken', cause ?? fault);
    this.fault = fault;
    this.encoding = encoding;
  }
}

/** The code of a network failure, such as ECONNREFUSED, without addresses or headers. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  return code || cause.message;
}

/** A response with an HTTP status other than success. */
export class StatusProblem extends Error {
  readonly status: number;
  /** The target of a redirect, without its query, shortened; null if that is not a web address. */
  readonly location: string | null | undefined;
  /** How long the tracker asks to wait, in seconds. */
  readonly retryAfter: number | undefined;
  /** The tracker's own message; null if its error was only a page. */
  readonly reason: Cell;

  constructor(
    status: number,
    details: { location?: string | null | undefined; retryAfter?: number | undefined; reason?: Cell } = {},
  ) {
    super(`HTTP ${status}`);
    this.status = status;
    this.location = details.location;
    this.retryAfter = details.retryAfter;
    this.reason = details.reason ?? null;
  }
}
