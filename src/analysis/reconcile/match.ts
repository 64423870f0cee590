import type { Note } from '../../answer/notes.ts';
import type { ClassName } from '../../answer/statement-notes.ts';
import { dayMs, minuteMs } from '../../api/durations.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { namesOf, thingsOf } from '../../api/vocabulary.ts';
import { indexOfColumn, readerOfAmounts, readNumbers } from '../columns/columns.ts';
import { readTimes } from '../columns/times.ts';
import { columnsInWords, refuseUnread } from '../columns/unread.ts';
import {
  campaignIn,
  mentionSubid,
  readSubidCell,
  type SubidReading,
  Visitors,
  withoutQuotes,
} from '../given-subids.ts';
import { moneyColumn } from '../payouts.ts';
import { at, groupBy, sum } from '../statistics/history.ts';
import { compareAmounts, currencyOfEqualAmounts, isSameAmount } from './compared-amounts.ts';
import { countOthers, findCoverage, isCovered, type Origin, type OtherSales } from './coverage.ts';
import { kindOfExtraLine, type SettledStanding, settleTakenBack } from './extra-lines.ts';
import type { Statement, StatementLine } from './read-statement.ts';
import { networkOf } from './status-words.ts';
import { standingOfLine } from './statuses.ts';
import { withSubidsOfOrders } from './subids-of-orders.ts';
import { findZoneShift, type ZoneShift } from './zone-shift.ts';

/** A conversion that the tracker lists. */
export interface Sale extends Origin {
  readonly subid: string;
  readonly amount: number | undefined;
  /** Milliseconds on the tracker's own clock, as if that were UTC. */
  readonly time: number | undefined;
  readonly transaction: string | undefined;
}

/** A line, with what its statuses say; undefined if it has none. */
export interface MatchedLine extends StatementLine {
  readonly standing: SettledStanding;
}

/** A line, a conversion, or both. */
export interface Pair {
  readonly class: ClassName;
  readonly line: MatchedLine | undefined;
  readonly sale: Sale | undefined;
  /** As the tracker writes it; otherwise as read from the statement; otherwise the whole cell. */
  readonly subid: string;
  /** Sentences without a full stop. */
  readonly about: readonly string[];
}

/** A span of time in milliseconds on the tracker's clock; the end is not included. */
interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Reconciliation {
  readonly pairs: readonly Pair[];
  readonly subidColumn: string;
  /** The number of subIDs that were found only after a repair, and the first one. */
  readonly repaired: { readonly count: number; readonly cell: string; readonly visitor: string } | undefined;
  /** The network by which statuses were read; undefined if it is not known. */
  readonly network: string | undefined;
  readonly shift: ZoneShift | undefined;
  /** An amount that can be read in two ways, if the tracker's amounts do not decide either. */
  readonly openAmount: string | undefined;
  /** Conversions without a line on days that are not reconciled; they are in no class. */
  readonly outside: number;
  /** Conversions without a line on the days, of networks that the statement does not cover; they are in no class. */
  readonly others: OtherSales | undefined;
  /** The days on the tracker's clock, if fewer of their conversions lack a line than on the statement's own days. */
  readonly trackerDays: Span | undefined;
  readonly notices: readonly Note[];
}

export interface MatchOptions {
  /** IDs of the tracker's campaigns; undefined if unknown. */
  readonly campaigns: ReadonlySet<string> | undefined;
  /** The campaign whose conversions were read; undefined for all. */
  readonly campaignId: string | undefined;
  /** The days to reconcile, YYYY-MM-DD, on the statement's clock. */
  readonly start: string;
  readonly end: string;
  /** Whether the caller named these days; otherwise they were found in the statement. */
  readonly areDaysGiven: boolean;
  /** The tracker's currency, a sign or a code; undefined if unknown. */
  readonly currency: string | undefined;
}

/**
 * The conversions in a list, those among them without a subID, and the currency sign of their amounts.
 * @throws Failure if they have no column of subIDs: no line could match
 */
