import type { FrameLocator, Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hostileName, pagesResult } from './results.ts';
import { chart, focus, pages, show, showTables } from './show-view.ts';

/** The texts of a column, from top to bottom. */
function columnTexts(view: FrameLocator, column: number): Promise<string[]> {
  return view.locator(`tbody td:nth-child(${column})`).allTextContents();
}

function header(view: FrameLocator, name: string): Locator {
  return view.getByRole('columnheader', { name, exact: true });
}

describe('a table', () => {
  test('shows every cell, with units, and the totals of all rows', async () => {
    const { view } = await showTables();
    expect(await view.locator('tbody tr').first().locator('td').allTextContents()).toEqual([
      '12',
      'Solar quotes',
      '4,210',
      '118',
      '$2,478.50',
      '$0.5887',
      '11.84%',
      '$812.25',
    ]);
    expect((await view.locator('tfoot tr > *').allTextContents()).filter((text) => text !== '')).toEqual([
      'All rows',
      '9,465',
      '222',
      '$4,619.75',
      '$401.85',
    ]);
    expect(await view.locator('.extent').textContent()).toBe('All 4 rows. Empty columns are left out: Notes.');
  });

  test('says which rows it has where there are more', async () => {
    const { view } = await showTables();
    await view.getByRole('tab', { name: 'target' }).click();
    expect(await view.locator('.extent').textContent()).toContain('Rows 1 to 25 of 1,204');
  });

  test('sorts by a click: numbers from the largest, then from the smallest, empty cells last', async () => {
    const { view } = await showTables();
    const conversions = header(view, 'Conversions');
    await conversions.getByRole('button').click();
    expect(await conversions.getAttribute('aria-sort')).toBe('descending');
    expect(await columnTexts(view, 4)).toEqual(['118', '96', '8', '']);
    await conversions.getByRole('button').click();
    expect(await conversions.getAttribute('aria-sort')).toBe('ascending');
    expect(await columnTexts(view, 4)).toEqual(['8', '96', '118', '']);
    expect(await view.getByRole('status').textContent()).toBe('offer: sorted by Conversions, ascending');
  });

  test('sorts by texts from the first letter, and marks only the column it is sorted by', async () => {
    const { view } = await showTables();
    await header(view, 'Views').getByRole('button').click();
    await header(view, 'Offer Name').getByRole('button').click();
    expect(await columnTexts(view, 2)).toEqual([hostileName, 'Roof check', 'Solar quotes', '']);
    expect(await view.locator('[aria-sort]').count()).toBe(1);
  });

  test('sorts by the keyboard alone, and keeps the focus where it was', async () => {
    const { page, view } = await showTables();
    await focus(view.getByRole('combobox'));
    // The table's region, then the headers from the left: Offer ID, Offer Name, Views.
    for (let press = 0; press < 4; press++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await columnTexts(view, 3)).toEqual(['4,210', '3,904', '950', '401']);
    await page.keyboard.press('Space');
    expect(await columnTexts(view, 3)).toEqual(['401', '950', '3,904', '4,210']);
    const focused = view.locator('button:focus-visible');
    expect(await focused.textContent()).toBe('Views');
    expect(await focused.evaluate((button) => getComputedStyle(button).outlineStyle)).toBe('solid');
  });
});

describe('tabs', () => {
  test('move by the arrow keys, Home and End, and only the chosen one is in the tab order', async () => {
    const { page, view } = await showTables();
    const selected = () => view.getByRole('tab', { selected: true }).textContent();
    await focus(view.getByRole('tab', { name: 'offer' }));
    const reached: (string | null)[] = [];
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'Home', 'End']) {
      await page.keyboard.press(key);
      reached.push(await selected());
    }
    expect(reached).toEqual(['target', 'offer', 'target', 'offer', 'target']);
    expect(await view.locator('[role=tab]:focus').textContent()).toBe('target');
    expect(await view.locator('[role=tab][tabindex="0"]').count()).toBe(1);
    expect(await view.locator('tbody tr').count()).toBe(25);
  });
});

