import type { Table } from '../../api/table.ts';
import type { CallContext } from '../define-tool.ts';
import { lengthInDays, listDays, shiftDays } from '../period.ts';

interface ListOptions {
  /** The visitor list unless it is said; the conversion list takes no maximum. */
  readonly list?: 'list_visitors' | 'list_conversions';
  readonly columnSet: 'all' | 'default';
  /** Rows of one answer at most; the tracker's own maximum applies below it. */
  readonly maxRecords: number;
  /** Slices that a period is cut into at most, so that a tracker with a small maximum is not asked for ever. */
  readonly maxSlices: number;
}

/** All columns, and more rows than a tracker is known to return at once. */
export const wholeList: ListOptions = { columnSet: 'all', maxRecords: 1_000_000, maxSlices: 200 };

export interface Span {
  readonly start: string;
  readonly end: string;
}

export interface VisitsRead {
  readonly requests: number;
  /** Rows in one answer, if the tracker cut answers off there. */
  readonly maximum: number | undefined;
  /** Days of which only a part could be read, since one day alone is cut off, and days that were not asked for. */
  readonly cutDays: readonly string[];
  readonly unreadDays: readonly string[];
  readonly stoppedBy: 'time' | 'requests' | undefined;
}

/**
 * Reads the visitor or conversion list of a campaign (0 is all), in slices of days if the list hits its maximum, until it is whole or a single day
 * is cut off. A list is cut off if it has fewer rows than the period has visits; one shorter than such a list is whole.
 * @param visits as the campaign report counts them; undefined if not known
 * @param take is given the table of each slice that is not asked for again
 * @throws TrackerFailure if the tracker cannot be asked or refuses
 */
export async function readVisitsInSlices(
  campaignId: string,
  span: Span,
  visits: number | undefined,
  context: CallContext,
  take: (table: Table) => void,
  { list = 'list_visitors', columnSet, maxRecords, maxSlices }: ListOptions = wholeList,
): Promise<VisitsRead> {
  const { client, signal, onProgress } = context;
  const lastStart = performance.now() + client.timeoutMs * 0.8;
  const days = lengthInDays(span.start, span.end);
  const cutDays: string[] = [];
  const unreadDays: string[] = [];
  let maximum: number | undefined;
  let stoppedBy: VisitsRead['stoppedBy'];
  let requests = 0;
  let done = 0;
  const open: Span[] = [span];
  for (let slice = open.pop(); slice; slice = open.pop()) {
    const length = lengthInDays(slice.start, slice.end);
    if (requests > 0)
      stoppedBy ??= performance.now() > lastStart ? 'time' : requests >= maxSlices ? 'requests' : undefined;
    if (stoppedBy) {
      unreadDays.push(...listDays(slice.start, slice.end));
      continue;
    }
    const question = {
      campaign_id: Number(campaignId),
      start_date: slice.start,
      end_date: slice.end,
      column_set: columnSet,
    } as const;
    const { tables } = (
      list === 'list_visitors'
        ? await client.read(list, { ...question, max_records: maxRecords }, { signal })
        : await client.read(list, question, { signal })
    ).reply;
    requests += 1;
    const rows = tables.reduce((sum, { rowCount }) => sum + rowCount, 0);
    const isCut =
      maximum === undefined
        ? slice === span && (visits === undefined ? looksCut(rows, list) : rows < visits && rows > 0)
        : rows >= maximum;
    if (isCut) maximum = Math.min(maximum ?? rows, rows);
    if (isCut && length > 1) {
      open.push(...halves(slice, length).reverse());
      continue;
    }
    if (isCut) cutDays.push(slice.start);
    for (const table of tables) take(table);
    done += length;
    onProgress?.(done, days, 'days read');
  }
  return { requests, maximum, cutDays, unreadDays: unreadDays.sort(), stoppedBy };
}

/** Trackers are known to return all conversions at once; a maximum of theirs would be no larger than this. */
const maxOfConversions = 20_000;

/** A list that ends at a round number is hardly ever all there is. */
function looksCut(rows: number, list: ListOptions['list']): boolean {
  return rows >= 100 && rows % 100 === 0 && (list !== 'list_conversions' || rows <= maxOfConversions);
}

function halves({ start, end }: Span, length: number): [Span, Span] {
  const middle = shiftDays(start, Math.floor(length / 2));
  return [
    { start, end: shiftDays(middle, -1) },
    { start: middle, end },
  ];
}
