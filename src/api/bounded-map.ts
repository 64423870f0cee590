/** What a map may grow to. */
interface Bounds<Value> {
  /** How many entries, or what they weigh together. */
  readonly max: number;
  /** What an entry weighs; without it, 1. */
  readonly weigh?: (value: Value) => number;
  /** For how long an entry is found, in milliseconds. */
  readonly maxAgeMs?: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
  readonly setAt: number;
}

/** A map whose oldest entries, by when they were set, make room: it grows past no bound, and forgets what is too old. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #max: number;
  readonly #weigh: (value: Value) => number;
  readonly #maxAgeMs: number;
  #weight = 0;
  // Kept, since a new iterator walks over all the gaps that removals have left at the front of a Map.
  #fromOldest = this.#entries.entries();
  #oldest: readonly [Key, Entry<Value>] | undefined;

  constructor({ max, weigh = () => 1, maxAgeMs = Number.POSITIVE_INFINITY }: Bounds<Value>) {
    this.#max = max;
    this.#weigh = weigh;
    this.#maxAgeMs = maxAgeMs;
  }

  /** What all entries weigh together: how many there are, if no weight was given. */
  get weight(): number {
    return this.#weight;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    return entry && !this.#isOld(entry) ? entry.value : undefined;
  }

  /** How long ago an entry was set, in milliseconds; undefined if it is not found. */
  ageOf(key: Key): number | undefined {
    const entry = this.#entries.get(key);
    return entry && !this.#isOld(entry) ? performance.now() - entry.setAt : undefined;
  }

  /** The entry is the newest then, also if there was one of that key. */
  set(key: Key, value: Value): void {
    this.delete(key);
    const entry = { value, weight: this.#weigh(value), setAt: performance.now() };
    this.#entries.set(key, entry);
    this.#weight += entry.weight;
    this.#makeRoom();
  }

  delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  #makeRoom(): void {
    while (this.#entries.size > 0) {
      this.#oldest ??= this.#next();
      if (!this.#oldest) continue;
      const [key, entry] = this.#oldest;
      const isThere = this.#entries.get(key) === entry;
      if (isThere && this.#weight <= this.#max && !this.#isOld(entry)) return;
      if (isThere) this.delete(key);
      this.#oldest = undefined;
    }
  }

  /** @returns undefined at the end, after which it begins anew */
  #next(): readonly [Key, Entry<Value>] | undefined {
    const { value, done } = this.#fromOldest.next();
    if (done) this.#fromOldest = this.#entries.entries();
    return value;
  }

  #isOld({ setAt }: Entry<Value>): boolean {
    return performance.now() - setAt >= this.#maxAgeMs;
  }
}