export function readSales(table: Table): {
  readonly sales: readonly Sale[];
  readonly unnamed: readonly Sale[];
  readonly unit: string | undefined;
} {
  const textsIn = (names: readonly string[]) => table.column(indexOfColumn(table, names) ?? -1).map(rawCell);
  const columns = thingsOf('conversion');
  if (table.rowCount > 0 && indexOfColumn(table, columns.visitor) === undefined)
    throw new Failure(
      'The tracker’s conversions have no column of subIDs that is known, so no line can be matched.',
      columnsInWords(table),
    );
  const [booked, transactions, money] = [textsIn(columns.booked), textsIn(columns.transaction), moneyColumn(table)];
  const [networks, offers] = [textsIn(namesOf('dimension', 'network')), textsIn(columns.converted)];
  const numbers = money < 0 ? undefined : readNumbers(table, money);
  if (money >= 0 && !numbers) refuseUnread(table, money);
  const amountOf = readerOfAmounts(table, money);
  const times = readTimes(booked.map((cell) => cell ?? '')).values;
  const all = textsIn(columns.visitor).map((subid, row): Sale => {
    const number = numbers ? numbers.values[row] : amountOf(table.text(row, money));
    const amount = number === undefined || Number.isNaN(number) ? undefined : Number(number);
    const [transaction, network, offer] = [transactions, networks, offers].map((cells) => cells[row] ?? undefined);
    return { subid: subid ?? '', amount, time: times[row], transaction, network, offer };
  });
  const isNamed = ({ subid }: Sale) => subid !== '';
  return { sales: all.filter(isNamed), unnamed: all.filter((sale) => !isNamed(sale)), unit: numbers?.unit };
}

/** A line, and the reading of its subID cell. */
interface Entry extends SubidReading {
  readonly line: MatchedLine;
  readonly cell: string;
}

/**
 * Matches the lines of a statement with the conversions of a tracker. A visitor's lines and conversions are paired by transaction,
 * then by amount, then in order; one that is left over is a duplicate if its visitor has others on the same side. Each line is in one
 * class, and so is each conversion that has a line, or is on the days and of a network that the statement covers.
 */
