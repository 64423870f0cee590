import { maxDigits } from '../../../api/cells.ts';
import { instantiate } from '../../v8-flags.ts';
import { rowLoopModule } from './row-loop-module.ts';

/** How the rows of a text in UTF-8 are written. */
export interface RowForm {
  /** What stands ahead of each cell, and behind the last, in each row. */
  readonly gaps: readonly Uint8Array[];
  /** What is ahead of each cell that has an end mark, which is then behind it; undefined where all have one, and nothing ahead. */
  readonly startMark?: number;
  readonly endMark: number;
  /** What begins an escape, which may hide an end mark. */
  readonly escapeMark?: number;
  /** @returns where a cell ends that has escapes; -1 where it does not */
  endOfEscaped?(start: number): number;
  /** @returns where a cell without marks ends; -1 where there is none */
  endOfBare?(start: number): number;
  /** Whether what stands in a cell without marks says that it is empty. */
  isNothing?(start: number): boolean;
  /** @returns the index behind what stands ahead of a cell, or behind the last, where it is no gap; -1 where it is none either */
  endOfOtherGap?(start: number, column: number): number;
  /** @returns where the row begins that comes next; -1 where none does */
  nextRow(endOfRow: number): number;
}

/** What is known of some rows, with an item for each column. */
export interface RowState {
  /** All gaps, one behind the other. */
  readonly gaps: Uint8Array;
  /** What stands between two rows, and the first gap behind it; empty as long as that is not known. */
  link: Uint8Array;
  readonly sums: Float64Array;
  /** The most digits behind the point. */
  readonly decimals: Uint32Array;
  /** Of `filledBit` and `otherBit`. */
  readonly kinds: Uint8Array;
}

/** What is known of a column, in bits: some cell is filled; some is no plain number. */
export const filledBit = 1;
export const otherBit = 2;

/** Where in its memory something stands. */
type Place = 'sums' | 'values' | 'starts' | 'decimals' | 'gapLengths' | 'gaps' | 'link' | 'kinds' | 'block';

/** What wasm/read-rows.ts exports, which says what each is. */
type Exports = Readonly<Record<Place | 'next' | 'endOfRow', { readonly value: number }>> & {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  layOut(columns: number, rows: number, bytesOfGaps: number, bytesOfLink: number): void;
  setForm(start: number, end: number, escaping: number, digits: number, bytesBetween: number): void;
  readRows(start: number, length: number, isEnd: boolean, max: number, limit: number): number;
};

/** So much of a text is read at once, unless a row is longer. */
const bytesOfBlock = 128 * 1024;

const bytesOfPage = 64 * 1024;

/** Memory never shrinks: where a long row took more than this, it is given up. */
const maxKeptBytes = 4 * 1024 * 1024;

/** The compiled loop, and the memory it works in. It reads one text at a time. */
class RowLoop {
  readonly #exports: Exports;
  #bytes: Uint8Array = new Uint8Array();
  #form: RowForm | undefined;
  #width = 0;
  #maxRows = 0;

  constructor() {
    const questions = {
      endOfOtherGap: (start: number, column: number) => this.#form?.endOfOtherGap?.(start, column) ?? -1,
      endOfEscaped: (start: number) => this.#form?.endOfEscaped?.(start) ?? -1,
      endOfBare: (start: number) => this.#form?.endOfBare?.(start) ?? -1,
      isNothing: (start: number) => this.#form?.isNothing?.(start) ?? false,
      nextRow: (endOfRow: number) => this.#form?.nextRow(endOfRow) ?? -1,
    };
    this.#exports = instantiate(Buffer.from(rowLoopModule, 'base64'), { 'read-rows': questions }) as Exports;
  }

  get isLarge(): boolean {
    return this.#exports.memory.buffer.byteLength > maxKeptBytes;
  }

  get next(): number {
    return this.#exports.next.value;
  }

  get endOfRow(): number {
    return this.#exports.endOfRow.value;
  }

  /** Puts what is known of the rows where the loop finds it. */
  open(bytes: Uint8Array, form: RowForm, state: RowState): void {
    const { gaps, link, sums, decimals, kinds } = state;
    const [firstGap] = form.gaps;
    this.#bytes = bytes;
    this.#form = form;
    this.#width = sums.length;
    this.#maxRows = Math.ceil(bytesOfBlock / gaps.length);
    this.#exports.layOut(this.#width, this.#maxRows, gaps.length, link.length);
    const between = link.length - (firstGap?.length ?? 0);
    this.#exports.setForm(form.startMark ?? -1, form.endMark, form.escapeMark ?? -1, maxDigits, between);
    this.#reserve(0);
    this.#doubles('sums', this.#width).set(sums);
    this.#words('decimals', this.#width).set(decimals);
    this.#words('gapLengths', form.gaps.length).set(form.gaps.map(({ length }) => length));
    this.#octets('gaps', gaps.length).set(gaps);
    this.#octets('link', link.length).set(link);
    this.#octets('kinds', this.#width).set(kinds);
  }

  /**
   * Reads the rows that begin at `start`: so many at most, and those that begin ahead of `limit`.
   *
   * @returns how many; 0 where no whole row is there
   */
  read(start: number, max: number, limit: number): number {
    const left = this.#bytes.length - start;
    for (let length = Math.min(left, bytesOfBlock); ; length = Math.min(left, 2 * length)) {
      this.#reserve(length);
      this.#octets('block', length).set(this.#bytes.subarray(start, start + length));
      const isEnd = length === left;
      const rows = this.#exports.readRows(start, length, isEnd, Math.min(max, this.#maxRows), limit);
      if (rows > 0 || this.endOfRow < 0 || isEnd) return rows;
    }
  }

  /** Row by row, where each cell starts, of the rows that were just read. */
  starts(rows: number): Uint32Array {
    return this.#words('starts', rows * this.#width);
  }

  /** The numbers of a column in the rows that were just read. */
  values(column: number, rows: number): Float64Array {
    return this.#doubles('values', rows, column * this.#maxRows);
  }

  /** Takes back what is known of the rows. */
  close({ sums, decimals, kinds }: RowState): void {
    sums.set(this.#doubles('sums', this.#width));
    decimals.set(this.#words('decimals', this.#width));
    kinds.set(this.#octets('kinds', this.#width));
    this.#bytes = new Uint8Array();
    this.#form = undefined;
  }

  /** Makes room for a block of so many bytes, and for one more: a cell may begin where it ends. */
  #reserve(length: number): void {
    const { memory, block } = this.#exports;
    const missing = block.value + length + 1 - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / bytesOfPage));
  }

  #octets(name: Place, length: number): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer, this.#exports[name].value, length);
  }

  #words(name: Place, length: number): Uint32Array {
    return new Uint32Array(this.#exports.memory.buffer, this.#exports[name].value, length);
  }

  #doubles(name: Place, length: number, index = 0): Float64Array {
    return new Float64Array(this.#exports.memory.buffer, this.#exports[name].value + 8 * index, length);
  }
}

let kept: RowLoop | undefined;

/** Opens the loop for one reading, in which nothing is waited for: there is one for all. */
export function openLoop(bytes: Uint8Array, form: RowForm, state: RowState): RowLoop {
  kept ??= new RowLoop();
  kept.open(bytes, form, state);
  return kept;
}

export function closeLoop(loop: RowLoop, state: RowState): void {
  loop.close(state);
  if (loop.isLarge) kept = undefined;
}
