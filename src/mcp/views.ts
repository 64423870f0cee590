import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { CallToolResult, ClientCapabilities, ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import type { ToolResult } from '../tools/define-tool.ts';
import {
  campaignKey,
  comparedToKey,
  daysBeforeKey,
  headlineKey,
  openDayKey,
  remarksKey,
} from '../tools/present/for-views.ts';

/** MCP Apps (SEP-1865, 2026-01-26): the extension that hosts announce, and the type of a view. */
const extension = 'io.modelcontextprotocol/ui';
const viewType = 'text/html;profile=mcp-app';

const uri = 'ui://tracker-mcp/report';

const toolsWithView: ReadonlySet<string> = new Set([
  'get_stats',
  'get_overview',
  'get_breakdown',
  'review_account',
  'explain_change',
  'compare_pages',
  'set_shares',
]);

/** The page contains everything it needs, so it may reach no domain. */
const pageMeta = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };

const view: Resource = {
  uri,
  name: 'report',
  title: 'Tracker report',
  description: 'A result as charts and a sortable table, for hosts that show MCP Apps.',
  mimeType: viewType,
  _meta: pageMeta,
};

function showsViews(capabilities: ClientCapabilities): boolean {
  const announced = capabilities.extensions?.[extension] as { mimeTypes?: unknown } | undefined;
  return Array.isArray(announced?.mimeTypes) && announced.mimeTypes.includes(viewType);
}

/** Whether the client shows results of the tool in a view. */
export function hasView(tool: string, capabilities: ClientCapabilities): boolean {
  return toolsWithView.has(tool) && showsViews(capabilities);
}

export function viewUriFor(tool: string, capabilities: ClientCapabilities): string | undefined {
  return hasView(tool, capabilities) ? uri : undefined;
}

/** Data for the view alone: hosts pass it on, and no model reads it. */
export function viewMeta(result: ToolResult): Pick<CallToolResult, '_meta'> {
  const data = Object.entries({
    [campaignKey]: result.campaign,
    [comparedToKey]: result.comparedTo,
    [daysBeforeKey]: result.daysBefore,
    [headlineKey]: result.headline,
    [openDayKey]: result.openDay,
    [remarksKey]: result.remarks?.filter((remark) => remark !== null),
  });
  const entries = data.filter(([, value]) => value !== undefined);
  return entries.length === 0 ? {} : { _meta: Object.fromEntries(entries) };
}

export function listViews(capabilities: ClientCapabilities): readonly Resource[] {
  return showsViews(capabilities) ? [view] : [];
}

/** Reads a view from the file that the build made; undefined if the address is not a view's. */
export async function readView(address: string): Promise<ReadResourceResult | undefined> {
  if (address !== uri) return undefined;
  const text = await readFile(createRequire(import.meta.url).resolve('#view'), 'utf8');
  return { contents: [{ uri, mimeType: viewType, text, _meta: pageMeta }] };
}
