import type { Table } from '../../api/table.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { namesOf } from '../../api/vocabulary.ts';
import { indexOfColumn, numberIn, readNumbers } from '../columns/columns.ts';
import { isCode } from '../columns/formats.ts';
import { readTimes } from '../columns/times.ts';
import { campaignIn } from '../given-subids.ts';
import { moneyColumn } from '../listed-conversions.ts';
import { at, groupBy, sum } from '../statistics/history.ts';
import type { ClassName } from './choices.ts';
import type { Statement, StatementLine } from './read-statement.ts';
import { readSubidCell, say, Visitors } from './statement-subids.ts';

/** A conversion that the tracker lists. */
export interface Sale {
  readonly subid: string;
  readonly amount: number | undefined;
  /** Milliseconds on the tracker's own clock, as if that were UTC. */
  readonly time: number | undefined;
  readonly transaction: string | undefined;
}

/** A line, a conversion, or both, and what they come to. */
export interface Pair {
  readonly class: ClassName;
  readonly line: StatementLine | undefined;
  readonly sale: Sale | undefined;
  /** As the tracker has it, else as it was read in the statement, else the cell. */
  readonly subid: string;
  /** A sentence each, without a full stop. */
  readonly about: readonly string[];
}

/** Days in which conversions are reconciled, in milliseconds on the tracker's clock. */
interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Reconciliation {
  readonly pairs: readonly Pair[];
  readonly subidColumn: string;
  readonly shift: ZoneShift | undefined;
  /** Conversions that no line is of, on days beside those that are reconciled; they are in no class. */
  readonly outside: number;
  /** The days by the tracker's clock, if fewer conversions are without a line on those than on the statement's own. */
  readonly trackerDays: Window | undefined;
  readonly notices: readonly string[];
}

export interface MatchOptions {
  /** IDs of the tracker's campaigns; undefined if they are not known. */
  readonly campaigns: ReadonlySet<string> | undefined;
  /** The one whose conversions were read; undefined if it was all. */
  readonly campaignId: string | undefined;
  /** The days that are reconciled, YYYY-MM-DD, by the statement's clock. */
  readonly start: string;
  readonly end: string;
  /** Whether these were asked for, and not found in the statement. */
  readonly areDaysGiven: boolean;
  /** What the tracker's money is in, a sign or a code; undefined if that is not known. */
  readonly currency: string | undefined;
}

/** The conversions of a list, and the currency that stands with their amounts. */
export function readSales(table: Table): { readonly sales: readonly Sale[]; readonly unit: string | undefined } {
  const textsOf = (thing: 'visitor' | 'booked' | 'transaction') =>
    table.column(indexOfColumn(table, namesOf('conversion', thing)) ?? -1).map(rawCell);
  const [booked, transactions, money] = [textsOf('booked'), textsOf('transaction'), moneyColumn(table)];
  const numbers = money < 0 ? undefined : readNumbers(table, money);
  const times = readTimes(booked.map((cell) => cell ?? '')).values;
  const sales = textsOf('visitor').flatMap((subid, row): Sale[] => {
    const amount = numbers ? numbers.values[row] : numberIn(table.text(row, money));
    const known = Number.isNaN(amount ?? 0) ? undefined : amount;
    return subid === null
      ? []
      : [{ subid, amount: known, time: times[row], transaction: transactions[row] ?? undefined }];
  });
  return { sales, unit: numbers?.unit };
}

/** Amounts are alike if they are within half a cent. */
const tolerance = 0.005;

function isAlike(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && Math.abs(one - other) < tolerance + Math.abs(other) * 1e-12;
}

const dayMs = 86_400_000;

/**
 * Sets the lines of a statement against the conversions of a tracker. A visitor's lines and conversions are paired by transaction, then
 * by amount, then in their order; what is left on a side is there twice if the visitor stands on it besides. Every line is in one class,
 * and so is every conversion of the days, and every other that a line is of.
 */
