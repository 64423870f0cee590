import widthOf from 'fast-string-width';
import { textFor } from '../../api/text/destinations.ts';

/** For files, and terminals of unknown width. */
const defaultWidth = 120;

/** How a wide table is shown: in parts with cut cells, in long lines, or with a line for each cell. */
export type Shape = 'table' | 'wide' | 'vertical';

export interface Look {
  readonly width: number;
  readonly shape: Shape;
  readonly isColoured: boolean;
  /** The command line that calls tools, for suggested calls; absent if they cannot be made. */
  readonly command?: string;
}

/** The look for stdout: its width, and colours if the terminal has them and NO_COLOR is not set. */
export function lookOfOutput(shape: Shape = 'table'): Look {
  const { stdout } = process;
  return {
    // Some terminals report 0 columns.
    width: stdout.columns || defaultWidth,
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

/** The marks of `paint`. */
const marks = new RegExp(`(${Object.values(paints).flat().join('|').replaceAll('[', '\\[')})`);

/** Lines for a terminal, in which nothing but this program's own paint is more than words. */
export function forTerminal(text: string): string {
  return text
    .split(marks)
    .map((part, index) => (index % 2 === 1 ? part : textFor('terminal', part)))
    .join('');
}

/**
 * Wraps the lines of a text between its words. A word that is wider than a line is not broken.
 *
 * @param indent the start of each further line that is made of one; of an item of a list, two spaces more
 */
export function wrap(text: string, width: number, indent = ''): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, width, /^ *- /.test(line) ? `${indent}  ` : indent))
    .join('\n');
}

function wrapLine(text: string, width: number, indent: string): string {
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

/** JSON that can be wrapped between its objects. */
export function breakableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('},{', '}, {');
}

/**
 * A progress bar on stderr.
 *
 * @returns a function that draws it; undefined if stderr is not a terminal
 */
export function progressBar(label: string): ((done: number, total: number) => void) | undefined {
  if (!process.stderr.isTTY) return undefined;
  const cells = 30;
  return (done, total) => {
    const filled = Math.round((done / total) * cells);
    const bar = '#'.repeat(filled) + '-'.repeat(cells - filled);
    process.stderr.write(done < total ? `\r${label} [${bar}] ${done}/${total}` : '\r\x1b[K');
  };
}
