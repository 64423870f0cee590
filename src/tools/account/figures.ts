import { isEmptyColumn, type NumberColumn, nameOf, readNumbers } from '../../analysis/columns/columns.ts';
import { type Measure, measureInOtherUnit, measureOf } from '../../analysis/columns/measures.ts';
import { hasAssumedPoint } from '../../analysis/columns/notation.ts';
import { findTotal } from '../../analysis/columns/totals.ts';
import { numbersForFigures, requireMeasures, UnreadFailure, unitOfMoney } from '../../analysis/columns/unread.ts';
import { ownRows } from '../../analysis/own-rows.ts';
import { finderOf, type MeasuredPage, type PlacedPage, readMeasuredPages } from '../../analysis/page-rows.ts';
import type { Note } from '../../answer/notes.ts';
import type { Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import type { Outcome } from '../asking.ts';
import { listCampaignsIfOffered } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { type CampaignReport, type Figures, summedMeasures } from '../past-figures.ts';
import { type Days, isOver, today } from '../period.ts';

interface ReportOptions {
  /** For days that are not over: whether to use the report of an earlier call that ran out of time. */
  readonly resumes?: boolean;
  readonly kinds?: readonly PlacedPage['kind'][];
  /** Whether the same answer is read again, because others have shown how the tracker writes numbers. */
  readonly isReread?: boolean;
}

/** Whether a report may be read differently once other answers show how the tracker writes numbers. */
export function isUnsettled(outcome: Outcome<Pick<CampaignReport, 'isAssumed'>> | undefined): boolean {
  if (outcome?.kind === 'failure')
    return outcome.failure instanceof UnreadFailure && outcome.failure.unread.why === 'open';
  return outcome?.kind === 'answer' && outcome.value.isAssumed === true;
}

/** Whether earlier answers showed how the tracker writes numbers. */
export function knowsMore({ client: { numbers } }: CallContext): boolean {
  return numbers.learned !== undefined || numbers.hasSeenComma;
}

/**
 * The figures of one campaign, and its pages of some kinds, in one request.
 * @throws UnreadFailure if a figure is there and cannot be read
 * @throws TrackerFailure if the tracker cannot be asked or refuses
 */
export async function readCampaignReport(
  campaignId: string,
  days: Days,
  context: CallContext,
  { resumes = false, kinds = [], isReread = false }: ReportOptions = {},
): Promise<CampaignReport> {
  const { client, pastFigures, signal } = context;
  const { start_date, end_date, timezone } = days;
  const { question, span } = keysOf(campaignId, days, kinds, context);
  const isKept = span !== undefined || resumes;
  const kept = isKept ? await pastFigures?.find(question, span) : undefined;
  if (kept) return noteUses(kept, context);
  const reports = ['campaign' as const, ...kinds];
  const asked = { campaign_id: Number(campaignId), reports, start_date, end_date, timezone };
  const { tables, part } = (await client.read('get_stats', asked, { signal, reuse: isReread })).reply;
  const reportOf = finderOf(tables, reports);
  const pages = kinds.flatMap((kind) => {
    const table = reportOf(kind);
    if (table) requireMeasures(table);
    return table ? readMeasuredPages(table, kind) : [];
  });
  const campaign = reportOf('campaign') ?? (kinds.length === 0 ? tables[0] : undefined);
  if (campaign) requireMeasures(campaign);
  const readName = async () => {
    const listed = await listCampaignsIfOffered(context);
    return rawCell(listed?.find(({ id }) => rawText(id) === campaignId)?.name ?? null) ?? undefined;
  };
  const { figures, unit } = figuresOf(campaign && (await ownRows(campaign, campaignId, readName)));
  const isAssumed = tables.some(hasAssumedPoint);
  const uses = tables.find(({ origin }) => origin?.uses.comma || origin?.uses.learned)?.origin?.uses;
  const report = { figures, pages, unit, uses, isAssumed };
  if (isKept && !isAssumed && !part) pastFigures?.keep(question, report, span);
  return report;
}

/** The figures of a campaign on days that are over, if an earlier call has read them. */
export async function keptCampaignReport(
  campaignId: string,
  days: Days,
  context: CallContext,
): Promise<CampaignReport | undefined> {
  const { question, span } = keysOf(campaignId, days, [], context);
  const kept = span && (await context.pastFigures?.find(question, span));
  return kept && noteUses(kept, context);
}

/** Figures that were kept, and how the answers behind them were written. */
function noteUses(kept: CampaignReport, { client }: CallContext): CampaignReport {
  if (kept.uses) client.uses.add(kept.uses);
  return kept;
}

/** The keys of a report in the cache: the question, and its days if these are over. */
function keysOf(campaignId: string, days: Days, kinds: readonly PlacedPage['kind'][], context: CallContext) {
  const { start_date, end_date, timezone } = days;
  // Pages always have their current share and status, so a report with pages is never only of the past.
  const isPast = kinds.length === 0 && end_date !== undefined && isOver(end_date, days, context);
  const asOf = today(timezone ?? context.timeZone, context.now());
  return {
    question: [campaignId, start_date, end_date, timezone, ...kinds].join(' '),
    span: isPast ? { campaignId, start: start_date ?? end_date, end: end_date, timezone, asOf } : undefined,
  };
}

export function figuresOfPage({ measures }: MeasuredPage): Figures {
  return withProfit(
    Object.fromEntries(
      summedMeasures.flatMap((name) => (measures[name] === undefined ? [] : [[name, measures[name]]])),
    ),
  );
}

export const noFigures: Readonly<Figures> = Object.fromEntries(summedMeasures.map((measure) => [measure, 0]));

/**
 * The figures of a campaign report: its only row, its total, or the sum of its rows. Without rows there were no visits.
 * @throws UnreadFailure if a figure is there and cannot be read, or its money is in several currencies
 */
export function figuresOf(table: Table | undefined): Pick<CampaignReport, 'figures' | 'unit'> {
  if (!table || table.rowCount === 0) return { figures: { ...noFigures } };
  const figures: Figures = {};
  const money = new Map<number, NumberColumn>();
  const total = findTotal(table)?.index;
  for (const measure of summedMeasures) {
    const columns = [...table.columns.keys()].filter((index) => measureOf(nameOf(table, index)) === measure);
    if (columns.length === 0) refuseOtherUnit(table, measure);
    // A list may have two columns of such a name, one of them with texts or dates.
    const index = columns.find((column) => {
      const numbers = readNumbers(table, column);
      return numbers !== undefined && numbers.unit !== '%';
    });
    const read = index === undefined ? undefined : readNumbers(table, index);
    const isNeeded = measure !== 'profit' || figures.cost === undefined || figures.revenue === undefined;
    const values =
      read?.values ?? (isNeeded ? columns.flatMap((column) => numbersForFigures(table, column) ?? [])[0] : undefined);
    if (index !== undefined && read) money.set(index, read);
    const added =
      total === undefined ? values?.filter((value) => !Number.isNaN(value)) : values?.slice(total, total + 1);
    if (added && added.length > 0) figures[measure] = added.reduce((sum, value) => sum + value, 0);
  }
  return { figures: withProfit(figures), unit: unitOfMoney(table, money) };
}

/** @throws UnreadFailure if the only column of a measure has it in another unit: it must not be told as empty */
function refuseOtherUnit(table: Table, measure: Measure): void {
  const isOther = (index: number) =>
    measureInOtherUnit(nameOf(table, index)) === measure && !isEmptyColumn(table, index);
  const column = [...table.columns.keys()].find(isOther);
  if (column !== undefined) throw new UnreadFailure(table, column, { why: 'other unit', cells: [] });
}

function withProfit(figures: Figures): Figures {
  const { cost, revenue, profit } = figures;
  return profit === undefined && cost !== undefined && revenue !== undefined
    ? { ...figures, profit: revenue - cost }
    : figures;
}

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => string | null;
  /** Decimals that are shown, if the cell has more. */
  readonly digits?: number;
}

