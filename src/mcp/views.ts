import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { ClientCapabilities, ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import type { ToolResult } from '../tools/define-tool.ts';
import {
  campaignKey,
  comparedToKey,
  daysBeforeKey,
  headlineKey,
  openDayKey,
  remarksKey,
} from '../tools/present/for-views.ts';

/** MCP Apps (SEP-1865, 2026-01-26): the extension, and the type of a view. */
const extension = 'io.modelcontextprotocol/ui';
const viewType = 'text/html;profile=mcp-app';

/** What a server with views declares. */
export const viewsExtension = { [extension]: { mimeTypes: [viewType] } };

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

/** Views are listed unless it is `none`: some hosts show them and declare nothing. Results have data for one if it is `expected`. */
export type ViewSupport = 'none' | 'possible' | 'expected';

/** @param capabilities undefined if they are unknown: in the older protocol without sessions, only `initialize` has them */
export function viewSupport(capabilities: ClientCapabilities | undefined): ViewSupport {
  if (capabilities === undefined) return 'expected';
  const { extensions } = capabilities;
  if (extensions === undefined) return 'possible';
  const declared = extensions[extension] as { mimeTypes?: unknown } | undefined;
  if (declared === undefined) return 'none';
  const { mimeTypes = [viewType] } = declared;
  return Array.isArray(mimeTypes) && mimeTypes.includes(viewType) ? 'expected' : 'none';
}

export function hasView(tool: string): boolean {
  return toolsWithView.has(tool);
}

export function viewUriFor(tool: string, support: ViewSupport): string | undefined {
  return support !== 'none' && hasView(tool) ? uri : undefined;
}

/** Data for the view alone: hosts pass it on, and no model reads it. */
export function viewMeta(result: ToolResult): Readonly<Record<string, unknown>> {
  const data = Object.entries({
    [campaignKey]: result.campaign,
    [comparedToKey]: result.comparedTo,
    [daysBeforeKey]: result.daysBefore,
    [headlineKey]: result.headline,
    [openDayKey]: result.openDay,
    [remarksKey]: result.remarks?.filter((remark) => remark !== null),
  });
  return Object.fromEntries(data.filter(([, value]) => value !== undefined));
}

export function listViews(support: ViewSupport): readonly Resource[] {
  return support === 'none' ? [] : [view];
}

/** Reads a view from the file that the build made; undefined if the address is not a view's. */
export async function readView(address: string): Promise<ReadResourceResult | undefined> {
  if (address !== uri) return undefined;
  const text = await readFile(createRequire(import.meta.url).resolve('#view'), 'utf8');
  return { contents: [{ uri, mimeType: viewType, text, _meta: pageMeta }] };
}
