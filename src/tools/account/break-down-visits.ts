import { indexOfColumn, shownColumns } from '../../analysis/columns/columns.ts';
import {
  dimensionNamed,
  dimensions,
  type Reader,
  type Reading,
  readerOf,
  VisitGroups,
} from '../../analysis/visit-groups.ts';
import { Failure } from '../../api/failure.ts';
import { joinWords } from '../../api/rules.ts';
import { Table } from '../../api/table.ts';
import { nearestName } from '../../api/text/names.ts';
import { fromOutside, quoted, rawCell } from '../../api/text/tracker-text.ts';
import { namesOf, thingsOf } from '../../api/vocabulary.ts';
import { optional } from '../asking.ts';
import { show } from '../check-arguments.ts';
import type { CallContext } from '../define-tool.ts';
import type { Figures } from '../past-figures.ts';
import { shiftDays, today } from '../period.ts';
import { foldNumbered } from '../present/cells.ts';
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

/** One column that visits are grouped by. */
export interface Cut {
  /** As it was asked for. */
  readonly by: string;
  readonly heading: string;
  readonly readerOf: Reader;
}

/** The cut that a name means, if it means the same in every campaign. */
export function cutBy(by: string, sales: Sales | undefined, column = by): Cut {
  const read = readerOf(column);
  const isNetwork = dimensionNamed(by) === 'network';
  return { by, heading: headingOf(by), readerOf: isNetwork ? (table) => read(table) ?? sales?.networkOf(table) : read };
}

/** From the visitor list of a campaign, counted. */
export async function byVisits(
  campaignId: number,
  asked: readonly string[],
  span: Span,
  context: CallContext,
): Promise<Breakdown> {
  const labels: TokenLabels = needsLabels(asked) ? await tokenLabels(campaignId, context) : new Map();
  const id = String(campaignId);
  const days = { start_date: span.start, end_date: span.end };
  const report = (await optional(() => readCampaignFigures(id, days, context), context)) ?? {};
  const sales = needsSales(asked) ? await readSales(campaignId, span, context) : undefined;
  const cuts = asked.map((by) => cutBy(by, sales, dimensionNamed(by) ?? slotLabelled(by, labels) ?? by));
  const groups = new VisitGroups();
  const read = await readVisitsInSlices(id, span, report.views, context, (table) =>
    addVisits(groups, table, cuts, sales, [...labels]),
  );
  return present(groups, cuts, labels, [
    whatItRestsOn(groups.counted, report.views, read),
    ...salesNotices(sales),
    ...sameNameNotices(asked, [labels]),
  ]);
}

/** Whether something that visits are to be cut by may be a token's name, as a network also is. */
export function needsLabels(asked: readonly string[]): boolean {
  return asked.some((name) => [undefined, 'network'].includes(dimensionNamed(name)));
}

/** The network of an offer goes before a token of that name. */
export function sameNameNotices(asked: readonly string[], labels: readonly TokenLabels[]): string[] {
  return asked.flatMap((name) => {
    const isNetwork = dimensionNamed(name) === 'network';
    const slots = new Set(labels.flatMap((own) => (isNetwork ? (slotLabelled(name, own) ?? []) : [])));
    return slots.size === 0
      ? []
      : [`A token is called ${name.trim()} too: cut by ${joinWords([...slots], 'or')} for that.`];
  });
}

/** @throws Failure if the list does not carry what it is to be cut by */
export function addVisits(
  groups: VisitGroups,
  table: Table,
  cuts: readonly Cut[],
  sales: Sales | undefined,
  labels: readonly (readonly [slot: string, label: string])[],
): void {
  if (table.rowCount === 0) return;
  const readings = cuts.map((cut) => {
    const reading = cut.readerOf(table);
    if (!reading) throw noColumn(cut.by, table, labels);
    return reading;
  });
  groups.add(table, readings, sales?.soldBy(table, cuts));
}

export function present(
  groups: VisitGroups,
  cuts: readonly Cut[],
  labels: TokenLabels,
  notices: readonly string[],
): Breakdown {
  const rows = groups.rows(cuts.map(({ by }) => by));
  const { lacking } = groups;
  return {
    table: tableOf(
      cuts.map(({ heading }) => heading),
      rows,
    ),
    labels,
    notices: [
      ...notices,
      ...emptyRatioNotice(rows.map(({ figures }) => figures)),
      ...(lacking.length === 0
        ? []
        : [
            `The visitor list of this tracker says nothing of ${joinWords([...lacking], 'and')}, so that is left out; get_stats may have it.`,
          ]),
    ],
  };
}

/** An account can have hundreds of tokens, of which these show what they are like. */
const maxTokens = 30;

function noColumn(name: string, table: Table, labels: Parameters<typeof addVisits>[4]): Failure {
  const columns = shownColumns(table);
  // A word that by takes is no help if this list has no column for it.
  const others = [...dimensions, ...labels.map(([, label]) => label), ...columns].filter(
    (other) => other.toLowerCase() !== name.toLowerCase(),
  );
  const near = nearestName(name, others);
  const tokens = labels.slice(0, maxTokens).map(([slot, label]) => `${quoted(fromOutside(label))} (${slot})`);
  const isNetwork = dimensionNamed(name) === 'network';
  return new Failure(
    `The visitor list of this tracker has no ${show(name)}${isNetwork ? ', and its conversion list names none' : ''}${near === undefined ? '.' : `; did you mean ${show(near)}?`}`,
    `Its columns are: ${foldNumbered(columns, JSON.stringify).join(', ')}.${tokens.length > 0 ? ` Tokens: ${tokens.join(', ')}.` : ''}`,
  );
}

