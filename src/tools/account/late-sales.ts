import { timesIn } from '../../analysis/columns/times.ts';
import { type DatedSale, daysFrom, type Part, saleDelayOf } from '../../analysis/sale-delay.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { thingsOf } from '../../api/vocabulary.ts';
import type { CallContext } from '../define-tool.ts';
import { listDays, shiftDays, today } from '../period.ts';
import { missingIn, newLimits, readVisitsInSlices, type Span, wholeListOptions } from './read-visits.ts';

/** The part of a day’s sales (by the visit, YYYY-MM-DD) that is usually in by now. */
export type PartIn = (day: string) => Part;

/** The days of sales from which delays are learned. */
const learnedDays = 31;

/** Fewer sales do not show how late they come. */
const minSales = 20;

/** A span that ended longer ago is assumed to have all its sales. */
const maxAge = 14;

/** Max requests for a list that is cut off, and the part of a call's time for it. */
const maxSlices = 12;
const maxPart = 1 / 3;

export interface LateSales {
  /** Undefined if unknown: the conversion list cannot be read, is too short, or has only one date. */
  readonly partIn: PartIn | undefined;
  /** How many sales of the visits of some days are in. */
  readonly seenIn: (span: Span) => number;
  /** Why the list is not whole; undefined if it is. */
  readonly gap: string | undefined;
}

/** Takes the lists of conversions that are read: those of the last month, and those since a day. */
export interface ListTaker {
  readonly since: string;
  readonly take: (table: Table) => void;
}

/** @param campaignId 0 is all */
export async function readPartIn(campaignId: number, span: Span, context: CallContext): Promise<PartIn | undefined> {
  return (await readLateSales([campaignId], span, context)).partIn;
}

/**
 * Learns how late the sales of some campaigns come, from the longest run of days whose sales are all listed; one request per
 * campaign, unless lists are cut off.
 * @param campaignIds 0 is all
 * @param span nothing is asked if it ended long ago, unless the lists are taken
 */
export async function readLateSales(
  campaignIds: readonly number[],
  span: Span,
  context: CallContext,
  onList?: ListTaker,
): Promise<LateSales> {
  const now = today(context.timeZone, context.now());
  const isOld = span.end < shiftDays(now, -maxAge);
  if (isOld && !onList) return { partIn: undefined, seenIn: () => 0, gap: undefined };
  const learned = { start: shiftDays(now, -learnedDays), end: shiftDays(now, 1) };
  const asked = {
    start: earlier(onList?.since ?? learned.start, isOld ? span.start : learned.start),
    end: isOld ? earlier(shiftDays(span.end, learnedDays), learned.end) : learned.end,
  };
  const lists = await Promise.all(campaignIds.map((id) => readSaleDates(id, asked, context, onList?.take)));
  const unread = new Set(lists.flatMap(({ unreadDays }) => unreadDays));
  const days = longestRun(listDays(learned.start, now), unread);
  const [from = now, to = now] = [days[0], days.at(-1)];
  const sales = lists.flatMap((list) => list.sales).filter(({ booked }) => booked >= from && booked <= to);
  const delay = isOld || sales.length < minSales ? undefined : saleDelayOf(sales, from, to);
  return {
    seenIn: ({ start, end }) => sales.filter(({ visited }) => visited >= start && visited <= end).length,
    partIn: delay && ((day) => rangeOf(delay.partIn(Math.max(daysFrom(day, now), 0)), sales.length)),
    gap: lists.find(({ gap }) => gap !== undefined)?.gap,
  };
}

const earlier = (one: string, other: string) => (one < other ? one : other);

async function readSaleDates(campaignId: number, span: Span, context: CallContext, onList?: (table: Table) => void) {
  const sales: DatedSale[] = [];
  const take = (table: Table) => {
    for (const sale of datesIn(table)) sales.push(sale);
    onList?.(table);
  };
  const limits = newLimits(
    context,
    performance.now() + Math.min(context.client.timeoutMs * maxPart, context.client.leftMs),
  );
  // All columns, because the default ones may lack the date of the visit.
  const options = {
    ...wholeListOptions,
    list: 'list_conversions',
    maxSlices,
    limits,
    reuse: true,
    quick: true,
  } as const;
  const quiet = { ...context, onProgress: undefined };
  try {
    const read = await readVisitsInSlices(String(campaignId), span, undefined, quiet, take, options);
    // A day that is cut off still has a sample of its sales.
    return { sales, unreadDays: read.unreadDays, gap: missingIn(read).length > 0 ? 'it is cut off' : undefined };
  } catch (failure) {
    if (!(failure instanceof Failure) || context.signal?.aborted) throw failure;
    // The lists of other campaigns still count.
    return { sales: [], unreadDays: [], gap: failure.happened };
  }
}

const { booked: bookedNames, visited: visitedNames } = thingsOf('conversion');

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

/** The mean over the days of a span, as if each had the same sales. */
export function partInOfSpan(partIn: PartIn, { start, end }: Span): Part {
  const days = listDays(start, end).map(partIn);
  const mean = (key: keyof Part) => days.reduce((sum, day) => sum + day[key], 0) / days.length;
  return { part: mean('part'), low: mean('low'), high: mean('high') };
}

/** The same part of so few sales as were seen: by chance, more or less of them is in than usual. */
function partOfSales({ part, low, high }: Part, seen: number): Part {
  const count = Math.max(part > 0 ? seen / part : 0, 1);
  const half = 1.96 * Math.sqrt(((high - low) / 3.92) ** 2 + (part * (1 - part)) / count);
  return { part, low: Math.max(part - half, 0), high: Math.min(part + half, 1) };
}

/** From this part on, late sales are not worth a notice. */
export const completePart = 0.97;

/** `88% (82 to 93%)` */
export function partInWords({ part, low, high }: Part): string {
  const percent = (value: number) => Math.round(value * 100);
  return `${percent(part)}% (${percent(low)} to ${percent(high)}%)`;
}

const maxDays = 7;

/**
 * A sentence about late sales in the figures of some days; empty if all sales are in, or nothing is known. It asks the
 * tracker at most once, and its failure does not fail the call.
 * @param campaignId 0 is all
 * @param isByDay whether each day has its own figures
 */
export async function lateSalesNotices(
  campaignId: number,
  span: Span,
  isByDay: boolean,
  context: CallContext,
): Promise<string[]> {
  return describeLateSales(await readLateSales([campaignId], span, context), span, isByDay, context);
}

export function describeLateSales(
  { partIn, seenIn }: LateSales,
  { start, end }: Span,
  isByDay: boolean,
  context: CallContext,
): string[] {
  const now = today(context.timeZone, context.now());
  const last = end > now ? now : end;
  if (!partIn || start > last) return [];
  const late = listDays(start, last).filter((day) => partIn(day).part < completePart);
  if (late.length === 0) return [];
  const rest = 'the rest is expected, and in no figure.';
  if (isByDay) {
    const partOf = (day: string) => partOfSales(partIn(day), seenIn({ start: day, end: day }));
    const parts = late.slice(-maxDays).map((day) => `${day} ${partInWords(partOf(day))}`);
    return [`Sales come late. The part that is in by now, by day of the visit: ${parts.join(', ')}; ${rest}`];
  }
  const all = partInOfSpan(partIn, { start, end: last });
  if (all.part >= completePart) return [];
  const ofSales = partOfSales(all, seenIn({ start, end: last }));
  return [`Sales come late: about ${partInWords(ofSales)} of the sales from these days’ visits are in by now; ${rest}`];
}
