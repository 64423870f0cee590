import type {
  ClientCapabilities,
  Tool as ListedTool,
  ListToolsResult,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Access } from '../api/endpoints.ts';
import type { Guard } from '../guard/guard.ts';
import type { Tool } from '../tools/define-tool.ts';
import { type JsonSchema, toJsonSchema } from '../tools/json-schema.ts';
import { viewOf } from './views.ts';

/** What a client may assume of a tool, by what it does to the tracker; every tracker is outside this process. */
const annotationsOf: Readonly<Record<Access, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
};

/** The tools as the protocol lists them. A listing takes longer than a call, and is made once for all who get the same. */
export class ToolListings {
  readonly #tools: readonly Tool[];
  readonly #made = new Map<string, ListToolsResult>();

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  find(name: string): Tool | undefined {
    return this.#tools.find((tool) => tool.name === name);
  }

  /** What a client with these capabilities gets to see of what its guard offers. */
  list(guard: Guard, capabilities: ClientCapabilities): ListToolsResult {
    const offered = this.#tools.filter((tool) => guard.offers(tool));
    const views = offered.map(({ name }) => viewOf(name, capabilities));
    const key = JSON.stringify([offered.map(({ name }) => name), views, guard.proposals !== undefined]);
    const made = this.#made.get(key) ?? {
      tools: offered.map((tool, index) => ({ ...describeTool(tool, guard.proposals !== undefined), ...views[index] })),
    };
    this.#made.set(key, made);
    return made;
  }
}

function describeTool(tool: Tool, hasProposals: boolean): ListedTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: toJsonSchema(tool.input, 'input') as ListedTool['inputSchema'],
    outputSchema: outputSchemaOf(tool, hasProposals) as NonNullable<ListedTool['outputSchema']>,
    annotations: annotationsOf[tool.access],
  };
}

/** A write that waits for a person answers with a proposal, in the place of what it would have done. */
const proposed = z.object({ proposal: z.record(z.string(), z.unknown()).describe('Waits for a person; not sent') });

function outputSchemaOf({ access, output, outputWithProposals }: Tool, hasProposals: boolean): JsonSchema {
  const schema = toJsonSchema(output, 'output');
  const besides = access === 'read' ? outputWithProposals : proposed;
  if (!hasProposals || !besides) return schema;
  return { ...schema, properties: { ...schema.properties, ...toJsonSchema(besides, 'output').properties } };
}
