import { type Approval, expectApprovals, learnApprovals } from '../../analysis/approvals.ts';
import { daysFrom } from '../../analysis/sale-delay.ts';
import { addHeld, type HeldMoney, type HeldSale, type Money, noneHeld } from '../../analysis/sale-status.ts';
import { sum } from '../../analysis/statistics/history.ts';
import { type HeldRevenue, type WhyNotHeld, whyNotHeld } from '../../answer/money-notes.ts';
import type { Notice } from '../../answer/notes.ts';
import { Failure } from '../../api/failure.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { addFigures, type Figures } from '../past-figures.ts';
import type { ListedSale, ListedSales } from './listed-sales.ts';
import type { Row } from './overview-rows.ts';
import { isWithin, type Span } from './read-visits.ts';

/** What networks approve, by sales whose statuses are listed, and how many days ago a sale was booked. */
export function approvalsOf({ all }: Pick<ListedSales, 'all'>, asOf: string) {
  const ageOf = ({ booked }: Pick<ListedSale, 'booked'>) => (booked === null ? 0 : Math.max(daysFrom(booked, asOf), 0));
  const stated = all.flatMap((sale) =>
    sale.booked === null || sale.held?.standing === 'unknown'
      ? []
      : [{ ...sale, age: ageOf(sale), standing: sale.held?.standing ?? ('approved' as const) }],
  );
  return { approvals: learnApprovals(stated), stated, ageOf };
}

/** What networks will probably reject of the pending sales of the visits of some days. */
export function expectRejections({ all }: ListedSales, span: Span, asOf: string): number {
  const pending = all.flatMap(({ visited, booked, held }) =>
    held?.standing === 'pending' && isWithin(visited ?? booked, span) ? [{ ...held, booked }] : [],
  );
  if (pending.length === 0) return 0;
  const { approvals, ageOf } = approvalsOf({ all }, asOf);
  const aged = pending.map((sale) => ({ ...sale, age: ageOf(sale) }));
  return sum(aged.map(({ amount }) => amount)) - expectApprovals(aged, approvals).amount;
}

/** What of the revenue of reports is not surely paid. */
export interface SettledMoney {
  /** By the key of a report; undefined if it has no such sale. */
  readonly heldIn: (key: string) => HeldMoney | undefined;
  /** Where rejected sales count as revenue. */
  readonly rejectedIn: HeldRevenue['rejectedIn'];
  /** The held sales of the compared reports. */
  readonly held: readonly HeldSale[];
}

/** Why it is not known what reports have of held sales, and those of the list, if it is whole. */
export interface NotSettled {
  readonly why: WhyNotHeld;
  readonly held?: readonly HeldSale[] | undefined;
}

/** How far the list may be off the reports. */
const tolerance = 0.01;

/** What is needed of a sale. */
type DatedSale = Pick<ListedSale, 'booked' | 'visited' | 'value'> & Partial<Pick<ListedSale, 'held'>>;

/**
 * Finds what reports have of held sales. Reports differ in the day on which they have a sale, and in whether they count rejected
 * ones: what adds up to the revenue of each is taken. Sums over all of them are often the same either way.
 *
 * @param sales those of the reports, and whether their list has none at all
 * @param revenues the revenue of each compared report
 * @param keyOf what a sale of a day counts for
 * @param reportOf the report of such a key
 */
export function settleMoney<Sale extends DatedSale>(
  {
    all,
    hasStatuses,
    isEmpty = all.length === 0,
  }: { readonly all: readonly Sale[]; readonly hasStatuses: boolean; readonly isEmpty?: boolean },
  revenues: ReadonlyMap<string, number>,
  keyOf: (sale: Sale, day: string) => string | undefined,
  reportOf: (key: string) => string = (key) => key,
): SettledMoney | NotSettled {
  const total = sum([...revenues.values()]);
  // An empty list does not show that the tracker has no statuses.
  if (!hasStatuses) return { why: isEmpty && total > tolerance ? 'differs' : 'no statuses' };
  const readings = (['booked', 'visited'] as const).flatMap((booking) => {
    const held = new Map<string, HeldMoney>();
    const compared: HeldSale[] = [];
    const [withRejected, without] = [new Map(revenues), new Map(revenues)];
    for (const sale of all) {
      const day = sale[booking];
      const key = day === null ? undefined : keyOf(sale, day);
      if (key === undefined) continue;
      const report = reportOf(key);
      takeFrom(withRejected, report, sale.value);
      takeFrom(without, report, sale.value - (sale.held?.standing === 'rejected' ? sale.held.amount : 0));
      if (!sale.held) continue;
      const sums = held.get(key) ?? noneHeld();
      held.set(key, sums);
      addHeld(sums, sale.held);
      if (revenues.has(report)) compared.push(sale.held);
    }
    const heldIn = (key: string) => held.get(key);
    return [
      { heldIn, held: compared, rejectedIn: 'reports' as const, off: amountsIn(withRejected) },
      { heldIn, held: compared, rejectedIn: undefined, off: amountsIn(without) },
    ];
  });
  const [best] = readings.toSorted((one, other) => one.off - other.off);
  if (!best || best.off > Math.abs(total) * tolerance + 1e-6) return { why: 'differs', held: best?.held };
  return best;
}

