import { randomUUID } from 'node:crypto';
import {
  type Cells,
  type Codes,
  type Coding,
  hasDigit,
  type IsPlain,
  type RawCell,
  type Typing,
} from '../../api/cells.ts';
import type { PlainColumn } from '../../api/plain-numbers.ts';
import { PlainTimes, timeLength } from '../../api/plain-times.ts';
import { type FirstRow, RowReader, type TextForm } from './row-reader.ts';
import { SliceCodes } from './slice-codes.ts';
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

/** Takes a few milliseconds to scan, also the first time, when V8 has not compiled what scans. */
const bytesPerStep = 250_000;

/** A list that was scanned. */
interface Run {
  readonly row: FirstRow;
  readonly rows: RowReader;
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
  const rows = new RowReader(bytes, form, row);
  let endOfFirst = -1;
  let endOfLast = -1;
  let limit = row.start + bytesPerStep;
  for (let next = row.start; next >= 0; next = form.nextRow(endOfLast)) {
    endOfLast = rows.read(next);
    if (endOfLast < 0) return undefined;
    if (rows.rowCount === minRows) endOfFirst = endOfLast;
    if (endOfLast < limit) continue;
    limit = endOfLast + bytesPerStep;
    boundTable(rows.rowCount, row.columns.length);
    await pause?.();
  }
  const end = rows.rowCount < minRows ? -1 : form.endOfList(endOfLast);
  if (end < 0) return undefined;
  boundTable(rows.rowCount, row.columns.length);
  return { row, rows, endOfFirst, endOfLast, end };
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

/** Takes a few milliseconds to code, also the first time. */
const cellsPerStep = 4000;

/** A column with more texts has one for each visit. From then on plain ones share the codes of the first few: campaigns still have several. */
const [maxTexts, maxPlain] = [1000, 8];

/** They fit into the caches of any processor. */
const rowsAhead = 32;

/** The codes of a column, as far as it is coded. */
class ColumnCodes {
  readonly column: number;
  codes: Codes;
  readonly values: RawCell[] = [];
  readonly slices: SliceCodes;
  /** The codes of the first plain texts. */
  readonly plain: number[] = [];
  /** Made once a cell has an escape: then two slices may mean one text. */
  #codeByText: Map<RawCell, number> | undefined;

  constructor(column: number, rowCount: number, source: Uint8Array) {
    this.column = column;
    this.codes = new Uint8Array(rowCount);
    this.slices = new SliceCodes(source);
  }

  /** A code that plain texts share; -1 as long as each has its own. */
  codeOfPlain(row: number): number {
    return this.values.length < maxTexts ? -1 : (this.plain[row % this.plain.length] ?? -1);
  }

  /** The code of a text whose slice is not known. */
  codeOf(text: RawCell, isEscaped: boolean): number {
    if (isEscaped) this.#codeByText ??= new Map(this.values.map((value, code) => [value, code]));
    const code = this.#codeByText?.get(text) ?? this.values.length;
    if (code < this.values.length) return code;
    this.values.push(text);
    this.#codeByText?.set(text, code);
    if (code === 0x100) this.codes = new Uint16Array(this.codes);
    if (code === 0x1_0000) this.codes = new Uint32Array(this.codes);
    return code;
  }
}

/** Whether a byte is a digit or a minus. */
const isNumberStart = (byte: number): boolean => byte === 0x2d || (byte >= 0x30 && byte <= 0x39);

/** The cells of a scanned list: they stay in the bytes of the answer. */
class ScannedCells implements Cells {
  readonly rowCount: number;
  readonly characters: number;
  readonly bytes: number;
  readonly #source: Uint8Array;
  readonly #buffer: Buffer;
  readonly #form: TextForm;
  readonly #starts: Uint32Array;
  readonly #columns: readonly (PlainColumn | undefined)[];
  readonly #typings: (Typing | undefined)[];
  /** The bytes before each cell; undefined if they differ between rows. */
  readonly #gaps: readonly number[] | undefined;
  /** Only so that what is fetched is used. */
  #fetched = 0;

  /** @param bytesOfText this table's part of the bytes of the text */
  constructor(source: Uint8Array, form: TextForm, { row, rows, endOfLast }: Run, bytesOfText: number) {
    this.#source = source;
    this.#buffer = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    this.#form = form;
    this.#starts = rows.starts;
    this.#columns = rows.columns;
    this.#typings = rows.typings;
    this.rowCount = rows.rowCount;
    const gaps = row.gaps.map(({ length }) => length);
    this.#gaps = rows.isRegular ? gaps : undefined;
    const bytesOfGaps = gaps.reduce((sum, length) => sum + length, 0);
    this.characters = Math.max(0, endOfLast - row.start - this.rowCount * bytesOfGaps);
    this.bytes = this.#columns.reduce(
      (sum, column) => sum + (column?.values.byteLength ?? 0),
      this.#starts.byteLength + bytesOfText,
    );
  }

