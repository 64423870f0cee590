import { type ClassName, classNames } from '../../analysis/reconcile/choices.ts';
import { currencyName, type Pair, type Reconciliation } from '../../analysis/reconcile/match.ts';
import type { Statement } from '../../analysis/reconcile/read-statement.ts';
import { joinWords } from '../../api/rules.ts';
import { Table } from '../../api/table.ts';
import { fromOutside, mention, quoted } from '../../api/text/tracker-text.ts';
import { isoDay, isoMoment } from '../period.ts';

/** What a statement came to, as it is shown. */
export interface Shown {
  readonly statement: Statement;
  readonly result: Reconciliation;
  /** What the tracker's money is in, a code or a sign. */
  readonly currency: string | undefined;
  readonly now: Date;
  readonly isSeveral: boolean;
}

/** Whether a statement's money is in more than one currency, or in another than the tracker's. */
export function isInSeveral(statement: Statement, currency: string | undefined): boolean {
  return currenciesOf(statement, currency).size > 1;
}

function currenciesOf({ lines }: Statement, own: string | undefined): ReadonlySet<string> {
  const written = new Set(lines.flatMap(({ currency }) => currency ?? []));
  return new Set([...[...written].map((currency) => currencyName(currency, own)), ...(own === undefined ? [] : [own])]);
}

const headings = [
  'Lines',
  'Conversions',
  'Statement total',
  'Tracker total',
  'Difference',
  'First day',
  'Last day',
  'Median age, days',
];

/** A row for each class, and for each currency if there are several. */
export function sumUp(shown: Shown): Table {
  const { result, currency: own, now, isSeveral } = shown;
  const groups = new Map<string, Pair[]>();
  for (const pair of result.pairs) {
    const written = pair.line?.currency;
    const code = isSeveral ? (written === undefined ? (own ?? '') : currencyName(written, own)) : '';
    const key = JSON.stringify([pair.class, code]);
    const group = groups.get(key);
    if (group) group.push(pair);
    else groups.set(key, [pair]);
  }
  const order = (key: string) => classNames.indexOf(JSON.parse(key)[0]);
  const rows = [...groups]
    .sort(([one], [other]) => order(one) - order(other))
    .map(([key, pairs]) => {
      const [name, code]: [ClassName, string] = JSON.parse(key);
      const stated = sumOf(pairs.map(({ line }) => line?.amount));
      const listed = sumOf(pairs.map(({ sale }) => sale?.amount));
      const times = pairs.flatMap(({ line, sale }) => line?.time ?? sale?.time ?? []).sort((one, other) => one - other);
      const middle = times[Math.floor(times.length / 2)];
      const isComparable = !isSeveral || code === own;
      return [
        name,
        ...(isSeveral ? [code || null] : []),
        String(pairs.filter(({ line }) => line).length),
        String(pairs.filter(({ sale }) => sale).length),
        money(stated),
        money(listed),
        isComparable && stated !== undefined && listed !== undefined ? money(stated - listed) : null,
        dayOf(times[0]),
        dayOf(times.at(-1)),
        middle === undefined ? null : String(Math.max(0, Math.floor((now.getTime() - middle) / 86_400_000))),
      ];
    });
  return Table.fromRows('classes', ['Class', ...(isSeveral ? ['Currency'] : []), ...headings], rows);
}

function sumOf(amounts: readonly (number | undefined)[]): number | undefined {
  const known = amounts.filter((amount) => amount !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, amount) => sum + amount, 0);
}

function money(amount: number | undefined): string | null {
  // Sums of cents drift behind the last digit.
  return amount === undefined ? null : String(Math.round(amount * 1e4) / 1e4 + 0);
}

function dayOf(time: number | undefined): string | null {
  return time === undefined ? null : isoDay(time);
}

function momentOf(time: number | undefined): string | null {
  return time === undefined ? null : isoMoment(time).replace(' 00:00:00', '');
}

