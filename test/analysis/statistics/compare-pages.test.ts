import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ComparedPage } from '../../../src/analysis/statistics/basis.ts';
import { areDaysWorthReading, type Comparison, comparePages } from '../../../src/analysis/statistics/compare-pages.ts';
import type { Day, PageSums } from '../../../src/analysis/statistics/history.ts';

/** One day of one page. */
const paid = (views: number, conversions: number, revenue: number): PageSums => ({ views, conversions, revenue });
const of = (views: number, conversions: number, payout = 10) => paid(views, conversions, conversions * payout);

const dateOf = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);

const daily = (count: number, pagesOn: (day: number) => readonly PageSums[]): Day[] =>
  Array.from({ length: count }, (_, day) => ({ date: dateOf(day), pages: pagesOn(day) }));

/** Equal days. */
const everyDay = (count: number, ...pages: readonly PageSums[]) => daily(count, () => pages);

/** Several runs of days, one after the other. */
const inOrder = (...runs: readonly (readonly Day[])[]) =>
  runs.flat().map(({ pages }, day) => ({ date: dateOf(day), pages }));

/** The same days with varying payouts, so that money is unknown. */
const unsteady = (days: readonly Day[], by: number) =>
  days.map(({ date, pages }, day) => ({
    date,
    pages: pages.map((page) => ({ ...page, revenue: page.revenue + (day % 2 ? by : -by) })),
  }));

function compare(days: readonly Day[], listed: readonly ComparedPage['listed'][] = []): Comparison {
  return comparePages(sumsOf(days, listed), { days, dayCount: days.length });
}

function sumsOf(days: readonly Day[], listed: readonly ComparedPage['listed'][] = []): ComparedPage[] {
  return (days[0]?.pages ?? []).map((_, page) => {
    const sum = (measure: keyof PageSums) => days.reduce((total, day) => total + (day.pages[page]?.[measure] ?? 0), 0);
    const sums = { views: sum('views'), conversions: sum('conversions'), revenue: sum('revenue') };
    return { ...sums, share: null, listed: listed[page] };
  });
}

