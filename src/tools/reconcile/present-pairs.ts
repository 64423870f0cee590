import { currencyName } from '../../analysis/columns/formats.ts';
import { isoDay } from '../../analysis/columns/times.ts';
import type { Pair, Reconciliation, Sale } from '../../analysis/reconcile/match.ts';
import type { Statement } from '../../analysis/reconcile/read-statement.ts';
import { at, groupBy, sum } from '../../analysis/statistics/history.ts';
import type { Note } from '../../answer/notes.ts';
import { classNames } from '../../answer/statement-notes.ts';
import { dayMs } from '../../api/durations.ts';
import { Table } from '../../api/table.ts';
import { isoMoment } from '../period.ts';

/** A reconciled statement, ready to be shown. */
export interface Shown {
  readonly statement: Statement;
  readonly result: Reconciliation;
  /** The tracker's currency, a code or a sign. */
  readonly currency: string | undefined;
  /** All currencies, by `currenciesOf`; if there are several, each has sums of its own. */
  readonly currencies: ReadonlySet<string>;
  readonly now: Date;
}

export function currenciesOf({ lines }: Statement, own: string | undefined): ReadonlySet<string> {
  const written = [...new Set(lines.flatMap(({ currency }) => currency ?? []))];
  return new Set([...written.map((currency) => currencyName(currency, own)), ...(own === undefined ? [] : [own])]);
}

type Columns<Row> = readonly (readonly [name: string, cell: (row: Row) => string | null])[];

function tableOf<Row>(name: string, columns: Columns<Row>, rows: readonly Row[]): Table {
  const cells = rows.map((row) => columns.map(([, cell]) => cell(row)));
  return Table.fromRows(
    name,
    columns.map(([column]) => column),
    cells,
  );
}

/** Lines that are not approved are no revenue yet. */
const isUnpaid = ({ class: name }: Pair) => name === 'pending' || name === 'rejected' || name === 'unclear';

/** The money of some pairs on one side; undefined if none has an amount. */
function sumOf(pairs: readonly Pair[], side: 'line' | 'sale'): number | undefined {
  const amounts = pairs.flatMap((pair) => pair[side]?.amount ?? []);
  return amounts.length === 0 ? undefined : sum(amounts);
}

/** What the statement pays minus what the tracker has; undefined without amounts. */
function gapOf(pairs: readonly Pair[]): number | undefined {
  const [stated, listed] = [sumOf(pairs, 'line'), sumOf(pairs, 'sale')];
  const paid = sumOf(
    pairs.filter((pair) => !isUnpaid(pair)),
    'line',
  );
  return (stated ?? listed) === undefined ? undefined : (paid ?? 0) - (listed ?? 0);
}

/** Whether both sides have amounts, so that a difference means something. */
function areCompared({ statement, result: { pairs } }: Shown): boolean {
  return statement.amountColumn !== undefined && !lacksAmounts(pairs);
}

const lacksAmounts = (pairs: readonly Pair[]) =>
  pairs.some(({ sale }) => sale) && pairs.every(({ sale }) => sale?.amount === undefined);

/** Pairs by the currency of their lines; all under no name if there is only one. */
const byCurrency = (pairs: readonly Pair[], { currency: own, currencies }: Shown) =>
  groupBy(pairs, ({ line }) => {
    if (currencies.size < 2) return '';
    return line?.currency === undefined ? (own ?? '') : currencyName(line.currency, own);
  });

