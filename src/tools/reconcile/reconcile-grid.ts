import { type ClassName, classNames } from '../../analysis/reconcile/choices.ts';
import { type Pair, reconcile } from '../../analysis/reconcile/match.ts';
import { readStatement, type Statement } from '../../analysis/reconcile/read-statement.ts';
import type { Grid } from '../../analysis/reconcile/statement-grid.ts';
import { Failure } from '../../api/failure.ts';
import { fromOutside, quoted, shown as shownText } from '../../api/text/tracker-text.ts';
import type { Answer, CallContext } from '../define-tool.ts';
import { isoDay, lengthInDays, settleDays, shiftDays } from '../period.ts';
import { presentTables } from '../present/tables.ts';
import {
  type Days,
  describeReading,
  isInSeveral,
  listPairs,
  reconciledDays,
  type Shown,
  sumUp,
} from './present-pairs.ts';
import type { Question } from './question.ts';
import { readCampaignIds, readTrackerSide, readVisitsOf } from './read-sides.ts';

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
  const isGiven = question.start_date !== undefined || question.end_date !== undefined;
  // The clocks may be up to a day apart.
  const read = { start: shiftDays(days.start, -1), end: shiftDays(days.end, 1) };
  const side = await readTrackerSide(question.campaign_id, read, context);
  const campaigns = await readCampaignIds(context);
  const currency = context.currency ?? side.unit;
  const result = reconcile(statement, side.sales, {
    campaigns,
    campaignId: question.campaign_id === 0 ? undefined : String(question.campaign_id),
    ...days,
    areDaysGiven: isGiven || statement.timeColumn === undefined,
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
  const shown = { statement, result, currency, now: context.now(), isSeveral: isInSeveral(statement, currency) };
  const notices = [
    ...describeReading(shown, days),
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
  const query = resolved(shown, question, days);
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

/** The arguments as resolved, with the columns that were found and the days that were reconciled. */
function resolved({ statement, result }: Shown, question: Question, days: Days) {
  const outside = (name: string | undefined) => (name === undefined ? undefined : shownText(fromOutside(name), 60));
  const { start, end } = reconciledDays(result, days);
  return {
    ...question,
    subid_column: outside(result.subidColumn),
    amount_column: outside(statement.amountColumn),
    time_column: outside(statement.timeColumn),
    ...(result.shift ? { zone_shift_minutes: result.shift.minutes } : {}),
    start_date: start,
    end_date: end,
  };
}
