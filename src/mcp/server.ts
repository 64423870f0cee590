import {
  type ClientCapabilities,
  type Implementation,
  type McpRequestContext,
  McpServer,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Observer } from '../api/observer.ts';
import type { Holder } from '../guard/holder.ts';
import type { Ask } from '../guard/write.ts';
import { instructions, instructionsForSeveral } from '../tools/catalogue.ts';
import type { Tool } from '../tools/define-tool.ts';
import type { Trackers } from '../tools/trackers.ts';
import { approvePageFor, clientOf, holderOf, type TrackersFor } from './call-context.ts';
import { elicit, elicitViaRetry, OpenQuestions } from './open-questions.ts';
import { serveCompletion, servePrompts } from './prompts.ts';
import { serveResources } from './resources.ts';
import { createSkills } from './skills.ts';
import { serveTools, ToolListings, type ToolServing } from './tools.ts';
import { viewSupport, viewsExtension } from './views.ts';

export interface ServerOptions {
  readonly identity: Pick<Implementation, 'version' | 'websiteUrl' | 'icons'>;
  readonly tools: readonly Tool[];
  readonly trackers: Trackers;
  /** The trackers as the holder of a token may use them; absent without tokens. */
  readonly trackersOf?: ((holder: Holder | undefined) => Trackers) | undefined;
  readonly observer?: Observer | undefined;
  /** Whether hosts are offered pages that show results. */
  readonly hasViews?: boolean;
  /** Gets every error that was not raised on purpose. */
  readonly onDefect: (error: unknown) => void;
  /** Fires when the client can answer no more questions, even if its calls still run. */
  readonly hungUp?: AbortSignal;
  readonly questions?: OpenQuestions;
  /** Listings of these tools that another factory may have made. */
  readonly listings?: ToolListings;
}

export interface ServerFactory {
  /** Makes a server for one connection, or for one request if there are no connections. */
  readonly create: (request: Pick<McpRequestContext, 'era'>) => Server;
  /** Resolves when no call runs any more, cancelled ones included. */
  readonly idle: () => Promise<void>;
}

/** Without this McpServer promises to tell when a list changes, and clients would wait for that. */
const fixed = { listChanged: false };

/** Lists only change when the server restarts. What a tracker contains is never cached. */
const cacheHint = { ttlMs: 5 * 60_000, cacheScope: 'private' as const };
const cacheHints = {
  'tools/list': cacheHint,
  'prompts/list': cacheHint,
  'resources/list': cacheHint,
  'resources/templates/list': cacheHint,
  'server/discover': cacheHint,
};

export function createServerFactory(options: ServerOptions): ServerFactory {
  const { identity, tools, trackers, observer, onDefect, hungUp, questions = new OpenQuestions() } = options;
  const { trackersOf = () => trackers, hasViews = true, listings = new ToolListings(tools) } = options;
  const extensions = hasViews ? viewsExtension : {};
  const calls = new Set<Promise<unknown>>();
  const skills = createSkills((request) => trackersOf(holderOf(request)), cacheHint);
  const create: ServerFactory['create'] = ({ era }) => {
    const mcp = new McpServer(
      { name: 'tracker-mcp', title: 'Ad-campaign tracker', ...identity },
      {
        capabilities: { tools: fixed, resources: fixed, prompts: fixed, completions: {}, extensions },
        instructions: trackers.only ? instructions : instructionsForSeveral,
        cacheHints,
      },
    );
    skills.attach(mcp);
    const { server } = mcp;
    const trackersFor: TrackersFor = (request) => ({
      trackers: trackersOf(holderOf(request)),
      // Each by its name: a second object to spread would take longer than all else that is done here.
      contextForCall: (context, { ask = cannotAsk, onDefect, onProposed, onProgress, isShownInView } = {}) => ({
        ...context,
        // The name is logged, and a client may call itself by the key.
        caller: context.client.withoutKey(clientOf(server, request).name),
        // Only tool calls ask a person.
        ask,
        signal: request.mcpReq.signal,
        approvePage: approvePageFor(request),
        onDefect,
        onProposed,
        onProgress,
        isShownInView,
      }),
    });
    const viewsOf = (request: ServerContext) => {
      return hasViews ? viewSupport(clientOf(server, request).capabilities) : 'none';
    };
    const askFor: ToolServing['askFor'] = (request, { name: tool, arguments: given }, { client }) => {
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
    serveTools(server, { listings, calls, trackersFor, viewsOf, askFor, observer, onDefect });
    serveResources(server, { tools, skills, trackersFor, viewsOf });
    servePrompts(server, trackersFor);
    serveCompletion(server, trackersFor);
    return server;
  };
  const idle = async () => {
    while (calls.size > 0) await Promise.allSettled(calls);
  };
  return { create, idle };
}

const cannotAsk: Ask = async () => 'unavailable';

/** Whether a client can show a form. One that names no kind of elicitation means forms. */
function showsForms({ elicitation }: ClientCapabilities = {}): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
