import * as z from 'zod';
import {
  type ClassName,
  classNames,
  currencyCode,
  type Pair,
  type Reconciliation,
  reconcile,
} from '../../analysis/reconcile/match.ts';
import { readStatement, type Statement } from '../../analysis/reconcile/read-statement.ts';
import { type GivenRow, type Grid, gridOfRows, gridOfText } from '../../analysis/reconcile/statement-grid.ts';
import { dateOrders, decimalMarks } from '../../analysis/reconcile/statement-values.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { joinWords } from '../../api/rules.ts';
import { Table } from '../../api/table.ts';
import { fromOutside, mention, quoted } from '../../api/text/tracker-text.ts';
import { type Answer, type CallContext, defineTool } from '../define-tool.ts';
import { isoDay, isoMoment, lengthInDays, settleDays, shiftDays } from '../period.ts';
import { tablesOutput } from '../present/outputs.ts';
import { presentTables } from '../present/tables.ts';
import { readCampaignIds, readTrackerSide, readVisitsOf } from './read-sides.ts';

const maxCharacters = 1_000_000;
const maxRows = 20_000;

const row = z.custom<GivenRow>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
  message: 'must be a list of objects',
});

const column = (describe: string) => z.string().min(1).max(200).describe(describe).optional();

const input = z.strictObject({
  statement: z.string().max(maxCharacters).describe('CSV, TSV or semicolons; up to 1 MB').optional(),
  rows: z
    .array(row.meta({ type: 'object' }))
    .max(maxRows)
    .describe('Or as objects')
    .optional(),
  campaign_id: is.campaignOrAll().default(0),
  start_date: is.date('Default: its days').optional(),
  end_date: is.date('Last day').optional(),
  subid_column: column('Unless found'),
  amount_column: column('Likewise'),
  time_column: column('Likewise'),
  decimal: is.oneOf(decimalMarks, 'Mark').optional(),
  date_order: is.oneOf(dateOrders, 'Of 3/4/26').optional(),
  class: is.oneOf(classNames, 'Pages through one').optional(),
  limit: is.whole(1, 500, '1 to 500; default 3 a class, 25 of one').optional(),
  offset: is.whole(0, 1_000_000, 'Default 0').optional(),
});

/** What is asked about a statement, beside its cells. */
export const questionInput = input.omit({ statement: true, rows: true });

type Question = Readonly<z.output<typeof questionInput>>;

/** A network's statement against the tracker's conversions. It only reads, and keeps nothing of the statement. */
export const reconcileConversions = defineTool({
  name: 'reconcile_conversions',
  title: 'Reconcile a statement',
  description:
    'An affiliate network’s statement against the conversions of its days, by subID: count, money and age of each class, ' +
    'examples, what is known of the visits, the shift between the clocks.',
  access: 'read',
  input,
  output: tablesOutput,
  run: async ({ statement, rows, ...question }, context) => {
    if ((statement === undefined) === (rows === undefined))
      throw new Failure('reconcile_conversions was not called: give either statement or rows.');
    const grid = rows ? gridOfRows(rows) : await gridOfText(statement ?? '', maxRows);
    return reconcileGrid(grid, question, context);
  },
});

/** A period that no statement is of: a wrong date is in it. */
const maxDays = 750;

/** With `isWhole` the answer has each line and conversion as a row, in the place of examples. */
export async function reconcileGrid(
  grid: Grid,
  question: Question,
  context: CallContext,
  isWhole = false,
): Promise<Answer> {
  const begun = performance.now();
  const statement = readStatement(grid, question);
  if (statement.lines.length === 0) throw new Failure('The statement has no lines below its heading.');
  const days = daysOf(statement, question, context);
  // The clocks may be up to a day apart.
  const read = { start: shiftDays(days.start, -1), end: shiftDays(days.end, 1) };
  const side = await readTrackerSide(question.campaign_id, read, context);
  const campaigns = await readCampaignIds(context);
  const ownCurrency = side.unit ?? context.currency;
  const result = reconcile(statement, side.sales, {
    campaigns,
    campaignId: question.campaign_id === 0 ? undefined : String(question.campaign_id),
    ...days,
    currency: ownCurrency,
  });
  const form: Form = isWhole ? 'whole' : question.class ? 'class' : 'summary';
  const rows = rowsOf(result.pairs, question, form);
  const { limit = rowsOfClass, offset = 0 } = question;
  const page = form === 'class' ? rows.slice(offset, offset + limit) : rows;
  const unknown = page.filter((pair) => pair.class === 'statement_only');
  // What is known of visits is beside the sums: it takes a third of the time at most.
  const { timeoutMs } = context.client;
  const visitsEnd = Math.min(begun + timeoutMs * 0.9, performance.now() + timeoutMs / 3);
  const visits = await readVisitsOf(unknown, days, context, visitsEnd);
  const { currency } = context;
  const shown = {
    statement,
    result,
    ownCurrency,
    currency,
    now: context.now(),
    isSeveral: isInSeveral(result, ownCurrency),
  };
  const notices = [
    ...sayColumns(statement, result),
    ...sayShift(statement, result),
    ...sayRest(shown, days),
    ...side.notices,
    ...visits.notices,
    ...(form === 'summary'
      ? [`At most ${question.limit ?? examplesOfClass} examples of each class are shown; class pages through one.`]
      : []),
  ];
  const list = listPairs(
    { summary: 'examples', class: question.class ?? '', whole: 'lines' }[form],
    rows,
    shown,
    visits.about,
  );
  const tables = form === 'class' ? [list] : [sumUp(shown), ...(rows.length > 0 ? [list] : [])];
  const sums = ['Lines', 'Conversions', ...(shown.isSeveral ? [] : ['Statement total', 'Tracker total', 'Difference'])];
  const view = {
    sort_order: 'asc' as const,
    ...(form === 'class'
      ? { limit, offset }
      : { limit: Math.max(1, ...tables.map(({ rowCount }) => rowCount)), offset: 0 }),
    currency: undefined,
    ...(form === 'class' ? { hasTotals: false } : { sums }),
  };
  const query = { ...resolved(statement, result, question), start_date: days.start, end_date: days.end };
  const isFromOutside = (name: string) => name === 'SubID' || name === 'About';
  return presentTables({ kind: 'tables', tables, notices: [] }, query, view, notices, isFromOutside);
}

