import { describe, expect, it } from 'vitest';
import { readNumbers } from '../../../src/analysis/columns/columns.ts';
import { isAdditive, measureOf } from '../../../src/analysis/columns/measures.ts';
import { findTotal, totalsOf } from '../../../src/analysis/columns/totals.ts';
import { Table } from '../../../src/api/table.ts';

/** The totals of a table given as text, a line per row. */
function totals(heading: string, ...lines: string[]): Record<string, number> {
  const columns = heading.split(' ');
  const rows = lines.map((line) => line.split(' ').map((cell) => (cell === '-' ? null : cell)));
  const table = Table.fromRows('report', columns, rows);
  const named = columns.flatMap((name, index) => {
    const numbers = readNumbers(table, index);
    return numbers ? [{ name, numbers }] : [];
  });
  return Object.fromEntries(totalsOf(named));
}

describe('totals', () => {
  it('are sums of what adds up', () => {
    const heading = 'CampaignID Views Payout Share Level Cost';
    expect(totals(heading, '1 10 5.00 50 1 0.10', '2 30 7.00 50 2 0.25')).toEqual({ Views: 40, Cost: 0.35 });
  });

  it('are exact to the digits that the tracker shows', () => {
    expect(totals('Cost', ...Array.from({ length: 1000 }, () => '0.10'))).toEqual({ Cost: 100 });
    expect(totals('Revenue', '$1,000.10', '$0.20', '-$0.30')).toEqual({ Revenue: 1000 });
    expect(totals('Views', '-', '-', '7')).toEqual({ Views: 7 });
  });

  it('recompute every ratio from the sums of its parts', () => {
    const heading = 'Views Clicks Subscribers Conversions Cost Revenue Profit CTR CR CPV CPC EPV EPC PPV ROI CPA CPSUB';
    const first = '100 50 20 5 10.00 40.00 30.00 50.00% 10.00% 0.1 0.2 0.4 0.8 0.3 300.00% 2 0.5';
    const second = '300 30 10 3 30.00 10.00 -20.00 10.00% 10.00% 0.1 1 0.0333 0.3333 -0.0667 -66.67% 10 3';
    expect(totals(heading, first, second)).toEqual({
      ...{ Views: 400, Clicks: 80, Subscribers: 30, Conversions: 8, Cost: 40, Revenue: 50, Profit: 10 },
      ...{ CTR: 20, CR: 10, CPV: 0.1, CPC: 0.5, EPV: 0.125, EPC: 0.625, PPV: 0.025, ROI: 25, CPA: 5, CPSUB: 1.33 },
    });
  });

  it('recompute a ratio over rows where an empty part is nothing', () => {
    expect(totals('Cost Revenue ROI', '10 20 100', '10 - -100')).toEqual({ Cost: 20, Revenue: 20, ROI: 0 });
  });

  it.each([
    ['a ratio without its parts', 'Views CTR EPV', ['100 50% 0.4', '300 10% 0.1'], { Views: 400 }],
    ['a ratio over 0', 'Views Clicks CTR', ['0 0 0', '0 0 0'], { Views: 0, Clicks: 0 }],
    ['a percentage with the name of a count', 'Views Conversions', ['100 5%', '300 1%'], { Views: 400 }],
    [
      'a ratio whose parts are not of the same rows',
      'Cost Revenue ROI',
      ['10 20 100', '- 1000 -'],
      { Cost: 10, Revenue: 1020 },
    ],
  ])('leave out %s', (_, heading, lines, expected) => {
    expect(totals(heading, ...lines)).toEqual(expected);
  });

  it('leave out a ratio that the tracker computes by a different formula', () => {
    // Conversions per view, not per click.
    expect(totals('Views Clicks Conversions CR', '100 50 5 5.00%', '300 30 3 1.00%')).not.toHaveProperty('CR');
    // A fraction, not a percentage.
    expect(totals('Views Clicks CTR', '100 50 0.50', '300 30 0.10')).not.toHaveProperty('CTR');
  });

  it('of one row have its own ratios, as the tracker rounded them', () => {
    expect(totals('Cost Conversions CPA', '1401.60 62 22.6066')).toMatchObject({ CPA: 22.6066 });
    expect(totals('Cost Conversions CPA', '1401.60 62 22.6066', '0.00 0 0')).toMatchObject({ CPA: 22.6065 });
  });

  it('keep the order of the columns', () => {
    expect(Object.keys(totals('CTR Clicks Views', '50% 50 100', '10% 30 300'))).toEqual(['CTR', 'Clicks', 'Views']);
  });
});

