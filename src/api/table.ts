import { type Cell, fromTracker, rawText, type TrackerText } from './text/tracker-text.ts';

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
  readonly name: TrackerText;
  readonly columns: readonly TrackerText[];
  readonly rowCount: number;
  readonly #cells: readonly (readonly Cell[])[];
  #bytes: number | undefined;

  private constructor(
    name: TrackerText,
    columns: readonly TrackerText[],
    cells: readonly (readonly Cell[])[],
    rowCount: number,
  ) {
    this.name = name;
    this.columns = columns;
    this.rowCount = rowCount;
    this.#cells = cells;
  }

  /** @param cells one array a column, each with the text of every row as the tracker wrote it, null where it is empty */
  static fromColumns(
    name: string,
    columns: readonly string[],
    cells: readonly (readonly (string | null)[])[],
    rowCount = cells[0]?.length ?? 0,
  ): Table {
    // Marking a text changes nothing at run time: a column of a million need not be copied for it.
    const marked = cells as readonly (readonly unknown[])[] as readonly (readonly Cell[])[];
    return new Table(fromTracker(name), columns.map(fromTracker), marked, rowCount);
  }

  /** @param rows one array a row, each with a cell for every column */
  static fromRows(name: string, columns: readonly string[], rows: readonly (readonly (string | null)[])[]): Table {
    const cells = columns.map((_, column) => rows.map((row) => row[column] ?? null));
    return Table.fromColumns(name, columns, cells, rows.length);
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
    characters += rawText(cell).length;
    filled += 1;
  }
  return characters * (isLatin(column) ? 1 : 2) + filled * stringOverhead + column.length * 8;
}

function isLatin(column: readonly Cell[]): boolean {
  const step = Math.max(1, Math.floor(column.length / maxSampled));
  for (let row = 0; row < column.length; row += step) {
    const cell = column[row] ?? null;
    if (cell !== null && /[^\0-\xff]/.test(rawText(cell))) return false;
  }
  return true;
}