export function reconcile(statement: Statement, sales: readonly Sale[], options: MatchOptions): Reconciliation {
  const visitors = new Visitors(sales);
  const columns = statement.subidColumns.map((column) => {
    const readings = column.cells.map((cell) => readSubidCell(cell, visitors));
    return { ...column, readings, found: readings.filter(({ visitor }) => visitor !== undefined).length };
  });
  // That of the subIDs names most of the visitors who converted.
  const { name, cells, readings } = at(
    columns.toSorted((one, other) => other.found - one.found),
    0,
  );
  const salesOf = groupBy(sales, ({ subid }) => subid);
  const listed = readings.map(({ visitor = '' }) => salesOf.get(visitor)?.[0]?.amount);
  const agreeing = (key: 'amount' | 'otherAmount') =>
    statement.lines.filter((line, index) => isAlike(line[key], listed[index])).length;
  const { openAmount } = statement;
  const hasComma = openAmount !== undefined && agreeing('otherAmount') > agreeing('amount');
  const entries = statement.lines.map((line, index) => ({
    line: hasComma ? { ...line, amount: line.otherAmount } : line,
    cell: at(cells, index),
    ...at(readings, index),
  }));
  const linesOf = groupBy(entries, ({ visitor }) => visitor);
  const saleOf = new Map<StatementLine, Sale>();
  for (const [visitor = '', own] of linesOf) pairUp(own, salesOf.get(visitor) ?? [], saleOf);
  const hasClocks = statement.hasClock && sales.some(({ time }) => time !== undefined && time % dayMs !== 0);
  const differences = [...saleOf].flatMap(([{ time: stated }, { time }]) =>
    stated === undefined || time === undefined ? [] : [stated - time],
  );
  const shift = hasClocks ? findZoneShift(differences) : undefined;
  const judge = judgeOf(options, sales);
  const seen = new Set<string>();
  const pairs = entries.map(({ line, cell, visitor, subid, class: own, about: remarks }): Pair => {
    const sale = saleOf.get(line);
    const known = visitor ?? subid ?? cell.trim();
    const about = [...line.problems.map((problem) => `cannot be read: ${problem}`), ...remarks];
    const pair = { line, sale, subid: known, about };
    if (own === 'unreadable' || line.problems.length > 0) return { ...pair, class: 'unreadable' };
    if (sale) return { ...pair, ...compare(line, sale, options.currency, about) };
    if (own) return { ...pair, class: own };
    const alone = visitor === undefined ? judge(known) : undefined;
    if (alone) return { ...pair, class: alone.class, about: [...about, alone.about] };
    const isAgain = visitor !== undefined || seen.has(known);
    seen.add(known);
    return { ...pair, class: isAgain ? 'twice_in_statement' : 'statement_only' };
  });
  const paired = new Set(saleOf.values());
  const left = sales.filter((sale) => !paired.has(sale));
  const within = ({ from, to }: Window) => left.filter(({ time }) => time === undefined || (time >= from && time < to));
  const dayAt = (day: string) => Date.parse(`${day}T00:00:00Z`) - (shift?.minutes ?? 0) * 60_000;
  const ofStatement = within({ from: dayAt(options.start), to: dayAt(options.end) + dayMs });
  const trackerDays = options.areDaysGiven || shift?.minutes === 0 ? undefined : daysOf(paired);
  const ofTracker = trackerDays && within(trackerDays);
  const isOther = ofTracker !== undefined && ofTracker.length < ofStatement.length;
  const alone = (isOther ? ofTracker : ofStatement).map((sale): Pair => {
    const { subid } = sale;
    const isAgain = linesOf.has(subid) || seen.has(subid);
    seen.add(subid);
    return { class: isAgain ? 'twice_in_tracker' : 'tracker_only', line: undefined, sale, subid, about: [] };
  });
  return {
    pairs: [...pairs, ...alone],
    subidColumn: name,
    shift,
    outside: left.length - alone.length,
    trackerDays: isOther ? trackerDays : undefined,
    notices: [
      ...(openAmount === undefined ? [] : [sayReading(openAmount, hasComma)]),
      ...(options.campaigns === undefined
        ? [
            'The campaigns of the tracker could not be listed, so that subIDs of another tracker’s campaigns are in statement_only.',
          ]
        : []),
    ],
  };
}

/** What makes a line and a conversion of one visitor a pair, the surest first. */
const pairings: readonly ((line: StatementLine, sale: Sale) => boolean)[] = [
  (line, sale) => line.transaction !== undefined && line.transaction === sale.transaction,
  (line, sale) => isAlike(line.amount, sale.amount),
  () => true,
];

/** Pairs the lines and the conversions of one visitor, into `saleOf`. */
function pairUp(
  lines: readonly { readonly line: StatementLine }[],
  sales: readonly Sale[],
  saleOf: Map<StatementLine, Sale>,
): void {
  const open = new Set(sales);
  for (const fits of pairings) {
    for (const { line } of lines) {
      const found = saleOf.has(line) ? undefined : [...open].find((sale) => fits(line, sale));
      if (!found) continue;
      saleOf.set(line, found);
      open.delete(found);
    }
  }
}

function compare(line: StatementLine, sale: Sale, currency: string | undefined, about: readonly string[]) {
  if (line.currency !== undefined && currency !== undefined && isOtherCurrency(line.currency, currency))
    return {
      class: 'matched' as const,
      about: [...about, `in ${say(line.currency)}, so that amounts were not compared`],
    };
  const differs = line.amount !== undefined && sale.amount !== undefined && !isAlike(line.amount, sale.amount);
  return { class: differs ? ('amount_differs' as const) : ('matched' as const) };
}

/** The codes that a sign is written for; the first is usual. A sign that is not here may be of any currency. */
const codesOfSign: Readonly<Record<string, readonly string[]>> = {
  $: 'USD CAD AUD NZD SGD HKD MXN ARS CLP COP'.split(' '),
  US$: ['USD'],
  C$: ['CAD'],
  A$: ['AUD'],
  R$: ['BRL'],
  '€': ['EUR'],
  '£': ['GBP'],
  '¥': ['JPY', 'CNY'],
  '₽': ['RUB'],
  '₹': ['INR'],
};

