/**
 * A map that forgets its oldest entries, by when they were set, rather than grow past a size. It may forget all but the
 * newest half at once: taking them out one by one leaves gaps at the front of a Map that every later removal walks over.
 */
export class BoundedMap<Key, Value> {
  readonly #half: number;
  #newer = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  /** @param largest how many entries it holds at most; an even number */
  constructor(largest: number) {
    this.#half = largest / 2;
  }

  get(key: Key): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  set(key: Key, value: Value): void {
    this.#newer.set(key, value);
    if (this.#newer.size < this.#half) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }
}
