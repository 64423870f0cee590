import { valueAt } from '../../analysis/coded.ts';
import { timesIn } from '../../analysis/columns/times.ts';
import { payoutsIn } from '../../analysis/payouts.ts';
import { countMoney, type Money } from '../../analysis/sale-status.ts';
import { sum } from '../../analysis/statistics/history.ts';
import { visitTimes } from '../../analysis/visit-dimensions.ts';
import { figuresIn } from '../../analysis/visit-groups.ts';
import type { WhyNotSoFar } from '../../answer/day-notes.ts';
import { minuteMs } from '../../api/durations.ts';
import type { Table } from '../../api/table.ts';
import { thingsOf } from '../../api/vocabulary.ts';
import { optional } from '../asking.ts';
import { campaignsIn, type ListedCampaign } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { addFigures, type Figures, type SummedMeasure } from '../past-figures.ts';
import { clockTime, shiftDays, today } from '../period.ts';
import { readAccountVisits, type VisitList } from './account-visits.ts';

/** A day up to a time, from the lists of visitors and conversions: reports have no hours. */
export interface DaySoFar {
  /** HH:MM */
  readonly until: string;
  /** A figure is absent if the lists do not show it as the reports of the whole day do. */
  readonly figuresOf: (campaign: ListedCampaign) => Figures;
  /** The figures that are absent. */
  readonly without: readonly SummedMeasure[];
}

/** What to count: a day, YYYY-MM-DD, and its part up to a time, HH:MM. */
interface DayPart {
  readonly day: string;
  readonly until: string;
}

/** What a list has of a day, over all campaigns, and of its part by campaign. */
interface Counted {
  readonly whole: Figures;
  readonly soFar: ReadonlyMap<ListedCampaign, Figures>;
}

/** The reports of the whole day, by campaign; no other campaign counts. */
type Reports = ReadonlyMap<ListedCampaign, Figures>;

/** How far a list may be off the reports of the whole day. */
const tolerance = 0.01;

/**
 * An earlier day up to the present time of day. Each figure is counted for the whole day, too, and is known only if that is what the
 * reports have.
 *
 * @param day YYYY-MM-DD, in the tracker's zone
 * @param money which revenue counts
 */
export async function readDaySoFar(
  day: string,
  reports: Reports,
  money: Money,
  context: CallContext,
): Promise<DaySoFar | WhyNotSoFar> {
  if (context.isZoneAssumed) return 'zone';
  const part = { day, until: clockTime(context.timeZone, context.now()) };
  const reported = addFigures([...reports.values()]);
  const campaigns = [...reports.keys()];
  const asked = { span: { start: day, end: day }, listing: Promise.resolve(campaigns) };
  const quiet = { ...context, onProgress: undefined };
  const readVisits = () => readAccountVisits({ ...asked, needsCampaigns: true, needsSales: false }, quiet);
  const [visits, tables = []] = await Promise.all([
    optional(readVisits, context),
    optional(() => readSalesSince(day, quiet), context),
  ]);
  if (!visits?.isWhole) return 'list';
  const visited = countVisits(visits.lists, part, reports);
  if (!visited) return 'times';
  if (!agree(visited.whole.views, reported.views)) return 'views';
  // A report counts a sale on its own day, or on that of its visit. On most days of a large account, both are about the same.
  const salesBy = (booking: 'booked' | 'visited') =>
    optional(async () => countSales(tables, booking, part, campaignsIn(campaigns), reports, money), context);
  const bookings = [await salesBy('booked'), await salesBy('visited')];
  const fits = (sales: Counted | undefined, name: SummedMeasure) => agree(sales?.whole[name], reported[name]);
  const offBy = (sales: Counted | undefined) =>
    sum(
      (['conversions', 'revenue'] as const).map((name) => Math.abs((sales?.whole[name] ?? 0) - (reported[name] ?? 0))),
    );
  const withCounts = bookings
    .filter((sales) => fits(sales, 'conversions'))
    .toSorted((one, other) => offBy(one) - offBy(other));
  const sold = withCounts.find((sales) => fits(sales, 'revenue')) ?? withCounts[0];
  const isKnown = (name: SummedMeasure) => agree({ ...visited.whole, ...sold?.whole }[name], reported[name]);
  const known = (['views', 'clicks', 'cost', 'conversions', 'revenue'] as const).filter(isKnown);
  return {
    until: part.until,
    without: (['clicks', 'cost', 'conversions', 'revenue'] as const).filter(
      (name) => reported[name] !== undefined && !isKnown(name),
    ),
    figuresOf: (campaign) => {
      const counted = { ...visited.soFar.get(campaign), ...sold?.soFar.get(campaign) };
      const figures: Figures = Object.fromEntries(known.map((name) => [name, counted[name] ?? 0]));
      const { cost, revenue } = figures;
      return cost === undefined || revenue === undefined ? figures : { ...figures, profit: revenue - cost };
    },
  };
}

