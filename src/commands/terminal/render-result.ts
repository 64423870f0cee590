import widthOf from 'fast-string-width';
import { formatOf, maxDigits, writeNumber } from '../../analysis/columns/formats.ts';
import {
  type Block,
  isOf,
  type NamedValues,
  type NextCall,
  type ShownCell,
  type ShownColumn,
  type ShownRows,
  type SmallTable,
  type TablePage,
} from '../../answer/blocks.ts';
import { sayToPerson } from '../../answer/notes.ts';
import { parseJson } from '../../api/text/json.ts';
import { indexNamed } from '../../api/vocabulary.ts';
import type { Result } from '../../tools/define-tool.ts';
import { quoted } from '../process.ts';
import { breakableJson, type Look, paint, wrap } from './look.ts';
import { figureOf, isSplit, renderTable } from './render-table.ts';

/** Draws what a result shows for a person. Lines stand together; tables, notices and what follows an empty line stand apart. */
export function renderResult({ structured, blocks }: Pick<Result, 'structured' | 'blocks'>, look: Look): string {
  const query = structured['query'] as Query;
  const heading = headingOf(query, campaignIn(blocks)).map((line) => paint(wrap(line, look.width), 'heading', look));
  const parts = [...heading];
  let isOpen = false;
  for (const block of blocks) {
    const isLine = typeof block === 'string' || isOf(block, 'apart') || isOf(block, 'heading') || isOf(block, 'call');
    const text = block === '' ? null : render(block, query, look);
    if (text !== null) parts.push(isLine && isOpen ? `${parts.pop()}\n${text}` : text);
    isOpen = isLine && block !== '' && (isOpen || text !== null);
  }
  return parts.join('\n\n');
}

/** Null if it is for models alone. */
function render(block: Block, query: Query, look: Look): string | null {
  if (typeof block === 'string') return wrap(block, look.width, '  ');
  if (!('is' in block)) return wrapped(sayToPerson(block), look, '');
  switch (block.is) {
    case 'heading':
      return paint(wrap(block.text, look.width), 'heading', look);
    case 'apart':
      return wrapped(block.toPerson, look);
    case 'page':
      return renderPage(block, query, look);
    case 'table':
      return renderSmall(block, look);
    case 'fields':
      return renderFields(block, look);
    case 'call':
      return renderCall(block, look);
  }
}

const wrapped = (text: string | null, { width }: Look, indent = '  ') =>
  text === null ? null : wrap(text, width, indent);

type Query = Readonly<Record<string, unknown>> | undefined;

/** The name of the campaign, if a column has it. */
function campaignIn(blocks: readonly Block[]): ShownCell | undefined {
  const first = blocks.find((block) => isOf(block, 'page'))?.page;
  return first?.rows[0]?.[indexNamed(first.columns, ['campaign', 'campaignname'])];
}

/** The query in words: campaign, days, time zone, grouping and order. */
function headingOf(query: Query = {}, campaign?: ShownCell): string[] {
  const { campaign_id: id, start_date: from, end_date: to, timezone, by, sort_by: column, sort_order: order } = query;
  const zone = timezone === undefined ? 'in the tracker’s own time zone' : String(timezone);
  const parts = [
    ...(id ? [`Campaign ${id}${campaign ? ` (${campaign})` : ''}`] : []),
    ...(from && to ? [from === to ? `${from}` : `${from} to ${to}`, zone] : []),
    ...(by ? [`by ${[by].flat().join(' and ').replaceAll('_', ' ')}`] : []),
    ...(column ? [`${order === 'asc' ? 'lowest' : 'highest'} ${column} first`] : []),
  ];
  // The table itself shows the order, so an order alone is no heading.
  return id || from ? [parts.join(', ')] : [];
}

function renderPage({ page }: TablePage, query: Query, look: Look): string {
  // Columns that were asked for by name keep their order.
  const isOrdered = query?.['columns'] !== undefined;
  // Only get_overview has one “by” and no list of them.
  const decisive = !isOrdered && typeof query?.['by'] === 'string' ? [...leading, String(query['sort_by'])] : undefined;
  return renderOne(isOrdered ? page : withChangesAdjacent(page), look, decisive);
}

/** What a decision about a row needs; the names stand before them. */
const leading = ['Tracker', 'Currency', 'Campaign ID', 'Cost', 'Revenue', 'Profit', 'Profit change', 'ROI'];

/** @param decisive the columns to show if there is no room for all */
function renderOne(table: ShownRows, look: Look, decisive: readonly string[] | undefined): string {
  const { name, columns, rows, offset, total_rows, next_offset, units = {}, totals = {}, omitted_columns = [] } = table;
  const rowName = rows.length === 1 ? `row ${offset + 1}` : `rows ${offset + 1} to ${offset + rows.length}`;
  const cells = rows.map((row) => row.map(plainCell));
  const range = rows.length === 0 ? 'no rows' : `${rowName} of ${total_rows}`;
  const next = next_offset === null ? '' : `, more from offset ${next_offset}`;
  const totalName = total_rows === rows.length ? 'Total' : `All ${total_rows} rows`;
  const currencies = [...new Set(Object.values(units))].filter((unit) => unit !== '%');
  const currency = currencies.length === 1 ? currencies[0] : undefined;
  const facts = { units, totals, totalName, currency };
  const naming = namingColumns.find((column) => columns.includes(column)) ?? '';
  const kept = decisive && rows.length > 1 && isSplit(columns, cells, look, facts) ? [naming, ...decisive] : columns;
  const shown = [...columns.keys()].filter((index) => kept.includes(columns[index] ?? ''));
  const pick = <Item>(items: readonly Item[]) => shown.flatMap((index) => items.slice(index, index + 1));
  const left = columns.filter((column) => !kept.includes(column) && column !== marksColumn);
  const marks = kept === columns ? [] : cells.flatMap((row) => markOf(row, columns, naming));
  return [
    `${name}: ${range}${next}${currency === undefined ? '' : `, money in ${currency}`}`,
    ...(rows.length === 0
      ? []
      : [renderTable(pick(columns), cells.map(pick), look, kept === columns ? facts : { ...facts, naming })]),
    ...marks.map((line) => wrap(`  ${line}`, look.width, '    ')),
    ...(left.length === 0 ? [] : [wrap(`With --wide: ${left.join(', ')}`, look.width, '  ')]),
    ...(omitted_columns.length === 0
      ? []
      : [wrap(`Empty in every row: ${omitted_columns.join(', ')}`, look.width, '  ')]),
  ].join('\n');
}

