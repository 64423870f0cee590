import { shownColumns } from '../analysis/columns/columns.ts';
import type { NamedTable } from '../analysis/sql/named-table.ts';
import { groupBy } from '../analysis/statistics/history.ts';
import type { Note } from '../answer/notes.ts';
import type { Gap } from '../answer/table-notes.ts';
import { dayMs } from '../api/durations.ts';
import type { Endpoint } from '../api/endpoints.ts';
import type { TablesReply } from '../api/table.ts';
import { keptByName } from '../api/text/kept-by-name.ts';
import { rawCell, rawText, rawTexts } from '../api/text/tracker-text.ts';
import { fieldNamed, nameOf, namesOf } from '../api/vocabulary.ts';
import { cachedForMs } from '../client/answer-cache.ts';
import { isUsualSize } from './account/read-visits.ts';
import type { ListedCampaign } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';
import type { Days } from './period.ts';
import type { View } from './present/view.ts';

/**
 * The names of tables for query_report. Queries see every row and column, also those that `where` and `columns` leave out. A single
 * row is not worth a query, unless it can be joined with that of a different tracker.
 */
export function queryNamesNote(named: readonly NamedTable[], { where, columns }: View): Note[] {
  if (named.every(({ table, tracker }) => table.rowCount < 2 && tracker === undefined)) return [];
  const tables = named.map(({ name, alias, table }) => ({
    table: rawText(table.name),
    name,
    alias,
    rows: where && table.rowCount,
    columns: columns && table.columns.length,
  }));
  return [{ code: 'for-query', tables }];
}

/** The arguments that notices depend on. */
type Question = Days & {
  readonly reports?: readonly string[] | undefined;
  readonly group_by?: readonly string[] | undefined;
  readonly max_records?: number | undefined;
};

/** Notices about questions that are valid but probably not meant. */
export function oddQuestionNotes(endpoint: Endpoint, query: Question, { now }: CallContext): Note[] {
  const { start_date: start, end_date: end, group_by, reports } = query;
  const dayOf = (date: unknown) => Date.parse(`${date}T00:00:00Z`);
  // The tracker's day may be one before or after ours.
  const [surelyPast, surelyFuture] = [now().getTime() - 2 * dayMs, now().getTime() + dayMs];
  const hasTarget = reports === undefined || reports.some((name) => name === 'all' || name === 'target');
  const isUndated = 'start_date' in endpoint.parameters && start === undefined && end === undefined;
  return [
    ...(isUndated ? [{ code: 'no-dates' } as const] : []),
    // An end without a start begins on the tracker's current day, so a past end returns nothing.
    ...(start === undefined && end !== undefined && dayOf(end) < surelyPast
      ? [{ code: 'end-without-start' } as const]
      : []),
    ...(start !== undefined && dayOf(start) > surelyFuture ? [{ code: 'future-days' } as const] : []),
    ...(group_by !== undefined && !hasTarget ? [{ code: 'group-by-unused' } as const] : []),
  ];
}

/** The number of rows of a list that ends at a limit, or at a round number without one: it is rarely complete. */
function rowsOfFullList(endpoint: Endpoint, reply: TablesReply, { max_records: max }: Question): number | undefined {
  if (!('max_records' in endpoint.parameters)) return undefined;
  const count = Math.max(0, ...reply.tables.map((table) => table.rowCount));
  const isFull = (max !== undefined && count >= max) || isUsualSize(count);
  return isFull ? count : undefined;
}

/** How a list that is probably cut off is incomplete, for queries. */
export function fullListGap(endpoint: Endpoint, reply: TablesReply, query: Question): Gap | undefined {
  const count = rowsOfFullList(endpoint, reply, query);
  return count === undefined ? undefined : { lacks: 'old rows', rows: count };
}

/** A notice on a list that is probably cut off. */
export function fullListNote(endpoint: Endpoint, reply: TablesReply, query: Question): Note[] {
  const rows = rowsOfFullList(endpoint, reply, query);
  if (rows === undefined) return [];
  const { max_records: max } = query;
  const isAsked = max !== undefined && rows >= max;
  // The tracker's own maximum may be lower than max_records.
  return [{ code: 'full-list', rows, isAsked, canAskMore: isAsked || max === undefined }];
}

