import type { Coded } from '../api/table.ts';

/**
 * The chosen rows of each value, both in the order of the rows. Several codes may have one value.
 * @param isChosen 1 for a row that is
 */
export function rowsByValue<Value>(
  { codes, values }: Coded<Value | undefined>,
  isChosen: Uint8Array,
): Map<Value, Uint32Array> {
  const counts = new Map<Value, number>();
  for (let row = 0; row < codes.length; row += 1) {
    const value = values[codes[row] ?? 0];
    if (value === undefined || isChosen[row] !== 1) continue;
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const groups = new Map([...counts].map(([value, count]) => [value, { rows: new Uint32Array(count), end: 0 }]));
  const byCode = values.map((value) => (value === undefined ? undefined : groups.get(value)));
  for (let row = 0; row < codes.length; row += 1) {
    const group = isChosen[row] === 1 ? byCode[codes[row] ?? 0] : undefined;
    if (!group) continue;
    group.rows[group.end] = row;
    group.end += 1;
  }
  return new Map([...groups].map(([value, { rows }]) => [value, rows]));
}
