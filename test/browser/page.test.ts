import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { FrameLocator } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PresentedTables } from '../../src/tools/present/outputs.ts';
import type { ComparedPages } from '../../src/views/pages-report.ts';
import { startBrowserHost } from './browser-host.ts';
import { hostileName, resultOf } from './results.ts';
import {
  change,
  chart,
  days,
  narrow,
  overview,
  pages,
  review,
  shares,
  show,
  showResult,
  showTables,
  showUnguarded,
  tables,
} from './show-view.ts';

test.for([
  ['a table', tables],
  ['a comparison', pages],
  ['a change', change],
  ['a review', review],
  ['a text', { content: [{ type: 'text', text: hostileName }] }],
  ['a notice', resultOf({ query: { note: hostileName }, tables: [], notices: [hostileName] })],
] as const)('text from strangers stays text in %s', async ([, given]) => {
  const { view } = await showResult(given as Partial<CallToolResult>);
  await view.getByText('Blue</b>').first().waitFor({ state: 'attached' });
  expect(await view.locator('main img, main script, main b, pre *').count()).toBe(0);
  expect(await view.locator('html').evaluate(() => document.title)).toBe('Tracker report');
});

test('the browser itself rejects markup in the view', async () => {
  const { view } = await showUnguarded();
  const attempt = view.locator('main').evaluate((main) => {
    main.innerHTML = '<p>markup</p>';
  });
  await expect(attempt).rejects.toThrow(/TrustedHTML/);
});

describe('light and dark', () => {
  const background = (view: FrameLocator) =>
    view.locator('html').evaluate((node) => getComputedStyle(node).backgroundColor);
  const white = 'rgb(255, 255, 255)';
  const dark = 'rgb(29, 31, 35)';

  test('follow the host while the view is open', async () => {
    const { page, view } = await showTables({ theme: 'dark' });
    expect(await background(view)).toBe(dark);
    await page.evaluate(() => window.host.change({ theme: 'light' }));
    await expect.poll(() => background(view)).toBe(white);
  });

  test.for([
    ['light', white],
    ['dark', dark],
  ] as const)('follow the system if the host sends no theme: %s', async ([colorScheme, expected]) => {
    const { view } = await showTables({}, { colorScheme });
    expect(await background(view)).toBe(expected);
  });

  test('use the colours of the host', async () => {
    const variables = { '--color-background-primary': 'rgb(250, 240, 230)' } as never;
    const { view } = await showTables({ theme: 'light', styles: { variables } });
    expect(await background(view)).toBe('rgb(250, 240, 230)');
  });

  test.for(['light', 'dark'] as const)('every text and every mark has enough contrast: %s', async (theme) => {
    const { view, result } = await show({ theme });
    for (const [given, drawn] of [
      [tables, /^Profit by/],
      [overview, /^Profit by/],
      [days, /^Profit by/],
      [pages, /^Share of the traffic/],
      [shares, /^Share of the traffic/],
      [change, /^Profit by cause/],
      [review, undefined],
    ] as const) {
      await result(given);
      if (drawn) await view.getByRole('img', { name: drawn }).waitFor();
      else await view.getByRole('checkbox').first().check();
      expect(await view.locator('main').evaluate(faintParts)).toEqual([]);
    }
  });
});