/** The columns that name a row of get_overview; a page’s row also has those of its network and campaign. */
const namingColumns = ['Name', 'Page', 'Offer', 'Landing page', 'Traffic source', 'Network'];

const marksColumn = 'Marks';

/** A row’s mark is about a figure that is shown, so it is not left out. */
function markOf(row: readonly ShownCell[], columns: readonly string[], naming: string): string[] {
  const mark = row[columns.indexOf(marksColumn)];
  return mark ? [`${row[columns.indexOf(naming)] ?? ''}: ${mark}`] : [];
}

/** Moves the earlier value and the change of each figure next to it. */
function withChangesAdjacent(table: ShownRows): ShownRows {
  const indexes = [...table.columns.keys()];
  const order = indexes.flatMap((index) => {
    const column = table.columns[index] ?? '';
    if (table.columns.includes(figureOf(column)) && figureOf(column) !== column) return [];
    return [index, ...indexes.filter((other) => other !== index && figureOf(table.columns[other] ?? '') === column)];
  });
  const sorted = <Item>(items: readonly Item[]) => order.flatMap((index) => items.slice(index, index + 1));
  return { ...table, columns: sorted(table.columns), rows: table.rows.map(sorted) };
}

/** JSON in words: `Slot: Keyword, Name: Site; Slot: ...`. */
function plainCell(cell: ShownCell): ShownCell {
  if (typeof cell !== 'string' || !/^\[?\{"/.test(cell)) return cell;
  const value = parseJson(cell);
  if (typeof value !== 'object' || value === null) return cell;
  const inWords = (one: unknown) =>
    typeof one === 'object' && one !== null
      ? Object.entries(one)
          .filter(([, text]) => text !== '' && text !== null)
          .map(([name, text]) => `${name}: ${typeof text === 'object' ? JSON.stringify(text) : text}`)
          .join(', ')
      : String(one);
  return [value].flat().map(inWords).join('; ');
}

function renderSmall({ title, columns, rows }: SmallTable, look: Look): string {
  const names = columns.map(({ name, short = name }) => capitalized(short));
  const formats = columns.map(({ measure = '', unit }, index) => [
    names[index],
    formatOf(measure || (names[index] ?? ''), unit),
  ]);
  const units = columns.flatMap(({ unit }, index) => (unit === undefined ? [] : [[names[index], unit]]));
  const facts = { formats: Object.fromEntries(formats), units: Object.fromEntries(units) };
  const heading = title === undefined ? '' : `${paint(wrap(title, look.width), 'heading', look)}\n`;
  return (
    heading +
    renderTable(
      names,
      rows.map((row) => withOwnDigits(row, columns)),
      look,
      facts,
    )
  );
}

/** The mixed figures of a row as text, with equal digits: a column of them has no format. */
function withOwnDigits(row: readonly ShownCell[], columns: readonly ShownColumn[]): readonly ShownCell[] {
  const isMixed = (cell: ShownCell, index: number): cell is number =>
    columns[index]?.isMixed === true && typeof cell === 'number';
  const format = { digits: maxDigits(row.filter(isMixed)), isAmount: true };
  return row.map((cell, index) => (isMixed(cell, index) ? writeNumber(cell, format) : cell));
}

/** `cost_per_visit` as a person reads it: "Cost per visit". */
const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

function renderCall({ tool, arguments: given }: NextCall, { command }: Look): string | null {
  if (command === undefined) return null;
  const flags = Object.entries(given).map(
    ([name, value]) => `--${name} ${quoted(typeof value === 'object' ? breakableJson(value) : String(value))}`,
  );
  return [`  ${command}`, tool, ...flags].join(' ');
}

/** A group of fields, with the names of empty ones at its end. */
function renderFields({ name, fields }: NamedValues, look: Look): string {
  const filled = fields.filter(([, value]) => value !== null);
  const empty = fields.filter(([, value]) => value === null).map(([field]) => field);
  const widest = Math.max(0, ...filled.map(([field]) => widthOf(field)));
  const lines = filled.map(([field, value]) => {
    const label = `  ${paint(field + ' '.repeat(widest - widthOf(field)), 'aside', look)}`;
    // Wrapped between words only, so that a long value can be copied.
    const [first, ...more] = wrap(String(value), Math.max(20, look.width - widest - 4)).split('\n');
    return [`${label}  ${first}`, ...more.map((line) => `${' '.repeat(widest + 4)}${line}`)].join('\n');
  });
  return [
    paint(name, 'heading', look),
    ...lines,
    ...(empty.length === 0 ? [] : [wrap(`  empty: ${empty.join(', ')}`, look.width, '    ')]),
  ].join('\n');
}