describe('the verdict', () => {
  test('is clear if one page earns twice as much for a week', () => {
    const { verdict, leader, lead, pages, evidencePercent, lacks } = compare(everyDay(7, of(500, 10), of(500, 20)));
    expect([verdict, leader, evidencePercent, lacks]).toEqual(['clear', 1, 100, []]);
    expect(lead.percent).toBeCloseTo(100, 0);
    expect(lead.low).toBeGreaterThan(0);
    expect(lead.high).toBeGreaterThan(100);
    expect(pages.map(({ share }) => share)).toEqual([4, 96]);
  });

  test('needs five days, however large the lead', () => {
    const comparison = compare(everyDay(4, of(5000, 100), of(5000, 300)));
    expect(comparison).toMatchObject({ verdict: 'leaning', lacks: ['days'] });
  });

  test('is too early on luck with a few conversions', () => {
    const lucky = { date: dateOf(6), pages: [of(10, 4), of(300, 9)] };
    expect(compare([...everyDay(6, of(10, 0), of(300, 9)), lucky]).verdict).toBe('too early');
  });

  test('is not clear for a period of one day', () => {
    const pages = sumsOf(everyDay(1, of(50_000, 1000), of(50_000, 3000)));
    expect(comparePages(pages, { dayCount: 1 }).verdict).toBe('leaning');
  });

  test('uses only the common days of a page that started later', () => {
    const days = inOrder(everyDay(10, of(800, 8), of(0, 0)), everyDay(3, of(400, 12), of(400, 24)));
    const { lacks, leader } = compare(days);
    expect(leader).toBe(1);
    expect(lacks).toContain('days');
  });

  test('lacks common days if two pages never had traffic on the same day', () => {
    const { verdict, lacks } = compare(inOrder(everyDay(6, of(800, 8), of(0, 0)), everyDay(6, of(0, 0), of(800, 40))));
    expect(verdict).not.toBe('clear');
    expect(lacks).toContain('common days');
  });

  test('is not misled by shares that changed between a poor and a good week', () => {
    const poor = everyDay(7, of(200, 2), of(800, 8));
    const good = everyDay(7, of(800, 32), of(200, 8));
    const { verdict, leftOut, pages } = compare(inOrder(poor, good));
    expect(verdict).toBe('too early');
    expect(leftOut).toEqual({ changed: [dateOf(7)], late: [] });
    expect(pages[0]?.chance).toBeLessThan(0.75);
  });

  test('leaves out more days after a change if conversions are booked late', () => {
    const days = inOrder(everyDay(7, of(200, 2), of(800, 8)), everyDay(7, of(800, 8), of(200, 2)));
    const lateness = { booking: 'sale', delay: { meanDays: 0.8, daysUntilIn: 2 }, asOf: dateOf(13) } as const;
    const { leftOut, dayCount } = comparePages(sumsOf(days), { days, dayCount: 14, lateness });
    expect(leftOut.changed).toEqual([7, 8, 9].map(dateOf));
    expect(dayCount).toBe(11);
  });

  test('allows for days that scatter more than by chance', () => {
    const steady = compare(everyDay(10, of(500, 10), of(500, 17)));
    const wild = compare(daily(10, (day) => [of(500, day % 2 ? 19 : 1), of(500, day % 2 ? 2 : 32)]));
    expect(steady.verdict).toBe('clear');
    expect(wild.verdict).not.toBe('clear');
    expect(wild.evidencePercent).toBeLessThan(60);
  });

  test('counts days that are like their neighbours as fewer', () => {
    const evidenceOf = (isGood: (day: number) => boolean) =>
      compare(daily(20, (day) => [of(500, 16), of(500, isGood(day) ? 45 : 11)])).evidencePercent;
    const mixed = evidenceOf((day) => day % 2 === 0);
    expect(evidenceOf((day) => day % 10 < 5)).toBeLessThan(mixed / 1.5);
  });
});

test('sums alone do not show how days scatter, so a clear verdict takes more of them', () => {
  const close = everyDay(14, of(5000, 100), of(5000, 125));
  expect(compare(close).verdict).toBe('clear');
  expect(comparePages(sumsOf(close), { dayCount: 14 })).toMatchObject({ verdict: 'leaning', lacks: ['evidence'] });
  expect(comparePages(sumsOf(everyDay(14, of(500, 10), of(500, 30))), { dayCount: 14 }).verdict).toBe('clear');
});

test('a few days with most of the traffic do not count as many', () => {
  const burst = [of(20_000, 400), of(20_000, 560)];
  const lumpy = (bursts: number) =>
    daily(20, (day) => (day % Math.floor(20 / bursts) === 0 ? burst : [of(100, 2), of(100, 2)]));
  expect(compare(lumpy(1)).verdict).not.toBe('clear');
  expect(compare(lumpy(10)).verdict).toBe('clear');
});

describe('pages are compared by', () => {
  const dearer = everyDay(10, of(500, 20, 4), of(500, 10, 16));

  test('money if every day pays the same, so that fewer sales of more money win', () => {
    expect(compare(dearer)).toMatchObject({ basis: 'money', leader: 1, verdict: 'clear' });
  });

  test('money if all payouts are listed', () => {
    const days = everyDay(10, paid(500, 20, 155), paid(500, 10, 80));
    const listed = days[0]?.pages.map(({ conversions, revenue }) =>
      days.flatMap(({ date }) =>
        // Half pay a little more, half a little less.
        Array.from({ length: conversions }, (_, at) => ({ date, value: revenue / conversions + (at % 2 ? 1 : -1) })),
      ),
    );
    expect(compare(days, listed)).toMatchObject({ basis: 'money', leader: 0 });
  });

  test('conversions otherwise, with the break-even', () => {
    const days = everyDay(10, of(500, 20), of(500, 10));
    const { breakEven, ...comparison } = compare(unsteady(days, 7));
    expect(comparison).toMatchObject({ basis: 'conversions', verdict: 'clear', leader: 0 });
    expect(breakEven?.percent).toBeCloseTo(50, 0);
    expect(breakEven?.soFarPercent).toBeCloseTo(0, 0);
  });

  test('conversions, but a page that plainly earns less does not lead', () => {
    expect(compare(unsteady(dearer, 9))).toMatchObject({ verdict: 'too early', lacks: ['agreement of money'] });
  });

  test('conversions if chargebacks have taken all earnings', () => {
    expect(compare(everyDay(10, of(500, 20, -1), of(500, 10, -1))).basis).toBe('conversions');
  });
});

