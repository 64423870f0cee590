import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type {
  CallToolResult,
  ClientCapabilities,
  Tool as ListedTool,
  ReadResourceResult,
  Resource,
} from '@modelcontextprotocol/server';
import type { ToolResult } from '../tools/define-tool.ts';
import { campaignKey, daysBeforeKey } from '../tools/present/for-views.ts';

/** MCP Apps (SEP-1865, 2026-01-26): what a host that shows views announces, and what a view is served as. */
const extension = 'io.modelcontextprotocol/ui';
const viewType = 'text/html;profile=mcp-app';

const uri = 'ui://tracker-mcp/report';

const drawnTools: ReadonlySet<string> = new Set([
  'get_stats',
  'get_overview',
  'get_breakdown',
  'review_account',
  'explain_change',
  'compare_pages',
  'set_shares',
]);

/** No domains: the page has all that it needs in it, and a host that goes by this lets it reach nothing. */
const viewMeta = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };

const view: Resource = {
  uri,
  name: 'report',
  title: 'Tracker report',
  description: 'A result as charts and a sortable table, for hosts that show MCP Apps.',
  mimeType: viewType,
  _meta: viewMeta,
};

function showsViews(capabilities: ClientCapabilities): boolean {
  const announced = capabilities.extensions?.[extension] as { mimeTypes?: unknown } | undefined;
  return Array.isArray(announced?.mimeTypes) && announced.mimeTypes.includes(viewType);
}

/** What the listing of a tool says of its view, if it has one and the client shows it. */
export function viewOf(tool: string, capabilities: ClientCapabilities): Pick<ListedTool, '_meta'> {
  return isDrawn(tool, capabilities) ? { _meta: { ui: { resourceUri: uri } } } : {};
}

export function isDrawn(tool: string, capabilities: ClientCapabilities): boolean {
  return drawnTools.has(tool) && showsViews(capabilities);
}

/** What goes with a result for its view alone: hosts hand it on, and no model reads it. */
export function besideResult({ campaign, daysBefore }: ToolResult): Pick<CallToolResult, '_meta'> {
  const known = Object.entries({ [campaignKey]: campaign, [daysBeforeKey]: daysBefore });
  const beside = known.filter(([, value]) => value !== undefined);
  return beside.length === 0 ? {} : { _meta: Object.fromEntries(beside) };
}

export function listViews(capabilities: ClientCapabilities): readonly Resource[] {
  return showsViews(capabilities) ? [view] : [];
}

/** Reads a view; undefined for any other address. The page is made when the package is built, and loaded only here. */
export async function readView(address: string): Promise<ReadResourceResult | undefined> {
  if (address !== uri) return undefined;
  const text = await readFile(createRequire(import.meta.url).resolve('#view'), 'utf8');
  return { contents: [{ uri, mimeType: viewType, text, _meta: viewMeta }] };
}
