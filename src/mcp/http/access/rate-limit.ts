/** A minute in which requests are counted, in milliseconds. */
const windowMs = 60_000;

/** What a caller asked in the minute that is running. */
export interface Count {
  readonly requests: number;
  /** How long the minute still lasts. */
  readonly leftMs: number;
}

/** Counts what callers ask of several servers. */
export interface SharedCounts {
  /** @returns undefined where it cannot be counted now */
  count(caller: string, windowMs: number): Promise<Count | undefined>;
}

/** Holds each caller to so many requests a minute. */
export class RateLimit {
  readonly #max: number;
  readonly #shared: SharedCounts | undefined;
  /** When the minute began of those who called in it, and how often they did. */
  readonly #counts = new Map<string, { readonly beganAt: number; requests: number }>();

  /** @param shared without it, and where it cannot count, this server counts what it is asked itself */
  constructor(maxPerMinute: number, shared?: SharedCounts) {
    this.#max = maxPerMinute;
    this.#shared = shared;
  }

  /**
   * Counts a request.
   *
   * @returns undefined where it may be answered; otherwise in how many seconds the caller may ask again
   */
  async take(caller: string): Promise<number | undefined> {
    const { requests, leftMs } = (await this.#shared?.count(caller, windowMs)) ?? this.#countHere(caller);
    return requests <= this.#max ? undefined : Math.max(1, Math.ceil(leftMs / 1000));
  }

  #countHere(caller: string): Count {
    const now = performance.now();
    for (const [old, { beganAt }] of this.#counts) {
      if (now - beganAt < windowMs) break;
      this.#counts.delete(old);
    }
    const known = this.#counts.get(caller) ?? { beganAt: now, requests: 0 };
    this.#counts.set(caller, known);
    known.requests += 1;
    return { requests: known.requests, leftMs: known.beganAt + windowMs - now };
  }
}
