import { at, type History, sum } from './history.ts';

/** How far the conversions of days are from what the rates of pages and the sums of days predict. */
export interface Scatter {
  /** In units of chance: about one a day if chance is all there is. */
  readonly chiSquare: number;
  /** As many equal days say so: fewer than there were if some had most of the traffic. */
  readonly days: number;
}

/** Days that scatter no more than chance has them. */
export const chanceAlone: Scatter = { chiSquare: 0, days: Number.POSITIVE_INFINITY };

/** If only sums are known, what a page converts on a day is taken to vary by this part of it. */
const assumedNoise = 0.5;

/** As if so many days had been seen: what is assumed is not in doubt. */
const assumedDays = 1e6;

/** At most so much of a page's luck is taken to be left on the next day. */
const maxKept = 0.8;

/** Of each page on each day: conversions above what is expected of it, and the variance that chance gives them. */
function deviationsOf(histories: readonly History[], rates: readonly number[]): { off: number; variance: number }[][] {
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
 * How the days of some pages scatter. Days count by their conversions, as they do in a bet: a day with most of them makes the verdict.
 * Hence the number of equal days (Kish, Survey Sampling, 1965, section 11.2).
 *
 * Luck that lasts from day to day evens out more slowly. How much of it is left on the next day is what neighbouring days have in common,
 * over what they scatter beyond chance; the sum of many days then scatters (1 + kept) / (1 - kept) times as much beyond chance.
 *
 * @param rates conversions per seasonal view, one a page
 */
export function scatterOf(histories: readonly History[], rates: readonly number[]): Scatter {
  const deviations = deviationsOf(histories, rates);
  const variances = deviations.map((pages) => sum(pages.map(({ variance }) => variance)));
  const expected = sum(variances);
  if (expected === 0) return { chiSquare: 0, days: 1 };
  const days = expected ** 2 / sum(variances.map((variance) => variance ** 2));
  const ratio = sum(deviations.flat().map(({ off }) => off ** 2)) / expected;
  // Rates that were fitted take one of the days.
  const fitted = 1 - 1 / deviations.length;
  const beyondChance = Math.max(ratio / fitted - 1, 0);
  const kept = beyondChance > 0 ? keptOf(deviations, fitted) : 0;
  return { chiSquare: (ratio + (beyondChance * 2 * kept) / (1 - kept)) * days, days };
}

/** How much luck is left on the next day, 0 to 0.8. */
function keptOf(deviations: ReturnType<typeof deviationsOf>, fitted: number): number {
  const units = deviations.map((pages) =>
    pages.map(({ off, variance }) => (variance > 0 ? off / Math.sqrt(variance) : 0)),
  );
  const squares = sum(units.flat().map((unit) => unit ** 2));
  const neighbours = sum(
    units.slice(1).flatMap((pages, day) => pages.map((unit, page) => unit * at(at(units, day), page))),
  );
  const chance = deviations.flat().filter(({ variance }) => variance > 0).length * fitted;
  if (squares <= chance) return 0;
  // Around a fitted mean, neighbours seem less alike than they are, by one day's square.
  const common = neighbours + squares / deviations.length;
  return Math.min(Math.max(common / (squares - chance), 0), maxKept);
}

/** How the days of two pages are taken to scatter of which only the sums are known. */
export function assumedScatter(sums: readonly [History, History], rates: readonly number[], dayCount: number): Scatter {
  const expected = sum(deviationsOf(sums, rates).flatMap((pages) => pages.map(({ variance }) => variance)));
  return { chiSquare: (1 + (assumedNoise ** 2 * expected) / dayCount) * assumedDays, days: assumedDays };
}

/** How many times more days scatter than by chance, at least 1; rates that were fitted take one of the days. */
export function dispersionOf({ chiSquare, days }: Scatter): number {
  return days > 1 ? Math.max(1, chiSquare / (days - 1)) : 1;
}

/** Minus twice the logarithm of the likelihood of deviations, under the scatter that explains them best: chance alone, or more. */
function misfit(chiSquare: number, days: number): number {
  return chiSquare <= days ? chiSquare : days * (1 + Math.log(chiSquare / days));
}

/**
 * What evidence for a lead comes to against days that scatter: the likelihood with the lead over the one without, each under the
 * scatter that explains it best. Days that scatter no more than by chance lose nothing; else it is Student's t, so that few days
 * weigh less than many.
 *
 * @param logs likelihood ratios by lift, as if chance were all there is
 * @returns the logarithm of their average
 */
export function logAverage(logs: readonly number[], { chiSquare, days }: Scatter): number {
  const withoutLead = chiSquare + 2 * Math.max(0, ...logs);
  const fits = logs.map((log) => -misfit(withoutLead - 2 * log, days) / 2);
  const max = Math.max(...fits);
  const mean = sum(fits.map((fit) => Math.exp(fit - max))) / fits.length;
  return max + Math.log(mean) + misfit(withoutLead, days) / 2;
}
