import type { Note } from '../../answer/notes.ts';
import { Failure } from '../../api/failure.ts';
import { distinctNames } from '../../api/text/clean-text.ts';
import { nameOf } from '../../api/vocabulary.ts';
import { parseAmount } from '../columns/amounts.ts';
import { readTimes } from '../columns/times.ts';
import { wholeSubid, withoutQuotes } from '../given-subids.ts';
import { quoteText } from './column-cells.ts';
import { isHeading } from './headings.ts';

/** The cells of a network's statement, before their columns are known. */
export interface Grid {
  readonly columns: readonly string[];
  /** Otherwise the columns are named `Column 1`, `Column 2`, ... */
  readonly hasHeading: boolean;
  /** The rows above the heading. */
  readonly above: readonly (readonly string[])[];
  /** Without the heading and without empty lines; a row may have fewer or more cells than there are columns. */
  readonly rows: readonly (readonly string[])[];
  /** The line of the text, or the number of the given row, where each row begins; from 1. */
  readonly lines: readonly number[];
  /** What was skipped and how the text was read, one sentence each. */
  readonly notices: readonly Note[];
}

/** A row as data, by column name. */
type GivenRow = Readonly<Record<string, unknown>>;

const delimiters = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' } as const;
type Delimiter = keyof typeof delimiters;

/** Max lines before the heading. */
const maxPreamble = 20;
const sampleLength = 20_000;

/** No statement has more. Lines may leave out columns, so that few characters make many cells. */
const maxColumns = 500;
const maxCells = 1_000_000;

/** @throws Failure if a statement is too large */
function boundGrid(columns: number, rows = 1): void {
  const [max, unit] = columns > maxColumns ? [maxColumns, 'columns'] : [maxCells, 'cells, most of them empty'];
  if (columns <= maxColumns && columns * rows <= maxCells) return;
  throw noStatement(
    `it has more than ${max.toLocaleString('en-US')} ${unit}`,
    'Leave out the columns that are not needed.',
  );
}

/** The text holds no NUL, so this quotes nothing. */
const noQuote = '\0';

/** How files of other formats begin. */
const otherFormats: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^PK\x03\x04/, 'an Excel file (xlsx) or another archive'],
  [/^\xd0\xcf\x11\xe0/, 'an old Excel file (xls)'],
  [/^\x1f[\x8b‹]/, 'compressed (gzip)'],
  [/^%PDF/, 'a PDF'],
  [/^\{\\rtf/, 'a text document (RTF)'],
  [/^\s*<(?:!doctype html|html|table|div)\b/i, 'a web page'],
  [/^\s*<[a-z?!]/i, 'XML'],
  [/^\s*(?:https?:\/\/|file:|[a-z]:\\|~?\/)[^\s,;|]+\s*$/i, 'the place of a file, and not its text'],
];

