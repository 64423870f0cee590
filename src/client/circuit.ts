import { CallCancelledError } from '../api/deadline.ts';
import { Failure } from '../api/failure.ts';
import { StatusProblem, TransportError } from './errors.ts';
import { QueueTimeoutError } from './queue.ts';

/** After this many failures in a row the circuit opens: calls are no longer sent. */
export const failuresToOpen = 4;

/** How long it stays open, in milliseconds. */
const openForMs = 10_000;

/** Thrown instead of sending a call. */
export class CircuitOpen extends Error {
  /** What is skipped: the tracker, which cannot be reached, or one of its endpoints. */
  readonly skipped: 'tracker' | 'endpoint';
  /** Whole seconds until a call is let through again. */
  readonly retryInS: number;

  constructor(skipped: CircuitOpen['skipped'], retryInS: number) {
    super('circuit open');
    this.skipped = skipped;
    this.retryInS = retryInS;
  }
}

/**
 * Spares a tracker that is down, and its callers: after repeated failures, calls are refused at once. After some seconds
 * one call is let through; it closes the circuit, or opens it again.
 *
 * If a tracker cannot be reached, it is down for every endpoint. If it can be reached, but fails or does not answer in time, it is
 * down for that endpoint only: the campaign list may work although a report is slow.
 */
export class Circuit {
  readonly #now: () => number;
  readonly #tracker: Breaker;
  readonly #endpoints = new Map<string, Breaker>();

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#tracker = new Breaker(now);
  }

  /**
   * @param path the path of the endpoint
   * @throws CircuitOpen instead of running the call
   */
  async run<Result>(path: string, call: () => Promise<Result>): Promise<Result> {
    const endpoint = this.#endpoints.get(path) ?? new Breaker(this.#now);
    this.#endpoints.set(path, endpoint);
    this.#tracker.throwIfOpen('tracker');
    endpoint.throwIfOpen('endpoint');
    const endForTracker = this.#tracker.begin();
    const endForEndpoint = endpoint.begin();
    let verdicts: Verdicts = works;
    try {
      return await call();
    } catch (error) {
      verdicts = verdictsOn(error);
      throw error;
    } finally {
      endForTracker(verdicts.tracker);
      endForEndpoint(verdicts.endpoint);
    }
  }
}

type Verdict = 'works' | 'fails' | 'unknown';
type Verdicts = Readonly<Record<CircuitOpen['skipped'], Verdict>>;

const works: Verdicts = { tracker: 'works', endpoint: 'works' };
const unreachable: Verdicts = { tracker: 'fails', endpoint: 'unknown' };
const failing: Verdicts = { tracker: 'works', endpoint: 'fails' };
const unknown: Verdicts = { tracker: 'unknown', endpoint: 'unknown' };

function verdictsOn(error: unknown): Verdicts {
  const cause = error instanceof TransportError ? error.cause : error;
  // A call that was refused or cancelled, or ended in the queue, shows nothing about the tracker.
  if (error instanceof QueueTimeoutError || error instanceof Failure) return unknown;
  if (cause instanceof CallCancelledError && cause.kind === 'cancelled') return unknown;
  if (error instanceof TransportError && error.kind === 'not-sent') return unreachable;
  const isFailure =
    cause instanceof CallCancelledError ||
    (error instanceof StatusProblem && error.status >= 500) ||
    (error instanceof TransportError && (error.kind === 'lost' || error.kind === 'broken'));
  return isFailure ? failing : works;
}

/** Counts failures in a row. After some time it lets one call through as a trial. */
class Breaker {
  readonly #now: () => number;
  #failures = 0;
  #nextTrialAt = 0;
  #isTrying = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws CircuitOpen while no call is let through */
  throwIfOpen(skipped: CircuitOpen['skipped']): void {
    if (this.#failures < failuresToOpen) return;
    const waitMs = this.#nextTrialAt - this.#now();
    if (waitMs > 0 || this.#isTrying) throw new CircuitOpen(skipped, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  /** @returns a function that ends the call with its verdict */
  begin(): (verdict: Verdict) => void {
    const isTrial = this.#failures >= failuresToOpen;
    this.#isTrying ||= isTrial;
    return (verdict) => {
      if (isTrial) this.#isTrying = false;
      if (verdict === 'works') this.#failures = 0;
      if (verdict === 'fails') this.#failures += 1;
      if (verdict === 'fails' && this.#failures >= failuresToOpen) this.#nextTrialAt = this.#now() + openForMs;
    };
  }
}
