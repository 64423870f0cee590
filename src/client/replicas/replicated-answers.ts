import { randomUUID } from 'node:crypto';
import type { Reading } from '../decode/decode.ts';
import { hasPages, type KeptReadings } from '../kept/kept-readings.ts';
import type { AnswerKeeper, Generation, KeptAnswer } from '../kept-answers.ts';
import { packAnswer, unpackAnswer } from './stored-answer.ts';

/**
 * Where several servers keep answers, as bytes. What cannot be reached keeps nothing and finds nothing; nothing of it throws.
 */
export interface AnswerStore {
  /** Another one whenever all answers are dropped; undefined where it cannot be told. */
  generation(): Promise<string | undefined>;
  find(question: string): Promise<{ readonly bytes: Uint8Array; readonly at: number } | undefined>;
  /** Keeps an answer, unless all were dropped since that generation. */
  keep(
    question: string,
    answer: { readonly bytes: Uint8Array; readonly at: number },
    generation: string,
  ): Promise<void>;
  /** Drops all; where it cannot be reached, as soon as it can. */
  clear(): Promise<void>;
}

/** In rows. */
const shortestPage = 1;

/** A larger answer stays with the server that read it: another one asks the tracker for the pages behind the first. */
const maxSharedBytes = 4 * 1024 * 1024;

/**
 * Answers that several servers keep together, so that each can cut the pages behind the first. Every server also has its own
 * at hand, as long as nobody wrote.
 */
export class ReplicatedAnswers implements AnswerKeeper<Reading> {
  readonly #store: AnswerStore;
  readonly #here: KeptReadings;
  /** The generation of what is kept here. */
  #known: string = randomUUID();

  constructor(store: AnswerStore, here: KeptReadings) {
    this.#store = store;
    this.#here = here;
  }

  get generation(): Promise<string> {
    return this.#catchUp();
  }

  async find(question: string): Promise<KeptAnswer<Reading> | undefined> {
    await this.#catchUp();
    const here = this.#here.find(question);
    if (here) return here;
    const stored = await this.#store.find(question);
    const answer = stored && (await unpackAnswer(stored.bytes));
    return answer && { answer, at: stored.at };
  }

  async keep(question: string, answer: Reading, generation: Generation): Promise<number> {
    const isCurrent = generation === this.#known;
    const at = isCurrent ? this.#here.keep(question, answer, this.#here.generation) : Date.now();
    if (isCurrent && hasPages(answer, shortestPage) && bytesOf(answer) <= maxSharedBytes) {
      await this.#store.keep(question, { bytes: await packAnswer(answer), at }, String(generation));
    }
    return at;
  }

  async clear(): Promise<void> {
    this.#here.clear();
    // What was asked for before this moment is not to be kept, can the others be told now or not.
    this.#known = randomUUID();
    await this.#store.clear();
  }

  /** Drops what is kept here where somebody wrote since. */
  async #catchUp(): Promise<string> {
    const now = await this.#store.generation();
    if (now !== undefined && now !== this.#known) {
      this.#here.clear();
      this.#known = now;
    }
    return this.#known;
  }
}

function bytesOf({ reply }: Reading): number {
  return reply.kind === 'tables' ? reply.tables.reduce((sum, { bytes }) => sum + bytes, 0) : 0;
}
