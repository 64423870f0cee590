import { describe, expect, test } from 'vitest';
import { daysResult, hostileName, oneTable, profits, resultOf } from './results.ts';
import { boxesOf, chart, columnTexts, days, overview, showResult, showTables } from './show-view.ts';

describe('a chart of a table', () => {
  test('has a bar per row, as long as its value, with losses on the other side of zero', async () => {
    const { view } = await showTables();
    expect(await view.getByRole('combobox', { name: 'Chart of' }).inputValue()).toBe('Profit');
    const bars = await boxesOf(view.locator('svg .bar'));
    const [best, , , worst] = bars;
    if (!best || !worst) throw new Error('Bars are missing.');
    expect(bars.map((bar) => bar.width / best.width)).toEqual(
      [812.25, 20, -120.4, -310].map((value) => expect.closeTo(Math.abs(value) / 812.25, 1)),
    );
    expect(worst.right).toBeCloseTo(best.left, 0);
    expect(await view.locator('svg .negative').count()).toBe(2);
  });

  test('draws the chosen measure, and describes it in words', async () => {
    const { view } = await showTables();
    const select = view.getByRole('combobox');
    await select.selectOption('Views');
    expect(await chart(view).getAttribute('aria-label')).toBe(
      `Views by offer name. Solar quotes: 4,210; ${hostileName}: 3,904; Roof check: 950; (empty): 401`,
    );
    expect(await view.locator('figure .value').allTextContents()).toEqual(['4,210', '3,904', '950', '401']);
  });

  test('shows the largest gains and the largest losses, and the size of the gap', async () => {
    const values = Array.from({ length: 40 }, (_, index) => index - 10);
    const nameOf = (value: number) => `page ${value}`;
    const { view } = await showResult(profits(values.map(nameOf), values));
    await chart(view).waitFor();
    const shown = [29, 28, 27, 26, 25, 24, 23, 22, -4, -5, -6, -7, -8, -9, -10];
    expect(await view.locator('figure .label').allTextContents()).toEqual(shown.map(nameOf));
    const caption = 'the 8 largest gains and the 7 largest losses of 40';
    expect(await view.locator('figcaption').textContent()).toContain(caption);
    expect(await view.locator('figure .between').textContent()).toBe('… 25 more between');
  });

  test('shows only the largest if there are no losses', async () => {
    const { view } = await showTables();
    await view.getByRole('tab', { name: 'Targets' }).click();
    await chart(view).waitFor();
    expect(await view.locator('svg .bar').count()).toBe(15);
    expect(await view.locator('figcaption').textContent()).toContain('the 15 largest of 25');
    expect(await view.locator('figure .between').count()).toBe(0);
  });

  test.for([400, 700, 1000])('wraps long names and cuts none, at %i px', async (width) => {
    const middle = 'the same words in every one of these names, which are many';
    const names = ['summer', 'winter'].map((season) => `Shoes of ${season} with ${middle}, in red, size 42 and up`);
    const given = profits([...names, 'W'.repeat(60), 'حملة التأمين الصيفية', 'Boots'], [6, 5, 4, 3, 2]);
    const { view } = await showResult(given, {}, { viewport: { width, height: 600 } });
    const labels = view.locator('figure .label');
    await labels.first().waitFor();
    expect(await labels.allTextContents()).toEqual([...names, 'W'.repeat(60), 'حملة التأمين الصيفية', 'Boots']);
    const boxes = await boxesOf(labels);
    const plots = await boxesOf(view.locator('.row .plot'));
    boxes.forEach((box, index) => {
      const plot = plots[index];
      expect(box.right <= (plot?.left ?? 0) || box.bottom <= (plot?.top ?? 0) + 1).toBe(true);
      expect(box.left).toBe(boxes[0]?.left);
    });
  });

  test('has only 0 on its axis if all values are 0', async () => {
    const { view } = await showResult(profits(['Gym', 'Yoga'], [0, 0]));
    await chart(view).waitFor();
    expect(await view.locator('.ticks span').allTextContents()).toEqual(['0']);
  });

  test('adds the ID to rows with the same name', async () => {
    const rows = [
      [3, 'Gym', 5],
      [4, 'Gym', 3],
    ];
    const { view } = await showResult(oneTable({ columns: ['PageID', 'Name', 'Profit'], rows, total_rows: 2 }));
    await chart(view).waitFor();
    expect(await view.locator('figure .label').allTextContents()).toEqual(['Gym · 3', 'Gym · 4']);
  });

  test('leaves out a total that the tracker lists as a row', async () => {
    const { view } = await showResult(profits(['Gym', 'Yoga', 'Total'], [5, 3, 8]));
    await chart(view).waitFor();
    expect(await view.locator('figure .label').allTextContents()).toEqual(['Gym', 'Yoga']);
  });

  test('offers only measures: no ID, share, level, path or flag', async () => {
    const more = ['Level', 'Path', 'Share', 'Inactive', 'Views', 'Score', 'CTR', 'Payout', 'Custom'];
    const columns = ['PageID', 'Name', ...more];
    const row = (id: number) => [id, `Page ${id}`, 1, 2, 50, 0, 10, 3, 4.5, 12.5, 7];
    const facts = { units: { Payout: '$' }, totals: { Views: 20, Custom: 14 } };
    const { view } = await showResult(oneTable({ columns, rows: [row(1), row(2)], total_rows: 2, ...facts }));
    const options = view.getByRole('combobox').locator('option');
    expect(await options.allTextContents()).toEqual(['Views', 'CTR', 'Payout', 'Custom']);
  });
});

