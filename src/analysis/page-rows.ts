import { Failure } from '../api/failure.ts';
import type { Cell, Table } from '../api/table.ts';
import { cleanNames } from '../api/text/clean-text.ts';
import { plainName } from '../api/text/plain-name.ts';
import { indexOfColumn, readNumbers } from './columns/columns.ts';
import { type Measure, measureOf } from './columns/measures.ts';
import { findTotal } from './columns/tracker-total.ts';
import type { PageResult } from './statistics/evidence.ts';

/** A page of a campaign as the landing or offer report shows it. */
export interface PageRow {
  /** Null where the report shows no page IDs. */
  readonly pageId: string | null;
  readonly name: string;
  /** As the report has it, which chargebacks can take below 0; the result that is compared has 0 then. */
  readonly revenue: number;
  /** Null where the report shows no shares. */
  readonly share: number | null;
  readonly isActive: boolean;
  /** The level, path or option group within which shares compete. */
  readonly group: string;
  readonly result: PageResult & { readonly clicks?: number };
}

/** The pages of a report. */
export interface PageReport {
  readonly rows: readonly PageRow[];
  /** The column that the IDs are of, where its name leaves open whether they are the pages' or those of predefined records. */
  readonly vagueIdColumn: string | undefined;
  /** The name of the row that is the tracker's own total, and no page. */
  readonly total: string | undefined;
}

/**
 * How reports call the ID of a page inside its campaign. An offer ID or a landing page ID is that of a predefined record: a
 * page of the campaign that happens to have the same number is another one.
 */
const pageIdNames = ['pageid', 'campaignpageid', 'page', 'id'];

const vagueIdName = 'id';

/** How reports call what a page is, in lower case and without anything but letters. */
const columnNames = {
  name: ['name', 'offer', 'offername', 'landingpage', 'landingpagename', 'pagename', 'landing', 'title', 'page'],
  share: ['share', 'sharepercent', 'sharepercentage', 'weight'],
  inactive: ['inactive', 'disabled', 'paused'],
  active: ['active', 'enabled', 'status'],
  level: ['level'],
  path: ['path', 'optiongroup', 'pathid', 'option', 'group'],
} as const;

const needed = ['views', 'conversions', 'revenue'] as const satisfies readonly Measure[];

/**
 * Reads the pages out of a landing or offer report.
 *
 * @throws Failure that names the columns that are missing, and the ones there are
 */
export function readPageRows(report: Table): PageReport {
  const total = findTotal(report);
  const table = total ? report.withoutRow(total.index) : report;
  const numbers = (measure: Measure) => {
    const found = table.columns.findIndex((column) => measureOf(column) === measure);
    return found < 0 ? undefined : readNumbers(table, found)?.values;
  };
  const [views, conversions, revenue] = needed.map(numbers);
  const clicks = numbers('clicks');
  if (!views || !conversions || !revenue) {
    const missing = needed.filter((measure) => !numbers(measure));
    const columns = cleanNames(table.columns)
      .map((column) => JSON.stringify(column))
      .join(', ');
    throw new Failure(
      `The ${table.name} report has no column of numbers for ${missing.join(' and ')}, which a comparison needs.`,
      `Its columns are: ${columns}.`,
    );
  }
  const places = Object.fromEntries(
    Object.entries(columnNames).map(([key, names]) => [key, indexOfColumn(table, names)]),
  );
  const idPlace = placeOfPageIds(table);
  const rows = Array.from({ length: table.rowCount }, (_, index) => {
    const cell = (key: keyof typeof columnNames) => table.text(index, places[key] ?? -1);
    const count = (values: Float64Array) => nonNegative(values[index]);
    const id = table.text(index, idPlace ?? -1);
    const share = Number.parseFloat(cell('share') ?? '');
    return {
      pageId: isId(id) ? id : null,
      name: cell('name') ?? id ?? `row ${index + 1}`,
      revenue: filled(revenue[index]),
      share: Number.isNaN(share) ? null : share,
      isActive: !isSet(cell('inactive')) && !isOff(cell('active')),
      group: [labelled('level', cell('level')), labelled('path', cell('path'))].filter(Boolean).join(', '),
      result: {
        views: count(views),
        conversions: count(conversions),
        revenue: count(revenue),
        ...(clicks ? { clicks: count(clicks) } : {}),
      },
    };
  });
  const idColumn = table.columns[idPlace ?? -1] ?? '';
  return { rows, vagueIdColumn: plainName(idColumn) === vagueIdName ? idColumn : undefined, total: total?.name };
}

/** A `page` may be the name of one as well, so it counts only where every cell could be an ID. */
function placeOfPageIds(table: Table): number | undefined {
  const holdsIds = (place: number) =>
    Array.from({ length: table.rowCount }, (_, row) => table.text(row, place)).every(
      (cell) => cell === null || isId(cell),
    );
  return pageIdNames
    .map((name) => ({ name, place: indexOfColumn(table, [name]) }))
    .find(({ name, place }) => place !== undefined && (name !== 'page' || holdsIds(place)))?.place;
}

function isId(cell: Cell): cell is string {
  return cell !== null && /^[1-9]\d*$/.test(cell);
}

/** The revenues of single conversions by the name of their page, where a conversion list names both. */
export function payoutsByPage(conversions: Table, kind: 'offer' | 'landing'): ReadonlyMap<string, readonly number[]> {
  const names =
    kind === 'offer' ? ['offer', 'offername', 'offer2'] : ['landingpage', 'landingpagename', 'landing', 'lp'];
  const page = conversions.columns.findIndex((column) => names.includes(plainName(column)));
  const money = conversions.columns.findIndex(
    (column) => measureOf(column) === 'revenue' || plainName(column) === 'payout',
  );
  const revenues = money < 0 ? undefined : readNumbers(conversions, money)?.values;
  const payouts = new Map<string, number[]>();
  for (let row = 0; row < conversions.rowCount; row += 1) {
    const name = conversions.text(row, page);
    const revenue = revenues?.[row];
    if (!name || revenue === undefined || !(revenue >= 0)) continue;
    const known = payouts.get(name);
    if (known) known.push(revenue);
    else payouts.set(name, [revenue]);
  }
  return payouts;
}

function labelled(word: string, value: string | null): string {
  return value === null ? '' : `${word} ${value}`;
}

/** An empty or negative count is none. */
function nonNegative(value: number | undefined): number {
  return Math.max(filled(value), 0);
}

function filled(value: number | undefined): number {
  return value === undefined || Number.isNaN(value) ? 0 : value;
}

function isSet(value: string | null): boolean {
  return value !== null && /^(1|true|yes|y|inactive)$/i.test(value.trim());
}

function isOff(value: string | null): boolean {
  return value !== null && /^(0|false|no|n|inactive|paused|disabled)$/i.test(value.trim());
}
