import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { ordered } from '../api/text/json.ts';

/** How long a person may take to answer a question. */
export const patienceMs = 5 * 60_000;

/** What a question is about; its answer holds for exactly this. */
export interface Subject {
  readonly tracker: string;
  /** Empty without tokens. */
  readonly owner: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly question: string;
}

/** What those who ask and those who take the answer have in common. Replicas share it, or an answer counts once on each. */
export interface SharedQuestions {
  /** Signs what travels with the client. It is asked for each time: replicas may have to agree on another one. */
  readonly key: Uint8Array;
  /** Remembers until a moment, in milliseconds since the epoch, that a question was answered; false if it was before. */
  take(question: string, until: number): Promise<boolean>;
}

class QuestionsHere implements SharedQuestions {
  readonly key = randomBytes(32);
  readonly #until = new Map<string, number>();

  async take(question: string, until: number): Promise<boolean> {
    for (const [old, end] of this.#until) if (end < Date.now()) this.#until.delete(old);
    if (this.#until.has(question)) return false;
    this.#until.set(question, until);
    return true;
  }
}

const sealed = z.object({ id: z.string(), until: z.number() });

/**
 * Questions that travel to a person and back with the client, which is not trusted: what it brings back is signed, bound to
 * the call it was asked for, good for five minutes, and used once.
 */
export class OpenQuestions {
  readonly #shared: SharedQuestions;

  /** Without what replicas share, a question is answered by the process that asked it. */
  constructor(shared: SharedQuestions = new QuestionsHere()) {
    this.#shared = shared;
  }

  seal(subject: Subject): string {
    const content = JSON.stringify({ id: randomUUID(), until: Date.now() + patienceMs });
    return `${Buffer.from(content).toString('base64url')}.${this.#sign(content, subject).toString('base64url')}`;
  }

  /**
   * Takes what a client brought back, once. `open`: the question was asked about this subject and is still to be answered;
   * `stale`: it was not, or was answered before.
   */
  async take(state: string, subject: Subject): Promise<'open' | 'too-late' | 'stale'> {
    const [encoded = '', signature = ''] = state.split('.');
    const content = Buffer.from(encoded, 'base64url').toString();
    const expected = this.#sign(content, subject);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'stale';
    const { id, until } = sealed.parse(JSON.parse(content));
    if (until < Date.now()) return 'too-late';
    return (await this.#shared.take(id, until)) ? 'open' : 'stale';
  }

  #sign(content: string, { tracker, owner, tool, arguments: given, question }: Subject): Buffer {
    const bound = JSON.stringify([content, tracker, owner, tool, ordered(given), question]);
    return createHmac('sha256', this.#shared.key).update(bound).digest();
  }
}
