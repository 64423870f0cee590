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
  const days = [...(histories[0]?.days.keys() ?? [])];
  const totals = days.map((day) => sum(histories.map(({ counts }) => at(counts, day))));
  let quality = days.map(() => 1);
  let views: readonly number[] = plain;
  for (let round = 0; round < rounds; round += 1) {
    const expected = new Float64Array(days.length);
    views = histories.map((history) => {
      const own = history.days.reduce((seen, { views }, day) => seen + views * at(quality, day), 0);
      const rate = ratio(history.conversions, own);
      for (const [day, { views }] of history.days.entries()) expected[day] = (expected[day] ?? 0) + rate * views;
      return own;
    });
    quality = totals.map((total, day) => ratio(total, expected[day] ?? 0));
  }
  // Without a conversion there is no season; a page that has traffic has been seen.
  const factor = ratio(sum(plain), sum(views));
  return factor === 0 ? plain : views.map((value, page) => (value > 0 ? value * factor : at(plain, page)));
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
