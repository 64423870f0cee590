/** Where output goes to a file, or a terminal does not say, lines of this width are read well. */
const usualWidth = 120;

/** What is done with more than fits the terminal: parts and cut cells, long lines, or a line for each cell. */
export type Shape = 'table' | 'wide' | 'vertical';

/** How output looks. */
export interface Look {
  /** Columns of the terminal. */
  readonly width: number;
  readonly shape: Shape;
  readonly isColoured: boolean;
}

/** The look that stdout allows: its width, and colour where it is a terminal that has it and NO_COLOR is not set. */
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

/** The text in a colour or weight, where output has any. */
export function paint(text: string, as: Paint | undefined, { isColoured }: Pick<Look, 'isColoured'>): string {
  if (!isColoured || as === undefined || text.trim() === '') return text;
  const [start, end] = paints[as];
  return `${start}${text}${end}`;
}