describe('a small or still screen', () => {
  test.for([
    ['tables', tables],
    ['pages', pages],
    ['shares', shares],
    ['a change', change],
  ] as const)('%s fits 320 px: only the table with all its columns scrolls sideways', async ([, given]) => {
    const { view } = await showResult(given, {}, narrow);
    await chart(view).waitFor();
    expect(await view.locator('html').evaluate((node) => node.scrollWidth)).toBe(320);
    const scroller = view.getByRole('region');
    expect(await scroller.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    await view.getByRole('button', { name: /^All \d+ columns$/ }).press('Enter');
    expect(await scroller.evaluate((node) => node.scrollWidth > node.clientWidth)).toBe(true);
    await scroller.focus();
    expect(await view.locator('.scroller:focus-visible').count()).toBe(1);
  });

  test('nothing moves with reduced motion', async () => {
    const { view } = await showTables({}, { reducedMotion: 'reduce' });
    const durations = await view
      .locator('*')
      .evaluateAll((nodes) => nodes.map((node) => getComputedStyle(node).transitionDuration));
    expect(new Set(durations)).toEqual(new Set(['0s']));
  });
});

describe('the host', () => {
  test('gets the height of the view whenever it changes', async () => {
    const { page, view } = await showTables();
    const heights = async () => [
      await page.locator('iframe').evaluate((frame) => frame.clientHeight),
      await view.locator('html').evaluate((node) => Math.ceil(node.getBoundingClientRect().height)),
    ];
    await expect.poll(async () => new Set(await heights()).size).toBe(1);
    const [before = 0] = await heights();
    await view.getByRole('tab', { name: 'Targets' }).click();
    await expect.poll(async () => (await heights())[0]).toBeGreaterThan(before);
  });

  test('can tear down the view', async () => {
    const { page } = await showTables();
    expect(await page.evaluate(() => window.host.tearDown().then(() => 'ready'))).toBe('ready');
  });

  test('reports failed and cancelled calls to the view', async () => {
    const { page, view } = await showResult({
      isError: true,
      content: [{ type: 'text', text: 'The tracker refused the key.' }],
    });
    await view.getByRole('heading', { name: 'That did not work' }).waitFor();
    await view.getByText('The tracker refused the key.').waitFor();
    await page.evaluate(() => window.host.cancel());
    await view.getByText('The call was cancelled.').waitFor();
  });

  test('finds the view through the protocol, and shows results of the tracker', { timeout: 120_000 }, async () => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
    const client = new Client({ name: 'test host', version: '1.0.0' }, { capabilities });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: ['dist/cli.js', '--sandbox'], stderr: 'ignore' }),
    );
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    const meta = tools.find((tool) => tool.name === 'get_stats')?._meta as { ui: { resourceUri: string } } | undefined;
    const { contents } = await client.readResource({ uri: meta?.ui.resourceUri ?? '' });
    const [page] = contents;
    const found = await startBrowserHost(page && 'text' in page ? page.text : '');
    onTestFinished(() => found.close());
    const call = async (name: string, given: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: given })) as CallToolResult;
    const campaigns = await call('list_campaigns', { columns: ['ID', 'Name'], limit: 1 });
    const [id, name] = (campaigns.structuredContent as PresentedTables | undefined)?.tables[0]?.rows[0] ?? [];
    const campaign_id = Number(id);
    const shown = await found.show();

    const answer = await call('get_stats', { campaign_id, reports: ['target', 'offer'], period: 'last_30_days' });
    await shown.result(answer);
    const [target] = (answer.structuredContent as PresentedTables | undefined)?.tables ?? [];
    await shown.view.getByRole('heading', { name: String(name), exact: true }).waitFor();
    await chart(shown.view).waitFor();
    expect(await shown.view.locator('tbody tr').count()).toBe(target?.rows.length);
    expect(await shown.view.locator('svg .bar').count()).toBeGreaterThan(1);

    const comparison = await call('compare_pages', { campaign_id, kind: 'offer', period: 'last_30_days' });
    await shown.result(comparison);
    const { decision, pages } = comparison.structuredContent as unknown as ComparedPages;
    await shown.view.getByRole('heading', { name: decision.name }).waitFor();
    await shown.view.getByText(`offers of ${name}`).waitFor();
    await shown.view.getByRole('img', { name: /^Share of the traffic/ }).waitFor();
    expect(await shown.view.locator('svg .interval').count()).toBe(pages.length);
    expect(await shown.view.locator('tbody tr').count()).toBe(pages.length);
    expect(await shown.view.getByRole('columnheader').filter({ hasText: '_' }).count()).toBe(0);
    expect(shown.errors).toEqual([]);
  });
});

/**
 * Texts with a contrast under 4.5, and marks of charts and edges of controls under 3, by WCAG 2. Runs in the page.
 */
function faintParts(root: HTMLElement): string[] {
  const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = channels(color)
      .slice(0, 3)
      .map((channel) => channel / 255)
      .map((channel) => (channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (node: Element): string => {
    const color = getComputedStyle(node).backgroundColor;
    return channels(color)[3] === 0 && node.parentElement ? backgroundOf(node.parentElement) : color;
  };
  const isSeen = (node: Element) =>
    node.textContent?.trim() && node.checkVisibility() && !node.closest('.unseen, title');
  const contrastOf = (color: string, background: string) => {
    const [light = 0, dark = 0] = [luminance(color), luminance(background)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const colorOf = (mark: Element) => {
    const { fill, stroke, borderTopColor, backgroundColor } = getComputedStyle(mark);
    if (mark instanceof HTMLElement) return mark.matches('select') ? borderTopColor : backgroundColor;
    return stroke === 'none' ? fill : stroke;
  };
  const marks = [
    ...root.querySelectorAll('svg :is(.bar, .former, .dot, .interval, .line, .reference), .legend i, select'),
  ].flatMap((mark) => {
    const backgrounds = [backgroundOf(mark.parentElement ?? mark)];
    // A tick overlaps its bar.
    const bar = mark.matches('.reference') ? mark.parentElement?.querySelector('.bar') : undefined;
    if (bar) backgrounds.push(getComputedStyle(bar).fill);
    return backgrounds.flatMap((background) => {
      const contrast = contrastOf(colorOf(mark), background);
      return contrast < 3 ? [`${mark.tagName} ${mark.getAttribute('class')}: ${contrast.toFixed(2)}`] : [];
    });
  });
  const leaves = [...root.querySelectorAll('*')].filter((node) => node.childElementCount === 0 && isSeen(node));
  const texts = leaves.flatMap((node) => {
    const { color, fill } = getComputedStyle(node);
    const contrast = contrastOf(node instanceof SVGElement ? fill : color, backgroundOf(node));
    return contrast < 4.5 ? [`${node.textContent}: ${contrast.toFixed(2)}`] : [];
  });
  return [...marks, ...texts];
}
