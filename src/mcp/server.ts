import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { instructions } from '../tools/catalogue.ts';
import type { Tool, ToolContext } from '../tools/define-tool.ts';
import { askPerson } from './ask-person.ts';
import type { ContextOf } from './call-context.ts';
import { serveCompletion } from './completion.ts';
import { servePrompts } from './prompts.ts';
import { serveResources } from './resources.ts';
import { serveTools } from './serve-tools.ts';

/** What a server of this protocol is made of. */
export interface ServerOptions {
  readonly version: string;
  readonly tools: readonly Tool[];
  readonly context: ToolContext;
  /** Told of defects: errors that no one raised on purpose. */
  readonly onDefect: (error: unknown) => void;
  /** Fires when the client can answer no question any more, even where calls of it are still carried out. */
  readonly hungUp?: AbortSignal;
}

/** A server that offers tools, resources and prompts; connect it to a transport to serve. */
export function createServer({ version, tools, context, onDefect, hungUp }: ServerOptions): Server {
  const server = new Server(
    { name: 'tracker-mcp', title: 'Ad-campaign tracker', version },
    { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} }, instructions },
  );
  const contextOf: ContextOf = ({ requestId, signal }) => ({
    ...context,
    caller: server.getClientVersion()?.name ?? 'unknown',
    ask: askPerson(server, requestId, hungUp ? [signal, hungUp] : [signal]),
    signal,
  });
  serveTools(server, tools, contextOf, onDefect);
  serveResources(server, tools, contextOf);
  servePrompts(server);
  serveCompletion(server, context);
  return server;
}
