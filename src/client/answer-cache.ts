import { LRUCache } from 'lru-cache';
import { Deadline } from '../api/deadline.ts';
import type { Table } from '../api/table.ts';
import { fromPlain, toPlain } from './answer-reader.ts';
import type { Reading } from './decode/decode.ts';

/** How long an answer serves its later pages, in milliseconds. */
export const keptForMs = 60_000;

/** What all kept answers take in memory together, at most; a larger one is not kept, and its pages are asked for again. */
export const maxKeptBytes = 64 * 1024 * 1024;

/** What an answer takes beside itself and its question, about. */
const overheadBytes = 300;

/** Up to so many cells and characters, an answer is read again from its own text in less than a millisecond. */
const [maxCellsOfText, maxCharactersOfText] = [4096, 64 * 1024];

/** What is worked out of a table is kept with it, in bytes. */
const [besideCell, besideColumn] = [8, 1000];

export interface KeptAnswer {
  readonly reading: Reading;
  readonly ageMs: number;
}

/**
 * The last answers to reads, by what was asked, for a short time; the oldest make room. A small one is kept as its text: as it
 * was read it takes ten times that, and 20,000 of them let the process grow to 515 MB instead of 280. A large one is kept as it
 * was read, with what is worked out of it for each page.
 */
export class AnswerCache {
  readonly #kept: LRUCache<string, string | Reading>;
  #generation = 0;
  #expiry: NodeJS.Timeout | undefined;

  constructor(maxBytes = maxKeptBytes) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: bytesOf,
      ttl: keptForMs,
      perf: { now: () => performance.now() },
      ttlResolution: 0,
    });
  }

  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /** Changes whenever all answers are dropped. */
  get generation(): number {
    return this.#generation;
  }

  /** @returns undefined if it is too old or gone */
  find(question: string): KeptAnswer | undefined {
    const kept = this.#kept.get(question);
    if (kept === undefined) return undefined;
    const ageMs = keptForMs - this.#kept.getRemainingTTL(question);
    return { reading: typeof kept === 'string' ? fromPlain(JSON.parse(kept)) : kept, ageMs };
  }

  /**
   * Keeps an answer, unless all were dropped since it was asked for.
   *
   * @param generation when it was asked for
   */
  keep(question: string, reading: Reading, generation: number): void {
    if (generation !== this.#generation) return;
    this.#kept.set(question, isSmall(reading) ? JSON.stringify(toPlain(reading)) : reading);
    // Memory is given back even if nothing is asked any more.
    this.#expiry ??= setTimeout(() => this.#kept.clear(), keptForMs).unref();
    this.#expiry.refresh();
  }

  clear(): void {
    this.#generation += 1;
    this.#kept.clear();
  }
}

/** Whether something stands behind the first page of an answer. */
export function hasPages({ reply }: Reading, pageSize: number): boolean {
  return reply.kind === 'tables' && reply.tables.some(({ rowCount }) => rowCount > pageSize);
}

function isSmall({ reply }: Reading): boolean {
  if (reply.kind !== 'tables') return true;
  return sumOf(reply.tables, cellsOf) <= maxCellsOfText && sumOf(reply.tables, charactersOf) <= maxCharactersOfText;
}

const beyondLatin = /[^\0-\xff]/;

function bytesOf(kept: string | Reading): number {
  if (typeof kept === 'string') return kept.length * (beyondLatin.test(kept) ? 2 : 1) + overheadBytes;
  // The cache takes whole numbers alone.
  return Math.ceil(overheadBytes + (kept.reply.kind === 'tables' ? sumOf(kept.reply.tables, bytesOfTable) : 0));
}

const cellsOf = ({ rowCount, columns }: Table) => rowCount * columns.length;
const charactersOf = ({ characters }: Table) => characters;
const bytesOfTable = (table: Table) => table.bytes + cellsOf(table) * besideCell + table.columns.length * besideColumn;

function sumOf(tables: readonly Table[], figure: (table: Table) => number): number {
  return tables.reduce((sum, table) => sum + figure(table), 0);
}

interface Flight<Answer> {
  readonly answer: Promise<Answer>;
  readonly deadline: Deadline;
  waiting: number;
}

/**
 * Lets identical reads that are in flight at the same time share one request. Each caller may leave; the request ends when
 * the last one has left.
 */
export class SharedReads<Answer> {
  readonly #flights = new Map<string, Flight<Answer>>();

  /**
   * @param question what is asked; equal questions are one request
   * @param caller its end is when this caller leaves; its reason is thrown to it alone
   * @param start sends the request; the deadline it is given ends when every caller has left, with the last one's reason
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
    // A flight that everyone has left fails unheard.
    answer.catch(() => undefined);
    const flight = { answer, deadline, waiting: 0 };
    this.#flights.set(question, flight);
    return flight;
  }
}
