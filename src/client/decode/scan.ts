import { randomUUID } from 'node:crypto';
import { type Cells, maxDigits, type PlainColumn, type RawCell } from '../../api/table.ts';
import {
  attachRows,
  boundTable,
  isLeaf,
  isList,
  isRecord,
  maxWrapperDepth,
  type ScannedList,
  type Tree,
} from './tree.ts';
import { isContainer } from './words.ts';

/**
 * Most of a large answer is one list of flat records with the same fields. The scan notes where each cell of such a list
 * starts in the bytes, and parses none of them. The first rows of a list stay in the text, which is then parsed like any other,
 * and decide what the list is. If that does not settle it, the answer is parsed in full.
 */

/** This many rows stand for a list: more than any rule about short lists looks at. A shorter list is parsed. */
const minRows = 20;

/** An answer has a few tables. In XML each row of a short list looks like the start of a list. */
const maxLists = 1000;

/** Takes a few milliseconds to scan. */
const bytesPerStep = 1_000_000;

/** The first row of a list. */
export interface FirstRow {
  readonly columns: readonly string[];
  /** The bytes before each cell, and after the last. */
  readonly gaps: readonly Uint8Array[];
  /** The index of the row. */
  readonly start: number;
  /** In XML, the name of the row's element. */
  readonly element?: string;
}

/** How a JSON or XML text writes lists of records. */
export interface TextForm {
  /** The byte before and after a quoted cell; undefined if cells have no quotes. */
  readonly quote: number | undefined;
  /** The byte after the text of a cell; in JSON only after a quoted one. */
  readonly terminator: number;
  /** @returns the next index at which a list may start; `limit` or more if none starts before it; -1 if the text is broken */
  nextCandidate(index: number, limit: number): number;
  firstRow(index: number): FirstRow | undefined;
  /** @returns the index after a whole cell; -1 if it is malformed */
  endOfCell(index: number): number;
  /** @returns the end of a cell's text, which starts at `start`, after its quote; -1 if it has escapes */
  endOfText(start: number): number;
  /** The text of a cell with escapes. */
  unescape(start: number): string;
  /** @returns the index after a gap that differs from the first row's; -1 if this is a different row */
  endOfOtherGap(index: number, column: number, row: FirstRow): number;
  /** @returns the index of the next row; -1 if the list has no more */
  nextRow(endOfRow: number): number;
  /** @returns the index after the list; -1 if its last row is followed by something else */
  endOfList(endOfRow: number): number;
  /** Writes a mark after the first rows of a list. */
  writeMark(name: string): string;
}

/** A list that was scanned. */
interface Run {
  readonly row: FirstRow;
  readonly rowCount: number;
  /** The index of each cell, row by row. */
  readonly starts: Uint32Array;
  /** The index after the first `minRows` rows, and after the last. */
  readonly endOfFirst: number;
  readonly endOfLast: number;
  readonly end: number;
}

/** Lets other calls run; throws if its own call has ended. */
export type Pause = () => Promise<void>;

/**
 * Scans a text for long lists of flat records with the same fields in the same order.
 *
 * @returns undefined if there are none
 */
export async function scanText(bytes: Uint8Array, form: TextForm, pause?: Pause): Promise<Scan | undefined> {
  const runs: Run[] = [];
  let lists = 0;
  let limit = bytesPerStep;
  for (let index = form.nextCandidate(0, limit); index < bytes.length; index = form.nextCandidate(index, limit)) {
    if (index < 0) return undefined;
    if (index >= limit) {
      limit = index + bytesPerStep;
      await pause?.();
      continue;
    }
    const row = form.firstRow(index);
    if (row) lists += 1;
    if (lists > maxLists) return undefined;
    const run = row && (await scanRows(bytes, form, row, pause));
    if (run) runs.push(run);
    index = run?.end ?? index + 1;
  }
  return runs.length === 0 ? undefined : new Scan(bytes, form, runs);
}

