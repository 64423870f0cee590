import { type ClassName, classNames } from '../../analysis/reconcile/choices.ts';
import { type Pair, reconcile } from '../../analysis/reconcile/match.ts';
import { readStatement, type Statement } from '../../analysis/reconcile/read-statement.ts';
import type { Grid } from '../../analysis/reconcile/statement-grid.ts';
import { Failure } from '../../api/failure.ts';
import { fromOutside, quoted, rawText, shown as shownText } from '../../api/text/tracker-text.ts';
import { listCampaignsIfOffered } from '../campaigns.ts';
import type { Answer, CallContext } from '../define-tool.ts';
import { isoDay, lengthInDays, settleDays, shiftDays } from '../period.ts';
import { presentTables } from '../present/tables.ts';
import { currenciesOf, type Days, describeReading, listPairs, reconciledDays, sumUp } from './present-pairs.ts';
import type { Question } from './question.ts';
import { readTrackerSide, readVisitsOf } from './read-sides.ts';

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
  const campaigns = await listCampaignsIfOffered(context);
  const currency = context.currency ?? side.unit;
  const result = reconcile(statement, side.sales, {
    campaigns: campaigns && new Set(campaigns.map(({ id }) => rawText(id))),
    campaignId: question.campaign_id === 0 ? undefined : String(question.campaign_id),
    ...days,
    areDaysGiven: (question.start_date ?? question.end_date) !== undefined || statement.timeColumn === undefined,
    currency,
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
  const currencies = currenciesOf(statement, currency);
  const shown = { statement, result, currency, currencies, now: context.now() };
  const notices = [
    ...describeReading(shown, days),
    ...side.notices,
    ...visits.notices,
    ...(form === 'summary'
      ? [`At most ${question.limit ?? examplesOfClass} examples of each class are shown; class pages through one.`]
      : []),
  ];
  const names = { summary: 'examples', class: question.class ?? '', whole: 'lines' };
  const list = listPairs(names[form], rows, shown, visits.about);
  const tables = form === 'class' ? [list] : [sumUp(shown), ...(rows.length > 0 ? [list] : [])];
  const totals = currencies.size > 1 ? [] : ['Statement total', 'Tracker total', 'Difference'];
  const view =
    form === 'class'
      ? { limit, offset, hasTotals: false }
      : {
          limit: Math.max(1, ...tables.map(({ rowCount }) => rowCount)),
          offset: 0,
          sums: ['Lines', 'Conversions', ...totals],
        };
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
  return presentTables(
    { kind: 'tables', tables, notices: [] },
    query,
    { ...view, sort_order: 'asc', currency: undefined },
    notices,
    (name) => name === 'SubID' || name === 'About',
  );
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

/** The days that are reconciled: as given, else those of the statement. */
function daysOf({ lines, timeColumn = '' }: Statement, question: Question, context: CallContext): Days {
  const { start_date, end_date } = question;
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
      'Give start_date and end_date, date_order, or another time_column.',
    );
  return days;
}
