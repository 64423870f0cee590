import type { Steps } from '../../api/steps.ts';
import type { Table } from '../../api/table.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { isBlank } from './columns.ts';

/** Takes a few milliseconds to read. */
const rowsPerBlock = 4000;

/**
 * A column in which each row has its own text, in a few long strings. It can be read once its table is let go, which holds all bytes of
 * an answer.
 */
export class KeptTexts {
  readonly #blocks: string[] = [];
  /** Where the text of each row ends in its block: a blank one where the text before it does. */
  readonly #ends: Uint32Array;

  private constructor(rowCount: number) {
    this.#ends = new Uint32Array(rowCount);
  }

  static *of(table: Table, column: number): Steps<KeptTexts> {
    const kept = new KeptTexts(table.rowCount);
    for (let from = 0; from < table.rowCount; from += rowsPerBlock) {
      yield;
      kept.#addBlock(table, column, from);
    }
    return kept;
  }

  #addBlock(table: Table, column: number, from: number): void {
    const texts: string[] = [];
    let length = 0;
    for (let row = from; row < Math.min(from + rowsPerBlock, table.rowCount); row += 1) {
      const cell = table.text(row, column);
      const text = isBlank(cell) ? '' : (rawCell(cell) ?? '');
      texts.push(text);
      length += text.length;
      this.#ends[row] = length;
    }
    this.#blocks.push(texts.join(''));
  }

  /** Null if it is blank. */
  at(row: number): string | null {
    const start = row % rowsPerBlock === 0 ? 0 : this.#ends[row - 1];
    return this.#blocks[Math.floor(row / rowsPerBlock)]?.slice(start, this.#ends[row]) || null;
  }
}
