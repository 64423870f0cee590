import { describe, expect, it } from 'vitest';
import { readNumbers } from '../../../src/analysis/columns/columns.ts';
import { isAdditive, measureOf } from '../../../src/analysis/columns/measures.ts';
import { totalsOf } from '../../../src/analysis/columns/totals.ts';
import { Table } from '../../../src/api/table.ts';

/** The totals of a table that is given as text, a line a row. */
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
  it('are sums of what adds up, and of nothing else', () => {
    expect(totals('CampaignID Views Payout Share Level Cost', '1 10 5.00 50 1 0.10', '2 30 7.00 50 2 0.25')).toEqual({
      Views: 40,
      Cost: 0.35,
    });
  });

  it('are exact to the digits that the tracker shows', () => {
    expect(totals('Cost', ...Array.from({ length: 1000 }, () => '0.10'))).toEqual({ Cost: 100 });
    expect(totals('Revenue', '$1,000.10', '$0.20', '-$0.30')).toEqual({ Revenue: 1000 });
    expect(totals('Views', '-', '-', '7')).toEqual({ Views: 7 });
  });

  it('recompute every ratio from the sums of its parts, as its formula says', () => {
    const heading = 'Views Clicks Subscribers Conversions Cost Revenue Profit CTR CR CPV CPC EPV EPC PPV ROI CPA CPSUB';
    const one = '100 50 20 5 10.00 40.00 30.00 50.00% 10.00% 0.1 0.2 0.4 0.8 0.3 300.00% 2 0.5';
    const other = '300 30 10 3 30.00 10.00 -20.00 10.00% 10.00% 0.1 1 0.0333 0.3333 -0.0667 -66.67% 10 3';
    expect(totals(heading, one, other)).toEqual({
      Views: 400,
      Clicks: 80,
      Subscribers: 30,
      Conversions: 8,
      Cost: 40,
      Revenue: 50,
      Profit: 10,
      CTR: 20,
      CR: 10,
      CPV: 0.1,
      CPC: 0.5,
      EPV: 0.125,
      EPC: 0.625,
      PPV: 0.025,
      ROI: 25,
      CPA: 5,
      CPSUB: 1.33,
    });
  });

  it('leave out a ratio whose parts are not there', () => {
    expect(totals('Views CTR EPV', '100 50% 0.4', '300 10% 0.1')).toEqual({ Views: 400 });
  });

  it('leave out a ratio that the tracker computes by another formula', () => {
    // Conversions per view, not per click.
    expect(totals('Views Clicks Conversions CR', '100 50 5 5.00%', '300 30 3 1.00%')).not.toHaveProperty('CR');
    // A fraction, not a percentage.
    expect(totals('Views Clicks CTR', '100 50 0.50', '300 30 0.10')).not.toHaveProperty('CTR');
  });

  it('are none where the denominator is 0: there is no ratio over nothing', () => {
    expect(totals('Views Clicks CTR', '0 0 0', '0 0 0')).toEqual({ Views: 0, Clicks: 0 });
  });

  it('do not take a percentage for a count', () => {
    expect(totals('Views Conversions', '100 5%', '300 1%')).toEqual({ Views: 400 });
  });

  it('of one row have its own ratios, whatever the tracker rounded them from', () => {
    expect(totals('Cost Conversions CPA', '1401.60 62 22.6066')).toMatchObject({ CPA: 22.6066 });
    expect(totals('Cost Conversions CPA', '1401.60 62 22.6066', '0.00 0 0')).toMatchObject({ CPA: 22.6065 });
  });

  it('come in the order of the columns', () => {
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

  it.each([
    'Conv %',
    'Rev %',
    'Profit %',
    'Clicks %',
    'Revenue (%)',
    'Click Rate',
    'Revenue Share',
    'Conversions pct',
    'Views Percent',
  ])('%s is a part of a whole, which does not add up', (name) => {
    expect(measureOf(name)).toBeUndefined();
  });

  it.each(['Click', 'ClickID', 'Visit', 'Payout', 'Bid', 'ID', 'Offer', '', 'Viewsource'])(
    '%s means no measure',
    (name) => {
      expect(measureOf(name)).toBeUndefined();
    },
  );

  it('tells what adds up from what does not', () => {
    expect([isAdditive('views'), isAdditive('profit'), isAdditive('ctr'), isAdditive('roi')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
