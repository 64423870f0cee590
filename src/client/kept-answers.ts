/** How long the answer to a read serves the pages behind its first, in milliseconds. */
export const keptForMs = 60_000;

/** Answers are large: a few are enough for an agent that pages through one or two reports. */
const maxKept = 4;

/** The newest answer is kept whatever its size, others only while all of them together have no more cells than this. */
const maxCells = 1_500_000;

interface Kept<Answer> {
  readonly answer: Answer;
  readonly cells: number;
  readonly at: number;
}

/** The last few answers to reads, by what was asked, for a short time. */
export class KeptAnswers<Answer> {
  readonly #countCells: (answer: Answer) => number;
  readonly #kept = new Map<string, Kept<Answer>>();
  #generation = 0;
  #expiry: NodeJS.Timeout | undefined;

  /** @param countCells how large an answer is */
  constructor(countCells: (answer: Answer) => number) {
    this.#countCells = countCells;
  }

  /** Changes whenever all answers are dropped. */
  get generation(): number {
    return this.#generation;
  }

  /** @returns the answer and when it came, in milliseconds since the epoch; undefined where it is too old or gone */
  find(question: string): Pick<Kept<Answer>, 'answer' | 'at'> | undefined {
    const kept = this.#kept.get(question);
    return kept && Date.now() - kept.at < keptForMs ? kept : undefined;
  }

  /**
   * Keeps an answer, unless all were dropped since it was asked for.
   *
   * @param generation when it was asked for
   * @returns when it came, in milliseconds since the epoch
   */
  keep(question: string, answer: Answer, generation: number): number {
    const at = Date.now();
    if (generation !== this.#generation) return at;
    this.#kept.delete(question);
    this.#kept.set(question, { answer, cells: this.#countCells(answer), at });
    this.#dropSurplus();
    clearTimeout(this.#expiry);
    // Memory is given back even where nothing is asked any more.
    this.#expiry = setTimeout(() => this.#kept.clear(), keptForMs).unref();
    return at;
  }

  clear(): void {
    this.#generation += 1;
    this.#kept.clear();
  }

  #dropSurplus(): void {
    let cells = 0;
    const newestFirst = [...this.#kept].reverse();
    newestFirst.forEach(([question, kept], index) => {
      cells += kept.cells;
      const isSurplus = index >= maxKept || cells > maxCells || Date.now() - kept.at >= keptForMs;
      if (index > 0 && isSurplus) this.#kept.delete(question);
    });
  }
}
