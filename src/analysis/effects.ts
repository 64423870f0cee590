import { at, sum } from './statistics/history.ts';

const figures = ['visits', 'sales', 'revenue', 'squares'] as const;

/** The visits of a page on some days, and what they earned in all; `squares` are those of each visit's revenue. */
export type PageSample = Readonly<Record<(typeof figures)[number], number>>;

export const addSamples = (samples: readonly PageSample[]) =>
  Object.fromEntries(figures.map((figure) => [figure, sum(samples.map((one) => one[figure]))])) as PageSample;

/** What was earned, and would have been without a change. The range of the difference holds in 9 of 10 cases. */
export type Effect = Readonly<Record<'earned' | 'without' | 'difference' | 'low' | 'high', number>>;

/** Why an effect cannot be told: what there is too few of, how much there is and has to be, and the page that lacks visitors. */
export interface TooFew {
  readonly why: 'few-sales' | 'one-sale-decides' | 'page-without-visitors' | 'few-visitors' | 'few-days';
  readonly page?: number;
  readonly has?: number;
  readonly needs?: number;
}

/** The 95% quantile of the standard normal distribution. */
export const rangeDeviations = 1.645;

/** Fewer sales of all pages show nothing; where days are compared, whose seasons differ, it takes more. */
const [minSales, minSalesOfSide] = [12, 20];

/** If the money of all sales is that of fewer of one size, a single one decides. */
const minEffective = 4;

/** What some sales paid, and the squares of that. */
export type Paid = Pick<PageSample, 'sales' | 'revenue' | 'squares'>;

/** By how many sales of one size the money would scatter as much: Kish's effective sample size. */
const effectiveSales = ({ revenue, squares }: Paid) => revenue ** 2 / squares || 0;

/** A page whose part changed needs as many visits as bring so many sales on the average page. */
const minExpected = 5;

/** A smaller change of a page's part needs no visits of its own. */
const minMoved = 0.005;

/** With a range for what visitors by the other shares would have earned, luck included. */
export type Otherwise = Effect & Readonly<Record<'withoutLow' | 'withoutHigh', number>>;

/**
 * What the pages of a group earned against what they would have earned with other shares, from the same visitors. The tracker draws the
 * page of each visitor at random, so each page's revenue per visit stands for all visitors; only the weights differ. Its variance is
 * that of single visits (delta method): days are the same on both sides. Each page is credited with one more sale in its variance, of the
 * size that carries the revenue, so that a page without one is not certain to earn nothing, and large sales may still be missing:
 * those of other days may come again.
 *
 * @param parts of the visits, by page, under the other shares; they add up to 1
 * @param counted the visits that `parts` were counted from; infinite if they are exact
 * @param usual the sales of more days, which show how large they may be
 * @param count of the pages, where they have a sample for each of several runs of days, one run after the other
 */
export function effectOfShares(
  pages: readonly PageSample[],
  parts: readonly number[],
  counted = Number.POSITIVE_INFINITY,
  usual: Paid = addSamples(pages),
  count = pages.length,
): Otherwise | TooFew {
  const all = addSamples(pages);
  if (!(all.sales >= minSales && all.revenue > 0)) return { why: 'few-sales', has: all.sales, needs: minSales };
  const effective = Math.min(...[all, usual].map(effectiveSales));
  if (effective < minEffective) return { why: 'one-sale-decides', has: effective, needs: minEffective };
  const moved = pages.map(({ visits }, page) => visits / all.visits - at(parts, page));
  const seen = new Map<number, number>();
  for (const [index, { visits }] of pages.entries()) {
    if (Math.abs(at(moved, index)) < minMoved) continue;
    const page = index % count;
    if (visits === 0) return { why: 'page-without-visitors', page };
    seen.set(page, (seen.get(page) ?? 0) + visits);
  }
  const needs = (minExpected * all.visits) / all.sales;
  for (const [page, has] of seen) if (has < needs) return { why: 'few-visitors', page, has, needs };
  const earnings = pages.map(({ visits, revenue }) => (visits > 0 ? revenue / visits : 0));
  const saleSquare = (usual.squares / usual.revenue) ** 2;
  const variances = pages.map(({ visits, squares }, page) => {
    if (visits === 0) return 0;
    const partOfPage = visits / (seen.get(page % count) ?? visits);
    const ofVisit = Math.max((squares + saleSquare * partOfPage) / visits - at(earnings, page) ** 2, 0);
    return ofVisit / visits;
  });
  const sizes = pages.map((page) => Math.max(effectiveSales(page), 1));
  const mean = weigh(parts, earnings);
  const drawnFrom = (weights: readonly number[]) =>
    Math.max(weigh(weights, squared(earnings)) - weigh(weights, earnings) ** 2, 0);
  const now = pages.map(({ visits }) => visits / all.visits);
  const ofDraws = drawnFrom(now) / all.visits + drawnFrom(parts) / counted;
  const halfOf = (weights: readonly number[], others: number) => {
    const own = variances.map((variance, page) => variance * at(weights, page) ** 2);
    const freedom = sum(own) ** 2 / sum(own.map((variance, page) => variance ** 2 / at(sizes, page)));
    return all.visits * studentDeviations(freedom) * Math.sqrt(sum(own) + others);
  };
  const ofVisit =
    weigh(
      parts,
      pages.map(({ visits, squares }) => (visits > 0 ? squares / visits : 0)),
    ) -
    mean ** 2;
  const half = halfOf(moved, ofDraws);
  const luck = halfOf(parts, Math.max(ofVisit, 0) / all.visits + drawnFrom(parts) / counted);
  const without = mean * all.visits;
  return {
    ...effectWithin(all.revenue, without, half),
    // Luck grows with what it is about, so it may bring more than the estimate by more than it takes: a few large sales are skew.
    withoutLow: without * Math.exp(-luck / without),
    withoutHigh: without + luck * (1 + luck / without),
  };
}

