import { rowsThat, valueAt } from '../../analysis/coded.ts';
import { repeatedVisits } from '../../analysis/repeated-visits.ts';
import { rowsOfOtherCampaigns, rowsOfOtherDays } from '../../analysis/unasked-visits.ts';
import { readerOf, readVisitTimes } from '../../analysis/visit-dimensions.ts';
import type { NoteOf } from '../../answer/notes.ts';
import { addOddRows, type ListRead, noOddRows, type OddRows } from '../../answer/visit-notes.ts';
import type { Failure } from '../../api/failure.ts';
import type { Table, TablesReply } from '../../api/table.ts';
import { TrackerFailure } from '../../client/errors.ts';
import type { ReadOptions } from '../../client/tracker-client.ts';
import { askQuickly, attempt, paceOf } from '../asking.ts';
import type { CallContext } from '../define-tool.ts';
import { earlier, lengthInDays, listDays, shiftDays, today } from '../period.ts';

export interface ListOptions {
  /** Default list_visitors; list_conversions takes no maximum. */
  readonly list?: 'list_visitors' | 'list_conversions';
  readonly columnSet: 'all' | 'default';
  /** Max rows per answer; the tracker's own maximum may be lower. */
  readonly maxRecords: number;
  /** Max requests, so that a tracker with a small maximum is not asked forever. */
  readonly maxSlices: number;
  /** Stops after this many days that are cut off; asked before each question. */
  readonly maxCutDays?: () => number;
  /** Whether one more question proves that an answer is whole; without it, only a round number of rows is doubted. */
  readonly proves?: boolean;
  /** Shared by several questions of a call. */
  readonly limits?: ListLimits;
  /** Whether a cached answer may serve. */
  readonly reuse?: boolean;
  /** Whether a question may take only a part of the call's time, because there is a fallback. */
  readonly quick?: boolean;
  /** Whether days that could not be read leave the others as they are. If none can be read, it fails all the same. */
  readonly keepsRest?: boolean;
}

/** All columns, and more rows than any known tracker returns at once. */
export const wholeListOptions: ListOptions = { columnSet: 'all', maxRecords: 1_000_000, maxSlices: 200 };

/** The same of conversions, in a few requests. */
export const wholeSalesOptions = {
  ...wholeListOptions,
  list: 'list_conversions',
  maxSlices: 12,
} as const satisfies ListOptions;

export interface ListLimits {
  /** The rows of the shortest answer that the tracker's maximum ended; undefined until one did. */
  maximum: number | undefined;
  /** Those of the longest: a tracker may count visits, and list some of them twice, or count bytes. */
  longestCut: number;
  requests: number;
  /** When the last question may start, by performance.now. */
  readonly lastStart: number;
}

/** The part of a call's time in which visits are read: what they show takes time as well, most on a busy machine. */
const partForReading = 0.8;

/** When visits are read no longer, by performance.now. */
export const endOfReading = ({ client }: CallContext): number => performance.now() + client.leftMs * partForReading;

/** @param deadline by performance.now */
export function newLimits(context: CallContext, deadline = endOfReading(context)): ListLimits {
  return { maximum: undefined, longestCut: 0, requests: 0, lastStart: deadline - context.client.timeoutMs * 0.1 };
}

function noteCut(rows: number, limits: ListLimits): void {
  limits.maximum = Math.min(limits.maximum ?? Number.POSITIVE_INFINITY, rows);
  limits.longestCut = Math.max(limits.longestCut, rows);
}

/** Whether a list is about as long as those that the maximum ended. */
export const isAtMaximum = (rows: number, { maximum = Number.POSITIVE_INFINITY, longestCut }: ListLimits): boolean =>
  rows >= maximum - 3 * Math.max(longestCut - maximum, 0);

/** Whether a list is too short for the maximum to have ended it. */
export const isFarBelow = (rows: number, { maximum = 0 }: Pick<ListLimits, 'maximum'>): boolean => rows < maximum * 0.8;

/** First and last day, YYYY-MM-DD. */
export interface Span {
  readonly start: string;
  readonly end: string;
}

export const isWithin = (day: string | null, { start, end }: Span): boolean =>
  day !== null && day >= start && day <= end;

