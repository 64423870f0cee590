import { at, type History, sum } from './history.ts';

/** Rounds after which views by season no longer move. */
const rounds = 15;

/**
 * Views as good as those of the average day: a page that had more of its traffic in a good week has had more than its count says.
 * Rates of pages and of days are fitted in turn until conversions agree with both, the maximum likelihood of independent Poisson
 * counts.
 *
 * @returns one number a page, with the sum of all views
 */
export function seasonalViews(histories: readonly History[]): readonly number[] {
  const plain = histories.map(({ views }) => views);
  const byDay = histories.map(({ days }) => Float64Array.from(days, ({ views }) => views));
  const dayCount = histories[0]?.days.length ?? 0;
  const totals = Array.from({ length: dayCount }, (_, day) => sum(histories.map(({ counts }) => at(counts, day))));
  const quality = new Float64Array(dayCount).fill(1);
  const views = new Float64Array(plain);
  for (let round = 0; round < rounds; round += 1) {
    const expected = new Float64Array(dayCount);
    for (const [page, own] of byDay.entries()) {
      let seen = 0;
      for (let day = 0; day < dayCount; day += 1) seen += (own[day] ?? 0) * (quality[day] ?? 0);
      views[page] = seen;
      const rate = ratio(at(histories, page).conversions, seen);
      for (let day = 0; day < dayCount; day += 1) expected[day] = (expected[day] ?? 0) + rate * (own[day] ?? 0);
    }
    for (const [day, total] of totals.entries()) quality[day] = ratio(total, expected[day] ?? 0);
  }
  // Without a conversion there is no season; a page that has traffic has been seen.
  const factor = ratio(
    sum(plain),
    views.reduce((total, own) => total + own, 0),
  );
  return factor === 0 ? plain : Array.from(views, (own, page) => (own > 0 ? own * factor : at(plain, page)));
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