/** The visits of what is drawn for visitors, and the part of all that it would get; several may be of one page. */
export interface Draw {
  readonly page: number;
  readonly own: PageSample;
  readonly part: number;
}

/**
 * The same over runs of days between changes of shares, which have the same draws. Each page stands for the visitors of its own run,
 * since seasons and shares may change together. A run in which a page had no visitors shows nothing of it, and does not count if there
 * are others.
 */
export function effectOverRuns(runs: readonly (readonly Draw[])[], usual?: Paid, counted?: number): Otherwise | TooFew {
  const whole = runs.filter((draws) => draws.every(({ own, part }) => own.visits > 0 || part === 0));
  const draws = (whole.length > 0 ? whole : runs).flatMap((run) => {
    const { visits } = addSamples(run.map(({ own }) => own));
    return run.map((draw) => ({ ...draw, weight: draw.part * visits }));
  });
  const all = sum(draws.map(({ weight }) => weight));
  const effect = effectOfShares(
    draws.map(({ own }) => own),
    draws.map(({ weight }) => weight / all),
    counted,
    usual,
    runs[0]?.length,
  );
  return 'why' in effect && effect.page !== undefined ? { ...effect, page: at(draws, effect.page).page } : effect;
}

const squared = (values: readonly number[]) => values.map((value) => value ** 2);

const weigh = (weights: readonly number[], values: readonly number[]) =>
  sum(values.map((value, index) => value * at(weights, index)));

/** What changed and what it is compared with on one day, page by page. The size is the visits, or 1 where days are compared. */
export interface ComparedDay {
  readonly own: readonly Measured[];
  readonly others: readonly Measured[];
}

type Measured = Readonly<Record<'size' | 'sales' | 'money', number>>;

/** Fewer days show no scatter. */
const minDays = 6;

/** So many days in a row are left out together, because luck lasts from day to day. */
const blockDays = 2;

/**
 * Differences in differences: what was earned after a change against what it would have been if it had moved as the others did. Each
 * page is set against itself, so a new split alone moves nothing. The error is that of leaving out some days after the other
 * (jackknife), so it has what days differ by.
 */
export function effectByOthers(before: readonly ComparedDay[], after: readonly ComparedDay[]): Effect | TooFew {
  if (Math.min(before.length, after.length) < minDays) return { why: 'few-days' };
  const sides = [before, after].flatMap((days) => [addUp(days, 'own'), addUp(days, 'others')]);
  if (sides.some((pages) => sum(pages.map(({ sales }) => sales)) < minSalesOfSide)) return { why: 'few-sales' };
  const size = (days: readonly ComparedDay[]) => sum(addUp(days, 'own').map((page) => page.size));
  const differenceOf = (earlier: readonly ComparedDay[], later: readonly ComparedDay[]) => {
    const [own, others] = (['own', 'others'] as const).map((side) =>
      moneyAgainst(addUp(earlier, side), addUp(later, side)),
    );
    if (!own || !others) return Number.NaN;
    return ((own.money - own.expected * (others.money / others.expected)) / size(later)) * size(after);
  };
  const difference = differenceOf(before, after);
  const variance = sum(
    [before, after].map((days, isAfter) => {
      const parts = Array.from({ length: Math.floor(days.length / blockDays) }, (_, block) => {
        const rest = days.filter((_, day) => Math.floor(day / blockDays) !== block);
        return isAfter ? differenceOf(before, rest) : differenceOf(rest, after);
      });
      const mean = sum(parts) / parts.length;
      return ((parts.length - 1) / parts.length) * sum(parts.map((part) => (part - mean) ** 2));
    }),
  );
  if (!Number.isFinite(difference) || !Number.isFinite(variance)) return { why: 'few-sales' };
  const freedom = Math.floor(Math.min(before.length, after.length) / blockDays) - 1;
  const earned = sum(addUp(after, 'own').map(({ money }) => money));
  return effectWithin(earned, earned - difference, studentDeviations(freedom) * Math.sqrt(variance));
}

/** The pages of a side over some days. */
function addUp(days: readonly ComparedDay[], side: keyof ComparedDay): readonly Measured[] {
  return (days[0]?.[side] ?? []).map((_, page) => {
    const total = (measure: keyof Measured) => sum(days.map((day) => day[side][page]?.[measure] ?? 0));
    return { size: total('size'), sales: total('sales'), money: total('money') };
  });
}

/** What pages earned later, and would have at the rates of before; pages that were not there before are left out. */
function moneyAgainst(before: readonly Measured[], after: readonly Measured[]) {
  const seen = [...before.keys()].filter((page) => at(before, page).size > 0);
  const expected = seen.map((page) => (at(before, page).money / at(before, page).size) * at(after, page).size);
  return { money: sum(seen.map((page) => at(after, page).money)), expected: sum(expected) };
}

/** The 95% quantile of Student's t: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.5. */
function studentDeviations(freedom: number): number {
  const z = rangeDeviations;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

function effectWithin(earned: number, without: number, half: number): Effect {
  const difference = earned - without;
  return { earned, without, difference, low: difference - half, high: difference + half };
}
