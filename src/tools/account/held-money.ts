import { addHeld, type HeldMoney, type MoneyState, moneyStates, noneHeld } from '../../analysis/sale-status.ts';
import { type HeldRevenue, type WhyNotHeld, whyNotHeld } from '../../answer/held-revenue.ts';
import type { Notice } from '../../answer/notes.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { addFigures, type Figures } from '../past-figures.ts';
import type { ListedSale, ListedSales } from './listed-sales.ts';
import type { Row } from './overview-rows.ts';
import type { Span } from './read-visits.ts';

/** The state of money that figures count; one argument of all tools that have it. */
export const moneyArgument = is
  .oneOf([...moneyStates, 'expected'], 'Default booked; paid: without pending sales')
  .optional();

/** @throws Failure for a state that cannot be told */
export function moneyOf(tool: string, { money = 'booked' }: { readonly money?: MoneyState | 'expected' | undefined }) {
  if (money !== 'expected') return money;
  throw new Failure(
    `${tool} was not called: money expected is not there yet.`,
    'Give booked, or paid without pending sales.',
  );
}

/** What of the revenue of reports is not surely paid. */
export interface SettledMoney {
  /** By the key of a report; undefined if it has no such sale. */
  readonly heldIn: (key: string) => HeldMoney | undefined;
  /** Whether reports count rejected sales as revenue. */
  readonly isRejectedReported: boolean;
}

/** How far the list may be off the reports. */
const tolerance = 0.01;

/** What is needed of a sale. */
type DatedSale = Pick<ListedSale, 'booked' | 'visited' | 'value'> & Partial<Pick<ListedSale, 'held'>>;

/**
 * Finds what reports have of held sales. Reports differ in the day on which they have a sale, and in whether they count rejected
 * ones: what adds up to their revenue is taken.
 *
 * @param total the revenue of all compared reports
 * @param keyOf the report that has a sale of a day
 * @param isCompared whether a report is part of the total
 */
export function settleMoney<Sale extends DatedSale>(
  { all, hasStatuses }: { readonly all: readonly Sale[]; readonly hasStatuses: boolean },
  total: number,
  keyOf: (sale: Sale, day: string) => string | undefined,
  isCompared: (key: string) => boolean = () => true,
): SettledMoney | WhyNotHeld {
  if (!hasStatuses) return 'no statuses';
  const readings = (['booked', 'visited'] as const).flatMap((booking) => {
    const held = new Map<string, HeldMoney>();
    let [sold, rejected] = [0, 0];
    for (const sale of all) {
      const day = sale[booking];
      const key = day === null ? undefined : keyOf(sale, day);
      if (key === undefined) continue;
      if (isCompared(key)) {
        sold += sale.value;
        if (sale.held?.standing === 'rejected') rejected += sale.held.amount;
      }
      if (!sale.held) continue;
      const sums = held.get(key) ?? noneHeld();
      held.set(key, sums);
      addHeld(sums, sale.held);
    }
    const heldIn = (key: string) => held.get(key);
    return [
      { heldIn, isRejectedReported: true, off: Math.abs(sold - total) },
      { heldIn, isRejectedReported: false, off: Math.abs(sold - rejected - total) },
    ];
  });
  const [best] = readings.toSorted((one, other) => one.off - other.off);
  return best && best.off <= Math.abs(total) * tolerance + 1e-6 ? best : 'differs';
}

/** What the revenue of a report loses to leave what counts. */
function leftOut(held: HeldMoney, { isRejectedReported }: SettledMoney, money: MoneyState): number {
  return (isRejectedReported ? held.rejected : 0) + (money === 'paid' ? held.pending + held.unknown : 0);
}

/** The figures of some reports with the revenue that counts, and what of it is held. */
export function countHeld<Sums extends Pick<Figures, 'revenue' | 'profit'>>(
  figures: Sums,
  keys: readonly string[],
  settled: SettledMoney,
  money: MoneyState,
): Sums & HeldMoney {
  const held = noneHeld();
  for (const key of keys) {
    const own = settled.heldIn(key);
    for (const name of Object.keys(held) as (keyof HeldMoney)[]) held[name] += own?.[name] ?? 0;
  }
  const left = leftOut(held, settled, money);
  const { revenue, profit } = figures;
  return {
    ...figures,
    ...held,
    ...(revenue === undefined ? {} : { revenue: Number((revenue - left).toFixed(6)) }),
    ...(profit === undefined ? {} : { profit: Number((profit - left).toFixed(6)) }),
  };
}

/** What of some revenue is held, as a note; empty if nothing is. */
export function heldNote(
  { revenue = 0, ...figures }: Figures,
  money: MoneyState,
  words: Iterable<string>,
): ({ readonly code: 'held-revenue' } & HeldRevenue)[] {
  const { pending = 0, rejected = 0, unknown = 0, rejectedSales = 0 } = figures;
  if (money === 'booked' && pending === 0 && rejectedSales === 0 && unknown === 0) return [];
  return [{ code: 'held-revenue', money, revenue, pending, rejected, rejectedSales, unknown, words: [...words] }];
}

/**
 * Counts the money of the reports of single days by its state.
 * @param sales undefined if they are not all listed
 * @throws Failure if `paid` cannot be told
 */
