import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PageRow } from '../../../src/analysis/page-rows.ts';
import { compareConversions, comparePages } from '../../../src/analysis/statistics/compare-pages.ts';
import type { Day } from '../../../src/analysis/statistics/history.ts';
import { fromTracker } from '../../../src/api/text/tracker-text.ts';
import { wordResult } from '../../../src/tools/define-tool.ts';
import { comparisonOutput } from '../../../src/tools/detail-tools.ts';
import { presentComparison } from '../../../src/tools/present/comparison.ts';

const dateOf = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);

/** Pages with a rate each, over some days that scatter; payouts are fixed, listed and varied, or known as sums alone. */
const campaigns = fc.record({
  pages: fc.array(fc.record({ views: fc.integer({ min: 1, max: 1500 }), rate: fc.integer({ min: 0, max: 90 }) }), {
    minLength: 2,
    maxLength: 5,
  }),
  noise: fc.array(fc.integer({ min: 2, max: 18 }), { minLength: 70, maxLength: 70 }),
  payouts: fc.constantFrom('fixed', 'listed', 'sums'),
  jackpot: fc.option(fc.integer({ min: 100, max: 5000 })),
  dayCount: fc.integer({ min: 1, max: 14 }),
  hasDays: fc.boolean(),
});

type Campaign = typeof campaigns extends fc.Arbitrary<infer Value> ? Value : never;

function play({ pages, noise, payouts, jackpot, dayCount, hasDays }: Campaign) {
  const sales: { page: number; date: string; value: number }[] = [];
  const days = Array.from(
    { length: dayCount },
    (_, index): Day => ({
      date: dateOf(index),
      pages: pages.map(({ views, rate }, page) => {
        const factor = noise[index * 5 + page] ?? 10;
        const conversions = Math.min(Math.round((views * rate * factor) / 10_000), views);
        const values = Array.from({ length: conversions }, (_, sale) =>
          payouts === 'fixed' ? 20 : 10 + ((sale + index) % 3) * 10,
        );
        if (jackpot !== null && page === 0 && index === 0 && values.length > 0 && payouts !== 'fixed')
          values[0] = jackpot;
        sales.push(...values.map((value) => ({ page, date: dateOf(index), value })));
        return { views, conversions, revenue: values.reduce((sum, value) => sum + value, 0) };
      }),
    }),
  );
  const rows = pages.map((_, page): PageRow => {
    const total = (measure: 'views' | 'conversions' | 'revenue') =>
      days.reduce((sum, day) => sum + (day.pages[page]?.[measure] ?? 0), 0);
    return {
      ...{ pageId: String(page + 1), name: fromTracker(`Page ${page + 1}`), group: '', share: null, isActive: true },
      ...{ clicks: null, views: total('views'), conversions: total('conversions'), revenue: total('revenue') },
    };
  });
  const compared = rows.map((row, page) => ({
    ...row,
    listed: payouts === 'listed' ? sales.filter((sale) => sale.page === page) : undefined,
  }));
  const circumstances = { days: hasDays ? days : undefined, dayCount };
  const comparison = comparePages(compared, circumstances);
  const answer = presentComparison({
    query: { tool: 'compare_pages', campaign_id: '7', kind: 'offer' },
    since: dateOf(0),
    pages: rows,
    comparison,
    byConversions: comparison.basis === 'money' ? compareConversions(compared, circumstances) : comparison,
    currency: undefined,
    toCome: undefined,
    areDaysMissing: false,
    notices: [],
  });
  const { structured, text } = wordResult(answer.render([]));
  return [comparisonOutput().parse(structured), text] as const;
}

test('no statement contradicts another', () => {
  fc.assert(
    fc.property(campaigns, (campaign) => {
      const [{ decision, pages }, text] = play(campaign);
      const { percent, low, high } = decision.lead as Record<string, number | null>;
      const chance = pages.find(({ name }) => name === decision.name)?.probability_best ?? 0;
      const isMoneyOpen = decision.text.includes('a lead in money');
      // The range of the lead, the evidence and the chance agree on whether another page may be as good.
      if (decision.evidence_percent === 100) expect(low ?? 1).toBeGreaterThan(0);
      else if (decision.needed?.['over'] === undefined) expect(low ?? 0).toBeLessThanOrEqual(0);
      if (!isMoneyOpen && chance > 0) expect(chance > 0.975).toBe(decision.evidence_percent === 100);
      // The chances of all pages add up, and the recommended shares do.
      const known = pages.flatMap(({ probability_best }) => probability_best ?? []);
      if (known.length > 0) expect(Math.round(known.reduce((all, one) => all + one, 0) * 100)).toBe(100);
      expect(pages.reduce((all, { recommended_share }) => all + recommended_share, 0)).toBe(100);
      // Few conversions make no percentage.
      const leader = pages.find(({ name }) => name === decision.name);
      if ((leader?.conversions ?? 0) < 5) expect(known).toEqual([]);
      if ((leader?.conversions ?? 0) < 5) expect([percent, low, high].filter((one) => one != null)).toEqual([]);
      // The measured lead is within the estimated range.
      if (percent != null) expect(low ?? 0).toBeLessThanOrEqual(percent);
      if (percent != null) expect(percent).toBeLessThanOrEqual(high ?? percent);
      for (const { epv, epv_low, epv_high, rate, rate_low, rate_high } of pages) {
        expect(epv_low <= epv && epv <= epv_high && rate_low <= rate && rate <= rate_high).toBe(true);
      }
      // If a different page has more so far, or is likelier to be best, the text mentions it.
      expect(decision.text.includes('ahead, though not so far')).toBe(
        (percent ?? 0) < 0 && decision.verdict === 'too early',
      );
      const isAnotherLikelier = pages.some(({ probability_best }) => (probability_best ?? 0) > chance);
      if (isAnotherLikelier) expect(decision.text).toContain('more may be earned with');
      expect(text).not.toMatch(/NaN|Infinity|undefined|null/);
      // The data still needed is a number, or the reason for none.
      if (decision.needed) expect(decision.needed['if_lead_stays']).toBeTruthy();
    }),
    { seed: 5, numRuns: 300 },
  );
});