/** Text of another file, in base64: it has more than one cell. */
const encodedText = /^[\t\n\r -~\xa0-\xff]*[,;\t|{[]/;

/** What a text is that is no list of cells; undefined if it may be one. */
function otherFormat(text: string): string | undefined {
  const named = (head: string) => otherFormats.find(([pattern]) => pattern.test(head))?.[1];
  // Programs break lines of base64 after 64 characters or later.
  const head = text.trim().replace(/^data:[^,\s]{0,100};base64,/, '');
  const encoded = /^[A-Za-z0-9+/]{16,60}={0,2}$/.test(head.slice(0, 60));
  if (!encoded) return named(text);
  const bytes = Buffer.from(head.slice(0, 60), 'base64').toString('latin1');
  const format = named(bytes) ?? (encodedText.test(bytes) ? 'text' : undefined);
  return format === undefined ? undefined : `${format}, in base64`;
}

/**
 * Splits a statement into cells: separated by comma, semicolon, tab or bar, quoted or not, with a heading, lines before it, or none.
 * A formula such as `=cmd` stays text.
 *
 * @throws Failure if the text is not such a list, has more than `maxRows` rows, or has an unclosed quotation mark; it names the line
 */
export async function gridOfText(text: string, maxRows: number): Promise<Grid> {
  const format = otherFormat(text);
  if (format !== undefined) throw noStatement(`it is ${format}`, 'Export it as CSV.');
  // Bytes of a different character set decode to control characters, which text does not have.
  const control = /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]/.exec(text);
  if (control)
    throw noStatement(
      `line ${lineAt(text, control.index)} is not text in UTF-8, UTF-16 or Windows-1252`,
      'Export it as CSV in UTF-8.',
    );
  // Excel names its delimiter in a line of its own.
  const [firstLine = '', separator] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const rest = text.slice(firstLine.length);
  // Programs may escape the line ends twice.
  const content = (/[\r\n]/.test(rest) ? rest : rest.replace(/\\r\\n|\\n/g, '\n')).replace(/\r\n?/g, '\n');
  if (content.trim() === '') throw noStatement('it is empty');
  const given = rowsOfJson(content);
  if (given) {
    if (given.length > maxRows) throw tooManyLines(maxRows);
    return gridOfRows(given);
  }
  const { parse } = (await import('papaparse')).default;
  const delimiter = isDelimiter(separator) ? separator : guessDelimiter(content, parse);
  const preview = maxRows + maxPreamble + 1;
  const read = (quoteChar: string) => {
    const { data, errors } = parse<string[]>(content, { delimiter, quoteChar, preview });
    boundGrid(data.reduce((widest, row) => Math.max(widest, row.length), 0));
    return { data, errors };
  };
  const notices: Note[] = [];
  let { data, errors } = read('"');
  if (errors.some(({ type }) => type === 'Quotes')) {
    const plain = read(noQuote);
    if (!isEven(plain.data)) {
      const row = errors.find(({ type }) => type === 'Quotes')?.row ?? 0;
      throw noStatement(
        `the quotation mark in line ${linesOf(data, firstLine)[row]} is not closed at the end of its cell`,
        'Close it, or remove it.',
      );
    }
    ({ data, errors } = plain);
    notices.push({ code: 'quotes-as-text' });
  }
  const lines = linesOf(data, firstLine);
  const filled = [...data.keys()].filter((index) => data[index]?.some((cell) => cell.trim() !== ''));
  const heading = findHeading(filled.map((index) => data[index] ?? []));
  const body = filled.slice(heading.at + 1);
  if (body.length > maxRows) throw tooManyLines(maxRows);
  boundGrid(heading.columns.length, body.length);
  if (heading.at < 0 && body.length > 1 && body.every((index) => isHeading(data[index]?.[0] ?? '')))
    throw noStatement(
      'its sales stand beside each other, under headings in the first column',
      'Write one sale a line.',
    );
  refuseUnsplit(
    heading.columns.length,
    body.map((index) => data[index] ?? []),
  );
  if (heading.at > 0) {
    notices.push({ code: 'heading-in-line', line: lines[filled[heading.at] ?? 0] ?? 0 });
  }
  return {
    columns: heading.columns,
    hasHeading: heading.at >= 0,
    above: filled.slice(0, Math.max(0, heading.at)).map((index) => data[index] ?? []),
    rows: body.map((index) => data[index] ?? []),
    lines: body.map((index) => lines[index] ?? 0),
    notices,
  };
}

const tooManyLines = (maxRows: number) =>
  noStatement(`it has more than ${maxRows.toLocaleString('en-US')} lines`, 'Split it, for example by month.');

const isObject = (value: unknown): value is GivenRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws Failure if nothing separates the cells of most rows, or something inside of them does */
function refuseUnsplit(width: number, rows: readonly (readonly string[])[]): void {
  const areMost = (isWrong: (row: readonly string[]) => boolean) => rows.filter(isWrong).length * 2 > rows.length;
  if (width === 1 && areMost(([cell = '']) => wholeSubid.test(cell.slice(0, 500)) && /\S\s{1,500}\S/.test(cell)))
    throw noStatement('no comma, semicolon, tab or bar separates its cells', 'Export it as CSV.');
  const isWider = (row: readonly string[]) => row.slice(width).some((cell) => cell.trim() !== '');
  const wide = rows.find(isWider);
  if (wide && areMost(isWider))
    throw noStatement(
      `most lines have more cells than headings, such as ${wide.length} under ${width}`,
      'Enclose cells that hold the separator in quotation marks, as in "12,50".',
    );
}

/** The rows in JSON: a list of objects, alone or as the only one in an object, or an object a line. */
function rowsOfJson(text: string): readonly GivenRow[] | undefined {
  if (!/^\s{0,20}[[{]/.test(text)) return undefined;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return rowsOfJsonLines(text);
  }
  const [rows, ...others] = listsIn(data).filter((list) => list.length > 0);
  if (rows?.every(isObject) && others.length === 0) {
    refusePage(data, rows.length);
    return rows;
  }
  throw noStatement('it is JSON, and not a list of objects', 'Give the list of its lines as rows.');
}

/** Fields of paging that say that there are more lines than these, by what they are. */
const moreLines: Readonly<
  Partial<Record<Parameters<typeof nameOf<'paging'>>[1], (text: string, lines: number) => boolean>>
> = {
  more: (text) => /^(?:true|yes|[1-9]\d*)$/i.test(text),
  next: (text) => !/^(?:false|null|none|no|0|-1|)$/i.test(text),
  pages: (text) => Number(text) > 1,
  rows: (text, lines) => Number(text) > lines,
  total: (text, lines) => Number(text) > lines,
};

/** @throws Failure if the data around some lines say that these are one page of several; a total outside of them may be money */
function refusePage(data: unknown, lines: number, isInside = false): void {
  if (!isObject(data)) return;
  for (const [name, value] of Object.entries(data)) {
    if (isObject(value)) refusePage(value, lines, isInside || isAboutPages(name));
    const saysMore = Object.entries(moreLines).some(
      ([thing, isMore]) =>
        (isInside || thing !== 'total') &&
        nameOf('paging', thing as keyof typeof moreLines)(name) &&
        typeof value !== 'object' &&
        isMore(String(value), lines),
    );
    if (saysMore)
      throw noStatement(`it is one page of several, by its ${quoteText(name)}`, 'Give the lines of all pages as rows.');
  }
}

const isAboutPages = nameOf('paging', 'about');

/** The lists in a value, without those inside of them. */
function listsIn(data: unknown, depth = 0): readonly (readonly unknown[])[] {
  if (Array.isArray(data)) return [data];
  return isObject(data) && depth < maxWrappers ? Object.values(data).flatMap((value) => listsIn(value, depth + 1)) : [];
}

const maxWrappers = 5;

function rowsOfJsonLines(text: string): readonly GivenRow[] | undefined {
  try {
    const rows = text.split('\n').flatMap((line): unknown => (line.trim() === '' ? [] : [JSON.parse(line)]));
    return rows.every(isObject) ? rows : undefined;
  } catch {
    return undefined;
  }
}

/** A row whose fields are in groups, such as `{"Stat":{"payout":12.5}}`, as one of `Stat.payout`. */
function withoutGroups(row: GivenRow): GivenRow {
  if (!Object.values(row).some(isObject)) return row;
  const fields = Object.entries(row).flatMap(([name, value]) =>
    isObject(value) && moneyOf(value) === undefined
      ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one] as const)
      : [[name, value] as const],
  );
  return Object.fromEntries(fields);
}