export function countDays<DayRow extends { readonly values: readonly [string]; readonly figures: Figures }>(
  rows: readonly DayRow[],
  sales: ListedSales | undefined,
  money: MoneyState,
): { readonly rows: readonly DayRow[]; readonly notices: readonly Notice[] } {
  const days = new Set(rows.map(({ values: [day] }) => day));
  const total = rows.reduce((sum, { figures }) => sum + (figures.revenue ?? 0), 0);
  const settled = sales ? settleMoney(sales, total, (_, day) => (days.has(day) ? day : undefined)) : 'list';
  if (typeof settled === 'string') return { rows, notices: notTold('get_breakdown', settled, sales, money) };
  const counted = rows.map((row) => ({ ...row, figures: countHeld(row.figures, row.values, settled, money) }));
  const all = addFigures(counted.map(({ figures }) => figures));
  return { rows: counted, notices: heldNote(all, money, unknownWords(sales ?? { all: [] })) };
}

/** @throws Failure if `paid` is asked */
export function notTold(
  tool: string,
  why: WhyNotHeld,
  sales: { readonly all: readonly Partial<Pick<ListedSale, 'held'>>[] } | undefined,
  money: MoneyState,
): readonly Notice[] {
  if (money === 'paid') throw noStates(tool, why);
  return sales?.all.some(({ held }) => held) ? [{ code: 'held-not-told', why }] : [];
}

interface OverviewDays {
  readonly now: Span;
  /** Undefined if rows are compared with nothing, or with figures that count their money themselves. */
  readonly before: Span | undefined;
}

/**
 * Counts the money of an overview by its state.
 * @param isListed whether the sales of these days are all listed
 * @throws Failure if `paid` cannot be told
 */
export function countRows(
  rows: readonly Row[],
  days: OverviewDays,
  sales: ListedSales,
  isListed: boolean,
  money: MoneyState,
): { readonly rows: readonly Row[]; readonly notices: readonly Notice[] } {
  const kinds = [...new Set(rows.map(({ page }) => page?.kind))];
  const settled = new Map(kinds.map((kind) => [kind, isListed ? settleRows(rows, kind, days, sales) : 'list']));
  const why = [...settled.values()].find((one) => typeof one === 'string');
  if (why !== undefined) return { rows, notices: notTold('get_overview', why, sales, money) };
  const seen = new Set<string>();
  const counted = rows.map((row): Row => {
    const own = settled.get(row.page?.kind);
    if (typeof own !== 'object') return row;
    // Pages of one name share a sum of the list: it counts once.
    const figuresOf = (figures: Figures, time: 'now' | 'before') => {
      const key = keyOfRow(row, time);
      if (seen.has(key)) return figures;
      seen.add(key);
      return countHeld(figures, [key], own, money);
    };
    return {
      ...row,
      now: figuresOf(row.now, 'now'),
      before: row.before && days.before ? figuresOf(row.before, 'before') : row.before,
    };
  });
  const ofOneKind = counted.filter(({ page }) => page?.kind === kinds.at(-1));
  return { rows: counted, notices: heldNote(addFigures(ofOneKind.map(({ now }) => now)), money, unknownWords(sales)) };
}

function settleRows(
  rows: readonly Row[],
  kind: 'offer' | 'landing' | undefined,
  days: OverviewDays,
  sales: ListedSales,
) {
  const ofKind = rows.filter(({ page }) => page?.kind === kind);
  const keys = new Set(ofKind.map((row) => keyOfRow(row, 'now')));
  const total = ofKind.reduce((sum, { now }) => sum + (now.revenue ?? 0), 0);
  const keyOfSale = (sale: ListedSale, day: string) => {
    const time = isWithin(day, days.now) ? 'now' : days.before && isWithin(day, days.before) ? 'before' : undefined;
    const page = kind === undefined ? {} : { page: { kind, name: sale[kind] } };
    return time === undefined || !sale.campaign ? undefined : keyOf(rawText(sale.campaign.id), page, time);
  };
  return settleMoney(sales, total, keyOfSale, (key) => keys.has(key));
}

const isWithin = (day: string, { start, end }: Span) => day >= start && day <= end;

const keyOfRow = ({ campaign, page }: Row, time: 'now' | 'before') =>
  keyOf(rawText(campaign.id), page ? { page: { kind: page.kind, name: rawCell(page.name) } } : {}, time);

const keyOf = (
  campaign: string,
  { page }: { readonly page?: { readonly kind: string; readonly name: string | null } },
  time: 'now' | 'before',
) => JSON.stringify([campaign, page?.kind, page?.name, time]);

/** Why money cannot be told by its state, for the tool that was asked. */
export function noStates(tool: string, why: WhyNotHeld): Failure {
  return new Failure(`${tool} cannot tell what is paid: ${whyNotHeld(why)}.`, 'Leave money out, or give booked.');
}

/** The statuses that no network is known to use, as they stand. */
export function unknownWords({ all }: { readonly all: readonly Partial<Pick<ListedSale, 'held'>>[] }): string[] {
  return [...new Set(all.flatMap(({ held }) => (held?.standing === 'unknown' ? [held.word] : [])))];
}