describe('an overview', () => {
  test('draws the profit of each campaign, the former profit and the change', async () => {
    const { view } = await showResult(overview);
    const drawn = view.getByRole('img', { name: /^Profit by campaign/ });
    expect(await drawn.getAttribute('aria-label')).toBe(
      'Profit by campaign. Home fitness, search: 200.00, before 150.00, +50.00; Not launched: 0.00, before 0.00, no change; Credit score, native: −60.00, before −40.00, −20.00',
    );
    expect(await drawn.locator('.reference').count()).toBe(3);
    expect(await drawn.locator('.change.gain').allTextContents()).toEqual(['+50.00']);
    expect(await drawn.locator('.change.loss').allTextContents()).toEqual(['−20.00']);
    const offered = await view.getByRole('combobox').locator('option').allTextContents();
    expect(offered).toEqual(['Profit', 'Revenue', 'Cost']);
  });

  test('starts with the totals and their changes', async () => {
    const { view } = await showResult(overview);
    await view.getByRole('heading', { level: 1, name: 'All campaigns' }).waitFor();
    expect(await view.locator('.about').textContent()).toBe('16 – 22 Nov 2026 (UTC)against 9 – 15 Nov 2026');
    expect(await view.locator('.tiles > div').allTextContents()).toEqual([
      'Profit140.00+30.00before 110.00',
      'Revenue320.00',
      'Cost180.00+5.9%before 170.00',
    ]);
  });
});

test('the ROI before is that of the totals before, and changes by points', async () => {
  const columns = ['Name', 'Cost', 'Profit', 'ROI'];
  const rows = [
    ['Gym', 80, 40, 50],
    ['Yoga', 20, 10, 50],
  ];
  const totals = { Cost: 100, Profit: 50, ROI: 50, 'Cost before': 200, 'Profit before': 150 };
  const { view } = await showResult(oneTable({ columns, rows, total_rows: 2, totals, units: { ROI: '%' } }));
  await chart(view).waitFor();
  expect(await view.locator('.tiles > div').last().textContent()).toBe('ROI50%−25.0 pointsbefore 75%');
});

test('the comparison has a remark if the last day of the period is not over', async () => {
  const _meta = { ...overview._meta, 'tracker-mcp/open-day': { day: '2026-11-22', isSure: true } };
  const { view } = await showResult({ ...overview, _meta });
  await chart(view).waitFor();
  expect(await view.locator('.about span').allTextContents()).toEqual([
    expect.stringMatching(/^16.+22 Nov 2026/),
    'against 9 – 15 Nov 2026',
    '22 Nov is not over, and is set against a whole day',
  ]);
});

