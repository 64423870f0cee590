import {
  type Cells,
  type Coded,
  type IsPlain,
  ListedCells,
  type RawCell,
  SelectedCells,
  type Typing,
} from './cells.ts';
import type { ReplyNote, SentField } from './notes.ts';
import type { PlainColumn } from './plain-numbers.ts';
import { atOnce, withRests } from './steps.ts';
import {
  allFromTracker,
  type Cell,
  cellsFromTracker,
  fromTracker,
  type NamedCell,
  rawText,
  rawTexts,
  type TrackerText,
} from './text/tracker-text.ts';
import type { TrackerNumbers } from './tracker-numbers.ts';

export type { Cell } from './text/tracker-text.ts';

/** The answer that tables and groups came with. All its numbers are written in one way. */
export interface Origin {
  readonly tables: readonly Table[];
  readonly numbers: TrackerNumbers;
  /** Whether its numbers were read with a decimal comma, or as earlier answers showed. Each call that got the answer says so. */
  readonly uses: { comma: boolean; learned: boolean };
}

/** A table of an answer, kept by columns. */
export class Table {
  readonly name: TrackerText;
  readonly columns: readonly TrackerText[];
  /** The unmarked cells, for handing an answer from one thread to another. */
  readonly cells: Cells;
  /** Results that other code computed from this table, by a key. */
  readonly derived = new Map<object, unknown>();
  readonly #coded = new Map<number, Coded<Cell>>();
  readonly #numbers: (PlainColumn | null)[] = [];
  /** Private, because its tables lead back to this one. */
  readonly #origin: Origin | undefined;

  /** The name, the columns and the cells are as the tracker wrote them. */
  constructor(name: string, columns: readonly string[], cells: Cells, origin?: Origin) {
    this.name = fromTracker(name);
    this.columns = allFromTracker(columns);
    this.cells = cells;
    this.#origin = origin;
  }

  /** @param cells one array per column, with a cell for every row */
  static fromColumns(
    name: string,
    columns: readonly string[],
    cells: readonly (readonly RawCell[])[],
    rowCount = cells[0]?.length ?? 0,
    typings?: readonly Typing[],
  ): Table {
    return new Table(name, columns, new ListedCells(cells, rowCount, typings));
  }

  /** @param rows one array per row, with a cell for every column */
  static fromRows(name: string, columns: readonly string[], rows: readonly (readonly RawCell[])[]): Table {
    const cells = columns.map((_, column) => rows.map((row) => row[column] ?? null));
    return Table.fromColumns(name, columns, cells, rows.length);
  }

  get rowCount(): number {
    return this.cells.rowCount;
  }

  /** Undefined for a table that this server made. */
  get origin(): Origin | undefined {
    return this.#origin;
  }

  /** One cell; null if it is empty or out of range. */
  text(row: number, column: number): Cell {
    const isInRange = row >= 0 && row < this.rowCount && column >= 0 && column < this.columns.length;
    const text = isInRange ? this.cells.text(row, column) : null;
    return text === null ? null : fromTracker(text);
  }

  /** All cells of a row as one text: the same for rows that repeat each other. */
  rowKey(row: number): string {
    return JSON.stringify(this.columns.map((_, column) => this.cells.text(row, column)));
  }

  /** The cells of a column, one per row. */
  column(index: number): readonly Cell[] {
    return Array.from({ length: this.rowCount }, (_, row) => this.text(row, index));
  }

  fields(row: number): readonly NamedCell[] {
    return this.columns.map((name, column) => [name, this.text(row, column)]);
  }

  /** Read once. @returns undefined if any cell of the column is not a plain number */
  numbers(column: number): PlainColumn | undefined {
    let plain = this.#numbers[column];
    if (plain === undefined) {
      plain = this.cells.numbers(column) ?? null;
      this.#numbers[column] = plain;
    }
    return plain ?? undefined;
  }

  /** A column as codes: what is computed for each of its values need not be computed for each row. Kept with the table. */
  coded(column: number): Coded<Cell> {
    const known = this.#coded.get(column);
    if (known) return known;
    this.#keep([column], atOnce(this.cells.coding([column])));
    return this.coded(column);
  }

