import { type Cells, ListedCells, type PlainColumn, type RawCell, SomeRows } from './cells.ts';
import { type Cell, fromTracker, type NamedCell, rawText, type TrackerText } from './text/tracker-text.ts';

export type { Cell } from './text/tracker-text.ts';

/**
 * A table of an answer, made once when the answer is read. It is kept by columns: what is known of a table is known of its
 * columns.
 *
 * What others work out of a table they keep with it.
 */
export class Table {
  readonly name: TrackerText;
  readonly columns: readonly TrackerText[];
  /** The cells before they are marked as the tracker's, for those who hand an answer from one thread to another. */
  readonly cells: Cells;
  /** What others worked out of it, each under a key that is its own. */
  readonly known = new Map<object, unknown>();

  /** The name, the columns and the cells are taken as the tracker wrote them. */
  constructor(name: string, columns: readonly string[], cells: Cells) {
    this.name = fromTracker(name);
    this.columns = columns.map(fromTracker);
    this.cells = cells;
  }

  /** @param cells one array a column, each with a cell for every row */
  static fromColumns(
    name: string,
    columns: readonly string[],
    cells: readonly (readonly RawCell[])[],
    rowCount = cells[0]?.length ?? 0,
  ): Table {
    return new Table(name, columns, new ListedCells(cells, rowCount));
  }

  /** @param rows one array a row, each with a cell for every column */
  static fromRows(name: string, columns: readonly string[], rows: readonly (readonly RawCell[])[]): Table {
    const cells = columns.map((_, column) => rows.map((row) => row[column] ?? null));
    return Table.fromColumns(name, columns, cells, rows.length);
  }

  get rowCount(): number {
    return this.cells.rowCount;
  }

  /** The cell of a row in a column; null if it is empty, and if there is no such row or column. */
  text(row: number, column: number): Cell {
    const isThere = row >= 0 && row < this.rowCount && column >= 0 && column < this.columns.length;
    const text = isThere ? this.cells.text(row, column) : null;
    return text === null ? null : fromTracker(text);
  }

  /** The cells of a column, one a row. */
  column(index: number): readonly Cell[] {
    return Array.from({ length: this.rowCount }, (_, row) => this.text(row, index));
  }

  /** The cells of a row, each with the name of its column. */
  fields(row: number): readonly NamedCell[] {
    return this.columns.map((name, column) => [name, this.text(row, column)]);
  }

  /** @returns undefined if some cell of the column is no plain number */
  numbers(column: number): PlainColumn | undefined {
    return this.cells.numbers(column);
  }

  /** How many characters all its cells have, about. */
  get characters(): number {
    return this.cells.characters;
  }

  /** The same table without one of its rows. */
  withoutRow(row: number): Table {
    return this.#withRows(this.rowCount - 1, (at) => (at < row ? at : at + 1));
  }

  /** The same table with no more than its first rows. */
  firstRows(count: number): Table {
    return this.#withRows(Math.min(count, this.rowCount), (row) => row);
  }

  #withRows(count: number, rowAt: (row: number) => number): Table {
    return new Table(rawText(this.name), this.columns.map(rawText), new SomeRows(this.cells, count, rowAt));
  }

  /** What the table takes in memory, in bytes; an estimate, for those who keep tables within a bound. */
  get bytes(): number {
    return this.cells.bytes;
  }
}

/**
 * What a tracker's answer says, once its bytes are read. Every value is the text that the tracker wrote: turning text into
 * numbers is a matter of presentation, and a whole column decides on it.
 */

/** A named group of fields, such as "Geo Data" of a visitor. */
export interface Group {
  readonly name: TrackerText;
  readonly fields: readonly NamedCell[];
}

/** What a write came to: the ID the tracker gave, if it gave one. */
export interface Receipt {
  readonly id: TrackerText | null;
}

interface Said {
  /** What else the tracker said or how it said it, one sentence each, for the reader of the answer. */
  readonly notices: readonly string[];
}

export type TablesReply = Said & { readonly kind: 'tables'; readonly tables: readonly Table[] };
export type GroupsReply = Said & { readonly kind: 'groups'; readonly groups: readonly Group[] };
export type ReceiptReply = Said & { readonly kind: 'receipt'; readonly receipt: Receipt };
export type Reply = TablesReply | GroupsReply | ReceiptReply;
