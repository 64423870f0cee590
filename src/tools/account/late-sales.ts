import { indexOfColumn } from '../../analysis/columns/columns.ts';
import { type DatedSale, daysFrom, saleDelayOf } from '../../analysis/sale-delay.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { thingsOf } from '../../api/vocabulary.ts';
import { askQuickly, optional } from '../asking.ts';
import type { CallContext } from '../define-tool.ts';
import { listDays, shiftDays, today } from '../period.ts';
import type { Span } from './read-visits.ts';

/** A part of 1 with its 95% range. */
export interface Part {
  readonly part: number;
  readonly low: number;
  readonly high: number;
}

/** How much of the sales from the visits of a day (YYYY-MM-DD) is usually in by now. */
export type PartIn = (day: string) => Part;

/** The days of sales from which delays are learned. */
const learnedDays = 31;

/** Fewer sales say nothing of how late they come. */
const minSales = 20;

/** A span that ended longer ago is taken to have its sales. */
const maxAge = 14;

const { booked: bookedNames, visited: visitedNames } = thingsOf('conversion');

/**
 * Learns from the conversion list how late sales come after their visits; one question.
 * @param campaignId 0 is all
 * @returns undefined if the span ended long ago, or the list is missing, too short or has one date only
 */
export async function readPartIn(campaignId: number, span: Span, context: CallContext): Promise<PartIn | undefined> {
  const now = today(context.timeZone, context.now());
  if (span.end < shiftDays(now, -maxAge)) return undefined;
  const from = shiftDays(now, -learnedDays);
  const question = { campaign_id: campaignId, start_date: from, end_date: shiftDays(now, 1) };
  const ask = () =>
    askQuickly({ ...context, onProgress: undefined }, ({ client, signal }) =>
      client.read('list_conversions', question, { reuse: true, signal }),
    );
  const tables = (await optional(ask, context))?.reply.tables ?? [];
  const sales = tables.flatMap((table): DatedSale[] => {
    const [booked, visited] = [indexOfColumn(table, bookedNames), indexOfColumn(table, visitedNames)];
    if (booked === undefined || visited === undefined) return [];
    const dayIn = (row: number, column: number) =>
      /^\d{4}-\d{2}-\d{2}/.exec(rawCell(table.text(row, column)) ?? '')?.[0];
    return Array.from({ length: table.rowCount }, (_, row) => row).flatMap((row) => {
      const [sale, visit] = [dayIn(row, booked), dayIn(row, visited)];
      return sale === undefined || visit === undefined ? [] : [{ booked: sale, visited: visit }];
    });
  });
  const delay = sales.length < minSales ? undefined : saleDelayOf(sales, from, now);
  return delay && ((day) => rangeOf(delay.partIn(Math.max(daysFrom(day, now), 0)), sales.length));
}

/** E. B. Wilson, "Probable inference", JASA 22 (1927). */
function rangeOf(part: number, count: number): Part {
  const z = 1.96;
  const middle = (part + z ** 2 / (2 * count)) / (1 + z ** 2 / count);
  const half = (z / (1 + z ** 2 / count)) * Math.sqrt((part * (1 - part)) / count + z ** 2 / (4 * count ** 2));
  return { part, low: Math.max(middle - half, 0), high: Math.min(middle + half, 1) };
}

/** The same of all days of a span, each taken to sell as much. */
export function partInOfSpan(partIn: PartIn, { start, end }: Span): Part {
  const days = listDays(start, end).map(partIn);
  const mean = (of: keyof Part) => days.reduce((sum, day) => sum + day[of], 0) / days.length;
  return { part: mean('part'), low: mean('low'), high: mean('high') };
}

/** Below this part, late sales are worth a word. */
export const worthSaying = 0.97;

/** `88% (82 to 93%)` */
export function inPercent({ part, low, high }: Part): string {
  const percent = (value: number) => Math.round(value * 100);
  return `${percent(part)}% (${percent(low)} to ${percent(high)}%)`;
}

/** More days of one answer would not be read. */
const maxDays = 7;

/**
 * What late sales mean for the figures of some days, in a sentence; none if all are in, or nothing is known of it. It asks the
 * tracker once at most, and a failure of that is none of the call.
 * @param campaignId 0 is all
 * @param isByDay whether each day has figures of its own
 */
export async function lateSalesNotices(
  campaignId: number,
  span: Span,
  isByDay: boolean,
  context: CallContext,
): Promise<string[]> {
  return describeLateSales(await readPartIn(campaignId, span, context), span, isByDay, context);
}

/** The same of what is known already. */
export function describeLateSales(
  partIn: PartIn | undefined,
  span: Span,
  isByDay: boolean,
  context: CallContext,
): string[] {
  const now = today(context.timeZone, context.now());
  const days = listDays(span.start, span.end).filter((day) => day <= now);
  const late = days.filter((day) => partIn && partIn(day).part < worthSaying);
  const [first, last] = [days[0], days.at(-1)];
  if (!partIn || first === undefined || last === undefined || late.length === 0) return [];
  const rest = 'are in by now; the rest is expected, and in no figure.';
  if (isByDay) {
    const parts = late.slice(-maxDays).map((day) => `${day} ${inPercent(partIn(day))}`);
    return [`Sales come late: of those from the visits of a day about so many ${rest} ${parts.join(', ')}.`];
  }
  const known = partInOfSpan(partIn, { start: first, end: last });
  if (known.part >= worthSaying) return [];
  return [`Sales come late: about ${inPercent(known)} of those from the visits of these days ${rest}`];
}
