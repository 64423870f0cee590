import { Failure } from '../api/failure.ts';
import { joinWords } from '../api/rules.ts';
import type { Cell, Table } from '../api/table.ts';
import { fromTracker, mention, rawText, type TrackerText } from '../api/text/tracker-text.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { activeState, isSurelyActive } from '../api/yes-no.ts';
import { indexOfColumn, isEmptyColumn, readerOfAmounts, readNumberColumns } from './columns/columns.ts';
import { isAdditive, type Measure, measureOf } from './columns/measures.ts';
import { findTotal } from './columns/totals.ts';
import { columnsInWords, numbersForFigures } from './columns/unread.ts';
import type { PageSums } from './statistics/history.ts';

/** A page of a campaign as the landing or offer report shows it. */
export interface PageRow extends PageSums {
  /** Null if the report has no page IDs. */
  readonly pageId: string | null;
  readonly name: TrackerText;
  /** Null if the report has no shares. */
  readonly share: number | null;
  readonly isActive: boolean;
  /** Clicks on a landing page's call to action; null if the report has none. */
  readonly clicks: number | null;
  /** The level, path or option group within which shares compete. */
  readonly group: string;
}

export interface PageReport {
  readonly rows: readonly PageRow[];
  /** The column of the IDs, if its name does not tell whether they are page IDs or IDs of predefined records. */
  readonly vagueIdColumn: TrackerText | undefined;
  /** The name of the tracker's own total row. */
  readonly total: TrackerText | undefined;
}

/** An ID column of this name may hold page IDs or IDs of predefined records. */
const vagueIdName = 'id';

/** Max characters of the name of a level or path in `group`. */
export const maxLabelLength = 60;

const names = thingsOf('page_report');

const needed = ['views', 'conversions', 'revenue'] as const satisfies readonly Measure[];

/**
 * Reads the figures of the pages of a landing or offer report.
 *
 * @throws Failure that names the missing columns and the existing ones
 */
export function readPageRows(report: Table): PageReport {
  const { table, total, ids, pages } = openReport(report);
  /** Counts or sums by row; undefined if the report has no column of numbers for it. */
  const numbers = (measure: Measure): ((row: number) => number) | undefined => {
    const index = table.columns.findIndex((column) => measureOf(rawText(column)) === measure);
    const values = index < 0 ? undefined : numbersForFigures(table, index);
    if (!values && !(index >= 0 && isEmptyColumn(table, index))) return undefined;
    return (row) => values?.[row] || 0;
  };
  const [views, conversions, revenue] = needed.map(numbers);
  if (!views || !conversions || !revenue) {
    const missing = needed.filter((measure) => !numbers(measure));
    throw new Failure(
      `The ${mention(table.name)} report has no column of numbers for ${missing.join(' and ')}, which a comparison needs.`,
      columnsInWords(table),
    );
  }
  const clicks = numbers('clicks');
  const rows = pages.map(
    ({ pageId, cell, number }, row): PageRow => ({
      pageId,
      name: cell('name') ?? cell('nameOrId') ?? cell('id') ?? fromTracker(`row ${row + 1}`),
      share: number('share'),
      isActive: activeState({ inactive: cell('inactive'), active: cell('active') }) ?? true,
      group: [labelOf('level', cell('level')), labelOf('path', cell('path'))].filter(Boolean).join(', '),
      views: Math.max(views(row), 0),
      conversions: Math.max(conversions(row), 0),
      // Chargebacks can take it below 0.
      revenue: revenue(row),
      clicks: clicks ? Math.max(clicks(row), 0) : null,
    }),
  );
  return { rows, vagueIdColumn: ids?.name === vagueIdName ? table.columns[ids.index] : undefined, total };
}

/** `level 1`, as a part of a group's name. */
function labelOf(word: string, cell: Cell): string {
  return cell === null ? '' : `${word} ${mention(cell, maxLabelLength)}`;
}

/** The rows with an ID that repeat an earlier one in every cell, as a page that is listed twice. */
function repeatedRows(table: Table, ids: number): number[] {
  const seen = new Set<string>();
  return Array.from({ length: table.rowCount }, (_, row) => row).filter((row) => {
    if (table.text(row, ids) === null) return false;
    return seen.size === seen.add(table.rowKey(row)).size;
  });
}

/** A report without its own total row, each page once, and readers for the cells of its pages. */
function openReport(report: Table) {
  const total = findTotal(report);
  const rows = total ? report.withoutRows([total.index]) : report;
  const ids = columnOfPageIds(rows);
  const repeated = ids ? repeatedRows(rows, ids.index) : [];
  const table = repeated.length > 0 ? rows.withoutRows(repeated) : rows;
  const indexes: Partial<Record<string, number>> = Object.fromEntries(
    Object.entries(names).map(([field, known]) => [field, field === 'id' ? ids?.index : indexOfColumn(table, known)]),
  );
  const columns = readNumberColumns(table);
  const readers = new Map(
    Object.entries(indexes).map(([field, index]) => [
      field,
      index === undefined ? undefined : readerOfAmounts(table, index),
    ]),
  );
  const pages = Array.from({ length: table.rowCount }, (_, row) => {
    const cell = (field: keyof typeof names): Cell => table.text(row, indexes[field] ?? -1);
    const number = (field: keyof typeof names): number | null => {
      const value = columns.get(indexes[field] ?? -1)?.values[row] ?? readers.get(field)?.(cell(field));
      return value === undefined || Number.isNaN(value) ? null : Number(value);
    };
    const id = cell('id');
    return { pageId: isId(id) ? rawText(id) : null, cell, number };
  });
  return { table, total: total?.name, ids, pages };
}