/** Rows with each name in the letter case of its first, unless a row has it in two. */
function inOneCase(rows: readonly GivenRow[]): readonly GivenRow[] {
  const firsts = new Map<string, string>();
  let isMixed = false;
  for (const row of rows)
    for (const name of Object.keys(row)) {
      const plain = name.toLowerCase();
      const first = firsts.get(plain);
      if (first === undefined) firsts.set(plain, name);
      else isMixed ||= first !== name;
    }
  const areApart = (row: GivenRow) =>
    new Set(Object.keys(row).map((name) => name.toLowerCase())).size === Object.keys(row).length;
  if (!isMixed || !rows.every(areApart)) return rows;
  const named = (name: string) => firsts.get(name.toLowerCase()) ?? name;
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [named(name), value])));
}

/** The cells of rows that came as data. */
export function gridOfRows(rowsGiven: readonly GivenRow[]): Grid {
  const given = inOneCase(rowsGiven.map(withoutGroups));
  const names = new Set<string>();
  for (const row of given) {
    for (const name of Object.keys(row)) names.add(name);
    boundGrid(names.size);
  }
  const columns = [...names];
  if (columns.length === 0) throw noStatement('its rows have no columns');
  boundGrid(columns.length, given.length);
  const rows = given.map((row) => columns.map((column) => textOf(row[column])));
  return { columns, hasHeading: true, above: [], rows, lines: given.map((_, index) => index + 1), notices: [] };
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  // Three decimals would be ambiguous: the point of a number could separate thousands.
  if (typeof value === 'number') return String(value).replace(/(\.\d{3})$/, '$10');
  if (typeof value !== 'object') return String(value);
  return moneyOf(value as Readonly<Record<string, unknown>>) ?? JSON.stringify(value);
}

