import widthOf from 'fast-string-width';
import { type ColumnFormat, digitsOf, formatOf, maxDigits, writeNumber } from '../../analysis/columns/formats.ts';
import type { ShownCell } from '../../answer/blocks.ts';
import { ownValue } from '../../api/text/json.ts';
import { indexNamed, namesOf } from '../../api/vocabulary.ts';
import { type Look, type Paint, paint } from './look.ts';

export interface TableFacts {
  readonly units?: Readonly<Record<string, string>>;
  /** A currency that is told beside the table, so that headings do not repeat it. */
  readonly currency?: string | undefined;
  /** By column. */
  readonly totals?: Readonly<Record<string, number>>;
  readonly totalName?: string;
  /** By column, if its name does not tell. */
  readonly formats?: Readonly<Record<string, ColumnFormat>>;
  /** The column that is cut to what the others leave of a line, so that it is one table. */
  readonly naming?: string;
}

/** Names are cut to no less, so that they can be told apart. */
const minNameWidth = 12;

/** Longer text is cut, except with `--wide`, `--vertical`, JSON and CSV. */
const maxTextWidth = 40;
const gap = '  ';

const namingColumns = namesOf('row', 'name');

/**
 * Renders rows as an aligned table: text to the left, and numbers to the right in the format of their column. Emoji and other wide
 * characters count as two.
 *
 * A table that is wider than the terminal is split into parts below each other, which repeat the columns that identify the rows; a
 * single row becomes a list of its cells.
 */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly ShownCell[])[],
  look: Look,
  facts: TableFacts = {},
): string {
  const { columns, lines, parts } = layOut(headings, rows, look, facts);
  if (look.shape === 'vertical') return renderVertically(columns, look);
  if (rows.length === 1 && parts.length > 1) return renderVertically(columns, look);
  const height = rows.length + (hasTotals(facts) ? 2 : 1);
  return parts
    .map((part) =>
      Array.from({ length: height }, (_, line) =>
        part
          .map((index) => paint(lines[index]?.[line] ?? '', paintOf(columns[index], line, rows.length), look))
          .join(gap)
          .trimEnd(),
      ).join('\n'),
    )
    .join('\n\n');
}

/** Whether a table is shown in several parts below each other. */
export function isSplit(...table: Parameters<typeof renderTable>): boolean {
  return layOut(...table).parts.length > 1;
}

function layOut(
  headings: readonly string[],
  rows: readonly (readonly ShownCell[])[],
  { shape, width }: Look,
  facts: TableFacts = {},
) {
  const isCut = shape === 'table';
  const key = keyOf(headings, rows);
  const label = hasTotals(facts) ? (facts.totalName ?? 'Total') : undefined;
  const columns = headings.map((heading, index) => {
    const cells = rows.map((row) => row[index] ?? null);
    return formatColumn(heading, cells, facts);
  });
  const labelled = columns.map((column, index) => ({
    ...column,
    total: column.total ?? (index === key[0] ? label : undefined),
  }));
  const lines = labelled.map((column) => align(column, isCut ? maxTextWidth : undefined));
  const name = labelled.findIndex(({ heading }) => heading === facts.naming);
  const naming = labelled[name];
  if (naming && isCut) {
    const widths = lines.map(([line = '']) => widthOf(line) + gap.length);
    const others = widths.reduce((sum, one, index) => sum + (index === name ? 0 : one), 0);
    lines[name] = align(naming, Math.min(maxTextWidth, Math.max(minNameWidth, width - others)));
  }
  const all = [...headings.keys()];
  return { columns, lines, parts: isCut ? splitIntoParts(lines, headings, key, width) : [all] };
}

/** A column as text, before it is aligned. */
interface FormattedColumn {
  readonly heading: string;
  readonly texts: readonly string[];
  readonly total: string | undefined;
  readonly isNumeric: boolean;
  /** By row, whether the number is below zero. */
  readonly losses: readonly boolean[];
}

function hasTotals({ totals }: TableFacts): boolean {
  return totals !== undefined && Object.keys(totals).length > 0;
}

function formatColumn(column: string, cells: readonly ShownCell[], facts: TableFacts): FormattedColumn {
  const { units = {}, totals = {}, formats = {} } = facts;
  const total = ownValue(totals, column);
  const unit = ownValue(units, column);
  const format = ownValue(formats, column) ?? formatOf(column, unit, total !== undefined);
  const numbers = cells.filter((cell) => typeof cell === 'number');
  const isNumeric = (numbers.length > 0 || total !== undefined) && cells.every((cell) => typeof cell !== 'string');
  const digits = digitsOf(format, total === undefined ? numbers : [...numbers, total]);
  const write = (value: number) =>
    writeNumber(value, isNumeric ? { ...format, digits } : { digits: maxDigits([value]) });
  return {
    heading: unit === undefined || unit === '%' || unit === facts.currency ? column : `${column} ${unit}`,
    texts: cells.map((cell) => (typeof cell === 'number' ? write(cell) : (cell ?? ''))),
    total: total === undefined ? undefined : write(total),
    isNumeric,
    losses: cells.map((cell) => isNumeric && typeof cell === 'number' && cell < 0),
  };
}