/** A row for each class, and for each of several currencies. */
export function sumUp(shown: Shown): Table {
  const { result, currency: own, currencies, now } = shown;
  const hasSeveral = currencies.size > 1;
  const isCompared = areCompared(shown);
  const rows = classNames.flatMap((name) => {
    const groups = byCurrency(
      result.pairs.filter((pair) => pair.class === name),
      shown,
    );
    return [...groups].map(([code, pairs]) => {
      const times = pairs.flatMap(({ line, sale }) => line?.time ?? sale?.time ?? []).sort((one, other) => one - other);
      return { name, code, pairs, times };
    });
  });
  const columns: Columns<(typeof rows)[number]> = [
    ['Class', ({ name }) => name],
    ...(hasSeveral ? ([['Currency', ({ code }) => code || null]] satisfies Columns<(typeof rows)[number]>) : []),
    ['Lines', ({ pairs }) => String(pairs.filter(({ line }) => line).length)],
    ['Conversions', ({ pairs }) => String(pairs.filter(({ sale }) => sale).length)],
    ['Statement total', ({ pairs }) => money(sumOf(pairs, 'line'))],
    ['Tracker total', ({ pairs }) => money(sumOf(pairs, 'sale'))],
    ['Difference', ({ code, pairs }) => (!isCompared || (hasSeveral && code !== own) ? null : money(gapOf(pairs)))],
    ['First day', ({ times: [first] }) => (first === undefined ? null : isoDay(first))],
    ['Last day', ({ times }) => (times.length === 0 ? null : isoDay(at(times, times.length - 1)))],
    [
      'Median age, days',
      ({ times }) => {
        const middle = times[Math.floor(times.length / 2)];
        return middle === undefined ? null : String(Math.max(0, Math.floor((now.getTime() - middle) / dayMs)));
      },
    ],
  ];
  return tableOf('classes', columns, rows);
}

/** Sums of cents drift after the last digit. */
function money(amount: number | undefined): string | null {
  return amount === undefined ? null : String(Math.round(amount * 1e4) / 1e4 + 0);
}

export const moneyColumns = ['Statement total', 'Tracker total', 'Difference', 'Amount', 'Tracker amount'];

/** Whether only one side has an amount. The other items of an order have no conversion of their own. */
const isHalf = ({ line, sale }: Pair) =>
  sale !== undefined && (line?.amount === undefined) !== (sale.amount === undefined);

/** The lines of another currency than the tracker's, which have no difference. */
function paidApart([currency, pairs]: readonly [string, readonly Pair[]]) {
  const ofPaid = pairs.filter((pair) => pair.line?.amount !== undefined && !isUnpaid(pair));
  return { currency, count: ofPaid.length, paid: sumOf(ofPaid, 'line') ?? 0, listed: sumOf(pairs, 'sale') };
}

/** Both totals, the gap between them and what makes it, in the tracker's currency; and what is of another. */
export function gapNotes(shown: Shown): Note[] {
  if (!areCompared(shown)) return [];
  const { currency: own = '', currencies } = shown;
  const hasSeveral = currencies.size > 1;
  const groups = byCurrency(shown.result.pairs, shown);
  const compared = hasSeveral ? own : '';
  const apart = [...groups]
    .filter(([code]) => code !== compared)
    .map(paidApart)
    .filter(({ count }) => count > 0);
  const pairs = groups.get(compared) ?? [];
  const ofPaid = pairs.filter((pair) => !isUnpaid(pair));
  const [paid, listed] = [sumOf(ofPaid, 'line') ?? 0, sumOf(pairs, 'sale') ?? 0];
  const classes = classNames.flatMap((name) => {
    const ofClass = pairs.filter((pair) => pair.class === name && (name !== 'matched' || isHalf(pair)));
    // What is not paid makes no gap unless the tracker has it: then its own amount says more.
    const gap = gapOf(ofClass) || sumOf(ofClass, 'line') || 0;
    return ofClass.length === 0 ? [] : [{ class: name, count: ofClass.length, gap }];
  });
  const unclear = shown.result.pairs.filter((pair) => pair.class === 'unclear');
  const statuses = [...new Set(unclear.map(({ line }) => statusIn(line)))].slice(0, maxNamed);
  const isKnown = !hasSeveral || own !== '';
  return [
    ...(isKnown ? [{ code: 'statement-gap', paid, listed, classes, currency: compared || undefined } as const] : []),
    ...(apart.length === 0 ? [] : [{ code: 'other-currencies', apart: apart.slice(0, maxNamed), isKnown } as const]),
    ...(statuses.length === 0 ? [] : [{ code: 'statuses-unclear', statuses } as const]),
  ];
}

