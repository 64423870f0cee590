import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { FrameLocator, Locator } from 'playwright-core';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { buildView } from '../../build/view.js';
import { type BrowserHost, type ShownView, startBrowserHost } from './browser-host.ts';
import {
  changeResult,
  daysResult,
  overviewResult,
  pagesResult,
  resultOf,
  reviewResult,
  sharesResult,
  tablesResult,
} from './results.ts';

export const tables = resultOf(tablesResult);
export const overview: Partial<CallToolResult> = {
  ...resultOf(overviewResult),
  _meta: {
    'tracker-mcp/compared-to': { start_date: '2026-11-09', end_date: '2026-11-15' },
    'tracker-mcp/remarks': [
      'Before: 2026-11-09 to 2026-11-15.',
      'There was no time to read 1 of 4 campaigns, which are in no total. Call again: past days serve for 10 minutes.',
    ],
  },
};
/** With the days before. */
export const days: Partial<CallToolResult> = {
  ...resultOf(daysResult),
  _meta: {
    'tracker-mcp/days-before': {
      ...{ apart: 5, columns: ['Views', 'Profit', 'CTR'] },
      days: { '2026-11-13': [200, 40, 8], '2026-11-14': [250, 60, 9] },
    },
  },
};
export const shares = resultOf(sharesResult);
export const pages: Partial<CallToolResult> = {
  ...resultOf(pagesResult),
  _meta: {
    'tracker-mcp/headline': {
      verdict: 'Solar quotes earns most',
      reason: '0.5887 per view, best with a chance of about 49 in 50.',
    },
  },
};
export const change = resultOf(changeResult);
export const review = resultOf(reviewResult);

export const narrow = { viewport: { width: 320, height: 640 } };
export const phone = { viewport: { width: 400, height: 700 } };

let host: BrowserHost;
beforeAll(async () => {
  host = await startBrowserHost((await buildView()).page);
  return () => host.close();
});

/** Shows the view, without checking for errors. */
export async function showUnguarded(...given: Parameters<BrowserHost['show']>): Promise<ShownView> {
  const shown = await host.show(...given);
  onTestFinished(() => shown.done());
  return shown;
}

/** Shows the view. After the test, there must be no errors in the page and no requests to the network. */
export async function show(...given: Parameters<BrowserHost['show']>): Promise<ShownView> {
  const shown = await showUnguarded(...given);
  onTestFinished(() => {
    expect(shown.errors).toEqual([]);
    expect(shown.requests).toEqual(['/', '/host.js', '/view']);
  });
  return shown;
}

/** Shows the view with a result. */
export async function showResult(
  given: Partial<CallToolResult>,
  ...how: Parameters<BrowserHost['show']>
): Promise<ShownView> {
  const shown = await show(...how);
  await shown.result(given);
  return shown;
}

export async function showTables(...how: Parameters<BrowserHost['show']>): Promise<ShownView> {
  const shown = await showResult(tables, ...how);
  await shown.view.getByRole('table').waitFor();
  await chart(shown.view).waitFor();
  return shown;
}

/** The first chart. */
export function chart(view: FrameLocator): Locator {
  return view.locator('figure [role=img]').first();
}

/** Where marks are drawn. */
export function boxesOf(marks: Locator): Promise<DOMRect[]> {
  return marks.evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect()));
}

/** The texts of a column, from top to bottom. */
export function columnTexts(view: FrameLocator, column: number): Promise<string[]> {
  return view.locator(`tbody tr > :nth-child(${column})`).allTextContents();
}

/** Focuses, and waits until the view gets the keys: its frame is in a different process. */
export async function focus(target: Locator): Promise<void> {
  await target.focus();
  await expect.poll(() => target.evaluate((node) => node.ownerDocument.hasFocus())).toBe(true);
}
