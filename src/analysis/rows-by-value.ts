import type { Coded } from '../api/cells.ts';

/**
 * The chosen rows of each value, both in the order of the rows. Several codes may have one value.
 * @param isChosen 1 for a row that is
 */
export function rowsByValue<Value>(
  { codes, values }: Coded<Value | undefined>,
  isChosen: Uint8Array,
): Map<Value, Uint32Array> {
  const [ofCode, seen] = [new Uint32Array(values.length), new Set<number>()];
  for (let row = 0; row < codes.length; row += 1) {
    if (isChosen[row] !== 1) continue;
    const code = codes[row] ?? 0;
    const count = ofCode[code] ?? 0;
    if (count === 0) seen.add(code);
    ofCode[code] = count + 1;
  }
  const counts = new Map<Value, number>();
  for (const code of seen) {
    const value = values[code];
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + (ofCode[code] ?? 0));
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
