import {
  type CallToolRequestParams,
  type CallToolResult,
  type InputRequiredResult,
  type Tool as ListedTool,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type ToolAnnotations,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Access } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import type { Observer } from '../api/observer.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { fromTracker, quoted } from '../api/text/tracker-text.ts';
import type { Ask } from '../guard/write.ts';
import type { CallContext, Tool, ToolContext, ToolResult } from '../tools/define-tool.ts';
import { type JsonSchema, toJsonSchema } from '../tools/json-schema.ts';
import { callOnTracker, listedSchemas, type NamedTracker, type Trackers } from '../tools/trackers.ts';
import { callerOf, type TrackersFor, traceOriginOf } from './call-context.ts';
import { QuestionAsked } from './open-questions.ts';
import { hasView, type ViewSupport, viewMeta, viewUriFor } from './views.ts';

export interface ToolServing {
  readonly listings: ToolListings;
  /** The calls that run, even if their request is cancelled. */
  readonly calls: Set<Promise<unknown>>;
  readonly trackersFor: TrackersFor;
  readonly viewsOf: (request: ServerContext) => ViewSupport;
  readonly askFor: (request: ServerContext, params: CallToolRequestParams, context: ToolContext) => Ask;
  readonly observer?: Observer | undefined;
  readonly onDefect: (error: unknown) => void;
}

/** Lists and calls the tools. A Failure becomes a result that the model can read; any other error also goes to `onDefect`. */
export function serveTools(server: Server, serving: ToolServing): void {
  const { listings, calls, trackersFor, viewsOf, observer } = serving;
  server.setRequestHandler('tools/list', (_, request) =>
    listings.list(trackersFor(request).trackers, viewsOf(request)),
  );
  server.setRequestHandler('tools/call', ({ params }, request) => {
    const tool = listings.find(params.name);
    if (!tool) {
      const name = quoted(fromTracker(params.name), maxNameLength);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
    }
    const isShownInView = hasView(tool.name) && viewsOf(request) === 'expected';
    const run = () => callTool(tool, params, request, { ...serving, isShownInView });
    const result = observer?.duringCall?.(tool.name, traceOriginOf(request), run) ?? run();
    const call = result.finally(() => calls.delete(call));
    calls.add(call);
    return call;
  });
}

async function callTool(
  tool: Tool,
  params: CallToolRequestParams,
  request: ServerContext,
  { trackersFor, askFor, observer, onDefect, isShownInView }: ToolServing & Pick<CallContext, 'isShownInView'>,
): Promise<CallToolResult | InputRequiredResult> {
  const start = performance.now();
  const observe = (outcome: 'ok' | 'error' | 'asked') =>
    observer?.toolCalled?.(tool.name, outcome, (performance.now() - start) / 1000, callerOf(request));
  const logDefect = (error: unknown) => {
    if (!(error instanceof Failure)) onDefect(error);
  };
  try {
    const { trackers, contextForCall } = trackersFor(request);
    const onProgress = progressReporter(request);
    const result = await callOnTracker(tool, params.arguments, trackers, (context) =>
      contextForCall(context, {
        onDefect: logDefect,
        onProposed: (proposal) => observer?.writeProposed?.(tool.name, proposal, callerOf(request)),
        ask: askFor(request, params, context),
        onProgress,
        isShownInView,
      }),
    );
    observe('ok');
    const { structured, text } = result;
    return {
      content: [{ type: 'text', text }],
      structuredContent: structured,
      ...metaOf(result, isShownInView, params._meta?.[blocksKey] === true),
    };
  } catch (error) {
    observe(error instanceof QuestionAsked ? 'asked' : 'error');
    if (error instanceof QuestionAsked) return error.result;
    if (error instanceof ProtocolError) throw error;
    logDefect(error);
    const failure = error instanceof Failure ? error : undefined;
    const meta = failure?.change === undefined ? {} : { _meta: { [changeKey]: failure.change } };
    return { content: [{ type: 'text', text: failure?.message ?? defectText }], isError: true, ...meta };
  }
}

/** What a result shows, for a client that asks for it to draw it itself: our own demo. */
export const blocksKey = 'tracker-mcp/blocks';