/** @returns undefined if the list is short, or holds anything but such rows */
async function scanRows(bytes: Uint8Array, form: TextForm, row: FirstRow, pause?: Pause): Promise<Run | undefined> {
  const width = row.columns.length;
  let starts = new Uint32Array(minRows * width);
  let rowCount = 0;
  let endOfFirst = -1;
  let endOfLast = -1;
  let limit = row.start + bytesPerStep;
  for (let next = row.start; next >= 0; next = form.nextRow(endOfLast)) {
    if (rowCount * width === starts.length) {
      const larger = new Uint32Array(2 * starts.length);
      larger.set(starts);
      starts = larger;
    }
    endOfLast = scanRow(bytes, form, row, next, starts, rowCount * width);
    if (endOfLast < 0) return undefined;
    rowCount += 1;
    if (rowCount === minRows) endOfFirst = endOfLast;
    if (endOfLast < limit) continue;
    limit = endOfLast + bytesPerStep;
    boundTable(rowCount, width);
    await pause?.();
  }
  const end = rowCount < minRows ? -1 : form.endOfList(endOfLast);
  if (end < 0) return undefined;
  boundTable(rowCount, width);
  return { row, rowCount, starts: starts.slice(0, rowCount * width), endOfFirst, endOfLast, end };
}

/**
 * Notes where the cells of a row start, from `starts[cell]` on.
 *
 * @returns the index after the row; -1 if it is not a row of this list
 */
function scanRow(
  bytes: Uint8Array,
  form: TextForm,
  row: FirstRow,
  start: number,
  starts: Uint32Array,
  cell: number,
): number {
  const { gaps } = row;
  const width = gaps.length - 1;
  let index = start;
  for (let column = 0; ; column += 1) {
    const gap = gaps[column] ?? noBytes;
    index = startsWith(bytes, index, gap) ? index + gap.length : form.endOfOtherGap(index, column, row);
    if (index < 0 || column === width) return index;
    starts[cell + column] = index;
    index = form.endOfCell(index);
    if (index < 0) return -1;
  }
}

const noBytes = new Uint8Array();

function startsWith(bytes: Uint8Array, index: number, part: Uint8Array): boolean {
  for (let offset = 0; offset < part.length; offset += 1) if (bytes[index + offset] !== part[offset]) return false;
  return true;
}

/** @returns the index after white space */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let index = start;
  for (let byte = bytes[index]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[index]) {
    index += 1;
  }
  return index;
}

/**
 * Whether a list with these columns can be scanned. A list of records with one value, or with a value that may itself stand
 * for rows, can mean many things, and every row decides.
 */
export function canBeColumns(names: readonly string[]): boolean {
  const areDistinct = new Set(names).size === names.length;
  return names.length > 1 && areDistinct && !names.some((name) => isContainer(name) || /^\d+$/.test(name));
}

