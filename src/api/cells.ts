/** The cells of a table, by columns. */

import { type PlainColumn, readPlainColumn, selectPlain } from './plain-numbers.ts';
import { PlainTimes, timeLength } from './plain-times.ts';
import type { Steps } from './steps.ts';

/** The text of a cell as in the answer, not yet marked as the tracker's; null if it is empty. */
export type RawCell = string | null;

/** The smallest array that holds the number of values. */
export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** A column as a code for each row, and the text of each code, in the order of their first rows. Equal texts have equal codes. */
export interface Coded<Text> {
  readonly codes: Codes;
  readonly values: readonly Text[];
}

/** The codes in the smallest array that holds this number of values. */
export function packCodes(codes: Uint32Array, values: number): Codes {
  if (values <= 0x100) return new Uint8Array(codes);
  return values <= 0x1_0000 ? new Uint16Array(codes) : codes;
}

/** Whether the text in some bytes is one of many that tell nothing, as the ID of a visit. */
export type IsPlain = (bytes: Uint8Array, start: number, end: number) => boolean;

/** Codes some columns; in long lists, other calls may run between its steps. */
export type Coding = Steps<readonly Coded<RawCell>[]>;

/** The cells of a table, by row and column. */
export interface Cells {
  readonly rowCount: number;
  /** An estimate of the memory they take, in bytes. */
  readonly bytes: number;
  /** An estimate of the number of characters in all cells. */
  readonly characters: number;
  /** @returns null for an empty cell; rows and columns are in range */
  text(row: number, column: number): RawCell;
  /** @returns undefined if any cell of the column is not a plain number */
  numbers(column: number): PlainColumn | undefined;
  /** @param isPlain in a column of a long list with many texts, those that are plain may share a few codes */
  coding(columns: readonly number[], isPlain?: IsPlain): Coding;
  /**
   * Reads cells such as `2026-08-02 10:00:00` as moments in milliseconds, as if their clock were UTC; null for an empty cell, and NaN
   * for any other.
   */
  plainTimes(column: number): (row: number) => number | null;
  typing(column: number): Typing;
}

/**
 * How an answer writes the numbers of a column: as numbers of JSON, whose point is a decimal point, as texts, or some of them so and
 * some surely as these texts.
 */
export type Typing = 'numbers' | 'texts' | ReadonlySet<string>;

/** Numbers of JSON that a tree has as texts, and whether the answer has the same in quotation marks. */
export type WrittenNumbers = ReadonlyMap<string, boolean>;

export const hasDigit = /\d/;

/** What V8 needs per string on top of its characters, in bytes. */
const stringOverhead = 24;

/** A character within Latin-1 takes one byte. */
const beyondLatin = /[^\0-\xff]/;

/** Cells held as texts. */
export class ListedCells implements Cells {
  readonly rowCount: number;
  readonly #columns: readonly (readonly RawCell[])[];
  readonly #typings: readonly Typing[];

  /** @param columns one list per column, with a cell for every row */
  constructor(columns: readonly (readonly RawCell[])[], rowCount: number, typings: readonly Typing[] = []) {
    this.#columns = columns;
    this.#typings = typings;
    this.rowCount = rowCount;
  }

  typing(column: number): Typing {
    return this.#typings[column] ?? 'texts';
  }

