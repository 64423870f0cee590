import { LRUCache } from 'lru-cache';
import { Deadline } from '../api/deadline.ts';
import type { Table } from '../api/table.ts';
import type { Reading } from './decode/decode.ts';

/** How long an answer serves its later pages, in milliseconds. */
export const cachedForMs = 60_000;

/** The memory for all cached answers. A larger answer is not cached, and its pages are read again. */
export const maxCachedBytes = 64 * 1024 * 1024;

/** The memory of an answer apart from its cells, and of the values derived from a table, per cell and column. In bytes. */
const [bytesPerAnswer, bytesPerCell, bytesPerColumn] = [1500, 8, 1000];

export interface CachedAnswer {
  readonly reading: Reading;
  readonly ageMs: number;
}

/** The latest answers to reads by their question, for a short time. The least recently used are dropped first. */
export class AnswerCache {
  readonly #answers: LRUCache<string, Reading>;
  #generation = 0;
  #expiry: NodeJS.Timeout | undefined;

  constructor(maxBytes = maxCachedBytes) {
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: bytesOf,
      ttl: cachedForMs,
      perf: { now: () => performance.now() },
      ttlResolution: 0,
    });
  }

  get bytes(): number {
    return this.#answers.calculatedSize;
  }

  /** Changes whenever all answers are dropped. */
  get generation(): number {
    return this.#generation;
  }

  find(question: string): CachedAnswer | undefined {
    const reading = this.#answers.get(question);
    return reading && { reading, ageMs: cachedForMs - this.#answers.getRemainingTTL(question) };
  }

  /** @param generation the generation when the question was asked: older answers are not cached */
  add(question: string, reading: Reading, generation: number): void {
    if (generation !== this.#generation) return;
    this.#answers.set(question, reading);
    // The cache looks at ages only when it is used.
    this.#expiry ??= setTimeout(() => this.#answers.clear(), cachedForMs).unref();
    this.#expiry.refresh();
  }

  clear(): void {
    this.#generation += 1;
    this.#answers.clear();
  }
}

/** Whether an answer has rows after its first page. */
export function hasPages({ reply }: Reading, pageSize: number): boolean {
  return reply.kind === 'tables' && reply.tables.some(({ rowCount }) => rowCount > pageSize);
}

function bytesOf({ reply }: Reading): number {
  const tables = reply.kind === 'tables' ? reply.tables : [];
  // The cache takes whole numbers.
  return Math.ceil(tables.reduce((sum, table) => sum + bytesOfTable(table), bytesPerAnswer));
}

function bytesOfTable({ bytes, rowCount, columns }: Table): number {
  return bytes + columns.length * (rowCount * bytesPerCell + bytesPerColumn);
}

interface Flight<Answer> {
  readonly answer: Promise<Answer>;
  readonly deadline: Deadline;
  waiting: number;
}

/** Lets identical reads in flight share one request, which ends when the last caller has left. */
export class SharedReads<Answer> {
  readonly #flights = new Map<string, Flight<Answer>>();

  /**
   * @param question equal questions share a request
   * @param caller its end makes this caller leave, with the reason as an error
   * @param start sends the request; its deadline ends when the last caller has left
   */
  async join(question: string, caller: Deadline, start: (deadline: Deadline) => Promise<Answer>): Promise<Answer> {
    if (caller.hasEnded) throw caller.reason;
    const flight = this.#flights.get(question) ?? this.#begin(question, caller, start);
    flight.waiting += 1;
    try {
      return await caller.during(flight.answer);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        this.#flights.delete(question);
        if (caller.hasEnded) flight.deadline.cancel(caller.reason);
      }
    }
  }

  #begin(question: string, caller: Deadline, start: (deadline: Deadline) => Promise<Answer>): Flight<Answer> {
    const deadline = new Deadline(caller.leftMs);
    const answer = start(deadline);
    // Without callers nothing else handles the failure.
    answer.catch(() => undefined);
    const flight = { answer, deadline, waiting: 0 };
    this.#flights.set(question, flight);
    return flight;
  }
}
