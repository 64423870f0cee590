import type { NumberColumn } from './column-reader.ts';

/** A column of numbers as it is of some rows alone, in their order. */
export function numbersOfRows(column: NumberColumn, rows: Uint32Array): NumberColumn {
  const values = new Float64Array(rows.length);
  let sum = 0;
  // An iterator takes four times as long, and a report has 100,000 rows.
  for (let index = 0; index < rows.length; index += 1) {
    const value = column.values[rows[index] ?? 0] ?? Number.NaN;
    values[index] = value;
    if (!Number.isNaN(value)) sum += value;
  }
  return { ...column, values, sum };
}
