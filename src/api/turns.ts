/** Waiters in line, each for an owner: those of one owner go in order, and the owners take turns. */
export class Turns<Waiter> {
  /** In the order in which the owners come next. */
  readonly #lines = new Map<string, Set<Waiter>>();
  readonly #rankOf: ((waiter: Waiter) => number) | undefined;

  /** @param rankOf who goes first of one owner's waiters: the lowest rank; absent: who came first */
  constructor(rankOf?: (waiter: Waiter) => number) {
    this.#rankOf = rankOf;
  }

  get size(): number {
    let size = 0;
    for (const line of this.#lines.values()) size += line.size;
    return size;
  }

  add(owner: string, waiter: Waiter): void {
    const line = this.#lines.get(owner);
    if (line) line.add(waiter);
    else this.#lines.set(owner, new Set([waiter]));
  }

  /** Takes a waiter out of the line. */
  delete(owner: string, waiter: Waiter): void {
    const line = this.#lines.get(owner);
    line?.delete(waiter);
    if (line?.size === 0) this.#lines.delete(owner);
  }

  /** Takes the next waiter out of the line; undefined if none waits. */
  next(): Waiter | undefined {
    const [first] = this.#lines;
    if (!first) return undefined;
    const [owner, line] = first;
    const waiter = this.#firstOf(line);
    if (waiter !== undefined) line.delete(waiter);
    // The owner goes to the end of the line.
    this.#lines.delete(owner);
    if (line.size > 0) this.#lines.set(owner, line);
    return waiter;
  }

  #firstOf(line: ReadonlySet<Waiter>): Waiter | undefined {
    const [oldest] = line;
    if (!this.#rankOf || oldest === undefined) return oldest;
    let first: Waiter = oldest;
    let lowest = this.#rankOf(oldest);
    for (const waiter of line) {
      const rank = this.#rankOf(waiter);
      if (rank < lowest) [first, lowest] = [waiter, rank];
    }
    return first;
  }
}
