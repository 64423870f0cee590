import { setMaxListeners } from 'node:events';

/** A call ended before its work was done. */
export class CallCancelledError extends Error {
  readonly kind: 'deadline' | 'cancelled';

  constructor(kind: CallCancelledError['kind']) {
    super(kind);
    this.kind = kind;
  }
}

/** The time that one call of a tool has used, over all that it does. */
export class CallClock {
  readonly #startedAt: number;
  #waitedMs = 0;
  /** The longest that the tracker took for an answer in this call, in milliseconds. */
  slowestAnswerMs = 0;

  /** @param usedMs how much of its time a call has used before */
  constructor(usedMs = 0) {
    this.#startedAt = performance.now() - usedMs;
  }

  get usedMs(): number {
    return performance.now() - this.#startedAt - this.#waitedMs;
  }

  /** Stands still during the work: a person may take their time. */
  async standingStill<Result>(work: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.#waitedMs += performance.now() - start;
    }
  }
}

/** How much time is left for some work, and whether it ended because the time ran out. Costs less than an abort signal. */
export class Deadline {
  readonly #endsAt: number;
  readonly #listeners = new Set<() => void>();
  #controller: AbortController | undefined;
  #hasEnded = false;
  #reason: unknown;

  /** @param leftMs how long it lasts; it does not fire by itself, see `within` */
  constructor(leftMs = Number.POSITIVE_INFINITY) {
    this.#endsAt = performance.now() + leftMs;
  }

  /** Milliseconds until it ends. */
  get leftMs(): number {
    return this.#endsAt - performance.now();
  }

  /** For what takes a signal only. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      // A call may send many requests at once, and each listens.
      setMaxListeners(0, this.#controller.signal);
      if (this.#hasEnded) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Why it ended; undefined until then. */
  get reason(): unknown {
    return this.#reason;
  }

  /** Whether it ended because its time ran out, and not by a cancellation. */
  get hasTimedOut(): boolean {
    return this.reason instanceof CallCancelledError && this.reason.kind === 'deadline';
  }

  /** Ends it; only the first reason counts. */
  cancel(reason: unknown = new CallCancelledError('cancelled')): void {
    if (this.#hasEnded) return;
    [this.#hasEnded, this.#reason] = [true, reason];
    this.#controller?.abort(reason);
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls the listener when it ends, at once if it has ended. Returns a function that removes the listener. */
  onEnd(listener: () => void): () => void {
    if (this.#hasEnded) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Settles like the work, or throws the reason if the deadline ends first. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    let stop = () => {};
    try {
      return await new Promise<Result>((resolve, reject) => {
        stop = this.onEnd(() => reject(this.reason));
        work.then(resolve, reject);
      });
    } finally {
      stop();
    }
  }
}

/**
 * Runs some work with a deadline. The work itself must stop when the deadline ends, for example by `deadline.during` or
 * `deadline.signal`.
 *
 * @param caller cancels the work
 */
export async function within<Result>(
  ms: number,
  work: (deadline: Deadline) => Promise<Result>,
  caller?: AbortSignal,
): Promise<Result> {
  const deadline = new Deadline(ms);
  const timer = setTimeout(() => deadline.cancel(new CallCancelledError('deadline')), ms);
  const cancel = () => deadline.cancel();
  if (caller) setMaxListeners(0, caller);
  if (caller?.aborted) cancel();
  caller?.addEventListener('abort', cancel, { once: true });
  try {
    return await work(deadline);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', cancel);
  }
}
