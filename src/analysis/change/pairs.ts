import { packCodes } from '../../api/table.ts';
import { at } from '../statistics/history.ts';
import type { Dimension, Value, Visits } from './visit-columns.ts';

/** Up to so many pairs are counted in one array. */
const maxDense = 1_000_000;

/**
 * Two dimensions as one, whose values are the pairs of theirs. Pairs with an empty value, or with few visits, have no value.
 *
 * @param rows the visits that are looked at
 */
export function pairOf(one: Dimension, other: Dimension, rows: Visits, minVisits: number): Dimension {
  const width = other.values.length;
  const keyOf = (row: number) => (one.codes[row] ?? 0) * width + (other.codes[row] ?? 0);
  const isNamed = (key: number) => one.values[Math.floor(key / width)] !== null && other.values[key % width] !== null;
  const counts = counter(one.values.length * width);
  for (const row of rows) counts.add(keyOf(row));
  const parts: (readonly Value[] | undefined)[] = [undefined];
  counts.number((key, count) => {
    if (count < minVisits || !isNamed(key)) return 0;
    const [first, second] = [Math.floor(key / width), key % width];
    return (
      parts.push([
        { dimension: one, code: first },
        { dimension: other, code: second },
      ]) - 1
    );
  });
  const codes = new Uint32Array(one.codes.length);
  for (const row of rows) codes[row] = counts.of(keyOf(row));
  return {
    name: `${one.name} ${other.name}`,
    values: parts.map((pair, code) => (pair ? String(code) : null)),
    codes: packCodes(codes, parts.length),
    partsOf: (code) => at(parts, code) ?? [],
  };
}

/** Counts keys, and then gives each a number in place of its count. */
interface Counter {
  readonly add: (key: number) => void;
  readonly number: (numberOf: (key: number, count: number) => number) => void;
  readonly of: (key: number) => number;
}

function counter(size: number): Counter {
  const counts: Uint32Array | Map<number, number> = size > maxDense ? new Map() : new Uint32Array(size);
  if (counts instanceof Map) {
    return {
      add: (key) => counts.set(key, (counts.get(key) ?? 0) + 1),
      number: (numberOf) => {
        for (const [key, count] of counts) counts.set(key, numberOf(key, count));
      },
      of: (key) => counts.get(key) ?? 0,
    };
  }
  return {
    add: (key) => {
      counts[key] = (counts[key] ?? 0) + 1;
    },
    number: (numberOf) => {
      for (let key = 0; key < size; key += 1) if (counts[key]) counts[key] = numberOf(key, counts[key] ?? 0);
    },
    of: (key) => counts[key] ?? 0,
  };
}

/** The single values that a value stands for: two if its dimension is a pair. */
export function partsOf(value: Value): readonly Value[] {
  return value.dimension.partsOf?.(value.code) ?? [value];
}