/** A `page` column may hold names, so it counts only if every cell could be an ID. */
function columnOfPageIds(table: Table): { readonly name: string; readonly index: number } | undefined {
  const holdsIds = (column: number) => table.column(column).every((cell) => cell === null || isId(cell));
  return names.id
    .map((name) => ({ name, index: indexOfColumn(table, [name]) ?? -1 }))
    .find(({ name, index }) => index >= 0 && (name !== 'page' || holdsIds(index)));
}

function isId(cell: Cell): cell is TrackerText {
  return cell !== null && /^[1-9]\d*$/.test(rawText(cell));
}

/** A landing page or offer of a campaign as in its report; null if the report lacks a value. */
export interface PlacedPage {
  readonly kind: 'landing' | 'offer';
  readonly pageId: string;
  readonly name: Cell;
  readonly url: Cell;
  readonly source: Cell;
  readonly active: boolean | null;
  readonly share: number | null;
  readonly level: number | null;
  readonly path: number | null;
  readonly payout: number | null;
}

/** A page with its figures in the days of the report. */
export interface MeasuredPage extends PlacedPage {
  /** Empty if the report has no page IDs. */
  readonly pageId: string;
  /** The ID of the predefined landing page or offer that it was made from. */
  readonly recordId: Cell;
  readonly measures: { readonly [Name in Measure]?: number };
}

/**
 * Finds the reports of an answer by their names.
 * @throws Failure if it has none of those asked for, and rows under other names, which may be any of them
 */
export function finderOf(tables: readonly Table[], asked: readonly string[]): (name: string) => Table | undefined {
  const reportOf = (name: string) => tables.find((table) => rawText(table.name) === name);
  const other = asked.length > 1 && !asked.some(reportOf) ? tables.find(({ rowCount }) => rowCount > 0) : undefined;
  if (!other) return reportOf;
  throw new Failure(
    `The tracker’s answer has rows, and nothing shows which of its reports they are: ${joinWords(asked, 'or')}.`,
    `They are called ${mention(other.name)}. get_stats shows them as they came.`,
  );
}

/** The pages of a landing or offer report that have an ID. */
export function readPlacedPages(report: Table, kind: PlacedPage['kind']): MeasuredPage[] {
  return readPages(report, kind).filter(({ pageId }) => pageId !== '');
}

/**
 * All pages of a landing or offer report.
 * @throws Failure if a figure is there and cannot be read
 */
export function readMeasuredPages(report: Table, kind: PlacedPage['kind']): MeasuredPage[] {
  for (const [index, name] of report.columns.entries()) {
    const measure = measureOf(rawText(name));
    if (measure && isAdditive(measure)) numbersForFigures(report, index);
  }
  return readPages(report, kind);
}

function readPages(report: Table, kind: PlacedPage['kind']): MeasuredPage[] {
  const { table, pages } = openReport(report);
  // Of two columns of a name, the first counts.
  const measured = [...readNumberColumns(table)].reverse().flatMap(([index, { values }]) => {
    const measure = measureOf(rawText(table.columns[index] ?? fromTracker('')));
    return measure ? [{ measure, values }] : [];
  });
  return pages.map(({ pageId, cell, number }, row) => {
    const filled = measured.filter(({ values }) => !Number.isNaN(values[row]));
    return {
      kind,
      pageId: pageId ?? '',
      recordId: cell('record'),
      measures: Object.fromEntries(filled.map(({ measure, values }) => [measure, values[row]])),
      name: cell('name') ?? cell('nameOrId'),
      url: cell('url'),
      source: cell('source'),
      active: isSurelyActive({ inactive: cell('inactive'), active: cell('active') }) ?? null,
      share: number('share'),
      level: number('level'),
      path: number('path'),
      payout: number('payout'),
    };
  });
}

/** The pages that compete for the same visitors: a page's part is its share over the sum of their shares. */
export interface PageGroup<Page extends PlacedPage = PlacedPage> {
  /** Such as "offers of path 2". */
  readonly name: string;
  readonly pages: readonly Page[];
}

/**
 * The groups of a campaign: landing pages by level and path, offers by path or option group.
 *
 * @param sharesOnePool whether landing pages and offers compete for the same visitors, as in a campaign that links directly to
 *   some offers
 */
export function groupPages<Page extends PlacedPage>(pages: readonly Page[], sharesOnePool: boolean): PageGroup<Page>[] {
  const names = pages.map((page) => (sharesOnePool ? 'landing pages and offers' : groupName(page)));
  return [...new Set(names)].map((name) => ({ name, pages: pages.filter((_, index) => names[index] === name) }));
}

function groupName({ kind, level, path }: PlacedPage): string {
  const within = [level === null ? [] : [`level ${level}`], path === null ? [] : [`path ${path}`]].flat().join(', ');
  return `${kind === 'offer' ? 'offers' : 'landing pages'}${within === '' ? '' : ` of ${within}`}`;
}

/** The part of its group's traffic that a page gets, in percent; null if shares are unknown. */
export function trafficPercent(page: PlacedPage, group: readonly PlacedPage[]): number | null {
  if (page.active === false) return 0;
  const running = group.filter(({ active }) => active !== false);
  if (running.some(({ share }) => share === null)) return running.length === 1 ? 100 : null;
  const sum = running.reduce((all, { share }) => all + (share ?? 0), 0);
  return sum === 0 ? 0 : Math.round(((page.share ?? 0) / sum) * 1000) / 10;
}