/** Sums and examples, a page of one class, or sums and all there is. */
type Form = 'summary' | 'class' | 'whole';

const [examplesOfClass, rowsOfClass] = [3, 25];

/** Examples of each class, of which those that agree need none; or those of one class; or every one there is. */
function rowsOf(pairs: readonly Pair[], { class: only, limit }: Question, form: Form): readonly Pair[] {
  const ofClass = (name: ClassName) => pairs.filter((pair) => pair.class === name);
  if (only) return ofClass(only);
  if (form === 'whole') return pairs;
  const perClass = limit ?? examplesOfClass;
  return classNames.filter((name) => name !== 'matched').flatMap((name) => ofClass(name).slice(0, perClass));
}

interface Shown {
  readonly statement: Statement;
  readonly result: Reconciliation;
  /** What the tracker's money is in, a sign or a code. */
  readonly ownCurrency: string | undefined;
  /** The code that is configured. */
  readonly currency: string | undefined;
  readonly now: Date;
  /** Whether money of a class is in more than one currency, or in another than the tracker's. */
  readonly isSeveral: boolean;
}

/** The days that are reconciled: as given, else those of the statement. */
function daysOf({ lines, timeColumn }: Statement, { start_date, end_date }: Question, context: CallContext) {
  const times = lines.flatMap(({ time }) => time ?? []);
  if ((start_date === undefined || end_date === undefined) && times.length > 0) {
    const [first, last] = times.reduce(
      ([min, max], time) => [Math.min(min, time), Math.max(max, time)],
      [times[0] ?? 0, times[0] ?? 0],
    );
    const days = { start: start_date ?? isoDay(first), end: end_date ?? isoDay(last) };
    if (days.start > days.end)
      throw new Failure(
        `The statement’s days are ${isoDay(first)} to ${isoDay(last)}.`,
        'Give both start_date and end_date, or neither.',
      );
    if (lengthInDays(days.start, days.end) > maxDays) {
      const at = (time: number) => lines.find((line) => line.time === time)?.line;
      throw new Failure(
        `The dates of ${quoted(fromOutside(timeColumn ?? ''), 60)} go from ${days.start} (line ${at(first)}) to ${days.end} (line ${at(last)}), more than ${maxDays} days.`,
        'Give start_date and end_date, date_order, or another time_column.',
      );
    }
    return days;
  }
  const { start, end } = settleDays('reconcile_conversions', { start_date, end_date }, 'last_30_days', context);
  return { start, end };
}

/** The arguments as resolved, with the columns that were found. */
function resolved(
  statement: Statement,
  { subidColumn, shift }: Reconciliation,
  { start_date, end_date, ...question }: Question,
) {
  const outside = (name: string | undefined) => (name === undefined ? undefined : mention(fromOutside(name), 60));
  return {
    ...question,
    subid_column: outside(subidColumn),
    amount_column: outside(statement.amountColumn),
    time_column: outside(statement.timeColumn),
    ...(shift ? { zone_shift_minutes: shift.minutes } : {}),
  };
}

function isInSeveral({ pairs }: Reconciliation, ownCurrency: string | undefined): boolean {
  const codes = new Set(pairs.flatMap(({ line }) => line?.currency ?? []).map(currencyCode));
  if (ownCurrency !== undefined) codes.add(currencyCode(ownCurrency));
  return codes.size > 1;
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
function sumUp(shown: Shown): Table {
  const { result, ownCurrency, now, isSeveral } = shown;
  const own = ownCurrency === undefined ? undefined : currencyCode(ownCurrency);
  const groups = new Map<string, Pair[]>();
  for (const pair of result.pairs) {
    const code = isSeveral ? (pair.line?.currency === undefined ? (own ?? '') : currencyCode(pair.line.currency)) : '';
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

function listPairs(
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
function sayRest(
  { statement, result, ownCurrency, currency }: Shown,
  { start, end }: { start: string; end: string },
): string[] {
  const statuses = [...statement.statuses].sort(([, one], [, other]) => other - one).slice(0, maxStatuses);
  const negative = statement.lines.filter(({ amount }) => amount !== undefined && amount < 0).length;
  const codes = [...new Set(statement.lines.flatMap(({ currency: own }) => own ?? []).map(currencyCode))];
  const own = ownCurrency === undefined ? undefined : currencyCode(ownCurrency);
  return [
    ...(codes.length === 0
      ? []
      : [
          `The statement’s money is in ${joinWords(
            codes.slice(0, maxStatuses).map((code) => mention(fromOutside(code), 20)),
            'and',
          )}.`,
        ]),
    ...(own === undefined ? [] : [`The tracker’s money is in ${mention(fromOutside(currency ?? own), 20)}.`]),
    ...(statuses.length < 2
      ? []
      : [
          `Statuses in it, all of which count: ${statuses.map(([status, count]) => `${mention(fromOutside(status), 40)} ${count}`).join(', ')}.`,
        ]),
    ...(negative === 0 ? [] : [`${negative} lines have a negative amount.`]),
    `Conversions of ${start} to ${end} are in a class each; ${result.outside} of the days beside these, read for the lines alone, are in none.`,
  ];
}