export interface VisitsRead {
  readonly requests: number;
  /** Days that were read in part, because the list of a single day is cut off. */
  readonly cutDays: readonly string[];
  /** Days that were not asked for. */
  readonly unreadDays: readonly string[];
  readonly stoppedBy: ListRead['stoppedBy'];
  /** Why some of the unread days could not be read. */
  readonly failure?: Failure | undefined;
  readonly oddRows?: OddRows | undefined;
}

/**
 * Reads the visitor or conversion list of a campaign (0 is all) until it is whole or only single days are cut off. A list with fewer
 * rows than the period has visits is cut off, and its length is about the tracker's maximum: a much shorter list is whole. Visitors come latest
 * first, so only the oldest day of such a list is incomplete; if they come in a different order, the period is halved.
 * @param visits the views in the campaign report; undefined if unknown
 * @param take gets each table that is not asked for again, with its days
 * @throws TrackerFailure if the tracker cannot be asked or refuses
 */
export async function readVisitsInSlices(
  campaignId: string,
  span: Span,
  visits: number | undefined,
  context: CallContext,
  take: (table: Table, days: Span) => unknown,
  options: ListOptions = wholeListOptions,
): Promise<VisitsRead> {
  const { maxSlices, maxCutDays = () => Number.POSITIVE_INFINITY, limits = newLimits(context), proves } = options;
  const pace = paceOf(context);
  const cutDays: string[] = [];
  const unreadDays: string[] = [];
  let stoppedBy: VisitsRead['stoppedBy'];
  let failure: Failure | undefined;
  const now = today(context.timeZone, context.now());
  let requests = 0;
  let done = 0;
  /** The list of so many days is larger than an answer may be. */
  let tooManyDays = Number.POSITIVE_INFINITY;
  let oddRows = noOddRows;
  const areVisits = options.list !== 'list_conversions';
  const ask = async (days: Span, columnSet = options.columnSet) => {
    requests += 1;
    limits.requests += 1;
    return askForList(campaignId, days, context, { ...options, columnSet, takesParts: true });
  };
  const isCutOff = async ({ tables, part }: TablesReply, { start, end }: Span) => {
    const rows = rowsOf(tables);
    if (part) return true;
    if (isAtMaximum(rows, limits)) return true;
    if (isFarBelow(rows, limits)) return false;
    if (visits !== undefined) return rows < visits && rows > 0;
    const looksFull = limits.maximum === undefined && looksCut(rows, options.list);
    const isProved = proves && (rows >= minMaximum || isUsualSize(rows));
    if (limits.maximum === undefined && !isProved && !looksFull) return false;
    const tail = tailOf(tables);
    const { latest = '', oldest = '' } = tail ?? {};
    // A list that starts before the last day so far, or has one day, may have been cut off at its other end.
    const mayEndThere = looksFull && proves ? oldest === start : oldest >= start;
    if (tail && latest >= earlier(end, now) && oldest < latest && mayEndThere) {
      // If a maximum ended it, its oldest days have more visits where they are asked for alone.
      const found = rowsOf((await ask({ start, end: oldest }, 'default')).tables);
      if (found >= rows - tail.first) return found > rows - tail.first;
    }
    if (looksFull) return true;
    // If a longer period reaches farther back, or has more rows in an order of its own, no maximum ended this list.
    const wider = (await ask({ start: shiftDays(start, -1), end }, 'default')).tables;
    for (const table of wider) await readVisitTimes(table, pace);
    const reach = tailOf(wider);
    return reach ? reach.oldest >= start : rowsOf(wider) <= rows;
  };
  const takeAll = async (tables: readonly Table[], days: Span) => {
    for (const table of tables) {
      const { visits, odd } = areVisits ? visitsOf(table, campaignId) : allRows(table);
      oddRows = addOddRows(oddRows, odd);
      await readVisitTimes(visits, pace);
      await take(visits, days);
    }
    done += lengthInDays(days.start, days.end);
    context.onProgress?.(done, lengthInDays(span.start, span.end), 'days read');
  };
  const open: Span[] = [span];
  for (let slice = open.pop(); slice; slice = open.pop()) {
    const { start, end } = slice;
    if (requests > 0) {
      if (performance.now() > limits.lastStart) stoppedBy ??= 'time';
      if (limits.requests >= maxSlices) stoppedBy ??= 'requests';
      if (cutDays.length >= maxCutDays()) stoppedBy ??= 'cut days';
    }
    if (stoppedBy) {
      unreadDays.push(...listDays(start, end));
      continue;
    }
    if (lengthInDays(start, end) >= tooManyDays) {
      open.push(...halves(slice));
      continue;
    }
    const { answer, failure: failed } = await attempt(() => ask(slice), context);
    if (isTooLarge(failed) && start < end) {
      tooManyDays = lengthInDays(start, end);
      open.push(...halves(slice));
      continue;
    }
    if (!answer) {
      if (failed && (!options.keepsRest || (done === 0 && open.length === 0))) throw failed;
      failure ??= failed;
      unreadDays.push(...listDays(start, end));
      continue;
    }
    const { tables, part: said } = answer;
    for (const table of tables) await readVisitTimes(table, pace);
    if (areVisits) {
      const ofDays = withoutOtherDays(answer, slice);
      if (ofDays) {
        // The tracker ignores the days, so no other question shows more of them.
        if (ofDays.unreadDays.length > 0) stoppedBy = 'latest only';
        oddRows = addOddRows(oddRows, { otherDays: rowsOf(tables) - rowsOf(ofDays.tables) });
        cutDays.push(...ofDays.cutDays);
        unreadDays.push(...ofDays.unreadDays);
        await takeAll(ofDays.tables, slice);
        continue;
      }
    }
    if (!(await isCutOff(answer, slice))) {
      await takeAll(tables, slice);
      continue;
    }
    // A tracker that says when a list is a part shows its maximum with each of them.
    if (!said) noteCut(rowsOf(tables), limits);
    const part = start === end ? { oldest: end, whole: [] } : areVisits ? wholePart(tables, slice, now) : undefined;
    if (!part) {
      open.push(...halves(slice));
    } else if (part.oldest === end) {
      cutDays.push(end);
      await takeAll(tables, { start: end, end });
      if (start < end) open.push({ start, end: shiftDays(end, -1) });
    } else {
      await takeAll(part.whole, { start: shiftDays(part.oldest, 1), end });
      open.push({ start, end: part.oldest });
    }
  }
  return { requests, cutDays: cutDays.sort(), unreadDays: unreadDays.sort(), stoppedBy, failure, oddRows };
}

