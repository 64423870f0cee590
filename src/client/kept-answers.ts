/** How long the answer to a read serves the pages behind its first, in milliseconds. */
export const keptForMs = 60_000;

/** What all kept answers take in memory together, at most; a larger one is not kept, and its pages are asked for again. */
export const maxKeptBytes = 64 * 1024 * 1024;

/** What an answer takes beside itself and its question, about. */
const overheadBytes = 300;

/** An answer that is kept, and when it came, in milliseconds since the epoch. */
export interface KeptAnswer<Answer> {
  readonly answer: Answer;
  readonly at: number;
}

/** What keeps answers: this server alone, or several that ask one tracker. */
export interface AnswerKeeper<Answer> {
  /** Changes whenever all answers are dropped. */
  readonly generation: Generation | Promise<Generation>;
  /** @returns undefined where it is too old or gone */
  find(question: string): KeptAnswer<Answer> | undefined | Promise<KeptAnswer<Answer> | undefined>;
  /**
   * Keeps an answer, unless all were dropped since it was asked for.
   *
   * @param generation when it was asked for
   * @returns when it came, in milliseconds since the epoch
   */
  keep(question: string, answer: Answer, generation: Generation): number | Promise<number>;
  /** Drops all. */
  clear(): void | Promise<void>;
}

export type Generation = number | string;

interface Kept<Answer> extends KeptAnswer<Answer> {
  readonly bytes: number;
}

/** The last answers to reads, by what was asked, for a short time; the oldest make room. */
export class KeptAnswers<Answer> implements AnswerKeeper<Answer> {
  readonly #bytesOf: (answer: Answer) => number;
  readonly #maxBytes: number;
  readonly #kept = new Map<string, Kept<Answer>>();
  #bytes = 0;
  #generation = 0;
  #expiry: NodeJS.Timeout | undefined;

  /**
   * @param bytesOf what an answer takes in memory
   * @param maxBytes what all of them may take together
   */
  constructor(bytesOf: (answer: Answer) => number, maxBytes = maxKeptBytes) {
    this.#bytesOf = bytesOf;
    this.#maxBytes = maxBytes;
  }

  /** What all of them take in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  get generation(): number {
    return this.#generation;
  }

  find(question: string): KeptAnswer<Answer> | undefined {
    const kept = this.#kept.get(question);
    return kept && Date.now() - kept.at < keptForMs ? kept : undefined;
  }

  keep(question: string, answer: Answer, generation: Generation): number {
    const at = Date.now();
    if (generation !== this.#generation) return at;
    this.#drop(question);
    const bytes = this.#bytesOf(answer) + question.length + overheadBytes;
    this.#kept.set(question, { answer, bytes, at });
    this.#bytes += bytes;
    this.#dropSurplus();
    // Memory is given back even where nothing is asked any more.
    this.#expiry ??= setTimeout(() => this.#dropAll(), keptForMs).unref();
    this.#expiry.refresh();
    return at;
  }

  clear(): void {
    this.#generation += 1;
    this.#dropAll();
  }

  #dropSurplus(): void {
    for (const [question, { at }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes && Date.now() - at < keptForMs) return;
      this.#drop(question);
    }
  }

  #drop(question: string): void {
    this.#bytes -= this.#kept.get(question)?.bytes ?? 0;
    this.#kept.delete(question);
  }

  #dropAll(): void {
    this.#bytes = 0;
    this.#kept.clear();
  }
}