/** Money beside the payouts may make a gap of its own. */
export const besideNotes = ({ statement: { amountColumn, moneyBeside } }: Shown): Note[] =>
  moneyBeside.slice(0, maxNamed).map((beside) => ({ code: 'money-beside', ...beside, payouts: amountColumn }));

/** What another unit, such as cents, makes of an amount. */
const unitFactors = [100, 1000, 1e6, 0.01, 0.001];

/** Amounts that all differ by one factor are in another unit, which is said and not corrected. */
export function factorNote({ statement: { amountColumn = '' }, result: { pairs } }: Shown): Note[] {
  const ratios = pairs.flatMap(({ class: name, line, sale }) =>
    name === 'amount_differs' && line?.amount && sale?.amount ? [line.amount / sale.amount] : [],
  );
  const factor = unitFactors.find((one) => ratios.every((ratio) => Math.abs(ratio / one - 1) < 0.01));
  if (factor === undefined || ratios.length < 2) return [];
  return [{ code: 'another-unit', count: ratios.length, factor, column: amountColumn }];
}

/** A line that is found by a repaired subID may be another visitor's: it is said first. */
export const repairsNote = ({ repaired }: Reconciliation): Note[] =>
  repaired ? [{ code: 'subids-repaired', ...repaired, cell: repaired.cell.trim() }] : [];

/** Conversions of the days that no line can match. */
export function unnamedNote(unnamed: readonly Sale[], { start, end }: Days): Note[] {
  const isIn = ({ time }: Sale) => time === undefined || (isoDay(time) >= start && isoDay(time) <= end);
  const sales = unnamed.filter(isIn);
  const amount = sum(sales.map((sale) => sale.amount ?? 0));
  return sales.length === 0 ? [] : [{ code: 'sales-without-subid', count: sales.length, amount }];
}

/** A row for each status of the statement, with what it was read as; undefined if it has none. */
export function sumByStatus({ result }: Shown): Table | undefined {
  const groups = groupBy(
    result.pairs.filter(({ line }) => line?.standing !== undefined),
    ({ line }) => statusIn(line),
  );
  if (groups.size === 0) return undefined;
  const rows = [...groups].sort(([, one], [, other]) => other.length - one.length).slice(0, maxStatuses);
  const columns: Columns<(typeof rows)[number]> = [
    ['Status', ([status]) => status],
    ['Read as', ([, [first]]) => first?.line?.standing ?? null],
    ['Lines', ([, pairs]) => String(pairs.length)],
    ['Statement total', ([, pairs]) => money(sumOf(pairs, 'line'))],
  ];
  return tableOf('statuses', columns, rows);
}

/** All that a statement says of a line's status. A yes, no, day or amount says nothing without its heading. */
const statusIn = (line: Pair['line']): string =>
  line?.statuses
    .map(({ kind, heading, cell }) =>
      kind === 'status' || kind === 'type' ? cell : `${heading}: ${kind === 'date' && cell !== '' ? '✓' : cell || '–'}`,
    )
    .join(' / ') ?? '';

/** Rarer statuses are not listed. */
const maxStatuses = 20;

function momentOf(time: number | undefined): string | null {
  return time === undefined ? null : isoMoment(time).replace(' 00:00:00', '');
}

