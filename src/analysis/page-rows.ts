import { Failure } from '../api/failure.ts';
import type { Cell, Table } from '../api/table.ts';
import { fromTracker, mention, rawText, type TrackerText } from '../api/text/tracker-text.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { saysActive } from '../api/yes-no.ts';
import { indexOfColumn, isEmptyColumn, type NumberColumn, readNumbers, shownColumns } from './columns/columns.ts';
import { numberIn } from './columns/loose-numbers.ts';
import { type Measure, measureOf } from './columns/measures.ts';
import { findTotal } from './columns/tracker-total.ts';
import type { PageSums } from './statistics/history.ts';

/** A page of a campaign as the landing or offer report shows it. */
export interface PageRow extends PageSums {
  /** Null where the report shows no page IDs. */
  readonly pageId: string | null;
  readonly name: TrackerText;
  /** Null where the report shows no shares. */
  readonly share: number | null;
  readonly isActive: boolean;
  /** Clicks on a landing page's call to action; null if the report shows none. */
  readonly clicks: number | null;
  /** The level, path or option group within which shares compete. */
  readonly group: string;
}

/** The pages of a report. */
export interface PageReport {
  readonly rows: readonly PageRow[];
  /** The column that the IDs are of, where its name leaves open whether they are the pages' or those of predefined records. */
  readonly vagueIdColumn: TrackerText | undefined;
  /** The name of the row that is the tracker's own total, and no page. */
  readonly total: TrackerText | undefined;
}

/** The name of an ID that may be a page's or that of a predefined record. */
const vagueIdName = 'id';

/** Of the name of a level or path, as `group` has it. */
export const maxLabelLength = 60;

const { id: idNames, ...names } = thingsOf('page_report');
const columnNames = { ...names, name: [...names.name, ...names.nameOrId] };

/** That many names of columns help to see what is missing. */
const maxNamed = 50;

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
    const found = table.columns.findIndex((column) => measureOf(rawText(column)) === measure);
    if (found >= 0 && isEmptyColumn(table, found)) return noNumbers(table.rowCount);
    return found < 0 ? undefined : readNumbers(table, found);
  };
  const [views, conversions, revenue] = needed.map(numbers);
  if (!views || !conversions || !revenue) {
    const missing = needed.filter((measure) => !numbers(measure));
    const columns = shownColumns(table)
      .map((column) => JSON.stringify(column))
      .slice(0, maxNamed)
      .join(', ');
    throw new Failure(
      `The ${mention(table.name)} report has no column of numbers for ${missing.join(' and ')}, which a comparison needs.`,
      `Its columns are: ${columns}.`,
    );
  }
  const clicks = numbers('clicks');
  const indexes = Object.fromEntries(
    Object.entries(columnNames).map(([key, names]) => [key, indexOfColumn(table, names)]),
  );
  const ids = columnOfPageIds(table);
  const rows = Array.from({ length: table.rowCount }, (_, index) => {
    const cell = (key: keyof typeof columnNames) => table.text(index, indexes[key] ?? -1);
    const count = ({ values }: NumberColumn) => Math.max(filled(values[index]), 0);
    const id = table.text(index, ids?.index ?? -1);
    return {
      pageId: isId(id) ? rawText(id) : null,
      name: cell('name') ?? id ?? fromTracker(`row ${index + 1}`),
      share: numberIn(cell('share')) ?? null,
      isActive: saysActive({ inactive: cell('inactive'), active: cell('active') }) ?? true,
      group: [labelled('level', cell('level')), labelled('path', cell('path'))].filter(Boolean).join(', '),
      views: count(views),
      conversions: count(conversions),
      // Chargebacks can take it below 0.
      revenue: filled(revenue.values[index]),
      clicks: clicks ? count(clicks) : null,
    };
  });
  return { rows, vagueIdColumn: ids?.name === vagueIdName ? table.columns[ids.index] : undefined, total: total?.name };
}

/** A `page` may be the name of one as well, so it counts only where every cell could be an ID. */
function columnOfPageIds(table: Table): { readonly name: string; readonly index: number } | undefined {
  const holdsIds = (column: number) => {
    for (let row = 0; row < table.rowCount; row += 1) {
      const cell = table.text(row, column);
      if (cell !== null && !isId(cell)) return false;
    }
    return true;
  };
  return idNames
    .map((name) => ({ name, index: indexOfColumn(table, [name]) ?? -1 }))
    .find(({ name, index }) => index >= 0 && (name !== 'page' || holdsIds(index)));
}

function isId(cell: Cell): cell is TrackerText {
  return cell !== null && /^[1-9]\d*$/.test(rawText(cell));
}

function noNumbers(rows: number): NumberColumn {
  return { values: new Float64Array(rows), sum: 0, unit: undefined, decimals: 0 };
}

/** A part of a group's name, which is shown: a level or a path is a number or a short name. */
function labelled(word: string, cell: Cell): string {
  return cell === null ? '' : `${word} ${mention(cell, maxLabelLength)}`;
}

function filled(value: number | undefined): number {
  return value === undefined || Number.isNaN(value) ? 0 : value;
}
