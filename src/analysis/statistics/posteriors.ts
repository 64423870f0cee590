import type { MeanPayout } from './basis.ts';
import { at, sum } from './history.ts';

/** The posterior of what a page earns per view is lognormal: mean and standard deviation of the logarithm. */
export interface Posterior {
  readonly mean: number;
  readonly deviation: number;
}

/** The sums of a page that count: seasonal views, conversions, and what these were worth. */
export interface PageFigures {
  readonly views: number;
  readonly conversions: number;
  readonly worth: number;
}

/** How much pages of one campaign usually differ: the standard deviation of the logarithm of their earnings. */
const usualDeviation = 0.32;

/** The same for payouts, in which offers differ more than in how they convert. */
const usualPayoutDeviation = 0.5;

/** A page that lost money counts as earning this part of the mean, because a logarithm knows no loss. */
const minPart = 0.01;

/**
 * The posteriors of pages, shrunk towards each other as far as chance may have set them apart (normal shrinkage, Efron and Morris,
 * JASA 70, 1975). Each page is credited with one more conversion, of average worth and after the usual number of views.
 *
 * @param spread mean square of conversions' worth over its squared mean, 1 if all are worth the same
 * @param dispersion how many times more days scatter than by chance
 */
export function posteriorsOf(pages: readonly PageFigures[], spread: number, dispersion: number): readonly Posterior[] {
  const total = (measure: keyof PageFigures) => sum(pages.map((page) => page[measure]));
  const all = { views: total('views'), conversions: total('conversions'), worth: total('worth') };
  if (!(all.worth > 0))
    return pages.map(() => ({ mean: -Math.log(Math.max(all.views, 1)), deviation: usualDeviation }));
  const [earned, worth] = [all.worth / all.views, all.worth / all.conversions];
  const measured = pages.map((page) => ({
    mean: Math.log(Math.max((page.worth + worth) / (page.views + worth / earned), earned * minPart)),
    variance: (dispersion * spread) / (page.conversions + 1),
  }));
  const weights = measured.map(({ variance }) => 1 / (variance + usualDeviation ** 2));
  const center = sum(measured.map(({ mean }, page) => mean * (weights[page] ?? 0))) / sum(weights);
  return measured.map(({ mean, variance }) => {
    const weight = usualDeviation ** 2 / (usualDeviation ** 2 + variance);
    return { mean: center + weight * (mean - center), deviation: Math.sqrt(weight * variance) };
  });
}

/**
 * Posteriors of money, from the posteriors of conversions and their mean payouts, which are also shrunk. The unit is the mean payout,
 * so that they compare with conversions.
 *
 * @param payouts empty if there is no money
 */
export function earningsPosteriors(
  posteriors: readonly Posterior[],
  payouts: readonly MeanPayout[],
): readonly Posterior[] {
  const paid = payouts.filter(({ value }) => value > 0);
  if (paid.length === 0) return posteriors;
  const weightOf = ({ error }: MeanPayout) => usualPayoutDeviation ** 2 / (usualPayoutDeviation ** 2 + error ** 2);
  const center = sum(paid.map((payout) => weightOf(payout) * Math.log(payout.value))) / sum(paid.map(weightOf));
  return posteriors.map(({ mean, deviation }, page) => {
    const payout = at(payouts, page);
    // Without conversions the payout of a page is unknown; a page that lost money earns next to nothing.
    const isKnown = payout.value > 0;
    const weight = isKnown ? weightOf(payout) : payout.value < 0 ? 1 : 0;
    const distance = isKnown ? Math.log(payout.value) - center : Math.log(minPart);
    const error = isKnown ? payout.error : usualPayoutDeviation;
    return {
      mean: mean + weight * distance,
      deviation: Math.hypot(deviation, weight === 0 ? usualPayoutDeviation : Math.sqrt(weight) * error),
    };
  });
}

export function expectationOf({ mean, deviation }: Posterior): number {
  return Math.exp(mean + deviation ** 2 / 2);
}

