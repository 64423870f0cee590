import { randomUUID } from 'node:crypto';
import { type Cells, type PlainColumn, type RawCell, textOf } from '../../../api/cells.ts';
import { attachRows, boundTable, isLeaf, isList, isRecord, maxWrapperDepth, type Rows, type Tree } from '../tree.ts';
import { isContainer } from '../words.ts';
import { type RowForm, type RowReader, readRows } from './row-reader.ts';

/**
 * Most of a large answer is one list of flat records with the same fields. It is scanned once, from bytes to where its cells
 * start and to the numbers of its columns. The first of its rows stay in the text, which is then read like any other, and say
 * what the list is; what the scan cannot settle so is read in full.
 */

/** So many rows stand for a list, more than any rule about short lists looks at; a shorter list is read in full. */
const minRows = 20;

/**
 * An answer has a few tables; in XML each row of a short one is seen as the start of a list. What has more lists is no answer that
 * a scan settles, and each of them takes a moment.
 */
const maxLists = 1000;

/** What is scanned in some milliseconds, in bytes. */
export const bytesOfStep = 1_000_000;

/** Work in steps: between two of them, others can have their turn. */
export type Resumable<Result> = Generator<void, Result, void>;

/** A list that was scanned. */
export interface Run {
  readonly columns: readonly string[];
  readonly rows: RowReader;
  /** The index behind the first `minRows` rows, and behind all. */
  readonly endOfFirst: number;
  readonly end: number;
  /** In XML, the name of the elements. */
  readonly element?: string;
}

/** What the first row of a list says about all of them: what stands ahead of each cell, and behind the last. */
export interface FirstRow {
  readonly columns: readonly string[];
  readonly gaps: readonly Uint8Array[];
}

/** How the rows of a list are written, and what ends it. */
export interface ListForm extends RowForm {
  /** @returns the index behind the list; -1 if something else comes behind its last row */
  endOfList(bytes: Uint8Array, endOfRow: number): number;
}

/** How a kind of text writes a cell. */
export interface CellForm {
  /** @returns where the cell ends that starts there; -1 if it has escapes */
  endOf(bytes: Uint8Array, start: number): number;
  /** @returns what a cell says that starts there and has escapes */
  unescape(bytes: Uint8Array, start: number): string;
}

/**
 * Whether columns can be those of a scanned list. A list of records that hold one value, or a value that may stand for rows,
 * can be many things, and every row of it has a say.
 */
export function canBeColumns(names: readonly string[]): boolean {
  const areDistinct = new Set(names).size === names.length;
  return names.length > 1 && areDistinct && !names.some((name) => isContainer(name) || /^\d+$/.test(name));
}

/** @returns the index of what comes behind white space */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let index = start;
  for (let byte = bytes[index]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[index]) {
    index += 1;
  }
  return index;
}

/** @returns undefined if the list whose first row begins at `start` is another one, or a short one */
export function* scanRows(
  bytes: Uint8Array,
  start: number,
  { columns, gaps }: FirstRow,
  form: ListForm,
): Resumable<Run | undefined> {
  const rows = readRows(bytes, start, gaps, form);
  rows.read(minRows, bytes.length);
  if (rows.rowCount < minRows) return undefined;
  const endOfFirst = rows.endOfRow;
  while (rows.read(Number.POSITIVE_INFINITY, bytesOfStep)) {
    boundTable(rows.rowCount, columns.length);
    yield;
  }
  const end = rows.endOfRow < 0 ? -1 : form.endOfList(bytes, rows.endOfRow);
  if (end < 0) return undefined;
  return { columns, rows, endOfFirst, end };
}

/** The scan of one text. */
export class Scan {
  readonly #bytes: Uint8Array;
  readonly #form: CellForm;
  readonly #mark = `rows-${randomUUID()}-`;
  readonly #runs: Run[] = [];
  readonly #pieces: string[] = [];
  #copied = 0;
  #lists = 0;
  #rows: readonly Rows[] | undefined;

  /** @param bytes the text in UTF-8 */
  constructor(bytes: Uint8Array, form: CellForm) {
    this.#bytes = bytes;
    this.#form = form;
  }

  /** @param write how a mark of this name stands behind the first rows */
  add(run: Run, write: (mark: string) => string): void {
    this.#pieces.push(textOf(this.#bytes, this.#copied, run.endOfFirst), write(this.#mark + this.#runs.length));
    this.#copied = run.end;
    this.#runs.push(run);
  }

  /** Counts each list of records, long or not. */
  beginList(): void {
    this.#lists += 1;
  }

  get hasTooMany(): boolean {
    return this.#lists > maxLists;
  }

  /** The text without all rows but the first ones of each list, a mark behind them; undefined if there is no such list. */
  get skeleton(): string | undefined {
    if (this.#runs.length === 0) return undefined;
    return [...this.#pieces, textOf(this.#bytes, this.#copied, this.#bytes.length)].join('');
  }

  /** The lists that were scanned. */
  get rows(): readonly Rows[] {
    this.#rows ??= this.#runs.map((run) => ({
      columns: run.columns,
      cells: new ScannedCells(this.#bytes, this.#form, run.rows, this.#runs.length),
    }));
    return this.#rows;
  }

  /**
   * Puts all the rows behind those that stand for them in the tree of the skeleton.
   *
   * @returns whether each list is where a table can be
   */
  place(tree: Tree): boolean {
    return this.#place(tree, 0) === this.#runs.length;
  }

  #place(tree: Tree, depth: number): number {
    // Deeper than the rows of any table.
    if (isLeaf(tree) || depth > maxWrapperDepth + 2) return 0;
    const placed = isList(tree)
      ? this.#placeInList(tree as Tree[])
      : this.#placeInElement(tree as Record<string, Tree>);
    return Object.values(tree).reduce<number>((sum, inner) => sum + this.#place(inner, depth + 1), placed);
  }

  /** In JSON the mark is the last item. */
  #placeInList(list: Tree[]): number {
    const index = this.#indexIn(list.at(-1));
    const rows = this.rows[index];
    if (!rows) return 0;
    list.pop();
    attachRows(rows, list);
    return 1;
  }

  /** In XML the mark is an element behind those of the list. */
  #placeInElement(element: Record<string, Tree>): number {
    let placed = 0;
    for (const name of Object.keys(element)) {
      const index = this.#indexIn(name);
      const list = element[this.#runs[index]?.element ?? ''];
      const rows = this.rows[index];
      if (!rows) continue;
      delete element[name];
      if (!isList(list) || list.length !== minRows || !list.every(isRecord)) continue;
      attachRows(rows, list as Tree[]);
      placed += 1;
    }
    return placed;
  }

  #indexIn(mark: Tree | undefined): number {
    return typeof mark === 'string' && mark.startsWith(this.#mark) ? Number(mark.slice(this.#mark.length)) : -1;
  }
}

/** The cells of a list that was scanned: they stay in the answer itself, and it is known where each of them starts. */
class ScannedCells implements Cells {
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
