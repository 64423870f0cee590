import { memoize, plainName } from '../../api/text/names.ts';
import { isMoneyArgument, moneyArguments } from '../../api/vocabulary.ts';
import { type Measure, measureOf } from './measures.ts';

export interface ColumnFormat {
  /** Digits behind the point, at least; without it, as many as the column has at most. */
  readonly digits?: number;
  /** As many more digits behind the point as its largest number needs to have these. */
  readonly significantDigits?: number;
  readonly isPercentage?: boolean;
  /** Whether thousands are separated: an ID or a year is no amount. */
  readonly isAmount?: boolean;
  /** Whether its digits are those of dollars and cents, which other currencies have more or fewer of. */
  readonly isMoney?: boolean;
}

const counted: ColumnFormat = { isAmount: true };
const money: ColumnFormat = { digits: 2, isAmount: true, isMoney: true };
/** What one view or click brings is often less than a cent. */
const moneyEach: ColumnFormat = { ...money, significantDigits: 3 };
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

/** Columns of money that no report adds up: what a sale pays and what a visit may cost. */
const prices: ReadonlySet<string> = new Set(moneyArguments.flatMap((name) => [name, `${name}s`]));

/** The format of what a name measures: "Cost before" is a cost, and "Revenue change %" a percentage. */
const formatOfName = memoize((column): ColumnFormat | undefined => {
  if (/[%％]/.test(column)) return percentage;
  const measure = measureOf(column.replace(/ (before|change)$/i, ''));
  return measure && formats[measure];
});

/** How a column is written, by its name and its unit: %, a sign such as $, or a code. Only amounts are added up (hasTotal). */
export function formatOf(column: string, unit?: string, hasTotal = false): ColumnFormat {
  const format = unit === '%' ? percentage : formatOfName(column);
  // A price is shown as exactly as it is set.
  if (!format) return unit === undefined && !hasTotal ? {} : counted;
  const { digits, isMoney } = format;
  return isMoney && digits !== undefined && unit !== undefined
    ? { ...format, digits: Math.max(0, digits - usualMinorDigits + minorDigits(unit)) }
    : format;
}

/** Whether a column holds money, by its name. */
export function holdsMoney(column: string): boolean {
  return formatOfName(column)?.isMoney === true || prices.has(plainName(column));
}

const usualMinorDigits = 2;

/** Digits behind the point that amounts of a currency have: 0 of yen, 3 of Kuwaiti dinars. */
const minorDigits = memoize((unit): number => {
  if (!isCode(unit)) return usualMinorDigits;
  const { maximumFractionDigits } = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: unit,
  }).resolvedOptions();
  return maximumFractionDigits ?? usualMinorDigits;
});

/** Whether a unit is the code of a currency (ISO 4217), and no sign. */
export function isCode(unit: string): boolean {
  return /^[A-Z]{3}$/.test(unit);
}

/** Writes a number of a column. */
export function writeNumber(value: number, { digits = 0, isPercentage, isAmount }: ColumnFormat): string {
  const text = String(value);
  if (text.includes('e')) return text;
  const written = value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: isAmount === true,
  });
  return isPercentage ? `${written}%` : written;
}

const maxFractionDigits = 6;

/** Digits behind the point that all of a column's numbers are written with. */
export function digitsOf({ digits, significantDigits }: ColumnFormat, values: readonly number[]): number {
  if (digits === undefined) return maxDigits(values);
  const largest = Math.max(0, ...values.map(Math.abs));
  if (significantDigits === undefined || largest === 0) return digits;
  const needed = significantDigits - 1 - Math.floor(Math.log10(largest));
  return Math.max(digits, Math.min(needed, maxFractionDigits));
}

/** The most digits behind the point that a number of these has. */
export function maxDigits(values: readonly number[]): number {
  return Math.max(0, ...values.map((value) => /^-?\d+\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0));
}

/** An amount, in its currency if that is known. */
export function moneyInWords(amount: number, currency: string | undefined): string {
  return currency === undefined ? `${amount}` : `${amount} ${currency}`;
}

/** The currency that an answer without units says it is in: its query repeats what the answer was made with. */
export function currencyOf({ currency }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof currency === 'string' ? currency : undefined;
}

/** The word about the currency of values that stand without a unit, where any of these fields is money. */
export function moneyNotice(fields: readonly string[], currency: string | undefined): string[] {
  return currency !== undefined && fields.some(holdsMoney) ? [`Money is in ${currency}.`] : [];
}

/** The currency as a field beside the arguments of a write; no field if none of them is money, or it is not known. */
export function ownCurrency(given: Readonly<Record<string, unknown>>, currency: string | undefined) {
  return currency !== undefined && Object.keys(given).some(isMoneyArgument) ? { currency } : {};
}