const isTooLarge = (failure: unknown): boolean => failure instanceof TrackerFailure && failure.kind === 'too-large';

const allRows = (table: Table) => ({ visits: table, odd: noOddRows });

/** The visits of a campaign (0 is all) in a list, each once. */
function visitsOf(table: Table, campaignId: string): { readonly visits: Table; readonly odd: OddRows } {
  const others = campaignId === '0' ? [] : rowsOfOtherCampaigns(table, campaignId);
  const own = table.withoutRows(others);
  const { same, sameSubid } = repeatedVisits(own);
  return {
    visits: own.withoutRows(same),
    odd: { ...noOddRows, same: same.length, sameSubid, otherCampaigns: others.length },
  };
}

/** What a list has of the days asked for, if the tracker ignores these; undefined if it has no other days. */
function withoutOtherDays({ tables, part }: TablesReply, asked: Span) {
  const margin = { start: shiftDays(asked.start, -1), end: shiftDays(asked.end, 1) };
  const own = tables.map((table) => table.withoutRows(rowsOfOtherDays(table, asked, margin)));
  if (own.every((table, index) => table === tables[index])) return undefined;
  const tail = tailOf(tables);
  const days = listDays(asked.start, asked.end);
  if (!tail)
    return { tables: own, cutDays: part || looksCut(rowsOf(tables), 'list_visitors') ? days : [], unreadDays: [] };
  // A list of the latest visits has all of these days if it reaches back to before them.
  const missing = tail.oldest < asked.start ? [] : days.filter((day) => day <= tail.oldest);
  const isCut = (day: string) => day === tail.oldest;
  return { tables: own, cutDays: missing.filter(isCut), unreadDays: missing.filter((day) => !isCut(day)) };
}

/**
 * The list of a campaign (0 is all) in one answer, as far as the tracker returns it.
 * @throws TrackerFailure if the tracker cannot be asked or refuses
 */
export async function askForVisits(
  ...question: readonly [string, Span, CallContext, Omit<ListOptions, 'maxSlices'>]
): Promise<readonly Table[]> {
  return (await askForList(...question)).tables;
}

