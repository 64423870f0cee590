import type { Figures } from '../past-figures.ts';

/** A column of a table that this server makes from figures. */
export interface FigureColumn {
  readonly name: string;
  readonly cell: (figures: Figures) => string | null;
  /** Digits behind the point that are shown, where the cell holds more. */
  readonly digits?: number;
}

/** How many digits the columns of a table show, by name. */
export function shownDigits(columns: readonly Pick<FigureColumn, 'name' | 'digits'>[]): ReadonlyMap<string, number> {
  return new Map(columns.flatMap(({ name, digits }) => (digits === undefined ? [] : [[name, digits] as const])));
}

/** A number of visits, clicks or conversions. */
export const count = (value: number | undefined): string | null => (value === undefined ? null : String(value));

/** An amount of money, to all its digits: rows that are rounded one by one do not add up to the sum of the report. */
export const money = (value: number | undefined): string | null => amount(value, 6);

/** Digits of money behind the point, as it is shown. */
export const moneyDigits = 2;

/** The word about empty cells of ratios; none where every ratio has a value. */
export function emptyRatioNotice(all: Iterable<Figures>): string[] {
  const isZero = ({ views, clicks, conversions, cost }: Figures) => [views, clicks, conversions, cost].includes(0);
  if (![...all].some(isZero)) return [];
  return ['A ratio is empty where there were no views, clicks, conversions or cost to divide by: that is not 0.'];
}

/** An amount or a ratio, with a fixed number of digits behind the point. */
export const amount = (value: number | undefined, digits = 2): string | null =>
  value === undefined ? null : value.toFixed(digits);

/** A ratio; over nothing it is absent, since 0 would be taken for a result. */
export function ratio(part: number | undefined, whole: number | undefined, factor = 1): number | undefined {
  return part === undefined || whole === undefined || whole === 0 ? undefined : (part / whole) * factor;
}

/** The ratios by their formulas: "Vocabulary and formulas" of the facts about trackers. CTR, CR and ROI are in percent. */
export const figureColumns: readonly FigureColumn[] = [
  { name: 'Views', cell: ({ views }) => count(views) },
  { name: 'Clicks', cell: ({ clicks }) => count(clicks) },
  { name: 'Conversions', cell: ({ conversions }) => count(conversions) },
  { name: 'Cost', cell: ({ cost }) => money(cost), digits: moneyDigits },
  { name: 'Revenue', cell: ({ revenue }) => money(revenue), digits: moneyDigits },
  { name: 'Profit', cell: ({ profit }) => money(profit), digits: moneyDigits },
  { name: 'CTR', cell: ({ clicks, views }) => amount(ratio(clicks, views, 100)) },
  { name: 'CR', cell: ({ conversions, clicks }) => amount(ratio(conversions, clicks, 100)) },
  { name: 'EPV', cell: ({ revenue, views }) => amount(ratio(revenue, views), 4) },
  { name: 'ROI', cell: ({ profit, cost }) => amount(ratio(profit, cost, 100)) },
  { name: 'CPA', cell: ({ cost, conversions }) => amount(ratio(cost, conversions)) },
];