describe('a column’s name', () => {
  it.each([
    ['Views', 'views'],
    ['LP Clicks', 'clicks'],
    ['landing_page_clicks', 'clicks'],
    ['Rev', 'revenue'],
    ['P/L', 'profit'],
    ['ROI %', 'roi'],
    ['ROI (%)', 'roi'],
    ['CTR %', 'ctr'],
    ['Conv. Rate', 'cr'],
    ['Ad Spend', 'cost'],
  ])('%s means %s', (name, measure) => {
    expect(measureOf(name)).toBe(measure);
  });

  const partsOfWholes =
    'Conv %,Rev %,Profit %,Clicks %,Revenue (%),Click Rate,Revenue Share,Conversions pct,Views Percent';
  const noMeasures = ['', ...'Click ClickID Visit Payout Bid ID Offer Viewsource'.split(' ')];
  it.each([...partsOfWholes.split(','), ...noMeasures])('%s means no measure with a total', (name) => {
    expect(measureOf(name)).toBeUndefined();
  });
});

it('counts and money add up, ratios do not', () => {
  expect((['views', 'profit', 'ctr', 'roi'] as const).map(isAdditive)).toEqual([true, true, false, false]);
});

/** Finds the total in a table given as text: a line per row, cells separated by |, `~` is empty. */
function find(heading: string, ...lines: string[]) {
  const rows = lines.map((line) => line.split('|').map((cell) => (cell === '~' ? null : cell)));
  return findTotal(Table.fromRows('offer', heading.split('|'), rows));
}

describe('a row is the total of the tracker', () => {
  const names = ['Total', 'totals', 'TOTAL:', 'Grand Total', 'Sum', 'All', 'Overall', 'Summary', 'Total (2)'];
  it.each(names)('called %s if it is the sum of the others', (name) => {
    expect(find('Name|Views', 'A|10', 'B|20', `${name}|30`)).toEqual({ index: 2, name });
    expect(find('Name|Views', `${name}|30`, 'A|10', 'B|20')).toEqual({ index: 0, name });
  });

  it('if its other cells are blank or ratios, which do not add up', () => {
    expect(find('ID|Name|Status|Views|CTR', '1|A|on|10|5.0%', '2|B|off|20|8.0%', '~|Total|-|30|7.0%')?.index).toBe(2);
  });

  it('without any text, if it is the sum of many by no chance', () => {
    const keywords = ['red|200|80|30.50', 'blue|90|20|11.20', 'green|7|1|0.90'];
    const heading = 'Keyword|Views|Clicks|Cost';
    expect(find(heading, ...keywords, '~|297|101|42.60')).toEqual({ index: 3, name: '' });
    expect(find(heading, '~|297|101|42.60', ...keywords)).toEqual({ index: 0, name: '' });
    for (const row of ['~|296|101|42.60', '~|297|101|41.60']) expect(find(heading, ...keywords, row)).toBeUndefined();
    expect(find(heading, 'red|3|1|0.30', 'blue|2|0|0.20', 'green|1|0|0.10', '~|6|1|0.60')).toBeUndefined();
    expect(find(heading, 'red|200|80|30.50', '~|200|80|30.50')).toBeUndefined();
  });

  it('up to the rounding of money, but not of counts', () => {
    expect(find('Name|Views|Cost', 'A|10|0.33', 'B|20|0.33', 'C|1|0.33', 'Total|31|1.00')?.index).toBe(3);
    expect(find('Name|Views|Cost', 'A|10|0.33', 'B|20|0.33', 'C|1|0.33', 'Total|32|1.00')).toBeUndefined();
  });
});

describe('a row is not a total', () => {
  it.each<[string, string[]]>([
    ['if it is a campaign called Total with other sums', ['A|10|1', 'B|20|2', 'Total|30|4']],
    ['if it is neither the first nor the last', ['A|10|1', 'Total|30|3', 'B|20|2']],
    ['if its name has more words', ['A|10|1', 'B|20|2', 'Total Gym|30|3']],
    ['without a name, like visitors without a keyword', ['A|10|1', 'B|20|2', '~|30|3']],
    ['if all is 0', ['A|0|0', 'Total|0|0']],
    ['if it is the only row', ['Total|30|3']],
  ])('%s', (_, rows) => {
    expect(find('Name|Views|Conversions', ...rows)).toBeUndefined();
  });

  it('if no column adds up', () => {
    expect(find('Name|Payout', 'A|10', 'B|20', 'Total|30')).toBeUndefined();
  });
});