export function reconcile(statement: Statement, sales: readonly Sale[], options: MatchOptions): Reconciliation {
  const salesByVisitor = groupBy(sales, ({ subid }) => subid);
  const { entries, subidColumn, hasComma, isOpen, network } = readEntries(
    statement,
    new Visitors(sales),
    salesByVisitor,
  );
  const entriesByVisitor = groupBy(entries, ({ visitor }) => visitor);
  const saleByLine = new Map<MatchedLine, Sale>();
  const items = new Set<MatchedLine>();
  for (const [visitor = '', entries] of entriesByVisitor) {
    const lines = entries.map(({ line }) => line);
    const open = new Set(salesByVisitor.get(visitor));
    // Neither a reversal nor a rejected line must take the conversion of an approved one.
    const [sold, unpaid, reversed] = [isSold, isUnpaid, isReversal].map((is) => lines.filter(is));
    for (const item of pairOrder(sold ?? [], open, saleByLine)) items.add(item);
    for (const group of [sold, unpaid, reversed]) pairUp(group ?? [], open, saleByLine);
  }
  const currency = options.currency ?? currencyOfEqualAmounts(saleByLine);
  const findOrigin = originFinder(options, sales);
  const seen = new Set<string>();
  const classify = ({ line, cell, visitor, subid, class: problem, about: remarks }: Entry): Pair => {
    const sale = saleByLine.get(line);
    const shown = visitor ?? subid ?? cell.trim();
    const about = [...line.problems.map((cell) => `cannot be read: ${cell}`), ...remarks];
    const pair = { line, sale, subid: shown, about };
    if (problem === 'unreadable' || line.problems.length > 0) return { ...pair, class: 'unreadable' };
    const isUnclear = line.standing === 'unclear' && !isReversal(line);
    if (isUnpaid(line) && !isUnclear) return { ...pair, class: line.standing };
    if (isReversal(line)) return { ...pair, class: 'reversal' };
    if (items.has(line)) return { ...pair, class: 'matched', about: [...about, 'an item of one order'] };
    if (sale && !isUnclear) return { ...pair, ...compareAmounts(line, sale, currency, about) };
    if (problem) return { ...pair, class: problem };
    const origin = visitor === undefined ? findOrigin(shown) : undefined;
    if (origin) return { ...pair, class: origin.class, about: [...about, origin.about] };
    if (isUnclear) return { ...pair, class: 'unclear' };
    const isDuplicate = visitor !== undefined || seen.has(shown);
    seen.add(shown);
    if (!isDuplicate) return { ...pair, class: 'statement_only' };
    const others = (entriesByVisitor.get(visitor) ?? []).flatMap((one) => (one.line === line ? [] : [one.line]));
    return { ...pair, class: kindOfExtraLine(line, others, (receipt) => countByReceipt.get(receipt)?.length ?? 0) };
  };
  const countByReceipt = groupBy(
    statement.lines.filter(({ transaction }) => transaction !== undefined),
    ({ transaction }) => transaction,
  );
  const pairs = entries.map(classify);
  const hasClocks = statement.hasClock && sales.some(({ time }) => time !== undefined && time % dayMs !== 0);
  const shift = hasClocks ? findZoneShift(timeDifferences(saleByLine)) : undefined;
  const paired = new Set(saleByLine.values());
  const unpaired = sales.filter((sale) => !paired.has(sale));
  const coverage = findCoverage(sales, paired, pairs.filter((pair) => pair.class === 'statement_only').length);
  const own = unpaired.filter((sale) => isCovered(sale, coverage));
  const { isOnDays, trackerDays } = selectDays(own, paired, shift, options);
  const others = unpaired.filter((sale) => !isCovered(sale, coverage) && isOnDays(sale));
  const withoutLine = own.filter(isOnDays).map((sale): Pair => {
    const { subid } = sale;
    const isDuplicate = entriesByVisitor.has(subid) || seen.has(subid);
    seen.add(subid);
    return { class: isDuplicate ? 'twice_in_tracker' : 'tracker_only', line: undefined, sale, subid, about: [] };
  });
  return {
    pairs: [...pairs, ...withoutLine],
    subidColumn,
    repaired: firstRepaired(entries),
    network,
    shift,
    outside: unpaired.length - withoutLine.length - others.length,
    others: countOthers(others, coverage),
    trackerDays,
    openAmount: isOpen ? statement.openAmount : undefined,
    notices: [
      ...(statement.openAmount === undefined ? [] : [openAmountNote(statement.openAmount, hasComma)]),
      ...(options.campaigns === undefined ? [{ code: 'campaigns-unlisted' } as const] : []),
    ],
  };
}

/** Reads the subID and the status of each line. If nothing in the statement shows the decimal mark, the tracker's amounts decide. */
function readEntries(statement: Statement, visitors: Visitors, salesByVisitor: ReadonlyMap<string, readonly Sale[]>) {
  const { name: subidColumn, cells, readings: ownReadings } = findSubidColumn(statement, visitors);
  const readings = withSubidsOfOrders(statement.lines, cells, ownReadings, salesByVisitor);
  const listed = readings.map(({ visitor = '' }) => salesByVisitor.get(visitor)?.[0]?.amount);
  const countEqual = (key: 'amount' | 'otherAmount') =>
    statement.lines.filter((line, index) => isSameAmount(line[key], listed[index])).length;
  const [asPoint, asComma] = [countEqual('amount'), countEqual('otherAmount')];
  const hasComma = statement.openAmount !== undefined && asComma > asPoint;
  const sold = readings.flatMap(({ visitor = '' }) => salesByVisitor.get(visitor) ?? []);
  const network = networkOf(statement.columns, new Set(sold.flatMap((sale) => sale.network ?? [])));
  const standings = settleTakenBack(
    statement.lines.map((line, index) => ({
      ...{ line, standing: standingOfLine(line.statuses, network) },
      visitor: readings[index]?.visitor,
    })),
    salesByVisitor,
  );
  const entries = statement.lines.map((line, index) => {
    const [standing, amount] = [standings[index], hasComma ? line.otherAmount : line.amount];
    // Some networks write what they take back without a minus.
    const signed = standing === 'reversal' && amount !== undefined ? -Math.abs(amount) : amount;
    return { ...at(readings, index), line: { ...line, amount: signed, standing }, cell: at(cells, index) };
  });
  const isOpen = statement.openAmount !== undefined && asPoint === asComma;
  return { entries, subidColumn, hasComma, isOpen, network };
}