/** The lines of a column, from heading to total, with equal widths. */
function align({ heading, texts, total, isNumeric }: FormattedColumn, maxWidth = Number.POSITIVE_INFINITY): string[] {
  const fit = (text: string) => cut(text, maxWidth);
  const lines = [heading, ...texts, total ?? ''].map(fit);
  // No spread: an audit trail may have more lines than a call can have arguments.
  const widest = lines.reduce((max, line) => Math.max(max, widthOf(line)), 0);
  return lines.map((line) => {
    const padding = ' '.repeat(widest - widthOf(line));
    return isNumeric ? padding + line : line + padding;
  });
}

function paintOf(column: FormattedColumn | undefined, line: number, rowCount: number): Paint | undefined {
  if (line === 0) return 'heading';
  if (line > rowCount) return 'total';
  return column?.losses[line - 1] ? 'loss' : undefined;
}

/** The columns that identify the rows: one with names, or the first one or two without duplicates. */
function keyOf(headings: readonly string[], rows: readonly (readonly ShownCell[])[]): readonly number[] {
  const naming = namingColumns
    .map((name) => indexNamed(headings, [name]))
    .find((index) => index >= 0 && rows.every((row) => row[index] !== null));
  if (naming !== undefined) return [naming];
  const isUnique = (indexes: readonly number[]) =>
    new Set(rows.map((row) => JSON.stringify(indexes.map((index) => row[index])))).size === rows.length;
  // Figures do not identify a row, even if all differ.
  const end = headings.findIndex((_, index) => rows.some((row) => typeof row[index] === 'number'));
  const texts = [...headings.keys()].slice(0, end < 0 ? undefined : end);
  const single = texts.find((index) => isUnique([index]));
  if (single !== undefined) return [single];
  const pair = texts.slice(0, 2);
  return pair.length === 2 && isUnique(pair) ? pair : [0];
}

/** The indexes of the columns in each part; all parts after the first repeat the key. */
function splitIntoParts(
  columns: readonly string[][],
  headings: readonly string[],
  key: readonly number[],
  width: number,
): (readonly number[])[] {
  if (columns.length === 0) return [];
  const widthOfColumn = (index: number) => widthOf(columns[index]?.[0] ?? '') + gap.length;
  const keyWidth = key.reduce((sum, index) => sum + widthOfColumn(index), 0);
  const widthOfFigureFrom = (first: number, figure: string) =>
    headings.reduce((sum, heading, index) => {
      return sum + (index >= first && figureOf(heading) === figure ? widthOfColumn(index) : 0);
    }, 0);
  let part: number[] = [];
  const parts = [part];
  let used = 0;
  for (const index of columns.keys()) {
    if (parts.length > 1 && key.includes(index)) continue;
    const isNew = parts.length === 1 ? part.length > 0 : part.length > key.length;
    const alone = widthOfColumn(index);
    // A figure, its earlier value and its change are compared, so they are in one part if they fit.
    const figure = figureOf(headings[index]);
    const together = figureOf(headings[index - 1]) === figure ? alone : widthOfFigureFrom(index, figure);
    const needed = keyWidth + together - gap.length > width ? alone : together;
    if (isNew && used + needed - gap.length > width) {
      part = [...key];
      used = keyWidth;
      parts.push(part);
    }
    if (part.includes(index)) continue;
    part.push(index);
    used += widthOfColumn(index);
  }
  return parts;
}

/** The figure of a column with its value, its earlier value or its change. */
export function figureOf(heading = ''): string {
  return heading.replace(/ (before|after|change|change %)$/, '');
}

/** Each row as a block with a line for each cell; then the totals. */
function renderVertically(columns: readonly FormattedColumn[], look: Look): string {
  const names = columns.map(({ heading }) => heading);
  const widest = Math.max(0, ...names.map((name) => widthOf(name)));
  const line = (name: string, text: string, as?: Paint) =>
    `${paint(name + ' '.repeat(widest - widthOf(name)), 'aside', look)}${gap}${paint(text, as, look)}`.trimEnd();
  const rowCount = columns[0]?.texts.length ?? 0;
  const blocks = Array.from({ length: rowCount }, (_, row) =>
    columns
      .map(({ heading, texts, losses }) => line(heading, texts[row] ?? '', losses[row] ? 'loss' : undefined))
      .join('\n'),
  );
  const totals = columns.flatMap(({ heading, total }) => (total === undefined ? [] : [line(heading, total, 'total')]));
  // The totals of one row would repeat it.
  if (totals.length === 0 || rowCount === 1) return blocks.join('\n\n');
  return [...blocks, ['Totals', ...totals].join('\n')].join('\n\n');
}

function cut(text: string, maxWidth: number): string {
  if (widthOf(text) <= maxWidth) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used >= maxWidth) break;
    kept += segment;
  }
  return `${kept}…`;
}
