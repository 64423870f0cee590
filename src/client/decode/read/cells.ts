import type { Cell } from '../../../api/replies.ts';

/** The cells of a table, read by row and column. */
export interface Cells {
  readonly rowCount: number;
  /** @returns null where the cell is empty */
  text(row: number, column: number): Cell;
}

/** Cells that are texts of their own, one list a column. */
export class ListedCells implements Cells {
  readonly rowCount: number;
  readonly #columns: readonly (readonly Cell[])[];

  constructor(columns: readonly (readonly Cell[])[], rowCount: number) {
    this.#columns = columns;
    this.rowCount = rowCount;
  }

  text(row: number, column: number): Cell {
    return this.#columns[column]?.[row] ?? null;
  }
}

/**
 * Cells that are parts of one text: of the answer itself, so that a large one is made into no millions of strings, and can go
 * from one thread to another as it is.
 */
export class SlicedCells implements Cells {
  readonly source: TextSource;
  /** Row by row, where each cell starts and ends in the text; an empty one ends where it starts. */
  readonly bounds: Uint32Array;
  readonly width: number;

  constructor(source: TextSource, bounds: Uint32Array, width: number) {
    this.source = source;
    this.bounds = bounds;
    this.width = width;
  }

  get rowCount(): number {
    return this.bounds.length / (2 * this.width);
  }

  text(row: number, column: number): Cell {
    if (column >= this.width) return null;
    const index = 2 * (row * this.width + column);
    const start = this.bounds[index] ?? 0;
    const end = this.bounds[index + 1] ?? 0;
    return start === end ? null : this.source.text.slice(start, end);
  }
}

/** The text that the cells of one answer share. */
export interface TextSource {
  readonly text: string;
}

/** A long list of flat, equal records in columns. */
export interface Rows {
  readonly columns: readonly string[];
  readonly cells: SlicedCells;
}