async function askForList(
  campaignId: string,
  { start, end }: Span,
  context: CallContext,
  options: Omit<ListOptions, 'maxSlices'> & Pick<ReadOptions, 'takesParts'>,
): Promise<TablesReply> {
  const { list, columnSet, maxRecords, reuse = false, quick, takesParts = false } = options;
  const question = {
    campaign_id: Number(campaignId),
    start_date: start,
    end_date: end,
    column_set: columnSet,
  } as const;
  const read = ({ client, signal }: CallContext) =>
    list === 'list_conversions'
      ? client.read(list, question, { signal, reuse, takesParts })
      : client.read('list_visitors', { ...question, max_records: maxRecords }, { signal, reuse, takesParts });
  return (await (quick ? askQuickly(context, read) : read(context))).reply;
}

export const rowsOf = (tables: readonly Table[]): number => tables.reduce((sum, { rowCount }) => sum + rowCount, 0);

/** The lowest maximum that a tracker may have, but for the usual sizes of a page. */
const minMaximum = 100;
const pageSizes: ReadonlySet<number> = new Set([10, 20, 25, 30, 50]);

/** Known trackers return all conversions at once; if one has a maximum, it is assumed to be no larger. */
const maxOfConversions = 20_000;

const isRound = (rows: number) => rows >= minMaximum && rows % 100 === 0;

/** Whether a list has as many rows as a tracker may return at most, or on a page. */
export const isUsualSize = (rows: number): boolean => isRound(rows) || pageSizes.has(rows);

/** A list that ends at a round number of rows was probably cut off. */
function looksCut(rows: number, list: ListOptions['list']): boolean {
  return isRound(rows) && (list !== 'list_conversions' || rows <= maxOfConversions);
}

const readDay = readerOf('day');

/** The days of the first and the last row of a list, and the first row of the last day; undefined if it is not latest first. */
function tailOf(tables: readonly Table[]) {
  const [table, ...others] = tables.filter(({ rowCount }) => rowCount > 0);
  const days = table && readDay(table);
  if (!days || others.length > 0) return undefined;
  const { codes } = days;
  const latest = valueAt(days, 0) ?? '';
  let [oldest, first] = [latest, 0];
  for (const row of rowsThat(table.rowCount, (one) => one > 0 && codes[one] !== codes[one - 1])) {
    const day = valueAt(days, row) ?? '';
    if (day > oldest) return undefined;
    if (day < oldest) [oldest, first] = [day, row];
  }
  return { table, latest, oldest, first };
}

/** The day of the oldest row of a list that is cut off, and its rows of later days; undefined if it is not latest first. */
function wholePart(
  tables: readonly Table[],
  { start, end }: Span,
  now: string,
): { readonly oldest: string; readonly whole: readonly Table[] } | undefined {
  const tail = tailOf(tables);
  // A list that starts before the last day so far, or reaches the first, may have been cut off at its other end.
  if (!tail || tail.latest < earlier(end, now) || tail.oldest <= start) return undefined;
  return { oldest: tail.oldest, whole: [tail.table.firstRows(tail.first)] };
}

/** The later half of a span, and the earlier one, which is taken first from the end of a list. */
function halves({ start, end }: Span): [Span, Span] {
  const middle = shiftDays(start, Math.floor(lengthInDays(start, end) / 2));
  return [
    { start: middle, end },
    { start, end: shiftDays(middle, -1) },
  ];
}

/** The days that are not whole, in order. */
export const missingIn = ({ cutDays, unreadDays }: VisitsRead): readonly string[] => [...cutDays, ...unreadDays].sort();

export const listRead = ({ requests, cutDays, unreadDays, stoppedBy, failure }: VisitsRead): ListRead => ({
  requests,
  cutDays,
  unreadDays,
  stoppedBy,
  failure: failure?.happened,
});

/** A note on rows that would look like more visits; none if lists have no such rows. */
export function oddRowsNote(reads: readonly VisitsRead[]): NoteOf<'odd-rows'>[] {
  const rows = reads.reduce((sum, read) => addOddRows(sum, read.oddRows ?? {}), noOddRows);
  return Object.values(rows).some((count) => count > 0) ? [{ code: 'odd-rows', ...rows }] : [];
}
