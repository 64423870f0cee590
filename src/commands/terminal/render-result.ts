import widthOf from 'fast-string-width';
import type * as z from 'zod';
import { type ColumnFormat, currencyOf, digitsOf, formatOf, writeNumber } from '../../analysis/columns/formats.ts';
import { parseJson } from '../../api/text/json.ts';
import { indexNamed } from '../../api/vocabulary.ts';
import { explanationOutput, reviewOutput } from '../../tools/account-tools.ts';
import type { ToolResult } from '../../tools/define-tool.ts';
import { changesOutput, comparisonOutput, diagnosisOutput } from '../../tools/detail-tools.ts';
import { chanceInPercent } from '../../tools/present/decision.ts';
import { lookupOutput, type PresentedLookup, type PresentedTable, tablesOutput } from '../../tools/present/outputs.ts';
import { sharesOutput } from '../../tools/rotation/set-shares.ts';
import { undoOutput } from '../../tools/rotation/undo-change.ts';
import { quoted } from '../process.ts';
import { renderChanges, renderShares, renderUndo } from './changes.ts';
import { renderExplanation, renderFindings } from './findings.ts';
import { breakableJson, type Look, paint, wrap } from './look.ts';
import { figureOf, isSplit, renderTable, type TableCell } from './render-table.ts';

/** Renders the blocks of a result; undefined if the result has a different shape. */
type Renderer = (structured: unknown, look: Look) => readonly string[] | undefined;

const rendererFor =
  <Data>(schema: z.ZodType<Data>, render: (data: Data, look: Look) => readonly string[]): Renderer =>
  (structured, look) => {
    const { success, data } = schema.safeParse(structured);
    return success ? render(data, look) : undefined;
  };

/** The first that accepts a result renders it. */
const renderers: readonly Renderer[] = [
  rendererFor(tablesOutput, renderTables),
  rendererFor(comparisonOutput, renderComparison),
  rendererFor(diagnosisOutput, renderDiagnosis),
  rendererFor(sharesOutput, renderShares),
  rendererFor(changesOutput, renderChanges),
  rendererFor(undoOutput, renderUndo),
  rendererFor(explanationOutput, renderExplanation),
  rendererFor(reviewOutput, renderFindings),
  rendererFor(lookupOutput, renderLookup),
];

/** Renders a result for a person: tables and short blocks, then the notices. */
export function renderResult(result: ToolResult, look: Look): string {
  const { structured, text } = result;
  const { query, notices } = structured;
  const said = Array.isArray(notices) ? notices.map(String) : [];
  const { remarks = said } = result;
  for (const render of renderers) {
    const blocks = render(structured, look);
    if (!blocks) continue;
    const heading = headingOf(query as Query, campaignIn(structured)).map((line) =>
      paint(wrap(line, look.width), 'heading', look),
    );
    return [...heading, ...blocks, ...linesOf(remarks).map((notice) => wrap(notice, look.width))].join('\n\n');
  }
  const remarkOf = new Map(said.map((notice, index) => [notice, remarks[index] ?? null]));
  return linesOf(
    text
      .replaceAll('\t', '  ')
      .split('\n')
      .map((line) => (remarkOf.has(line) ? (remarkOf.get(line) ?? null) : line)),
  )
    .map((line) => wrap(line, look.width))
    .join('\n');
}

function linesOf(remarks: readonly (string | null)[]): string[] {
  return remarks.filter((remark) => remark !== null);
}

type Query = Readonly<Record<string, unknown>> | undefined;

/** The name of the campaign, if a column has it. */
function campaignIn(structured: unknown): TableCell | undefined {
  const [table] = tablesOutput.safeParse(structured).data?.tables ?? [];
  return table?.rows[0]?.[indexNamed(table.columns, ['campaign', 'campaignname'])];
}

