import { currencyOf } from '../analysis/columns/formats.ts';
import { costsInWords } from '../answer/in-views.ts';
import type { ComparisonResult, ShownPage } from '../tools/present/comparison.ts';
import type { ForView } from '../tools/present/for-views.ts';
import { describeColumns } from './columns.ts';
import { element, header, remarksAndDetails } from './parts.ts';
import { rowChart, shareChart, sharePercent } from './row-chart.ts';
import { sortableTable } from './sortable-table.ts';

/** The part of a result of compare_pages that the report shows. */
export type ComparedPages = Pick<ComparisonResult, 'query' | 'pages' | 'others' | 'calls' | 'notices'> & {
  readonly decision: Pick<
    ComparisonResult['decision'],
    'verdict' | 'basis' | 'name' | 'text' | 'waiting_cost_per_day' | 'risk_today_per_day'
  >;
};

/** The part of a result of set_shares that the report shows. Shares are weights; percentages are of a group's traffic. */
export type ChangedShares = {
  readonly campaign_id: number;
  readonly dry_run: boolean;
  readonly done: boolean;
  readonly change_id: string | null;
  readonly groups: readonly {
    readonly group: string;
    readonly pages: readonly {
      readonly page_id: string;
      readonly name: string | null;
      readonly share_before: number | null;
      readonly share_after: number | null;
      readonly percent_before: number | null;
      readonly percent_after: number | null;
    }[];
  }[];
  readonly notices: readonly string[];
};

interface Figure {
  readonly title: string;
  /** The measure that decides its format, if not its title. */
  readonly measure?: string;
  readonly isMoney?: true;
  readonly isPercentage?: true;
  readonly write?: (value: number) => string;
}

/** The columns of the table: first those that decide, then measurements, then estimates. */
const figures: Readonly<Record<keyof ShownPage | 'traffic', Figure>> = {
  name: { title: 'Page' },
  epv: { title: 'EPV', isMoney: true },
  probability_best: { title: 'Chance to be best', write: chancePercent },
  traffic: { title: 'Traffic now', write: sharePercent },
  recommended_share: { title: 'Traffic recommended', write: sharePercent },
  views: { title: 'Views' },
  conversions: { title: 'Conversions' },
  revenue: { title: 'Revenue', isMoney: true },
  rate: { title: 'CR', isPercentage: true },
  epv_low: { title: 'EPV, 95% from', measure: 'EPV', isMoney: true },
  epv_high: { title: 'EPV, 95% to', measure: 'EPV', isMoney: true },
  rate_low: { title: 'CR, 95% from', isPercentage: true },
  rate_high: { title: 'CR, 95% to', isPercentage: true },
  valued_at: { title: 'Payout assumed', measure: 'EPV', isMoney: true },
  booked_revenue: { title: 'Revenue as paid', measure: 'Revenue', isMoney: true },
  share: { title: 'Weight now' },
  page_id: { title: 'Page ID' },
};

/** A rounded chance: neither end is certain. */
function chancePercent(chance: number): string {
  if (chance < 0.01) return '<1%';
  return chance > 0.99 ? '>99%' : `${Math.round(chance * 100)}%`;
}

/** A page with its present share of the traffic in percent, if that is known. */
type PlacedPage = ShownPage & { readonly traffic: number | undefined };

/** Shows a comparison of pages: what to do, why, and what it would change. Without a headline, the decision is shown as it is. */
export function pagesReport(
  { query, decision, pages: compared, others, calls, notices }: ComparedPages,
  { campaign, headline, remarks }: ForView,
): readonly Node[] {
  const measure = decision.basis === 'money' ? 'epv' : 'rate';
  // Shares are weights: divide by their sum.
  const sum = compared.reduce((total, { share }) => total + (share ?? Number.NaN), 0);
  const pages = compared
    .map((page): PlacedPage => ({ ...page, traffic: sum > 0 ? ((page.share ?? 0) / sum) * 100 : undefined }))
    .toSorted((one, other) => other[measure] - one[measure]);
  const currency = currencyOf(query);
  const isEarly = decision.verdict === 'too early';
  const { verdict, reason } = headline ?? { verdict: decision.text, reason: '' };
  const kind = query['kind'] === 'offer' ? 'offers' : 'landing pages';
  return [
    header(verdict, query, `${kind} of ${campaign ?? `campaign ${query['campaign_id']}`}`),
    element(
      'div',
      { class: 'reason' },
      ...(reason === '' ? [] : [element('p', {}, reason.charAt(0).toUpperCase() + reason.slice(1))]),
      element('p', { class: 'costs' }, costsInWords(decision, currency)),
    ),
    element(
      'div',
      { class: 'charts' },
      ...(isEarly ? [] : [recommendation(pages)]),
      worthChart(pages, decision.basis, currency),
    ),
    pagesTable(pages, measure, isEarly, currency),
    ...(others
      ? [
          element(
            'p',
            { class: 'extent' },
            `${others['pages']} other pages, all behind these: ${others['views']} views.`,
          ),
        ]
      : []),
    ...remarksAndDetails({ query, notices, remarks, calls }),
  ];
}

