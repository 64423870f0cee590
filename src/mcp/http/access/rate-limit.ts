import { LRUCache } from 'lru-cache';

const windowMs = 60_000;

/** The names of tokens are few; the subjects of an authorization server may be many. */
const maxCallers = 10_000;

export interface Count {
  readonly requests: number;
  readonly leftMs: number;
}

export interface SharedCounts {
  /** Undefined if it cannot be counted now. */
  count(caller: string, windowMs: number): Promise<Count | undefined>;
}

export class RateLimit {
  readonly #max: number;
  readonly #shared: SharedCounts | undefined;
  /** When the minute began of those who called in it, and how often they did. */
  readonly #counts = new LRUCache<string, { readonly beganAt: number; requests: number }>({
    max: maxCallers,
    ttl: windowMs,
  });

  /** Without shared counts, and if they fail, this server counts by itself. */
  constructor(maxPerMinute: number, shared?: SharedCounts) {
    this.#max = maxPerMinute;
    this.#shared = shared;
  }

  /** Counts a request; undefined if it may be answered, otherwise in how many seconds the caller may ask again. */
  async take(caller: string): Promise<number | undefined> {
    const { requests, leftMs } = (await this.#shared?.count(caller, windowMs)) ?? this.#countHere(caller);
    return requests <= this.#max ? undefined : Math.max(1, Math.ceil(leftMs / 1000));
  }

  #countHere(caller: string): Count {
    const now = performance.now();
    let known = this.#counts.get(caller);
    if (!known || now - known.beganAt >= windowMs) {
      known = { beganAt: now, requests: 0 };
      this.#counts.set(caller, known);
    }
    known.requests += 1;
    return { requests: known.requests, leftMs: known.beganAt + windowMs - now };
  }
}
