import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { TrackerNumbers } from '../../src/api/tracker-numbers.ts';
import { callTool } from '../../src/tools/call-tool.ts';
import { type CallContext, defineTool } from '../../src/tools/define-tool.ts';
import { shortenFailure } from '../../src/tools/fit.ts';
import { connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

const largest = 40_000;
const tracker = await startForeignTracker({});
const { call, client, data } = await connect({ url: tracker.url });

function many<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** The data of a result that stays within the bound, and its text. */
function bounded(result: CallToolResult): { data: Record<string, unknown>; notices: string } {
  expect(result.isError ?? false, textOf(result)).toBe(false);
  expect(JSON.stringify(result.structuredContent).length).toBeLessThanOrEqual(largest);
  expect(textOf(result).length).toBeLessThanOrEqual(largest);
  const found = result.structuredContent as Record<string, unknown>;
  return { data: found, notices: String(found['notices']) };
}

it('of 200 reports, an answer shows those that fit completely and counts the others', async () => {
  const rows = many(30, (row) => ({ Name: `Row ${row}`, Views: row, Note: 'x'.repeat(60) }));
  tracker.answer('stats', JSON.stringify(Object.fromEntries(many(200, (report) => [`report ${report}`, rows]))));
  const { data, notices } = bounded(await call('get_stats', { campaign_id: 7 }));
  const tables = data['tables'] as { columns: unknown[]; rows: unknown[]; next_offset: number | null }[];
  expect(notices).toContain(`${200 - tables.length} more tables did not fit`);
  expect(tables.length).toBeGreaterThan(5);
  for (const table of tables) expect([table.columns.length, table.next_offset]).toEqual([3, table.rows.length]);
});

it('of a visitor’s conversions, an answer shows those that fit and counts the others', async () => {
  const subid = 'ab12cd34_7_00000345';
  const fields = Object.fromEntries(many(90, (field) => [`Field ${field}`, 'y'.repeat(400)]));
  tracker.answer('click/lookup', '{"Campaign Data":{"Campaign":"Seven"}}');
  tracker.answer('conversions', JSON.stringify(many(60, () => ({ SubID: subid, ...fields }))));
  const { data, notices } = bounded(await call('diagnose_subid', { subid }));
  const shown = (data['conversions'] as unknown[]).length;
  expect(notices).toContain(`${60 - shown} more conversions: list_conversions has them all.`);
});

it('the error of a query stays short with many tables and columns', async () => {
  const columns = Object.fromEntries(many(300, (column) => [`${'Column'.repeat(30)} ${column}`, 'x']));
  tracker.answer('visitorstats', JSON.stringify([columns]));
  for (const campaign_id of many(12, (index) => index + 1)) await data('list_visitors', { campaign_id });
  const result = await call('query_report', { sql: 'SELECT nothing FROM r1, r2, r3' });
  expect(result.isError).toBe(true);
  expect(textOf(result).length).toBeLessThanOrEqual(8001);
});

it('the resource of campaigns shows those that fit, and names the tool that has the others', async () => {
  tracker.answer('campaign/list', JSON.stringify(many(5000, (id) => ({ ID: id + 1, Name: `Campaign ${id}` }))));
  const { contents } = await client.readResource({ uri: 'tracker://campaigns' });
  const [list = '', notice] = contents.map((content) => ('text' in content ? String(content.text) : ''));
  expect(list.length).toBeLessThanOrEqual(largest);
  const shown = (JSON.parse(list) as unknown[]).length;
  expect(shown).toBeGreaterThan(500);
  expect(notice).toBe(`${5000 - shown} of 5000 did not fit: list_campaigns has them all, with offset.`);
});

it('an answer that is too large in its shortest form is an error', async () => {
  const large = (message: string, text: string) =>
    defineTool({
      name: 'large',
      title: 'Large',
      description: 'A tool that forgets its bound',
      access: 'read',
      input: () => z.strictObject({}),
      output: () => z.object({ message: z.string() }),
      run: async () => ({ parts: [], render: () => ({ structured: { message }, blocks: [text] }) }),
    });
  const context = {
    guard: { checkOffered: () => undefined },
    client: {
      uses: [],
      numbers: new TrackerNumbers(),
      zones: new Set(),
      parts: new Map(),
      strays: new Map(),
      withoutKey: <Data>(data: Data) => data,
      holdsKey: () => false,
    },
  } as unknown as CallContext;
  const long = 'x'.repeat(largest + 1);
  for (const tool of [large(long, ''), large('', long)]) {
    await expect(callTool(tool, {}, context)).rejects.toThrow('more than 40000 characters');
  }
  await expect(callTool(large('x', 'y'), {}, context)).resolves.toMatchObject({
    structured: { message: 'x' },
    text: 'y',
  });
  expect(shortenFailure(long).length).toBeLessThan(largest);
});
