import { indexOfColumn, shownColumns } from '../../analysis/columns/columns.ts';
import {
  dimensions,
  type GroupFigures,
  orderOfDimension,
  readVisits,
  type VisitReader,
} from '../../analysis/visit-groups.ts';
import { Failure } from '../../api/failure.ts';
import { joinWords } from '../../api/rules.ts';
import { Table } from '../../api/table.ts';
import { nearestName } from '../../api/text/names.ts';
import { fromOutside, quoted, rawCell } from '../../api/text/tracker-text.ts';
import { thingsOf } from '../../api/vocabulary.ts';
import { optional } from '../asking.ts';
import { show } from '../check-arguments.ts';
import type { CallContext } from '../define-tool.ts';
import type { Figures } from '../past-figures.ts';
import { shiftDays, today } from '../period.ts';
import { foldNumbered } from '../present/names.ts';
import { slotLabelled, type TokenLabels, tokenLabels } from '../tokens.ts';
import { emptyRatioNotice, figureColumns, readCampaignFigures } from './figures.ts';
import { readVisitsInSlices, type Span, type VisitsRead } from './read-visits.ts';

export interface Breakdown {
  readonly table: Table;
  readonly notices: readonly string[];
  /** What the token slots are called, if a dimension may be one of them. */
  readonly labels: TokenLabels;
}

export interface Row {
  readonly values: readonly (string | null)[];
  readonly figures: Figures;
}

export function tableOf(headings: readonly string[], rows: readonly Row[]): Table {
  const cells = rows.map(({ values, figures }) => [...values, ...figureColumns.map(({ cell }) => cell(figures))]);
  return Table.fromRows('breakdown', [...headings, ...figureColumns.map(({ name }) => name)], cells);
}

/** From the visitor list, counted. */
export async function byVisits(
  campaignId: number,
  asked: readonly string[],
  span: Span,
  context: CallContext,
): Promise<Breakdown> {
  const needsLabels = asked.some((name) => !dimensions.includes(name.trim().toLowerCase()));
  const labels: TokenLabels = needsLabels ? await tokenLabels(campaignId, context) : new Map();
  const by = asked.map((name) => slotLabelled(name, labels) ?? name);
  const id = String(campaignId);
  const days = { start_date: span.start, end_date: span.end };
  const report = (await optional(() => readCampaignFigures(id, days, context), context)) ?? {};
  const groups: Groups = new Map();
  const offerAt = by.findIndex((name) => name.trim().toLowerCase() === 'offer');
  const soldOffer = offerAt < 0 ? undefined : await readSoldOffers(campaignId, span, context);
  const lacking = new Set<string>();
  const read = await readVisitsInSlices(id, span, report.views, context, (table) => {
    if (table.rowCount === 0) return;
    const visits = readVisits(table, by);
    if ('missing' in visits) throw noColumn(visits.missing, table, labels);
    for (const figure of ['clicks', 'conversions', 'cost', 'revenue'] as const) {
      if (!visits.figures[figure]) lacking.add(figure);
    }
    addVisits(groups, table.rowCount, visits, soldOffer && { offerAt, offerOf: soldOffer(table) });
  });
  const rows = [...groups.values()].map(({ values, figures }) => ({ values, figures: figuresOf(figures, lacking) }));
  sortGroups(rows, asked);
  const counted = rows.reduce((sum, { figures }) => sum + (figures.views ?? 0), 0);
  return {
    table: tableOf(asked.map(headingOf), rows),
    labels,
    notices: [
      whatItRestsOn(counted, report.views, read),
      `A sale is booked on its visit, whenever it came${soldOffer ? ', under the offer that the conversion list names' : ''}.`,
      ...emptyRatioNotice(rows.map(({ figures }) => figures)),
      ...(lacking.size === 0
        ? []
        : [
            `The visitor list of this tracker says nothing of ${joinWords([...lacking], 'and')}, so that is left out; get_stats may have it.`,
          ]),
    ],
  };
}

function noColumn(name: string, table: Table, labels: TokenLabels): Failure {
  const columns = shownColumns(table);
  // A word that by takes is no help if this list has no column for it.
  const others = [...dimensions, ...labels.values(), ...columns].filter(
    (other) => other.toLowerCase() !== name.toLowerCase(),
  );
  const near = nearestName(name, others);
  const tokens = [...labels].map(([slot, label]) => `${quoted(fromOutside(label))} (${slot})`);
  return new Failure(
    `The visitor list of this tracker has no ${show(name)}${near === undefined ? '.' : `; did you mean ${show(near)}?`}`,
    `Its columns are: ${foldNumbered(columns, JSON.stringify).join(', ')}.${tokens.length > 0 ? ` Tokens: ${tokens.join(', ')}.` : ''}`,
  );
}

type Groups = Map<string, { readonly values: readonly (string | null)[]; readonly figures: GroupFigures }>;

interface Sales {
  readonly offerAt: number;
  readonly offerOf: (row: number) => string | undefined;
}

