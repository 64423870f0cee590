/** The text of a cell as it is in the answer; null where nothing was written. Its reader marks it as the tracker's. */
export type RawCell = string | null;

/** The cells of a table, by row and column. */
export interface Cells {
  readonly rowCount: number;
  /** What they take in memory, in bytes; an estimate. */
  readonly bytes: number;
  /** @returns null where the cell is empty; the table asks only for cells that are there */
  text(row: number, column: number): RawCell;
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
  #bytes: number | undefined;

  /** @param columns each with a cell for every row */
  constructor(columns: readonly (readonly RawCell[])[], rowCount: number) {
    this.#columns = columns;
    this.rowCount = rowCount;
  }

  text(row: number, column: number): RawCell {
    return this.#columns[column]?.[row] ?? null;
  }

  get bytes(): number {
    this.#bytes ??= this.#columns.reduce((sum, column) => sum + bytesOf(column), 0);
    return this.#bytes;
  }
}

function bytesOf(column: readonly RawCell[]): number {
  let characters = 0;
  let filled = 0;
  for (const cell of column) {
    if (cell === null) continue;
    characters += cell.length;
    filled += 1;
  }
  return characters * (isLatin(column) ? 1 : 2) + filled * stringOverhead + column.length * 8;
}

function isLatin(column: readonly RawCell[]): boolean {
  const step = Math.max(1, Math.floor(column.length / maxSampled));
  for (let row = 0; row < column.length; row += step) if (beyondLatin.test(column[row] ?? '')) return false;
  return true;
}

/** A text that the cells of several tables are parts of. */
export class SharedText {
  readonly text: string;
  readonly tables: number;
  #isLatin: boolean | undefined;

  /**
   * @param tables how many tables share it
   * @param isLatin whether each character takes one byte, where that is known
   */
  constructor(text: string, tables: number, isLatin?: boolean) {
    this.text = text;
    this.tables = tables;
    this.#isLatin = isLatin;
  }

  get isLatin(): boolean {
    this.#isLatin ??= !beyondLatin.test(this.text);
    return this.#isLatin;
  }

  get bytes(): number {
    return this.text.length * (this.isLatin ? 1 : 2);
  }
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
    return start === end ? null : this.source.text.slice(start, end);
  }

  get bytes(): number {
    return this.bounds.byteLength + this.source.bytes / this.source.tables;
  }
}

/** All cells but those of one row. */
export class WithoutRow implements Cells {
  readonly rowCount: number;
  readonly #cells: Cells;
  readonly #row: number;

  constructor(cells: Cells, row: number) {
    this.#cells = cells;
    this.#row = row;
    this.rowCount = cells.rowCount - 1;
  }

  text(row: number, column: number): RawCell {
    return this.#cells.text(row < this.#row ? row : row + 1, column);
  }

  get bytes(): number {
    return this.#cells.bytes;
  }
}
