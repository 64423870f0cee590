import type {
  ClientCapabilities,
  Tool as ListedTool,
  ListToolsResult,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Access } from '../api/endpoints.ts';
import type { Tool } from '../tools/define-tool.ts';
import { type JsonSchema, toJsonSchema } from '../tools/json-schema.ts';
import { listedSchemas, type NamedTracker, type Trackers } from '../tools/trackers.ts';
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

  list(trackers: Trackers, capabilities: ClientCapabilities): ListToolsResult {
    const offered = this.#tools.filter((tool) => trackers.offering(tool).length > 0);
    const views = offered.map(({ name }) => viewOf(name, capabilities));
    const limits = offered.map((tool) => limitsOf(tool, trackers.offering(tool)));
    const hasProposals = trackers.all.some(({ context }) => context.guard.proposals !== undefined);
    const key = JSON.stringify([
      offered.map((tool) => [tool.name, ...trackers.offering(tool).map(({ name }) => name)]),
      trackers.byDefault?.name,
      ...[views, limits, hasProposals],
    ]);
    const made = this.#made.get(key) ?? {
      tools: offered.map((tool, index) => ({
        ...describeTool(tool, trackers, limits[index] ?? {}, hasProposals),
        ...views[index],
      })),
    };
    this.#made.set(key, made);
    return made;
  }
}

type ArgumentLimits = Readonly<Record<string, string>>;

/** If trackers limit an argument each in its own way, each is named. */
function limitsOf(tool: Tool, trackers: readonly NamedTracker[]): ArgumentLimits {
  const names = Object.keys(tool.input.shape);
  const about = { access: tool.access, arguments: names };
  const said = names.map((name) => {
    const all = trackers.map((tracker) => tracker.context.guard.limitsOn(name, about).join(' '));
    const differ = new Set(all).size > 1;
    const each = all.flatMap((text, index) => (text === '' ? [] : [`${trackers[index]?.name}: ${text}`]));
    return [name, differ ? each.join(' ') : (all[0] ?? '')];
  });
  return Object.fromEntries(said.filter(([, sentences]) => sentences !== ''));
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
    outputSchema: outputSchemaOf({ ...tool, ...schemas }, hasProposals) as NonNullable<ListedTool['outputSchema']>,
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