const isRowTime = keptByName(nameOf('two_times', 'row'));
const isVisitTime = nameOf('two_times', 'visit');
const isConversionTime = nameOf('two_times', 'conversion');

/** A notice on a list with the times of both visits and conversions: on which day it lists a sale, and which column has the other. */
export function saleDayNote({ tables }: TablesReply): Note[] {
  const columns = tables.flatMap((table) => rawTexts(table.columns));
  const date = columns.find(isRowTime);
  if (date === undefined) return [];
  const [visit, conversion] = [isVisitTime, isConversionTime].map((is) => columns.find(is));
  if (visit !== undefined) return [{ code: 'sale-day', date, visit }];
  return conversion === undefined ? [] : [{ code: 'sale-day', date, conversion }];
}

/**
 * A notice on the age of the answer that a later page was cut from.
 * @param ageMs undefined if it was read again, so that the page may not fit those before
 */
export function ageNote(ageMs: number | undefined, page: View): Note[] {
  if (page.offset === 0) return [];
  if (ageMs === undefined) return [{ code: 'read-again' }];
  const seconds = Math.round(ageMs / 1000);
  return seconds < 1 ? [] : [{ code: 'from-kept-answer', seconds, keptFor: cachedForMs / 1000 }];
}

/** Names the columns that are hidden unless asked for. */
export function hiddenColumnsNote({ tables }: TablesReply, { isHidden, columns }: View): Note[] {
  if (!isHidden || columns) return [];
  const hidden = tables.flatMap((table) => shownColumns(table).filter(isHidden));
  return hidden.length === 0 ? [] : [{ code: 'hidden-columns', columns: hidden }];
}

/**
 * Each view of a campaign costs what its link carries, such as `cost={cpc}`, else the campaign's bid (docs/tracker-facts.md). These are
 * parameters that may carry a cost, by their name or by the traffic source's placeholder.
 */
const possibleCost = /cost|bid|price|cp[acmv]/i;

/** Whether the campaign's link carries a cost of its own; undefined if the list does not tell. */
export function carriesCost({ fields }: ListedCampaign): boolean | undefined {
  const url = rawCell(fieldNamed(fields, namesOf('listed', 'url')));
  if (fieldNamed(fields, namesOf('listed', 'costParameter')) !== null || /[?&]cost=/i.test(url ?? '')) return true;
  if (url === null) return undefined;
  const [, ...parameters] = url.split(/[?&#]/);
  return parameters.some((parameter) => possibleCost.test(parameter)) ? undefined : false;
}

/** What to know before a bid is changed. */
export function idleBidNote(campaign: ListedCampaign): Note[] {
  return carriesCost(campaign) === true ? [{ code: 'idle-bid' }] : [];
}

/** Columns that depend on the cost. */
const costColumn = /cost|profit|roi|cp[avc]/i;

/**
 * A notice on campaigns whose links carry no cost: their cost is only the bid that was entered.
 * @param columns the columns shown, if they were chosen
 */
export function enteredCostNote(campaigns: readonly ListedCampaign[], columns: readonly string[] = ['Cost']): Note[] {
  if (!columns.some((column) => costColumn.test(column))) return [];
  const isEntered = (campaign: ListedCampaign) => carriesCost(campaign) === false;
  const entered = campaigns.filter(isEntered);
  if (entered.length === 0) return [];
  const bySource = [...groupBy(campaigns, ({ source }) => rawCell(source))];
  const sources = bySource.flatMap(([source, own]) =>
    source !== null && own.length > 1 && own.every(isEntered) ? [source] : [],
  );
  const idsOf = (some: readonly ListedCampaign[]) => some.map(({ id }) => rawText(id));
  return [
    {
      code: 'entered-cost',
      campaigns: entered.length === campaigns.length ? [] : idsOf(entered),
      sources,
      others: idsOf(entered.filter(({ source }) => !sources.includes(rawCell(source) ?? ''))),
    },
  ];
}
