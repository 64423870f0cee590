import { type Measure, measureOf } from '../../analysis/columns/measures.ts';

/** How the cells of a column are written for a person. */
export interface ColumnFormat {
  /** Digits behind the point; without it, as many as the column has at most. */
  readonly digits?: number;
  readonly isPercentage?: boolean;
  /** Whether thousands are separated: an ID or a year is no amount. */
  readonly isAmount?: boolean;
}

const counted: ColumnFormat = { isAmount: true };
const money: ColumnFormat = { digits: 2, isAmount: true };
/** What one view or click brings is often less than a cent. */
const moneyEach: ColumnFormat = { digits: 4, isAmount: true };
const percentage: ColumnFormat = { digits: 2, isPercentage: true, isAmount: true };

const formats: Readonly<Record<Measure, ColumnFormat>> = {
  views: counted,
  clicks: counted,
  subscribers: counted,
  conversions: counted,
  engaged: counted,
  revenue: money,
  cost: money,
  profit: money,
  cpa: money,
  cpsub: money,
  cpv: moneyEach,
  cpc: moneyEach,
  epv: moneyEach,
  epc: moneyEach,
  ppv: moneyEach,
  ctr: percentage,
  cr: percentage,
  roi: percentage,
};

/**
 * How a column is written, by its unit and by what its name measures: "Cost before" is a cost, and "Revenue change %" a
 * percentage.
 *
 * @param unit the unit that the cells came with, such as % or $
 * @param hasTotal whether the column was added up, which only amounts are
 */
export function formatOf(column: string, unit?: string, hasTotal = false): ColumnFormat {
  if (unit === '%' || /[%％]/.test(column)) return percentage;
  const measure = measureOf(column.replace(/ (before|change)$/i, ''));
  if (measure !== undefined) return formats[measure];
  return unit === undefined && !hasTotal ? {} : unit === undefined ? counted : money;
}

/** Writes a number of a column. */
export function writeNumber(value: number, { digits, isPercentage, isAmount }: ColumnFormat, usualDigits = 0): string {
  const text = String(value);
  if (text.includes('e')) return text;
  const written = value.toLocaleString('en-US', {
    minimumFractionDigits: digits ?? usualDigits,
    maximumFractionDigits: digits ?? usualDigits,
    useGrouping: isAmount === true,
  });
  return isPercentage ? `${written}%` : written;
}

/** The most digits behind the point that a number of these has. */
export function maxDigits(values: readonly number[]): number {
  return Math.max(0, ...values.map((value) => /^-?\d+\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0));
}
