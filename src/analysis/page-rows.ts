import { cleanNames } from '../api/clean-text.ts';
import { Failure } from '../api/failure.ts';
import { plainName } from '../api/plain-name.ts';
import type { Table } from '../api/replies.ts';
import { placeOfColumn, readNumbers } from './columns.ts';
import { type Measure, measureOf } from './measures.ts';
import type { PageResult } from './statistics/evidence.ts';

/** A page of a campaign as the landing or offer report shows it. */
export interface PageRow {
  /** Null where the report shows no page IDs. */
  readonly pageId: string | null;
  readonly name: string;
  /** Null where the report shows no shares. */
  readonly share: number | null;
  readonly isActive: boolean;
  /** The level, path or option group within which shares compete. */
  readonly group: string;
  readonly result: PageResult & { readonly clicks?: number };
}

/** How reports call what a page is, in lower case and without anything but letters. */
const columnNames = {
  pageId: ['pageid', 'id', 'offerid', 'landingpageid', 'lpid', 'landingid', 'page'],
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
export function readPageRows(table: Table): PageRow[] {
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
    Object.entries(columnNames).map(([key, names]) => [key, placeOfColumn(table, names)]),
  );
  return table.rows.map((row, index) => {
    const cell = (key: keyof typeof columnNames) => row[places[key] ?? -1] ?? null;
    const count = (values: Float64Array) => nonNegative(values[index]);
    const share = cell('share');
    return {
      pageId: /^[1-9]\d*$/.test(cell('pageId') ?? '') ? cell('pageId') : null,
      name: cell('name') ?? cell('pageId') ?? `row ${index + 1}`,
      share: share === null ? null : Number.parseFloat(share),
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
  for (const [index, row] of conversions.rows.entries()) {
    const name = row[page];
    const revenue = revenues?.[index];
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
  return value !== undefined && value > 0 ? value : 0;
}

function isSet(value: string | null): boolean {
  return value !== null && /^(1|true|yes|y|inactive)$/i.test(value.trim());
}

function isOff(value: string | null): boolean {
  return value !== null && /^(0|false|no|n|inactive|paused|disabled)$/i.test(value.trim());
}
