import { packCodes } from '../../api/table.ts';
import { at } from '../statistics/history.ts';
import { countCodes, type Dimension, type Value, type Visits } from './visit-columns.ts';

/** Up to so many pairs are counted in one array. */
const maxDense = 1_000_000;

/**
 * Two dimensions as one, whose values are the pairs of theirs. Pairs with an empty value, or with few visits, have no value.
 *
 * @param rows the visits that are looked at
 */
export function pairOf(one: Dimension, other: Dimension, rows: Visits, minVisits: number): Dimension {
  const width = other.values.length;
  const size = one.values.length * width;
  const keys = [-1];
  const isNamed = (key: number) => one.values[Math.floor(key / width)] !== null && other.values[key % width] !== null;
  const codeOf = (key: number, count: number) => (count < minVisits || !isNamed(key) ? 0 : keys.push(key) - 1);
  const codes = new Uint32Array(one.codes.length);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    codes[row] = (one.codes[row] ?? 0) * width + (other.codes[row] ?? 0);
  }
  // Of each visit its key, and then its code; of each key its count, and then its code.
  const counts = size > maxDense ? new Map<number, number>() : new Uint32Array(size);
  if (counts instanceof Map) {
    for (const row of rows) counts.set(codes[row] ?? 0, (counts.get(codes[row] ?? 0) ?? 0) + 1);
    for (const [key, count] of counts) counts.set(key, codeOf(key, count));
    for (const row of rows) codes[row] = counts.get(codes[row] ?? 0) ?? 0;
  } else {
    countCodes(rows, codes, counts);
    for (let key = 0; key < size; key += 1) if (counts[key]) counts[key] = codeOf(key, counts[key] ?? 0);
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      codes[row] = counts[codes[row] ?? 0] ?? 0;
    }
  }
  return {
    name: `${one.name} ${other.name}`,
    values: keys.map((key) => (key < 0 ? null : '')),
    codes: packCodes(codes, keys.length),
    partsOf: (code) => {
      const key = at(keys, code);
      return [
        { dimension: one, code: Math.floor(key / width) },
        { dimension: other, code: key % width },
      ];
    },
  };
}

/** The single values that a value stands for: two if its dimension is a pair. */
export function partsOf(value: Value): readonly Value[] {
  return value.dimension.partsOf?.(value.code) ?? [value];
}
