import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import type { ListedCampaign } from '../campaigns.ts';
import type { Figures } from '../past-figures.ts';
import { amount, count, figureColumns, money, moneyDigits, ratio } from './figure-columns.ts';

/** One row of the overview before it is written. */
export interface Row {
  /** The tracker that it is of, where there are several. */
  readonly tracker?: string | undefined;
  /** What its money is in, where that is known. */
  readonly currency?: string | undefined;
  readonly campaign: Pick<ListedCampaign, 'id' | 'name' | 'source' | 'active'>;
  readonly now: Figures;
  readonly before: Figures | undefined;
}

export interface Column {
  readonly name: string;
  readonly cell: (row: Row) => string | null;
  readonly digits?: number;
  /** Whether it adds up over rows, where its name does not say so. */
  readonly isSum?: true;
}

export const campaignColumns: readonly Column[] = [
  { name: 'ID', cell: ({ campaign }) => rawText(campaign.id) },
  { name: 'Name', cell: ({ campaign }) => rawText(campaign.name) },
  { name: 'Traffic source', cell: ({ campaign }) => rawCell(campaign.source) },
  { name: 'Active', cell: ({ campaign }) => (campaign.active === undefined ? null : campaign.active ? 'yes' : 'no') },
];

export const sourceColumns: readonly Column[] = [
  { name: 'Traffic source', cell: ({ campaign }) => rawCell(campaign.source) },
];

/** What tells the rows of several trackers apart; amounts of two currencies must not be taken for each other. */
export const trackerColumns: readonly Column[] = [
  { name: 'Tracker', cell: ({ tracker }) => tracker ?? null },
  { name: 'Currency', cell: ({ currency }) => currency ?? null },
];

/** The columns that add up whatever the currency. */
export const countNames: readonly string[] = ['Views', 'Clicks', 'Conversions', 'Views before', 'Conversions before'];

function change({ now, before }: Row, measure: keyof Figures): number | undefined {
  const [last, first] = [now[measure], before?.[measure]];
  return last === undefined || first === undefined ? undefined : last - first;
}

/** Of what figures can tell, what decides about a campaign; the rest is in get_stats. */
export const overviewColumns: readonly Column[] = figureColumns
  .filter(({ name }) => name !== 'CTR' && name !== 'CR')
  .map((column) => ({ ...column, cell: ({ now }) => column.cell(now) }));

export const changeColumns: readonly Column[] = [
  { name: 'Views before', cell: ({ before }) => count(before?.views), isSum: true },
  { name: 'Conversions before', cell: ({ before }) => count(before?.conversions), isSum: true },
  { name: 'Cost before', cell: ({ before }) => money(before?.cost), digits: moneyDigits, isSum: true },
  { name: 'Revenue before', cell: ({ before }) => money(before?.revenue), digits: moneyDigits, isSum: true },
  { name: 'Revenue change %', cell: (row) => amount(ratio(change(row, 'revenue'), row.before?.revenue, 100)) },
  { name: 'Profit before', cell: ({ before }) => money(before?.profit), digits: moneyDigits, isSum: true },
  { name: 'Profit change', cell: (row) => money(change(row, 'profit')), digits: moneyDigits, isSum: true },
];
