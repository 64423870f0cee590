import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { startBrowserHost } from '../browser-host.ts';

/** Takes pictures of the view with results of the embedded tracker. */

const folder = 'docs/images';
const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

interface Picture {
  readonly name: string;
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
}

/** The last days without today, which would look like a loss. */
function wholeDays(count: number): { start_date: string; end_date: string } {
  const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  return { start_date: dayBefore(count), end_date: dayBefore(1) };
}

/** Fonts of chat programs; the first installed one is used. */
const fonts = 'Inter, "Segoe UI", "SF Pro Text", "Helvetica Neue", Roboto, system-ui, sans-serif';

const pictures: readonly Picture[] = [
  { name: 'overview', tool: 'get_overview', given: {} },
  { name: 'comparison', tool: 'compare_pages', given: { campaign_id: 1, kind: 'offer', ...wholeDays(30) } },
  { name: 'change', tool: 'explain_change', given: { campaign_id: 4, ...wholeDays(4) } },
  { name: 'review', tool: 'review_account', given: {} },
];

const [width, maxHeight] = [1000, 1000];

const client = new Client({ name: 'screenshots', version: '1.0.0' }, { capabilities });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: ['dist/cli.js', '--sandbox', '--currency', 'USD'],
    stderr: 'inherit',
  }),
);
const { resources } = await client.listResources();
const uri = resources.find((resource) => resource.uri.startsWith('ui://'))?.uri ?? '';
const [page] = (await client.readResource({ uri })).contents;
const host = await startBrowserHost(page && 'text' in page ? page.text : '');
await mkdir(folder, { recursive: true });
for (const { name, tool, given } of pictures) {
  const result = (await client.callTool({ name: tool, arguments: given })) as CallToolResult;
  if (result.isError) throw new Error(JSON.stringify(result.content));
  const context = { theme: 'light', styles: { variables: { '--font-sans': fonts } } } as McpUiHostContext;
  const size = { viewport: { width, height: 900 }, deviceScaleFactor: 2 };
  const shown = await host.show(context, { ...size, reducedMotion: 'reduce' });
  await shown.result(result);
  await shown.view.locator('figure, .findings').first().waitFor();
  const frame = shown.page.locator('iframe');
  // The frame takes the reported height a moment after drawing.
  await shown.page.waitForTimeout(300);
  const height = Math.min(maxHeight, Math.round((await frame.boundingBox())?.height ?? maxHeight));
  await shown.page.setViewportSize({ width, height });
  // Playwright itself writes no WebP, which is half the size of PNG.
  const session = await shown.page.context().newCDPSession(shown.page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  const picture = Buffer.from(data, 'base64');
  const file = join(folder, `${name}.webp`);
  await writeFile(file, picture);
  console.log(`${file}: ${width} x ${height}, ${Math.round(picture.length / 1024)} KB`);
  if (shown.errors.length > 0) throw new Error(shown.errors.join('\n'));
  await shown.page.close();
}
await host.close();
await client.close();
