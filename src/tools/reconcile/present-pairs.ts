import { currencyName } from '../../analysis/columns/formats.ts';
import { isoDay } from '../../analysis/columns/times.ts';
import { type ClassName, classNames, type Pair, type Reconciliation } from '../../analysis/reconcile/match.ts';
import type { Statement } from '../../analysis/reconcile/read-statement.ts';
import { at, groupBy, sum } from '../../analysis/statistics/history.ts';
import { amountInWords, countInWords, joinWords } from '../../api/rules.ts';
import { Table } from '../../api/table.ts';
import { fromOutside, mention, quoted } from '../../api/text/tracker-text.ts';
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

/** The currencies of a statement and the tracker. */
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

/** A row for each class, and for each of several currencies. */
export function sumUp({ result, currency: own, currencies, now }: Shown): Table {
  const hasSeveral = currencies.size > 1;
  const codeOf = ({ line }: Pair) => {
    if (!hasSeveral) return '';
    return line?.currency === undefined ? (own ?? '') : currencyName(line.currency, own);
  };
  const rows = classNames.flatMap((name) => {
    const groups = groupBy(
      result.pairs.filter((pair) => pair.class === name),
      codeOf,
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
    ['Difference', ({ code, pairs }) => (hasSeveral && code !== own ? null : money(gapOf(pairs)))],
    ['First day', ({ times: [first] }) => (first === undefined ? null : isoDay(first))],
    ['Last day', ({ times }) => (times.length === 0 ? null : isoDay(at(times, times.length - 1)))],
    [
      'Median age, days',
      ({ times }) => {
        const middle = times[Math.floor(times.length / 2)];
        return middle === undefined ? null : String(Math.max(0, Math.floor((now.getTime() - middle) / 86_400_000)));
      },
    ],
  ];
  return tableOf('classes', columns, rows);
}

/** Sums of cents drift after the last digit. */
function money(amount: number | undefined): string | null {
  return amount === undefined ? null : String(Math.round(amount * 1e4) / 1e4 + 0);
}

/** The columns of money. */
export const moneyColumns = new Set(['Statement total', 'Tracker total', 'Difference', 'Amount', 'Tracker amount']);

/** What each class contributes to the gap between the totals. */
const gapWords: Readonly<Record<ClassName, string>> = {
  matched: 'without an amount to compare',
  tracker_only: 'missing in the statement',
  amount_differs: 'with another amount',
  statement_only: 'not in the tracker',
  twice_in_statement: 'twice in the statement',
  twice_in_tracker: 'twice in the tracker',
  pending: 'pending',
  rejected: 'rejected',
  unclear: 'of unclear status',
  reversal: 'reversed',
  rebill: 'rebilled, not in the tracker',
  other_campaign: 'of another campaign',
  other_tracker: 'of another tracker',
  unreadable: 'unreadable',
};

/** Whether only one side has an amount. The other items of an order have no conversion of their own. */
const isHalf = ({ line, sale }: Pair) =>
  sale !== undefined && (line?.amount === undefined) !== (sale.amount === undefined);

/** Both totals, the gap between them and what makes it, in a sentence; empty if several currencies have no common total. */
export function gapInWords({ statement, result: { pairs }, currencies }: Shown): string[] {
  if (currencies.size > 1 || statement.amountColumn === undefined) return [];
  const paid =
    sumOf(
      pairs.filter((pair) => !isUnpaid(pair)),
      'line',
    ) ?? 0;
  const listed = sumOf(pairs, 'sale') ?? 0;
  const parts = classNames.flatMap((name) => {
    const ofClass = pairs.filter((pair) => pair.class === name && (name !== 'matched' || isHalf(pair)));
    if (ofClass.length === 0) return [];
    // What is not paid makes no gap unless the tracker has it: then its own amount says more.
    const gap = gapOf(ofClass) || sumOf(ofClass, 'line') || 0;
    return [`${ofClass.length} ${gapWords[name]} (${amountInWords(Math.abs(gap))})`];
  });
  const gap = Math.round((paid - listed) * 100) / 100;
  const how = gap === 0 ? 'is equal to' : `is ${amountInWords(Math.abs(gap))} ${gap < 0 ? 'below' : 'above'}`;
  const totals = `${amountInWords(paid)} against ${amountInWords(listed)}`;
  const unclear = pairs.filter((pair) => pair.class === 'unclear');
  const statuses = [...new Set(unclear.map(({ line }) => statusIn(line)))].slice(0, maxNamed);
  return [
    `The statement ${how} the tracker (${totals})${parts.length === 0 ? '' : `: ${parts.join(', ')}`}.`,
    ...(unclear.length === 0
      ? []
      : [
          `What ${joinWords(
            statuses.map((status) => quoted(fromOutside(status), 40)),
            'and',
          )} say of a sale is not known, or differs by network: such lines are in class unclear and no revenue.`,
        ]),
  ];
}

/** A line that is found by a repaired subID may be another visitor's: it is said first. */
export function describeRepairs({ repaired }: Reconciliation): string[] {
  if (!repaired) return [];
  const { count, cell, visitor } = repaired;
  const [from, to] = [cell.trim(), visitor].map((text) => mention(fromOutside(text), 60));
  return [
    `${countInWords(count, 'subID')} of the statement ${count === 1 ? 'was' : 'were'} repaired, as ${from} to ${to}; About says so in its row.`,
  ];
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

/** All that a statement says of a line's status. */
const statusIn = (line: Pair['line']): string => line?.statuses.map(({ cell }) => cell).join(' / ') ?? '';

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
export function describeReading({ statement, result, currency, currencies }: Shown, asked: Days): string[] {
  const { amountColumn, timeColumn, lines } = statement;
  const roles = Object.entries({ subIDs: result.subidColumn, amounts: amountColumn, times: timeColumn });
  const columns = roles.flatMap(([what, name]) =>
    name === undefined ? [] : [`${what} ${quoted(fromOutside(name), 60)}`],
  );
  const { start, end } = reconciledDays(result, asked);
  const negative = lines.filter(({ amount = 0 }) => amount < 0).length;
  const inWords = (name: string) => mention(fromOutside(name), 20);
  const stated = [...currencies].filter((name) => name !== currency).slice(0, maxNamed);
  return [
    `Columns: ${joinWords(columns, 'and')}.`,
    ...describeNoSales(statement),
    ...statement.notices,
    ...result.notices,
    ...(timeColumn === undefined ? [] : [describeShift(statement, result)]),
    ...(currency === undefined ? [] : [`The tracker’s money is in ${inWords(currency)}.`]),
    ...(stated.length === 0 ? [] : [`The statement has money in ${joinWords(stated.map(inWords), 'and')}.`]),
    ...(result.network === undefined ? [] : [`Statuses are read as ${result.network} uses them.`]),
    ...(negative === 0 ? [] : [`${negative} lines have a negative amount.`]),
    ...describeOthers(result),
    `Each${result.others ? ' other' : ''} conversion of ${start} to ${end}, by the ${result.trackerDays ? 'tracker' : 'statement'}’s clock, is in a class; ${result.outside} conversions of the days next to these, read only to find lines, are in none.`,
  ];
}

const noSaleWords: Readonly<Record<Statement['noSales'][number]['kind'], string>> = {
  page_number: 'a page number and not a sale',
  heading: 'the heading again and not a sale',
  total: 'the statement’s own total and not a sale',
  booking: 'booked beside the sales and not a sale',
  note: 'not a sale',
};

const maxNoSales = 5;

function describeNoSales({ noSales }: Statement): string[] {
  const sentences = noSales.slice(0, maxNoSales).map(({ line, kind, cells }) => {
    const filled = cells.filter((cell) => cell.trim() !== '').map((cell) => quoted(fromOutside(cell), 60));
    return `Line ${line} is ${noSaleWords[kind]}: ${filled.join(', ')}.`;
  });
  const more = noSales.length - sentences.length;
  return more > 0 ? [...sentences, `${more} more lines are totals, notes or headings and not sales.`] : sentences;
}

const maxNamed = 8;

function describeOthers({ others }: Reconciliation): string[] {
  if (!others) return [];
  const { by, names, counts } = others;
  const inWords = (name: string) => mention(fromOutside(name), 40);
  const covered = [...names].slice(0, maxNamed).map(inWords);
  const largest = [...counts].sort(([, one], [, other]) => other - one);
  const left = largest.slice(0, maxNamed).map(([name, count]) => `${inWords(name)} ${count}`);
  const rest = sum(largest.slice(maxNamed).map(([, count]) => count));
  return [
    `Lines match only conversions of ${joinWords([...covered, ...(names.size > maxNamed ? ['others'] : [])], 'and')}, ` +
      `so those of other ${by}s are in no class: ${[...left, ...(rest > 0 ? [`others ${rest}`] : [])].join(', ')}.`,
  ];
}

function describeShift({ hasClock }: Statement, { shift }: Reconciliation): string {
  if (!hasClock)
    return 'Its times are days without a time of day, so no zone shift can be found: sales near midnight may be on the day before or after.';
  if (!shift) return 'No zone shift was found: too few sales match their tracker time with any shift.';
  const { minutes, fits, timed } = shift;
  const hours = `${Math.floor(Math.abs(minutes) / 60)} h${minutes % 60 === 0 ? '' : ` ${Math.abs(minutes % 60)} min`}`;
  const how = minutes === 0 ? 'agrees with' : `is ${hours} ${minutes > 0 ? 'ahead of' : 'behind'}`;
  return `The statement’s clock ${how} the tracker’s: ${fits} of ${timed} sales match their tracker time with that.`;
}
