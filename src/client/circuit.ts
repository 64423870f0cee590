import { CallEnded, StatusProblem } from './errors.ts';
import { TransportError } from './http.ts';

/** After so many calls in a row that the tracker failed, the next ones are not sent. */
const failuresToOpen = 4;

/** How long nothing is sent then, in milliseconds. */
const openForMs = 10_000;

/** Raised in the place of a call that is not sent. */
export class CircuitOpen extends Error {
  /** Whole seconds until a call is let through again. */
  readonly retryInS: number;

  constructor(retryInS: number) {
    super('circuit open');
    this.retryInS = retryInS;
  }
}

/**
 * Spares a tracker that is down, and whoever waits for it: after repeated failures calls are refused at once. When some
 * seconds have passed, one call is let through to try; it closes the circuit, or opens it again.
 */
export class Circuit {
  readonly #now: () => number;
  #failures = 0;
  #opensAgainAt = 0;
  #isTrying = false;

  /** @param now the time in milliseconds */
  constructor(now: () => number = () => Date.now()) {
    this.#now = now;
  }

  /** @throws CircuitOpen instead of running the call */
  async run<Result>(call: () => Promise<Result>): Promise<Result> {
    const isTrial = this.#failures >= failuresToOpen;
    if (isTrial) {
      const waitMs = this.#opensAgainAt - this.#now();
      if (waitMs > 0 || this.#isTrying) throw new CircuitOpen(Math.max(1, Math.ceil(waitMs / 1000)));
      this.#isTrying = true;
    }
    try {
      const result = await call();
      this.#failures = 0;
      return result;
    } catch (error) {
      this.#count(error);
      throw error;
    } finally {
      if (isTrial) this.#isTrying = false;
    }
  }

  #count(error: unknown): void {
    // Whoever cancels says nothing about the tracker.
    if (endOf(error) === 'cancelled') return;
    if (!isOutage(error)) {
      this.#failures = 0;
      return;
    }
    this.#failures += 1;
    if (this.#failures >= failuresToOpen) this.#opensAgainAt = this.#now() + openForMs;
  }
}

/** The tracker did not answer, or only with an error of its own. */
function isOutage(error: unknown): boolean {
  if (endOf(error) === 'deadline') return true;
  if (error instanceof StatusProblem) return error.status >= 500;
  return error instanceof TransportError && error.kind !== 'too-large';
}

function endOf(error: unknown): CallEnded['kind'] | undefined {
  const end = error instanceof TransportError ? error.cause : error;
  return end instanceof CallEnded ? end.kind : undefined;
}