function metaOf(result: ToolResult, isShownInView: boolean | undefined, hasBlocks: boolean) {
  const meta = { ...(isShownInView ? viewMeta(result) : {}), ...(hasBlocks ? { [blocksKey]: result.blocks } : {}) };
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

/** The ID of the change that a write is recorded as which failed, or whose outcome is unknown. */
const changeKey = 'tracker-mcp/change';

const defectText =
  'tracker-mcp failed with a defect of its own; see its log on stderr. If this was a write, its outcome is unknown.';

const progressIntervalMs = 500;

/** Sends progress of a long call; undefined if the client did not ask for it. */
function progressReporter({ mcpReq }: ServerContext): CallContext['onProgress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let nextAt = performance.now() + progressIntervalMs;
  return (done, total, message = 'bytes received') => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + progressIntervalMs;
    const params = { progressToken, progress: done, ...(total === undefined ? {} : { total }), message };
    // A client that is gone must not fail the call.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

/** Every tool reaches a tracker, outside this process. */
const annotationsByAccess: Readonly<Record<Access, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
};

/** The tools as the protocol lists them. A listing takes 10 ms or more to make, so each one is kept. */
export class ToolListings {
  readonly #tools: readonly Tool[];
  readonly #resultByKey = new Map<string, ListToolsResult>();

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  find(name: string): Tool | undefined {
    return this.#tools.find((tool) => tool.name === name);
  }

  list(trackers: Trackers, views: ViewSupport): ListToolsResult {
    const hasProposals = trackers.all.some(({ context }) => context.guard.proposals !== undefined);
    const offered = this.#tools.flatMap((tool) => {
      const offering = trackers.thatOffer(tool);
      if (offering.length === 0) return [];
      return [{ tool, offering, limits: limitsOf(tool, offering), viewUri: viewUriFor(tool.name, views) }];
    });
    const parts = offered.map(({ tool, offering, ...part }) => [tool.name, offering.map(({ name }) => name), part]);
    const key = JSON.stringify([parts, trackers.names, trackers.byDefault?.name, hasProposals]);
    const result = this.#resultByKey.get(key) ?? {
      tools: offered.map(({ tool, limits, viewUri }) => ({
        ...describeTool(tool, trackers, limits, hasProposals),
        ...(viewUri === undefined ? {} : { _meta: { ui: { resourceUri: viewUri } } }),
      })),
    };
    this.#resultByKey.set(key, result);
    return result;
  }
}

type ArgumentLimits = Readonly<Record<string, string>>;

/** The configured limits on each argument, in sentences. If trackers differ, each is named. */
function limitsOf(tool: Tool, trackers: readonly NamedTracker[]): ArgumentLimits {
  const names = Object.keys(tool.input().shape);
  const about = { access: tool.access, arguments: names };
  const limits = names.map((name) => {
    const texts = trackers.map((tracker) => tracker.context.guard.limitsOn(name, about).join(' '));
    if (new Set(texts).size <= 1) return [name, texts[0] ?? ''];
    const named = texts.flatMap((text, index) => (text === '' ? [] : [`${trackers[index]?.name}: ${text}`]));
    return [name, named.join(' ')];
  });
  return Object.fromEntries(limits.filter(([, sentences]) => sentences !== ''));
}

function describeTool(tool: Tool, trackers: Trackers, limits: ArgumentLimits, hasProposals: boolean): ListedTool {
  const schemas = listedSchemas(tool, trackers);
  const input = toJsonSchema(schemas.input, 'input');
  for (const [name, sentences] of Object.entries(limits)) {
    const argument = input.properties?.[name];
    if (argument) argument.description = [argument.description, sentences].filter(Boolean).join('. ');
  }
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: input as ListedTool['inputSchema'],
    outputSchema: outputSchemaOf(tool, schemas.output, hasProposals) as NonNullable<ListedTool['outputSchema']>,
    annotations: annotationsByAccess[tool.access],
  };
}

/** A write that waits for a person returns a proposal instead of its own output. */
const proposed = z.object({ proposal: z.record(z.string(), z.unknown()).describe('Waits for a person; not sent') });

function outputSchemaOf({ access, outputWithProposals }: Tool, output: z.ZodObject, hasProposals: boolean): JsonSchema {
  const schema = toJsonSchema(output, 'output');
  const extra = access === 'read' ? outputWithProposals?.() : proposed;
  if (!hasProposals || !extra) return schema;
  return { ...schema, properties: { ...schema.properties, ...toJsonSchema(extra, 'output').properties } };
}
