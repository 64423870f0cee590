import type {
  ClientCapabilities,
  Tool as ListedTool,
  ListToolsResult,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
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
    const limits = offered.map((tool) => limitsOf(tool, guard));
    const hasProposals = guard.proposals !== undefined;
    const key = JSON.stringify([offered.map(({ name }) => name), views, limits, hasProposals]);
    const made = this.#made.get(key) ?? {
      tools: offered.map((tool, index) => ({
        ...describeTool(tool, limits[index] ?? {}, hasProposals),
        ...views[index],
      })),
    };
    this.#made.set(key, made);
    return made;
  }
}

/** What limits each argument of a tool, by its name. */
type ArgumentLimits = Readonly<Record<string, string>>;

function limitsOf(tool: Tool, guard: Guard): ArgumentLimits {
  const names = Object.keys(tool.input.shape);
  const said = names.map((name) => [name, guard.limitsOn(name, { access: tool.access, arguments: names }).join(' ')]);
  return Object.fromEntries(said.filter(([, sentences]) => sentences !== ''));
}

function describeTool(tool: Tool, limits: ArgumentLimits, hasProposals: boolean): ListedTool {
  const input = toJsonSchema(tool.input, 'input');
  for (const [name, sentences] of Object.entries(limits)) {
    const argument = input.properties?.[name];
    if (argument) argument.description = [argument.description, sentences].filter(Boolean).join('. ');
  }
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: input as ListedTool['inputSchema'],
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
