import type { Figures } from '../past-figures.ts';

/** A column of a table that this server makes from figures. */
export interface FigureColumn {
  readonly name: string;
  readonly cell: (figures: Figures) => string | null;
}

/** A number of visits, clicks or conversions. */
export const count = (value: number | undefined): string | null => (value === undefined ? null : String(value));

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
  { name: 'Cost', cell: ({ cost }) => amount(cost) },
  { name: 'Revenue', cell: ({ revenue }) => amount(revenue) },
  { name: 'Profit', cell: ({ profit }) => amount(profit) },
  { name: 'CTR', cell: ({ clicks, views }) => amount(ratio(clicks, views, 100)) },
  { name: 'CR', cell: ({ conversions, clicks }) => amount(ratio(conversions, clicks, 100)) },
  { name: 'EPV', cell: ({ revenue, views }) => amount(ratio(revenue, views), 4) },
  { name: 'ROI', cell: ({ profit, cost }) => amount(ratio(profit, cost, 100)) },
  { name: 'CPA', cell: ({ cost, conversions }) => amount(ratio(cost, conversions)) },
];
