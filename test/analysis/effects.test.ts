import { describe, expect, it } from 'vitest';
import { effectByOthers, effectOfShares, type PageSample } from '../../src/analysis/effects.ts';
import { partsBefore } from '../../src/analysis/splits.ts';
import { movesIn } from '../../src/analysis/statistics/moved-shares.ts';
import { measureOutcomes } from '../calibrate/outcome-worlds.ts';

/** The small version of `npm run calibrate -- outcomes`. */
const worlds = 150;

describe('the range of what a change brought', () => {
  it.each(['exponential payouts', 'pages drift', 'payout changed, pages drift'])(
    'holds in 9 of 10 cases: %s',
    (name) => {
      const { covered, wrong, refused } = measureOutcomes(name, worlds, 1000);
      expect(covered).toBeGreaterThanOrEqual(0.85);
      expect(covered).toBeLessThanOrEqual(0.95);
      expect(wrong).toBeLessThan(0.05);
      expect(refused).toBe(0);
    },
  );

  it.each(['exponential payouts', 'lognormal payouts'])(
    'for what other visitors bring with the old shares holds in 85 to 95% of cases: %s',
    (name) => {
      const { live } = measureOutcomes(name, 2 * worlds, 2000);
      expect(live).toBeGreaterThanOrEqual(0.85);
      expect(live).toBeLessThanOrEqual(0.95);
    },
  );

  it.each(['a tenth better', 'a tenth worse'])(
    'tells %s of the revenue in 9 of 10 cases, if there are the sales for it',
    (name) => {
      const { right, wrong } = measureOutcomes(name, 40, 1000);
      expect(right).toBeGreaterThanOrEqual(0.9);
      expect(wrong).toBe(0);
    },
  );

  it.each(['one in 300 pays 1,000 times', 'one in 300 pays 1,000 times, a quarter as many'])(
    'holds or is refused where single sales decide: %s',
    (name) => {
      const { covered, wrong, refused } = measureOutcomes(name, worlds, 1000);
      expect(covered).toBeGreaterThanOrEqual(0.85);
      expect(wrong).toBeLessThan(0.01);
      expect(refused).toBeGreaterThan(0.3);
    },
  );

  it('is refused where nothing can be told', () => {
    expect(measureOutcomes('nothing to tell', 40, 1000).refused).toBe(1);
  });
});

const page = (visits: number, sales: number, value = 20): PageSample => ({
  ...{ visits, sales, revenue: sales * value, squares: sales * value ** 2 },
});

describe('the effect of shares', () => {
  it('adds up: what was earned is what would have been, and the difference', () => {
    const effect = effectOfShares([page(800, 80), page(200, 10)], [0.5, 0.5]);
    expect(effect).toMatchObject({ earned: 1800, without: 1500, difference: 300 });
  });

  it('is less sure if the split before was counted, and if payouts differ', () => {
    const width = (samples: readonly PageSample[], counted?: number) => {
      const effect = effectOfShares(samples, [0.5, 0.5], counted);
      return 'why' in effect ? Number.NaN : effect.high - effect.low;
    };
    const even = [page(800, 80), page(200, 10)];
    const uneven = even.map((sample) => ({ ...sample, squares: sample.squares * 5 }));
    expect(width(even, 100)).toBeGreaterThan(width(even));
    expect(width(uneven)).toBeGreaterThan(1.5 * width(even));
  });

  it('is less sure if a large sale came on other days, which may come again', () => {
    const pages = [page(800, 80), page(200, 10)];
    const width = (usual?: PageSample) => {
      const effect = effectOfShares(pages, [0.5, 0.5], undefined, usual);
      return 'why' in effect ? 0 : effect.high - effect.low;
    };
    expect(width(page(4000, 320))).toBeCloseTo(width());
    const large = { visits: 4000, sales: 321, revenue: 6400 + 1000, squares: 128_000 + 1000 ** 2 };
    expect(width(large)).toBeGreaterThan(2 * width());
    const decisive = { visits: 4000, sales: 321, revenue: 6400 + 9000, squares: 128_000 + 9000 ** 2 };
    expect(effectOfShares(pages, [0.5, 0.5], undefined, decisive)).toMatchObject({ why: 'one-sale-decides' });
  });

  it('is refused if a single sale decides', () => {
    const large = { visits: 200, sales: 11, revenue: 200 + 9000, squares: 4000 + 9000 ** 2 };
    expect(effectOfShares([page(800, 80), large], [0.5, 0.5])).toMatchObject({ why: 'one-sale-decides' });
  });

  it('needs no visits of a page that no shares gave any', () => {
    expect(effectOfShares([page(800, 80), page(200, 10), page(0, 0)], [0.5, 0.5, 0])).toMatchObject({
      difference: 300,
    });
    expect(effectOfShares([page(800, 80), page(200, 10), page(0, 0)], [0.4, 0.5, 0.1])).toEqual({
      ...{ why: 'page-without-visitors', page: 2 },
    });
    expect(effectOfShares([page(800, 80), page(30, 9)], [0.5, 0.5])).toMatchObject({
      ...{ why: 'few-visitors', page: 1, has: 30, needs: (5 * 830) / 89 },
    });
  });
});

