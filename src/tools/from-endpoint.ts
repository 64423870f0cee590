import * as z from 'zod';
import { readInSteps } from '../analysis/columns/columns.ts';
import { type Endpoint, type endpoints, groupColumns, type Parameter, type TablesName } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import * as is from '../api/parameters.ts';
import { findBrokenRule } from '../api/rules.ts';
import type { TablesReply } from '../api/table.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { mention } from '../api/text/tracker-text.ts';
import type { CallOptions } from '../client/tracker-client.ts';
import { describeChanges, questionAbout } from '../guard/write.ts';
import { type CallContext, defineTool, type Query, type Tool } from './define-tool.ts';
import { shortenList } from './fit.ts';
import { ageOf, conversionDateNotice, fullList, nameNotices, oddQuestion } from './notices.ts';
import { periodNames, resolvePeriod, zoneNotice } from './period.ts';
import { isTypedByStrangers, namesNotice } from './present/cells.ts';
import { needsLabels, withLabels } from './present/labelled.ts';
import { presentLookup } from './present/lookup.ts';
import { foldNumbered } from './present/names.ts';
import { lookupOutput, receiptOutput, tablesOutput } from './present/outputs.ts';
import { presentReceipt } from './present/receipt.ts';
import { presentTables } from './present/tables.ts';
import type { View } from './present/view.ts';
import { viewArguments } from './present/where.ts';
import { canQuery, nameForQuery } from './query-report.ts';
import { isKeepable, keptText } from './recent-tables.ts';
import { tryToReadCurrentValues } from './rotation/current-values.ts';
import { defineWritingTool } from './rotation/writing-tool.ts';
import { hiddenColumnsNotice, isTokenColumn, labelsOnDemand, resolveGroups } from './tokens.ts';

/** The period argument; only some endpoints take the zone whose days it means. */
const period = ({ parameters }: Endpoint) => ({
  period: is
    .oneOf(
      periodNames,
      `Instead of dates, today included${'timezone' in parameters ? '; days of timezone' : ''}. Without any: today`,
    )
    .optional(),
});

/** Of the pages of a group, what a person is asked about names so many. */
const maxAskedLines = 30;

/** The tool for an endpoint: its parameters as arguments, checked, sent, and the reply presented. */
export function toolFromEndpoint(endpoint: (typeof endpoints)[number]): Tool {
  if (endpoint.access !== 'read') return writingTool(endpoint, endpoint.access);
  return endpoint.reply === 'groups' ? lookupTool(endpoint) : tablesTool(endpoint);
}

function tablesTool(endpoint: Endpoint & { name: TablesName }): Tool {
  return defineTool({
    ...nameOf(endpoint),
    access: 'read',
    input: z.strictObject({ ...shapeOf(endpoint), ...viewArguments }),
    output: tablesOutput,
    run: async (asked, context) => {
      const labels = labelsOnDemand(asked.campaign_id, context);
      const given = asked.group_by ? { ...asked, group_by: await resolveGroups(asked.group_by, labels) } : asked;
      const query = resolvePeriod(given, context);
      refuseBrokenRule(endpoint, query);
      const hasMoreColumns = 'column_set' in endpoint.parameters && query.column_set !== 'all';
      const page: View = {
        ...given,
        currency: context.currency,
        ...(endpoint.name === 'list_campaigns' ? { isAside: isTokenColumn } : {}),
        moreColumns: hasMoreColumns ? 'More come with column_set all.' : undefined,
      };
      // The zone a period was cut in is echoed; the tracker gets a zone only if the call names one.
      const sent = { ...query, timezone: given.timezone };
      const { reply, ageMs } = await context.client.read(endpoint.name, sent, {
        ...callOptions(context),
        reuse: page.offset > 0,
        // Names and labels come from lists, whose answers serve others too.
        pageSize: endpoint.reply === 'reports' ? page.limit : undefined,
      });
      for (const _ of readInSteps(reply.tables)) await new Promise((resolve) => setImmediate(resolve));
      const named = nameForQuery(reply.tables, context);
      const notices = [
        ...oddQuestion(endpoint, query, context),
        ...('start_date' in endpoint.parameters ? zoneNotice(query, context) : []),
        ...fullList(endpoint, reply, query),
        ...conversionDateNotice(reply),
        ...ageOf(ageMs, page),
        ...nameNotices(named, page),
        ...hiddenColumnsNotice(reply, page),
        ...largeNotices(reply, context),
        ...(endpoint.holdsVisitorText ? [] : [namesNotice]),
      ];
      const isFromStrangers = endpoint.holdsVisitorText ? isTypedByStrangers : () => false;
      const view = needsLabels(reply.tables, page) ? withLabels(reply.tables, page, await labels()) : page;
      const result = presentTables(reply, query, view, notices, isFromStrangers);
      context.recentTables?.keep(named);
      return result;
    },
  });
}

