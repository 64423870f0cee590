import type { NamedTable } from '../analysis/sql/named-table.ts';
import type { Endpoint } from '../api/endpoints.ts';
import type { TablesReply } from '../api/table.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { mention, rawText } from '../api/text/tracker-text.ts';
import { nameOf } from '../api/vocabulary.ts';
import { keptForMs } from '../client/answer-cache.ts';
import type { CallContext } from './define-tool.ts';
import type { Days } from './period.ts';
import { called, type View } from './present/view.ts';

/** What a reader of an answer should know beside its rows, a sentence each. */

/**
 * A table that is queried has every row and column, also those that `where` and `columns` leave out of the answer. If no table
 * has two rows, a query could say nothing that the answer does not; one row of each of several trackers may be joined.
 */
export function nameNotices(named: readonly NamedTable[], { where, columns }: View): string[] {
  if (named.every(({ table, tracker }) => table.rowCount < 2 && tracker === undefined)) return [];
  const names = named.map(({ name, alias, table }) => {
    const called = mention(table.name, maxNameLength);
    const also = alias === undefined || alias === called.toLowerCase() ? '' : ` or ${asWritten(alias)}`;
    const whole = [
      ...(where ? [`all ${table.rowCount} rows, not only those of where`] : []),
      ...(columns ? [`all ${table.columns.length} columns`] : []),
    ];
    return `${called} is ${name}${also}${whole.length > 0 ? ` (${whole.join('; ')})` : ''}`;
  });
  return [`For query_report: ${names.join(', ')}.`];
}

/** A name as SQL takes it: one of several words in the quotation marks that SQL has for names. */
function asWritten(alias: string): string {
  return called(alias) === alias ? alias : `"${alias}"`;
}

/** What a question says that an answer may have to speak of. */
type Question = Days & {
  readonly reports?: readonly string[] | undefined;
  readonly group_by?: readonly string[] | undefined;
  readonly max_records?: number | undefined;
};

/** What is allowed, and hardly meant. */
export function oddQuestion(endpoint: Endpoint, query: Question, { now }: CallContext): string[] {
  const { start_date: start, end_date: end, group_by, reports } = query;
  const dayOf = (date: unknown) => Date.parse(`${date}T00:00:00Z`);
  // The tracker's day may be one before or after ours.
  const [surelyPast, surelyFuture] = [now().getTime() - 2 * 86_400_000, now().getTime() + 86_400_000];
  const hasTarget = reports === undefined || reports.some((name) => name === 'all' || name === 'target');
  const isUndated = 'start_date' in endpoint.parameters && start === undefined && end === undefined;
  return [
    ...(isUndated ? ["No dates were given: this is the tracker's current day."] : []),
    // An end without a start begins at the tracker's current day, which lets a past end return nothing.
    ...(start === undefined && end !== undefined && dayOf(end) < surelyPast
      ? ['Without start_date the tracker begins at its current day, which is after end_date: give start_date too.']
      : []),
    ...(start !== undefined && dayOf(start) > surelyFuture ? ['The days asked for are in the future.'] : []),
    ...(group_by !== undefined && !hasTarget ? ['group_by groups the target report, which was not asked for.'] : []),
  ];
}

/** A list that ends at a limit, or at a round number without one, is hardly ever all there is. */
export function fullList(endpoint: Endpoint, reply: TablesReply, query: Question): string[] {
  if (!('max_records' in endpoint.parameters)) return [];
  const { max_records: max } = query;
  const count = Math.max(0, ...reply.tables.map((table) => table.rowCount));
  const isAsked = max !== undefined && count >= max;
  if (!isAsked && !(count >= 100 && count % 100 === 0)) return [];
  const limit = isAsked ? 'as many as max_records allows' : 'which looks like its own maximum';
  // A tracker may have a maximum below what was asked for.
  const next = isAsked || max === undefined ? 'Raise max_records.' : 'Ask for fewer days at a time.';
  return [
    `The tracker returned ${count} rows, ${limit}: there may be more, older ones, and totals and queries cover these alone. ${next}`,
  ];
}

const isRowTime = nameOf('two_times', 'row');
const isVisitTime = nameOf('two_times', 'visit');
const isConversionTime = nameOf('two_times', 'conversion');

/** A list that has the times of both says on which of its days a sale counts, and which is the other. */
export function conversionDateNotice({ tables }: TablesReply): string[] {
  const columns = tables.flatMap((table) => table.columns);
  const [date, visit, conversion] = [isRowTime, isVisitTime, isConversionTime].map((is) => {
    const column = columns.find((name) => is(rawText(name)));
    return column && mention(column, maxNameLength);
  });
  if (date === undefined) return [];
  if (visit !== undefined) {
    return [`A sale is listed on the day of its conversion, ${date}; the visit was on ${visit}.`];
  }
  if (conversion === undefined) return [];
  return [`A visitor is listed, with its sale, on the day of the visit, ${date}; the sale came on ${conversion}.`];
}

/** How old the answer is that a later page was cut from; undefined: read anew, which may not fit the pages before. */
export function ageOf(ageMs: number | undefined, page: View): string[] {
  if (page.offset === 0) return [];
  if (ageMs === undefined) {
    return [
      'Read anew from the tracker: rows may have moved between this page and those before; offset 0 begins again.',
    ];
  }
  const seconds = Math.round(ageMs / 1000);
  if (seconds < 1) return [];
  return [
    `Cut from the tracker’s answer of ${seconds} s ago, which serves later pages for ${keptForMs / 1000} s; offset 0 asks anew.`,
  ];
}
