import { shownColumns } from '../analysis/columns/columns.ts';
import type { NamedTable } from '../analysis/sql/named-table.ts';
import type { Endpoint } from '../api/endpoints.ts';
import { joinWords } from '../api/rules.ts';
import type { TablesReply } from '../api/table.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { mention, rawCell, rawText } from '../api/text/tracker-text.ts';
import { fieldNamed, nameOf, namesOf } from '../api/vocabulary.ts';
import { cachedForMs } from '../client/answer-cache.ts';
import type { ListedCampaign } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';
import type { Days } from './period.ts';
import { foldNumbered } from './present/cells.ts';
import { mentionName, type View } from './present/view.ts';

/** Facts about an answer that its rows do not show, one sentence each. */

/**
 * The names of tables for query_report. Queries see every row and column, also those that `where` and `columns` leave out. A single
 * row is not worth a query, unless it can be joined with that of a different tracker.
 */
export function nameNotices(named: readonly NamedTable[], { where, columns }: View): string[] {
  if (named.every(({ table, tracker }) => table.rowCount < 2 && tracker === undefined)) return [];
  const names = named.map(({ name, alias, table }) => {
    const kind = mention(table.name, maxNameLength);
    const also = alias === undefined || alias === kind.toLowerCase() ? '' : ` or ${sqlName(alias)}`;
    const whole = [
      ...(where ? [`all ${table.rowCount} rows, not only those of where`] : []),
      ...(columns ? [`all ${table.columns.length} columns`] : []),
    ];
    return `${kind} is ${name}${also}${whole.length > 0 ? ` (${whole.join('; ')})` : ''}`;
  });
  return [`For query_report: ${names.join(', ')}.`];
}

/** A name as SQL takes it: in double quotes if it has several words. */
function sqlName(alias: string): string {
  return mentionName(alias) === alias ? alias : `"${alias}"`;
}

/** The arguments that notices depend on. */
type Question = Days & {
  readonly reports?: readonly string[] | undefined;
  readonly group_by?: readonly string[] | undefined;
  readonly max_records?: number | undefined;
};

/** Notices about questions that are valid but probably not meant. */
export function oddQuestionNotices(endpoint: Endpoint, query: Question, { now }: CallContext): string[] {
  const { start_date: start, end_date: end, group_by, reports } = query;
  const dayOf = (date: unknown) => Date.parse(`${date}T00:00:00Z`);
  // The tracker's day may be one before or after ours.
  const [surelyPast, surelyFuture] = [now().getTime() - 2 * 86_400_000, now().getTime() + 86_400_000];
  const hasTarget = reports === undefined || reports.some((name) => name === 'all' || name === 'target');
  const isUndated = 'start_date' in endpoint.parameters && start === undefined && end === undefined;
  return [
    ...(isUndated ? ["No dates were given: this is the tracker's current day."] : []),
    // An end without a start begins on the tracker's current day, so a past end returns nothing.
    ...(start === undefined && end !== undefined && dayOf(end) < surelyPast
      ? ['Without start_date the tracker begins at its current day, which is after end_date: give start_date too.']
      : []),
    ...(start !== undefined && dayOf(start) > surelyFuture ? ['The days asked for are in the future.'] : []),
    ...(group_by !== undefined && !hasTarget ? ['group_by groups the target report, which was not asked for.'] : []),
  ];
}

/** The number of rows of a list that ends at a limit, or at a round number without one: it is rarely complete. */
function rowsOfFullList(endpoint: Endpoint, reply: TablesReply, { max_records: max }: Question): number | undefined {
  if (!('max_records' in endpoint.parameters)) return undefined;
  const count = Math.max(0, ...reply.tables.map((table) => table.rowCount));
  const isFull = (max !== undefined && count >= max) || (count >= 100 && count % 100 === 0);
  return isFull ? count : undefined;
}

/** How a list that is probably cut off is incomplete, for queries. */
export function fullListGap(endpoint: Endpoint, reply: TablesReply, query: Question): string | undefined {
  const count = rowsOfFullList(endpoint, reply, query);
  return count === undefined ? undefined : `probably has only the newest ${count} rows of its days`;
}

