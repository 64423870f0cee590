import { type Coded, packCodes } from '../api/cells.ts';

/** Columns as codes: what is computed for each value need not be computed for each row. */

/** The value of a row; undefined if the row is out of range. */
export function valueAt<Value>({ codes, values }: Coded<Value>, row: number): Value | undefined {
  return values[codes[row] ?? 0];
}

/** What a reading finds for each value of a column. Several codes may have one value. */
export function mapCoded<Value, Read>({ codes, values }: Coded<Value>, read: (value: Value) => Read): Coded<Read> {
  return { codes, values: values.map(read) };
}

/** Up to so many pairs of codes, an array finds them faster than a map. */
const maxArray = 1_000_000;

/** Two columns as one of pairs, in the order of their first rows. */
export function pairCoded<One, Other, Pair>(
  one: Coded<One>,
  other: Coded<Other>,
  pairOf: (one: One, other: Other) => Pair,
): Coded<Pair> {
  const width = other.values.length;
  const found =
    one.values.length * width <= maxArray ? new ArrayOfCodes(one.values.length * width) : new Map<number, number>();
  const codes = new Uint32Array(one.codes.length);
  const values: Pair[] = [];
  for (let row = 0; row < codes.length; row += 1) {
    const first = one.codes[row] ?? 0;
    const second = other.codes[row] ?? 0;
    const key = first * width + second;
    let code = found.get(key);
    if (code === undefined) {
      code = values.length;
      found.set(key, code);
      values.push(pairOf(one.values[first] as One, other.values[second] as Other));
    }
    codes[row] = code;
  }
  return { codes: packCodes(codes, values.length), values };
}

/** Several columns as one of lists of values. @param none what each row has if there is no column */
export function combineCoded<Value>(
  rowCount: number,
  [first, ...others]: readonly Coded<Value>[],
  none: Value,
): Coded<readonly Value[]> {
  return others.reduce(
    (all, column) => pairCoded(all, column, (values, value) => [...values, value]),
    mapCoded(first ?? sameInAll(rowCount, none), (value): readonly Value[] => [value]),
  );
}

/** Codes by small keys. */
class ArrayOfCodes {
  readonly #codes: Int32Array;

  constructor(length: number) {
    this.#codes = new Int32Array(length).fill(-1);
  }

  get(key: number): number | undefined {
    const code = this.#codes[key] ?? -1;
    return code < 0 ? undefined : code;
  }

  set(key: number, code: number): void {
    this.#codes[key] = code;
  }
}

export function sameInAll<Value>(rowCount: number, value: Value): Coded<Value> {
  return { codes: new Uint8Array(rowCount), values: [value] };
}

/**
 * Codes for the days or hours of moments, in the order of their first rows. NaN stands for none.
 * @param unitMs the length of one
 * @param read its value, by its number since 1970
 */
export function codedByTime<Value>(
  moments: Float64Array,
  unitMs: number,
  read: (unit: number) => Value,
): Coded<Value | null> {
  const codeByValue = new Map<Value | null, number>();
  const codes = new Uint32Array(moments.length);
  let [start, end, code] = [0, 0, 0];
  for (let row = 0; row < codes.length; row += 1) {
    const moment = moments[row] ?? Number.NaN;
    if (!(moment >= start && moment < end)) {
      const unit = Math.floor(moment / unitMs);
      start = unit * unitMs;
      end = start + unitMs;
      const value = Number.isNaN(unit) ? null : read(unit);
      code = codeByValue.get(value) ?? codeByValue.size;
      codeByValue.set(value, code);
    }
    codes[row] = code;
  }
  return { codes: packCodes(codes, codeByValue.size), values: [...codeByValue.keys()] };
}

/** The small numbers of a column, one per row. */
export function bytesOf({ codes, values }: Coded<number>): Uint8Array {
  const bytes = new Uint8Array(codes.length);
  for (let row = 0; row < bytes.length; row += 1) bytes[row] = values[codes[row] ?? 0] ?? 0;
  return bytes;
}

/** The rows of a list that are chosen, in their order. */
export function rowsThat(rowCount: number, isChosen: (row: number) => boolean): Uint32Array {
  const rows = new Uint32Array(rowCount);
  let count = 0;
  for (let row = 0; row < rowCount; row += 1) {
    if (!isChosen(row)) continue;
    rows[count] = row;
    count += 1;
  }
  return count === rowCount ? rows : rows.slice(0, count);
}

/** The number of rows that were chosen of some lists. */
export const countListed = (lists: readonly { readonly rows: Uint32Array }[]): number =>
  lists.reduce((sum, { rows }) => sum + rows.length, 0);