/** The decimals that columns show, by name. */
export function shownDigits(columns: readonly Pick<Column<never>, 'name' | 'digits'>[]): ReadonlyMap<string, number> {
  return new Map(columns.flatMap(({ name, digits }) => (digits === undefined ? [] : [[name, digits] as const])));
}

export const count = (value: number | undefined): string | null => (value === undefined ? null : String(value));

/** An amount of money with all its digits: rounded rows would not add up to the sum of the report. */
const money = (value: number | undefined): string | null => amount(value, 6);

const moneyDigits = 2;

/** Empty if every ratio has a value. */
export function emptyRatioNote(all: readonly Figures[]): Note[] {
  const isZero = ({ views, clicks, conversions, cost }: Figures) => [views, clicks, conversions, cost].includes(0);
  return all.some(isZero) ? [{ code: 'empty-ratios' }] : [];
}

/** An amount or a ratio with a fixed number of decimals. */
const amount = (value: number | undefined, digits = 2): string | null =>
  value === undefined ? null : value.toFixed(digits);

/** Undefined if divided by 0, because 0 would look like a result. */
function ratio(part: number | undefined, whole: number | undefined, factor = 1): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : (part / whole) * factor;
}

/** The ratios by their formulas: "Vocabulary and formulas" of the facts about trackers. CTR, CR and ROI are in percent. */
export const figureColumns: readonly Column<Figures>[] = [
  { name: 'Views', cell: ({ views }) => count(views) },
  { name: 'Clicks', cell: ({ clicks }) => count(clicks) },
  { name: 'Conversions', cell: ({ conversions }) => count(conversions) },
  { name: 'Cost', cell: ({ cost }) => money(cost), digits: moneyDigits },
  { name: 'Revenue', cell: ({ revenue }) => money(revenue), digits: moneyDigits },
  { name: 'Profit', cell: ({ profit }) => money(profit), digits: moneyDigits },
  { name: 'CTR', cell: ({ clicks, views }) => amount(ratio(clicks, views, 100)) },
  { name: 'CR', cell: ({ conversions, clicks }) => amount(ratio(conversions, clicks, 100)) },
  { name: 'EPV', cell: ({ revenue, views }) => amount(ratio(revenue, views), 4) },
  { name: 'ROI', cell: ({ profit, cost }) => amount(ratio(profit, cost, 100)) },
  { name: 'CPA', cell: ({ cost, conversions }) => amount(ratio(cost, conversions)) },
];