  text(row: number, column: number): RawCell {
    const start = this.#startOf(row, column);
    const end = this.#form.endOfText(start);
    if (end === start) return null;
    return end < 0 ? this.#form.unescape(start) || null : this.#buffer.toString('utf8', start, end);
  }

  numbers(column: number): PlainColumn | undefined {
    return this.#columns[column];
  }

  /** Goes over the rows once: the cells of a row are next to each other in memory. */
  *coding(columns: readonly number[], isPlain?: IsPlain): Coding {
    const all = columns.map((column) => new ColumnCodes(column, this.rowCount, this.#source));
    for (let row = 0; row < this.rowCount; row += 1) {
      if (row > 0 && (row * columns.length) % cellsPerStep < columns.length) yield;
      if (row % rowsAhead === 0) this.#fetch(row, columns);
      this.#codeRow(row, all, isPlain);
    }
    return all.map(({ codes, values }) => ({ codes, values }));
  }

  /** Has the processor fetch cells of the next rows from memory together. Each alone takes as long as all of these. */
  #fetch(first: number, columns: readonly number[]): void {
    const end = Math.min(first + rowsAhead, this.rowCount);
    const [source, starts, width] = [this.#source, this.#starts, this.#columns.length];
    let fetched = 0;
    for (const column of columns)
      for (let row = first; row < end; row += 1) fetched ^= source[starts[row * width + column] ?? 0] ?? 0;
    this.#fetched ^= fetched;
  }

  #codeRow(row: number, all: readonly ColumnCodes[], isPlain: IsPlain | undefined): void {
    for (let index = 0; index < all.length; index += 1) {
      const known = all[index] as ColumnCodes;
      const { column, slices } = known;
      const start = this.#startOf(row, column);
      const end = this.#endOf(row, column, start);
      const isOfMany = isPlain !== undefined && end >= 0 && isPlain(this.#source, start, end);
      let code = isOfMany ? known.codeOfPlain(row) : -1;
      if (code < 0 && end >= 0) code = slices.find(start, end);
      if (code < 0) {
        code = known.codeOf(this.text(row, column), this.#form.endOfText(start) < 0);
        if (end >= 0) slices.add(code);
        if (isOfMany && known.plain.length < maxPlain) known.plain.push(code);
      }
      known.codes[row] = code;
    }
  }

  /** The end of a cell's text, escapes included, by the start of the next cell; -1 if that does not show it and it has escapes. */
  #endOf(row: number, column: number, start: number): number {
    const gap = this.#gaps?.[column + 1];
    if (gap === undefined || column + 1 === this.#columns.length) return this.#form.endOfText(start);
    const { quote, startOfNull } = this.#form;
    const end = (this.#starts[row * this.#columns.length + column + 1] ?? 0) - gap;
    if (quote === undefined) return end;
    if (this.#source[start - 1] === quote) return end - 1;
    return this.#source[start] === startOfNull ? start : end;
  }

  plainTimes(column: number): (row: number) => number | null {
    const times = new PlainTimes();
    const form = this.#form;
    return (row) => {
      if (row % rowsAhead === 0) this.#fetch(row, [column]);
      const start = this.#startOf(row, column);
      if (this.#source[start + timeLength] === form.terminator) {
        const moment = times.read(this.#source, start);
        if (!Number.isNaN(moment)) return moment;
      }
      // A column of when visits sold is mostly empty.
      const end = form.endOfText(start);
      return end === start || (end < 0 && form.unescape(start) === '') ? null : Number.NaN;
    };
  }

  typing(column: number): Typing {
    this.#typings[column] ??= this.#typingOf(column);
    return this.#typings[column];
  }

  #typingOf(column: number): Typing {
    const { quote } = this.#form;
    if (quote === undefined) return 'texts';
    let [hasNumber, hasText] = [false, false];
    for (let row = 0; row < this.rowCount && !(hasNumber && hasText); row += 1) {
      const first = this.#source[this.#starts[row * this.#columns.length + column] ?? 0] ?? 0;
      if (first !== quote) hasNumber ||= isNumberStart(first);
      else hasText ||= hasDigit.test(this.text(row, column) ?? '');
    }
    return !hasNumber ? 'texts' : hasText ? this.#textsIn(column, quote) : 'numbers';
  }

  /** The texts of a column that are in quotation marks wherever they are. */
  #textsIn(column: number, quote: number): ReadonlySet<string> {
    const texts = new Set<string>();
    const numbers = new Set<string>();
    for (let row = 0; row < this.rowCount; row += 1) {
      const isText = this.#source[this.#starts[row * this.#columns.length + column] ?? 0] === quote;
      const text = this.text(row, column) ?? '';
      if (hasDigit.test(text)) (isText ? texts : numbers).add(text);
    }
    for (const number of numbers) texts.delete(number);
    return texts;
  }

  /** The start of a cell's text, after its quote. */
  #startOf(row: number, column: number): number {
    const start = this.#starts[row * this.#columns.length + column] ?? 0;
    return this.#source[start] === this.#form.quote ? start + 1 : start;
  }
}