  /** Codes several columns together before their use: in a long list, that is faster than one after the other. */
  async code(columns: readonly number[], rest: () => Promise<void>): Promise<void> {
    const unknown = [...new Set(columns)].filter((column) => !this.#coded.has(column));
    this.#keep(unknown, await withRests(this.cells.coding(unknown), rest));
  }

  /** Codes a column alone. Its plain texts may share codes, so it is not kept. */
  async codeButPlain(column: number, isPlain: IsPlain, rest: () => Promise<void>): Promise<Coded<Cell>> {
    const known = this.#coded.get(column);
    if (known) return known;
    const [{ codes, values }] = (await withRests(this.cells.coding([column], isPlain), rest)) as [Coded<RawCell>];
    return { codes, values: cellsFromTracker(values) };
  }

  #keep(columns: readonly number[], all: readonly Coded<RawCell>[]): void {
    for (const [index, { codes, values }] of all.entries())
      this.#coded.set(columns[index] ?? -1, { codes, values: cellsFromTracker(values) });
  }

  /** An estimate of the number of characters in all cells. */
  get characters(): number {
    return this.cells.characters;
  }

  /** The same table if it loses none. */
  withoutRows(rows: readonly number[]): Table {
    if (rows.length === 0) return this;
    const left = new Set(rows);
    const kept = Array.from({ length: this.rowCount }, (_, row) => row).filter((row) => !left.has(row));
    return this.#with(new SelectedCells(this.cells, kept.length, kept), this.origin);
  }

  firstRows(count: number): Table {
    return this.#with(new SelectedCells(this.cells, Math.min(count, this.rowCount)), this.origin);
  }

  /** The same table as a part of an answer. */
  of(origin: Origin): Table {
    return this.#with(this.cells, origin);
  }

  #with(cells: Cells, origin: Origin | undefined): Table {
    return new Table(rawText(this.name), rawTexts(this.columns), cells, origin);
  }

  /** An estimate of the memory it takes, in bytes. */
  get bytes(): number {
    return this.cells.bytes;
  }
}

/** A named group of fields, such as "Geo Data" of a visitor. */
export interface Group {
  readonly name: TrackerText;
  readonly fields: readonly NamedCell[];
  /** Undefined for a group that this server made. */
  readonly origin?: Origin;
}

/** The result of a write: the ID that the tracker gave, if any. */
export interface Receipt {
  readonly id: TrackerText | null;
}

interface WithNotices {
  readonly notices: readonly ReplyNote[];
}

interface NamedZone {
  /** The zone of its times, if the answer names it. */
  readonly timeZone?: TrackerText | undefined;
}

/** Rows that are not all, or may not be, as the answer itself says. */
export type PartOfAnswer = {
  /** The names of its tables, and the rows in all of them. */
  readonly tables: readonly string[];
  readonly rows: number;
  /** The fields that say so. */
  readonly fields: readonly SentField[];
  /** Whether they only say that something went wrong: the rows may be all, or not. */
  readonly isInDoubt?: true;
};

/** A row among those of a table that is none of them, such as a total. */
export type StrayRow = { readonly table: string; readonly cells: readonly string[] };

/**
 * A tracker's answer once its bytes are read. Every value is the text that the tracker wrote: whether a text is a number is
 * decided later, from a whole column.
 */
export type Reply = TablesReply | GroupsReply | ReceiptReply;
export type TablesReply = WithNotices &
  NamedZone & { readonly kind: 'tables'; readonly tables: readonly Table[]; readonly part?: PartOfAnswer | undefined };
export type GroupsReply = WithNotices & NamedZone & { readonly kind: 'groups'; readonly groups: readonly Group[] };
export type ReceiptReply = WithNotices & { readonly kind: 'receipt'; readonly receipt: Receipt };

/** The reply with the origin of its tables and groups: what they need to be read together. */
export function withOrigin(reply: Reply, numbers: TrackerNumbers): Reply {
  if (reply.kind === 'receipt') return reply;
  const tables: Table[] = [];
  const origin: Origin = { tables, numbers, uses: { comma: false, learned: false } };
  if (reply.kind === 'groups') return { ...reply, groups: reply.groups.map((group) => ({ ...group, origin })) };
  tables.push(...reply.tables.map((table) => table.of(origin)));
  return { ...reply, tables };
}
