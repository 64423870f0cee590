import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { renderCsv } from '../../src/commands/terminal/output.ts';
import { renderResult } from '../../src/commands/terminal/render-result.ts';
import { blocksKey } from '../../src/mcp/tools.ts';
import type { Result } from '../../src/tools/define-tool.ts';
import type { Connection } from './connect.ts';

/** Calls a tool, and draws what it shows on a terminal and as CSV. */
export async function callAndDraw({ client }: Connection, name: string, given: Readonly<Record<string, unknown>> = {}) {
  const answer = await client.callTool({ name, arguments: given, _meta: { [blocksKey]: true } });
  const { _meta = {}, structuredContent: structured = {}, ...result } = CallToolResultSchema.parse(answer);
  const { [blocksKey]: blocks = [], ...meta } = _meta;
  const shown = { structured, blocks } as Pick<Result, 'structured' | 'blocks'>;
  const drawn = renderResult(shown, { width: 120, shape: 'table', isColoured: false });
  return { ...result, structuredContent: structured, _meta: meta, blocks: shown.blocks, drawn, csv: renderCsv(shown) };
}
