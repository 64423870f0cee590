import { z } from 'zod';
import { isQueryInstalled } from '../analysis/sql/is-installed.ts';
import type { NamedTable } from '../analysis/sql/named-table.ts';
import { cleanText, longestName } from '../api/clean-text.ts';
import { type Endpoint, encodeParameter } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import * as is from '../api/parameters.ts';
import type { TablesReply } from '../api/replies.ts';
import { findBrokenRule } from '../api/rules.ts';
import { keptForMs } from '../client/kept-answers.ts';
import type { CallOptions, WireParameters } from '../client/tracker-client.ts';
import type { Arguments, CallContext, Tool, ToolResult } from './define-tool.ts';
import { periodNames, resolvePeriod } from './period.ts';
import { isTypedByStrangers } from './present/cells.ts';
import { presentLookup } from './present/lookup.ts';
import { lookupOutput, receiptOutput, tablesOutput } from './present/outputs.ts';
import { presentReceipt } from './present/receipt.ts';
import type { View } from './present/shape.ts';
import { presentTables } from './present/tables.ts';
import { whereArgument } from './present/where.ts';
import { queryReport } from './query-report.ts';
import { isKeepable, keptText } from './recent-tables.ts';

/** The period argument; only some endpoints take the zone whose days it means. */
const period = ({ parameters }: Endpoint) => ({
  period: is
    .oneOf(
      periodNames,
      `Instead of dates, today included${'timezone' in parameters ? '; days are those of timezone' : ''}. Without any: today`,
    )
    .optional(),
});

const view = {
  columns: z.array(z.string().max(longestName)).min(1).max(100).describe('Only these columns').optional(),
  where: whereArgument.optional(),
  sort_by: z.string().max(longestName).describe('Column to sort by').optional(),
  sort_order: is.oneOf(['asc', 'desc'], 'Order of sort_by').default('desc'),
  limit: is.whole(1, 500, 'Most rows per table').default(25),
  offset: is.whole(0, 1_000_000_000, 'Rows to skip').default(0),
};

const writing = {
  dry_run: is.flag('true shows the exact request and sends nothing').default(false),
};

const moreColumns = 'More come with column_set all.';

/** The tool for an endpoint: its parameters as arguments, checked, sent, and the reply presented. */
export function toolFromEndpoint(endpoint: Endpoint): Tool {
  const isTable = endpoint.reply === 'rows' || endpoint.reply === 'reports';
  const isWrite = endpoint.access !== 'read';
  const parameters = Object.entries(endpoint.parameters).map(([name, { schema, required, fallback }]) => {
    if (required) return [name, schema] as const;
    return [name, fallback === undefined ? schema.optional() : schema.default(fallback)] as const;
  });
  return {
    name: endpoint.name,
    title: endpoint.title,
    description: endpoint.description,
    access: endpoint.access,
    input: z.strictObject({
      ...Object.fromEntries(parameters),
      ...('start_date' in endpoint.parameters ? period(endpoint) : {}),
      ...(isTable ? view : {}),
      ...(isWrite ? writing : {}),
    }),
    output: isWrite ? receiptOutput : isTable ? tablesOutput : lookupOutput,
    run: (given, context) => (isWrite ? write(endpoint, given, context) : read(endpoint, given, context)),
  };
}

async function read(endpoint: Endpoint, given: Arguments, context: CallContext): Promise<ToolResult> {
  const query = resolvePeriod(given, context.timeZone, context.now());
  refuseBrokenRule(endpoint, query);
  const asked = given as Partial<View>;
  const page: View = {
    ...asked,
    sort_order: asked.sort_order ?? 'desc',
    limit: asked.limit ?? 25,
    offset: asked.offset ?? 0,
    moreColumns: 'column_set' in endpoint.parameters && query['column_set'] !== 'all' ? moreColumns : undefined,
  };
  // The zone a period was cut in is echoed; the tracker is told of a zone only where the call names one.
  const wire = toWire(endpoint, { ...query, timezone: given['timezone'] });
  const { reply, at } = await context.client.read(endpoint, wire, {
    ...callOptions(context),
    reports: query['reports'] as readonly string[] | undefined,
    reuse: page.offset > 0,
  });
  switch (reply.kind) {
    case 'tables': {
      const named = nameTables(reply, context);
      const notices = [
        ...oddQuestion(endpoint, query, context),
        ...fullList(endpoint, reply, query),
        ...ageOf(at, page, context),
        ...nameNotices(named, page),
        ...largeNotices(reply, context),
      ];
      const isFromStrangers = endpoint.holdsVisitorText ? isTypedByStrangers : () => false;
      const result = presentTables(reply, query, page, notices, isFromStrangers);
      context.recentTables?.keep(named);
      return result;
    }
    case 'groups':
      return presentLookup(reply, query);
    case 'receipt':
      throw new TypeError(`${endpoint.name} declares no reply that a read can have`);
  }
}

async function write(endpoint: Endpoint, given: Arguments, context: CallContext): Promise<ToolResult> {
  const { client, guard, caller, ask, signal } = context;
  refuseBrokenRule(endpoint, given);
  guard.check(endpoint, given);
  const parameters = toWire(endpoint, given);
  const sent = client.describe(parameters);
  if (given['dry_run']) return presentReceipt(endpoint, sent, undefined);
  const send = () => client.write(endpoint, parameters, callOptions(context));
  const reply = await guard.carryOut({ endpoint, arguments: given, sent, client: caller, ask, signal, send });
  return presentReceipt(endpoint, sent, reply);
}