/** A notice on a list that is probably cut off. */
export function fullListNotice(endpoint: Endpoint, reply: TablesReply, query: Question): string[] {
  const count = rowsOfFullList(endpoint, reply, query);
  if (count === undefined) return [];
  const { max_records: max } = query;
  const isAsked = max !== undefined && count >= max;
  const limit = isAsked ? 'as many as max_records allows' : 'which looks like its own maximum';
  // The tracker's own maximum may be lower than max_records.
  const next = isAsked || max === undefined ? 'Raise max_records.' : 'Ask for fewer days at a time.';
  return [
    `The tracker returned ${count} rows, ${limit}: there may be more, older ones, and totals and queries cover only these. ${next}`,
  ];
}

const isRowTime = nameOf('two_times', 'row');
const isVisitTime = nameOf('two_times', 'visit');
const isConversionTime = nameOf('two_times', 'conversion');

/** A notice on a list with the times of both visits and conversions: on which day it lists a sale, and which column has the other. */
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

/**
 * A notice on the age of the answer that a later page was cut from.
 * @param ageMs undefined if it was read again, so that the page may not fit those before
 */
export function ageNotice(ageMs: number | undefined, page: View): string[] {
  if (page.offset === 0) return [];
  if (ageMs === undefined) {
    return ['Read again from the tracker: rows may have moved since the pages before; offset 0 starts over.'];
  }
  const seconds = Math.round(ageMs / 1000);
  if (seconds < 1) return [];
  return [
    `From the tracker’s answer of ${seconds} s ago, which is kept for ${cachedForMs / 1000} s; offset 0 asks again.`,
  ];
}

/** Names the columns that are hidden unless asked for. */
export function hiddenColumnsNotice({ tables }: TablesReply, { isHidden, columns }: View): string[] {
  if (!isHidden || columns) return [];
  const hidden = tables.flatMap((table) => shownColumns(table).filter(isHidden));
  return hidden.length === 0 ? [] : [`Left out unless named in columns: ${foldNumbered(hidden).join(', ')}.`];
}

/**
 * Each view of a campaign costs what its link carries, such as `cost={cpc}`, else the campaign's bid (docs/tracker-facts.md). These are
 * parameters that may carry a cost, by their name or by the traffic source's placeholder.
 */
const possibleCost = /cost|bid|price|cp[acmv]/i;

/** Whether the campaign's link carries a cost of its own; undefined if the list does not tell. */
function carriesCost({ fields }: ListedCampaign): boolean | undefined {
  const url = rawCell(fieldNamed(fields, namesOf('listed', 'url')));
  if (fieldNamed(fields, namesOf('listed', 'costParameter')) !== null || /[?&]cost=/i.test(url ?? '')) return true;
  if (url === null) return undefined;
  const [, ...parameters] = url.split(/[?&#]/);
  return parameters.some((parameter) => possibleCost.test(parameter)) ? undefined : false;
}

/** What to know before a bid is changed. */
export function idleBidNotice(campaign: ListedCampaign): string[] {
  return carriesCost(campaign) === true
    ? ['This campaign’s link carries its own cost, so the bid counts only for visits that come without one.']
    : [];
}

const maxListed = 10;

/** Columns that depend on the cost. */
const costColumn = /cost|profit|roi|cp[avc]/i;

/**
 * A notice on campaigns whose links carry no cost: their cost is only the bid that was entered.
 * @param columns the columns shown, if they were chosen
 */
export function enteredCostNotice(
  campaigns: readonly ListedCampaign[],
  columns: readonly string[] = ['Cost'],
): string[] {
  if (!columns.some((column) => costColumn.test(column))) return [];
  const ids = campaigns.filter((campaign) => carriesCost(campaign) === false).map(({ id }) => mention(id, 20));
  if (ids.length === 0) return [];
  if (ids.length === campaigns.length) return ['Cost is the entered bid for each view: no link carries a cost.'];
  const rest = ids.length > maxListed ? [`${ids.length - maxListed} more`] : [];
  const which = joinWords([...ids.slice(0, maxListed), ...rest], 'and');
  return [
    `The cost of ${ids.length === 1 ? 'campaign' : 'campaigns'} ${which} is the entered bid: no link carries it.`,
  ];
}