describe('what a verdict needs', () => {
  test('is less if the lead is larger, and more if it halves', () => {
    const close = compare(everyDay(7, of(300, 10), of(300, 12))).needed;
    const far = compare(everyDay(7, of(300, 10), of(300, 14))).needed;
    expect(far.ifLeadStays?.days).toBeGreaterThan(0);
    expect(far.ifLeadStays?.days).toBeLessThan(close.ifLeadStays?.days ?? 91);
    expect(far.ifLeadHalves?.days ?? 91).toBeGreaterThan(2 * (far.ifLeadStays?.days ?? 90));
    expect(far.ifLeadStays?.views).toBe(600 * (far.ifLeadStays?.days ?? 0));
  });

  test('is a number even if it is far away, with a range that grows with it', () => {
    const { ifLeadStays, obstacle } = compare(everyDay(7, of(300, 6), of(300, 7))).needed;
    expect(obstacle).toBeUndefined();
    expect(ifLeadStays?.days).toBeGreaterThan(90);
    expect(ifLeadStays?.low).toBeLessThan(ifLeadStays?.days ?? 0);
    expect(ifLeadStays?.high).toBeGreaterThan(ifLeadStays?.days ?? 0);
  });

  test.each([
    ['no lead', everyDay(7, of(300, 3), of(300, 3))],
    ['small lead', everyDay(7, of(300, 30), of(300, 31))],
    ['no sales', everyDay(7, of(300, 0), of(300, 0))],
    ['common days', [...everyDay(6, of(800, 8), of(0, 0)), ...everyDay(6, of(0, 0), of(800, 40))]],
    ['money behind', unsteady(everyDay(7, paid(500, 20, 81), of(500, 10, 16)), 9)],
  ])('is unknown because of %s', (obstacle, days) => {
    expect(compare(days).needed).toEqual({ ifLeadStays: null, ifLeadHalves: null, obstacle });
  });
});

test('waiting costs what the other pages earn less, and choosing now risks that another page is better', () => {
  const { waitingCostPerDay, riskPerDay } = compare(everyDay(20, of(500, 10), of(500, 20)));
  // Half of 1,000 views a day earn 0.2 instead of 0.4.
  expect(waitingCostPerDay).toBeGreaterThan(80);
  expect(waitingCostPerDay).toBeLessThan(102);
  expect(riskPerDay).toBeLessThan(0.1);
});

describe('single days are worth a request', () => {
  const pages = (conversions: number, shares: readonly (number | null)[]) =>
    sumsOf(everyDay(1, of(1000, 20), of(1000, conversions))).map((page, index) => ({
      ...page,
      share: shares[index] ?? null,
    }));

  test.each([
    ['if the sums lean towards a page', 60, [50, 50], true],
    ['but not if it is too early', 21, [50, 50], false],
    ['if views do not fit the shares', 21, [80, 20], true],
    ['but not if shares are unknown', 21, [null, null], false],
  ])('%s', (_, conversions, shares, expected) => {
    expect(areDaysWorthReading(pages(conversions, shares), 14)).toBe(expected);
  });

  test('if money would decide with fixed payouts', () => {
    const [cheap, dear] = pages(20, [50, 50]);
    expect(areDaysWorthReading([cheap, { ...dear, revenue: 800 }] as ComparedPage[], 14)).toBe(true);
  });
});

