import { maxDigits, maxPlainLength, type PlainColumn, powersOfTen, readLongFraction } from '../../api/plain-numbers.ts';

export interface FirstRow {
  readonly columns: readonly string[];
  /** The bytes before each cell, and after the last. */
  readonly gaps: readonly Uint8Array[];
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
  /** The first byte of a cell that has no value; undefined if there are none. */
  readonly startOfNull: number | undefined;
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

const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;

/** Later rows may be shorter. */
const spareRoom = 1.1;

/** More rows are made room for in steps. */
const maxRoom = 1_000_000;

/** The numbers of a column, and whether none is but a plain number, none has quotes, and each has them. */
type Numbers = { -readonly [Key in keyof PlainColumn]: PlainColumn[Key] } & {
  isPlain: boolean;
  isTyped: boolean;
  isQuoted: boolean;
};

/** Reads the rows of a list in one pass: where each cell starts, and the numbers of the columns that hold nothing else. */
export class RowReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #form: TextForm;
  readonly #first: FirstRow;
  readonly #gaps: readonly DataView[];
  readonly #columns: readonly Numbers[];
  #starts: Uint32Array;
  /** The number of rows that there is room for. */
  #room = 32;
  rowCount = 0;
  /** Whether all rows have the bytes between their cells that the first has. */
  isRegular = true;

  constructor(bytes: Uint8Array, form: TextForm, first: FirstRow) {
    this.#bytes = bytes;
    this.#form = form;
    this.#first = first;
    this.#view = viewOf(bytes);
    this.#gaps = first.gaps.map(viewOf);
    this.#starts = new Uint32Array(this.#room * first.columns.length);
    this.#columns = first.columns.map(() => ({
      values: new Float64Array(this.#room),
      isEmpty: true,
      sum: 0,
      decimals: 0,
      isPlain: true,
      isTyped: first.element === undefined,
      isQuoted: true,
    }));
  }

  /** The index of each cell, row by row. */
  get starts(): Uint32Array {
    return this.#starts.subarray(0, this.rowCount * this.#columns.length);
  }

  /** The numbers of each column; undefined if any of its cells is not a plain number. */
  get columns(): readonly (PlainColumn | undefined)[] {
    return this.#columns.map(({ isPlain, isEmpty, sum, decimals, values }) =>
      isPlain ? { isEmpty, sum, decimals, values: values.subarray(0, this.rowCount) } : undefined,
    );
  }

  /** How the columns of plain numbers are written; undefined for other columns, and for those that are written in both ways. */
  get typings(): ('numbers' | 'texts' | undefined)[] {
    return this.#columns.map(({ isPlain, isTyped, isQuoted }) =>
      isPlain && isTyped ? 'numbers' : isPlain && isQuoted ? 'texts' : undefined,
    );
  }

  /**
   * Reads the next row. It is one loop, because a call for each cell takes a third more time.
   *
   * @returns the index after the row; -1 if it is not a row of this list
   */
  read(rowStart: number): number {
    if (this.rowCount === this.#room) this.#makeRoom(rowStart);
    const row = this.rowCount;
    const bytes = this.#bytes;
    const view = this.#view;
    const form = this.#form;
    const gaps = this.#gaps;
    const starts = this.#starts;
    const columns = this.#columns;
    const width = columns.length;
    const { quote, terminator } = form;
    let index = rowStart;
    for (let cell = 0; ; cell += 1) {
      // Four bytes at a time; the last four may overlap those before.
      const gap = gaps[cell] as DataView;
      const length = gap.byteLength;
      const last = length - 4;
      let isSame = index + length <= bytes.length;
      for (let at = 0; isSame && at < last; at += 4)
        isSame = view.getInt32(index + at, true) === gap.getInt32(at, true);
      if (last >= 0) isSame &&= view.getInt32(index + last, true) === gap.getInt32(last, true);
      else for (let at = 0; isSame && at < length; at += 1) isSame = bytes[index + at] === gap.getUint8(at);
      if (isSame) index += length;
      else {
        this.isRegular = false;
        index = form.endOfOtherGap(index, cell, this.#first);
        if (index < 0) return -1;
      }
      if (cell === width) break;
      starts[row * width + cell] = index;
      const column = columns[cell] as Numbers;
      if (!column.isPlain) {
        index = form.endOfCell(index);
        if (index < 0) return -1;
        continue;
      }

      const isQuoted = bytes[index] === quote;
      if (isQuoted) column.isTyped = false;
      const start = isQuoted ? index + 1 : index;
      const isNegative = bytes[start] === minus;
      const first = isNegative ? start + 1 : start;
      let digits = 0;
      let pointAt = -1;
      let end = first;
      for (let byte = bytes[end] ?? 0; ; byte = bytes[end] ?? 0) {
        if (byte >= zero && byte <= nine) digits = digits * 10 + (byte - zero);
        else if (byte === point && pointAt < 0) pointAt = end;
        else break;
        end += 1;
      }

      const wholeDigits = (pointAt < 0 ? end : pointAt) - first;
      const isNumber = wholeDigits > 0 && (wholeDigits === 1 || bytes[first] !== zero) && pointAt !== end - 1;
      const isWhole = isQuoted || quote === undefined ? bytes[end] === terminator : isNumber;
      index = isWhole ? (isQuoted ? end + 1 : end) : form.endOfCell(index);
      if (index < 0) return -1;
      if (end === start && (isWhole || form.endOfText(start) === start)) {
        column.values[row] = Number.NaN;
        continue;
      }
      let value: number;
      if (end - first <= maxDigits) {
        column.isPlain = isNumber && isWhole;
        const places = pointAt < 0 ? 0 : end - 1 - pointAt;
        // Whole numbers of 15 digits and powers of ten are exact, so their quotient is rounded as `Number` would.
        value = places === 0 ? digits : digits / (powersOfTen[places] ?? Number.NaN);
        if (places > column.decimals) column.decimals = places;
      } else {
        const isFraction = wholeDigits <= maxDigits && pointAt >= 0 && end - first <= maxPlainLength;
        // With `+` V8 knows that it is a number; else it makes an object of each value of every column.
        value = isNumber && isWhole && isFraction ? +readLongFraction(bytes, first, end, column) : Number.NaN;
        column.isPlain = !Number.isNaN(value);
      }
      // Zero has no sign.
      const signed = isNegative ? 0 - value : value;
      column.values[row] = signed;
      column.sum += signed;
      column.isEmpty = false;
      if (!isQuoted) column.isQuoted = false;
    }
    this.rowCount += 1;
    return index;
  }

  /**
   * Room for as many rows as the rest of the text can hold, if they are as long as those before: to copy all again and again would take
   * longer, and make others wait. Memory that is not written to costs nothing.
   */
  #makeRoom(rowStart: number): void {
    const bytesOfRow = (rowStart - this.#first.start) / this.rowCount;
    const left = Math.ceil((this.#bytes.length - rowStart) / bytesOfRow);
    this.#room = Math.max(this.#room * 2, Math.min(this.rowCount + Math.ceil(left * spareRoom), maxRoom));
    const starts = new Uint32Array(this.#room * this.#columns.length);
    starts.set(this.#starts);
    this.#starts = starts;
    for (const column of this.#columns) {
      if (!column.isPlain) continue;
      const values = new Float64Array(this.#room);
      values.set(column.values);
      column.values = values;
    }
  }
}

function viewOf(part: Uint8Array): DataView {
  return new DataView(part.buffer, part.byteOffset, part.byteLength);
}
