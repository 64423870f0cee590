import { at, type History, sum } from './history.ts';
import { liftWeights } from './wealth.ts';

/** How far the conversions of single days are from what the rates of pages and the sums of days predict. */
export interface Scatter {
  /** About one per day if the days vary by chance alone. */
  readonly chiSquare: number;
  /** The effective number of days: fewer than there were if some had most of the traffic. */
  readonly days: number;
}

export const chanceAlone: Scatter = { chiSquare: 0, days: Number.POSITIVE_INFINITY };

/** If only sums are known, the conversion rate of a page is assumed to vary by this part of it from day to day. */
const assumedNoise = 0.5;

/** An assumption is not in doubt, so it counts as this many observed days. */
const assumedDays = 1e6;

/** At most this part of a page's luck is assumed to last until the next day. */
const maxLasting = 0.8;

interface Deviation {
  /** Conversions above or below the expected number. */
  readonly off: number;
  /** The variance of `off` by chance alone. */
  readonly variance: number;
}

/** By day and page; days without variance are left out. */
function deviationsOf(histories: readonly History[], rates: readonly number[]): Deviation[][] {
  return Array.from(histories[0]?.days.keys() ?? [], (day) => {
    const weights = histories.map(({ days }, page) => at(days, day).views * at(rates, page));
    const count = sum(histories.filter((_, page) => at(weights, page) > 0).map(({ counts }) => at(counts, day)));
    const all = sum(weights);
    return histories.map(({ counts }, page) => {
      const part = all > 0 ? at(weights, page) / all : 0;
      return part > 0
        ? { off: at(counts, day) - count * part, variance: count * part * (1 - part) }
        : { off: 0, variance: 0 };
    });
  }).filter((pages) => pages.some(({ variance }) => variance > 0));
}

/**
 * How the days of some pages scatter. Days are weighted by their conversions, as in a bet: a single busy day can decide it. Hence the
 * effective number of days (Kish, Survey Sampling, 1965, section 11.2).
 *
 * Luck that lasts from day to day evens out more slowly. The part that lasts until the next day is what neighbouring days have in
 * common over their scatter beyond chance; the sum of many days then scatters (1 + lasting) / (1 - lasting) times as much beyond chance.
 *
 * @param rates conversions per seasonal view, by page
 */
export function scatterOf(histories: readonly History[], rates: readonly number[]): Scatter {
  const deviations = deviationsOf(histories, rates);
  const variances = deviations.map((pages) => sum(pages.map(({ variance }) => variance)));
  const expected = sum(variances);
  if (expected === 0) return { chiSquare: 0, days: 1 };
  const days = expected ** 2 / sum(variances.map((variance) => variance ** 2));
  const ratio = sum(deviations.flat().map(({ off }) => off ** 2)) / expected;
  // Fitting the rates uses up one day.
  const fitted = 1 - 1 / deviations.length;
  const beyondChance = Math.max(ratio / fitted - 1, 0);
  const lasting = beyondChance > 0 ? lastingLuck(deviations, fitted) : 0;
  return { chiSquare: (ratio + (beyondChance * 2 * lasting) / (1 - lasting)) * days, days };
}

/** The part of the luck that lasts until the next day, 0 to 0.8. */
function lastingLuck(deviations: readonly (readonly Deviation[])[], fitted: number): number {
  const units = deviations.map((pages) =>
    pages.map(({ off, variance }) => (variance > 0 ? off / Math.sqrt(variance) : 0)),
  );
  const squares = sum(units.flat().map((unit) => unit ** 2));
  const neighbours = sum(
    units.slice(1).flatMap((pages, day) => pages.map((unit, page) => unit * at(at(units, day), page))),
  );
  const chance = deviations.flat().filter(({ variance }) => variance > 0).length * fitted;
  if (squares <= chance) return 0;
  // Around a fitted mean, neighbours seem less alike than they are, by the square of one day.
  const common = neighbours + squares / deviations.length;
  return Math.min(Math.max(common / (squares - chance), 0), maxLasting);
}

/** The scatter that is assumed if only the sums of two pages are known. */
export function assumedScatter(sums: readonly [History, History], rates: readonly number[], dayCount: number): Scatter {
  const expected = sum(deviationsOf(sums, rates).flatMap((pages) => pages.map(({ variance }) => variance)));
  return { chiSquare: (1 + (assumedNoise ** 2 * expected) / dayCount) * assumedDays, days: assumedDays };
}

/** How many times more days scatter than by chance, at least 1; fitting the rates uses up one day. */
export function dispersionOf({ chiSquare, days }: Scatter): number {
  return days > 1 ? Math.max(1, chiSquare / (days - 1)) : 1;
}

/**
 * That days scatter beyond chance must explain them better by this much, in units of minus twice the log-likelihood, than chance alone:
 * most pages do not, and a lead seen in days that fit chance is not to be taken for scatter. A few days cannot tell, so they get less.
 */
const scatterPrice = { most: 3, perDay: 1 / 4 } as const;

/** Minus twice the log-likelihood of deviations, under the scatter that explains them best: chance alone, or more. */
function misfit(chiSquare: number, days: number): number {
  if (chiSquare <= days) return chiSquare;
  const price = Math.min(scatterPrice.most, days * scatterPrice.perDay);
  return Math.min(chiSquare, days * (1 + Math.log(chiSquare / days)) + price);
}

/**
 * The log wealth after allowing for scatter: the likelihood with the lead over the one without, each under the scatter that explains
 * it best. If days vary by chance alone nothing is lost; otherwise it is Student's t, so that few days weigh less than many.
 *
 * @param logs log likelihood ratios by lift, as if days varied by chance alone
 * @returns the logarithm of their weighted average
 */
export function logAverage(logs: readonly number[], { chiSquare, days }: Scatter): number {
  const withoutLead = chiSquare + 2 * Math.max(0, ...logs);
  const fits = logs.map((log) => -misfit(withoutLead - 2 * log, days) / 2);
  const max = Math.max(...fits);
  const mean = sum(fits.map((fit, lift) => at(liftWeights, lift) * Math.exp(fit - max)));
  return max + Math.log(mean) + misfit(withoutLead, days) / 2;
}

/** The standard normal deviation that chance exceeds in one of 20 cases. */
const rareDeviation = 1.645;

/**
 * Whether chance alone explains how a count per view differs between groups: a chi-square test. Undefined if there is nothing to
 * compare.
 */
export function differByChance(
  groups: readonly { readonly views: number; readonly count: number }[],
): boolean | undefined {
  const seen = groups.filter(({ views }) => views > 0);
  const rate = sum(seen.map(({ count }) => count)) / sum(seen.map(({ views }) => views));
  if (seen.length < 2 || !(rate > 0 && rate < 1)) return undefined;
  const freedom = seen.length - 1;
  const chiSquare = sum(seen.map(({ views, count }) => (count - views * rate) ** 2 / (views * rate * (1 - rate))));
  return deviationOf(chiSquare, freedom) < rareDeviation;
}

/** A chi-square as standard deviations of a normal variable: Wilson and Hilferty, "The distribution of chi-square", PNAS 17 (1931). */
export function deviationOf(chiSquare: number, freedom: number): number {
  const variance = 2 / (9 * freedom);
  return (Math.cbrt(chiSquare / freedom) - (1 - variance)) / Math.sqrt(variance);
}