/** Money as data: `{"amount":12.5,"currency":"USD"}`, `{"value":"1250","unit":"cents"}`. */
function moneyOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  const { amount, value = amount, unit, currency, ...others } = fields;
  const isNumber = typeof value === 'number' || (typeof value === 'string' && parseAmount(value) !== undefined);
  if (!isNumber || Object.keys(others).some((name) => !currencyKeys.has(name))) return undefined;
  const code = [currency, others['currency_code'], others['currencyCode'], others['code']].find(
    (one) => typeof one === 'string',
  );
  return [value, unit, code].map(textOf).filter(Boolean).join(' ');
}

const currencyKeys = new Set(['amount', 'currency_code', 'currencyCode', 'code', 'formatted', 'symbol']);

export function noStatement(reason: string, next?: string): Failure {
  return new Failure(`The statement cannot be read: ${reason}.`, next);
}

function isDelimiter(text: string | undefined): text is Delimiter {
  return text !== undefined && text in delimiters;
}

type Parse = (text: string, how: { delimiter: string }) => { readonly data: unknown[] };

/** The delimiter that gives the heading the most known names and most rows the same width. */
function guessDelimiter(text: string, parse: Parse): Delimiter {
  const sample = text.slice(0, sampleLength);
  const scores = (Object.keys(delimiters) as Delimiter[]).map((delimiter) => {
    const rows = parse(sample, { delimiter }).data as string[][];
    const knownNames = Math.max(...rows.slice(0, maxPreamble).map(countKnown));
    const widths = rows.filter((row) => row.length > 1).map(({ length }) => length);
    const usual = widths.toSorted((one, other) => one - other)[Math.floor(widths.length / 2)] ?? 0;
    const even = widths.filter((width) => width === usual).length / rows.length;
    return { delimiter, score: knownNames + (even * usual) / 1000 + even };
  });
  return scores.toSorted((one, other) => other.score - one.score)[0]?.delimiter ?? ',';
}

/** Whether all rows, except empty ones, have the same number of cells, and more than one. */
function isEven(rows: readonly (readonly string[])[]): boolean {
  const widths = new Set(rows.filter((row) => row.length > 1 || row[0] !== '').map(({ length }) => length));
  return widths.size === 1 && !widths.has(1);
}

function countKnown(row: readonly string[]): number {
  return row.slice(0, maxColumns).filter(isHeading).length;
}

/** Cells that no heading has: a subID, a number or a date. */
function isData(cell: string): boolean {
  const bare = withoutQuotes(cell.trim());
  return (
    wholeSubid.test(bare.slice(0, 500)) || parseAmount(bare) !== undefined || readTimes([bare]).values[0] !== undefined
  );
}

function findHeading(rows: readonly (readonly string[])[]): {
  readonly at: number;
  readonly columns: readonly string[];
} {
  const knownNames = rows.slice(0, maxPreamble).map((row) => (row.some(isData) ? 0 : countKnown(row)));
  const best = Math.max(0, ...knownNames);
  // Without a known name, the row above the first data is the heading.
  const data = rows.slice(0, maxPreamble).findIndex((row) => row.some(isData));
  const at = best > 0 ? knownNames.indexOf(best) : data < 0 ? 0 : data - 1;
  const width = Math.max(...rows.slice(0, maxPreamble).map(({ length }) => length));
  const names = at < 0 ? Array.from({ length: width }, () => '') : (rows[at] ?? []).map((name) => name.trim());
  const named = names.map((name, index) => name || `Column ${index + 1}`);
  return { at, columns: distinctNames(named, (name, count) => `${name} (${count})`) };
}

/** The line where each row begins, from 1; a quoted cell may span several. */
function linesOf(rows: readonly (readonly string[])[], firstLine: string): number[] {
  let line = firstLine === '' ? 1 : 2;
  return rows.map((row) => {
    const start = line;
    line += 1;
    for (const cell of row) if (cell.includes('\n')) line += cell.split('\n').length - 1;
    return start;
  });
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
