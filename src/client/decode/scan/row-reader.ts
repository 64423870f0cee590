import { maxDigits, type PlainColumn } from '../../../api/cells.ts';

/** How the rows of a text in UTF-8 are written. */
export interface RowForm {
  /** What stands ahead of each cell, and behind the last, in each row. */
  readonly gaps: readonly Uint8Array[];
  /** What is ahead of each cell that has an end mark, which is then behind it; undefined if all have one, and nothing ahead. */
  readonly startMark?: number;
  readonly endMark: number;
  /** What begins an escape, which may hide an end mark. */
  readonly escapeMark?: number;
  /** @returns where a cell ends that has escapes; -1 if it does not */
  endOfEscaped?(start: number): number;
  /** @returns where a cell without marks ends; -1 if there is none */
  endOfBare?(start: number): number;
  /** Whether a cell without marks says that it is empty. */
  isNothing?(start: number): boolean;
  /** @returns the index behind what stands ahead of a cell, or behind the last, if that is not the gap; -1 if no row goes on so */
  endOfOtherGap?(start: number, column: number): number;
  /** @returns where the next row begins; -1 if none does */
  nextRow(endOfRow: number): number;
}

const noGap = new Uint8Array();

/** Room is made for this many times the rows that are expected, and for at most so many times those that are there. */
const [surplus, maxGrowth] = [1.02, 32];

/** Reads rows: where their cells start in the text, and which columns are plain numbers. */
export class RowReader {
  readonly #bytes: Uint8Array;
  readonly #form: RowForm;
  readonly #width: number;
  readonly #first: number;
  readonly #bytesOfGaps: number;
  #room: number;
  #starts: Uint32Array;
  /** Column by column, with the same room for each. */
  #values: Float64Array;
  readonly #sums: Float64Array;
  readonly #decimals: Uint32Array;
  /** Not 0 for a column of which some cell is filled. */
  readonly #isFilled: Uint8Array;
  /** Not 0 for a column of which some cell is no plain number. */
  readonly #isOther: Uint8Array;
  /** How many rows are read. */
  rowCount = 0;
  /** Where the next row begins; -1 behind the last. */
  next: number;
  /** The index behind the last row that was read; -1 if something came behind it that is no row. */
  endOfRow: number;

  /**
   * @param start where the first row begins
   * @param room how many rows there will be; more can come
   */
  constructor(bytes: Uint8Array, start: number, form: RowForm, room: number) {
    const width = form.gaps.length - 1;
    this.#bytes = bytes;
    this.#form = form;
    this.#width = width;
    this.#first = start;
    this.#bytesOfGaps = form.gaps.reduce((sum, { length }) => sum + length, 0);
    this.#room = room;
    this.#starts = new Uint32Array(width * room);
    this.#values = new Float64Array(width * room);
    this.#sums = new Float64Array(width);
    this.#decimals = new Uint32Array(width);
    this.#isFilled = new Uint8Array(width);
    this.#isOther = new Uint8Array(width);
    this.next = start;
    this.endOfRow = start;
  }

  /** Row by row, where each cell starts. */
  get starts(): Uint32Array {
    return this.#starts.subarray(0, this.rowCount * this.#width);
  }

