import type { PlainColumn } from '../../../api/cells.ts';
import { closeLoop, filledBit, openLoop, otherBit, type RowForm, type RowState } from './row-loop.ts';

/** How many times the rows that are expected there is room for; and how many times those that are there at most. */
const [surplus, maxGrowth] = [1.02, 32];

/** Reads rows: where their cells start in the text, and what columns are plain numbers. */
export class RowReader {
  readonly #bytes: Uint8Array;
  readonly #form: RowForm;
  readonly #width: number;
  readonly #first: number;
  readonly #state: RowState;
  #room: number;
  #starts: Uint32Array;
  /** Column by column, with the same room for each. */
  #values: Float64Array;
  /** How many rows are read. */
  rowCount = 0;
  /** Where the next row begins; -1 behind the last. */
  next: number;
  /** The index behind the last row that was read; -1 where something that is no row came behind it. */
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
    this.#state = {
      gaps: Buffer.concat(form.gaps),
      link: new Uint8Array(),
      sums: new Float64Array(width),
      decimals: new Uint32Array(width),
      kinds: new Uint8Array(width),
    };
    this.#room = room;
    this.#starts = new Uint32Array(width * room);
    this.#values = new Float64Array(width * room);
    this.next = start;
    this.endOfRow = start;
  }

  /** Row by row, where each cell starts. */
  get starts(): Uint32Array {
    return this.#starts.subarray(0, this.rowCount * this.#width);
  }

  /** How many bytes all cells have, about. */
  get bytesOfCells(): number {
    return Math.max(0, this.endOfRow - this.#first - this.rowCount * this.#state.gaps.length);
  }

  /** @returns undefined where some cell of the column is no plain number */
  column(index: number): PlainColumn | undefined {
    if (this.#isOther(index)) return undefined;
    const { kinds, sums, decimals } = this.#state;
    const first = index * this.#room;
    return {
      values: this.#values.subarray(first, first + this.rowCount),
      isEmpty: !((kinds[index] ?? 0) & filledBit),
      sum: sums[index] ?? 0,
      decimals: decimals[index] ?? 0,
    };
  }

  /**
   * Reads the rows that come next: so many at most, and those that begin in so many bytes.
   *
   * @returns whether there are any
   */
  read(rows: number, bytesOfRows: number): boolean {
    if (this.next < 0) return false;
    const before = this.rowCount;
    const limit = this.next + bytesOfRows;
    const loop = openLoop(this.#bytes, this.#form, this.#state);
    while (this.next >= 0 && this.next < limit && this.rowCount < before + rows) {
      if (this.rowCount === this.#room) this.#makeRoom();
      const count = loop.read(this.next, Math.min(before + rows, this.#room) - this.rowCount, limit);
      this.#starts.set(loop.starts(count), this.rowCount * this.#width);
      for (let column = 0; column < this.#width; column += 1) {
        if (this.#isOther(column)) continue;
        this.#values.set(loop.values(column, count), column * this.#room + this.rowCount);
      }
      this.rowCount += count;
      this.next = loop.next;
      this.endOfRow = count === 0 ? -1 : loop.endOfRow;
      if (this.endOfRow < 0) break;
    }
    closeLoop(loop, this.#state);
    if (this.endOfRow < 0) return false;
    if (this.next >= 0 && this.#state.link.length === 0) {
      const between = this.#bytes.subarray(this.endOfRow, this.next);
      this.#state.link = Buffer.concat([between, ...this.#form.gaps.slice(0, 1)]);
    }
    return this.rowCount > before;
  }

  #isOther(column: number): boolean {
    return ((this.#state.kinds[column] ?? 0) & otherBit) !== 0;
  }

  /** Makes room for more rows; those to come are taken to be as long as those before. */
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
    const starts = new Uint32Array(this.#width * this.#room);
    starts.set(this.starts);
    this.#starts = starts;
    const values = new Float64Array(this.#width * this.#room);
    for (let column = 0; column < this.#width; column += 1) {
      if (this.#isOther(column)) continue;
      values.set(this.#values.subarray(column * before, column * before + this.rowCount), column * this.#room);
    }
    this.#values = values;
  }
}
