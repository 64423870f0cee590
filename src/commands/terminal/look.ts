import widthOf from 'fast-string-width';

/** If output goes to a file, or a terminal does not say, lines of this width are read well. */
const usualWidth = 120;

/** What is done with more than fits the terminal: parts and cut cells, long lines, or a line for each cell. */
export type Shape = 'table' | 'wide' | 'vertical';

export interface Look {
  /** Columns of the terminal. */
  readonly width: number;
  readonly shape: Shape;
  readonly isColoured: boolean;
  /** How a tool is called here, for calls that a person may want to make next; absent if they cannot be made. */
  readonly command?: string;
}

/** The look that stdout allows: its width, and colour if it is a terminal that has it and NO_COLOR is not set. */
export function lookOfOutput(shape: Shape = 'table'): Look {
  const { stdout } = process;
  return {
    // Some terminals say 0 for "unknown".
    width: stdout.columns || usualWidth,
    shape,
    isColoured: stdout.isTTY === true && !process.env['NO_COLOR'] && stdout.hasColors(),
  };
}

const paints = {
  heading: ['\x1b[1m', '\x1b[22m'],
  total: ['\x1b[1m', '\x1b[22m'],
  loss: ['\x1b[31m', '\x1b[39m'],
  gain: ['\x1b[32m', '\x1b[39m'],
  aside: ['\x1b[2m', '\x1b[22m'],
} as const;

export type Paint = keyof typeof paints;

export function paint(text: string, as: Paint | undefined, { isColoured }: Pick<Look, 'isColoured'>): string {
  if (!isColoured || as === undefined || text.trim() === '') return text;
  const [start, end] = paints[as];
  return `${start}${text}${end}`;
}

/**
 * Breaks a text between its words, so that no word and no number is cut by the edge of the terminal. A word that is wider
 * than a line stays whole.
 *
 * @param indent what stands ahead of each line but the first
 */
export function wrap(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  const [start = ''] = /^ */.exec(text) ?? [];
  let line = start;
  for (const word of text.slice(start.length).split(' ')) {
    const longer = line === start && lines.length === 0 ? start + word : `${line} ${word}`;
    if (line.trim() !== '' && widthOf(longer) > width) {
      lines.push(line);
      line = indent + word;
    } else line = longer;
  }
  return [...lines, line].join('\n');
}

/** JSON that a narrow terminal can break between its objects. */
export function breakableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('},{', '}, {');
}

const cells = 30;

/**
 * A progress bar on stderr, if that is a terminal.
 *
 * @param label what is under way
 * @returns what to call as it goes; undefined if no person would see it
 */
export function progressBar(label: string): ((done: number, total: number) => void) | undefined {
  if (!process.stderr.isTTY) return undefined;
  return (done, total) => {
    const filled = Math.round((done / total) * cells);
    const bar = '#'.repeat(filled) + '-'.repeat(cells - filled);
    process.stderr.write(done < total ? `\r${label} [${bar}] ${done}/${total}` : '\r\x1b[K');
  };
}
