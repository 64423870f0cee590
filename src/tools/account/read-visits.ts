import { readerOf, readVisitTimes } from '../../analysis/visit-groups.ts';
import type { Table } from '../../api/table.ts';
import { askQuickly } from '../asking.ts';
import type { CallContext } from '../define-tool.ts';
import { lengthInDays, listDays, shiftDays } from '../period.ts';

export interface ListOptions {
  /** The visitor list unless it is said; the conversion list takes no maximum. */
  readonly list?: 'list_visitors' | 'list_conversions';
  readonly columnSet: 'all' | 'default';
  /** Rows of one answer at most; the tracker's own maximum applies below it. */
  readonly maxRecords: number;
  /** After so many requests no further slice is asked for, so that a tracker with a small maximum is not asked for ever. */
  readonly maxSlices: number;
  /** After so many days that are cut off, no more are asked for. */
  readonly maxCutDays?: number;
  /** Whether one more question shows that an answer of unknown length is whole; without it, only a round number is doubted. */
  readonly proves?: boolean;
  /** What several questions of a call find out together. */
  readonly limits?: ListLimits;
  /** Whether an answer that was read a short time ago may serve. */
  readonly reuse?: boolean;
  /** Whether a question may take a part of the call's time alone, since another can stand in for it. */
  readonly quick?: boolean;
}

/** All columns, and more rows than a tracker is known to return at once. */
export const wholeList: ListOptions = { columnSet: 'all', maxRecords: 1_000_000, maxSlices: 200 };

export interface ListLimits {
  /** Rows in one answer, if the tracker cut answers off there. */
  maximum: number | undefined;
  requests: number;
  /** When the last question may begin, by performance.now. */
  readonly lastStart: number;
}

/** The limits of a call that begins now, or has a deadline (by performance.now). */
export function newLimits({ client }: CallContext, deadline = performance.now() + client.timeoutMs): ListLimits {
  return { maximum: undefined, requests: 0, lastStart: deadline - client.timeoutMs * 0.2 };
}

export interface Span {
  readonly start: string;
  readonly end: string;
}

export interface VisitsRead {
  readonly requests: number;
  /** Days of which only a part could be read, since one day alone is cut off, and days that were not asked for. */
  readonly cutDays: readonly string[];
  readonly unreadDays: readonly string[];
  readonly stoppedBy: 'time' | 'requests' | 'cut days' | undefined;
}

/**
 * Reads the visitor or conversion list of a campaign (0 is all) until it is whole or single days are cut off. A list is cut off if
 * it has fewer rows than the period has visits; one shorter than such a list is whole. Visitors come latest first, so that of a
 * list that is cut off all days but its oldest are whole; if they do not, the period is halved.
 * @param visits as the campaign report counts them; undefined if not known
 * @param take is given each table that is not asked for again, and its days
 * @throws TrackerFailure if the tracker cannot be asked or refuses
 */
