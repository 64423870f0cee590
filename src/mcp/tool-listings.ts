import type {
  ClientCapabilities,
  Tool as ListedTool,
  ListToolsResult,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { Access } from '../api/endpoints.ts';
import type { Tool } from '../tools/define-tool.ts';
import { toJsonSchema } from '../tools/json-schema.ts';
import { listedSchemas } from '../tools/trackers/tracker-argument.ts';
import type { Trackers } from '../tools/trackers/trackers.ts';
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

  /** What a client with these capabilities gets to see of what these trackers offer. */
  list(trackers: Trackers, capabilities: ClientCapabilities): ListToolsResult {
    const offered = this.#tools.filter((tool) => trackers.offering(tool).length > 0);
    const views = offered.map(({ name }) => viewOf(name, capabilities));
    const key = JSON.stringify([
      offered.map((tool) => [tool.name, ...trackers.offering(tool).map(({ name }) => name)]),
      trackers.byDefault?.name,
      views,
    ]);
    const made = this.#made.get(key) ?? {
      tools: offered.map((tool, index) => ({ ...describeTool(tool, trackers), ...views[index] })),
    };
    this.#made.set(key, made);
    return made;
  }
}

function describeTool(tool: Tool, trackers: Trackers): ListedTool {
  const { input, output } = listedSchemas(tool, trackers);
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: toJsonSchema(input, 'input') as ListedTool['inputSchema'],
    outputSchema: toJsonSchema(output, 'output') as NonNullable<ListedTool['outputSchema']>,
    annotations: annotationsOf[tool.access],
  };
}