/** Decodes a part of a text in UTF-8. */
export function textBetween(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

/** The lists of a text, and the text with only their first rows in it. */
export class Scan {
  /** The rest of the text: the first rows of each list are left, with a mark after them. */
  readonly rest: string;
  readonly lists: readonly ScannedList[];
  readonly #runs: readonly Run[];
  readonly #mark = `rows-${randomUUID()}-`;

  constructor(bytes: Uint8Array, form: TextForm, runs: readonly Run[]) {
    this.#runs = runs;
    this.lists = runs.map((run) => ({
      columns: run.row.columns,
      cells: new ScannedCells(bytes, form, run, bytes.byteLength / runs.length),
    }));
    const pieces = runs.map(({ endOfFirst }, index) => {
      const start = runs[index - 1]?.end ?? 0;
      return textBetween(bytes, start, endOfFirst) + form.writeMark(this.#mark + index);
    });
    this.rest = pieces.join('') + textBetween(bytes, runs.at(-1)?.end ?? 0, bytes.length);
  }

  /**
   * Attaches all rows to the lists that stand for them in the tree of `rest`.
   *
   * @returns whether each list is where a table can be
   */
  attachTo(tree: Tree): boolean {
    return this.#attach(tree, 0) === this.#runs.length;
  }

  #attach(tree: Tree, depth: number): number {
    // Deeper than the rows of any table.
    if (isLeaf(tree) || depth > maxWrapperDepth + 2) return 0;
    const attached = isList(tree) ? this.#attachInList(tree as Tree[]) : this.#attachIn(tree as Record<string, Tree>);
    return Object.values(tree).reduce<number>((sum, inner) => sum + this.#attach(inner, depth + 1), attached);
  }

  /** In JSON the mark is the last item. */
  #attachInList(items: Tree[]): number {
    const list = this.lists[this.#indexIn(items.at(-1))];
    if (!list) return 0;
    items.pop();
    attachRows(list, items);
    return 1;
  }

  /** In XML the mark is an element after those of the list. */
  #attachIn(element: Record<string, Tree>): number {
    let attached = 0;
    for (const name of Object.keys(element)) {
      const index = this.#indexIn(name);
      const list = this.lists[index];
      if (!list) continue;
      delete element[name];
      const items = element[this.#runs[index]?.row.element ?? ''];
      if (!isList(items) || items.length !== minRows || !items.every(isRecord)) continue;
      attachRows(list, items as Tree[]);
      attached += 1;
    }
    return attached;
  }

  #indexIn(mark: Tree | undefined): number {
    return typeof mark === 'string' && mark.startsWith(this.#mark) ? Number(mark.slice(this.#mark.length)) : -1;
  }
}

const [minus, point, zero, nine] = [0x2d, 0x2e, 0x30, 0x39];

const powersOfTen = Array.from({ length: maxDigits }, (_, exponent) => Number(`1e${exponent}`));

type NumbersRead = { -readonly [Key in keyof PlainColumn]: PlainColumn[Key] };

/** The cells of a scanned list: they stay in the bytes of the answer. */
class ScannedCells implements Cells {
  readonly rowCount: number;
  readonly characters: number;
  readonly bytes: number;
  readonly #source: Uint8Array;
  readonly #form: TextForm;
  readonly #starts: Uint32Array;
  readonly #width: number;
  #numbers: readonly (PlainColumn | undefined)[] | undefined;

  /** @param bytesOfText this table's part of the bytes of the text */
  constructor(source: Uint8Array, form: TextForm, { row, rowCount, starts, endOfLast }: Run, bytesOfText: number) {
    this.#source = source;
    this.#form = form;
    this.#starts = starts;
    this.#width = row.columns.length;
    this.rowCount = rowCount;
    const bytesOfGaps = row.gaps.reduce((sum, { length }) => sum + length, 0);
    this.characters = Math.max(0, endOfLast - row.start - rowCount * bytesOfGaps);
    this.bytes = starts.byteLength + bytesOfText;
  }

  text(row: number, column: number): RawCell {
    const start = this.#startOf(row, column);
    const end = this.#form.endOfText(start);
    if (end === start) return null;
    return end < 0 ? this.#form.unescape(start) || null : textBetween(this.#source, start, end);
  }

  numbers(column: number): PlainColumn | undefined {
    this.#numbers ??= this.#readNumbers();
    return this.#numbers[column];
  }

  /** Reads the numbers of all columns in one pass over the bytes, in half the time of a pass for each column. */
  #readNumbers(): readonly (PlainColumn | undefined)[] {
    const [bytes, form, starts] = [this.#source, this.#form, this.#starts];
    const columns = Array.from({ length: this.#width }, (): NumbersRead | undefined => ({
      values: new Float64Array(this.rowCount).fill(Number.NaN),
      isEmpty: true,
      sum: 0,
      decimals: 0,
    }));
    for (let row = 0, cell = 0; row < this.rowCount; row += 1) {
      for (let index = 0; index < columns.length; index += 1, cell += 1) {
        const column = columns[index];
        if (!column) continue;
        const cellStart = starts[cell] ?? 0;
        const isQuoted = bytes[cellStart] === form.quote;
        const start = isQuoted ? cellStart + 1 : cellStart;
        const isNegative = bytes[start] === minus;
        const first = isNegative ? start + 1 : start;
        let digits = 0;
        let pointAt = -1;
        let end = first;
        for (let byte = bytes[end] ?? 0; ; byte = bytes[end] ?? 0) {
          if (byte >= zero && byte <= nine) digits = digits * 10 + byte - zero;
          else if (byte === point && pointAt < 0) pointAt = end;
          else break;
          end += 1;
        }
        if (end === start && form.endOfText(start) === start) continue;
        const wholeDigits = (pointAt < 0 ? end : pointAt) - first;
        const isPlain =
          wholeDigits > 0 &&
          (wholeDigits === 1 || bytes[first] !== zero) &&
          pointAt !== end - 1 &&
          end - first <= maxDigits &&
          (bytes[end] === form.terminator || (form.quote !== undefined && !isQuoted));
        if (!isPlain) {
          columns[index] = undefined;
          continue;
        }
        const places = pointAt < 0 ? 0 : end - 1 - pointAt;
        // Whole numbers of 15 digits and powers of ten are exact, so their quotient is rounded as `Number` would.
        const value = digits / (powersOfTen[places] ?? Number.NaN);
        // Zero has no sign.
        const signed = isNegative ? 0 - value : value;
        column.values[row] = signed;
        column.sum += signed;
        column.isEmpty = false;
        column.decimals = Math.max(column.decimals, places);
      }
    }
    return columns;
  }

  /** The start of a cell's text, after its quote. */
  #startOf(row: number, column: number): number {
    const start = this.#starts[row * this.#width + column] ?? 0;
    return this.#source[start] === this.#form.quote ? start + 1 : start;
  }
}
