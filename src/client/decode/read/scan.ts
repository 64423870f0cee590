import { randomUUID } from 'node:crypto';
import { SlicedCells, type Units, unitsOf } from '../../../api/cells.ts';
import { boundTable, isLeaf, isList, isRecord, maxWrapperDepth, type Rows, standFor, type Tree } from '../tree.ts';
import { isContainer } from '../words.ts';

/**
 * Most of a large answer is one list of flat records with the same fields. It is scanned once, from characters to the bounds
 * of its cells. The first of its rows stay in the text, which is then read like any other, and say what the list is; what the
 * scan cannot settle so is read in full.
 */

/** So many rows stand for a list, more than any rule about short lists looks at; a shorter list is read in full. */
const minRows = 20;

/** A list that was scanned. */
export interface Run {
  readonly columns: readonly string[];
  readonly bounds: Uint32Array;
  /** The index behind the first `minRows` rows, and behind all. */
  readonly endOfFirst: number;
  readonly end: number;
  /** In XML, the name of the elements. */
  readonly name?: string;
}

/**
 * Whether columns can be those of a scanned list. A list of records that hold one value, or a value that may stand for rows,
 * can be many things, and every row of it has a say.
 */
export function canBeColumns(names: readonly string[]): boolean {
  const areDistinct = new Set(names).size === names.length;
  return names.length > 1 && areDistinct && !names.some((name) => isContainer(name) || /^\d+$/.test(name));
}

/** Where the cells of a list start and end, as it is scanned. */
export class CellBounds {
  readonly #width: number;
  #bounds: Uint32Array;
  #length = 0;

  constructor(width: number) {
    this.#width = width;
    this.#bounds = new Uint32Array(2 * width * minRows);
  }

  /**
   * Makes room for one more row.
   *
   * @param scanned which part of the text is behind it: the rows to come are taken to be as long as those before
   */
  reserve(scanned: number): void {
    const needed = this.#length + 2 * this.#width;
    if (needed <= this.#bounds.length) return;
    const rows = this.#length / (2 * this.#width);
    boundTable(rows, this.#width);
    const expected = scanned > 0 ? Math.ceil((1.02 * rows) / scanned) : 0;
    const grown = new Uint32Array(2 * this.#width * Math.max(rows + minRows, Math.min(expected, 4 * rows)));
    grown.set(this.#bounds);
    this.#bounds = grown;
  }

  /** Adds a cell of the row that there is room for. */
  push(start: number, end: number): void {
    this.#bounds[this.#length] = start;
    this.#bounds[this.#length + 1] = end;
    this.#length += 2;
  }

  /** The bounds, where every row is whole. */
  whole(): Uint32Array {
    return this.#bounds.slice(0, this.#length);
  }
}

/** What is scanned in some milliseconds, in characters. */
export const charactersOfStep = 1_000_000;

/** A scan takes steps, between which whoever takes them can let others have their turn. */
export type Steps<Result> = Generator<void, Result, void>;

/** How the rows of a list are read, in whatever is written in. */
export interface RowReader {
  /** @returns the index behind the row that begins at `index`, after its cells were added; -1 where it is another one */
  readonly readRow: (index: number, bounds: CellBounds) => number;
  /** @returns where the row begins that comes next; -1 where none does */
  readonly nextRow: (endOfRow: number) => number;
  /** @returns the index behind the list; -1 where something else comes behind its last row */
  readonly endOfList: (endOfRow: number) => number;
}

/**
 * @param end where the text ends
 * @returns undefined where the list whose first row begins at `start` is another one, or a short one
 */
export function* scanRows(
  columns: readonly string[],
  start: number,
  end: number,
  reader: RowReader,
): Steps<Run | undefined> {
  const bounds = new CellBounds(columns.length);
  let endOfFirst = 0;
  let endOfRow = start;
  let endOfStep = start + charactersOfStep;
  let rows = 0;
  for (let index = start; index >= 0; index = reader.nextRow(endOfRow)) {
    bounds.reserve((index - start) / (end - start));
    endOfRow = reader.readRow(index, bounds);
    if (endOfRow < 0) return undefined;
    rows += 1;
    if (rows === minRows) endOfFirst = endOfRow;
    if (endOfRow < endOfStep) continue;
    endOfStep = endOfRow + charactersOfStep;
    yield;
  }
  const endOfList = reader.endOfList(endOfRow);
  if (endOfList < 0 || rows < minRows) return undefined;
  return { columns, bounds: bounds.whole(), endOfFirst, end: endOfList };
}

/** @returns the index of what comes behind white space */
export function skipSpace(units: Units, start: number): number {
  let index = start;
  for (let unit = units[index]; unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09; unit = units[index]) {
    index += 1;
  }
  return index;
}

/** The scan of one text. */
export class Scan {
  readonly #text: string;
  readonly #units: Units;
  readonly #mark = `rows-${randomUUID()}-`;
  readonly #runs: Run[] = [];
  readonly #pieces: string[] = [];
  #copied = 0;
  readonly #unescaped: string[] = [];
  #length: number;
  #rows: readonly Rows[] | undefined;

  /** @param units the same text */
  constructor(text: string, units: Units) {
    this.#text = text;
    this.#units = units;
    this.#length = text.length;
  }

  /** Puts a cell behind the text that is written otherwise in it; where it starts there. */
  unescape(cell: string): number {
    const start = this.#length;
    this.#unescaped.push(cell);
    this.#length += cell.length;
    return start;
  }

  /** @param write how a mark of this name stands behind the first rows */
  add(run: Run, write: (mark: string) => string): void {
    this.#pieces.push(this.#text.slice(this.#copied, run.endOfFirst), write(this.#mark + this.#runs.length));
    this.#copied = run.end;
    this.#runs.push(run);
  }

  /** The text without all rows but the first ones of each list, a mark behind them; undefined where there is no such list. */
  get skeleton(): string | undefined {
    if (this.#runs.length === 0) return undefined;
    return [...this.#pieces, this.#text.slice(this.#copied)].join('');
  }

  /** The lists that were scanned. */
  get rows(): readonly Rows[] {
    if (!this.#rows) {
      const units = this.#unescaped.length === 0 ? this.#units : unitsOf(this.#text + this.#unescaped.join(''));
      const source = { units, tables: this.#runs.length };
      this.#rows = this.#runs.map(({ columns, bounds }) => ({
        columns,
        cells: new SlicedCells(source, bounds, bounds.length / (2 * columns.length)),
      }));
    }
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
    standFor(rows, list);
    return 1;
  }

  /** In XML the mark is an element behind those of the list. */
  #placeInElement(element: Record<string, Tree>): number {
    let placed = 0;
    for (const name of Object.keys(element)) {
      const index = this.#indexIn(name);
      const list = element[this.#runs[index]?.name ?? ''];
      const rows = this.rows[index];
      if (!rows) continue;
      delete element[name];
      if (!isList(list) || list.length !== minRows || !list.every(isRecord)) continue;
      standFor(rows, list as Tree[]);
      placed += 1;
    }
    return placed;
  }

  #indexIn(mark: Tree | undefined): number {
    return typeof mark === 'string' && mark.startsWith(this.#mark) ? Number(mark.slice(this.#mark.length)) : -1;
  }
}
