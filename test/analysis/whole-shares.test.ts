import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { targetsOf, type WishedPage, wholeShares } from '../../src/analysis/whole-shares.ts';

/** `40:80` is share 40 with the wish for 80 percent. */
function pagesOf(text: string): WishedPage[] {
  return text.split(' ').map((page) => {
    const [share, percent] = page.split(':');
    return { share: Number(share), ...(percent === undefined ? {} : { percent: Number(percent) }) };
  });
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const partsOf = (shares: readonly number[]) => shares.map((share) => (share / sum(shares)) * 100);

describe('whole shares for a wish', () => {
  it.each<[what: string, pages: string, shares: readonly number[]]>([
    ['are exact where that is possible', '40:80 40 20', [84, 14, 7]],
    ['sum to 100 where that is as near', '40 40 20:40', [30, 30, 40]],
    ['leave the other pages if one is to get nothing', '30 30 40:0', [30, 30, 0]],
    ['leave the other pages where that is as near', '10:50 31 19 11', [61, 31, 19, 11]],
    ['stay where the wish is reached, also by shares that are not whole', '33.33:33.3 66.67', [33.33, 66.67]],
    ['take all traffic from the others only for a wish for all of it', '40:100 40 20', [100, 0, 0]],
    ['give a page without traffic some', '0:100 40 20', [100, 0, 0]],
    ['leave pages without traffic without', '40:50 0 40 20', [60, 0, 40, 20]],
    ['never take all traffic from a page with a wish', '50:0.1 50', [1, 100]],
    ['never take all traffic from another page', '40:99.9 40 20', [100, 1, 1]],
    ['take several wishes', '40:60 40:30 20', [60, 30, 10]],
    ['take wishes for all pages that sum to 100 by their rounding', '40:33.3 40:33.3 20:33.3', [33, 33, 33]],
  ])('%s', (_, pages, shares) => {
    expect(wholeShares(pagesOf(pages), 50)).toEqual(shares);
  });

  it('are not found if too many pages would change', () => {
    const pages = [{ share: 10, percent: 50 }, ...Array.from({ length: 100 }, () => ({ share: 10 }))];
    expect(wholeShares(pages, 50)).toBeUndefined();
    const few = wholeShares([{ share: 10, percent: 5 }, ...pages.slice(1)], 50);
    expect(few?.slice(0, 2)).toEqual([53, 10]);
  });
});

const wish = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 6 }),
    fc.integer({ min: 1, max: 990 }).map((tenths) => tenths / 10),
  )
  .filter(([shares]) => shares.slice(1).some((share) => share > 0))
  .map(([shares, percent]) => shares.map((share, page) => (page === 0 ? { share, percent } : { share })));

describe('any wish for one page', () => {
  it('gets whole shares from 0 to 100, and pages keep or lack their traffic', () => {
    fc.assert(
      fc.property(wish, (pages) => {
        const shares = wholeShares(pages, 50) ?? [];
        for (const [page, { share, percent }] of pages.entries()) {
          expect(Number.isInteger(shares[page])).toBe(true);
          expect(shares[page]).toBeLessThanOrEqual(100);
          expect((shares[page] ?? 0) > 0).toBe(percent !== undefined || share > 0);
        }
      }),
      { seed: 8, numRuns: 300 },
    );
  });

  it('is reached as nearly as any whole shares reach it that keep the proportions of the others', () => {
    fc.assert(
      fc.property(wish, (pages) => {
        const others = pages.slice(1).filter(({ share }) => share > 0);
        const [all, most] = [sum(others.map(({ share }) => share)), Math.max(...others.map(({ share }) => share))];
        const { percent = 0 } = pages[0] ?? {};
        let nearest = 100;
        for (let own = 1; own <= 100; own += 1) {
          for (let rest = others.length; rest <= (100 * all) / most; rest += 1)
            nearest = Math.min(nearest, Math.abs((own / (own + rest)) * 100 - percent));
        }
        const [reached = 0] = partsOf(wholeShares(pages, 50) ?? []);
        expect(Math.abs(reached - percent)).toBeLessThan(nearest + 0.0501);
      }),
      { seed: 8, numRuns: 300 },
    );
  });

  it('changes nothing when it is repeated', () => {
    fc.assert(
      fc.property(wish, (pages) => {
        const shares = wholeShares(pages, 50) ?? [];
        const again = pages.map((page, index) => ({ ...page, share: shares[index] ?? 0 }));
        expect(wholeShares(again, 50)).toEqual(shares);
      }),
      { seed: 8, numRuns: 300 },
    );
  });

  it('keeps the proportions of the others as far as whole shares can', () => {
    fc.assert(
      fc.property(wish, (pages) => {
        const targets = targetsOf(pages);
        const shares = wholeShares(pages, 50) ?? [];
        const total = sum(shares);
        // Half a share each, unless a page would have none.
        const isFine = targets.every((target) => target === 0 || (target * total) / 100 >= 1);
        fc.pre(isFine);
        for (const [page, part] of partsOf(shares).entries())
          expect(Math.abs(part - (targets[page] ?? 0))).toBeLessThanOrEqual((100 / total) * 1.01);
      }),
      { seed: 8, numRuns: 300 },
    );
  });
});
