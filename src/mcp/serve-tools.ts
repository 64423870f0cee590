import {
  type CallToolRequestParams,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Failure } from '../api/failure.ts';
import type { Observer } from '../api/observer.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { fromTracker, quoted } from '../api/text/tracker-text.ts';
import type { Ask } from '../guard/write.ts';
import type { CallContext, Tool, ToolContext } from '../tools/define-tool.ts';
import { callOnTracker } from '../tools/trackers.ts';
import { QuestionAsked } from './ask-person.ts';
import { callerOf, clientOf, type TrackersOf, traceOriginOf } from './call-context.ts';
import type { ToolListings } from './tool-listings.ts';
import { besideResult, isDrawn } from './views.ts';

export interface ToolServing {
  readonly listings: ToolListings;
  /** The calls under way, which outlive their request if it is cancelled. */
  readonly calls: Set<Promise<unknown>>;
  readonly trackersOf: TrackersOf;
  readonly askerOf: (request: ServerContext, params: CallToolRequestParams, context: ToolContext) => Ask;
  readonly observer?: Observer | undefined;
  readonly onDefect: (error: unknown) => void;
}

/** Lists and calls the tools. What fails on purpose is a result the model can read; a defect is logged by `onDefect`. */
export function serveTools(server: Server, serving: ToolServing): void {
  const { listings, calls, trackersOf, observer } = serving;
  server.setRequestHandler('tools/list', (_, request) =>
    listings.list(trackersOf(request).trackers, clientOf(server, request).capabilities),
  );
  server.setRequestHandler('tools/call', ({ params }, request) => {
    const tool = listings.find(params.name);
    if (!tool) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${quoted(fromTracker(params.name), maxNameLength)}.`,
      );
    }
    const drawn = isDrawn(tool.name, clientOf(server, request).capabilities);
    const run = () => answer(tool, params, request, { ...serving, isDrawn: drawn });
    const answered = observer?.duringCall?.(tool.name, traceOriginOf(request), run) ?? run();
    const call = answered.finally(() => calls.delete(call));
    calls.add(call);
    return call;
  });
}

async function answer(
  tool: Tool,
  params: CallToolRequestParams,
  request: ServerContext,
  { trackersOf, askerOf, observer, onDefect, isDrawn: drawn }: ToolServing & Pick<CallContext, 'isDrawn'>,
): Promise<CallToolResult | InputRequiredResult> {
  const start = performance.now();
  const observe = (outcome: 'ok' | 'error' | 'asked') =>
    observer?.toolCalled?.(tool.name, outcome, (performance.now() - start) / 1000, callerOf(request));
  const logDefect = (error: unknown) => {
    if (!(error instanceof Failure)) onDefect(error);
  };
  try {
    const { trackers, inCall } = trackersOf(request);
    const onProgress = reportProgress(request);
    const result = await callOnTracker(tool, params.arguments, trackers, (context) => ({
      ...inCall(context),
      onDefect: logDefect,
      ask: askerOf(request, params, context),
      onProgress,
      isDrawn: drawn,
    }));
    observe('ok');
    const { structured, text } = result;
    return { content: [{ type: 'text', text }], structuredContent: structured, ...besideResult(result) };
  } catch (error) {
    observe(error instanceof QuestionAsked ? 'asked' : 'error');
    if (error instanceof QuestionAsked) return error.result;
    if (error instanceof ProtocolError) throw error;
    logDefect(error);
    return { content: [{ type: 'text', text: explain(error) }], isError: true };
  }
}

function explain(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return 'tracker-mcp failed with a defect of its own; its log on stderr tells more. Nothing is known about the outcome of a write.';
}

/** Often enough for a person who waits, and little beside the download itself. */
const everyMs = 500;

/** Reports how far a long call is; undefined if the client did not ask for progress. */
function reportProgress({
  mcpReq,
}: ServerContext): ((done: number, total: number | undefined, what?: string) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let nextAt = performance.now() + everyMs;
  return (done, total, what = 'bytes received') => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + everyMs;
    const params = { progressToken, progress: done, ...(total === undefined ? {} : { total }), message: what };
    // Progress is a courtesy: a client that has gone away must not fail the call.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
