/** One value as the tracker wrote it; null where it wrote nothing ('' and null are one empty value). */
export type Cell = string | null;

/** What V8 needs for a string beside its characters, and for a pointer to it, in bytes. */
const stringOverhead = 24;

/** That many cells of a column show whether its text is beyond Latin-1, of which a character takes one byte. */
const maxSampled = 200;

/**
 * A table of an answer, made once by whoever reads the answer. It is kept by columns: what is known of a table is known of its
 * columns, and a column of a large report is one array of texts.
 *
 * What others work out of a table is theirs to keep, with the table as the key.
 */
export class Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rowCount: number;
  readonly #cells: readonly (readonly Cell[])[];
  #bytes: number | undefined;

  private constructor(name: string, columns: readonly string[], cells: readonly (readonly Cell[])[], rowCount: number) {
    this.name = name;
    this.columns = columns;
    this.rowCount = rowCount;
    this.#cells = cells;
  }

  /** @param cells one array a column, each with a cell for every row */
  static fromColumns(
    name: string,
    columns: readonly string[],
    cells: readonly (readonly Cell[])[],
    rowCount = cells[0]?.length ?? 0,
  ): Table {
    return new Table(name, columns, cells, rowCount);
  }

  /** @param rows one array a row, each with a cell for every column */
  static fromRows(name: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): Table {
    const cells = columns.map((_, column) => rows.map((row) => row[column] ?? null));
    return new Table(name, columns, cells, rows.length);
  }

  /** The cell of a row in a column; null where it is empty, and where there is no such row or column. */
  text(row: number, column: number): Cell {
    return this.#cells[column]?.[row] ?? null;
  }

  /** The same table without one of its rows. */
  withoutRow(row: number): Table {
    const cells = this.#cells.map((column) => column.filter((_, index) => index !== row));
    return new Table(this.name, this.columns, cells, this.rowCount - 1);
  }

  /** What the table takes in memory, in bytes; an estimate, for those who keep tables within a bound. */
  get bytes(): number {
    this.#bytes ??= this.#cells.reduce((sum, column) => sum + bytesOf(column), 0);
    return this.#bytes;
  }
}

function bytesOf(column: readonly Cell[]): number {
  let characters = 0;
  let filled = 0;
  for (const cell of column) {
    if (cell === null) continue;
    characters += cell.length;
    filled += 1;
  }
  return characters * (isLatin(column) ? 1 : 2) + filled * stringOverhead + column.length * 8;
}

function isLatin(column: readonly Cell[]): boolean {
  const step = Math.max(1, Math.floor(column.length / maxSampled));
  for (let row = 0; row < column.length; row += step) if (/[^\0-\xff]/.test(column[row] ?? '')) return false;
  return true;
}
