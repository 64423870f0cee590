import { at, type History, sum } from './history.ts';

/** How far the conversions of days are from what rates of pages and sums of days have them at. */
export interface Scatter {
  /** In units of chance: about one a day where chance is all there is. */
  readonly chiSquare: number;
  /** How many equal days say so: fewer than there were where some had most of the traffic. */
  readonly days: number;
}

/** What a page converts on a day varies by this part of it, as far as nobody can see. */
const assumedNoise = 0.5;

/** As if so many days had been seen: what is assumed is not in doubt. */
const assumedDays = 1e6;

interface Deviations {
  /** Squares as they were, and as chance has them. */
  readonly seen: number;
  readonly expected: number;
  readonly days: number;
}

/**
 * Days count by their conversions, as they do in a bet: a day with most of them makes the verdict, and by then little is known of how
 * days scatter. Hence the number of equal days (Kish, Survey Sampling, 1965, section 11.2).
 *
 * @param rates conversions per seasonal view, one a page
 */
function deviationsOf(histories: readonly History[], rates: readonly number[]): Deviations {
  let [seen, expected, squares] = [0, 0, 0];
  for (const day of histories[0]?.days.keys() ?? []) {
    let [count, weights] = [0, 0];
    for (const [page, history] of histories.entries()) {
      const weight = at(history.days, day).views * at(rates, page);
      if (!(weight > 0)) continue;
      count += at(history.counts, day);
      weights += weight;
    }
    if (!(count > 0)) continue;
    let variance = 0;
    for (const [page, history] of histories.entries()) {
      const part = (at(history.days, day).views * at(rates, page)) / weights;
      if (!(part > 0)) continue;
      variance += count * part * (1 - part);
      seen += (at(history.counts, day) - count * part) ** 2;
    }
    expected += variance;
    squares += variance ** 2;
  }
  return { seen, expected, days: squares > 0 ? expected ** 2 / squares : 1 };
}

/** How the days of some pages scatter. */
export function scatterOf(histories: readonly History[], rates: readonly number[]): Scatter {
  const { seen, expected, days } = deviationsOf(histories, rates);
  return { chiSquare: expected > 0 ? (seen / expected) * days : 0, days };
}

/** How the days of two pages are taken to scatter of which only the sums are known. */
export function assumedScatter(sums: readonly [History, History], rates: readonly number[], dayCount: number): Scatter {
  const { expected } = deviationsOf(sums, rates);
  return { chiSquare: (1 + (assumedNoise ** 2 * expected) / dayCount) * assumedDays, days: assumedDays };
}

/** How many times more days scatter than chance has them, at least 1; rates that were fitted take one of the days. */
export function dispersionOf({ chiSquare, days }: Scatter): number {
  return days > 1 ? Math.max(1, chiSquare / (days - 1)) : 1;
}

/** Minus twice the logarithm of the likelihood of deviations, under the scatter that explains them best: chance alone, or more. */
function misfit(chiSquare: number, days: number): number {
  return chiSquare <= days ? chiSquare : days * (1 + Math.log(chiSquare / days));
}

/**
 * What evidence for a lead comes to where it is set against days that scatter: the likelihood with the lead over the one without,
 * each under the scatter that explains it best. Where even without the lead days scatter no more than by chance, nothing is lost; where
 * they scatter, it is what Student's t makes of it, so that few days weigh less than many.
 *
 * @param logs likelihood ratios by lift, as chance alone has them
 * @returns the logarithm of their average
 */
export function logAverage(logs: readonly number[], { chiSquare, days }: Scatter): number {
  const withoutLead = chiSquare + 2 * Math.max(0, ...logs);
  const fits = logs.map((log) => -misfit(withoutLead - 2 * log, days) / 2);
  const max = Math.max(...fits);
  const mean = sum(fits.map((fit) => Math.exp(fit - max))) / fits.length;
  return max + Math.log(mean) + misfit(withoutLead, days) / 2;
}