describe('the effect by others', () => {
  const days = (own: number, others: number, count = 14) =>
    Array.from({ length: count }, () => ({
      own: [{ size: 100, sales: 5, money: own }],
      others: [{ size: 100, sales: 5, money: others }],
    }));

  it('is what the others do not explain', () => {
    expect(effectByOthers(days(100, 200), days(90, 100))).toMatchObject({
      earned: 1260,
      without: 700,
      difference: 560,
    });
  });

  it('is none if visitors went to better pages, and each earns what it did', () => {
    const page = (size: number, rate: number) => ({ size, sales: 5, money: size * rate });
    const splitBy = (parts: readonly [number, number, number]) =>
      Array.from({ length: 14 }, () => ({ own: [page(parts[0], 1)], others: [page(parts[1], 1), page(parts[2], 3)] }));
    const effect = effectByOthers(splitBy([100, 200, 100]), splitBy([200, 50, 150]));
    expect('why' in effect ? Number.NaN : effect.difference).toBeCloseTo(0);
  });

  it('is refused with few days or sales', () => {
    expect(effectByOthers(days(100, 200), days(90, 100, 5))).toEqual({ why: 'few-days' });
    const unsold = days(90, 0).map((day) => ({ ...day, others: [{ size: 100, sales: 0, money: 0 }] }));
    expect(effectByOthers(days(100, 200), unsold)).toEqual({ why: 'few-sales' });
  });
});

describe('splits', () => {
  const pages = [
    { pageId: '1', share: 80, active: true },
    { pageId: '2', share: 20, active: false },
  ];

  it('before changes follow from those of today, unless a value is not known', () => {
    const undone = [
      { page: '2', set: { active: false }, before: { active: true } },
      { page: '1', set: { share: 80 }, before: { share: 60 } },
    ];
    expect(partsBefore(pages, [])).toEqual([1, 0]);
    expect(partsBefore(pages, undone)).toEqual([0.75, 0.25]);
    expect(partsBefore(pages, [{ page: '1', set: { share: 80 }, before: {} }])).toBeUndefined();
  });

  it('that move at noon are one move of two days, and days without visits are none', () => {
    const views: Readonly<Record<string, readonly number[]>> = {
      ...{ '2026-03-06': [500, 500], '2026-03-07': [500, 500], '2026-03-08': [0, 0], '2026-03-09': [650, 350] },
      ...{ '2026-03-10': [800, 200], '2026-03-11': [790, 210], '2026-03-12': [805, 195] },
    };
    expect(movesIn(Object.keys(views), (day) => views[day] ?? [])).toEqual([
      { from: '2026-03-09', until: '2026-03-10' },
    ]);
  });
});
