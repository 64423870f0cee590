import { costsInWords } from '../tools/present/certainty.ts';
import { currencyOf } from '../tools/present/currency.ts';
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

/** What the table shows of a page, in the order of a decision: first what was measured, then what it makes likely. */
const figures: Readonly<Record<keyof ComparedPage, Figure>> = {
  name: { title: 'Page' },
  share: { title: 'Share now' },
  recommended_share: { title: 'Recommended share', unit: '%' },
  views: { title: 'Views' },
  conversions: { title: 'Conversions' },
  revenue: { title: 'Revenue', unit: '$' },
  epv: { title: 'EPV', unit: '$' },
  rate: { title: 'Conversions\u00a0per\u00a0view', unit: '%' },
  probability_best: { title: 'Estimated chance to\u00a0be\u00a0best, about', unit: '%', scale: 100 },
  epv_low: { title: 'Estimated EPV from', unit: '$' },
  epv_high: { title: 'Estimated EPV to', unit: '$' },
  rate_low: { title: 'Estimated conversions from', unit: '%' },
  rate_high: { title: 'Estimated conversions to', unit: '%' },
  page_id: { title: 'Page ID' },
};

/** A comparison of pages: what to do, how sure that is, and what it would change. */
export function pagesReport({ query, decision, pages, others, calls, notices: texts }: ComparedPages): readonly Node[] {
  const isEarly = decision.verdict === 'too early';
  return [
    ...queryLine(query),
    element('h1', {}, decision.text),
    element('p', {}, costsInWords(decision, currencyOf(query))),
    element('div', { class: 'charts' }, worthChart(pages, decision.basis), ...(isEarly ? [] : [sharesChart(pages)])),
    pagesTable(pages, isEarly),
    ...(others ? [element('p', {}, `${others.pages} other pages, all behind these: ${others.views} views.`)] : []),
    ...callsList(calls),
    ...notices(texts),
  ];
}

/** Where no page has any revenue, the tracker counts none. */
function isMoney(pages: readonly ComparedPage[]): boolean {
  return pages.some((page) => page.revenue !== 0);
}

/** What pages are compared by, as measured and as estimated. */
function worthChart(pages: readonly ComparedPage[], basis: ComparedPages['decision']['basis']): Node {
  const [measure, title, unit] =
    basis === 'money' ? (['epv', 'Earnings per view', '$'] as const) : (['rate', 'Conversions per view', '%'] as const);
  const ends = pages.flatMap((page) => [[page[measure]], [page[`${measure}_low`]], [page[`${measure}_high`]]]);
  const [column] = describeColumns([measure], ends, { [measure]: unit });
  return rowChart({
    title,
    legend: 'dot: measured · line: 95% interval of the estimate',
    rows: pages.map((page) => ({
      label: nameOf(page),
      value: page[measure],
      interval: [page[`${measure}_low`], page[`${measure}_high`]],
    })),
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

/** @param isEarly whether it is too early to recommend any share */
function pagesTable(pages: readonly ComparedPage[], isEarly: boolean): Node {
  const all = Object.entries(figures) as [keyof ComparedPage, Figure][];
  const shown = all.filter(([name]) => !(isEarly && name === 'recommended_share'));
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
