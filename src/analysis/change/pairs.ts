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
  const codeOf = new Map<number, number>();
  for (const [key, count] of counts.entries()) {
    if (count < minVisits || !isNamed(key)) continue;
    codeOf.set(key, parts.length);
    parts.push([
      { dimension: one, code: Math.floor(key / width) },
      { dimension: other, code: key % width },
    ]);
  }
  const codes = new Uint32Array(one.codes.length);
  for (const row of rows) codes[row] = codeOf.get(keyOf(row)) ?? 0;
  return {
    name: `${one.name} ${other.name}`,
    values: parts.map((pair, code) => (pair ? String(code) : null)),
    codes: packCodes(codes, parts.length),
    partsOf: (code) => at(parts, code) ?? [],
  };
}

function counter(size: number): { add: (key: number) => void; entries: () => Iterable<readonly [number, number]> } {
  if (size > maxDense) {
    const counts = new Map<number, number>();
    return { add: (key) => counts.set(key, (counts.get(key) ?? 0) + 1), entries: () => counts };
  }
  const counts = new Uint32Array(size);
  return {
    add: (key) => {
      counts[key] = (counts[key] ?? 0) + 1;
    },
    entries: () => counts.entries(),
  };
}

/** The single values that a value stands for: two if its dimension is a pair. */
export function partsOf(value: Value): readonly Value[] {
  return value.dimension.partsOf?.(value.code) ?? [value];
}
