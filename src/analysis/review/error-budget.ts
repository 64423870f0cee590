/** How often the looks of a review may be wrong. */

import { isOfNone, type Look } from './looks.ts';

/** The max number of findings per week that are due to chance, over the whole account. */
export const falseFindingsPerWeek = 1;

/** The max number of reviews per week that share this budget. */
const reviewsPerWeek = 7;

/** The part of the budget that is for what has stopped, since nothing else loses so much so fast. */
const partOfStops = 0.5;

/** Few campaigns have much of the budget each, but what chance brings more often than this is no finding. */
const maxOfNone = 0.004;

/** Whether a look had something to look at. */
export const isLook = ({ chance }: Look): boolean => chance > 0;

/**
 * Tells whether a look found trouble that chance does not explain: all together are wrong as often as the budget allows.
 *
 * @param part how much of the budget they get, 0 to 1
 */
export function sureOf(all: readonly Look[], part = 1): (look: Look) => boolean {
  const looks = all.filter(isLook);
  const budget = (falseFindingsPerWeek * part) / reviewsPerWeek;
  const largest = largestOfNone(looks, budget * partOfStops);
  // Bonferroni: each has an equal part.
  const max = (budget * (1 - partOfStops)) / Math.max(looks.filter(({ isOnlyNone }) => !isOnlyNone).length, 1);
  const maxOf = (look: Look) => (look.isOnlyNone ? largest : isOfNone(look) ? Math.max(largest, max) : max);
  return (look) => !look.isWell && look.chance <= maxOf(look);
}

/**
 * The chance up to which nothing at all is no chance. Each look can show it with a few chances only, the largest of which is how often it
 * is wrong, so that many visits use hardly anything of a budget (P. H. Westfall and R. D. Wolfinger, "Multiple tests with discrete
 * distributions", 1997).
 */
function largestOfNone(looks: readonly Look[], budget: number): number {
  // Most are far more likely.
  const chances = looks
    .flatMap(({ none = [] }, look) => none.flatMap((chance) => (chance > maxOfNone ? [] : { look, chance })))
    .sort((one, other) => one.chance - other.chance);
  const used = new Map<number, number>();
  let [sum, largest, before] = [0, 0, 0];
  for (const { look, chance } of chances) {
    // What is equally likely is told of all looks or of none.
    if (chance > largest) [before, largest] = [largest, chance];
    sum += chance - (used.get(look) ?? 0);
    if (sum > budget) return before;
    used.set(look, chance);
  }
  return largest;
}
