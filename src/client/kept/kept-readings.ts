import type { Table } from '../../api/table.ts';
import type { Reading } from '../decode/decode.ts';
import { type AnswerKeeper, type Generation, type KeptAnswer, KeptAnswers } from '../kept-answers.ts';
import { fromText, toText } from './answer-text.ts';

/** Up to so many cells and characters, an answer is read again from its own text in less than a millisecond. */
const [maxCellsOfText, maxCharactersOfText] = [4096, 64 * 1024];

/** What is worked out of a table is kept with it: a number for each cell, and something for each column. In bytes. */
const [besideCell, besideColumn] = [8, 1000];

/** A small answer is kept as its text, a large one as it was read. */
type Form = string | Reading;

/**
 * The last answers to reads, in the form that takes the least. A small answer takes many times its text as it was read, in
 * objects and in what is worked out of its columns, and a busy server would have the garbage collector look through ten
 * thousands of them. Of a large one that is worth it: each of its pages would have to work all out again.
 */
export class KeptReadings implements AnswerKeeper<Reading> {
  readonly #kept: KeptAnswers<Form>;

  /** @param maxBytes what all of them may take together */
  constructor(maxBytes?: number) {
    this.#kept = new KeptAnswers(bytesOf, maxBytes);
  }

  /** What all of them take in memory. */
  get bytes(): number {
    return this.#kept.bytes;
  }

  get generation(): number {
    return this.#kept.generation;
  }

  find(question: string): KeptAnswer<Reading> | undefined {
    const kept = this.#kept.find(question);
    return kept && { answer: typeof kept.answer === 'string' ? fromText(kept.answer) : kept.answer, at: kept.at };
  }

  keep(question: string, reading: Reading, generation: Generation): number {
    return this.#kept.keep(question, isSmall(reading) ? toText(reading) : reading, generation);
  }

  clear(): void {
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

function bytesOf(form: Form): number {
  if (typeof form === 'string') return form.length * (beyondLatin.test(form) ? 2 : 1);
  const { reply } = form;
  return reply.kind === 'tables' ? sumOf(reply.tables, bytesOfTable) : 0;
}

const cellsOf = ({ rowCount, columns }: Table) => rowCount * columns.length;
const charactersOf = ({ characters }: Table) => characters;
const bytesOfTable = (table: Table) => table.bytes + cellsOf(table) * besideCell + table.columns.length * besideColumn;

function sumOf(tables: readonly Table[], figure: (table: Table) => number): number {
  return tables.reduce((sum, table) => sum + figure(table), 0);
}
