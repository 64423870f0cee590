import widthOf from 'fast-string-width';

/** Where output goes to a file, or a terminal does not say, lines of this width are read well. */
const usualWidth = 120;

/** The columns that output may take. Some terminals say 0 for "unknown". */
export function terminalWidth(): number {
  return process.stdout.columns || usualWidth;
}

export type TableCell = string | number | null;

/** Longer text is cut in a table; JSON has it whole. */
const widestText = 40;
const gap = '  ';

/**
 * Renders rows as an aligned table: numbers to the right with the same decimals in a column, text to the left. What two
 * columns take on a terminal, such as an emoji, is counted as two.
 *
 * @param width columns of the terminal: a wider table goes on below, each part with the first column again
 */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly TableCell[])[],
  width: number,
): string {
  const columns = headings.map((heading, index) =>
    alignColumn(
      heading,
      rows.map((row) => row[index] ?? null),
    ),
  );
  return splitIntoParts(columns, width)
    .map((part) =>
      Array.from({ length: rows.length + 1 }, (_, line) =>
        part
          .map((column) => column[line] ?? '')
          .join(gap)
          .trimEnd(),
      ).join('\n'),
    )
    .join('\n\n');
}

/** The lines of a column, heading first, all of the same width. */
function alignColumn(heading: string, cells: readonly TableCell[]): string[] {
  const isNumeric = cells.some((cell) => typeof cell === 'number') && cells.every((cell) => typeof cell !== 'string');
  const decimals = Math.max(0, ...cells.map((cell) => (typeof cell === 'number' ? countDecimals(cell) : 0)));
  const texts = cells.map((cell) => (typeof cell === 'number' ? write(cell, isNumeric, decimals) : cut(cell ?? '')));
  const lines = [cut(heading), ...texts];
  const widest = lines.reduce((most, line) => Math.max(most, widthOf(line)), 0);
  return lines.map((line) => {
    const padding = ' '.repeat(widest - widthOf(line));
    return isNumeric ? padding + line : line + padding;
  });
}

function write(value: number, isNumeric: boolean, decimals: number): string {
  return isNumeric && !String(value).includes('e') ? value.toFixed(decimals) : String(value);
}

function countDecimals(value: number): number {
  return String(value).split('.')[1]?.replace(/e.*/, '').length ?? 0;
}

function splitIntoParts(columns: readonly string[][], width: number): (readonly string[][])[] {
  const [first, ...others] = columns;
  if (!first) return [];
  const wide = (column: readonly string[]) => widthOf(column[0] ?? '') + gap.length;
  const parts: string[][][] = [[first]];
  let used = wide(first);
  for (const column of others) {
    const part = parts.at(-1);
    if (part && (used + wide(column) - gap.length <= width || part.length === 1)) {
      part.push(column);
      used += wide(column);
    } else {
      parts.push([first, column]);
      used = wide(first) + wide(column);
    }
  }
  return parts;
}

function cut(text: string): string {
  if (widthOf(text) <= widestText) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used >= widestText) break;
    kept += segment;
  }
  return `${kept}…`;
}