function takeFrom(amounts: Map<string, number>, key: string, amount: number): void {
  const known = amounts.get(key);
  if (known !== undefined) amounts.set(key, known - amount);
}

/** Amounts regardless of their sign; reports may be rounded to cents. */
const amountsIn = (amounts: ReadonlyMap<string, number>) =>
  sum([...amounts.values()].map((amount) => Math.max(Math.abs(amount) - halfCent, 0)));

const halfCent = 0.005;

/** The figures of some reports with the revenue that counts, and what of it is held. */
export function countHeld<Sums extends Pick<Figures, 'revenue' | 'profit'>>(
  figures: Sums,
  keys: readonly string[],
  settled: SettledMoney,
): Sums & HeldMoney {
  const held = noneHeld();
  for (const key of keys) {
    const own = settled.heldIn(key);
    for (const name of Object.keys(held) as (keyof HeldMoney)[]) held[name] += own?.[name] ?? 0;
  }
  const left = held.uncounted + (settled.rejectedIn ? held.rejected : 0);
  const { revenue, profit } = figures;
  return {
    ...figures,
    ...held,
    ...(revenue === undefined ? {} : { revenue: Number((revenue - left).toFixed(6)) }),
    ...(profit === undefined ? {} : { profit: Number((profit - left).toFixed(6)) }),
  };
}

/**
 * What of some revenue is held, as a note; empty if nothing is.
 * @param sales those that are not surely paid
 * @param rejectedIn where the tracker counts the rejected ones as revenue
 */
export function heldNote(
  revenue: number,
  money: Money,
  sales: readonly HeldSale[],
  rejectedIn: HeldRevenue['rejectedIn'],
): ({ readonly code: 'held-revenue' } & HeldRevenue)[] {
  if (money.state === 'booked' && sales.length === 0) return [];
  const { pending, rejected, unknown, rejectedSales } = addAllHeld(sales);
  const words = [...new Set(sales.flatMap(({ standing, word }) => (standing === 'unknown' ? [word] : [])))];
  const note = {
    code: 'held-revenue',
    money: money.state,
    revenue,
    pending,
    rejected,
    unknown,
    rejectedSales,
    rejectedIn,
    words,
  } as const;
  if (money.state !== 'expected') return [note];
  const waiting = sales.filter(({ standing }) => standing === 'pending');
  const late = waiting.filter(isLate(money.approvals));
  return [
    {
      ...note,
      expected: expectApprovals(waiting, money.approvals),
      late: { sales: late.length, amount: sum(late.map(({ amount }) => amount)) },
      approvals: changedApprovals(money.approvals),
    },
  ];
}

/** A sale that is pending longer than this beyond the usual is worth asking the network about. */
const daysOfGrace = 7;

export const isLate =
  (approvals: ReadonlyMap<string | null, Approval>) =>
  ({ network, age }: Pick<HeldSale, 'network' | 'age'>): boolean =>
    age > (approvals.get(network)?.decidedAfter ?? 0) + daysOfGrace;

/** A change of what a network approves that is worth a word: this many points, and this many standard deviations. */
const [minChange, minDeviations] = [0.1, 2];

function changedApprovals(approvals: ReadonlyMap<string | null, Approval>): NonNullable<HeldRevenue['approvals']> {
  return [...approvals].flatMap(([network, { share, earlier, deviation }]) => {
    const isChanged = Math.abs(share - earlier) >= Math.max(minChange, minDeviations * deviation);
    return network !== null && isChanged ? [{ network, share, earlier }] : [];
  });
}

/**
 * Counts the money of the reports of single days by its state.
 * @param isListed whether the sales of these days are all listed
 * @throws Failure if `paid` or `expected` cannot be told
 */
export function countDays<DayRow extends { readonly values: readonly [string]; readonly figures: Figures }>(
  rows: readonly DayRow[],
  sales: ListedSales,
  isListed: boolean,
  money: Money,
): { readonly rows: readonly DayRow[]; readonly notices: readonly Notice[] } {
  const revenues = new Map(rows.map(({ values: [day], figures }) => [day, figures.revenue ?? 0]));
  const settled = isListed ? settleMoney(sales, revenues, (_, day) => day) : ({ why: 'list' } as const);
  const total = sum([...revenues.values()]);
  if ('why' in settled) return { rows, notices: notTold('get_breakdown', settled, sales, money, total) };
  const counted = rows.map((row) => ({ ...row, figures: countHeld(row.figures, row.values, settled) }));
  const { revenue = 0 } = addFigures(counted.map(({ figures }) => figures));
  return { rows: counted, notices: heldNote(revenue, money, settled.held, settled.rejectedIn) };
}

