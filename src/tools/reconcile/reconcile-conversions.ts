import { isoDay } from '../../analysis/columns/times.ts';
import { isSameAmount } from '../../analysis/reconcile/compared-amounts.ts';
import { type Pair, type Reconciliation, reconcile } from '../../analysis/reconcile/match.ts';
import { readStatement, type Statement } from '../../analysis/reconcile/read-statement.ts';
import type { TimeProblem } from '../../analysis/reconcile/sale-times.ts';
import { type Grid, gridOfRows, gridOfText } from '../../analysis/reconcile/statement-grid.ts';
import { type Note, sayNotice } from '../../answer/notes.ts';
import { type ClassName, classNames } from '../../answer/statement-notes.ts';
import { Failure } from '../../api/failure.ts';
import { joinWords } from '../../api/rules.ts';
import { fromOutside, quoted, rawText, shown as shownText } from '../../api/text/tracker-text.ts';
import { listCampaignsIfOffered } from '../campaigns.ts';
import { type Answer, type CallContext, mapAnswer, withNotices } from '../define-tool.ts';
import { maxRows, type questionInput, type reconcileInput } from '../detail-tools.ts';
import type { FromSchema } from '../json-schema.ts';
import { lengthInDays, settleDays, shiftDays } from '../period.ts';
import { presentTables } from '../present/tables.ts';
import {
  besideNotes,
  currenciesOf,
  type Days,
  factorNote,
  gapNotes,
  listPairs,
  moneyColumns,
  readingNotes,
  reconciledDays,
  repairsNote,
  sumByStatus,
  sumUp,
  unnamedNote,
} from './present-pairs.ts';
import { type KnownVisits, readTrackerSide, readVisitsOf } from './read-sides.ts';

type Question = Readonly<FromSchema<typeof questionInput>>;

/** Matches a network’s statement with the tracker’s conversions. */
export async function run(
  { statement, rows: given = [], ...question }: Readonly<FromSchema<typeof reconcileInput>>,
  context: CallContext,
): Promise<Answer> {
  // Hosts that fill in each argument send an empty list beside a statement.
  const rows = given.length > 0 ? given : undefined;
  if ((statement === undefined) === (rows === undefined))
    throw new Failure('reconcile_conversions was not called: give either statement or rows.');
  const grid = () => (rows ? gridOfRows(rows) : gridOfText(statement ?? '', maxRows));
  return reconcileStatement(grid, question, context);
}

const statementIsData = { code: 'statement-is-data' } as const;

/**
 * Reconciles a statement. Whatever comes of it quotes the statement, if only its headings, so every answer says that this is data, and
 * every failure that is about the statement.
 *
 * @param isWhole whether the answer lists every line and conversion instead of examples
 */
export async function reconcileStatement(
  read: () => Grid | Promise<Grid>,
  question: Question,
  context: CallContext,
  isWhole = false,
): Promise<Answer> {
  try {
    const answer = await reconcileGrid(await read(), question, context, isWhole);
    return mapAnswer(answer, (result) => withNotices(result, { after: [statementIsData] }));
  } catch (error) {
    if (error instanceof Failure && error.outcome === undefined) error.message += ` ${sayNotice(statementIsData)}`;
    throw error;
  }
}

/** More columns of amounts are not tried. */
const maxTried = 5;

/**
 * Of the columns that may hold the payouts, the one that fits most of the tracker's amounts; else the only one with a known heading.
 *
 * @throws Failure that names the columns if neither decides
 */
function chooseAmounts(
  first: Statement,
  read: (amountColumn: string) => Statement,
  match: (statement: Statement) => Reconciliation,
): { readonly statement: Statement; readonly result: Reconciliation } {
  if (first.amountProblem) throw unreadAmounts(first.amountProblem);
  const { likely, possible } = first.amountColumns;
  const names = [...new Set([...likely, ...possible])].slice(0, maxTried);
  const judge = (statement: Statement) => {
    const result = match(statement);
    const compared = result.pairs.filter(({ line, sale }) => line?.amount !== undefined && sale?.amount !== undefined);
    const fits = compared.filter(({ line, sale }) => isSameAmount(line?.amount, sale?.amount)).length;
    return { statement, result, fits, fitsMost: fits > 0 && fits * 2 >= compared.length };
  };
  const isKnown = first.amountColumn !== undefined && likely.length === 1;
  const asRead = isKnown || names.length === 0 ? judge(first) : undefined;
  if (asRead && (names.length < 2 || asRead.fits > 0)) return asRead;
  const others = asRead ? names.slice(1) : names;
  const best = [...(asRead ? [asRead] : []), ...others.map((name) => judge(read(name)))].toSorted(
    (one, other) => other.fits - one.fits,
  )[0];
  // A known heading that never fits, beside another column that does, is asked about.
  if (asRead && !(best?.fitsMost && best.fits > 1)) return asRead;
  const isLikely = likely.includes(best?.statement.amountColumn ?? '');
  if (best && !asRead && (best.fitsMost || (isLikely && best.fits > 0))) return best;
  throw new Failure(
    `Neither its headings nor the tracker’s amounts show which column of the statement holds the payouts; it may be ${quoteAll(names, 'or')}.`,
    'Give amount_column: what the network pays, not what the visitor paid; none compares without amounts.',
  );
}