test('sums of changed shares lead to no verdict', () => {
  const pages = sumsOf(everyDay(1, of(3000, 60), of(1000, 100))).map((page) => ({ ...page, share: 50 }));
  expect(comparePages(pages, { dayCount: 14 })).toMatchObject({ verdict: 'too early', lacks: ['steady shares'] });
});

test('of 1,000 pages the 20 closest are shown, and only they get shares', () => {
  const days = everyDay(14, ...Array.from({ length: 1000 }, (_, page) => of(50, page === 500 ? 8 : 1 + (page % 2))));
  const { leader, verdict, shown, pages } = compare(days);
  expect([leader, verdict, shown[0], shown.length]).toEqual([500, 'clear', 500, 20]);
  expect(pages.filter(({ share }) => share !== undefined)).toHaveLength(20);
});

const someDays = fc.integer({ min: 2, max: 4 }).chain((pages) =>
  fc.array(
    fc.array(
      fc.record({
        views: fc.integer({ min: 1, max: 900 }),
        part: fc.double({ min: 0, max: 0.2, noNaN: true }),
        payout: fc.integer({ min: -5, max: 40 }),
      }),
      { minLength: pages, maxLength: pages },
    ),
    { minLength: 1, maxLength: 12 },
  ),
);

test('for any results chances sum to 1, shares to 100, ranges hold, and nothing is NaN', () => {
  fc.assert(
    fc.property(someDays, (raw) => {
      const days = raw.map((pages, index) => ({
        date: dateOf(index),
        pages: pages.map(({ views, part, payout }) => of(views, Math.floor(views * part), payout)),
      }));
      const comparison = compare(days);
      const { pages, lead, waitingCostPerDay, riskPerDay, evidencePercent } = comparison;
      expect(pages.reduce((sum, { chance }) => sum + chance, 0)).toBeCloseTo(1, 9);
      expect(pages.reduce((sum, { share = 0 }) => sum + share, 0)).toBe(100);
      for (const { low, value, high, earnings } of pages) {
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value * 0.9);
        expect(earnings.low).toBeLessThanOrEqual(earnings.high);
      }
      expect(lead.low ?? Number.NEGATIVE_INFINITY).toBeLessThanOrEqual(lead.high ?? Number.POSITIVE_INFINITY);
      expect(waitingCostPerDay).toBeGreaterThanOrEqual(-1e-9);
      expect(riskPerDay).toBeGreaterThanOrEqual(-1e-9);
      expect(evidencePercent).toBeGreaterThanOrEqual(0);
      expect(JSON.stringify(comparison)).not.toContain('NaN');
    }),
    { seed: 2, numRuns: 100 },
  );
});

describe('a page that surely earns less', () => {
  test('is found by comparing it with all others together, if the leaders are close', () => {
    const days = everyDay(14, of(60, 4), of(60, 4), of(60, 4), of(60, 1));
    expect(compare(days)).toMatchObject({ verdict: 'too early', behind: [3] });
  });

  test('is not a page that converted little on a few days, or earned as much with fewer sales', () => {
    expect(compare(everyDay(4, of(200, 14), of(200, 14), of(200, 2))).behind).toEqual([]);
    const unknown = everyDay(14, of(60, 4, 10), of(60, 4, 10), of(60, 1, 40));
    expect(compare(unsteady(unknown, 3))).toMatchObject({ basis: 'conversions', behind: [] });
  });

  test('makes days worth reading, since sums alone do not show it', () => {
    const pages = sumsOf(everyDay(1, of(622, 46), of(463, 33), of(463, 12)));
    expect(areDaysWorthReading(pages, 14)).toBe(true);
    expect(areDaysWorthReading(pages.slice(0, 2), 14)).toBe(false);
  });
});