function agree(counted: number | undefined, reported: number | undefined): boolean {
  if (counted === undefined || reported === undefined) return false;
  return Math.abs(counted - reported) <= Math.abs(reported) * tolerance + 1e-6;
}

/** The end of a minute, HH:MM, on the tracker's clock as if that were UTC. */
export const endOfMinute = (day: string, time: string): number => Date.parse(`${day}T${time}:00Z`) + minuteMs;

/** Whether a moment on the tracker's clock is of the part of the day. */
function isWithin(moment: number, { day, until }: DayPart): boolean {
  return moment >= Date.parse(`${day}T00:00:00Z`) && moment < endOfMinute(day, until);
}

type CountRow = (campaign: ListedCampaign | undefined, figures: Figures, counted: Figures, isSoFar: boolean) => void;

/** @param measures counted, also where there is nothing */
function counter(reports: Reports, measures: readonly SummedMeasure[]): Counted & { readonly count: CountRow } {
  const whole: Figures = Object.fromEntries(measures.map((measure) => [measure, 0]));
  const soFar = new Map<ListedCampaign, Figures>();
  const addTo = (sum: Figures, figures: Figures) => {
    for (const measure of measures) sum[measure] = (sum[measure] ?? 0) + (figures[measure] ?? 0);
  };
  return {
    whole,
    soFar,
    count: (campaign, figures, counted, isSoFar) => {
      if (!campaign || !reports.has(campaign)) return;
      addTo(whole, figures);
      if (!isSoFar) return;
      const known = soFar.get(campaign) ?? {};
      soFar.set(campaign, known);
      addTo(known, counted);
    },
  };
}

/** Views, clicks and cost; undefined if a visit has no time of day. */
function countVisits(lists: readonly VisitList[], part: DayPart, reports: Reports): Counted | undefined {
  const filled = lists.filter(({ table }) => table.rowCount > 0);
  const listed = (['clicks', 'cost'] as const).filter((name) => filled.every(({ table }) => figuresIn(table)[name]));
  const { count, ...counted } = counter(reports, ['views', ...listed]);
  for (const { table, visited } of filled) {
    const times = visitTimes(table);
    const { clicks, cost } = figuresIn(table);
    for (let row = 0; row < table.rowCount; row += 1) {
      const moment = times?.momentOf(row) ?? null;
      if (moment === null) return undefined;
      const figures = { views: 1, clicks: clicks?.[row] ?? 0, cost: cost?.[row] ?? 0 };
      count(valueAt(visited, row)?.listed, figures, figures, isWithin(moment, part));
    }
  }
  return counted;
}

const saleTimes = thingsOf('conversion');

/** The conversions since a day, with the time of the visit. */
async function readSalesSince(day: string, { client, signal, timeZone, now }: CallContext): Promise<readonly Table[]> {
  const end = shiftDays(today(timeZone, now()), 1);
  const asked = { campaign_id: 0, start_date: day, end_date: end, column_set: 'all' } as const;
  return (await client.read('list_conversions', asked, { signal })).reply.tables;
}

/** Conversions and revenue of the day, by the time of the sale or of its visit; undefined if a sale has no time of day. */
function countSales(
  tables: readonly Table[],
  booking: 'booked' | 'visited',
  part: DayPart,
  visitedIn: ReturnType<typeof campaignsIn>,
  reports: Reports,
  money: Money,
): Counted | undefined {
  const payouts = tables.map(payoutsIn);
  const hasMoney = tables.every(({ rowCount }, index) => rowCount === 0 || payouts[index]);
  const { count, ...counted } = counter(reports, hasMoney ? ['conversions', 'revenue'] : ['conversions']);
  for (const [index, table] of tables.entries()) {
    const [days, booked] = [booking, 'booked' as const].map((name) => timesIn(table, saleTimes[name]));
    const campaignOf = visitedIn(table);
    const listed = (row: number) => payouts[index]?.[row] || 0;
    const counted = countMoney(table, listed, money);
    for (let row = 0; row < table.rowCount; row += 1) {
      if (days?.dayOf(row) !== part.day) continue;
      const moment = booked?.momentOf(row) ?? null;
      if (moment === null) return undefined;
      // The whole day is compared with reports, which may count all revenue.
      const campaign = valueAt(campaignOf, row)?.listed;
      count(
        campaign,
        { conversions: 1, revenue: listed(row) },
        { conversions: 1, revenue: counted.revenue(row) },
        isWithin(moment, part),
      );
    }
  }
  return counted;
}