/** Holds a value with a chance of 95%. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export function rangeOf({ mean, deviation }: Posterior): Range {
  return { low: Math.exp(mean - 1.96 * deviation), high: Math.exp(mean + 1.96 * deviation) };
}

/** The range of a rate times the mean payout, which has a relative error. */
export function rangeOfProduct({ mean, deviation }: Posterior, payout: MeanPayout): Range {
  const { low, high } = rangeOf({ mean, deviation: Math.hypot(deviation, payout.error) });
  const [from = 0, to = 0] = [low * payout.value, high * payout.value].sort((one, other) => one - other);
  return { low: from, high: to };
}

/** Points of the quadrature, and how many standard deviations around the means they cover. */
const points = 400;
const reach = 5;

/** The chance of each page to be the best, and the expected loss per view of choosing `chosen` instead of the best. */
export function chancesOf(
  posteriors: readonly Posterior[],
  chosen: number,
): { chances: readonly number[]; loss: number } {
  const edge = (sign: number) =>
    posteriors.reduce((max, { mean, deviation }) => Math.max(max, mean + sign * reach * deviation), -Infinity);
  const { mean, deviation } = posteriors[chosen] ?? { mean: 0, deviation: 0 };
  const from = Math.min(edge(-1), mean - reach * deviation);
  const step = (edge(1) - from) / points;
  const below = Float64Array.from(posteriors, (posterior) => cdf(posterior, from));
  // How much of a page is in this step, over how much is below it.
  const parts = new Float64Array(posteriors.length);
  const chances = new Float64Array(posteriors.length);
  let loss = 0;
  for (let point = 1; point <= points; point += 1) {
    const value = from + point * step;
    let allBelow = 1;
    let chosenBelow = 1;
    for (let page = 0; page < posteriors.length; page += 1) {
      const next = cdf(at(posteriors, page), value);
      const last = below[page] ?? 0;
      const middle = (next + last) / 2;
      parts[page] = (next - last) / middle;
      allBelow *= middle;
      if (page === chosen) chosenBelow = middle;
      below[page] = next;
    }
    for (let page = 0; page < posteriors.length; page += 1) {
      chances[page] = (chances[page] ?? 0) + (parts[page] ?? 0) * allBelow;
    }
    // If the chosen page earns less than this and another one more, choosing it loses this step.
    loss += (chosenBelow - allBelow) * (Math.exp(value) - Math.exp(value - step));
  }
  const total = chances.reduce((all, chance) => all + chance, 0);
  return { chances: Array.from(chances, (chance) => chance / total), loss };
}

/** The highest chance while the lead may be chance, and the lowest once it is not. */
const bounds = { open: 0.96, sure: 0.98 } as const;

/**
 * Chances as they are shown with a lead. Posteriors are of today alone, but the range of the lead holds under daily looks: a page has a
 * chance above 97.5% exactly if no other page can still earn as much.
 *
 * @param sure the page whose lead is beyond chance, if any
 */
export function chancesWithin(chances: readonly number[], sure: number | undefined): readonly number[] {
  const page = sure ?? chances.indexOf(Math.max(...chances));
  const chance = at(chances, page);
  const limited = sure === undefined ? Math.min(chance, bounds.open) : Math.max(chance, bounds.sure);
  if (limited === chance) return chances;
  const others = 1 - chance;
  return chances.map((before, index) => {
    if (index === page) return limited;
    return (1 - limited) * (others > 0 ? before / others : 1 / (chances.length - 1));
  });
}

/** Never 0, so that a product over many pages can be divided by each. */
function cdf({ mean, deviation }: Posterior, value: number): number {
  return Math.max(normalCdf((value - mean) / deviation), 1e-300);
}

/** The standard normal distribution: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.2.17, exact to 1e-7. */
export function normalCdf(value: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(value));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp(-(value ** 2) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return value > 0 ? 1 - tail : tail;
}