/** Revenue that is not surely paid. */
export const heldColumns: readonly Column<Figures>[] = [
  { name: 'Pending', cell: ({ pending }) => money(pending), digits: moneyDigits },
  { name: 'Rejected', cell: ({ rejected }) => money(rejected), digits: moneyDigits },
];

/** Those of them that some row needs. */
export function heldColumnsOf(all: readonly Figures[]): readonly Column<Figures>[] {
  return heldColumns.filter(({ cell }) => all.some((figures) => Number(cell(figures)) !== 0));
}

/** The figures of a row, and those that they are compared with. */
export interface ComparedFigures {
  readonly now: Figures;
  readonly before: Figures | undefined;
}

/** A column of figures, as a column of those of now. */
export const ofNow = ({ cell, ...column }: Column<Figures>): Column<ComparedFigures> => ({
  ...column,
  cell: ({ now }) => cell(now),
});

function change({ now, before }: ComparedFigures, measure: keyof Figures): number | undefined {
  const [last, first] = [now[measure], before?.[measure]];
  return last === undefined || first === undefined ? undefined : last - first;
}

export const changeColumns: readonly Column<ComparedFigures>[] = [
  { name: 'Views before', cell: ({ before }) => count(before?.views) },
  { name: 'Conversions before', cell: ({ before }) => count(before?.conversions) },
  { name: 'Cost before', cell: ({ before }) => money(before?.cost), digits: moneyDigits },
  { name: 'Revenue before', cell: ({ before }) => money(before?.revenue), digits: moneyDigits },
  { name: 'Revenue change %', cell: (row) => amount(ratio(change(row, 'revenue'), row.before?.revenue, 100)) },
  { name: 'Profit before', cell: ({ before }) => money(before?.profit), digits: moneyDigits },
  { name: 'Profit change', cell: (row) => money(change(row, 'profit')), digits: moneyDigits },
];

/** How a table with these columns is shown: the columns that are summed, and those that are the difference of two others. */
export const changesInView = {
  sums: changeColumns.map(({ name }) => name).filter((name) => name !== 'Revenue change %'),
  differences: new Map([['Profit change', ['Profit', 'Profit before']]]) as ReadonlyMap<
    string,
    readonly [string, string]
  >,
};
