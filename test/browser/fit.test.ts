import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import type { PresentedTables } from '../../src/tools/present/outputs.ts';
import {
  changeResult,
  oneTable,
  overviewResult,
  pagesResult,
  resultOf,
  reviewResult,
  sharesResult,
} from './results.ts';
import { change, chart, overview, pages, review, showResult, tables } from './show-view.ts';

/** Very large numbers and very long names. */

const longNames = [
  'Home fitness, search, exact match, United States and Canada, second attempt',
  'https://example.com/a/very/long/address/without/any/space/that/goes/on/and/on',
  'W'.repeat(40),
  'W'.repeat(22),
];
const columns = ['ID', 'Name', 'Traffic source', 'Views', 'Clicks', 'Conversions', 'Cost', 'Revenue', 'Profit'];
const ratios = ['ROI', 'EPV', 'Profit before', 'Profit change', 'Revenue change %'];

function largeOverview(currency: string | undefined): Partial<CallToolResult> {
  const money = ['Cost', 'Revenue', 'Profit', 'EPV', 'Profit before', 'Profit change'];
  const figures = [
    [
      88_123_456, 9_123_456, 1_234_567, 4_243_480.5, 5_486_961.75, 1_243_481.25, 29.3, 0.0623, 3_999_999.99,
      -2_756_518.74,
    ],
    [912_345, 81_234, 12_345, 2_243_480.5, 1_000_000, -1_243_480.5, -55.43, 1.0961, -12_345.67, -1_231_134.83],
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  ];
  const units = { ROI: '%', 'Revenue change %': '%' };
  const table: PresentedTables['tables'][number] = {
    name: 'campaigns',
    columns: [...columns, ...ratios],
    rows: figures.map((row, index) => [
      index,
      longNames[index] ?? '',
      index === 0 ? 'W'.repeat(28) : `Source ${longNames[index]}`,
      ...row,
      -1234.5,
    ]),
    ...{ total_rows: 4, offset: 0, next_offset: null },
    units: currency ? { ...units, ...Object.fromEntries(money.map((name) => [name, currency])) } : units,
    totals: {
      ...{ Views: 89_035_801, Conversions: 1_246_912, Cost: 6_486_961.3, Revenue: 6_486_961.75, Profit: -1_243_480.5 },
      ...{ ROI: -19.17, 'Profit before': 3_987_654.32, 'Profit change': -5_231_134.82 },
    },
  };
  return resultOf({ ...overviewResult, tables: [table] });
}

const largePages: Partial<CallToolResult> = {
  structuredContent: {
    ...pagesResult,
    query: { ...pagesResult.query, currency: 'CHF' },
    pages: longNames.map((name, index) => ({
      ...{ page_id: String(index), name, share: 50, recommended_share: 33.3 },
      ...{ views: 88_123_456, conversions: 1_234_567, revenue: 1_243_480.5 },
      ...{ epv: 12_345.678, epv_low: 11_345.678, epv_high: 13_345.678 },
      ...{ rate: 1.4, rate_low: 1.2, rate_high: 1.6, probability_best: 0.33 },
    })),
  },
  _meta: { 'tracker-mcp/campaign': longNames[2] },
};

const largeShares: Partial<CallToolResult> = {
  structuredContent: {
    ...sharesResult,
    groups: sharesResult.groups.map(({ group, pages }) => ({
      group: `${group} ${longNames[2]}`,
      pages: pages.map((page, index) => ({ ...page, name: longNames[index] ?? null })),
    })),
  },
};

const money = [4_243_480.5, 2_000_000.25, -1_243_480.5];
const largeDays: Partial<CallToolResult> = oneTable(
  {
    name: 'breakdown',
    columns: ['Day', 'Views', 'Cost', 'Revenue', 'Profit'],
    total_rows: 14,
    rows: Array.from({ length: 14 }, (_, index) => [`2026-11-${10 + index}`, 88_123_456 - index, ...money]),
    units: { Cost: 'CHF', Revenue: 'CHF', Profit: 'CHF' },
    totals: { Views: 1e9, Profit: -17_408_727, Cost: 6e7 },
  },
  { by: ['day'], where: [{ column: longNames[2], op: 'contains', value: longNames[1] }] },
);

const largeChange: Partial<CallToolResult> = {
  structuredContent: {
    ...changeResult,
    query: { ...changeResult.query, currency: 'CHF' },
    before: { ...changeResult.before, views: 88_123_456, profit: 4_243_480.5 },
    after: { ...changeResult.after, views: 91_234_567, profit: -1_243_480.5 },
    causes: longNames.map((name) => ({
      ...{ what: `landing page “${name}” stopped getting visits`, change: -1_371_740.25, carried: -1_371_740.25 },
      ...{ since: null, is_sure: true },
    })),
    values: {
      ...changeResult.values,
      rows: longNames.map((name) => [`landing page “${name}”`, 88_123_456, 0, 1_234_567, 0, 4_243_480.5, -1_243_480.5]),
    },
    changes: longNames,
  },
};

