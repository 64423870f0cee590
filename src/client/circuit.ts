import { CallCancelledError } from '../api/deadline.ts';
import { Failure } from '../api/failure.ts';
import { QueueTimeoutError, StatusProblem, TransportError } from './errors.ts';

/** After so many calls in a row that failed, the next ones are not sent. */
export const failuresToOpen = 4;

/** How long nothing is sent then, in milliseconds. */
const openForMs = 10_000;

/** Raised instead of sending a call. */
export class CircuitOpen extends Error {
  /** What is skipped: the whole tracker, which cannot be reached, or the endpoint that was asked. */
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
 * Spares a tracker that is down, and its callers: after repeated failures calls are refused at once. When some seconds have
 * passed, one call is let through to try; it closes the circuit, or opens it again.
 *
 * A tracker that cannot be reached is down for every endpoint. One that is reached and fails, or does not answer in time, is
 * down for the endpoint that was asked: a report that takes too long says nothing about the campaign list.
 */
export class Circuit {
  readonly #now: () => number;
  readonly #tracker: Breaker;
  readonly #endpoints = new Map<string, Breaker>();
  /** Calls with a request that was sent, and no end yet. */
  #underWay = 0;
  #sent = 0;

  /** @param now the time in milliseconds, of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#tracker = new Breaker(now);
  }

  /**
   * @param path the endpoint that is asked
   * @param call is given what to call when a request of it is sent
   * @throws CircuitOpen instead of running the call
   */
  async run<Result>(path: string, call: (onSent: () => void) => Promise<Result>): Promise<Result> {
    const endpoint = this.#endpoints.get(path) ?? new Breaker(this.#now);
    this.#endpoints.set(path, endpoint);
    this.#tracker.refuse('tracker');
    endpoint.refuse('endpoint');
    const [endOfTracker, endOfEndpoint] = [this.#tracker.begin(), endpoint.begin()];
    const [wasIdle, sentBefore] = [this.#underWay === 0, this.#sent];
    let wasSent = false;
    const onSent = () => {
      this.#sent += 1;
      if (!wasSent) this.#underWay += 1;
      wasSent = true;
    };
    let verdicts: Verdicts = fine;
    try {
      return await call(onSent);
    } catch (error) {
      // A request whose time was over before its turn among others has not tried to reach the tracker.
      verdicts = verdictsOn(error, wasIdle && this.#sent === sentBefore);
      throw error;
    } finally {
      if (wasSent) this.#underWay -= 1;
      endOfTracker(verdicts.tracker);
      endOfEndpoint(verdicts.endpoint);
    }
  }
}

type Verdict = 'works' | 'fails' | 'unknown';
type Verdicts = Readonly<Record<CircuitOpen['skipped'], Verdict>>;

const fine: Verdicts = { tracker: 'works', endpoint: 'works' };
const unreachable: Verdicts = { tracker: 'fails', endpoint: 'unknown' };
const failing: Verdicts = { tracker: 'works', endpoint: 'fails' };
const nothing: Verdicts = { tracker: 'unknown', endpoint: 'unknown' };

/** @param hadTurn whether a request that was not sent had nothing to wait for but the tracker */
function verdictsOn(error: unknown, hadTurn: boolean): Verdicts {
  const end = error instanceof TransportError ? error.cause : error;
  // A call that was not let through to the tracker, or was cancelled, says nothing about it.
  if (error instanceof QueueTimeoutError || error instanceof Failure) return nothing;
  if (end instanceof CallCancelledError && end.kind === 'cancelled') return nothing;
  if (error instanceof TransportError && error.kind === 'not-sent') {
    return end instanceof CallCancelledError && !hadTurn ? nothing : unreachable;
  }
  const isFailure =
    end instanceof CallCancelledError ||
    (error instanceof StatusProblem && error.status >= 500) ||
    (error instanceof TransportError && error.kind === 'lost');
  return isFailure ? failing : fine;
}

/** Counts failures in a row, and lets one call try when its time has come. */
class Breaker {
  readonly #now: () => number;
  #failures = 0;
  #opensAgainAt = 0;
  #isTrying = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws CircuitOpen while no call is let through */
  refuse(skipped: CircuitOpen['skipped']): void {
    if (this.#failures < failuresToOpen) return;
    const waitMs = this.#opensAgainAt - this.#now();
    if (waitMs > 0 || this.#isTrying) throw new CircuitOpen(skipped, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  /** @returns how to end the call that begins */
  begin(): (verdict: Verdict) => void {
    const isTrial = this.#failures >= failuresToOpen;
    this.#isTrying ||= isTrial;
    return (verdict) => {
      if (isTrial) this.#isTrying = false;
      if (verdict === 'works') this.#failures = 0;
      if (verdict === 'fails') this.#failures += 1;
      if (verdict === 'fails' && this.#failures >= failuresToOpen) this.#opensAgainAt = this.#now() + openForMs;
    };
  }
}
