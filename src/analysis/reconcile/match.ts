import type { Table } from '../../api/table.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { nameOf, namesOf } from '../../api/vocabulary.ts';
import { nameOf as columnName, indexOfColumn, readNumbers } from '../columns/columns.ts';
import { isCode } from '../columns/formats.ts';
import { numberIn } from '../columns/loose-numbers.ts';
import { measureOf } from '../columns/measures.ts';
import type { ClassName } from './choices.ts';
import type { Statement, StatementLine, SubidColumn } from './read-statement.ts';
import { type Reading, readSubidCell, say, Visitors } from './statement-subids.ts';
import { readTimes } from './statement-values.ts';
import { findZoneShift, type ZoneShift } from './zone-shift.ts';

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

const isPayout = nameOf('conversion', 'payout');

/** The conversions of a list, and the currency that stands with their amounts. */
export function readSales(table: Table): { readonly sales: readonly Sale[]; readonly unit: string | undefined } {
  const at = (thing: 'visitor' | 'booked' | 'transaction') => indexOfColumn(table, namesOf('conversion', thing)) ?? -1;
  const [subid, booked, transaction] = [at('visitor'), at('booked'), at('transaction')];
  const money = [...table.columns.keys()].find((index) => {
    const name = columnName(table, index);
    return measureOf(name) === 'revenue' || isPayout(name);
  });
  const numbers = money === undefined ? undefined : readNumbers(table, money);
  const texts = (column: number) =>
    Array.from({ length: table.rowCount }, (_, row) => rawCell(table.text(row, column)));
  const times = readTimes(texts(booked).map((cell) => cell ?? '')).values;
  const sales = texts(subid).flatMap((id, row): Sale[] => {
    if (id === null) return [];
    const amount = numbers ? numbers.values[row] : numberIn(table.text(row, money ?? -1));
    return [
      {
        subid: id,
        amount: amount === undefined || Number.isNaN(amount) ? undefined : amount,
        time: times[row],
        transaction: rawCell(table.text(row, transaction)) ?? undefined,
      },
    ];
  });
  return { sales, unit: numbers?.unit };
}

/** Amounts are alike if they are within half a cent. */
const tolerance = 0.005;

function isAlike(one: number, other: number): boolean {
  return Math.abs(one - other) < tolerance + Math.abs(other) * 1e-12;
}

/** The column of a statement that names most of the visitors who converted. */
function chooseColumn(
  columns: readonly SubidColumn[],
  visitors: Visitors,
): { column: SubidColumn; readings: Reading[] } {
  const read = columns.map((column) => {
    const readings = column.cells.map((cell) => readSubidCell(cell, visitors));
    return { column, readings, found: readings.filter(({ visitor }) => visitor !== undefined).length };
  });
  const [first] = read.toSorted((one, other) => other.found - one.found);
  if (!first) throw new TypeError('a statement has a column of subIDs');
  return first;
}

/**
 * Sets the lines of a statement against the conversions of a tracker. A visitor's lines and conversions are paired by transaction, then
 * by amount, then in their order; what is left on a side is there twice if the visitor stands on it besides. Every line is in one class,
 * and so is every conversion of the days, and every other that a line is of.
 */
