/** The sum of all numbers that are there; NaN stands for an empty cell. */
export function sumOfNumbers(values: Float64Array): number {
  let sum = 0;
  // An iterator takes four times as long, and a report has 100,000 rows.
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] ?? Number.NaN;
    if (!Number.isNaN(value)) sum += value;
  }
  return sum;
}
