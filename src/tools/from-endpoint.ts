import * as z from 'zod';
import { readLargeTables, shownColumns } from '../analysis/columns/columns.ts';
import { describeChanges } from '../answer/changes.ts';
import { noNameOf } from '../answer/no-name.ts';
import { type Note, sayNotice } from '../answer/notes.ts';
import { type Endpoint, type endpoints, groupColumns, type Parameter, type TablesName } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import * as is from '../api/parameters.ts';
import { findBrokenRule } from '../api/rules.ts';
import type { Table, TablesReply } from '../api/table.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { foldNumbered } from '../api/text/names.ts';
import type { CallOptions } from '../client/tracker-client.ts';
import { questionAbout } from '../guard/write.ts';
import { checkArguments } from './check-arguments.ts';
import { type Answer, type CallContext, defineTool, type Given, type Tool } from './define-tool.ts';
import { shortenList } from './fit.ts';
import {
  ageNote,
  fullListGap,
  fullListNote,
  hiddenColumnsNote,
  oddQuestionNotes,
  queryNamesNote,
  saleDayNote,
} from './notices.ts';
import { partialReportNotes } from './partial-reports.ts';
import { periodNames, resolvePeriod, zoneNote } from './period.ts';
import { isUntrustedColumn } from './present/cells.ts';
import { leapNotes } from './present/change-steps.ts';
import { presentLookup } from './present/lookup.ts';
import { lookupOutput, receiptOutput, receiptReadAgain, tablesOutput } from './present/outputs.ts';
import { presentReceipt } from './present/receipt.ts';
import { presentTables } from './present/tables.ts';
import type { View } from './present/view.ts';
import { viewArguments } from './present/where.ts';
import { nameForQuery, tooLargeNotes } from './query-report.ts';
import { openSnapshot, tryToReadCurrentValues } from './rotation/current-values.ts';
import { isReadable, readAgain } from './rotation/read-again.ts';
import { defineWritingTool } from './rotation/writing-tool.ts';
import {
  isTokenColumn,
  labelsOnDemand,
  nearNotes,
  needsLabels,
  resolveGroups,
  type TokenLabels,
  unknownIn,
  withLabels,
} from './tokens.ts';

/** The period argument; only some endpoints take a time zone. */
const period = ({ parameters }: Endpoint) => ({
  period: is
    .oneOf(
      periodNames,
      `Instead of dates, today included${'timezone' in parameters ? '; days of timezone' : ''}. Without any: today`,
    )
    .optional(),
});

/** Max pages of a group to list in the question to a person. */
const maxAskedLines = 30;

/** What a row of a report without a name is called. In this API, Offer is the landing page and Offer2 the offer. */
const noNamesOfGroups: ReadonlyMap<string, string> = new Map([
  ['Keyword', noNameOf('keyword')],
  ['AdValue', noNameOf('ad')],
  ['Offer', noNameOf('landing_page')],
  ['Offer2', noNameOf('offer')],
]);

/** Makes the tool for an endpoint: checks the arguments, sends them, and presents the reply. */
export function toolFromEndpoint(endpoint: (typeof endpoints)[number]): Tool {
  if (endpoint.access !== 'read') return writingTool(endpoint, endpoint.access);
  return endpoint.reply === 'groups' ? lookupTool(endpoint) : tablesTool(endpoint);
}

function tablesTool(endpoint: Endpoint & { name: TablesName }): Tool {
  return defineTool({
    ...nameOf(endpoint),
    access: 'read',
    input: () => z.strictObject({ ...shapeOf(endpoint), ...viewArguments }),
    output: tablesOutput,
    run: async (args, context) => {
      const readLabels = labelsOnDemand(args.campaign_id, context);
      const given = args.group_by ? { ...args, group_by: await resolveGroups(args.group_by, readLabels) } : args;
      const query = resolvePeriod(given, context);
      refuseBrokenRule(endpoint, query);
      const asked: View = { ...given, currency: context.currency, ...alwaysIn(endpoint) };
      // The answer repeats the zone of the period; the tracker gets a zone only if the call names one.
      const sent = { ...query, timezone: given.timezone };
      const read = async (question: typeof sent) => {
        const answer = await context.client.read(endpoint.name, question, {
          ...callOptions(context),
          reuse: asked.offset > 0,
          // Whole lists are also used for names and labels.
          pageSize: endpoint.reply === 'reports' ? asked.limit : undefined,
        });
        // Before anything looks at a column: other calls run in between.
        await readLargeTables(answer.reply.tables);
        return answer;
      };
      const first = await read(sent);
      const labels = needsLabels(first.reply.tables, asked) ? await readLabels() : undefined;
      const hasMoreColumns = 'column_set' in endpoint.parameters && query.column_set !== 'all';
      const missing = hasMoreColumns ? unknownIn(first.reply.tables, asked, labels) : [];
      const needsAll = missing.length > 0 && query.column_set === undefined;
      const { reply, ageMs } = needsAll ? await read({ ...sent, column_set: 'all' }) : first;
      const page: View = {
        ...asked,
        ...(needsAll ? { columns: given.columns ?? [...columnsOf(first.reply.tables), ...missing] } : {}),
        moreColumns: hasMoreColumns && !needsAll ? 'More come with column_set all.' : undefined,
      };
      return presentRead(endpoint, { reply, ageMs, query, page, labels }, context);
    },
  });
}

/** What all answers of a tool show, or hide. */
function alwaysIn({ name, reply }: Endpoint): Pick<View, 'isHidden' | 'noNames'> {
  return {
    ...(name === 'list_campaigns' ? { isHidden: isTokenColumn } : {}),
    ...(reply === 'reports' ? { noNames: noNamesOfGroups } : {}),
  };
}

