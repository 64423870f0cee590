/** Rows of which a chart shows the ends. */
export interface ChosenRows<Row> {
  /** From the largest value to the smallest. */
  readonly rows: readonly Row[];
  /** How many of them stand ahead of those that are left out; all where none are. */
  readonly ahead: number;
  /** How many are left out. */
  readonly hidden: number;
  /** What was chosen, in words; empty where that is all. */
  readonly words: string;
}

/**
 * The rows that say most: the largest gains and the largest losses, and not what lies between. Where nothing is below zero
 * there are only the largest.
 *
 * @param max how many there is room for
 */
export function chooseRows<Row extends { readonly value: number }>(rows: readonly Row[], max: number): ChosenRows<Row> {
  const sorted = rows.toSorted((one, other) => other.value - one.value);
  const hidden = sorted.length - max;
  if (hidden <= 0) return { rows: sorted, ahead: sorted.length, hidden: 0, words: '' };
  const losing = sorted.filter(({ value }) => value < 0).length;
  const gaining = sorted.length - losing;
  const losses = Math.min(losing, Math.max(Math.floor(max / 2), max - gaining));
  const gains = max - losses;
  return {
    rows: [...sorted.slice(0, gains), ...sorted.slice(sorted.length - losses)],
    ahead: gains,
    hidden,
    words: wordsOf(gains, losses, sorted.length),
  };
}

function wordsOf(gains: number, losses: number, all: number): string {
  const largest = `${gains} largest`;
  if (losses === 0) return `the ${largest} of ${all}`;
  if (gains === 0) return `the ${losses} largest losses of ${all}`;
  return `the ${largest} gains and the ${losses} largest losses of ${all}`;
}