export async function readVisitsInSlices(
  campaignId: string,
  span: Span,
  visits: number | undefined,
  context: CallContext,
  take: (table: Table, days: Span) => void,
  options: ListOptions = wholeList,
): Promise<VisitsRead> {
  const { maxSlices, maxCutDays = Number.POSITIVE_INFINITY, limits = newLimits(context), proves } = options;
  const cutDays: string[] = [];
  const unreadDays: string[] = [];
  let stoppedBy: VisitsRead['stoppedBy'];
  let requests = 0;
  let done = 0;
  const ask = async (days: Span, columnSet = options.columnSet) => {
    requests += 1;
    limits.requests += 1;
    return askForVisits(campaignId, days, context, { ...options, columnSet });
  };
  const isCutOff = async (rows: number) => {
    if (limits.maximum !== undefined) return rows >= limits.maximum;
    if (visits !== undefined) return rows < visits && rows > 0;
    if (looksCut(rows, options.list)) return true;
    if (!proves || rows < minMaximum) return false;
    // A longer list shows that no maximum ended this one.
    const wider = await ask({ start: shiftDays(span.start, -1), end: span.end }, 'default');
    return rowsOf(wider) <= rows;
  };
  const takeAll = async (tables: readonly Table[], days: Span) => {
    for (const table of tables) {
      await readVisitTimes(table);
      take(table, days);
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
      if (cutDays.length >= maxCutDays) stoppedBy ??= 'cut days';
    }
    if (stoppedBy) {
      unreadDays.push(...listDays(start, end));
      continue;
    }
    const tables = await ask(slice);
    const rows = rowsOf(tables);
    if (!(await isCutOff(rows))) {
      await takeAll(tables, slice);
      continue;
    }
    for (const table of tables) await readVisitTimes(table);
    limits.maximum = Math.min(limits.maximum ?? rows, rows);
    const isOrdered = options.list !== 'list_conversions';
    const part = start === end ? { oldest: end, whole: [] } : isOrdered ? wholePart(tables, slice) : undefined;
    if (!part) {
      open.push(...halves(slice).reverse());
    } else if (part.oldest === end) {
      cutDays.push(end);
      await takeAll(tables, { start: end, end });
      if (start < end) open.push({ start, end: shiftDays(end, -1) });
    } else {
      await takeAll(part.whole, { start: shiftDays(part.oldest, 1), end });
      open.push({ start, end: part.oldest });
    }
  }
  return { requests, cutDays: cutDays.sort(), unreadDays: unreadDays.sort(), stoppedBy };
}

/**
 * The list of a campaign (0 is all) in one answer, as far as the tracker gives it.
 * @throws TrackerFailure if the tracker cannot be asked or refuses
 */
export async function askForVisits(
  campaignId: string,
  { start, end }: Span,
  context: CallContext,
  { list, columnSet, maxRecords, reuse = false, quick }: Omit<ListOptions, 'maxSlices'>,
): Promise<readonly Table[]> {
  const question = {
    campaign_id: Number(campaignId),
    start_date: start,
    end_date: end,
    column_set: columnSet,
  } as const;
  const read = ({ client, signal }: CallContext) =>
    list === 'list_conversions'
      ? client.read(list, question, { signal, reuse })
      : client.read('list_visitors', { ...question, max_records: maxRecords }, { signal, reuse });
  return (await (quick ? askQuickly(context, read) : read(context))).reply.tables;
}

export const rowsOf = (tables: readonly Table[]): number => tables.reduce((sum, { rowCount }) => sum + rowCount, 0);

/** No tracker is known to end its lists earlier. */
const minMaximum = 100;

/** Trackers are known to return all conversions at once; a maximum of theirs would be no larger than this. */
const maxOfConversions = 20_000;

/** A list that ends at a round number is hardly ever all there is. */
function looksCut(rows: number, list: ListOptions['list']): boolean {
  return rows >= minMaximum && rows % 100 === 0 && (list !== 'list_conversions' || rows <= maxOfConversions);
}

const readDay = readerOf('day');

/** The day of the oldest row of a list that is cut off, and its rows of later days; undefined if it is not in the order of time. */
function wholePart(
  tables: readonly Table[],
  { start, end }: Span,
): { readonly oldest: string; readonly whole: readonly Table[] } | undefined {
  const [table, ...others] = tables.filter(({ rowCount }) => rowCount > 0);
  const dayOf = table && readDay(table);
  if (!dayOf || others.length > 0) return undefined;
  let oldest = end;
  let later = 0;
  for (let row = 0; row < table.rowCount; row += 1) {
    const day = dayOf(row) ?? '';
    // A list that ends before the last day, or has the first, may have been cut off at its other end.
    if (day > oldest || day <= start || (row === 0 && day !== end)) return undefined;
    if (day < oldest) [oldest, later] = [day, row];
  }
  return { oldest, whole: [table.firstRows(later)] };
}

function halves({ start, end }: Span): [Span, Span] {
  const middle = shiftDays(start, Math.floor(lengthInDays(start, end) / 2));
  return [
    { start, end: shiftDays(middle, -1) },
    { start: middle, end },
  ];
}
