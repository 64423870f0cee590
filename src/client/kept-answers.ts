/** How long the answer to a read serves the pages behind its first, in milliseconds. */
export const keptForMs = 60_000;

/** Answers are large: a few are enough for an agent that pages through one or two reports. */
const mostKept = 4;

interface Kept<Answer> {
  readonly answer: Answer;
  readonly at: number;
}

/** The last few answers to reads, by what was asked, for a short time. */
export class KeptAnswers<Answer> {
  readonly #kept = new Map<string, Kept<Answer>>();

  /** @returns the answer and when it came, in milliseconds since the epoch; undefined where it is too old or gone */
  find(question: string): Kept<Answer> | undefined {
    const kept = this.#kept.get(question);
    return kept && Date.now() - kept.at < keptForMs ? kept : undefined;
  }

  keep(question: string, answer: Answer): Kept<Answer> {
    const kept = { answer, at: Date.now() };
    this.#kept.delete(question);
    this.#kept.set(question, kept);
    for (const [other, { at }] of this.#kept) {
      if (this.#kept.size > mostKept || Date.now() - at >= keptForMs) this.#kept.delete(other);
    }
    return kept;
  }

  clear(): void {
    this.#kept.clear();
  }
}
