import type { FrameLocator, Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hostileName, oneTable, overviewResult, profits, resultOf, tablesResult } from './results.ts';
import { chart, columnTexts, focus, overview, pages, phone, showResult, showTables } from './show-view.ts';

function header(view: FrameLocator, name: string): Locator {
  return view.getByRole('columnheader', { name, exact: true });
}

const [offerTable, targetTable] = tablesResult.tables;
if (!offerTable || !targetTable) throw new Error('There are two tables.');

describe('a table', () => {
  test('shows every cell, with units, and the totals of all rows', async () => {
    const { view } = await showTables();
    const cells = ['Solar quotes', '$812.25', '$2,478.50', '118', '4,210', '$0.589', '11.84%', '12'];
    expect(await view.locator('tbody tr').first().locator('td, th').allTextContents()).toEqual(cells);
    const totals = (await view.locator('tfoot tr > *').allTextContents()).filter((text) => text !== '');
    expect(totals).toEqual(['Total', '$401.85', '$4,619.75', '222', '9,465']);
    expect(await view.locator('.extent').textContent()).toBe('All 4 rows. Empty columns are left out: Notes.');
  });

  test('names the range of its rows if there are more', async () => {
    const { view } = await showTables();
    await view.getByRole('tab', { name: 'Targets' }).click();
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
    expect(await view.getByRole('status').textContent()).toBe('Offers: sorted by Conversions, ascending');
  });

  test('sorts texts ascending, and marks only the sorted column', async () => {
    const { view } = await showTables();
    await header(view, 'Views').getByRole('button').click();
    await header(view, 'Offer Name').getByRole('button').click();
    const [first, ...others] = await columnTexts(view, 1);
    expect(first).toContain(hostileName);
    expect(others).toEqual(['Roof check', 'Solar quotes', '(empty)']);
    expect(await view.locator('[aria-sort]').count()).toBe(1);
  });

  test('sorts by keyboard, and keeps the focus', async () => {
    const { page, view } = await showTables();
    await focus(view.getByRole('combobox'));
    // The table's region, then the headers from the left: Offer Name, Profit, Revenue, Conversions, Views.
    for (let press = 0; press < 6; press++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await columnTexts(view, 5)).toEqual(['4,210', '3,904', '950', '401']);
    await page.keyboard.press('Space');
    expect(await columnTexts(view, 5)).toEqual(['401', '950', '3,904', '4,210']);
    const focused = view.locator('button:focus-visible');
    expect(await focused.textContent()).toBe('Views');
    expect(await focused.evaluate((button) => getComputedStyle(button).outlineStyle)).toBe('solid');
  });
});

test('tabs move by the arrow keys, Home and End, and only the selected one is in the tab order', async () => {
  const { page, view } = await showTables();
  const selected = () => view.getByRole('tab', { selected: true }).textContent();
  await focus(view.getByRole('tab', { name: 'Offers' }));
  const reached: (string | null)[] = [];
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'Home', 'End']) {
    await page.keyboard.press(key);
    reached.push(await selected());
  }
  expect(reached).toEqual(['Targets', 'Offers', 'Targets', 'Offers', 'Targets']);
  expect(await view.locator('[role=tab]:focus').textContent()).toBe('Targets');
  expect(await view.locator('[role=tab][tabindex="0"]').count()).toBe(1);
  expect(await view.locator('tbody tr').count()).toBe(20);
});

test.for([
  [{}, ['Gym', '1,234.50', '0.250', '4.5%']],
  [{ Revenue: '$', EPV: '$' }, ['Gym', '$1,234.50', '$0.250', '4.5%']],
  [{ Revenue: 'EUR', EPV: 'EUR' }, ['Gym', '€1,234.50', '€0.250', '4.5%']],
  [{ Revenue: 'CHF', EPV: 'CHF' }, ['Gym', 'CHF\u00a01,234.50', 'CHF\u00a00.250', '4.5%']],
] as const)('money has the units of the table: %j', async ([units, expected]) => {
  const columns = ['Name', 'Revenue', 'EPV', 'CTR'];
  const { view } = await showResult(oneTable({ columns, rows: [['Gym', 1234.5, 0.25, 4.5]], total_rows: 1, units }));
  await view.getByRole('table').waitFor();
  expect(await view.locator('tbody tr > *').allTextContents()).toEqual(expected);
});

