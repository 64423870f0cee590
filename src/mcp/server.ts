import { type ClientCapabilities, type McpRequestContext, Server } from '@modelcontextprotocol/server';
import type { Observer } from '../api/observer.ts';
import type { Holder } from '../guard/holder.ts';
import type { Ask } from '../guard/write.ts';
import { instructions, instructionsForSeveral } from '../tools/catalogue.ts';
import type { Tool } from '../tools/define-tool.ts';
import type { Trackers } from '../tools/trackers.ts';
import { elicit, elicitViaRetry } from './ask-person.ts';
import { clientOf, holderOf, type TrackersOf } from './call-context.ts';
import { OpenQuestions } from './open-questions.ts';
import { serveCompletion, servePrompts } from './prompts.ts';
import { serveResources } from './resources.ts';
import { serveTools, type ToolServing } from './serve-tools.ts';
import { ToolListings } from './tool-listings.ts';

export interface ServerOptions {
  readonly version: string;
  readonly tools: readonly Tool[];
  readonly trackers: Trackers;
  /** The same for whose token a call comes with; absent if there are no tokens. */
  readonly trackersFor?: ((holder: Holder | undefined) => Trackers) | undefined;
  readonly observer?: Observer | undefined;
  /** Gets defects: errors that were not raised on purpose. */
  readonly onDefect: (error: unknown) => void;
  /** Fires when the client can answer no question any more, even where calls of it are still carried out. */
  readonly hungUp?: AbortSignal;
  /** The questions that clients of the newer protocol bring back with an answer. */
  readonly questions?: OpenQuestions;
}

/** Makes servers over the same tools: one for each connection, or for each request if there is no connection. */
export interface ServerFactory {
  /** A server that speaks the revisions of one era of the protocol; connect it to a transport to serve. */
  readonly create: (request: Pick<McpRequestContext, 'era'>) => Server;
  /** Resolves when no call is under way, be its request cancelled or its client gone. */
  readonly idle: () => Promise<void>;
}

/** Lists change with the server alone, which clients connect to anew; what a tracker holds is listed as it is now. */
const keptForMs = 5 * 60_000;
const kept = { ttlMs: keptForMs, cacheScope: 'private' as const };
const cacheHints = {
  'tools/list': kept,
  'prompts/list': kept,
  'resources/list': kept,
  'resources/templates/list': kept,
  'server/discover': kept,
};

export function createServerFactory(options: ServerOptions): ServerFactory {
  const { version, tools, observer, onDefect, hungUp, questions = new OpenQuestions() } = options;
  const { trackers, trackersFor = () => trackers } = options;
  const isOne = trackers.only !== undefined;
  const listings = new ToolListings(tools);
  const calls = new Set<Promise<unknown>>();
  const create: ServerFactory['create'] = ({ era }) => {
    const server = new Server(
      { name: 'tracker-mcp', title: 'Ad-campaign tracker', version },
      {
        capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
        instructions: isOne ? instructions : instructionsForSeveral,
        cacheHints,
      },
    );
    const trackersOf: TrackersOf = (request) => ({
      trackers: trackersFor(holderOf(request)),
      inCall: (context) => ({
        ...context,
        // It is logged, and a client may call itself by the key.
        caller: context.client.withoutKey(clientOf(server, request).name),
        // Only the call of a tool asks anyone.
        ask: cannotAsk,
        signal: request.mcpReq.signal,
      }),
    });
    const askerOf: ToolServing['askerOf'] = (request, { name: tool, arguments: given }, { client }) => {
      if (!showsForms(clientOf(server, request).capabilities)) return cannotAsk;
      if (era === 'legacy') return elicit(request, hungUp ? [request.mcpReq.signal, hungUp] : [request.mcpReq.signal]);
      return elicitViaRetry(request, questions, async (question) => ({
        tracker: await client.url(),
        owner: holderOf(request)?.name ?? '',
        tool,
        arguments: given,
        question,
      }));
    };
    serveTools(server, { listings, calls, trackersOf, askerOf, observer, onDefect });
    serveResources(server, tools, trackersOf);
    servePrompts(server, trackersOf);
    serveCompletion(server, trackersOf);
    return server;
  };
  const idle = async () => {
    while (calls.size > 0) await Promise.allSettled(calls);
  };
  return { create, idle };
}

const cannotAsk: Ask = async () => 'unavailable';

/** Whether a client can put a form to a person; one that names no kind of question means forms. */
function showsForms({ elicitation }: ClientCapabilities): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
