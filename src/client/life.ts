/** By the signals of callers. */
const lives = new WeakMap<AbortSignal, Life>();

/** How long a caller has use for anything, by its signal: that is listened to once, whatever the caller asks for. */
export function lifeOf(signal: AbortSignal): Life {
  const known = lives.get(signal);
  if (known) return known;
  const life = new Life();
  lives.set(signal, life);
  const end = () => life.end(signal.reason);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return life;
}

/**
 * How long somebody has use for some work: it ends once, with a reason, and tells whoever listens.
 *
 * Every call has one or two. An AbortController would do the same, at many times the cost.
 */
export class Life {
  readonly #listeners = new Set<() => void>();
  #hasEnded = false;
  #reason: unknown;

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Why it ended; undefined as long as it has not. */
  get reason(): unknown {
    return this.#reason;
  }

  /** Only the first end counts. */
  end(reason: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /**
   * Calls the listener when it ends, at once where it has.
   *
   * @returns takes the listener away
   */
  onEnd(listener: () => void): () => void {
    if (this.#hasEnded) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Settles as the work does, or throws the reason where the end comes first. */
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
