import { setMaxListeners } from 'node:events';

/** Ends a call before its work does. */
export class CallCancelledError extends Error {
  readonly kind: 'deadline' | 'cancelled';

  constructor(kind: CallCancelledError['kind']) {
    super(kind);
    this.kind = kind;
  }
}

/** How long a caller waits for some work: a signal that says how much time is left, and whether it fired because none was. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #endsAt: number;

  /** @param leftMs how long it lasts; `within` ends it then */
  constructor(leftMs = Number.POSITIVE_INFINITY) {
    // A call may ask a lot at once, and each request listens.
    setMaxListeners(0, this.signal);
    this.#endsAt = performance.now() + leftMs;
  }

  /** Milliseconds until it ends by itself. */
  get leftMs(): number {
    return this.#endsAt - performance.now();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasEnded(): boolean {
    return this.signal.aborted;
  }

  /** Why it ended; undefined until then. */
  get reason(): unknown {
    return this.signal.reason;
  }

  /** Whether it ended because its time was over, and not because it was cancelled. */
  get isOver(): boolean {
    return this.reason instanceof CallCancelledError && this.reason.kind === 'deadline';
  }

  /** Ends it; only the first reason counts. */
  cancel(reason: unknown = new CallCancelledError('cancelled')): void {
    this.#controller.abort(reason);
  }

  /** Calls the listener when it ends, at once if it has. Returns what takes the listener away. */
  onEnd(listener: () => void): () => void {
    if (this.hasEnded) listener();
    else this.signal.addEventListener('abort', listener, { once: true });
    return () => this.signal.removeEventListener('abort', listener);
  }

  /** Settles as the work does, or throws the reason if the end comes first. */
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