export function reconcile(statement: Statement, sales: readonly Sale[], options: MatchOptions): Reconciliation {
  const visitors = new Visitors(sales);
  const { column, readings } = chooseColumn(statement.subidColumns, visitors);
  const salesOf = groupBy(sales.keys(), (index) => sales[index]?.subid ?? '');
  const linesOf = groupBy(readings.keys(), (index) => readings[index]?.visitor);
  const hasComma = hasDecimalComma(statement, linesOf, salesOf, sales);
  const lines = hasComma ? statement.lines.map((line) => ({ ...line, amount: line.otherAmount })) : statement.lines;
  const pairedSale = new Map<number, number>();
  const paired = new Set<number>();
  for (const [visitor, own] of linesOf) {
    for (const [line, sale] of pairUp(own, salesOf.get(visitor ?? '') ?? [], lines, sales)) {
      pairedSale.set(line, sale);
      paired.add(sale);
    }
  }
  const differences = [...pairedSale].flatMap(([line, sale]) => {
    const [one, other] = [lines[line]?.time, sales[sale]?.time];
    return one === undefined || other === undefined ? [] : [one - other];
  });
  const hasClocks = statement.hasClock && sales.some(({ time }) => time !== undefined && time % 86_400_000 !== 0);
  const shift = hasClocks ? findZoneShift(differences) : undefined;
  const judgeAlone = judgeOf(options, sales);
  const seen = new Set<string>();
  const pairs = readings.map((reading, index): Pair => {
    const line = lines[index];
    const sale = sales[pairedSale.get(index) ?? -1];
    const subid = reading.visitor ?? reading.subid ?? column.cells[index]?.trim() ?? '';
    const pair = { line, sale, subid };
    const problems = [...(line?.problems ?? []).map((problem) => `cannot be read: ${problem}`), ...reading.about];
    if (reading.kind === 'unreadable' || (line?.problems.length ?? 0) > 0)
      return { ...pair, class: 'unreadable', about: problems };
    if (sale) return { ...pair, ...compare(line, sale, options.currency, problems) };
    const known = reading.visitor ?? reading.subid ?? '';
    if (reading.kind === 'foreign') return { ...pair, class: 'other_tracker', about: problems };
    const alone = reading.visitor === undefined ? judgeAlone(known) : undefined;
    if (alone) return { ...pair, class: alone.class, about: [...problems, ...alone.about] };
    const isAgain = reading.visitor !== undefined || seen.has(known);
    seen.add(known);
    return { ...pair, class: isAgain ? 'twice_in_statement' : 'statement_only', about: problems };
  });
  const shiftMs = (shift?.minutes ?? 0) * 60_000;
  const [start, end] = [options.start, options.end].map((day) => Date.parse(`${day}T00:00:00Z`) - shiftMs);
  const ofStatement = leftSales(sales, paired, linesOf, { from: start ?? 0, to: (end ?? 0) + dayMs });
  const ofTracker = options.areDaysGiven || shift?.minutes === 0 ? undefined : trackerDays(sales, paired);
  const other = ofTracker && leftSales(sales, paired, linesOf, ofTracker);
  const isOther = other !== undefined && other.pairs.length < ofStatement.pairs.length;
  const left = isOther ? other : ofStatement;
  return {
    pairs: [...pairs, ...left.pairs],
    subidColumn: column.name,
    shift,
    outside: left.outside,
    trackerDays: isOther ? ofTracker : undefined,
    notices: [
      ...(statement.openAmount === undefined ? [] : [sayReading(statement.openAmount, hasComma)]),
      ...(options.campaigns === undefined
        ? [
            'The campaigns of the tracker could not be listed, so that subIDs of another tracker’s campaigns are in statement_only.',
          ]
        : []),
    ],
  };
}

function groupBy<Key>(indexes: Iterable<number>, keyOf: (index: number) => Key | undefined): Map<Key, number[]> {
  const groups = new Map<Key, number[]>();
  for (const index of indexes) {
    const key = keyOf(index);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(index);
    else groups.set(key, [index]);
  }
  return groups;
}

/** Pairs the lines and the conversions of one visitor. */
function pairUp(
  lines: readonly number[],
  own: readonly number[],
  allLines: readonly StatementLine[],
  sales: readonly Sale[],
): [line: number, sale: number][] {
  const [line, sale] = [lines[0], own[0]];
  if (lines.length === 1 && own.length === 1 && line !== undefined && sale !== undefined) return [[line, sale]];
  const pairs: [number, number][] = [];
  const [openLines, openSales] = [new Set(lines), new Set(own)];
  const rules: readonly ((line: StatementLine, sale: Sale) => boolean)[] = [
    (one, other) => one.transaction !== undefined && one.transaction === other.transaction,
    (one, other) => one.amount !== undefined && other.amount !== undefined && isAlike(one.amount, other.amount),
    () => true,
  ];
  for (const fits of rules) {
    for (const index of openLines) {
      const line = allLines[index];
      const found = line && [...openSales].find((other) => fits(line, sales[other] as Sale));
      if (found === undefined) continue;
      pairs.push([index, found]);
      openLines.delete(index);
      openSales.delete(found);
    }
  }
  return pairs;
}