function unreadAmounts({ column, cell }: NonNullable<Statement['amountProblem']>): Failure {
  const [name, text] = [column, cell].map((one) => quoted(fromOutside(one), 60));
  return new Failure(
    `The amounts in ${name} cannot be read; the first is ${text}.`,
    'Write them like 12.50, or give amount_column; none compares without amounts.',
  );
}

function quoteAll(names: readonly string[], conjunction: 'and' | 'or'): string {
  return joinWords(
    names.slice(0, maxTried).map((name) => quoted(fromOutside(name), 60)),
    conjunction,
  );
}

/** Sums and examples, a page of one class, or sums and every line and conversion. */
type Form = 'summary' | 'class' | 'whole';

const [examplesPerClass, rowsPerPage] = [3, 25];

/** That the tracker has conversions which its list lacks. @param asked the lines whose visits were looked up */
const unlistedNote = (asked: number, { converted }: KnownVisits): Note[] =>
  converted.size === 0 ? [] : [{ code: 'conversions-unlisted', visits: converted.size, of: asked }];

async function reconcileGrid(grid: Grid, question: Question, context: CallContext, isWhole: boolean): Promise<Answer> {
  const read = (amount_column?: string) =>
    readStatement(grid, { ...question, amount_column: amount_column ?? question.amount_column }, context.now());
  const first = read();
  if (first.lines.length === 0) throw new Failure('The statement has no lines below its heading.');
  const days = settleStatementDays(first, question, context);
  // The clocks may be up to a day apart.
  const span = { start: shiftDays(days.start, -1), end: shiftDays(days.end, 1) };
  const side = await readTrackerSide(question.campaign_id, span, context);
  const campaigns = await listCampaignsIfOffered(context);
  const currency = context.currency ?? side.unit;
  const options = {
    campaigns: campaigns && new Set(campaigns.map(({ id }) => rawText(id))),
    campaignId: question.campaign_id === 0 ? undefined : String(question.campaign_id),
    ...days,
    areDaysGiven: (question.start_date ?? question.end_date) !== undefined || first.timeColumn === undefined,
    currency,
  };
  const { statement, result } = chooseAmounts(first, read, (one) => reconcile(one, side.sales, options));
  if (result.openAmount !== undefined)
    throw new Failure(
      `Nothing shows whether ${quoted(fromOutside(result.openAmount), 60)} is a thousand or a fraction.`,
      'Give decimal: point or comma.',
    );
  const form: Form = isWhole ? 'whole' : question.class ? 'class' : 'summary';
  const rows = rowsOf(result.pairs, question, form);
  const { limit = rowsPerPage, offset = 0 } = question;
  const page = form === 'class' ? rows.slice(offset, offset + limit) : rows;
  // The visits are extra: they may take a third of the time.
  const { timeoutMs, leftMs } = context.client;
  const visitsEnd = performance.now() + Math.min(leftMs - timeoutMs * 0.1, timeoutMs / 3);
  const unknown = page.filter((pair) => pair.class === 'statement_only');
  const visits = await readVisitsOf(unknown, days, context, visitsEnd);
  const currencies = currenciesOf(statement, currency);
  const shown = { statement, result, currency, currencies, now: context.now() };
  const notices = [
    ...readingNotes(shown, days),
    ...side.notices,
    ...visits.notices,
    ...(form === 'summary' ? [{ code: 'examples-only', count: question.limit ?? examplesPerClass } as const] : []),
  ];
  const names = { summary: 'examples', class: question.class ?? '', whole: 'lines' };
  const list = listPairs(names[form], rows, shown, visits.about);
  const statuses = sumByStatus(shown);
  const sumTables = statuses ? [sumUp(shown), statuses] : [sumUp(shown)];
  const tables = form === 'class' ? [list] : [...sumTables, ...(rows.length > 0 ? [list] : [])];
  const sums = [
    'Lines',
    'Conversions',
    ...(currencies.size > 1 ? [] : ['Statement total', 'Tracker total', 'Difference']),
  ];
  const view =
    form === 'class'
      ? { limit, offset, hasTotals: false }
      : { limit: Math.max(1, ...tables.map(({ rowCount }) => rowCount)), offset: 0, sums };
  const columnShown = (name: string | undefined) => (name === undefined ? undefined : shownText(fromOutside(name), 60));
  const { start, end } = reconciledDays(result, days);
  const query = {
    ...question,
    subid_column: columnShown(result.subidColumn),
    amount_column: columnShown(statement.amountColumn),
    time_column: columnShown(statement.timeColumn),
    ...(result.shift ? { zone_shift_minutes: result.shift.minutes } : {}),
    start_date: start,
    end_date: end,
  };
  const answer = presentTables(
    { kind: 'tables', tables, notices: [] },
    query,
    { ...view, sort_order: 'asc', currency: undefined, cents: moneyColumns },
    notices,
    () => false,
  );
  const areDaysKnown = first.timeColumn !== undefined || question.start_date !== undefined;
  const before = [
    ...gapNotes(shown),
    ...besideNotes(shown),
    ...factorNote(shown),
    ...unlistedNote(unknown.length, visits),
    ...repairsNote(result),
    ...unnamedNote(side.unnamed, days),
    ...(areDaysKnown ? [] : [{ code: 'statement-without-times', start, end } as const]),
  ];
  return mapAnswer(answer, (one) => withNotices(one, { before }));
}