function addVisits(groups: Groups, rowCount: number, { values, figures }: VisitReader, sales: Sales | undefined): void {
  const groupOf = (own: readonly (string | null)[]): GroupFigures => {
    const key = JSON.stringify(own);
    const group = groups.get(key) ?? {
      values: own,
      figures: { views: 0, clicks: 0, conversions: 0, cost: 0, revenue: 0 },
    };
    groups.set(key, group);
    return group.figures;
  };
  for (let row = 0; row < rowCount; row += 1) {
    const own = values(row);
    const seen = groupOf(own);
    seen.views += 1;
    seen.clicks += figures.clicks?.(row) ?? 0;
    seen.cost += figures.cost?.(row) ?? 0;
    const conversions = figures.conversions?.(row) ?? 0;
    const revenue = figures.revenue?.(row) ?? 0;
    if (conversions === 0 && revenue === 0) continue;
    const offer = sales?.offerOf(row);
    const sold = sales && offer !== undefined ? groupOf(own.with(sales.offerAt, offer)) : seen;
    sold.conversions += conversions;
    sold.revenue += revenue;
  }
}

/**
 * Finds the offers of sales in the conversion list; undefined if it does not say them. The visitor list has the offer seen last,
 * which a later click changes.
 */
async function readSoldOffers(
  campaignId: number,
  { start, end }: Span,
  context: CallContext,
): Promise<((visitors: Table) => Sales['offerOf']) | undefined> {
  const latest = shiftDays(today(context.timeZone, context.now()), 1);
  const days = { start_date: start, end_date: latest > end ? latest : end };
  const question = { campaign_id: campaignId, ...days };
  const lists = await optional(
    async () => (await context.client.read('list_conversions', question, { signal: context.signal })).reply.tables,
    context,
  );
  const offers = new Map<string, string>();
  for (const table of lists ?? []) {
    const [visitor, offer] = [
      indexOfColumn(table, conversionNames.visitor),
      indexOfColumn(table, conversionNames.converted),
    ];
    if (visitor === undefined || offer === undefined) continue;
    for (let row = 0; row < table.rowCount; row += 1) {
      const [id, name] = [rawCell(table.text(row, visitor)), rawCell(table.text(row, offer))];
      if (id !== null && name !== null && !offers.has(id)) offers.set(id, name);
    }
  }
  if (offers.size === 0) return undefined;
  return (visitors) => {
    const visitor = indexOfColumn(visitors, conversionNames.visitor);
    return (row) => (visitor === undefined ? undefined : offers.get(rawCell(visitors.text(row, visitor)) ?? ''));
  };
}

const conversionNames = thingsOf('conversion');

/** What the list does not carry is absent, and not 0. */
function figuresOf(figures: GroupFigures, lacking: ReadonlySet<string>): Figures {
  const known = Object.fromEntries(Object.entries(figures).filter(([name]) => !lacking.has(name))) as Figures;
  const { cost, revenue } = known;
  return cost === undefined || revenue === undefined ? known : { ...known, profit: revenue - cost };
}

/** Times in their own order; everything else by what it cost, or by its views if nothing did. */
function sortGroups(rows: Row[], by: readonly string[]): void {
  const orders = by.map((name) => orderOfDimension(name.trim().toLowerCase()));
  const hasCost = rows.some(({ figures }) => (figures.cost ?? 0) > 0);
  const weight = ({ figures }: Row) => (hasCost ? figures.cost : figures.views) ?? 0;
  rows.sort((one, other) => {
    for (const [index, order] of orders.entries()) {
      const difference = order?.(one.values[index] ?? '', other.values[index] ?? '') ?? 0;
      if (difference !== 0) return difference;
    }
    return weight(other) - weight(one);
  });
}

/** `landing_page` as a heading: "Landing page". */
function headingOf(name: string): string {
  const words = name.trim().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function whatItRestsOn(
  counted: number,
  views: number | undefined,
  { requests, cutDays, unreadDays, stoppedBy }: VisitsRead,
): string {
  const asked = requests === 1 ? 'one answer' : `${requests} answers`;
  const base = `Counted from ${counted} visits of the visitor list, in ${asked}`;
  const gaps = [
    ...(cutDays.length > 0
      ? [`the list is cut off by its own maximum on ${listed(cutDays)}, so that only a part of the visits is in it`]
      : []),
    ...(unreadDays.length > 0
      ? [
          `${stoppedBy === 'time' ? 'there was no time' : `${requests} requests are the most for one call, and none was left`} to read ${listed(unreadDays)}: ask for fewer days at a time`,
        ]
      : []),
  ];
  if (views === undefined) return `${base}; the campaign report, which would say whether that is all, gave no views.`;
  if (counted === views) return `${base}: all ${views} views of the campaign report.`;
  const part = views === 0 ? '' : ` (${Math.round((counted / views) * 1000) / 10}%)`;
  const reason = gaps.length === 0 ? '' : ` Why: ${gaps.join('; ')}.`;
  if (counted > views)
    return `${base}; the campaign report counts ${views} views, ${counted - views} fewer: the two count visits differently.${reason}`;
  const use =
    cutDays.length === 0 && unreadDays.length > 0
      ? 'The days that were read are whole: sums and ratios hold for those.'
      : 'It shows what occurs and how often. Sums and ratios of money are not those of the period: what is left out is of other hours, and the latest visits have not had all their sales yet; get_stats has them.';
  return `A sample: ${base.charAt(0).toLowerCase()}${base.slice(1)}, where the campaign report counts ${views} views${part}. ${use}${reason}`;
}

const maxListed = 5;

function listed(days: readonly string[]): string {
  const more = days.length > maxListed ? ` and ${days.length - maxListed} more days` : '';
  return `${days.slice(0, maxListed).join(', ')}${more}`;
}
