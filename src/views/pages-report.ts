import { currencyOf } from '../analysis/columns/formats.ts';
import { costsInWords } from '../tools/present/decision.ts';
import { describeColumns } from './columns.ts';
import { element, header, remarksAndDetails } from './parts.ts';
import type { Cell, ComparedPage, ComparedPages } from './result.ts';
import { rowChart, shareChart } from './row-chart.ts';
import { sortableTable } from './sortable-table.ts';

interface Figure {
  readonly title: string;
  /** What it is written as; its title without one. */
  readonly measure?: string;
  readonly isMoney?: true;
  readonly isPercentage?: true;
  /** What a value is multiplied by to be in its unit. */
  readonly scale?: number;
}

/** What the table shows of a page: first what decides, then what was measured, then estimates. */
const figures: Readonly<Record<keyof ComparedPage, Figure>> = {
  name: { title: 'Page' },
  epv: { title: 'EPV', isMoney: true },
  probability_best: { title: 'Chance to be best', isPercentage: true, scale: 100 },
  share: { title: 'Share now' },
  recommended_share: { title: 'Recommended share', isPercentage: true },
  views: { title: 'Views' },
  conversions: { title: 'Conversions' },
  revenue: { title: 'Revenue', isMoney: true },
  rate: { title: 'CR', isPercentage: true },
  epv_low: { title: 'EPV, 95% from', measure: 'EPV', isMoney: true },
  epv_high: { title: 'EPV, 95% to', measure: 'EPV', isMoney: true },
  rate_low: { title: 'CR, 95% from', isPercentage: true },
  rate_high: { title: 'CR, 95% to', isPercentage: true },
  page_id: { title: 'Page ID' },
};

/**
 * A comparison of pages: what to do, the reason, and what it would change.
 *
 * @param campaign the name of the campaign, if it is known
 */
export function pagesReport(
  { query, decision, pages: compared, others, calls, notices }: ComparedPages,
  campaign: string | undefined,
): readonly Node[] {
  const measure = decision.basis === 'money' ? 'epv' : 'rate';
  const pages = compared.toSorted((one, other) => other[measure] - one[measure]);
  const currency = currencyOf(query);
  const isEarly = decision.verdict === 'too early';
  const { verdict, reason } = splitDecision(decision);
  const kind = query['kind'] === 'offer' ? 'offers' : 'landing pages';
  return [
    header(verdict, query, `${kind} of ${campaign ?? `campaign ${query['campaign_id']}`}`),
    element(
      'div',
      { class: 'reason' },
      ...(reason === '' ? [] : [element('p', {}, reason)]),
      element('p', { class: 'costs' }, costsInWords(decision, currency)),
    ),
    element(
      'div',
      { class: 'charts' },
      ...(isEarly ? [] : [recommendation(pages)]),
      worthChart(pages, decision.basis, currency),
    ),
    pagesTable(pages, isEarly, currency),
    ...(others
      ? [element('p', { class: 'extent' }, `${others.pages} other pages, all behind these: ${others.views} views.`)]
      : []),
    ...remarksAndDetails({ query, notices, calls }),
  ];
}

/** The decision in one line, and what speaks for it. */
function splitDecision({ name, text }: ComparedPages['decision']): { verdict: string; reason: string } {
  const quoted = JSON.stringify(name);
  const start = text.indexOf(quoted);
  // Too early for a verdict, the reason begins with the name.
  const end = text.indexOf(': ', text.startsWith('No decision yet: ') || start < 0 ? 0 : start + quoted.length);
  if (end < 0) return { verdict: text, reason: '' };
  const reason = text.slice(end + 2);
  return {
    verdict: text.slice(0, end).replace(quoted, () => name),
    reason: reason.charAt(0).toUpperCase() + reason.slice(1),
  };
}

/** What pages are compared by, as measured and as estimated. */
function worthChart(
  pages: readonly ComparedPage[],
  basis: ComparedPages['decision']['basis'],
  currency: string | undefined,
): Node {
  const isMoney = basis === 'money';
  const measure = isMoney ? 'epv' : 'rate';
  const unit = isMoney ? currency : '%';
  const ends = pages.flatMap((page) => [[page[measure]], [page[`${measure}_low`]], [page[`${measure}_high`]]]);
  const [column] = describeColumns([measure], ends, { units: unit === undefined ? {} : { [measure]: unit } });
  return rowChart({
    title: isMoney ? 'Earnings per view' : 'Conversions per view',
    legend: [
      { mark: 'dot', text: 'measured' },
      { mark: 'interval', text: '95% interval of the estimate' },
    ],
    rows: pages.map((page) => ({
      label: nameOf(page),
      value: page[measure],
      interval: [page[`${measure}_low`], page[`${measure}_high`]],
    })),
    format: (value) => column?.format(value) ?? String(value),
    marks: 'intervals',
  });
}

function recommendation(pages: readonly ComparedPage[]): Node {
  // Shares are weights: what a page gets is its part of their sum.
  const sum = pages.reduce((total, { share }) => total + (share ?? Number.NaN), 0);
  return shareChart(
    'Share of the traffic',
    'recommended',
    pages.map((page) => ({
      label: nameOf(page),
      now: sum > 0 ? ((page.share ?? 0) / sum) * 100 : undefined,
      next: page.recommended_share,
    })),
  );
}

/** @param isEarly whether it is too early to recommend any share */
function pagesTable(pages: readonly ComparedPage[], isEarly: boolean, currency: string | undefined): Node {
  const all = Object.entries(figures) as [keyof ComparedPage, Figure][];
  const shown = all.filter(([name]) => !(isEarly && name === 'recommended_share'));
  const titles = shown.map(([, { title }]) => title);
  const rows = pages.map((page) => shown.map(([name, { scale }]) => scaled(page[name], scale)));
  const units = shown.flatMap(([, { title, isMoney, isPercentage }]) =>
    isPercentage ? [[title, '%']] : isMoney && currency !== undefined ? [[title, currency]] : [],
  );
  const measures = Object.fromEntries(shown.map(([, { title, measure }]) => [title, measure ?? title]));
  const columns = describeColumns(titles, rows, { units: Object.fromEntries(units), measures });
  return sortableTable({ name: 'Pages', columns, rows });
}

function scaled(value: Cell, scale = 1): Cell {
  // The product of two decimals carries digits that neither has.
  return typeof value === 'number' ? Number((value * scale).toPrecision(12)) : value;
}

function nameOf({ name, page_id }: ComparedPage): string {
  return name || `page ${page_id}`;
}
