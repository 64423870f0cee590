import { describe, expect, it } from 'vitest';
import type { ListedSale } from '../../src/analysis/listed-conversions.ts';
import type { PageRow } from '../../src/analysis/page-rows.ts';
import { valueSales } from '../../src/analysis/valued-sales.ts';
import { fromTracker } from '../../src/api/text/tracker-text.ts';

const span = { start: '2026-11-01', end: '2026-11-30', asOf: '2026-11-30' };

/** An offer with a sale a day, of what these pay, and what of it counts. */
function offer(payouts: readonly number[], countedOf: (day: number) => number | undefined) {
  const values = payouts.map((payout, day) => payout * (countedOf(day) ?? 1));
  const revenue = values.reduce((sum, value) => sum + value, 0);
  const page: PageRow = {
    ...{ pageId: '1', name: fromTracker('Cash'), share: 100, isActive: true, clicks: null, group: '' },
    ...{ views: 5000, conversions: payouts.length, revenue },
  };
  const sales = payouts.map((amount, day): ListedSale<PageRow> => {
    const part = countedOf(day);
    const date = `2026-11-${String(day + 1).padStart(2, '0')}`;
    const held = { standing: 'pending', word: 'pending', network: null, amount, age: 0 } as const;
    const value = amount * (part ?? 1);
    return { page, date, visited: date, value, ...(part === undefined ? {} : { held: { ...held, counted: value } }) };
  });
  return { page, sales };
}

describe('the sales of an offer of which a part counts as long as they are pending', () => {
  it('are of no new payout', () => {
    const { page, sales } = offer(Array(30).fill(3.4), (day) => (day < 20 ? undefined : 0.82));
    const { valuations, unvalued, rows } = valueSales([page], sales, span, new Map());
    expect([valuations.size, unvalued, rows]).toEqual([0, [], [page]]);
  });

  it('are valued at a new payout by the part that counts', () => {
    const payouts = Array.from({ length: 30 }, (_, day) => (day < 15 ? 4 : 3));
    const { page, sales } = offer(payouts, (day) => (day < 10 ? undefined : 0.5));
    const { valuations, rows, sales: valued } = valueSales([page], sales, span, new Map());
    const [valuation] = valuations.values();
    expect(valuation).toMatchObject({ payout: 3, change: { before: 4, since: '2026-11-16', sales: 15 } });
    expect(rows[0]?.revenue).toBe(10 * 3 + 20 * 1.5);
    expect(valued.reduce((sum, { value }) => sum + value, 0)).toBe(rows[0]?.revenue);
  });
});
