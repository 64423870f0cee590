import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  type ClientCapabilities,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool as ProtocolTool,
  type ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import type { Access } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { callTool } from '../tools/call-tool.ts';
import type { Tool } from '../tools/define-tool.ts';
import { toJsonSchema } from '../tools/json-schema.ts';
import type { ContextOf } from './call-context.ts';
import { reportProgress } from './progress.ts';
import { viewOf } from './views.ts';

/** What a client may assume of a tool, by what it does to the tracker; every tracker is outside this process. */
const annotationsOf: Readonly<Record<Access, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
};

/** Lists and calls the tools. What fails on purpose is a result the model can read; a defect is told to `onDefect`. */
export function serveTools(
  server: Server,
  tools: readonly Tool[],
  contextOf: ContextOf,
  onDefect: (error: unknown) => void,
): void {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  server.setRequestHandler(ListToolsRequestSchema, (_, extra) => {
    const { guard } = contextOf(extra);
    const capabilities = server.getClientCapabilities();
    return { tools: tools.filter((tool) => guard.offers(tool)).map((tool) => describeTool(tool, capabilities)) };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const tool = byName.get(params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${JSON.stringify(params.name)}.`);
    try {
      const context = { ...contextOf(extra), onProgress: reportProgress(extra) };
      const { structured, text } = await callTool(tool, params.arguments, context);
      return { content: [{ type: 'text', text }], structuredContent: structured };
    } catch (error) {
      if (!(error instanceof Failure)) onDefect(error);
      return { content: [{ type: 'text', text: explain(error) }], isError: true };
    }
  });
}

/** A tool as the protocol lists it to a client. */
function describeTool(tool: Tool, capabilities: ClientCapabilities | undefined): ProtocolTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: toJsonSchema(tool.input, 'input') as ProtocolTool['inputSchema'],
    outputSchema: toJsonSchema(tool.output, 'output') as NonNullable<ProtocolTool['outputSchema']>,
    annotations: { title: tool.title, ...annotationsOf[tool.access] },
    ...viewOf(tool.name, capabilities),
  };
}

function explain(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return 'tracker-mcp failed with a defect of its own; its log on stderr tells more. Nothing is known about the outcome of a write.';
}