/** The figure that pages are compared by, as measured and as estimated. */
function worthChart(
  pages: readonly ShownPage[],
  basis: ComparisonResult['decision']['basis'],
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
    axis: (value) => column?.axis(value) ?? String(value),
    marks: 'intervals',
  });
}

function recommendation(pages: readonly PlacedPage[]): Node {
  return shareChart(
    'Share of the traffic',
    'recommended',
    pages.map((page) => ({ label: nameOf(page), now: page.traffic, next: page.recommended_share })),
  );
}

/** @param isEarly whether it is too early to recommend any share */
function pagesTable(
  pages: readonly PlacedPage[],
  measure: 'epv' | 'rate',
  isEarly: boolean,
  currency: string | undefined,
): Node {
  const all = Object.entries(figures) as [keyof typeof figures, Figure][];
  const isThere = (name: keyof typeof figures) => pages.some((page) => page[name] !== undefined);
  const shown = all.filter(([name]) => isThere(name) && !(isEarly && name === 'recommended_share'));
  const titles = shown.map(([, { title }]) => title);
  const rows = pages.map((page) => shown.map(([name]) => page[name] ?? null));
  const units = shown.flatMap(([, { title, isMoney, isPercentage }]) =>
    isPercentage ? [[title, '%']] : isMoney && currency !== undefined ? [[title, currency]] : [],
  );
  const measures = Object.fromEntries(shown.map(([, { title, measure }]) => [title, measure ?? title]));
  const writers = Object.fromEntries(shown.flatMap(([, { title, write }]) => (write ? [[title, write]] : [])));
  const columns = describeColumns(titles, rows, { units: Object.fromEntries(units), measures, writers });
  const { frame, sortBy } = sortableTable({ name: 'Pages', columns, rows });
  // As the chart of earnings.
  sortBy(figures[measure].title, 'descending');
  return frame;
}

function nameOf({ name, page_id }: { readonly name: string | null; readonly page_id: string | null }): string {
  return name || `page ${page_id}`;
}

type ChangedPage = ChangedShares['groups'][number]['pages'][number];

/** Shows a rotation: each page's share of the traffic, before and after. */
export function sharesReport(changed: ChangedShares, { campaign, remarks }: ForView): readonly Node[] {
  const { campaign_id: id, change_id: change, dry_run: isRehearsal, done, groups, notices } = changed;
  const outcome = isRehearsal ? 'Not sent: this is a dry run' : done ? 'The shares are set' : 'The shares are not set';
  const facts = [campaign ?? `Campaign ${id}`, ...(change === null ? [] : [`change ${change}`])];
  return [
    header(outcome, {}, ...facts),
    ...groups.flatMap(({ group, pages }) => [
      element('h2', { class: 'group' }, group),
      ...changeChart(pages, isRehearsal),
      sharesTable(group, pages),
    ]),
    ...remarksAndDetails({ notices, remarks }),
  ];
}

/** The chart needs the tracker to list the shares. */
function changeChart(pages: readonly ChangedPage[], isRehearsal: boolean): readonly Node[] {
  const drawn = pages.flatMap((page) =>
    page.percent_after === null
      ? []
      : [{ label: nameOf(page), now: page.percent_before ?? undefined, next: page.percent_after }],
  );
  if (drawn.length === 0) return [];
  return [
    shareChart('Share of the traffic', isRehearsal ? 'it would get' : 'now', drawn, isRehearsal ? 'now' : 'before'),
  ];
}

const shareTitles = ['Page', 'Traffic before', 'Traffic after', 'Weight before', 'Weight after', 'Page ID'];

function sharesTable(name: string, pages: readonly ChangedPage[]): Node {
  const rows = pages.map((page) => [
    nameOf(page),
    page.percent_before,
    page.percent_after,
    page.share_before,
    page.share_after,
    page.page_id,
  ]);
  const writers = { 'Traffic before': sharePercent, 'Traffic after': sharePercent };
  return sortableTable({ name, columns: describeColumns(shareTitles, rows, { writers }), rows }).frame;
}