function compare(line: StatementLine | undefined, sale: Sale, currency: string | undefined, about: readonly string[]) {
  const [stated, listed] = [line?.amount, sale.amount];
  const isOther = line?.currency !== undefined && currency !== undefined && isOtherCurrency(line.currency, currency);
  if (isOther)
    return {
      class: 'matched' as const,
      about: [...about, `in ${say(line.currency)}, so that amounts were not compared`],
    };
  const differs = stated !== undefined && listed !== undefined && !isAlike(stated, listed);
  return { class: differs ? ('amount_differs' as const) : ('matched' as const), about };
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

/** The campaign ID in the middle of a whole subID. */
function campaignOf(subid: string): string | undefined {
  const groups = subid.split('_');
  return groups.length === 3 ? groups[1]?.replace(/^0+(?=\d)/, '') : undefined;
}

/** What a subID is that no conversion is of; undefined if it may be one of the tracker's visitors. */
function judgeOf({ campaigns, campaignId }: MatchOptions, sales: readonly Sale[]) {
  const whole = sales.map(({ subid }) => subid).filter((subid) => subid.includes('_'));
  const lengths = new Set(whole.map((subid) => subid.indexOf('_')));
  const [usual] = whole.length >= minForForm && lengths.size === 1 ? lengths : [];
  return (subid: string): { class: ClassName; about: string[] } | undefined => {
    const campaign = campaignOf(subid);
    if (campaign === undefined) return undefined;
    if (campaigns && !campaigns.has(campaign))
      return { class: 'other_tracker', about: [`this tracker has no campaign ${say(campaign)}`] };
    if (usual !== undefined && subid.indexOf('_') !== usual)
      return { class: 'other_tracker', about: [`this tracker’s subIDs begin with ${usual} letters and digits`] };
    if (campaignId !== undefined && campaign !== campaignId)
      return { class: 'other_campaign', about: [`of campaign ${say(campaign)}`] };
    return undefined;
  };
}

const dayMs = 86_400_000;

/** The conversions that no line is of. Those beside the days were read for the lines alone. */
function leftSales(
  sales: readonly Sale[],
  paired: ReadonlySet<number>,
  linesOf: ReadonlyMap<string | undefined, readonly number[]>,
  { from, to }: Window,
): Sides {
  const pairs: Pair[] = [];
  const seen = new Set<string>();
  let outside = 0;
  for (const [index, sale] of sales.entries()) {
    if (paired.has(index)) continue;
    if (sale.time !== undefined && (sale.time < from || sale.time >= to)) {
      outside += 1;
      continue;
    }
    const isAgain = linesOf.has(sale.subid) || seen.has(sale.subid);
    seen.add(sale.subid);
    pairs.push({
      class: isAgain ? 'twice_in_tracker' : 'tracker_only',
      line: undefined,
      sale,
      subid: sale.subid,
      about: [],
    });
  }
  return { pairs, outside };
}

interface Sides {
  readonly pairs: readonly Pair[];
  readonly outside: number;
}

/** So many conversions with a line show on which days of the tracker a statement is. */
const minForDays = 3;

/**
 * The whole days of the tracker's clock that conversions with a line fall on: a statement that was made for days of the tracker begins
 * and ends in the middle of a day by its own clock. Undefined if there are too few.
 */
function trackerDays(sales: readonly Sale[], paired: ReadonlySet<number>): Window | undefined {
  let [first, last, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const index of paired) {
    const time = sales[index]?.time;
    if (time === undefined) continue;
    [first, last, count] = [Math.min(first, time), Math.max(last, time), count + 1];
  }
  if (count < minForDays) return undefined;
  return { from: Math.floor(first / dayMs) * dayMs, to: (Math.floor(last / dayMs) + 1) * dayMs };
}

/** Whether more amounts agree with a decimal comma, where nothing in their column decides. */
function hasDecimalComma(
  { openAmount, lines }: Statement,
  linesOf: ReadonlyMap<string | undefined, readonly number[]>,
  salesOf: ReadonlyMap<string, readonly number[]>,
  sales: readonly Sale[],
): boolean {
  if (openAmount === undefined) return false;
  let [point, comma] = [0, 0];
  for (const [visitor, [index]] of linesOf) {
    const line = lines[index ?? -1];
    const listed = sales[salesOf.get(visitor ?? '')?.[0] ?? -1]?.amount;
    if (line?.amount === undefined || line.otherAmount === undefined || listed === undefined) continue;
    if (isAlike(line.amount, listed)) point += 1;
    if (isAlike(line.otherAmount, listed)) comma += 1;
  }
  return comma > point;
}

function sayReading(example: string, hasComma: boolean): string {
  const isThousand = example.includes('.') === hasComma;
  return (
    `Nothing in the amounts says whether ${say(example)} is a thousand or a fraction. Read as a ${isThousand ? 'thousand' : 'fraction'}` +
    `${hasComma ? ', as more of the tracker’s amounts agree with' : ''}; give decimal if that is wrong.`
  );
}