/** The query in words: campaign, days, time zone, grouping and order. */
function headingOf(query: Query = {}, campaign?: TableCell): string[] {
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

function renderTables({ query, tables }: z.infer<typeof tablesOutput>, look: Look): string[] {
  // Columns that were asked for by name keep their order.
  const isOrdered = query?.['columns'] !== undefined;
  // Only get_overview has one “by” and no list of them.
  const decisive = !isOrdered && typeof query?.['by'] === 'string' ? [...leading, String(query['sort_by'])] : undefined;
  return tables.map((table) => renderOne(isOrdered ? table : withChangesAdjacent(table), look, decisive));
}

/** What a decision about a row needs; the names stand before them. */
const leading = ['Tracker', 'Currency', 'Campaign ID', 'Cost', 'Revenue', 'Profit', 'Profit change', 'ROI'];

/** @param decisive the columns to show if there is no room for all */
function renderOne(table: PresentedTable, look: Look, decisive: readonly string[] | undefined): string {
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
function markOf(row: readonly TableCell[], columns: readonly string[], naming: string): string[] {
  const mark = row[columns.indexOf(marksColumn)];
  return mark ? [`${row[columns.indexOf(naming)] ?? ''}: ${mark}`] : [];
}

/** Moves the earlier value and the change of each figure next to it. */
function withChangesAdjacent(table: PresentedTable): PresentedTable {
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
function plainCell(cell: TableCell): TableCell {
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

type Comparison = z.infer<typeof comparisonOutput>;
type ComparedPage = Comparison['pages'][number];

const whole: ColumnFormat = { digits: 0, isAmount: true };
const percentage: ColumnFormat = { digits: 2, isPercentage: true };

interface ComparisonColumn {
  readonly name: string;
  readonly cell: (page: ComparedPage) => TableCell;
  readonly format?: ColumnFormat;
}

const comparisonColumnsOf = (each: ColumnFormat): readonly ComparisonColumn[] => [
  { name: 'PageID', cell: ({ page_id }) => page_id },
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Weight now', cell: ({ share }) => share, format: whole },
  { name: 'Recommended', cell: ({ recommended_share }) => recommended_share, format: { ...percentage, digits: 0 } },
  {
    name: 'Best',
    cell: ({ probability_best }) => chanceInPercent(probability_best),
  },
  { name: 'EPV', cell: ({ epv }) => epv, format: each },
  { name: 'Views', cell: ({ views }) => views },
  { name: 'Conversions', cell: ({ conversions }) => conversions },
  { name: 'Revenue', cell: ({ revenue }) => revenue },
  { name: 'CR per view', cell: ({ rate }) => rate, format: percentage },
  { name: 'CR, 95% interval', cell: ({ rate_low, rate_high }) => formatInterval(rate_low, rate_high, percentage) },
  { name: 'EPV, 95% interval', cell: ({ epv_low, epv_high }) => formatInterval(epv_low, epv_high, each) },
];

function formatInterval(low: number, high: number, format: ColumnFormat): string {
  return `${writeNumber(low, format)} to ${writeNumber(high, format)}`;
}

/** compare_pages: the decision, the pages, and the calls that carry it out. */
function renderComparison({ query, decision, pages, calls }: Comparison, look: Look): string[] {
  const currency = currencyOf(query);
  // An EPV and its interval have the same digits.
  const epvs = pages.map(({ epv }) => epv);
  const each = { digits: digitsOf(formatOf('EPV', currency), epvs), isAmount: true };
  const comparisonColumns = comparisonColumnsOf(each);
  const names = comparisonColumns.map(({ name }) => name);
  const formats = Object.fromEntries(comparisonColumns.flatMap(({ name, format }) => (format ? [[name, format]] : [])));
  const units = currency === undefined ? {} : { Revenue: currency, EPV: currency, 'EPV, 95% interval': currency };
  const rows = pages.map((page) => comparisonColumns.map(({ cell }) => cell(page)));
  const { command } = look;
  const steps =
    command === undefined ? [] : calls.map(({ tool, arguments: given }) => `  ${command} ${tool}${flagsFor(given)}`);
  return [
    paint(wrap(decision.text, look.width), 'heading', look),
    renderTable(names, rows, look, { formats, units }),
    ...(steps.length === 0 ? [] : [['To set the recommended shares:', ...steps].join('\n')]),
  ];
}

function flagsFor(given: Readonly<Record<string, unknown>>): string {
  return Object.entries(given)
    .map(([name, value]) => ` --${name} ${quoted(typeof value === 'object' ? breakableJson(value) : String(value))}`)
    .join('');
}

const outcomes = { yes: 'gain', no: 'loss', unknown: 'aside' } as const;

/** diagnose_subid: the visitor, the steps of the visit, its conversions, facts, and explanations of a missing step. */
function renderDiagnosis(
  { query, time_zone, visitor, steps, facts, explanations, conversions, searched }: z.infer<typeof diagnosisOutput>,
  look: Look,
): string[] {
  const widest = Math.max(0, ...steps.map(({ step }) => step.length));
  const lines = steps.map(({ step, happened, at, detail }) =>
    [
      `  ${step.replaceAll('_', ' ').padEnd(widest)}`,
      paint(happened.padEnd('unknown'.length), outcomes[happened], look),
      ...[at, detail].filter((part) => part !== null),
    ]
      .join('  ')
      .trimEnd(),
  );
  const who = Object.entries(visitor).map(([name, value]) => [name.replaceAll('_', ' '), value] as const);
  const blocks = conversions.map((row, index) =>
    fieldBlock(`Conversion${conversions.length > 1 ? ` ${index + 1}` : ''}`, Object.entries(row), look),
  );
  return [
    [paint(wrap(`${query['subid']}, times in ${time_zone}`, look.width), 'heading', look), ...lines].join('\n'),
    ...(who.length === 0 ? [] : [fieldBlock('Visitor', who, look)]),
    ...blocks,
    ...[...facts, ...explanations].map((sentence) => wrap(sentence, look.width, '  ')),
    wrap(`Searched: ${searched}.`, look.width, '  '),
  ];
}

/** lookup_subid: each group of fields as a block, with the names of empty fields at its end. */
function renderLookup({ groups }: PresentedLookup, look: Look): string[] {
  return groups.map(({ name, fields }) => fieldBlock(name, Object.entries(fields), look));
}

function fieldBlock(name: string, fields: readonly (readonly [string, TableCell])[], look: Look): string {
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