/** A row for each line, and for each conversion without one. @param visits what is known of the visits, by subID */
export function listPairs(
  name: string,
  pairs: readonly Pair[],
  { currencies }: Shown,
  visits: ReadonlyMap<string, string>,
): Table {
  const columns: Columns<Pair> = [
    ['Class', (pair) => pair.class],
    ['Line', ({ line }) => (line ? String(line.line) : null)],
    ['SubID', ({ subid }) => subid || null],
    ['Time', ({ line }) => momentOf(line?.time)],
    ['Amount', ({ line }) => money(line?.amount)],
    ...(currencies.size > 1 ? ([['Currency', ({ line }) => line?.currency ?? null]] satisfies Columns<Pair>) : []),
    ['Tracker time', ({ sale }) => momentOf(sale?.time)],
    ['Tracker amount', ({ sale }) => money(sale?.amount)],
    ['Offer', ({ line, sale }) => sale?.offer ?? line?.offer ?? null],
    ['Transaction', ({ line, sale }) => line?.transaction ?? sale?.transaction ?? null],
    [
      'About',
      (pair) =>
        [...pair.about, pair.class === 'statement_only' ? visits.get(pair.subid) : undefined]
          .filter(Boolean)
          .join('; ') || null,
    ],
  ];
  return tableOf(name, columns, pairs);
}

/** Days as YYYY-MM-DD, both included. */
export interface Days {
  readonly start: string;
  readonly end: string;
}

/** The days whose conversions have a class: by the tracker’s clock if it is known, otherwise by the statement’s. */
export function reconciledDays({ trackerDays }: Reconciliation, days: Days): Days {
  return trackerDays ? { start: isoDay(trackerDays.from), end: isoDay(trackerDays.to - 1) } : days;
}

/** How the statement was read, and what to know about the sums. @param asked the requested days */
export function readingNotes({ statement, result, currency, currencies }: Shown, asked: Days): Note[] {
  const { amountColumn, timeColumn, lines } = statement;
  const roles = Object.entries({ subIDs: result.subidColumn, amounts: amountColumn, times: timeColumn });
  const negative = lines.filter(({ amount = 0 }) => amount < 0).length;
  const stated = [...currencies].filter((name) => name !== currency).slice(0, maxNamed);
  const clock = result.trackerDays ? 'tracker' : 'statement';
  const days = {
    ...reconciledDays(result, asked),
    clock,
    outside: result.outside,
    hasOthers: !!result.others,
  } as const;
  const all: (Note | false)[] = [
    {
      code: 'statement-columns',
      columns: roles.flatMap(([what, name]) => (name === undefined ? [] : [[what, name] as const])),
    },
    ...noSalesNotes(statement),
    ...statement.notices,
    lacksAmounts(result.pairs) && { code: 'tracker-without-amounts' },
    ...result.notices,
    timeColumn !== undefined && shiftNote(statement, result),
    currency !== undefined && { code: 'trackers-currency', currency },
    stated.length > 0 && { code: 'statements-currencies', currencies: stated },
    result.network !== undefined && { code: 'statuses-of-network', network: result.network },
    negative > 0 && { code: 'negative-lines', count: negative },
    ...othersNote(result),
    { code: 'days-reconciled', ...days },
  ];
  return all.filter((note) => note !== false);
}

const maxNoSales = 5;
const maxNamed = 8;

function noSalesNotes({ noSales }: Statement): Note[] {
  const notes = noSales.slice(0, maxNoSales).map(({ line, kind, cells }): Note => {
    return { code: 'line-is-no-sale', line, kind, cells: cells.filter((cell) => cell.trim() !== '') };
  });
  const count = noSales.length - notes.length;
  return count > 0 ? [...notes, { code: 'more-lines-are-no-sales', count }] : notes;
}

function othersNote({ others }: Reconciliation): Note[] {
  if (!others) return [];
  const { by, names, counts } = others;
  const largest = [...counts].sort(([, one], [, other]) => other - one);
  return [{ code: 'other-sales', by, covered: [...names], others: largest }];
}

function shiftNote({ hasClock }: Statement, { shift }: Reconciliation): Note {
  if (!hasClock) return { code: 'times-without-clock' };
  return shift ? { code: 'zone-shift', ...shift } : { code: 'no-zone-shift' };
}