function callOptions({ signal, onProgress }: CallContext): CallOptions {
  return { signal, onProgress };
}

/** The arguments that are the endpoint's, by their wire names. */
function toWire(endpoint: Endpoint, given: Arguments): WireParameters {
  const parameters = Object.entries(endpoint.parameters).flatMap(([name, parameter]) => {
    const value = given[name] === undefined ? undefined : encodeParameter(parameter, given[name]);
    return value === undefined ? [] : [[parameter.wire, value] as const];
  });
  return Object.fromEntries(parameters);
}

function refuseBrokenRule(endpoint: Endpoint, given: Arguments): void {
  const broken = findBrokenRule(endpoint.rules, given, (argument) => argument);
  if (broken) throw new Failure(`${endpoint.name} was not called: ${broken}`);
}

/** The tables of this answer under the names by which query_report calls them. */
function nameTables(reply: TablesReply, context: CallContext): NamedTable[] {
  const tables = reply.tables.filter((table) => table.rows.length > 0 && isKeepable(table));
  return canQuery(context) ? (context.recentTables?.name(tables) ?? []) : [];
}

function canQuery({ guard, recentTables }: CallContext): boolean {
  return recentTables !== undefined && isQueryInstalled() && guard.offers(queryReport);
}

/** A table of this answer that query_report would have, were it smaller. */
function largeNotices(reply: TablesReply, context: CallContext): string[] {
  if (!canQuery(context)) return [];
  return reply.tables
    .filter((table) => !isKeepable(table))
    .map((table) => `${cleanText(table.name)} is too large for query_report, which keeps ${keptText}.`);
}

/** A table that is queried has every row and column, also those that `where` and `columns` leave out of the answer. */
function nameNotices(named: readonly NamedTable[], { where, columns }: View): string[] {
  const names = named.map(({ name, alias, table }) => {
    const shown = cleanText(table.name);
    const also = alias === undefined || alias === shown.toLowerCase() ? '' : ` or ${alias}`;
    const whole = [
      ...(where ? [`all ${table.rows.length} rows, not only those of where`] : []),
      ...(columns ? [`all ${table.columns.length} columns`] : []),
    ];
    return `${shown} is ${name}${also}${whole.length > 0 ? ` (${whole.join('; ')})` : ''}`;
  });
  return names.length === 0 ? [] : [`For query_report: ${names.join(', ')}.`];
}

/** What is allowed, and hardly meant. */
function oddQuestion(endpoint: Endpoint, query: Arguments, { now }: CallContext): string[] {
  const { start_date: start, end_date: end, group_by, reports } = query;
  const dayOf = (date: unknown) => Date.parse(`${date}T00:00:00Z`);
  // The tracker's day may be one before or after ours.
  const [surelyPast, surelyFuture] = [now().getTime() - 2 * 86_400_000, now().getTime() + 86_400_000];
  const hasTarget = reports === undefined || ['all', 'target'].some((name) => (reports as string[]).includes(name));
  const isUndated = 'start_date' in endpoint.parameters && start === undefined && end === undefined;
  return [
    ...(isUndated ? ['No dates were given: this is the tracker’s current day.'] : []),
    // An end without a start begins at the tracker's current day, which lets a past end return nothing.
    ...(start === undefined && end !== undefined && dayOf(end) < surelyPast
      ? ['Without start_date the tracker begins at its current day, which is after end_date: give start_date too.']
      : []),
    ...(start !== undefined && dayOf(start) > surelyFuture ? ['The days asked for are in the future.'] : []),
    ...(group_by !== undefined && !hasTarget ? ['group_by groups the target report, which was not asked for.'] : []),
  ];
}

/** A list that ends at a limit, or at a round number without one, is hardly ever all there is. */
function fullList(endpoint: Endpoint, reply: TablesReply, query: Arguments): string[] {
  if (!('max_records' in endpoint.parameters)) return [];
  const most = query['max_records'];
  const count = Math.max(0, ...reply.tables.map((table) => table.rows.length));
  const isAsked = most !== undefined && count >= Number(most);
  if (!isAsked && !(count >= 100 && count % 100 === 0)) return [];
  const limit = isAsked ? 'as many as max_records allows' : 'which looks like its own maximum';
  // A tracker may have a maximum below what was asked for.
  const next = isAsked || most === undefined ? 'Raise max_records.' : 'Ask for fewer days at a time.';
  return [
    `The tracker returned ${count} rows, ${limit}: there may be more, older ones, and totals and queries cover these alone. ${next}`,
  ];
}

/** A later page is cut from the answer that the first one got, so that pages fit together. */
function ageOf(at: number, page: View, context: CallContext): string[] {
  const seconds = Math.round((context.now().getTime() - at) / 1000);
  if (page.offset === 0 || seconds < 1) return [];
  return [
    `Cut from the tracker’s answer of ${seconds} s ago, which serves later pages for ${keptForMs / 1000} s; offset 0 asks anew.`,
  ];
}
