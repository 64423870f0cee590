/** The marks that can separate decimals from whole numbers. */
export const decimalMarks = ['point', 'comma'] as const;

export type DecimalMark = (typeof decimalMarks)[number];

/** How one tracker writes numbers: what is set, and what its answers showed. It is kept in memory only. */
export class TrackerNumbers {
  readonly set: DecimalMark | undefined;
  readonly #seen = new Set<DecimalMark>();

  /** @param set the configured mark, for answers that do not show theirs */
  constructor(set?: DecimalMark) {
    this.set = set;
  }

  learn(mark: DecimalMark): void {
    this.#seen.add(mark);
  }

  /** The mark that all earlier answers showed; undefined if none did, or they disagree. */
  get learned(): DecimalMark | undefined {
    const [mark] = this.#seen;
    return this.#seen.size === 1 ? mark : undefined;
  }

  /** Whether some earlier answer had a decimal comma. */
  get hasSeenComma(): boolean {
    return this.#seen.has('comma');
  }
}