describe('a chart of a table', () => {
  test('has a bar for each row, as long as its value, losses on the other side of zero', async () => {
    const { view } = await showTables();
    expect(await view.getByRole('combobox', { name: 'Chart of' }).inputValue()).toBe('Profit');
    const bars = await view
      .locator('svg .bar')
      .evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect()));
    const [best, , , worst] = bars;
    if (!best || !worst) throw new Error('Bars are missing.');
    expect(bars.map((bar) => bar.width / best.width)).toEqual(
      [812.25, 20, -120.4, -310].map((value) => expect.closeTo(Math.abs(value) / 812.25, 1)),
    );
    expect(worst.right).toBeCloseTo(best.left, 0);
    expect(await view.locator('svg .negative').count()).toBe(2);
  });

  test('draws the measure that is chosen, never an ID, and says all of it in words', async () => {
    const { view } = await showTables();
    const select = view.getByRole('combobox');
    expect(await select.locator('option').allTextContents()).not.toContain('Offer ID');
    await select.selectOption('Views');
    expect(await chart(view).getAttribute('aria-label')).toBe(
      `Views by Offer Name. Solar quotes: 4,210; ${hostileName}: 3,904; Roof check: 950; (empty): 401`,
    );
    expect(await view.locator('svg .value').allTextContents()).toEqual(['4,210', '3,904', '950', '401']);
  });

  test('shows the 15 largest of many rows, and cuts labels that have no room', async () => {
    const { view } = await showTables();
    await view.getByRole('tab', { name: 'target' }).click();
    await chart(view).waitFor();
    expect(await view.locator('svg .bar').count()).toBe(15);
    expect(await view.locator('figcaption').textContent()).toContain('the 15 largest of 25 rows shown');
    const label = view.locator('svg .label').first();
    expect(await label.textContent()).toMatch(/^keyword 25 that.*…$/);
    expect(await view.locator('svg .row title').first().textContent()).toContain('has room to print it');
  });
});

describe('a comparison of pages', () => {
  test('draws each page in its interval and its recommended share beside the present one', async () => {
    const { view, result } = await show();
    await view.getByText('Waiting for the tracker').waitFor();
    await result(pages);
    await view.getByRole('heading', { name: pagesResult.decision.text }).waitFor();
    const earnings = view.getByRole('img', { name: /^Earnings per view/ });
    expect(await earnings.getAttribute('aria-label')).toContain('Solar quotes: $0.5887 ($0.4921 to $0.6903)');
    const dots = await earnings
      .locator('.dot')
      .evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect()));
    const lines = await earnings
      .locator('.interval')
      .evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect()));
    expect(dots.length).toBe(2);
    dots.forEach((dot, index) => {
      expect(lines[index]?.left).toBeLessThan(dot.left);
      expect(lines[index]?.right).toBeGreaterThan(dot.right);
    });
    const shares = view.getByRole('img', { name: /^Recommended share/ });
    expect(await shares.locator('.bar').count()).toBe(2);
    expect(await shares.locator('.reference').count()).toBe(2);
  });

  test('lists the calls that would set the shares, and offers nothing that makes them', async () => {
    const { view, result } = await show();
    await result(pages);
    const calls = view.locator('.calls li');
    await calls.first().waitFor();
    expect(await calls.allTextContents()).toEqual([
      'edit_campaign_page {"campaign_id":4,"page_id":12,"share":90}',
      'edit_campaign_page {"campaign_id":4,"page_id":7,"share":10}',
    ]);
    const buttons = await view.getByRole('button').allTextContents();
    expect(buttons).toEqual(await view.getByRole('columnheader').allTextContents());
  });

  test('marks the present shares by their part of all, and calls nothing money where no page has revenue', async () => {
    const { view, result } = await show();
    const shares = [300, 100];
    const unpaid = pagesResult.pages.map((page, index) => ({ ...page, share: shares[index] ?? null, revenue: 0 }));
    const decision = { ...pagesResult.decision, basis: 'conversions' };
    await result({ structuredContent: { ...pagesResult, decision, pages: unpaid } });
    const shown = view.getByRole('img', { name: /^Recommended share/ });
    expect(await shown.getAttribute('aria-label')).toContain('Solar quotes: 90%, now 75%');
    await view.getByRole('img', { name: /^Conversions per view. Solar quotes: 2.82%/ }).waitFor();
    expect(await view.locator('main').textContent()).not.toContain('$');
  });

  test('recommends no shares where it is too early for a verdict', async () => {
    const { view, result } = await show();
    const decision = { ...pagesResult.decision, verdict: 'too early' };
    await result({ structuredContent: { ...pagesResult, decision, calls: [] } });
    await view.getByRole('img', { name: /^Earnings per view/ }).waitFor();
    expect(await view.getByRole('img', { name: /^Recommended share/ }).count()).toBe(0);
    expect(await view.getByRole('columnheader', { name: 'Recommended share' }).count()).toBe(0);
  });

  test('without present shares shows the recommended ones alone', async () => {
    const { view, result } = await show();
    const unknown = pagesResult.pages.map((page) => ({ ...page, share: null }));
    await result({ structuredContent: { ...pagesResult, pages: unknown, calls: [] } });
    const shown = view.getByRole('img', { name: /^Recommended share/ });
    await shown.waitFor();
    expect(await shown.locator('.bar').count()).toBe(2);
    expect(await shown.locator('.reference').count()).toBe(0);
    expect(await view.locator('.calls').count()).toBe(0);
  });
});
