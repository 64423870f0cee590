import { describe, expect, test } from 'vitest';
import { pagesOffShares } from '../../../src/analysis/statistics/sample-ratio.ts';
import { poisson, seeded } from '../../calibrate/simulated-campaigns.ts';

describe('pages off their shares', () => {
  test('are those whose views chance does not explain, the furthest off first', () => {
    expect(pagesOffShares([560, 440], [50, 50])).toEqual([
      { page: 0, got: expect.closeTo(56, 6), due: 50 },
      { page: 1, got: expect.closeTo(44, 6), due: 50 },
    ]);
    expect(pagesOffShares([400, 100, 500], [40, 30, 30]).map(({ page }) => page)).toEqual([1, 2, 0]);
  });

  test('are none if chance explains the views, or too little is off to matter', () => {
    expect(pagesOffShares([530, 470], [1, 1])).toEqual([]);
    expect(pagesOffShares([504_000, 496_000], [50, 50])).toEqual([]);
    expect(pagesOffShares([40, 30, 30], [4, 3, 3])).toEqual([]);
  });

  test('are not told without known shares, or with hardly a view due', () => {
    expect(pagesOffShares([900, 100], [null, 50])).toEqual([]);
    expect(pagesOffShares([900, 100], [0, 0])).toEqual([]);
    expect(pagesOffShares([900, 100], [99.9, 0.1])).toEqual([]);
    expect(pagesOffShares([900], [100])).toEqual([]);
    expect(pagesOffShares([0, 0], [50, 50])).toEqual([]);
  });

  test.each([[[1, 1]], [[40, 40, 20]], [[10, 20, 30, 25, 15]]])(
    'are named by chance in about 1 of 1,000 campaigns with shares %j',
    (shares) => {
      const random = seeded(7);
      const all = shares.reduce((sum, share) => sum + share, 0);
      const campaigns = 20_000;
      let named = 0;
      for (let campaign = 0; campaign < campaigns; campaign += 1) {
        const views = shares.map((share) => poisson((share / all) * 400, random));
        if (pagesOffShares(views, shares).length > 0) named += 1;
      }
      expect(named / campaigns).toBeLessThan(0.0018);
      expect(named / campaigns).toBeGreaterThan(0.0003);
    },
  );
});