const largeReview: Partial<CallToolResult> = {
  structuredContent: {
    ...reviewResult,
    query: { currency: 'CHF' },
    findings: longNames.flatMap((name) =>
      reviewResult.findings.map((finding) => ({
        ...{ ...finding, what: `“${name}”: keyword “${name}”: ${finding.what}`, money_a_day: 4_243_480.5 },
        next: { tool: 'get_breakdown', arguments: { campaign_id: 1, by: [name] } },
      })),
    ),
    could_not_see: longNames,
  },
};

const manyReports: Partial<CallToolResult> = {
  structuredContent: {
    query: {},
    tables: ['target', 'ad', 'landing', 'thankyou', 'offer', longNames[2] ?? ''].map((name) => ({
      ...{ name, columns: ['Name', 'Profit'], rows: [['a', 1]], total_rows: 1, offset: 0, next_offset: null },
    })),
    notices: [],
  },
};

const looks = [400, 1000].flatMap((width) => (['light', 'dark'] as const).map((theme) => [width, theme] as const));

describe.each(looks)('at %i px, %s', (width, theme) => {
  test.for([
    ['an overview in dollars', largeOverview('$'), true],
    ['an overview in francs', largeOverview('CHF'), true],
    ['an overview in no currency', largeOverview(undefined), true],
    ['a usual overview', overview, true],
    ['usual tables', tables, true],
    ['a comparison', largePages, true],
    ['a usual comparison', pages, true],
    ['days', largeDays, true],
    ['a rotation', largeShares, false],
    ['a change', largeChange, false],
    ['a usual change', change, false],
    ['a review', largeReview, false],
    ['a usual review', review, false],
    ['many reports', manyReports, false],
  ] as const)('%s: no text is cut without an ellipsis, and money is visible', async ([, given, hasMoney]) => {
    const { view } = await showResult(given, { theme }, { viewport: { width, height: 900 } });
    const isList = given === largeReview || given === review;
    await view
      .getByRole(isList ? 'listitem' : 'table')
      .first()
      .waitFor();
    if (given !== manyReports && !isList) await chart(view).waitFor();
    expect(await view.locator('main').evaluate(cutTexts)).toEqual([]);
    expect(await view.locator('html').evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    if (hasMoney) expect(await view.locator('main').evaluate(moneyInSight)).not.toEqual([]);
  });
});

/**
 * Texts that are partly hidden, without ellipsis or scrolling; and texts of a chart that overlap. Runs in the page.
 */
function cutTexts(root: HTMLElement): string[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  const slack = 1;
  /** The box that clips the content of an element; undefined if the element scrolls. */
  const clipOf = (node: Element) => {
    const { overflowX, textOverflow } = getComputedStyle(node);
    if (['auto', 'scroll'].includes(overflowX)) return undefined;
    const isCell = node.matches('td, th');
    const isClipping = ['hidden', 'clip'].includes(overflowX) && textOverflow !== 'ellipsis';
    return isCell || isClipping || node === document.documentElement ? node.getBoundingClientRect() : 'none';
  };
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const parent = text.parentElement;
    if (!parent?.checkVisibility() || !text.nodeValue?.trim() || parent.closest('.unseen, title, option')) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const { left, right } = range.getBoundingClientRect();
    for (let node: Element | null = parent; node; node = node.parentElement) {
      const clip = clipOf(node);
      if (clip === undefined) break;
      if (clip === 'none') continue;
      if (left < clip.left - slack || right > clip.right + slack) {
        found.push(`${text.nodeValue}: ${left} to ${right} in ${node.tagName} ${clip.left} to ${clip.right}`);
      }
    }
  }
  for (const select of root.querySelectorAll('select')) {
    if (select.scrollWidth > select.clientWidth + slack) found.push(`${select.value} in its list`);
  }
  for (const drawing of root.querySelectorAll('figure [role=img]')) {
    const texts = [...drawing.querySelectorAll(':is(bdi, span)')].map(
      (node) => [node.textContent, node.getBoundingClientRect()] as const,
    );
    texts.forEach(([first, a], index) => {
      for (const [second, b] of texts.slice(index + 1)) {
        const isApart =
          a.right <= b.left + slack || b.right <= a.left + slack || a.bottom <= b.top + 3 || b.bottom <= a.top + 3;
        if (!isApart) found.push(`${first} runs into ${second}`);
      }
    });
  }
  return found;
}

/** Columns of money that are fully visible without scrolling. Runs in the page. */
function moneyInSight(root: HTMLElement): string[] {
  const scroller = root.querySelector('.scroller')?.getBoundingClientRect();
  const cells = [...root.querySelectorAll('tbody tr:first-child > *')].map((node) => node.getBoundingClientRect());
  const heads = [...root.querySelectorAll('thead th')].map((node) => node.textContent ?? '');
  const edge = cells[0]?.right ?? 0;
  return heads.filter((name, index) => {
    const cell = cells[index];
    return (
      /^(Profit|Revenue|EPV)$/.test(name) &&
      cell &&
      scroller &&
      cell.left >= edge - 1 &&
      cell.right <= scroller.right + 1
    );
  });
}
