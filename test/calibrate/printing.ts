/** Prints the rows of a table: the first cell to the left, the others to the right. */
export const rowPrinter =
  (firstWidth: number, width: number) =>
  ([name = '', ...cells]: readonly string[]): void =>
    console.log(name.padEnd(firstWidth) + cells.map((cell) => cell.padStart(width)).join(''));

export const percent = (part: number): string => `${(part * 100).toFixed(1)}%`;

/** How many of some are true, in whole percent. */
export const percentTrue = (some: readonly boolean[]): string =>
  `${Math.round((some.filter(Boolean).length / some.length) * 100)}%`;