interface TablesRead {
  readonly reply: TablesReply;
  readonly ageMs: number | undefined;
  readonly query: ReturnType<typeof resolvePeriod>;
  readonly page: View;
  /** The labels of token slots, if the page needs them. */
  readonly labels: TokenLabels | undefined;
}

function presentRead(endpoint: Endpoint, read: TablesRead, context: CallContext): Answer {
  const { reply, query, page, labels } = read;
  const named = nameForQuery(reply.tables, fullListGap(endpoint, reply, query), context);
  const isUntrusted = endpoint.holdsVisitorText ? isUntrustedColumn : () => false;
  const view = labels ? withLabels(reply.tables, page, labels) : page;
  const near = labels ? nearNotes(reply.tables, page, labels) : [];
  const notes = [...near, ...notesOn(endpoint, read, named, context)];
  const result = presentTables(reply, query, view, notes, isUntrusted);
  context.recentTables?.keep(named);
  return result;
}

function notesOn(
  endpoint: Endpoint,
  { reply, ageMs, query, page }: TablesRead,
  named: ReturnType<typeof nameForQuery>,
  context: CallContext,
): Note[] {
  return [
    ...(endpoint.reply === 'reports' ? partialReportNotes(reply.tables) : []),
    ...oddQuestionNotes(endpoint, query, context),
    ...('start_date' in endpoint.parameters ? zoneNote(query, context) : []),
    ...fullListNote(endpoint, reply, query),
    ...saleDayNote(reply),
    ...ageNote(ageMs, page),
    ...queryNamesNote(named, page),
    ...hiddenColumnsNote(reply, page),
    ...tooLargeNotes(reply.tables, context),
    ...(endpoint.holdsVisitorText ? [] : [{ code: 'names-are-data' } as const]),
  ];
}

const columnsOf = (tables: readonly Table[]) => tables.flatMap((table) => shownColumns(table));

function lookupTool(endpoint: Extract<(typeof endpoints)[number], { reply: 'groups' }>): Tool {
  return defineTool({
    ...nameOf(endpoint),
    access: 'read',
    input: () => z.strictObject({ subid: endpoint.parameters.subid.schema }),
    output: lookupOutput,
    run: async (given, context) => {
      refuseBrokenRule(endpoint, given);
      const { reply } = await context.client.read(endpoint.name, given, callOptions(context));
      return presentLookup(reply, given, context.currency);
    },
  });
}

const dry_run = is.flag('Only shows the request; default false').default(false);

const writeInput = (endpoint: Endpoint) => () => z.strictObject({ ...shapeOf(endpoint), dry_run });

/** Throws a Failure if the arguments of a write are invalid. */
export function checkWrite(endpoint: Endpoint, given: Given): void {
  checkArguments({ name: endpoint.name, input: writeInput(endpoint) }, given);
  refuseBrokenRule(endpoint, given);
}

function writingTool(endpoint: Endpoint, access: 'create' | 'update'): Tool {
  return defineWritingTool({
    ...nameOf(endpoint),
    access,
    input: writeInput(endpoint),
    output: isReadable({ endpoint }) ? receiptReadAgain : receiptOutput,
    plan: async ({ dry_run: isDryRun, ...given }, context) => {
      const { client, currency } = context;
      refuseBrokenRule(endpoint, given);
      const request = client.request(endpoint, given);
      await context.guard.checkRequests({ tool: endpoint.name, steps: [{ request }] });
      const snapshot = openSnapshot(context, true);
      const current = await tryToReadCurrentValues(request, snapshot, context);
      const before = { ...current, notices: [...leapNotes(given, current.values, currency), ...current.notices] };
      const { values, names, effect, notices, pages } = before;
      const shownEffect = shortenList(effect, maxAskedLines, 'page');
      const changes = describeChanges(given, values, currency, names).map((line) => `- ${line}`);
      return {
        isDryRun,
        write: {
          tool: endpoint.name,
          steps: [{ request, before: values, pages }],
          consent: questionAbout(`${endpoint.title}?`, [...changes, ...[...shownEffect, ...notices].map(sayNotice)]),
          effect: [...effect, ...notices],
          snapshot,
        },
        answer: async (result) => {
          // What was not shown before is not shown now.
          const isShown = isReadable(request) && current.isCurrent && Object.keys(values).length > 0;
          const [after] = result && isShown ? await readAgain([request], context) : [];
          return presentReceipt({ request, before, result, after, currency });
        },
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

/** The arguments of all endpoints, each optional, as the table types them. */
type Shape = {
  readonly [Name in Exclude<NamesIn<Parameters>, keyof typeof named>]: z.ZodOptional<
    Extract<InTable<Parameters, Name>, Parameter>['schema']
  >;
} & ReturnType<typeof period> & { readonly [Name in keyof typeof named]: z.ZodOptional<(typeof named)[Name]> };

/** Arguments that also take labels of token slots, which are checked when the labels are known. */
const named = {
  group_by: z
    .array(z.string().min(1).max(maxNameLength))
    .min(1)
    .max(groupColumns.length)
    .describe(
      `Groups the target report by any of ${foldNumbered(groupColumns).join(', ')}, or a token’s name; Offer is the landing page, Offer2 the offer`,
    ),
};

/** The arguments of an endpoint. Its type allows all arguments, because one handler serves all endpoints. */
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

function refuseBrokenRule(endpoint: Endpoint, given: Given): void {
  const broken = findBrokenRule(endpoint.rules, given, (argument) => argument);
  if (broken) throw new Failure(`${endpoint.name} was not called: ${broken}`);
}