  /** How many bytes all cells have, about. */
  get bytesOfCells(): number {
    return Math.max(0, this.endOfRow - this.#first - this.rowCount * this.#bytesOfGaps);
  }

  /** @returns undefined if some cell of the column is no plain number */
  column(index: number): PlainColumn | undefined {
    if (this.#isOther[index] !== 0) return undefined;
    const first = index * this.#room;
    return {
      values: this.#values.subarray(first, first + this.rowCount),
      isEmpty: this.#isFilled[index] === 0,
      sum: this.#sums[index] ?? 0,
      decimals: this.#decimals[index] ?? 0,
    };
  }

  /**
   * Reads the next rows: at most so many, and only those that begin within so many bytes.
   *
   * It is one loop with hardly a call in it: a large report holds millions of cells, and most of the first one is read before
   * V8 has compiled anything well. Small functions, one for a cell and one for a number, took a third longer.
   *
   * @returns whether there are any
   */
  read(rows: number, bytesOfRows: number): boolean {
    if (this.next < 0) return false;
    const firstRow = this.rowCount;
    if (firstRow === this.#room) this.#makeRoom();
    const room = this.#room;
    const lastRow = Math.min(firstRow + rows, room);
    const end = this.next + bytesOfRows;
    // Local names: V8 looks up fields and constants of the file in each turn of the loops.
    const [zero, nine, point, minus, maxLength] = [0x30, 0x39, 0x2e, 0x2d, maxDigits];
    const bytes = this.#bytes;
    const form = this.#form;
    const { startMark, endMark, escapeMark } = form;
    const width = this.#width;
    const { gaps } = form;
    const starts = this.#starts;
    const values = this.#values;
    const sums = this.#sums;
    const allDecimals = this.#decimals;
    const isFilled = this.#isFilled;
    const isOther = this.#isOther;
    const hasStartMark = startMark !== undefined;
    const max = bytes.length;
    let index = this.next;
    let row = firstRow;
    for (; index >= 0 && index < end && row < lastRow; row += 1) {
      for (let column = 0; column <= width; column += 1) {
        // What stands ahead of the cell: most of a report is the names of its columns, again in each row.
        const gap = gaps[column] ?? noGap;
        const { length } = gap;
        let place = 0;
        while (place < length && bytes[index + place] === gap[place]) place += 1;
        index = place === length ? index + length : (form.endOfOtherGap?.(index, column) ?? -1);
        if (index < 0) return this.#giveUp();
        if (column === width) break;

        const isMarked = !hasStartMark || bytes[index] === startMark;
        if (hasStartMark && isMarked) index += 1;
        const start = index;
        starts[row * width + column] = start;

        // The cell as far as it is a plain number.
        const isNegative = bytes[index] === minus;
        if (isNegative) index += 1;
        const first = index;
        let digits = 0;
        let scale = 0;
        let pointAt = -1;
        let byte = 0;
        for (; index < max; index += 1) {
          byte = bytes[index] ?? 0;
          if (byte >= zero && byte <= nine) {
            digits = digits * 10 + byte - zero;
            scale *= 10;
          } else if (byte === point && pointAt < 0) {
            scale = 1;
            pointAt = index;
          } else break;
        }
        const endOfDigits = index;

        // Where it ends.
        if (!isMarked) index = form.endOfBare?.(start) ?? -1;
        else if (byte !== endMark || index === max) {
          for (; index < max; index += 1) {
            byte = bytes[index] ?? 0;
            if (byte === endMark || byte === escapeMark) break;
          }
          if (byte !== endMark || index === max) index = form.endOfEscaped?.(start) ?? -1;
        }
        if (index < 0) return this.#giveUp();

        // What it is, as long as all cells of its column were plain numbers.
        if (isOther[column] === 0) {
          const digitsLength = index - first;
          const decimals = pointAt < 0 ? 0 : index - 1 - pointAt;
          if (index === start || (!isMarked && form.isNothing?.(start))) values[column * room + row] = Number.NaN;
          else if (
            endOfDigits < index ||
            digitsLength === 0 ||
            digitsLength > maxLength ||
            (pointAt >= 0 && (pointAt === first || decimals === 0)) ||
            (digitsLength > 1 && bytes[first] === zero && pointAt !== first + 1)
          ) {
            isOther[column] = 1;
          } else {
            // Whole numbers of 15 digits and powers of ten are exact, so their quotient is rounded as `Number` would.
            const value = scale === 0 ? digits : digits / scale;
            const signed = isNegative ? 0 - value : value;
            values[column * room + row] = signed;
            sums[column] = (sums[column] ?? 0) + signed;
            isFilled[column] = 1;
            if (decimals > (allDecimals[column] ?? 0)) allDecimals[column] = decimals;
          }
        }
        if (hasStartMark && isMarked) index += 1;
      }
      this.endOfRow = index;
      index = form.nextRow(index);
    }
    this.next = index;
    this.rowCount = row;
    return row > firstRow;
  }

  /** A list with an item that is no such row is something else. */
  #giveUp(): false {
    this.endOfRow = -1;
    return false;
  }

  /** Makes room for more rows, which are expected to be as long as those before. */
  #makeRoom(): void {
    const expected = (this.rowCount * (this.#bytes.length - this.#first)) / (this.next - this.#first);
    this.#setRoom(Math.ceil(surplus * Math.min(Math.max(expected, this.rowCount + 1), maxGrowth * this.rowCount)));
  }

  /** Leaves no more room than the rows take. */
  trim(): void {
    if (this.#room > surplus * this.rowCount) this.#setRoom(this.rowCount);
  }

  #setRoom(room: number): void {
    const before = this.#room;
    this.#room = room;
    const starts = new Uint32Array(this.#width * room);
    starts.set(this.starts);
    this.#starts = starts;
    const values = new Float64Array(this.#width * room);
    for (let column = 0; column < this.#width; column += 1) {
      if (this.#isOther[column] !== 0) continue;
      values.set(this.#values.subarray(column * before, column * before + this.rowCount), column * room);
    }
    this.#values = values;
  }
}