function lookupTool(endpoint: Extract<(typeof endpoints)[number], { reply: 'groups' }>): Tool {
  return defineTool({
    ...nameOf(endpoint),
    access: 'read',
    input: z.strictObject({ subid: endpoint.parameters.subid.schema }),
    output: lookupOutput,
    run: async (given, context) => {
      refuseBrokenRule(endpoint, given);
      const { reply } = await context.client.read(endpoint.name, given, callOptions(context));
      return presentLookup(reply, given, context.currency);
    },
  });
}

const dry_run = is.flag('Only shows the request; default false').default(false);

function writingTool(endpoint: Endpoint, access: 'create' | 'update'): Tool {
  return defineWritingTool({
    ...nameOf(endpoint),
    access,
    input: z.strictObject({ ...shapeOf(endpoint), dry_run }),
    output: receiptOutput,
    plan: async (given, context) => {
      const { client, currency } = context;
      refuseBrokenRule(endpoint, given);
      const request = client.request(endpoint, given);
      await context.guard.check({ tool: endpoint.name, steps: [{ request }] });
      const startedAt = performance.now();
      const before = await tryToReadCurrentValues(request, context);
      // A person may take their time to agree; only the reading counts against the deadline of the call.
      const leftMs = client.timeoutMs - (performance.now() - startedAt);
      const { values, effect, notices, pages } = before;
      const shownEffect = shortenList(effect, maxAskedLines, 'pages of the group');
      const changes = describeChanges(request, values, currency).map((line) => `- ${line}`);
      return {
        isDryRun: given.dry_run,
        write: {
          tool: endpoint.name,
          steps: [{ request, before: values, pages }],
          consent: questionAbout(`${endpoint.title}?`, [...changes, ...shownEffect, ...notices]),
          effect: [...effect, ...notices],
          leftMs,
        },
        answer: (done) => presentReceipt({ request, before, done, currency }),
      };
    },
  });
}

function nameOf({ name, title, description }: Endpoint) {
  return { name, title, description };
}

type Parameters = (typeof endpoints)[number]['parameters'];
type NamesIn<Table> = Table extends unknown ? keyof Table : never;
type InTable<Table, Name> = Table extends unknown ? (Name extends keyof Table ? Table[Name] : never) : never;

/** The arguments that some endpoint has, as the table types them. */
type Shape = {
  readonly [Name in Exclude<NamesIn<Parameters>, keyof typeof named>]: z.ZodOptional<
    Extract<InTable<Parameters, Name>, Parameter>['schema']
  >;
} & ReturnType<typeof period> & { readonly [Name in keyof typeof named]: z.ZodOptional<(typeof named)[Name]> };

/** Arguments that take labels of token slots too: what they name is checked once the labels are known. */
const named = {
  group_by: z
    .array(z.string().min(1).max(maxNameLength))
    .min(1)
    .max(groupColumns.length)
    .describe(
      `Groups the target report by any of ${foldNumbered(groupColumns).join(', ')}, or a token’s name; Offer is the landing page, Offer2 the offer`,
    ),
};

/** The arguments of an endpoint: only its own, but a handler that works for all must take each for one that may be absent. */
function shapeOf(endpoint: Endpoint): Shape {
  const shape = Object.entries(endpoint.parameters).map(([name, { schema, required, fallback }]) => {
    if (isNamed(name)) return [name, named[name].optional()] as const;
    if (required) return [name, schema] as const;
    return [name, fallback === undefined ? schema.optional() : schema.default(fallback)] as const;
  });
  return { ...Object.fromEntries(shape), ...('start_date' in endpoint.parameters ? period(endpoint) : {}) } as Shape;
}

function isNamed(name: string): name is keyof typeof named {
  return Object.hasOwn(named, name);
}

function callOptions({ signal, onProgress }: CallContext): CallOptions {
  return { signal, onProgress };
}

function refuseBrokenRule(endpoint: Endpoint, given: Query): void {
  const broken = findBrokenRule(endpoint.rules, given, (argument) => argument);
  if (broken) throw new Failure(`${endpoint.name} was not called: ${broken}`);
}

/** A table of this answer that query_report would have, were it smaller. */
function largeNotices(reply: TablesReply, context: CallContext): string[] {
  if (!canQuery(context)) return [];
  return reply.tables
    .filter((table) => !isKeepable(table))
    .map((table) => `${mention(table.name, maxNameLength)} is too large for query_report, which keeps ${keptText}.`);
}