test('amounts have no cents from 10,000, and amounts per view have three digits', async () => {
  const rows = [
    ['Gym', 1_243_480.5, 0.0623],
    ['Yoga', -9_999.5, 0.00049],
  ];
  const units = { Profit: '$', EPV: '$' };
  const totals = { Profit: 1_233_481 };
  const columns = ['Name', 'Profit', 'EPV'];
  const { view } = await showResult(oneTable({ columns, rows, total_rows: 2, units, totals }));
  await view.getByRole('table').waitFor();
  expect(await columnTexts(view, 2)).toEqual(['$1,243,481', '−$9,999.50']);
  expect(await columnTexts(view, 3)).toEqual(['$0.0623', '$0.0005']);
  expect(await view.locator('tfoot .number').allTextContents()).toEqual(['$1,233,481']);
});

describe('a wide table', () => {
  test('has one line of headings', async () => {
    const { view } = await showResult(pages);
    const heads = view.locator('thead button');
    await heads.first().waitFor();
    const heights = await heads.evaluateAll((nodes) => nodes.map((node) => node.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(40);
  });

  test('keeps its first column visible while it scrolls, with a shadow at the side that continues', async () => {
    const { view } = await showResult(overview, {}, phone);
    const frame = view.locator('.frame');
    const name = view.locator('tbody th').first();
    await view.getByRole('button', { name: 'All 9 columns' }).click();
    await expect.poll(() => frame.getAttribute('data-more-right')).toBe('');
    const shade = () => frame.evaluate((node) => getComputedStyle(node, '::after').opacity);
    await expect.poll(shade).toBe('1');
    const before = await name.boundingBox();
    await view.getByRole('region').evaluate((node) => node.scrollTo({ left: node.scrollWidth }));
    await expect.poll(() => frame.getAttribute('data-more-left')).toBe('');
    expect((await name.boundingBox())?.x).toBe(before?.x);
    await expect.poll(() => frame.getAttribute('data-more-right')).toBeNull();
    await expect.poll(shade).toBe('0');
  });

  test('breaks names between words, and only words that are longer than the column', async () => {
    const long = `https://example.com/${'path'.repeat(20)}`;
    const { view } = await showResult(profits(['Extraordinarily comprehensive supplements', long], [5, 3]), {}, phone);
    const names = view.locator('tbody th bdi');
    await names.first().waitFor();
    const linesOfWords = await names.first().evaluate(({ firstChild: text }) =>
      [...(text?.textContent ?? '').matchAll(/\S+/g)].map(({ index, 0: word }) => {
        const range = document.createRange();
        if (text) range.setStart(text, index);
        if (text) range.setEnd(text, index + word.length);
        return range.getClientRects().length;
      }),
    );
    expect(linesOfWords).toEqual([1, 1, 1]);
    expect(await names.allTextContents()).toEqual(['Extraordinarily comprehensive supplements', long]);
  });
});

/** An overview of the embedded tracker's columns, with the names of a real account. */
function account(count: number) {
  const names = ['Language course, not launched', 'Travel insurance, displays', 'VPN, push', 'Home fitness, search'];
  const figures = ['Views', 'Clicks', 'Conversions', 'Cost', 'Revenue', 'Profit', 'EPV', 'ROI', 'CPA', 'Pending'];
  const earlier = ['Views', 'Conversions', 'Cost', 'Revenue', 'Profit'].map((name) => `${name} before`);
  const columns = [
    'ID',
    'Name',
    'Traffic source',
    'Active',
    ...figures,
    ...earlier,
    'Revenue change %',
    'Profit change',
  ];
  const rows = Array.from({ length: count }, (_, index) => [
    ...[index, `${names[index % 4]}${index < 4 ? '' : ` ${index}`}`, 'Lighthouse Search Ads', 'yes'],
    ...[4478, 1900, 84, 1724.07, 2246, 521.93 - ((index * 37) % 100) * 10, 0.5, 30.27, 20.5, 950],
    ...[4478, 118, 1710.39, 2990, 1279.61, -24.9, -757.68],
  ]);
  const money = ['Cost', 'Revenue', 'Profit', 'EPV', 'CPA', 'Pending', 'Cost before', 'Revenue before'];
  const units = Object.fromEntries([...money, 'Profit before', 'Profit change'].map((name) => [name, 'USD']));
  return oneTable({ name: 'campaigns', columns, rows, total_rows: count, units: { ...units, ROI: '%' } });
}

describe('the table of an account at 1,000 px', () => {
  const desk = { viewport: { width: 1000, height: 900 } };
  const heads = (view: FrameLocator) => view.locator('thead th:visible').allTextContents();

  test('is whole: profit, before it, its change and ROI are in the frame, with names in one line', async () => {
    const { view } = await showResult(account(10), {}, desk);
    await chart(view).waitFor();
    const scroller = view.getByRole('region');
    await expect.poll(() => scroller.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    const shown = ['Name', 'Profit', 'Profit before', 'Profit change', 'Revenue', 'Cost', 'ROI', 'Conversions'];
    expect(await heads(view)).toEqual(shown);
    const heights = await view.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(40);
  });

  test('has the other columns by choice, each beside its period before, and is narrow again', async () => {
    const { view } = await showResult(account(10), {}, desk);
    await view.getByRole('button', { name: 'All 21 columns' }).click();
    const all = await heads(view);
    expect(all).toHaveLength(21);
    expect(all.slice(4, 7)).toEqual(['Revenue', 'Revenue before', 'Revenue change %']);
    await view.getByRole('button', { name: 'Fewer columns' }).click();
    expect(await heads(view)).toHaveLength(8);
  });

  test('is in the order of its chart, and an arrow says so', async () => {
    const { view } = await showResult(account(10), {}, desk);
    const labels = view.locator('figure .label');
    await labels.first().waitFor();
    expect(await columnTexts(view, 1)).toEqual(await labels.allTextContents());
    expect(await header(view, 'Profit').getAttribute('aria-sort')).toBe('descending');
    const arrow = await header(view, 'Profit')
      .locator('.mark')
      .evaluate((node) => getComputedStyle(node, '::before'));
    expect(arrow.content).toBe('"↓"');
    await view.getByRole('combobox').selectOption('Pending');
    expect(await header(view, 'Pending').getAttribute('aria-sort')).toBe('descending');
    expect(await heads(view)).toContain('Pending');
  });

  test('shows 60 campaigns in a page that scrolls as one, and finds some of them', async () => {
    const { view } = await showResult(account(60), {}, desk);
    const rows = view.locator('tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(20);
    await view.getByRole('button', { name: 'Show all 60 rows' }).click();
    expect(await rows.count()).toBe(60);
    const boxes = view.locator('main *');
    const scrolling = await boxes.evaluateAll(
      (nodes) =>
        nodes.filter((n) => n.scrollHeight > n.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(n).overflowY))
          .length,
    );
    expect(scrolling).toBe(0);
    await view.getByRole('searchbox').fill('vpn');
    expect(new Set((await columnTexts(view, 1)).map((name) => name.slice(0, 9)))).toEqual(new Set(['VPN, push']));
    expect(await rows.count()).toBe(15);
  });
});

test('tabs of reports start with a report that has rows', async () => {
  const none = { ...offerTable, name: 'thankyou', columns: [], rows: [], total_rows: 0, totals: {} };
  const { view } = await showResult({
    structuredContent: { ...tablesResult, tables: [none, offerTable, targetTable] },
  });
  await chart(view).waitFor();
  expect(await view.getByRole('tab').allTextContents()).toEqual(['Offers', 'Targets', 'Thank-you pages']);
  expect(await view.getByRole('tab', { selected: true }).textContent()).toBe('Offers');
  await view.getByRole('tab', { name: 'Thank-you pages' }).click();
  await view.getByText('No rows in these days.').waitFor();
});

describe('the campaign', () => {
  test('has the name that the server sends in _meta', async () => {
    const { view } = await showResult({
      structuredContent: { ...tablesResult },
      _meta: { 'tracker-mcp/campaign': 'Home fitness' },
    });
    await view.getByRole('heading', { level: 1, name: 'Home fitness', exact: true }).waitFor();
  });

  test('has the name in its report, or else its ID', async () => {
    const campaign = { ...offerTable, name: 'campaign', columns: ['ID', 'Name', 'Views'], rows: [[4, 'Solar', 9]] };
    const { view, result } = await showResult(resultOf({ ...tablesResult, tables: [campaign] }));
    await view.getByRole('heading', { level: 1, name: 'Solar' }).waitFor();
    await result(resultOf(tablesResult));
    await view.getByRole('heading', { level: 1, name: 'Campaign 4' }).waitFor();
  });
});

test('text for the model is under Details, and remarks for people are above', async () => {
  const { view } = await showResult(overview);
  await view.getByText('Details').waitFor();
  expect(await view.locator('.remarks li').allTextContents()).toEqual([
    'Before: 2026-11-09 to 2026-11-15.',
    'There was no time to read 1 of 4 campaigns, which are in no total. Call again: past days serve for 10 minutes.',
  ]);
  const folded = view.locator('details.details');
  const seen = await view.locator('main').evaluate(visibleText);
  expect(seen).not.toMatch(/query_report|instructions|campaign_ids|sort_by/);
  await view.getByText('Details').click();
  for (const notice of overviewResult.notices) expect(await folded.getByText(notice).isVisible()).toBe(true);
});

/** The visible text. Runs in the page. */
function visibleText(root: HTMLElement): string {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const seen: string[] = [];
  while (texts.nextNode()) {
    if (texts.currentNode.parentElement?.checkVisibility()) seen.push(texts.currentNode.nodeValue ?? '');
  }
  return seen.join(' ');
}
