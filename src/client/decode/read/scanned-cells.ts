import { type Cells, type PlainColumn, type RawCell, textOf } from '../../../api/cells.ts';
import type { RowReader } from './row-reader.ts';

/** How a kind of text writes a cell. */
export interface CellForm {
  /** @returns where the cell ends that starts there; -1 where it has escapes */
  endOf(bytes: Uint8Array, start: number): number;
  /** @returns what a cell says that starts there and has escapes */
  unescape(bytes: Uint8Array, start: number): string;
}

/** The cells of a list that was scanned: they stand in the answer itself, of which it is known where each of them starts. */
export class ScannedCells implements Cells {
  readonly rowCount: number;
  readonly characters: number;
  readonly bytes: number;
  readonly #source: Uint8Array;
  readonly #form: CellForm;
  readonly #rows: RowReader;
  readonly #starts: Uint32Array;
  readonly #width: number;

  /**
   * @param source the text in UTF-8
   * @param tables how many tables have their cells in it
   */
  constructor(source: Uint8Array, form: CellForm, rows: RowReader, tables: number) {
    this.#source = source;
    this.#form = form;
    this.#rows = rows;
    this.#starts = rows.starts;
    this.#width = rows.starts.length / rows.rowCount;
    this.rowCount = rows.rowCount;
    this.characters = rows.bytesOfCells;
    this.bytes = this.#starts.byteLength + source.byteLength / tables;
  }

  text(row: number, column: number): RawCell {
    const start = this.#starts[row * this.#width + column] ?? 0;
    const end = this.#form.endOf(this.#source, start);
    if (end === start) return null;
    return end < 0 ? this.#form.unescape(this.#source, start) || null : textOf(this.#source, start, end);
  }

  numbers(column: number): PlainColumn | undefined {
    return this.#rows.column(column);
  }
}
