import { maxDigits, type PlainColumn } from '../../../api/cells.ts';

/** How the rows of a text in UTF-8 are written. */
export interface RowForm {
  /** What is ahead of each cell that has an end mark, which is then behind it; undefined if all have one, and nothing ahead. */
  readonly startMark?: number;
  readonly endMark: number;
  /** What begins an escape, which may hide an end mark. */
  readonly escapeMark?: number;
  /** @returns where a cell ends that has escapes; -1 if it does not */
  endOfEscaped?(bytes: Uint8Array, start: number): number;
  /** @returns where a cell without marks ends; -1 if there is none */
  endOfBare?(bytes: Uint8Array, start: number): number;
  /** Whether a cell without marks says that it is empty. */
  isNothing?(bytes: Uint8Array, start: number): boolean;
  /** @returns the index behind what stands ahead of a cell, or behind the last, if that is not the gap; -1 if no row goes on so */
  endOfOtherGap?(start: number, column: number): number;
  /** @returns where the next row begins; -1 if none does */
  nextRow(bytes: Uint8Array, endOfRow: number): number;
}

/** Rows as they are read: where their cells start in the text, and which columns are plain numbers. */
export type RowReader = ReturnType<typeof readRows>;

const noGap = new Uint8Array();

/** At first there is room for so many rows; then for a few more than are expected, and at most so many times those that are there. */
const [minRoom, surplus, maxGrowth] = [20, 1.02, 8];

/**
 * Begins to read rows.
 *
 * Its state is in variables: what V8 compiles of a method is for objects of one kind, which it forgets while there are none, and
 * each large answer after that was read by the interpreter again.
 *
 * @param first where the first row begins
 * @param gaps what stands ahead of each cell, and behind the last, in each row
 */
export function readRows(bytes: Uint8Array, first: number, gaps: readonly Uint8Array[], form: RowForm) {
  const { startMark, endMark, escapeMark, endOfOtherGap, endOfBare, endOfEscaped, isNothing, nextRow } = form;
  const width = gaps.length - 1;
  const bytesOfGaps = gaps.reduce((sum, { length }) => sum + length, 0);
  let room = minRoom;
  let starts = new Uint32Array(width * room);
  /** Column by column, with the same room for each. */
  let values = new Float64Array(width * room);
  const sums = new Float64Array(width);
  const allDecimals = new Uint32Array(width);
  /** Not 0 for a column of which some cell is filled. */
  const isFilled = new Uint8Array(width);
  /** Not 0 for a column of which some cell is no plain number. */
  const isOther = new Uint8Array(width);
  let rowCount = 0;
  /** Where the next row begins; -1 behind the last. */
  let next = first;
  let endOfRow = first;

  /** A list with an item that is no such row is something else. */
  const giveUp = () => {
    endOfRow = -1;
  };

  /** Makes room for more rows, which are expected to be as long as those before; what stays empty takes no memory. */
  const makeRoom = () => {
    const expected = (surplus * rowCount * (bytes.length - first)) / (next - first);
    const newRoom = Math.ceil(Math.min(Math.max(expected, rowCount + 1), maxGrowth * rowCount));
    const [oldStarts, oldValues] = [starts, values];
    starts = new Uint32Array(width * newRoom);
    starts.set(oldStarts);
    values = new Float64Array(width * newRoom);
    for (let column = 0; column < width; column += 1) {
      const start = column * room;
      if (isOther[column] === 0) values.set(oldValues.subarray(start, start + rowCount), column * newRoom);
    }
    room = newRoom;
  };

  /**
   * One loop with hardly a call in it: a large report holds millions of cells, and most of the first one is read before V8 has
   * compiled anything well. Small functions, one for a cell and one for a number, took a third longer. What each cell writes,
   * it writes always: V8 drops what it compiled when a line runs that had not run before.
   */
  const readOn = (lastRow: number, end: number) => {
    const zero = 0x30;
    const nine = 0x39;
    const point = 0x2e;
    const minus = 0x2d;
    const maxLength = maxDigits;
    const hasStartMark = startMark !== undefined;
    const max = bytes.length;
    let index = next;
    let row = rowCount;
    for (; index >= 0 && index < end && row < lastRow; row += 1) {
      for (let column = 0; column <= width; column += 1) {
        // What stands ahead of the cell: most of a report is the names of its columns, again in each row.
        const gap = gaps[column] ?? noGap;
        const { length } = gap;
        let place = 0;
        while (place < length && bytes[index + place] === gap[place]) place += 1;
        index = place === length ? index + length : (endOfOtherGap?.(index, column) ?? -1);
        if (index < 0) return giveUp();
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
        if (!isMarked) index = endOfBare?.(bytes, start) ?? -1;
        else if (byte !== endMark || index === max) {
          for (; index < max; index += 1) {
            byte = bytes[index] ?? 0;
            if (byte === endMark || byte === escapeMark) break;
          }
          if (byte !== endMark || index === max) index = endOfEscaped?.(bytes, start) ?? -1;
        }
        if (index < 0) return giveUp();

        // What it is, as long as all cells of its column were plain numbers.
        if (isOther[column] === 0) {
          const digitsLength = index - first;
          const decimals = pointAt < 0 ? 0 : index - 1 - pointAt;
          const isEmpty = index === start || (!isMarked && isNothing?.(bytes, start) === true);
          const isPlain =
            endOfDigits === index &&
            digitsLength > 0 &&
            digitsLength <= maxLength &&
            (pointAt < 0 || (pointAt > first && decimals > 0)) &&
            (digitsLength === 1 || bytes[first] !== zero || pointAt === first + 1);
          // Whole numbers of 15 digits and powers of ten are exact, so their quotient is rounded as `Number` would.
          const value = scale === 0 ? digits : digits / scale;
          const signed = isNegative ? 0 - value : value;
          values[column * room + row] = isEmpty ? Number.NaN : signed;
          isOther[column] = isEmpty || isPlain ? 0 : 1;
          if (!isEmpty) {
            sums[column] = (sums[column] ?? 0) + signed;
            isFilled[column] = 1;
            if (decimals > (allDecimals[column] ?? 0)) allDecimals[column] = decimals;
          }
        }
        if (hasStartMark && isMarked) index += 1;
      }
      endOfRow = index;
      index = nextRow(bytes, index);
    }
    next = index;
    rowCount = row;
  };

  return {
    /** How many rows are read. */
    get rowCount() {
      return rowCount;
    },
    /** The index behind the last row that was read; -1 if something came behind it that is no row. */
    get endOfRow() {
      return endOfRow;
    },
    /** Row by row, where each cell starts. */
    get starts() {
      return starts.subarray(0, rowCount * width);
    },
    /** How many bytes all cells have, about. */
    get bytesOfCells() {
      return Math.max(0, endOfRow - first - rowCount * bytesOfGaps);
    },
    /** @returns undefined if some cell of the column is no plain number */
    column: (index: number): PlainColumn | undefined =>
      isOther[index] === 0
        ? {
            values: values.subarray(index * room, index * room + rowCount),
            isEmpty: isFilled[index] === 0,
            sum: sums[index] ?? 0,
            decimals: allDecimals[index] ?? 0,
          }
        : undefined,
    /**
     * Reads the next rows: at most so many, and only those that begin within so many bytes.
     *
     * @returns whether there are any
     */
    read: (rows: number, bytesOfRows: number): boolean => {
      if (next < 0) return false;
      if (rowCount === room) makeRoom();
      const before = rowCount;
      readOn(Math.min(before + rows, room), next + bytesOfRows);
      return rowCount > before;
    },
  };
}