/** Letter case and quotation marks are no repair. */
function firstRepaired(entries: readonly Entry[]): Reconciliation['repaired'] {
  const repaired = entries.flatMap(({ cell, visitor }) =>
    visitor === undefined || ['', visitor.toLowerCase()].includes(withoutQuotes(cell.trim()).toLowerCase())
      ? []
      : [{ cell, visitor }],
  );
  return repaired[0] && { count: repaired.length, ...repaired[0] };
}

/** The time of each line minus the time of its conversion, in milliseconds. */
function timeDifferences(saleByLine: ReadonlyMap<MatchedLine, Sale>): number[] {
  return [...saleByLine].flatMap(([{ time: stated }, { time }]) =>
    stated === undefined || time === undefined ? [] : [stated - time],
  );
}

/** No two clocks differ by more. */
const maxShiftMs = 14 * 60 * minuteMs;

/**
 * Finds the days to reconcile. The tracker's days count if fewer of their conversions lack a line, and they leave out none that is of
 * the statement's days by any clock.
 */
function selectDays(
  unpaired: readonly Sale[],
  paired: ReadonlySet<Sale>,
  shift: ZoneShift | undefined,
  { start, end, areDaysGiven }: MatchOptions,
): { readonly isOnDays: (sale: Sale) => boolean; readonly trackerDays: Span | undefined } {
  const isIn =
    ({ from, to }: Span) =>
    ({ time }: Sale) =>
      time === undefined || (time >= from && time < to);
  const countIn = (span: Span) => unpaired.filter(isIn(span)).length;
  const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`) - (shift?.minutes ?? 0) * minuteMs;
  const statementDays = { from: startOf(start), to: startOf(end) + dayMs };
  const trackerDays = areDaysGiven || shift?.minutes === 0 ? undefined : daysOf(paired);
  const surely = { from: statementDays.from + maxShiftMs, to: statementDays.to - maxShiftMs };
  // A known shift shows whose days they are.
  const leavesOut = (days: Span) => !shift && unpaired.some((sale) => isIn(surely)(sale) && !isIn(days)(sale));
  return trackerDays && countIn(trackerDays) < countIn(statementDays) && !leavesOut(trackerDays)
    ? { isOnDays: isIn(trackerDays), trackerDays }
    : { isOnDays: isIn(statementDays), trackerDays: undefined };
}

/** The column of the subIDs is the column that names most of the visitors who converted. */
function findSubidColumn({ subidColumns }: Statement, visitors: Visitors) {
  const columns = subidColumns.map((column) => {
    const readings = column.cells.map((cell) => readSubidCell(cell, visitors));
    return { ...column, readings, count: readings.filter(({ visitor }) => visitor !== undefined).length };
  });
  return at(
    columns.toSorted((one, other) => other.count - one.count),
    0,
  );
}

/** When a line and a conversion of one visitor are a pair, the most certain reason first. */
const pairings: readonly ((line: MatchedLine, sale: Sale) => boolean)[] = [
  (line, sale) => line.transaction !== undefined && line.transaction === sale.transaction,
  (line, sale) => isSameAmount(line.amount, sale.amount),
  () => true,
];

const isReversal = ({ amount = 0, standing }: MatchedLine) =>
  standing === 'reversal' || (amount < 0 && standing !== 'pending');

/** A line whose money is not, or not surely, the publisher's. */
type UnpaidLine = MatchedLine & { readonly standing: 'pending' | 'rejected' | 'unclear' };
const isUnpaid = (line: MatchedLine): line is UnpaidLine =>
  (line.standing === 'pending' || line.standing === 'rejected' || line.standing === 'unclear') && !isReversal(line);
const isSold = (line: MatchedLine) => !isUnpaid(line) && !isReversal(line);

/**
 * Pairs the items of an order, whose amounts add up to a conversion, with it. The first gets the conversion. An item of 0, such as
 * shipping, belongs to the others.
 *
 * @returns the items
 */
function pairOrder(
  lines: readonly MatchedLine[],
  open: Set<Sale>,
  saleByLine: Map<MatchedLine, Sale>,
): readonly MatchedLine[] {
  // Items may have numbers of their own behind that of the order: `A17-1`, `A17-2`.
  const orderOf = ({ transaction }: MatchedLine) => transaction?.replace(/(?<=.[^-_.#/])[-_.#/]\d{1,2}$/, '');
  const orders = groupBy(lines, orderOf);
  return [...orders].flatMap(([transaction, order]) => {
    const [first, ...others] = order;
    if (!first || others.length === 0) return [];
    const fits = order.map((line) => [...open].some((sale) => isSameAmount(line.amount, sale.amount)));
    const areOneByOne = transaction === undefined ? fits.some(Boolean) : fits.every(Boolean);
    const total = sum(order.map(({ amount = Number.NaN }) => amount));
    const sale = areOneByOne ? undefined : [...open].find(({ amount }) => isSameAmount(total, amount));
    if (!sale) return transaction === undefined ? [] : order.filter(({ amount }) => amount === 0);
    saleByLine.set(first, sale);
    open.delete(sale);
    return order;
  });
}

/** Pairs the lines and the open conversions of one visitor, into `saleByLine`. */
function pairUp(lines: readonly MatchedLine[], open: Set<Sale>, saleByLine: Map<MatchedLine, Sale>): void {
  for (const fits of pairings) {
    for (const line of lines) {
      const sale = saleByLine.has(line) ? undefined : [...open].find((sale) => fits(line, sale));
      if (!sale) continue;
      saleByLine.set(line, sale);
      open.delete(sale);
    }
  }
}

/** It takes at least this many conversions to tell how long the beginning of a subID is. */
const minForLength = 10;

/** Finds the origin of a subID without a conversion; undefined if it may be a visitor of the reconciled campaigns. */
function originFinder({ campaigns, campaignId }: MatchOptions, sales: readonly Sale[]) {
  const whole = sales.map(({ subid }) => subid).filter((subid) => subid.includes('_'));
  const lengths = new Set(whole.map((subid) => subid.indexOf('_')));
  const [usual] = whole.length >= minForLength && lengths.size === 1 ? lengths : [];
  return (subid: string): { class: ClassName; about: string } | undefined => {
    const campaign = campaignIn(subid);
    if (campaign === undefined) return undefined;
    if (campaigns && !campaigns.has(campaign))
      return { class: 'other_tracker', about: `this tracker has no campaign ${mentionSubid(campaign)}` };
    if (usual !== undefined && subid.indexOf('_') !== usual)
      return { class: 'other_tracker', about: `this tracker’s subIDs begin with ${usual} letters and digits` };
    if (campaignId !== undefined && campaign !== campaignId)
      return { class: 'other_campaign', about: `of campaign ${mentionSubid(campaign)}` };
    return undefined;
  };
}

/** It takes at least this many pairs to tell which days of the tracker a statement covers. */
const minForDays = 3;

/**
 * The whole days on the tracker's clock that conversions with a line fall on: a statement that was made for days of the tracker begins
 * and ends in the middle of a day on its own clock. Undefined if there are too few.
 */
function daysOf(paired: ReadonlySet<Sale>): Span | undefined {
  const times = [...paired].flatMap(({ time }) => time ?? []).sort((one, other) => one - other);
  if (times.length < minForDays) return undefined;
  const dayAt = (index: number) => Math.floor(at(times, index) / dayMs) * dayMs;
  return { from: dayAt(0), to: dayAt(times.length - 1) + dayMs };
}

const openAmountNote = (cell: string, hasComma: boolean) =>
  ({ code: 'open-amount', cell, isThousand: cell.includes('.') === hasComma }) as const;