/** Examples of each class but `matched`, or all of one class, or all pairs. */
function rowsOf(pairs: readonly Pair[], { class: only, limit }: Question, form: Form): readonly Pair[] {
  const pairsIn = (name: ClassName) => pairs.filter((pair) => pair.class === name);
  if (only) return pairsIn(only);
  if (form === 'whole') return pairs;
  const perClass = limit ?? examplesPerClass;
  return classNames.filter((name) => name !== 'matched').flatMap((name) => pairsIn(name).slice(0, perClass));
}

/** No statement covers a longer period: one of its dates is wrong. */
const maxDays = 750;

/** The days to reconcile: those of the call, else those of the statement. */
function settleStatementDays(
  { lines, timeColumn = '', timeProblem }: Statement,
  question: Question,
  context: CallContext,
): Days {
  const { start_date, end_date } = question;
  if (timeProblem && (start_date === undefined || end_date === undefined)) throw unknownDays(timeProblem);
  const dated = lines
    .flatMap(({ line, time }) => (time === undefined ? [] : [{ line, time }]))
    .sort((one, other) => one.time - other.time);
  const [first, last] = [dated[0], dated.at(-1)];
  if (!first || !last || (start_date !== undefined && end_date !== undefined))
    return settleDays('reconcile_conversions', { start_date, end_date }, 'last_30_days', context);
  const days = { start: start_date ?? isoDay(first.time), end: end_date ?? isoDay(last.time) };
  if (days.start > days.end)
    throw new Failure(
      `The statement’s days are ${isoDay(first.time)} to ${isoDay(last.time)}.`,
      'Give both start_date and end_date, or neither.',
    );
  if (lengthInDays(days.start, days.end) > maxDays)
    throw new Failure(
      `The dates of ${quoted(fromOutside(timeColumn), 60)} go from ${days.start} (line ${first.line}) to ${days.end} (line ${last.line}), more than ${maxDays} days.`,
      'Give start_date and end_date, date_order, or a different time_column.',
    );
  return days;
}

function unknownDays(problem: TimeProblem): Failure {
  const orDays = 'or give start_date and end_date';
  if (problem.kind === 'several')
    return new Failure(
      `The headings do not show which times are those of the sales; these columns hold times: ${quoteAll(problem.columns, 'and')}.`,
      `Give the one of the conversions as time_column, ${orDays}.`,
    );
  const [column, cell] = [problem.column, problem.cell].map((text) => quoted(fromOutside(text), 60));
  const [sentence, next] = timeProblems[problem.kind];
  return new Failure(sentence(column ?? '', cell ?? ''), `${next}, ${orDays}.`);
}

const timeProblems: Readonly<
  Record<
    Exclude<TimeProblem['kind'], 'several'>,
    readonly [sentence: (column: string, cell: string) => string, next: string]
  >
> = {
  open_order: [
    (column, cell) => `Nothing shows whether the day or the month comes first in ${column}, as in ${cell}.`,
    'Give date_order: dmy or mdy',
  ],
  unreadable: [
    (column, cell) => `The times in ${column} cannot be read; the first is ${cell}.`,
    'Write them like 2026-08-02 10:00, name another time_column',
  ],
  future: [
    (column, cell) => `${column} has times in the future, which no sale has; the first is ${cell}.`,
    'Give a different time_column, or date_order',
  ],
  old_count: [
    (column, cell) =>
      `${column} counts days, as in ${cell}, and nothing shows whether from 1900 or, as spreadsheets of a Mac do, from 1904, four years later.`,
    'Write them like 2026-08-02 10:00',
  ],
  count: [
    (column, cell) =>
      `${column} may hold times, as seconds since 1970, such as ${cell}, and no other column holds times.`,
    'If it does, give it as time_column',
  ],
  later: [
    (column, cell) => `${column} is not when a sale was made, and no other column holds times; its first is ${cell}.`,
    'If it is, give it as time_column; otherwise give one that is',
  ],
};
