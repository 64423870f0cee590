import { keptByName } from '../../api/text/kept-by-name.ts';
import { plainName } from '../../api/text/names.ts';
import { isMoneyArgument, moneyArguments } from '../../api/vocabulary.ts';
import { type Measure, measureOf } from './measures.ts';

export interface ColumnFormat {
  /** Min decimals; without it, as many as any number in the column has. */
  readonly digits?: number;
  /** Adds decimals until the largest number has this many digits. */
  readonly significantDigits?: number;
  readonly isPercentage?: boolean;
  /** Whether thousands are separated: not in an ID or a year. */
  readonly isAmount?: boolean;
  /** Whether `digits` is meant for dollars and cents; other currencies have more or fewer. */
  readonly isMoney?: boolean;
}

const counted: ColumnFormat = { isAmount: true };
const money: ColumnFormat = { digits: 2, isAmount: true, isMoney: true };
/** Money per view or click is often less than a cent. */
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

/** Money that no report adds up: the payout of a sale, and the bid for a visit. */
export const prices: ReadonlySet<string> = new Set(moneyArguments.flatMap((name) => [name, `${name}s`]));

/** The format for a column's name: "Cost before" is a cost, and "Revenue change %" a percentage. */
export const formatOfName = keptByName((column): ColumnFormat | undefined => {
  if (/[%％]/.test(column)) return percentage;
  const measure = measureOf(column.replace(/ (before|after|change)$/i, ''));
  return measure && formats[measure];
});

/** How to write a column, by its name and its unit: %, a sign such as $, or a code. A column with a total is an amount. */
export function formatOf(column: string, unit?: string, hasTotal = false): ColumnFormat {
  const format = unit === '%' ? percentage : formatOfName(column);
  // A price is shown exactly as it was set.
  if (!format) return unit === undefined && !hasTotal ? {} : counted;
  const { digits, isMoney } = format;
  return isMoney && digits !== undefined && unit !== undefined
    ? { ...format, digits: Math.max(0, digits - usualMinorDigits + minorDigits(unit)) }
    : format;
}

export function holdsMoney(column: string): boolean {
  return formatOfName(column)?.isMoney === true || prices.has(plainName(column));
}

const usualMinorDigits = 2;

/** Decimals of a currency's amounts: 0 for yen, 3 for Kuwaiti dinars. */
function minorDigits(unit: string): number {
  if (!isCode(unit)) return usualMinorDigits;
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: unit });
  return format.resolvedOptions().maximumFractionDigits ?? usualMinorDigits;
}

/** Whether a unit is the code of a currency (ISO 4217) and not a sign. */
export function isCode(unit: string): boolean {
  return /^[A-Z]{3}$/.test(unit);
}

/** The signs and words that mean a currency. Of several with one sign, the usual one comes first. Any other sign can mean any currency. */
const signsOfCode: Readonly<Record<string, string>> = {
  USD: '$ US$ $US USDT USDC dollar USDollar',
  CAD: '$ $CA C$ CA$ dollar',
  AUD: '$ $AU A$ AU$ dollar',
  NZD: '$ NZ$ dollar',
  SGD: '$ S$ SG$ dollar',
  HKD: '$ HK$ dollar',
  MXN: '$ MX$ Mex$',
  ARS: '$',
  CLP: '$',
  COP: '$',
  TWD: 'NT$',
  BRL: 'R$',
  EUR: '€ euro',
  GBP: '£ pound',
  EGP: '£',
  JPY: '¥ yen 円',
  CNY: '¥ CN¥ 元',
  AED: 'د.إ Dh',
  MAD: 'Dh',
  RUB: '₽ руб р',
  INR: '₹ Rs rupees',
  PKR: 'Rs',
  LKR: 'Rs',
  NPR: 'Rs',
  UAH: '₴ грн',
  TRY: '₺ TL',
  KRW: '₩',
  THB: '฿',
  VND: '₫',
  ILS: '₪',
  PHP: '₱',
  NGN: '₦',
  KZT: '₸',
  BTC: '₿ BTC',
  ETH: 'ETH',
  PLN: 'zł zl',
  CZK: 'Kč',
  SEK: 'kr',
  NOK: 'kr',
  DKK: 'kr',
  ISK: 'kr',
  HUF: 'Ft',
  CHF: 'Fr SFr',
  RON: 'lei Lei',
  BGN: 'лв',
  ZAR: 'R',
  MYR: 'RM',
  IDR: 'Rp',
  PEN: 'S/ S/.',
  KES: 'KSh',
  BOB: 'Bs',
};

const codesOfSign = new Map<string, string[]>();
for (const [code, signs] of Object.entries(signsOfCode))
  for (const sign of signs.split(' ')) codesOfSign.set(sign, [...(codesOfSign.get(sign) ?? []), code]);

let currencies: ReadonlyMap<string, string> | undefined;

/** The sign or code that is written next to an amount, in any letter case, such as `kr.` or `usd`; undefined if it is none. */
export function currencyOfAffix(written: string): string | undefined {
  currencies ??= new Map(
    [...Intl.supportedValuesOf('currency'), ...codesOfSign.keys()].map((name) => [name.toLowerCase(), name]),
  );
  const name = written
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\p{L})\.$/u, '');
  return currencies.get(name) ?? currencies.get(name.replace(/s$/, ''));
}

/** Whether two signs or codes cannot mean the same currency. */
export function isOtherCurrency(one: string, other: string): boolean {
  const [codes, otherCodes] = [one, other].map((text) => codesOfSign.get(text) ?? (isCode(text) ? [text] : undefined));
  return codes !== undefined && otherCodes !== undefined && !codes.some((code) => otherCodes.includes(code));
}

/** The name of a currency: the tracker's own name if both can be the same currency, otherwise the code. */
export function currencyName(written: string, own: string | undefined): string {
  if (own !== undefined && !isOtherCurrency(written, own)) return own;
  return codesOfSign.get(written)?.[0] ?? written;
}

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

/** Decimals to write all numbers of a column with. */
export function digitsOf({ digits, significantDigits }: ColumnFormat, values: readonly number[]): number {
  if (digits === undefined) return maxDigits(values);
  const largest = Math.max(0, ...values.map(Math.abs));
  if (significantDigits === undefined || largest === 0) return digits;
  const needed = significantDigits - 1 - Math.floor(Math.log10(largest));
  return Math.max(digits, Math.min(needed, maxFractionDigits));
}

/** The largest number of decimals among these numbers. */
export function maxDigits(values: readonly number[]): number {
  return Math.max(0, ...values.map((value) => /^-?\d+\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0));
}

/** The currency that an answer's query names, for answers without units. */
export function currencyOf({ currency }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof currency === 'string' ? currency : undefined;
}

/** A note with the currency, if any of these fields holds money. Their values have no unit. */
export function moneyNote(fields: readonly string[], currency: string | undefined) {
  return currency !== undefined && fields.some(holdsMoney) ? [{ code: 'money-in', currency } as const] : [];
}

/** The currency as a field next to a write's arguments; no field if none is money or the currency is unknown. */
export function currencyField(given: Readonly<Record<string, unknown>>, currency: string | undefined) {
  return currency !== undefined && Object.keys(given).some(isMoneyArgument) ? { currency } : {};
}
