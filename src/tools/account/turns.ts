/**
 * In which turn campaigns are asked if there may be no time for all: first those that were not reached before, the longest waiting
 * ahead; last those that failed, so that what hangs keeps no other from being read.
 */
export class Turns {
  #first: readonly string[];
  #last: readonly string[];

  /** @param earlier what `toJSON` gave */
  constructor({
    first = [],
    last = [],
  }: { readonly first?: readonly string[]; readonly last?: readonly string[] } = {}) {
    this.#first = first;
    this.#last = last;
  }

  /** The place of a campaign's turn: below 0 ahead of others, above 0 behind them. */
  of(id: string): number {
    const ahead = this.#first.indexOf(id);
    return ahead < 0 ? this.#last.indexOf(id) + 1 : ahead - this.#first.length;
  }

  /** Takes what became of campaigns, in the order in which they were asked. */
  note(unreached: readonly string[], failed: readonly string[]): void {
    const isUnreached = new Set(unreached);
    const last = new Set([...this.#last.filter((id) => isUnreached.has(id)), ...failed]);
    const waiting = this.#first.filter((id) => isUnreached.has(id));
    this.#first = [...new Set([...waiting, ...unreached])].filter((id) => !last.has(id));
    this.#last = [...last];
  }

  toJSON() {
    return { first: [...this.#first], last: [...this.#last] };
  }
}
