/** What a report says about one page over some days. */
export interface PageSums {
  readonly views: number;
  readonly conversions: number;
  /** Below 0 where chargebacks exceed what was earned. */
  readonly revenue: number;
}

/** One day of all pages, in the order of the pages. */
export interface Day {
  /** YYYY-MM-DD */
  readonly date: string;
  readonly pages: readonly PageSums[];
}

/** Conversions that are worth the same: their payout, or 1 where conversions are counted. */
export interface Worth {
  readonly value: number;
  readonly count: number;
}

/** One page on one day, or over a whole period where its days are not known. */
export interface PageDay {
  readonly views: number;
  readonly conversions: readonly Worth[];
}

/** One page by day; all pages of a comparison have the same days. */
export type History = readonly PageDay[];

export function countOf(worths: readonly Worth[]): number {
  return worths.reduce((sum, { count }) => sum + count, 0);
}

export function sumOf(worths: readonly Worth[]): number {
  return worths.reduce((sum, { value, count }) => sum + value * count, 0);
}

export function squaresOf(worths: readonly Worth[]): number {
  return worths.reduce((sum, { value, count }) => sum + value * value * count, 0);
}

/** Everything a page was paid, whatever the day. */
export function worthsOf(history: History): readonly Worth[] {
  return history.flatMap(({ conversions }) => conversions);
}

export function viewsOf(history: History): number {
  return history.reduce((sum, { views }) => sum + views, 0);
}
