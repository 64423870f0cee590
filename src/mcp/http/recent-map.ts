/** A map that holds so many entries: one more ends the one that was used longest ago. */
export class RecentMap<Value> {
  readonly #max: number;
  readonly #onEnd: (value: Value) => void;
  /** The one that was used longest ago first. */
  readonly #entries = new Map<string, Value>();

  constructor(max: number, onEnd: (value: Value) => void) {
    this.#max = max;
    this.#onEnd = onEnd;
  }

  /** The value of a key, which is used by this. */
  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#max && oldest !== undefined) this.end(oldest);
  }

  /** Those there are, the one that was used longest ago first. */
  get entries(): readonly (readonly [key: string, value: Value])[] {
    return [...this.#entries];
  }

  end(key: string): void {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    if (value !== undefined) this.#onEnd(value);
  }
}