describe('a breakdown by day', () => {
  test('is a line in the order of the days, interrupted at missing days', async () => {
    const { view } = await showResult(resultOf(daysResult));
    const drawn = view.getByRole('img', { name: /^Profit by day/ });
    expect(await drawn.getAttribute('aria-label')).toBe(
      'Profit by day. 18 Nov: 50.00; 19 Nov: 80.00; 21 Nov: −20.00; 22 Nov: 10.00',
    );
    const dots = await boxesOf(drawn.locator('.dot'));
    const lines = await boxesOf(drawn.locator('.line'));
    const centre = ({ left, right }: DOMRect) => (left + right) / 2;
    expect(lines.map(({ left }) => left)).toEqual([0, 2].map((at) => expect.closeTo(centre(dots[at] as DOMRect), 0)));
    expect(lines.map(({ right }) => right)).toEqual([1, 3].map((at) => expect.closeTo(centre(dots[at] as DOMRect), 0)));
    await view.getByRole('combobox').selectOption('CTR');
    await view.getByRole('img', { name: /^CTR by day\. 18 Nov: 10\.00%/ }).waitFor();
  });

  test('also draws the days before, if the server sent them', async () => {
    const { view } = await showResult(days);
    const drawn = view.getByRole('img', { name: /^Profit by day/ });
    expect(await drawn.getAttribute('aria-label')).toBe(
      'Profit by day. 18 Nov: 50.00 (before: 40.00); 19 Nov: 80.00 (before: 60.00); 21 Nov: −20.00; 22 Nov: 10.00',
    );
    expect(await drawn.locator('.line.former').count()).toBe(1);
    await view.getByText('the period before').waitFor();
  });

  test('draws a day that is not over hollow, with a broken line to it', async () => {
    const _meta = { 'tracker-mcp/open-day': { day: '2026-11-22', isSure: true } };
    const { view } = await showResult({ ...days, _meta });
    const drawn = view.getByRole('img', { name: /22 Nov, not over: 10\.00$/ });
    expect(await drawn.locator('.dot').count()).toBe(4);
    expect(await drawn.locator('.hollow').count()).toBe(1);
    const fills = await drawn.locator('.dot').evaluateAll((dots) => dots.map((dot) => getComputedStyle(dot).fill));
    expect(fills[3]).not.toBe(fills[2]);
    expect(await drawn.locator('.line.open').evaluate((node) => getComputedStyle(node).strokeDasharray)).not.toBe(
      'none',
    );
    await view.getByText('22 Nov is not over').waitFor();
  });

  test('has an axis with the currency, from 0', async () => {
    const table = { name: 'breakdown', columns: ['Day', 'Profit'], total_rows: 2, units: { Profit: 'USD' } };
    const rows = [
      ['2026-11-21', 4100],
      ['2026-11-22', 5200],
    ];
    const { view } = await showResult(oneTable({ ...table, rows }));
    await chart(view).waitFor();
    const ticks = await view.locator('.values span').allTextContents();
    expect(ticks).toEqual(['$0', '$2,000', '$4,000']);
  });

  test('by hour is drawn as columns, and by two dimensions as bars that name both', async () => {
    const breakdown = (columns: string[], by: string[], ...rows: (string | number)[][]) =>
      oneTable({ name: 'breakdown', columns, rows, total_rows: rows.length }, { by });
    const { view, result } = await showResult(breakdown(['Hour', 'Views'], ['hour'], ['09', 4], ['10', 6]));
    const drawn = view.getByRole('img', { name: 'Views by hour. 09:00: 4; 10:00: 6' });
    expect(await drawn.locator('.bar').count()).toBe(2);
    expect(await columnTexts(view, 1)).toEqual(['09:00', '10:00']);
    const columns = ['Hour', 'Device', 'Views'];
    await result(breakdown(columns, ['hour', 'device'], ['09', 'Mobile', 4], ['09', 'Tablet', 6]));
    await view.getByRole('img', { name: 'Views by hour and device. 09:00 · Tablet: 6; 09:00 · Mobile: 4' }).waitFor();
  });
});
