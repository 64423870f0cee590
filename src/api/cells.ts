/** The text of a cell as it is in the answer; null where nothing was written. Its reader marks it as the tracker's. */
export type RawCell = string | null;

/** The cells of a table, by row and column. */
export interface Cells {
  readonly rowCount: number;
  /** What they take in memory, in bytes; an estimate. */
  readonly bytes: number;
  /** @returns null where the cell is empty; the table asks only for cells that are there */
  text(row: number, column: number): RawCell;
  /**
   * Has the cells of some rows read where they stand, each by the reader of its column: a large table is read without a string
   * for each of its cells.
   */
  read(from: number, to: number, readers: readonly CellReader[]): void;
  /** How many characters all cells have. */
  readonly characters: number;
}

/** Reads a cell as a part of a text; of an empty one nothing. */
export interface CellReader {
  read(units: Units, start: number, end: number): void;
}

/** The characters of a text as numbers: a byte each where all are of Latin-1. They are gone through faster than a string. */
export type Units = Uint8Array | Uint16Array;

/** The characters of a text as numbers. */
export function unitsOf(text: string): Units {
  if (!beyondLatin.test(text)) return Buffer.from(text, 'latin1');
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  return units;
}

/** A part of the text that they are the characters of. */
export function textOf(units: Units, start: number, end: number): string {
  const { buffer, byteOffset } = units;
  if (units instanceof Uint8Array) return Buffer.from(buffer, byteOffset + start, end - start).toString('latin1');
  return Buffer.from(buffer, byteOffset + 2 * start, 2 * (end - start)).toString('utf16le');
}

/** What V8 needs for a string beside its characters, and for a pointer to it, in bytes. */
const stringOverhead = 24;

/** That many cells of a column show whether its text is beyond Latin-1, of which a character takes one byte. */
const maxSampled = 200;

const beyondLatin = /[^\0-\xff]/;

/** Cells that are texts of their own, one list a column. */
export class ListedCells implements Cells {
  readonly rowCount: number;
  readonly #columns: readonly (readonly RawCell[])[];
  /** The cell that is just read. */
  #units = new Uint16Array(40);
  #bytes: number | undefined;

  /** @param columns each with a cell for every row */
  constructor(columns: readonly (readonly RawCell[])[], rowCount: number) {
    this.#columns = columns;
    this.rowCount = rowCount;
  }

  text(row: number, column: number): RawCell {
    return this.#columns[column]?.[row] ?? null;
  }

  read(from: number, to: number, readers: readonly CellReader[]): void {
    for (let row = from; row < to; row += 1) {
      for (let column = 0; column < readers.length; column += 1) {
        const text = this.text(row, column) ?? '';
        if (text.length > this.#units.length) this.#units = new Uint16Array(2 * text.length);
        for (let index = 0; index < text.length; index += 1) this.#units[index] = text.charCodeAt(index);
        readers[column]?.read(this.#units, 0, text.length);
      }
    }
  }

  get characters(): number {
    return this.#columns.reduce((sum, column) => sum + charactersOf(column), 0);
  }

  get bytes(): number {
    this.#bytes ??= this.#columns.reduce((sum, column) => sum + bytesOf(column), 0);
    return this.#bytes;
  }
}

function charactersOf(column: readonly RawCell[]): number {
  return column.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
}

function bytesOf(column: readonly RawCell[]): number {
  const filled = column.reduce((count, cell) => (cell === null ? count : count + 1), 0);
  return charactersOf(column) * (isLatin(column) ? 1 : 2) + filled * stringOverhead + column.length * 8;
}

function isLatin(column: readonly RawCell[]): boolean {
  const step = Math.max(1, Math.floor(column.length / maxSampled));
  for (let row = 0; row < column.length; row += step) if (beyondLatin.test(column[row] ?? '')) return false;
  return true;
}

/** A text that the cells of several tables are parts of. */
export interface SharedText {
  readonly units: Units;
  /** How many tables share it. */
  readonly tables: number;
}

/**
 * Cells that are parts of one text, mostly of the answer itself: the cells of a large one are no millions of strings, and can
 * go from one thread to another as they are.
 */
export class SlicedCells implements Cells {
  readonly source: SharedText;
  /** Row by row, where each cell starts and ends in the text; an empty one ends where it starts. */
  readonly bounds: Uint32Array;
  readonly rowCount: number;
  readonly #width: number;

  constructor(source: SharedText, bounds: Uint32Array, rowCount: number) {
    this.source = source;
    this.bounds = bounds;
    this.rowCount = rowCount;
    this.#width = rowCount === 0 ? 0 : bounds.length / (2 * rowCount);
  }

  text(row: number, column: number): RawCell {
    const index = 2 * (row * this.#width + column);
    const start = this.bounds[index] ?? 0;
    const end = this.bounds[index + 1] ?? 0;
    return start === end ? null : textOf(this.source.units, start, end);
  }

  read(from: number, to: number, readers: readonly CellReader[]): void {
    const { bounds } = this;
    const { units } = this.source;
    let index = 2 * from * this.#width;
    for (let row = from; row < to; row += 1) {
      for (let column = 0; column < readers.length; column += 1) {
        readers[column]?.read(units, bounds[index] ?? 0, bounds[index + 1] ?? 0);
        index += 2;
      }
    }
  }

  get characters(): number {
    const { bounds } = this;
    let sum = 0;
    for (let index = 0; index < bounds.length; index += 2) sum += (bounds[index + 1] ?? 0) - (bounds[index] ?? 0);
    return sum;
  }

  get bytes(): number {
    return this.bounds.byteLength + this.source.units.byteLength / this.source.tables;
  }
}

/** All cells but those of one row. */
export class WithoutRow implements Cells {
  readonly rowCount: number;
  readonly #cells: Cells;
  readonly #row: number;
  readonly #width: number;

  constructor(cells: Cells, row: number, width: number) {
    this.#cells = cells;
    this.#row = row;
    this.#width = width;
    this.rowCount = cells.rowCount - 1;
  }

  text(row: number, column: number): RawCell {
    return this.#cells.text(row < this.#row ? row : row + 1, column);
  }

  read(from: number, to: number, readers: readonly CellReader[]): void {
    this.#cells.read(from, Math.min(to, this.#row), readers);
    this.#cells.read(Math.max(from, this.#row) + 1, to + 1, readers);
  }

  get characters(): number {
    let characters = this.#cells.characters;
    for (let column = 0; column < this.#width; column += 1) {
      characters -= this.#cells.text(this.#row, column)?.length ?? 0;
    }
    return characters;
  }

  get bytes(): number {
    return this.#cells.bytes;
  }
}
