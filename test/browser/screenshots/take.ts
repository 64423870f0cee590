import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { startBrowserHost } from '../browser-host.ts';
import { withFewColors } from './few-colors.ts';

/** Takes the pictures of the view: what the embedded tracker answers, as a host shows it. */

const folder = 'docs/images';
const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

interface Picture {
  readonly name: string;
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
  /** The tab that is shown; the first without it. */
  readonly tab?: string;
  readonly looks: readonly (readonly [width: number, theme: 'light' | 'dark'])[];
}

const everywhere = [
  [1000, 'light'],
  [1000, 'dark'],
  [400, 'light'],
  [400, 'dark'],
] as const;

const pictures: readonly Picture[] = [
  { name: 'overview', tool: 'get_overview', given: { period: 'last_7_days' }, looks: everywhere },
  {
    name: 'comparison',
    tool: 'compare_pages',
    given: { campaign_id: 1, kind: 'offer', period: 'last_30_days' },
    looks: everywhere,
  },
  {
    name: 'days',
    tool: 'get_breakdown',
    given: { campaign_id: 1, by: ['day'], period: 'last_14_days' },
    looks: [
      [1000, 'light'],
      [400, 'dark'],
    ],
  },
  {
    name: 'rotation',
    tool: 'set_shares',
    given: {
      campaign_id: 1,
      shares: [
        { page_id: 4, share: 80 },
        { page_id: 3, share: 10 },
      ],
      dry_run: true,
    },
    looks: [
      [1000, 'light'],
      [400, 'dark'],
    ],
  },
];

/** Higher pictures show more than a reader of the documentation looks at. */
const maxHeight = 760;

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
for (const { name, tool, given, tab, looks } of pictures) {
  const result = (await client.callTool({ name: tool, arguments: given })) as CallToolResult;
  if (result.isError) throw new Error(JSON.stringify(result.content));
  for (const [width, theme] of looks) {
    const shown = await host.show({ theme }, { viewport: { width, height: 900 }, reducedMotion: 'reduce' });
    await shown.result(result);
    await shown.view.locator('svg').first().waitFor();
    if (tab !== undefined) await shown.view.getByRole('tab', { name: tab }).click();
    const frame = shown.page.locator('iframe');
    // The frame follows the height that the view tells, a moment after it is drawn.
    await shown.page.waitForTimeout(300);
    const height = Math.min(maxHeight, Math.round((await frame.boundingBox())?.height ?? maxHeight));
    await shown.page.setViewportSize({ width, height });
    const picture = withFewColors(await shown.page.screenshot({ clip: { x: 0, y: 0, width, height } }));
    const file = join(folder, `${name}-${width}-${theme}.png`);
    await writeFile(file, picture);
    console.log(`${file}: ${width} x ${height}, ${Math.round(picture.length / 1024)} KB`);
    if (shown.errors.length > 0) throw new Error(shown.errors.join('\n'));
    await shown.page.close();
  }
}
await host.close();
await client.close();
