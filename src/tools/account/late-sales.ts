import { mapCoded, sameInAll, valueAt } from '../../analysis/coded.ts';
import { indexOfColumn } from '../../analysis/columns/columns.ts';
import { isoMinute, type ListedTimes, timesInLongList } from '../../analysis/columns/times.ts';
import { type ExpectedSales, ExpectedSalesOf, type TimedSale } from '../../analysis/expected-sales.ts';
import { readablePayouts } from '../../analysis/payouts.ts';
import { booked, countMoney } from '../../analysis/sale-status.ts';
import type { SoldOf } from '../../analysis/timed-sales.ts';
import type { Expected } from '../../answer/money-notes.ts';
import type { NoteOf } from '../../answer/notes.ts';
import { dayMs } from '../../api/durations.ts';
import type { Pace } from '../../api/running-call.ts';
import { withRests } from '../../api/steps.ts';
import type { Table } from '../../api/table.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { thingsOf } from '../../api/vocabulary.ts';
import { paceOf } from '../asking.ts';
import { readCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { clockTime, listDays, shiftDays, today } from '../period.ts';
import type { Span } from './read-visits.ts';
import { isAny, isLongAgo, learnedDays, type SaleLists } from './sale-lists.ts';
import type { TrafficOf } from './visited-days.ts';

/** Fewer sales do not show how late they come. */
const minSales = 20;

export interface LateSales extends Pick<SaleLists, 'gap' | 'isMeant'> {
  /** Undefined if unknown: the conversion list cannot be read, is too short, or has only one date. */
  readonly late: ExpectedSalesOf | undefined;
}

/**
 * Learns from conversion lists how late sales come, by the longest run of days that is whole.
 * @param readLists called only if the span did not end long ago
 * @param readTraffic how traffic changed, by visits that are read anyway; called only if sales are to be expected
 */
export async function readLateSales(
  span: Span,
  readLists: () => Promise<SaleLists>,
  context: CallContext,
  readTraffic?: () => Promise<TrafficOf | undefined>,
): Promise<LateSales> {
  if (isLongAgo(span, context)) return { late: undefined, gap: undefined, isMeant: isAny };
  const { tables, gap, unreadDays, isMeant, campaign: own } = await readLists();
  const now = today(context.timeZone, context.now());
  const days = longestRun(listDays(shiftDays(now, -learnedDays), now), new Set(unreadDays));
  const [from = now, to = now] = [days[0], days.at(-1)].map((day) => day ?? now);
  const clock = Date.parse(`${now}T${clockTime(context.timeZone, context.now())}Z`);
  const pace = paceOf(context);
  let sales: readonly TimedSale[] = [];
  for (const table of tables) sales = sales.concat(await salesIn(table, clock, pace));
  const [first, end] = [Date.parse(from), Date.parse(shiftDays(to, 1))];
  if (sales.filter(({ booked }) => booked >= first && booked < end).length < minSales)
    return { late: undefined, gap, isMeant };
  // The clock of the tracker may be ahead, if its zone is not known.
  const latest = sales.reduce((most, { booked }) => Math.max(most, booked), clock);
  const until = to < now ? end : latest;
  await pace.rest();
  // Without visits, sales show the traffic. Whoever reads the visits says why they cannot be read.
  const trafficOf = await readTraffic?.().catch(() => undefined);
  const listed = { from: first, until, now: latest };
  const learning = ExpectedSalesOf.learn(sales, listed, (campaign) => trafficOf?.(own ?? campaign));
  const late = await withRests(learning, pace.rest);
  return { late, gap, isMeant };
}

const { booked: bookedNames, visited: visitedNames, offerName } = thingsOf('conversion');
const { network: networkNames } = thingsOf('dimension');

/** The sales of a list with both of their times. Where it shows only days, they are spread evenly over the hours. */
async function salesIn(table: Table, clock: number, pace: Pace): Promise<TimedSale[]> {
  const bookings = await timesInLongList(table, bookedNames, pace);
  const visits = await timesInLongList(table, visitedNames, pace);
  if (!bookings || !visits) return [];
  const amounts = readablePayouts(table);
  const { revenue } = countMoney(table, (row) => amounts?.[row] || 0, booked);
  const textsIn = (names: readonly string[]) => {
    const column = indexOfColumn(table, names);
    return column === undefined
      ? sameInAll(table.rowCount, '')
      : mapCoded(table.coded(column), (cell) => rawCell(cell) ?? '');
  };
  const [offers, networks] = [offerName, networkNames].map(textsIn);
  await pace.rest();
  const read = readCampaigns(table);
  const campaigns = read ? mapCoded(read, ({ id, name }) => id ?? name ?? '') : sameInAll(table.rowCount, '');
  const sales: TimedSale[] = [];
  for (let row = 0; row < table.rowCount; row += 1) {
    if (row % rowsPerStep === 0) await pace.rest();
    const visited = momentIn(visits, row, Number.NEGATIVE_INFINITY, clock);
    const sold = visited === undefined ? undefined : momentIn(bookings, row, visited, clock);
    if (visited === undefined || sold === undefined) continue;
    sales.push({
      visited,
      booked: sold,
      value: revenue(row),
      campaign: valueAt(campaigns, row) ?? '',
      offer: (offers && valueAt(offers, row)) ?? '',
      network: (networks && valueAt(networks, row)) ?? '',
    });
  }
  return sales;
}

const rowsPerStep = 1000;

/** Multiples of it are even between whole numbers: the golden ratio. */
const evenly = 0.618033988749895;

/** The moment of a row; of a day alone a moment of it, after another and before the clock. */
function momentIn(
  { momentOf, dayOf: dayIn }: ListedTimes,
  row: number,
  after: number,
  clock: number,
): number | undefined {
  const moment = momentOf(row);
  if (moment !== null) return moment;
  const day = dayIn(row);
  if (day === null) return undefined;
  const start = Date.parse(day);
  const first = Math.max(start, Math.min(after, start + dayMs));
  const end = clock > start ? Math.min(start + dayMs, Math.max(clock, first)) : start + dayMs;
  return first + (end - first) * ((row * evenly) % 1);
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

/** From this part on, late sales are not worth a notice. */
const completePart = 0.97;

/** Whether so many sales are to come that they change the figures. */
const isNotable = ({ seen, count }: ExpectedSales) => Math.round(count) > 0 && seen < (seen + count) * completePart;

/** The sales to come of the visits of some days; undefined if all sales are in, or nothing is known. */
export function expectLateSales(
  { late, isMeant }: LateSales,
  span: Span,
  isOneOf = isMeant,
): ExpectedSales | undefined {
  const expected = late?.expect(span, isOneOf);
  return expected && isNotable(expected) ? expected : undefined;
}

/** What the rows of an answer are, as far as sales show it. */
export interface LateBy {
  readonly dimension: string;
  /** Undefined if it is not known, or no row. */
  readonly readValue: (of: SoldOf) => string | undefined;
}

/** Where rows are of something that sales do not show: networks have their own delays. */
export const byNetwork: LateBy = { dimension: 'network', readValue: ({ network }) => network || undefined };

/** A part is named if it lacks so much more than all of them, and surely some sales. */
const laterPart = 0.8;

const partIn = ({ seen, count }: ExpectedSales) => seen / (seen + count);

/**
 * A note about late sales in the figures of some days; none if all sales are in, or nothing is known.
 * @param isByDay whether each day has its own figures
 * @param by the parts of which those are named that lack more than all
 */
export function lateSalesNote(
  lateSales: LateSales,
  { start, end }: Span,
  isByDay: boolean,
  context: CallContext,
  { dimension, readValue }: LateBy = byNetwork,
): NoteOf<'late-sales'>[] {
  const now = today(context.timeZone, context.now());
  const span = { start, end: end > now ? now : end };
  if (!lateSales.late || start > span.end) return [];
  const { whole, parts } = lateSales.late.expectParts(span, readValue, lateSales.isMeant);
  const later = parts
    .filter((part) => part.low > 0 && partIn(part) < laterPart * partIn(whole))
    .sort((one, other) => other.revenue - one.revenue || other.count - one.count)
    .map(({ value, ...part }) => ({ dimension, value, ...numbersOf(part) }));
  if (!isNotable(whole) && later.length === 0) return [];
  const byDay = (isByDay ? listDays(start, span.end) : []).flatMap((day) => {
    const ofDay = expectLateSales(lateSales, { start: day, end: day });
    return ofDay ? [{ day, ...numbersOf(ofDay) }] : [];
  });
  const { heldBack: held } = lateSales.late;
  const heldBack = held && { since: isoMinute(held.since), hours: held.hours };
  return [{ code: 'late-sales', ...numbersOf(whole), revenue: whole.revenue, heldBack, byDay, later }];
}

const numbersOf = ({ seen, count, low, high }: ExpectedSales): Expected => ({ seen, count, low, high });