/** What the conversion list says of the sales of some days. */
export interface Sales {
  readonly tables: readonly Table[];
  /** Whether it names the offers of sales. */
  readonly hasOffers: boolean;
  /**
   * Where the sales of a list of visitors count: on the offer and network of the sale. The visitor list has those seen last, which
   * a later click changes.
   */
  readonly soldBy: (visitors: Table, cuts: readonly Cut[]) => Parameters<VisitGroups['add']>[2];
  /** The network of a visit's offer, if only the conversion list says it; undefined if it does not. */
  readonly networkOf: (visitors: Table) => Reading | undefined;
}

/** The dimensions that a sale has of its own. */
const ofSales = ['offer', 'network'] as const;

export function needsSales(asked: readonly string[]): boolean {
  return asked.some((name) => ofSales.some((one) => one === dimensionNamed(name)));
}

const visitorNames = namesOf('conversion', 'visitor');
const saleNames = { offer: namesOf('conversion', 'converted'), network: thingsOf('dimension').network };

/** The sales of visits in a span, which may come later; undefined if the conversion list cannot be read. */
export async function readSales(
  campaignId: number,
  { start, end }: Span,
  context: CallContext,
): Promise<Sales | undefined> {
  const latest = shiftDays(today(context.timeZone, context.now()), 1);
  const question = { campaign_id: campaignId, start_date: start, end_date: latest > end ? latest : end };
  const tables = await optional(
    async () => (await context.client.read('list_conversions', question, { signal: context.signal })).reply.tables,
    context,
  );
  if (!tables) return undefined;
  const sales = new Map<string, Record<(typeof ofSales)[number], string | null>>();
  const networks = new Map<string, string | null>();
  for (const table of tables) {
    const readerOfNames = (names: readonly string[]) => {
      const column = indexOfColumn(table, names) ?? -1;
      return (row: number) => rawCell(table.text(row, column));
    };
    const visitorOf = readerOfNames(visitorNames);
    const [offerOf, networkOf] = ofSales.map((field) => readerOfNames(saleNames[field]));
    for (let row = 0; row < table.rowCount; row += 1) {
      const visitor = visitorOf(row);
      const sale = { offer: offerOf?.(row) ?? null, network: networkOf?.(row) ?? null };
      if (visitor !== null && !sales.has(visitor)) sales.set(visitor, sale);
      // An offer of one name in two networks says nothing of its network.
      const known = networks.get(sale.offer ?? '');
      if (sale.offer !== null && sale.network !== null)
        networks.set(sale.offer, known === undefined || known === sale.network ? sale.network : null);
    }
  }
  return {
    tables,
    hasOffers: [...sales.values()].some(({ offer }) => offer !== null),
    soldBy: (visitors, cuts) => {
      const visitor = indexOfColumn(visitors, visitorNames) ?? -1;
      const fields = cuts.map(({ by }) => ofSales.find((one) => one === dimensionNamed(by)));
      return (row, values) => {
        const sale = sales.get(rawCell(visitors.text(row, visitor)) ?? '');
        return values.map((value, index) => (fields[index] && sale?.[fields[index]]) ?? value);
      };
    },
    networkOf: (visitors) => {
      const offerOf = readerOf('offer')(visitors);
      return offerOf && networks.size > 0 ? (row) => networks.get(offerOf(row) ?? '') ?? null : undefined;
    },
  };
}

/** On which row a sale counts. */
export function salesNotices(sales: Sales | undefined): string[] {
  return [
    `A sale is booked on its visit, whenever it came${sales?.hasOffers ? ', under the offer that the conversion list names' : ''}.`,
  ];
}

/** `landing_page` as a heading: "Landing page". */
export function headingOf(name: string): string {
  const words = name.trim().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function whatItRestsOn(counted: number, views: number | undefined, read: VisitsRead): string {
  const base = `Counted from ${counted} visits of the visitor list, in ${answers(read.requests)}`;
  if (views === undefined && read.cutDays.length + read.unreadDays.length === 0)
    return `${base}; the campaign report, which would say whether that is all, gave no views.`;
  if (counted === views) return `${base}: all ${views} views of the campaign report.`;
  const reason = gapsOf(read);
  if (views !== undefined && counted > views)
    return `${base}; the campaign report counts ${views} views, ${counted - views} fewer: the two count visits differently.${reason}`;
  const part = views ? ` (${Math.round((counted / views) * 1000) / 10}%)` : '';
  const report = views === undefined ? '' : `, where the campaign report counts ${views} views${part}`;
  return `A sample: ${base.charAt(0).toLowerCase()}${base.slice(1)}${report}. ${useOf(read)}${reason}`;
}

export const answers = (requests: number): string => (requests === 1 ? 'one answer' : `${requests} answers`);

/** What a list that is not whole is good for. */
export function useOf({ cutDays, unreadDays }: VisitsRead): string {
  return cutDays.length === 0 && unreadDays.length > 0
    ? 'The days that were read are whole: sums and ratios hold for those.'
    : 'It shows what occurs and how often. Sums and ratios of money are not those of the period: what is left out is of other hours, and the latest visits have not had all their sales yet; get_stats has them.';
}

/** Why a list is not whole, as a sentence of its own; empty if it is. */
export function gapsOf(read: VisitsRead): string {
  const reasons = reasonsOf(read);
  return reasons === '' ? '' : ` Why: ${reasons}.`;
}

/** Why a list is not whole, to be read behind other words; empty if it is. */
export function reasonsOf({ requests, cutDays, unreadDays, stoppedBy }: VisitsRead): string {
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
  return gaps.join('; ');
}

const maxListed = 5;

function listed(days: readonly string[]): string {
  const more = days.length > maxListed ? ` and ${days.length - maxListed} more days` : '';
  return `${days.slice(0, maxListed).join(', ')}${more}`;
}
