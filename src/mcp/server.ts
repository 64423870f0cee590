import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool as ProtocolTool,
  type ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import type { Access } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { callTool } from '../tools/call-tool.ts';
import { instructions } from '../tools/catalogue.ts';
import type { Tool, ToolContext } from '../tools/define-tool.ts';
import { toJsonSchema } from '../tools/json-schema.ts';
import { askPerson } from './ask-person.ts';
import { reportProgress } from './progress.ts';

/** What a server of this protocol is made of. */
export interface ServerOptions {
  readonly version: string;
  readonly tools: readonly Tool[];
  readonly context: ToolContext;
  /** Told of defects: errors that no one raised on purpose. */
  readonly onDefect: (error: unknown) => void;
}

/** What a client may assume of a tool, by what it does to the tracker; every tracker is outside this process. */
const annotationsOf: Readonly<Record<Access, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
};

/** A server that offers the tools; connect it to a transport to serve. */
export function createServer({ version, tools, context, onDefect }: ServerOptions): Server {
  const server = new Server(
    { name: 'tracker-mcp', title: 'Ad-campaign tracker', version },
    { capabilities: { tools: {} }, instructions },
  );
  const { guard } = context;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const ask = askPerson(server);
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.filter((tool) => guard.offers(tool)).map(describeTool),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const tool = byName.get(params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${JSON.stringify(params.name)}.`);
    try {
      const { structured, text } = await callTool(tool, params.arguments, {
        ...context,
        caller: server.getClientVersion()?.name ?? 'unknown',
        ask,
        signal: extra.signal,
        onProgress: reportProgress(extra),
      });
      return { content: [{ type: 'text', text }], structuredContent: structured };
    } catch (error) {
      if (!(error instanceof Failure)) onDefect(error);
      return { content: [{ type: 'text', text: explain(error) }], isError: true };
    }
  });
  return server;
}

/** A tool as the protocol lists it. */
function describeTool(tool: Tool): ProtocolTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: toJsonSchema(tool.input, 'input') as ProtocolTool['inputSchema'],
    outputSchema: toJsonSchema(tool.output, 'output') as NonNullable<ProtocolTool['outputSchema']>,
    annotations: { title: tool.title, ...annotationsOf[tool.access] },
  };
}

function explain(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return 'tracker-mcp failed with a defect of its own; its log on stderr tells more. Nothing is known about the outcome of a write.';
}