/** Whether two signs or codes cannot be of one currency. */
function isOtherCurrency(one: string, other: string): boolean {
  const [own, theirs] = [one, other].map((text) => codesOfSign[text] ?? (isCode(text) ? [text] : undefined));
  return own !== undefined && theirs !== undefined && !own.some((code) => theirs.includes(code));
}

/** What a currency is called: as that of the tracker if it can be the same, else by its code. */
export function currencyName(written: string, own: string | undefined): string {
  if (own !== undefined && !isOtherCurrency(written, own)) return own;
  return codesOfSign[written]?.[0] ?? written;
}

/** So many conversions show how long the beginning of a subID is. */
const minForForm = 10;

/** What a subID is that no conversion is of; undefined if it may be one of the tracker's visitors. */
function judgeOf({ campaigns, campaignId }: MatchOptions, sales: readonly Sale[]) {
  const whole = sales.map(({ subid }) => subid).filter((subid) => subid.includes('_'));
  const lengths = new Set(whole.map((subid) => subid.indexOf('_')));
  const [usual] = whole.length >= minForForm && lengths.size === 1 ? lengths : [];
  return (subid: string): { class: ClassName; about: string } | undefined => {
    const campaign = campaignIn(subid);
    if (campaign === undefined) return undefined;
    if (campaigns && !campaigns.has(campaign))
      return { class: 'other_tracker', about: `this tracker has no campaign ${say(campaign)}` };
    if (usual !== undefined && subid.indexOf('_') !== usual)
      return { class: 'other_tracker', about: `this tracker’s subIDs begin with ${usual} letters and digits` };
    if (campaignId !== undefined && campaign !== campaignId)
      return { class: 'other_campaign', about: `of campaign ${say(campaign)}` };
    return undefined;
  };
}

/** So many conversions with a line show on which days of the tracker a statement is. */
const minForDays = 3;

/**
 * The whole days of the tracker's clock that conversions with a line fall on: a statement that was made for days of the tracker begins
 * and ends in the middle of a day by its own clock. Undefined if there are too few.
 */
function daysOf(paired: ReadonlySet<Sale>): Window | undefined {
  const times = [...paired].flatMap(({ time }) => time ?? []).sort((one, other) => one - other);
  if (times.length < minForDays) return undefined;
  const [first, last] = [at(times, 0), at(times, times.length - 1)].map((time) => Math.floor(time / dayMs) * dayMs);
  return { from: first ?? 0, to: (last ?? 0) + dayMs };
}

function sayReading(example: string, hasComma: boolean): string {
  const isThousand = example.includes('.') === hasComma;
  return (
    `Nothing in the amounts says whether ${say(example)} is a thousand or a fraction. Read as a ${isThousand ? 'thousand' : 'fraction'}` +
    `${hasComma ? ', as more of the tracker’s amounts agree with' : ''}; give decimal if that is wrong.`
  );
}

/** How far the statement's clock is ahead of the tracker's. */
export interface ZoneShift {
  /** Negative if it is behind. */
  readonly minutes: number;
  /** The sales that fall on their tracker time under it, of those that both have a time of. */
  readonly fits: number;
  readonly of: number;
}

/** Zones are at most this far apart from UTC, on either side. */
const maxMinutes = 14 * 60;

/** Minutes that a postback may be late under a shift of whole or half hours, and one that is right on it. */
const [wide, narrow] = [15, 5];

/** So many sales show a shift. */
const minSales = 3;

/** A quarter of an hour is a zone of few countries: it is taken only if so many of the sales are right on it. */
const surely = 0.8;

/**
 * The shift, in whole and half hours, under which most sales fall on their tracker time; in quarters if nearly all do so only there.
 * Of two alike it is the one that more sales are right on, then the smaller.
 *
 * @param differences the time of each sale in the statement less that in the tracker, in milliseconds
 * @returns undefined if fewer than three sales, or less than a third of them, fit any
 */
function findZoneShift(differences: readonly number[]): ZoneShift | undefined {
  const of = differences.length;
  const byMinute = groupBy(differences, (difference) => Math.round(difference / 60_000));
  const near = (minutes: number, within: number) =>
    sum(Array.from({ length: 2 * within + 1 }, (_, index) => byMinute.get(minutes - within + index)?.length ?? 0));
  const shifts = Array.from({ length: (2 * maxMinutes) / 15 + 1 }, (_, index) => index * 15 - maxMinutes)
    .map((minutes) => ({ minutes, fits: near(minutes, wide), right: near(minutes, narrow) }))
    .sort(
      (one, other) =>
        other.fits - one.fits || other.right - one.right || Math.abs(one.minutes) - Math.abs(other.minutes),
    );
  const half = at(
    shifts.filter(({ minutes }) => minutes % 30 === 0),
    0,
  );
  const isSurer = ({ minutes, right }: typeof half) => minutes % 30 !== 0 && right >= surely * of && right > half.right;
  const quarter = shifts.find(isSurer);
  const [minutes, fits] = quarter ? [quarter.minutes, quarter.right] : [half.minutes, half.fits];
  return fits < minSales || fits * 3 < of ? undefined : { minutes, fits, of };
}
