import type { Cell, Table } from '../api/table.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { isSurelyActive } from '../api/yes-no.ts';
import { indexOfColumn, readNumberColumns } from './columns/columns.ts';
import { numberIn } from './columns/loose-numbers.ts';
import { findTotal } from './columns/tracker-total.ts';

/** A landing page or offer as it stands in a campaign, with what its report says of it; null where it says nothing. */
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

const names = thingsOf('page_report');

/** The pages of a landing or offer report, without its own total. */
export function readPlacedPages(report: Table, kind: PlacedPage['kind']): PlacedPage[] {
  const total = findTotal(report)?.index;
  const columns = Object.fromEntries(
    Object.entries(names).map(([field, known]) => [field, indexOfColumn(report, known)]),
  );
  const numbers = readNumberColumns(report);
  const pages: PlacedPage[] = [];
  for (let row = 0; row < report.rowCount; row += 1) {
    const cell = (field: keyof typeof names): Cell => {
      const column = columns[field];
      return column === undefined ? null : report.text(row, column);
    };
    const number = (field: keyof typeof names): number | null => {
      const column = columns[field];
      const value = column === undefined ? undefined : (numbers.get(column)?.values[row] ?? numberIn(cell(field)));
      return value === undefined || Number.isNaN(value) ? null : value;
    };
    const pageId = cell('id');
    if (row === total || pageId === null || !/^[1-9]\d*$/.test(rawText(pageId))) continue;
    pages.push({
      kind,
      pageId: rawText(pageId),
      name: cell('name'),
      url: cell('url'),
      source: cell('source'),
      active: isSurelyActive({ inactive: cell('inactive'), active: cell('active') }) ?? null,
      share: number('share'),
      level: number('level'),
      path: number('path'),
      payout: number('payout'),
    });
  }
  return pages;
}

/** The pages that share one stream of visitors: a page's part of it is its share by the sum of their shares. */
export interface PageGroup {
  /** "offers of path 2", as a person says it. */
  readonly name: string;
  readonly pages: readonly PlacedPage[];
}

/**
 * The groups of a campaign: landing pages by level and path, offers by path or option group.
 *
 * @param sharesOnePool whether landing pages and offers compete for the same visitors, as where a campaign links directly to
 *   some offers
 */
export function groupPages(pages: readonly PlacedPage[], sharesOnePool: boolean): PageGroup[] {
  const groups = new Map<string, PlacedPage[]>();
  for (const page of pages) {
    const name = sharesOnePool ? 'landing pages and offers' : groupName(page);
    groups.set(name, [...(groups.get(name) ?? []), page]);
  }
  return [...groups].map(([name, members]) => ({ name, pages: members }));
}

function groupName({ kind, level, path }: PlacedPage): string {
  const within = [level === null ? [] : [`level ${level}`], path === null ? [] : [`path ${path}`]].flat().join(', ');
  return `${kind === 'offer' ? 'offers' : 'landing pages'}${within === '' ? '' : ` of ${within}`}`;
}

/** The part of its group's traffic that a page gets, in percent; null where shares are not known. */
export function trafficPercent(page: PlacedPage, group: readonly PlacedPage[]): number | null {
  if (page.active === false) return 0;
  const running = group.filter(({ active }) => active !== false);
  if (running.some(({ share }) => share === null)) return running.length === 1 ? 100 : null;
  const sum = running.reduce((all, { share }) => all + (share ?? 0), 0);
  return sum === 0 ? 0 : Math.round(((page.share ?? 0) / sum) * 1000) / 10;
}
