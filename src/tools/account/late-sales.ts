import { timesIn } from '../../analysis/columns/times.ts';
import { type DatedSale, daysFrom, saleDelayOf } from '../../analysis/sale-delay.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { thingsOf } from '../../api/vocabulary.ts';
import type { CallContext } from '../define-tool.ts';
import { listDays, shiftDays, today } from '../period.ts';
import { newLimits, readVisitsInSlices, type Span, wholeList } from './read-visits.ts';
import { missingIn } from './visits-by-campaign.ts';

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

/** What the conversion list says of how late sales come. */
export interface LateSales {
  /** Undefined if it does not say: it cannot be read, is too short, or has one date only. */
  readonly partIn: PartIn | undefined;
  /** Why it is not whole, in words; undefined if it is. */
  readonly gap: string | undefined;
}

/** Learns it of a campaign; 0 is all. */
export async function readPartIn(campaignId: number, span: Span, context: CallContext): Promise<PartIn | undefined> {
  return (await readLateSales([campaignId], span, context)).partIn;
}

/**
 * Learns of campaigns together how late sales come after their visits, from the longest run of days whose sales are all listed; one
 * question each, unless lists are cut off.
 * @param campaignIds 0 is all
 * @param span nothing is asked of one that ended long ago
 */
export async function readLateSales(
  campaignIds: readonly number[],
  span: Span,
  context: CallContext,
): Promise<LateSales> {
  const now = today(context.timeZone, context.now());
  if (span.end < shiftDays(now, -maxAge)) return { partIn: undefined, gap: undefined };
  const learned = { start: shiftDays(now, -learnedDays), end: shiftDays(now, 1) };
  const lists = await Promise.all(campaignIds.map((id) => readSaleDates(id, learned, context)));
  const unread = new Set(lists.flatMap(({ unreadDays }) => unreadDays));
  const days = longestRun(
    listDays(learned.start, learned.end).filter((day) => day <= now),
    unread,
  );
  const [from = now, to = now] = [days[0], days.at(-1)];
  const sales = lists.flatMap((list) => list.sales).filter(({ booked }) => booked >= from && booked <= to);
  const delay = sales.length < minSales ? undefined : saleDelayOf(sales, from, to);
  return {
    partIn: delay && ((day) => rangeOf(delay.partIn(Math.max(daysFrom(day, now), 0)), sales.length)),
    gap: lists.find(({ gap }) => gap !== undefined)?.gap,
  };
}

/** A list that is cut off is asked for in so many parts at most. */
const maxSlices = 12;

/** The part of a call's time for it, beside what the call is for. */
const maxPart = 1 / 3;

async function readSaleDates(campaignId: number, span: Span, context: CallContext) {
  const lists: DatedSale[][] = [];
  const take = (table: Table) => lists.push(datesIn(table));
  const limits = newLimits(context, performance.now() + context.client.timeoutMs * maxPart);
  // All columns, since the default ones may lack when the visit was.
  const options = { ...wholeList, list: 'list_conversions', maxSlices, limits } as const;
  const asked = { ...context, onProgress: undefined };
  try {
    const read = await readVisitsInSlices(String(campaignId), span, undefined, asked, take, {
      ...options,
      ...{ reuse: true, quick: true },
    });
    // A day that is cut off is a sample of its sales.
    return {
      sales: lists.flat(),
      unreadDays: read.unreadDays,
      gap: missingIn(read).length > 0 ? 'it is cut off' : undefined,
    };
  } catch (failure) {
    if (!(failure instanceof Failure) || context.signal?.aborted) throw failure;
    // What others say of these days is no worse for it.
    return { sales: [], unreadDays: [], gap: failure.happened };
  }
}

function datesIn(table: Table): DatedSale[] {
  const [booked, visited] = [bookedNames, visitedNames].map((names) => timesIn(table, names)?.dayOf);
  return Array.from({ length: table.rowCount }, (_, row) => row).flatMap((row) => {
    const [sale = null, visit = null] = [booked?.(row), visited?.(row)];
    return sale === null || visit === null ? [] : [{ booked: sale, visited: visit }];
  });
}

function longestRun(days: readonly string[], missing: ReadonlySet<string>): readonly string[] {
  let longest: readonly string[] = [];
  let run: readonly string[] = [];
  for (const day of days) {
    run = missing.has(day) ? [] : [...run, day];
    if (run.length > longest.length) longest = run;
  }
  return longest;
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
