import { countOf, type History, viewsOf } from './history.ts';

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
  const counts = histories.map((history) => history.map(({ conversions }) => countOf(conversions)));
  const days = histories[0]?.map((_, day) => day) ?? [];
  const total = days.map((day) => counts.reduce((sum, count) => sum + (count[day] ?? 0), 0));
  const viewsAt = (page: number, day: number) => histories[page]?.[day]?.views ?? 0;
  let quality = days.map(() => 1);
  let views: readonly number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    views = histories.map((history) => history.reduce((sum, { views }, day) => sum + views * (quality[day] ?? 0), 0));
    const rates = counts.map((count, page) => ratio(sum(count), views[page] ?? 0));
    quality = days.map((day) =>
      ratio(
        total[day] ?? 0,
        rates.reduce((expected, rate, page) => expected + rate * viewsAt(page, day), 0),
      ),
    );
  }
  const plain = histories.map(viewsOf);
  // Without a conversion there is no season; a page that has traffic has been seen.
  const factor = ratio(sum(plain), sum(views));
  return factor === 0 ? plain : views.map((value, page) => (value > 0 ? value * factor : (plain[page] ?? 0)));
}

/**
 * How much more the conversions of days scatter than chance alone has them: Pearson's chi-square over its degrees of freedom, given
 * rates of pages and sums of days; 1 where they do not.
 *
 * @param rates conversions per seasonal view, one a page
 */
export function dispersionOf(histories: readonly History[], rates: readonly number[]): number {
  let chiSquare = 0;
  let freedom = 1 - histories.length;
  for (const [day] of histories[0]?.entries() ?? []) {
    const cells = histories.map((history, page) => {
      const { views = 0, conversions = [] } = history[day] ?? {};
      return { count: countOf(conversions), weight: views * (rates[page] ?? 0) };
    });
    const filled = cells.filter(({ weight }) => weight > 0);
    const count = sum(filled.map((cell) => cell.count));
    const weights = sum(filled.map(({ weight }) => weight));
    if (count === 0 || filled.length < 2) continue;
    freedom += filled.length - 1;
    for (const cell of filled) {
      const expected = (count * cell.weight) / weights;
      chiSquare += (cell.count - expected) ** 2 / expected;
    }
  }
  return freedom > 0 ? Math.max(1, chiSquare / freedom) : 1;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
