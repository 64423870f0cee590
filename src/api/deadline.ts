/** Ends a call before its work does. */
export class CallCancelledError extends Error {
  readonly kind: 'deadline' | 'cancelled';

  constructor(kind: CallCancelledError['kind']) {
    super(kind);
    this.kind = kind;
  }
}

/**
 * How long a caller waits for some work: it ends once, with a reason, and tells its listeners.
 *
 * Every call has one or two. An AbortController does the same at many times the cost, so one is made only where a signal is
 * asked for.
 */
export class Deadline {
  readonly #listeners = new Set<() => void>();
  readonly #endsAt: number;
  #hasEnded = false;
  #reason: unknown;
  #controller: AbortController | undefined;

  /** @param leftMs how long it lasts; `within` ends it then */
  constructor(leftMs = Number.POSITIVE_INFINITY) {
    this.#endsAt = performance.now() + leftMs;
  }

  /** Milliseconds until it ends by itself. */
  get leftMs(): number {
    return this.#endsAt - performance.now();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether it ended because its time was over, and not because it was cancelled. */
  get isOver(): boolean {
    return this.#reason instanceof CallCancelledError && this.#reason.kind === 'deadline';
  }

  /** Why it ended; undefined until then. */
  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController();
      this.#controller = controller;
      this.onEnd(() => controller.abort(this.#reason));
    }
    return this.#controller.signal;
  }

  /** Ends it; only the first reason counts. */
  cancel(reason: unknown = new CallCancelledError('cancelled')): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /**
   * Calls the listener when it ends, at once if it has.
   *
   * @returns takes the listener away
   */
  onEnd(listener: () => void): () => void {
    if (this.#hasEnded) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Settles as the work does, or throws the reason if the end comes first. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    let stop = () => {};
    try {
      return await new Promise<Result>((resolve, reject) => {
        stop = this.onEnd(() => reject(this.#reason));
        work.then(resolve, reject);
      });
    } finally {
      stop();
    }
  }
}

/** By the signals of callers. */
const deadlines = new WeakMap<AbortSignal, Deadline>();

/** The deadline of a caller, by its signal: that is listened to once, however much the caller asks for. */
function deadlineOf(signal: AbortSignal): Deadline {
  const known = deadlines.get(signal);
  if (known) return known;
  const deadline = new Deadline();
  deadlines.set(signal, deadline);
  const cancel = () => deadline.cancel(signal.reason);
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return deadline;
}

/**
 * Does some work within a time, and no longer than its caller waits for it. The work is given the deadline, whose end is to end
 * it: `deadline.during` and `deadline.signal` do that for what knows nothing of it.
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
  const stopListening = caller && deadlineOf(caller).onEnd(() => deadline.cancel());
  try {
    return await work(deadline);
  } finally {
    clearTimeout(timer);
    stopListening?.();
  }
}
