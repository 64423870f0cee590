import { Failure } from '../api/failure.ts';
import { CallEnded, StatusProblem } from './errors.ts';
import { NoTurn, TransportError } from './http/exchange.ts';

/** After so many calls in a row that failed, the next ones are not sent. */
export const failuresToOpen = 4;

/** How long nothing is sent then, in milliseconds. */
export const openForMs = 10_000;

/** Raised in the place of a call that is not sent. */
export class CircuitOpen extends Error {
  /** What is spared: the whole tracker, which cannot be reached, or the endpoint that was asked. */
  readonly spared: 'tracker' | 'endpoint';
  /** Whole seconds until a call is let through again. */
  readonly retryInS: number;

  constructor(spared: CircuitOpen['spared'], retryInS: number) {
    super('circuit open');
    this.spared = spared;
    this.retryInS = retryInS;
  }
}

/**
 * Spares a tracker that is down, and whoever waits for it: after repeated failures calls are refused at once. When some
 * seconds have passed, one call is let through to try; it closes the circuit, or opens it again.
 *
 * A tracker that cannot be reached is down for every endpoint. One that is reached and fails, or does not answer in time, is
 * down for the endpoint that was asked: a report that takes too long says nothing about the campaign list.
 */
export class Circuit {
  readonly #breakers: Breakers;
  /** Calls with a request that was sent, and no end yet. */
  #underWay = 0;
  /** Requests that were sent so far. */
  #sent = 0;

  /**
   * @param now the time in milliseconds
   * @param breakers those of several servers that ask one tracker; without them, this one's own
   */
  constructor(now: () => number = () => Date.now(), breakers: Breakers = new OwnBreakers(now)) {
    this.#breakers = breakers;
  }

  /**
   * @param path the endpoint that is asked
   * @param call is given what to call when a request of it is sent
   * @throws CircuitOpen instead of running the call
   */
  async run<Result>(path: string, call: (onSent: () => void) => Promise<Result>): Promise<Result> {
    const end = await this.#breakers.begin(path);
    const [wasIdle, sentBefore] = [this.#underWay === 0, this.#sent];
    let wasSent = false;
    const onSent = () => {
      this.#sent += 1;
      if (!wasSent) this.#underWay += 1;
      wasSent = true;
    };
    let judgement: Judgement = fine;
    try {
      return await call(onSent);
    } catch (error) {
      // A request whose time was over before its turn among others has not tried to reach the tracker.
      judgement = judge(error, wasIdle && this.#sent === sentBefore);
      throw error;
    } finally {
      if (wasSent) this.#underWay -= 1;
      const told = end(judgement);
      // Whoever hears of a failure can rely on it that all others know of it.
      if (Object.values(judgement).includes('fails')) await told;
    }
  }
}

/** What the end of a call says about what it asked. */
export type Verdict = 'works' | 'fails' | 'unknown';
export type Judgement = Readonly<Record<CircuitOpen['spared'], Verdict>>;

/** The breakers of a tracker and of its endpoints, which know what became of the calls before. */
export interface Breakers {
  /**
   * @param path the endpoint that is asked
   * @returns how to end the call that begins
   * @throws CircuitOpen where it may not
   */
  begin(path: string): End | Promise<End>;
}

/** Ends a call; done once everyone who shares the breakers knows. It never fails. */
export type End = (judgement: Judgement) => void | Promise<void>;

const fine: Judgement = { tracker: 'works', endpoint: 'works' };
const unreachable: Judgement = { tracker: 'fails', endpoint: 'unknown' };
const failing: Judgement = { tracker: 'works', endpoint: 'fails' };
const nothing: Judgement = { tracker: 'unknown', endpoint: 'unknown' };

/** @param hadTurn whether a request that was not sent had nothing to wait for but the tracker */
function judge(error: unknown, hadTurn: boolean): Judgement {
  const end = error instanceof TransportError ? error.cause : error;
  // A call that was not let through to the tracker, or was cancelled, says nothing about it.
  if (error instanceof NoTurn || error instanceof Failure) return nothing;
  if (end instanceof CallEnded && end.kind === 'cancelled') return nothing;
  if (error instanceof TransportError && error.kind === 'not-sent') {
    return end instanceof CallEnded && !hadTurn ? nothing : unreachable;
  }
  const isFailure =
    end instanceof CallEnded ||
    (error instanceof StatusProblem && error.status >= 500) ||
    (error instanceof TransportError && error.kind === 'lost');
  return isFailure ? failing : fine;
}

/** Breakers that know what became of this server's own calls. */
export class OwnBreakers implements Breakers {
  readonly #now: () => number;
  readonly #tracker: Breaker;
  readonly #endpoints = new Map<string, Breaker>();

  /** @param now the time in milliseconds */
  constructor(now: () => number = () => Date.now()) {
    this.#now = now;
    this.#tracker = new Breaker(now);
  }

  begin(path: string): (judgement: Judgement) => void {
    const endpoint = this.#endpoints.get(path) ?? new Breaker(this.#now);
    this.#endpoints.set(path, endpoint);
    this.#tracker.refuse('tracker');
    endpoint.refuse('endpoint');
    const ends = { tracker: this.#tracker.begin(), endpoint: endpoint.begin() };
    return (judgement) => {
      ends.tracker(judgement.tracker);
      ends.endpoint(judgement.endpoint);
    };
  }
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
  refuse(spared: CircuitOpen['spared']): void {
    if (this.#failures < failuresToOpen) return;
    const waitMs = this.#opensAgainAt - this.#now();
    if (waitMs > 0 || this.#isTrying) throw new CircuitOpen(spared, Math.max(1, Math.ceil(waitMs / 1000)));
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