  /** The same cells, of which some texts are numbers of JSON. */
  knowing(numbers: WrittenNumbers): ListedCells {
    const typings = this.#columns.map((cells, column) => {
      const typing = this.typing(column);
      if (!cells.some((cell) => cell !== null && numbers.has(cell))) return typing;
      const texts =
        typeof typing === 'string' ? cells.filter((cell) => cell !== null && hasDigit.test(cell)) : [...typing];
      if (texts.every((text) => numbers.get(text ?? '') === false)) return 'numbers';
      return new Set(texts.flatMap((text) => (text === null || numbers.has(text) ? [] : text)));
    });
    return new ListedCells(this.#columns, this.rowCount, typings);
  }

  text(row: number, column: number): RawCell {
    return this.#columns[column]?.[row] ?? null;
  }

  numbers(column: number): PlainColumn | undefined {
    const cells = this.#columns[column];
    return readPlainColumn(this.rowCount, (row) => cells?.[row] ?? null);
  }

  *coding(columns: readonly number[]): Coding {
    const all: Coded<RawCell>[] = [];
    for (const column of columns) {
      const codeByText = new Map<RawCell, number>();
      const codes = new Uint32Array(this.rowCount);
      for (let row = 0; row < this.rowCount; row += 1) {
        const text = this.text(row, column);
        const code = codeByText.get(text) ?? codeByText.size;
        codeByText.set(text, code);
        codes[row] = code;
      }
      all.push({ codes: packCodes(codes, codeByText.size), values: [...codeByText.keys()] });
      yield;
    }
    return all;
  }

  plainTimes(column: number): (row: number) => number | null {
    const times = new PlainTimes();
    // One byte more than a time has shows that a text is longer.
    const bytes = Buffer.alloc(timeLength + 1);
    return (row) => {
      const text = this.text(row, column);
      if (text === null) return null;
      const isTime = text.length === timeLength && bytes.write(text) === timeLength;
      return isTime ? times.read(bytes, 0) : Number.NaN;
    };
  }

  get characters(): number {
    return this.#columns.reduce((sum, column) => sum + charactersIn(column), 0);
  }

  get bytes(): number {
    return this.#columns.reduce((sum, column) => sum + bytesOf(column), 0);
  }
}

function charactersIn(column: readonly RawCell[]): number {
  let sum = 0;
  for (const cell of column) sum += cell?.length ?? 0;
  return sum;
}

function bytesOf(column: readonly RawCell[]): number {
  const filled = column.reduce((count, cell) => (cell === null ? count : count + 1), 0);
  const width = column.some((cell) => cell !== null && beyondLatin.test(cell)) ? 2 : 1;
  return charactersIn(column) * width + filled * stringOverhead + column.length * 8;
}

/** Some rows of a table, by default its first, without a copy. Functions that are made for each table would be compiled for each. */
export class SelectedCells implements Cells {
  readonly rowCount: number;
  readonly #cells: Cells;
  readonly #rows: readonly number[] | undefined;

  constructor(cells: Cells, rowCount: number, rows?: readonly number[]) {
    this.#cells = cells;
    this.rowCount = rowCount;
    this.#rows = rows;
  }

  get bytes(): number {
    return this.#cells.bytes;
  }

  get characters(): number {
    return this.#cells.characters;
  }

  text(row: number, column: number): RawCell {
    return this.#cells.text(this.#rows?.[row] ?? row, column);
  }

  numbers(column: number): PlainColumn | undefined {
    const [all, textOf] = [this.#cells.numbers(column), (row: number) => this.text(row, column)];
    if (!all) return readPlainColumn(this.rowCount, textOf);
    const values = this.#rows
      ? Float64Array.from(this.#rows, (row) => all.values[row] ?? Number.NaN)
      : all.values.subarray(0, this.rowCount);
    return selectPlain(all, values, textOf);
  }

  *coding(columns: readonly number[], isPlain?: IsPlain): Coding {
    const all = yield* this.#cells.coding(columns, isPlain);
    return all.map(({ codes, values }) => {
      if (!this.#rows) return { codes: codes.subarray(0, this.rowCount), values };
      const selected = Uint32Array.from(this.#rows, (row) => codes[row] ?? 0);
      return { codes: packCodes(selected, values.length), values };
    });
  }

  plainTimes(column: number): (row: number) => number | null {
    const read = this.#cells.plainTimes(column);
    return this.#rows ? (row) => read(this.#rows?.[row] ?? row) : read;
  }

  typing(column: number): Typing {
    return this.#cells.typing(column);
  }
}
