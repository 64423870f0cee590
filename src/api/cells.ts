/** The text of a cell as it is in the answer; null if nothing was written. Its reader marks it as the tracker's. */
export type RawCell = string | null;

/** A column of which each cell is empty, or digits with at most one point between them: nearly all that reports hold. */
export interface PlainColumn {
  /** One number a row; NaN if the cell is empty. */
  readonly values: Float64Array;
  readonly isEmpty: boolean;
  /** Of all numbers that are there. */
  readonly sum: number;
  /** The most digits behind the point that any cell has. */
  readonly decimals: number;
}

/** What a double can tell apart: 15 significant digits always survive. A plain number has no more characters, but for its sign. */
export const maxDigits = 15;

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The cells of a table, by row and column. */
export interface Cells {
  readonly rowCount: number;
  /** What they take in memory, in bytes; an estimate. */
  readonly bytes: number;
  /** How many characters all cells have, about. */
  readonly characters: number;
  /** @returns null if the cell is empty; the table asks only for cells that are there */
  text(row: number, column: number): RawCell;
  /** @returns undefined if some cell of the column is no plain number */
  numbers(column: number): PlainColumn | undefined;
}

/** A part of a text in UTF-8. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

/** What V8 needs for a string beside its characters, and for a pointer to it, in bytes. */
const stringOverhead = 24;

/** A character of Latin-1 takes one byte. */
const beyondLatin = /[^\0-\xff]/;

/** Cells that are texts of their own, one list a column. */
export class ListedCells implements Cells {
  readonly rowCount: number;
  readonly #columns: readonly (readonly RawCell[])[];

  /** @param columns each with a cell for every row */
  constructor(columns: readonly (readonly RawCell[])[], rowCount: number) {
    this.#columns = columns;
    this.rowCount = rowCount;
  }

  text(row: number, column: number): RawCell {
    return this.#columns[column]?.[row] ?? null;
  }

  numbers(column: number): PlainColumn | undefined {
    return plainColumn(this, column);
  }

  get characters(): number {
    return this.#columns.reduce((sum, column) => sum + charactersOf(column), 0);
  }

  get bytes(): number {
    return this.#columns.reduce((sum, column) => sum + bytesOf(column), 0);
  }
}

/** A column that is read text by text; undefined if some cell of it is no plain number. */
function plainColumn(cells: Cells, column: number): PlainColumn | undefined {
  const values = new Float64Array(cells.rowCount).fill(Number.NaN);
  let isEmpty = true;
  let sum = 0;
  let decimals = 0;
  for (let row = 0; row < cells.rowCount; row += 1) {
    const text = cells.text(row, column);
    if (text === null) continue;
    const sign = text.startsWith('-') ? 1 : 0;
    if (text.length - sign > maxDigits || !plainNumber.test(text)) return undefined;
    // A loss that rounds to nothing is no negative zero.
    const value = Number(text) + 0;
    const point = text.indexOf('.');
    values[row] = value;
    sum += value;
    isEmpty = false;
    if (point >= 0) decimals = Math.max(decimals, text.length - 1 - point);
  }
  return { values, isEmpty, sum, decimals };
}

function charactersOf(column: readonly RawCell[]): number {
  return column.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
}

function bytesOf(column: readonly RawCell[]): number {
  const filled = column.reduce((count, cell) => (cell === null ? count : count + 1), 0);
  const width = column.some((cell) => cell !== null && beyondLatin.test(cell)) ? 2 : 1;
  return charactersOf(column) * width + filled * stringOverhead + column.length * 8;
}

/** Some of the rows of other cells. */
export class SomeRows implements Cells {
  readonly rowCount: number;
  readonly #cells: Cells;
  readonly #rowAt: (row: number) => number;

  /** @param rowAt the row of the other cells that stands at a row of these */
  constructor(cells: Cells, rowCount: number, rowAt: (row: number) => number) {
    this.#cells = cells;
    this.#rowAt = rowAt;
    this.rowCount = rowCount;
  }

  text(row: number, column: number): RawCell {
    return this.#cells.text(this.#rowAt(row), column);
  }

  numbers(column: number): PlainColumn | undefined {
    return plainColumn(this, column);
  }

  get characters(): number {
    return this.#cells.characters;
  }

  get bytes(): number {
    return this.#cells.bytes;
  }
}