/** A row for each line, and for each conversion that no line is of. */
export function listPairs(
  name: string,
  pairs: readonly Pair[],
  { isSeveral }: Shown,
  visits: ReadonlyMap<string, string>,
): Table {
  const rows = pairs.map(({ class: own, line, sale, subid, about }) => [
    own,
    line ? String(line.line) : null,
    subid || null,
    momentOf(line?.time),
    money(line?.amount),
    ...(isSeveral ? [line?.currency ?? null] : []),
    momentOf(sale?.time),
    money(sale?.amount),
    line?.transaction ?? sale?.transaction ?? null,
    [...about, own === 'statement_only' ? visits.get(subid) : undefined].filter(Boolean).join('; ') || null,
  ]);
  const columns = [
    'Class',
    'Line',
    'SubID',
    'Time',
    'Amount',
    ...(isSeveral ? ['Currency'] : []),
    'Tracker time',
    'Tracker amount',
    'Transaction',
    'About',
  ];
  return Table.fromRows(name, columns, rows);
}

/** Days as YYYY-MM-DD, both included. */
export interface Days {
  readonly start: string;
  readonly end: string;
}

/** The days whose conversions are in a class each: those of the statement, or as the tracker counts them. */
export function reconciledDays({ trackerDays }: Reconciliation, days: Days): Days {
  return trackerDays ? { start: isoDay(trackerDays.from), end: isoDay(trackerDays.to - 1) } : days;
}

/** How the statement was read, and what its reader should know of the sums. */
export function describeReading(shown: Shown, days: Days): string[] {
  const { statement, result } = shown;
  return [...sayColumns(statement, result), ...sayShift(statement, result), ...sayRest(shown, days)];
}

/** Which columns were taken for what. */
function sayColumns(
  { amountColumn, timeColumn, notices }: Statement,
  { subidColumn, notices: more }: Reconciliation,
): string[] {
  const said = Object.entries({ subIDs: subidColumn, amounts: amountColumn, times: timeColumn }).flatMap(
    ([what, name]) => (name === undefined ? [] : [`${what} ${quoted(fromOutside(name), 60)}`]),
  );
  return [`Columns: ${joinWords(said, 'and')}.`, ...notices, ...more];
}

function sayShift({ timeColumn, hasClock }: Statement, { shift }: Reconciliation): string[] {
  if (timeColumn === undefined) return [];
  if (!hasClock)
    return [
      'Its times are days without a time of day, so that no zone shift can be found: sales near midnight may be on the day beside theirs.',
    ];
  if (!shift) return ['No zone shift shows: too few sales fall on their tracker time under any.'];
  const { minutes, fits, of } = shift;
  const hours = `${Math.floor(Math.abs(minutes) / 60)} h${minutes % 60 === 0 ? '' : ` ${Math.abs(minutes % 60)} min`}`;
  const how = minutes === 0 ? 'agrees with' : `is ${hours} ${minutes > 0 ? 'ahead of' : 'behind'}`;
  return [`The statement’s clock ${how} the tracker’s: ${fits} of ${of} sales fall on their tracker time under it.`];
}

const maxStatuses = 8;

/** What else a reader should know of the sums. */
function sayRest({ statement, result, currency }: Shown, asked: Days): string[] {
  const { start, end } = reconciledDays(result, asked);
  const clock = `by the ${result.trackerDays ? 'tracker' : 'statement'}’s clock`;
  const statuses = [...statement.statuses].sort(([, one], [, other]) => other - one).slice(0, maxStatuses);
  const negative = statement.lines.filter(({ amount }) => amount !== undefined && amount < 0).length;
  const stated = [...currenciesOf(statement, currency)].filter((name) => name !== currency);
  const inWords = (name: string) => mention(fromOutside(name), 20);
  return [
    ...(currency === undefined ? [] : [`The tracker’s money is in ${inWords(currency)}.`]),
    ...(stated.length === 0
      ? []
      : [`The statement has money in ${joinWords(stated.slice(0, maxStatuses).map(inWords), 'and')}.`]),
    ...(statuses.length < 2
      ? []
      : [
          `Statuses in it, all of which count: ${statuses.map(([status, count]) => `${mention(fromOutside(status), 40)} ${count}`).join(', ')}.`,
        ]),
    ...(negative === 0 ? [] : [`${negative} lines have a negative amount.`]),
    `Conversions of ${start} to ${end}, ${clock}, are in a class each; ${result.outside} of the days beside these, read for the lines alone, are in none.`,
  ];
}
