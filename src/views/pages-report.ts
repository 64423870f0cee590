import { type Cell, describeColumns } from './columns.ts';
import { element } from './element.ts';
import { notices, queryLine } from './report-parts.ts';
import type { ComparedPage, ComparedPages } from './result.ts';
import { rowChart } from './row-chart.ts';
import { sortableTable } from './sortable-table.ts';

interface Figure {
  readonly title: string;
  readonly unit?: string;
  /** What one is in the unit. */
  readonly scale?: number;
}

/** What the table shows of a page, in the order of a decision. */
const figures: Readonly<Record<keyof ComparedPage, Figure>> = {
  name: { title: 'Page' },
  recommended_share: { title: 'Recommended share', unit: '%' },
  share: { title: 'Share now' },
  probability_best: { title: 'Best with probability', unit: '%', scale: 100 },
  epv: { title: 'EPV', unit: '$' },
  epv_low: { title: 'EPV low', unit: '$' },
  epv_high: { title: 'EPV high', unit: '$' },
  expected_loss: { title: 'Loss\u00a0per 1,000\u00a0views', unit: '$' },
  views: { title: 'Views' },
  conversions: { title: 'Conversions' },
  revenue: { title: 'Revenue', unit: '$' },
  rate: { title: 'Conversions\u00a0per\u00a0view', unit: '%' },
  rate_low: { title: 'Conversions\u00a0per\u00a0view low', unit: '%' },
  rate_high: { title: 'Conversions\u00a0per\u00a0view high', unit: '%' },
  page_id: { title: 'Page ID' },
};

/** A comparison of pages: what to do, how sure that is, and what it would change. */
export function pagesReport({ query, decision, pages, calls, notices: texts }: ComparedPages): readonly Node[] {
  return [
    ...queryLine(query),
    element('h1', {}, decision.text),
    element('div', { class: 'charts' }, earningsChart(pages), sharesChart(pages)),
    pagesTable(pages),
    ...callsList(calls),
    ...notices(texts),
  ];
}

/** Where no page has any revenue, the tracker counts none, and pages are compared by conversions. */
function isMoney(pages: readonly ComparedPage[]): boolean {
  return pages.some((page) => page.revenue > 0);
}

function earningsChart(pages: readonly ComparedPage[]): Node {
  const ends = pages.flatMap(({ epv, epv_low, epv_high }) => [[epv], [epv_low], [epv_high]]);
  const [column] = describeColumns(['epv'], ends, isMoney(pages) ? { epv: '$' } : {});
  return rowChart({
    title: isMoney(pages) ? 'Earnings per view' : 'Conversions per view',
    legend: 'dot: estimate · line: 95% interval',
    rows: pages.map((page) => ({ label: nameOf(page), value: page.epv, interval: [page.epv_low, page.epv_high] })),
    format: (value) => column?.format(value) ?? String(value),
    marks: 'intervals',
  });
}

function sharesChart(pages: readonly ComparedPage[]): Node {
  // Shares are weights: what a page gets is its part of their sum.
  const sum = pages.reduce((total, { share }) => total + (share ?? Number.NaN), 0);
  return rowChart({
    title: 'Recommended share',
    ...(sum > 0 ? { legend: 'bar: recommended · mark: now' } : {}),
    rows: pages.map((page) => ({
      label: nameOf(page),
      value: page.recommended_share,
      reference: sum > 0 ? Math.round(((page.share ?? 0) / sum) * 100) : undefined,
    })),
    format: (value) => `${value}%`,
    marks: 'bars',
  });
}

function pagesTable(pages: readonly ComparedPage[]): Node {
  const shown = Object.entries(figures) as [keyof ComparedPage, Figure][];
  const titles = shown.map(([, { title }]) => title);
  const rows = pages.map((page) => shown.map(([name, { scale }]) => scaled(page[name], scale)));
  const hasUnit = ({ unit }: Figure) => unit !== undefined && (unit !== '$' || isMoney(pages));
  const units = shown.flatMap(([, figure]) => (hasUnit(figure) ? [[figure.title, figure.unit]] : []));
  return sortableTable({ name: 'Pages', columns: describeColumns(titles, rows, Object.fromEntries(units)), rows });
}

function scaled(value: Cell, scale = 1): Cell {
  // The product of two decimals carries digits that neither has.
  return typeof value === 'number' ? Number((value * scale).toPrecision(12)) : value;
}

/** The calls that a comparison proposes, to be read; the view makes none. */
function callsList(calls: ComparedPages['calls']): readonly Node[] {
  if (calls.length === 0) return [];
  const items = calls.map(({ tool, arguments: given }) =>
    element('li', {}, element('code', {}, `${tool} ${JSON.stringify(given)}`)),
  );
  return [element('h2', {}, 'Calls that would set the shares'), element('ol', { class: 'calls' }, ...items)];
}

function nameOf({ name, page_id }: ComparedPage): string {
  return name || `page ${page_id}`;
}