/** @throws Failure if more than `booked` is asked */
export function notTold(
  tool: string,
  { why, held = [] }: NotSettled,
  { all }: { readonly all: readonly Partial<Pick<ListedSale, 'held'>>[] },
  money: Money,
  revenue: number,
): readonly Notice[] {
  if (money.state !== 'booked') throw noStates(tool, why);
  const isKnown = revenue === 0 || why === 'no statuses' || (all.length > 0 && !all.some((sale) => sale.held));
  if (isKnown) return [];
  const { pending, rejected, rejectedSales } = addAllHeld(held);
  return [{ code: 'held-not-told', why, pending, rejected, rejectedSales }];
}

/** That rejected sales may be in what is booked, because their list is not whole. */
export const cutNote = ({ state, listed }: Money): readonly Notice[] =>
  state === 'booked' && listed?.isCut ? [{ code: 'held-not-told', why: 'list' }] : [];

function addAllHeld(sales: readonly HeldSale[]): HeldMoney {
  const sums = noneHeld();
  for (const sale of sales) addHeld(sums, sale);
  return sums;
}

interface OverviewDays {
  readonly now: Span;
  /** Undefined if rows are compared with nothing, or with figures that count their money themselves. */
  readonly before: Span | undefined;
}

/**
 * Counts the money of an overview by its state.
 * @param isListed whether the sales of these days are all listed
 * @throws Failure if `paid` or `expected` cannot be told
 */
export function countRows(
  rows: readonly Row[],
  days: OverviewDays,
  sales: ListedSales,
  isListed: boolean,
  money: Money,
): { readonly rows: readonly Row[]; readonly notices: readonly Notice[] } {
  const kinds = [...new Set(rows.map(({ page }) => page?.kind))];
  const settled = new Map(
    kinds.map((kind) => [kind, isListed ? settleRows(rows, kind, days, sales) : ({ why: 'list' } as const)]),
  );
  const not = [...settled.values()].find((one) => 'why' in one);
  const total = addFigures(rows.map(({ now }) => now)).revenue ?? 0;
  if (not) return { rows, notices: notTold('get_overview', not, sales, money, total) };
  const seen = new Set<string>();
  const counted = rows.map((row): Row => {
    const own = settled.get(row.page?.kind);
    if (!own || 'why' in own) return row;
    // Pages of one name share a sum of the list: it counts once.
    const figuresOf = (figures: Figures, time: 'now' | 'before') => {
      const key = keyOfRow(row, time);
      if (seen.has(key)) return figures;
      seen.add(key);
      return countHeld(figures, [key], own);
    };
    return {
      ...row,
      now: figuresOf(row.now, 'now'),
      before: row.before && days.before ? figuresOf(row.before, 'before') : row.before,
    };
  });
  const ofOneKind = counted.filter(({ page }) => page?.kind === kinds.at(-1));
  const { revenue = 0 } = addFigures(ofOneKind.map(({ now }) => now));
  const last = settled.get(kinds.at(-1));
  const { held = [], rejectedIn } = last && !('why' in last) ? last : {};
  return { rows: counted, notices: heldNote(revenue, money, held, rejectedIn) };
}

function settleRows(
  rows: readonly Row[],
  kind: 'offer' | 'landing' | undefined,
  days: OverviewDays,
  sales: ListedSales,
) {
  const ofKind = rows.filter(({ page }) => page?.kind === kind);
  const revenues = new Map<string, number>();
  for (const row of ofKind) {
    const key = keyOfRow(row, 'now');
    revenues.set(key, (revenues.get(key) ?? 0) + (row.now.revenue ?? 0));
  }
  const keyOfSale = (sale: ListedSale, day: string) => {
    const time = isWithin(day, days.now) ? 'now' : days.before && isWithin(day, days.before) ? 'before' : undefined;
    const page = kind === undefined ? {} : { page: { kind, name: sale[kind] } };
    return time === undefined || !sale.campaign ? undefined : keyOf(rawText(sale.campaign.id), page, time);
  };
  return settleMoney(sales, revenues, keyOfSale);
}

const keyOfRow = ({ campaign, page }: Row, time: 'now' | 'before') =>
  keyOf(rawText(campaign.id), page ? { page: { kind: page.kind, name: rawCell(page.name) } } : {}, time);

const keyOf = (
  campaign: string,
  { page }: { readonly page?: { readonly kind: string; readonly name: string | null } },
  time: 'now' | 'before',
) => JSON.stringify([campaign, page?.kind, page?.name, time]);

/** Why money cannot be told by its state, for the tool that was asked. */
export function noStates(tool: string, why: WhyNotHeld): Failure {
  return new Failure(
    `${tool} cannot tell what is paid or expected: ${whyNotHeld(why)}.`,
    'Leave money out, or give booked.',
  );
}
