import type { MeanPayout } from './basis.ts';
import { at, sum } from './history.ts';

/** What is believed of what a page earns per view: its logarithm is normal. */
export interface Belief {
  readonly mean: number;
  readonly deviation: number;
}

/** What counts of a page: views as good as those of the average day, conversions, and what these were worth. */
export interface PageFigures {
  readonly views: number;
  readonly conversions: number;
  readonly worth: number;
}

/** How far apart pages of one campaign usually are: the standard deviation of the logarithm of what they earn. */
const usualDeviation = 0.32;

/** A page that has lost money is still taken to earn a little: a logarithm knows no loss. */
const minPart = 0.01;

/** Points of the quadrature. */
const points = 400;

/** How many standard deviations of a belief are looked at. */
const reach = 5;

/**
 * Beliefs about pages, drawn towards each other as far as chance may have set them apart (normal shrinkage, Efron and Morris,
 * JASA 70, 1975). Each page is given one more conversion, of average worth and after as many views as one takes.
 *
 * @param spread mean square of conversions’ worth over its squared mean, 1 where all are worth the same
 * @param dispersion how much more days scatter than chance has them
 */
export function believe(pages: readonly PageFigures[], spread: number, dispersion: number): readonly Belief[] {
  const total = (measure: keyof PageFigures) => sum(pages.map((page) => page[measure]));
  const all = { views: total('views'), conversions: total('conversions'), worth: total('worth') };
  if (!(all.worth > 0))
    return pages.map(() => ({ mean: -Math.log(Math.max(all.views, 1)), deviation: usualDeviation }));
  const [earned, worth] = [all.worth / all.views, all.worth / all.conversions];
  const seen = pages.map((page) => ({
    mean: Math.log(Math.max((page.worth + worth) / (page.views + worth / earned), earned * minPart)),
    variance: (dispersion * spread) / (page.conversions + 1),
  }));
  const weights = seen.map(({ variance }) => 1 / (variance + usualDeviation ** 2));
  const center = sum(seen.map(({ mean }, page) => mean * (weights[page] ?? 0))) / sum(weights);
  return seen.map(({ mean, variance }) => {
    const weight = usualDeviation ** 2 / (usualDeviation ** 2 + variance);
    return { mean: center + weight * (mean - center), deviation: Math.sqrt(weight * variance) };
  });
}

/** The same for what a conversion pays, which offers differ in more than in how they convert. */
const usualPayoutDeviation = 0.5;

/**
 * Beliefs about money from those about conversions, by what these pay on average, drawn towards each other likewise. In units of the
 * mean payout, so that they can be set beside conversions.
 *
 * @param payouts none if there is no money to know of
 */
export function believeEarnings(beliefs: readonly Belief[], payouts: readonly MeanPayout[]): readonly Belief[] {
  const paid = payouts.filter(({ value }) => value > 0);
  if (paid.length === 0) return beliefs;
  const weightOf = ({ error }: MeanPayout) => usualPayoutDeviation ** 2 / (usualPayoutDeviation ** 2 + error ** 2);
  const center = sum(paid.map((payout) => weightOf(payout) * Math.log(payout.value))) / sum(paid.map(weightOf));
  return beliefs.map(({ mean, deviation }, page) => {
    const payout = at(payouts, page);
    // Without a conversion nothing is known of what one pays, and a page that lost money earns a little.
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

/** The expectation of what a page earns per view. */
export function expectationOf({ mean, deviation }: Belief): number {
  return Math.exp(mean + deviation ** 2 / 2);
}

/** What something lies between with a chance of 95%. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export function rangeOf({ mean, deviation }: Belief): Range {
  return { low: Math.exp(mean - 1.96 * deviation), high: Math.exp(mean + 1.96 * deviation) };
}

/** The range of a rate times what each is worth, which is known up to a relative error. */
export function rangeOfProduct({ mean, deviation }: Belief, worth: { value: number; error: number }): Range {
  const { low, high } = rangeOf({ mean, deviation: Math.hypot(deviation, worth.error) });
  const [from = 0, to = 0] = [low * worth.value, high * worth.value].sort((one, other) => one - other);
  return { low: from, high: to };
}

/** The chance of each page to be the best, and what choosing `chosen` is expected to give away per view against the best. */
export function chancesOf(beliefs: readonly Belief[], chosen: number): { chances: readonly number[]; loss: number } {
  const edge = (sign: number) =>
    beliefs.reduce((max, { mean, deviation }) => Math.max(max, mean + sign * reach * deviation), -Infinity);
  const own = beliefs[chosen] ?? { mean: 0, deviation: 0 };
  const from = Math.min(edge(-1), own.mean - reach * own.deviation);
  const step = (edge(1) - from) / points;
  const below = Float64Array.from(beliefs, (belief) => cumulative(belief, from));
  // How much of a page lies in this step, over how much lies below it.
  const parts = new Float64Array(beliefs.length);
  const chances = new Float64Array(beliefs.length);
  let loss = 0;
  for (let point = 1; point <= points; point += 1) {
    const value = from + point * step;
    let allBelow = 1;
    let chosenBelow = 1;
    for (let page = 0; page < beliefs.length; page += 1) {
      const next = cumulative(at(beliefs, page), value);
      const last = below[page] ?? 0;
      const middle = (next + last) / 2;
      parts[page] = (next - last) / middle;
      allBelow *= middle;
      if (page === chosen) chosenBelow = middle;
      below[page] = next;
    }
    for (let page = 0; page < beliefs.length; page += 1) {
      chances[page] = (chances[page] ?? 0) + (parts[page] ?? 0) * allBelow;
    }
    // Where the chosen page earns less than this and some other more, choosing it gives this step away.
    loss += (chosenBelow - allBelow) * (Math.exp(value) - Math.exp(value - step));
  }
  const total = chances.reduce((all, chance) => all + chance, 0);
  return { chances: Array.from(chances, (chance) => chance / total), loss };
}

/**
 * Chances as they are shown beside a lead. Beliefs are of today alone, the range of the lead withstands being looked at every day: the
 * chance of a page is above 97.5% exactly if that range rules out that another earns as much.
 *
 * @param sure the page whose lead is beyond chance, if there is one
 */
export function chancesWithin(chances: readonly number[], sure: number | undefined): readonly number[] {
  const page = sure ?? chances.indexOf(Math.max(...chances));
  const chance = at(chances, page);
  const limited = sure === undefined ? Math.min(chance, bounds.open) : Math.max(chance, bounds.sure);
  if (limited === chance) return chances;
  const others = 1 - chance;
  return chances.map((own, index) => {
    if (index === page) return limited;
    return (1 - limited) * (others > 0 ? own / others : 1 / (chances.length - 1));
  });
}

/** What a chance is at most while the lead may be chance, and at least once it is not. */
const bounds = { open: 0.96, sure: 0.98 } as const;

/** Never 0, so that a product of many pages can be divided by each. */
function cumulative({ mean, deviation }: Belief, value: number): number {
  return Math.max(normalCumulative((value - mean) / deviation), 1e-300);
}

/** The standard normal distribution: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.2.17, exact to 1e-7. */
export function normalCumulative(value: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(value));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp(-(value ** 2) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return value > 0 ? 1 - tail : tail;
}
