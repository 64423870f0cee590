import { maxDigits, readLongFraction } from '../../api/plain-numbers.ts';
import { ownValue } from '../../api/text/json.ts';
import type { DecimalMark, TrackerNumbers } from '../../api/tracker-numbers.ts';
import { currencyOfAffix, isOtherCurrency } from './formats.ts';

/** The only reader of numbers written as text: with a currency, separated thousands, a decimal point or comma. */

/** What a mark in a number proves, and the value for each decimal mark; `open` if the mark may also separate thousands. */
export interface Amount {
  /** The digits and marks as they are written. */
  readonly written: string;
  readonly isNegative: boolean;
  /** The digits before the mark, or all digits, without what separates thousands. */
  readonly whole: string;
  /** The digits after the mark; empty without one. */
  readonly fraction: string;
  /** The decimal mark, if only one fits. If it is open, the mark that is written. */
  readonly mark: DecimalMark | undefined;
  readonly isOpen: boolean;
  /** Whether a comma surely separates thousands. */
  readonly hasThousandsComma: boolean;
  /** A percent sign, or a currency as a sign, a code or a word. */
  readonly unit: string | undefined;
}

/** A longer text is no number. */
const maxLength = 60;

/** Reads a number as far as it can be read alone; undefined if it is none. Leading zeros make an ID and not a number. */
export function parseAmount(cell: string): Amount | undefined {
  const trimmed = cell.trim();
  if (trimmed.length > maxLength) return undefined;
  const text = trimmed.replace(invisible, '').replace(entity, decoded);
  if (scientific.test(text)) return parseScientific(text);
  let first = 0;
  while (first < text.length && !isDigit(text, first)) first += 1;
  if (first === text.length) return undefined;
  let end = text.length;
  while (!isDigit(text, end - 1)) end -= 1;
  const affixes = readAffixes(text.slice(0, first), text.slice(end));
  if (affixes) return withDigits(text.slice(first, end), affixes);
  // A point before the digits is a decimal mark, unless it ends an abbreviation such as Rs.
  const pointed = /[.,]$/.test(text.slice(0, first)) && readAffixes(text.slice(0, first - 1), text.slice(end));
  return pointed ? withDigits(text.slice(first - 1, end), pointed) : undefined;
}

/** Marks of writing direction, and of places where a line may break. */
const invisible = /[\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Entities of HTML beside digits, as in `312.50&nbsp;&euro;`. */
const entity = /&(?:#(\d{1,6})|([a-z]{2,6}));/g;

const entities: Readonly<Record<string, string>> = {
  ...{ nbsp: '\u00a0', thinsp: '\u2009', minus: '\u2212', ndash: '\u2013' },
  ...{ euro: '€', pound: '£', yen: '¥' },
};

const decoded = (whole: string, code: string | undefined, name = ''): string =>
  code === undefined ? (ownValue(entities, name) ?? whole) : String.fromCharCode(Number(code));

const scientific = /^[-+]?\d(?:\.\d{1,20})?e[-+]?\d{1,2}$/i;

/** `9.0e-5` as programs write small numbers; undefined if a spreadsheet may have rounded it, as in `1.25E+04`. */
function parseScientific(text: string): Amount | undefined {
  const [mantissa = '', exponent = ''] = text.toLowerCase().split('e');
  const [first = '', fraction = ''] = mantissa.replace(/^[-+]/, '').split('.');
  const shift = Number(exponent);
  const digits = first + fraction;
  if (shift > fraction.length) return undefined;
  const point = first.length + shift;
  const whole = point <= 0 ? '0' : digits.slice(0, point);
  const rest = point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point);
  const affixes = { isNegative: text.startsWith('-'), unit: undefined };
  return make(text, affixes, whole, rest, rest === '' ? undefined : 'point');
}

const [zero, nine] = [0x30, 0x39];

function isDigit(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= zero && code <= nine;
}

type Affixes = Pick<Amount, 'isNegative' | 'unit'>;

const bare: Affixes = { isNegative: false, unit: undefined };

/** Minus signs; a network may write a hyphen or a dash. */
const minus = /[-\u2010-\u2013\u2212\ufe63\uff0d]/g;

/** The affixes of recent numbers: a column has few different ones. */
const recentAffixes = new Map<string, Affixes | undefined>();
const maxRecent = 200;

/** What is written before and after the digits: one sign or brackets, one unit. */
function readAffixes(before: string, after: string): Affixes | undefined {
  if (before === '' && after === '') return bare;
  const key = `${before}0${after}`;
  if (recentAffixes.has(key)) return recentAffixes.get(key);
  const affixes = parseAffixes(before, after);
  if (recentAffixes.size >= maxRecent) recentAffixes.clear();
  recentAffixes.set(key, affixes);
  return affixes;
}

function parseAffixes(written: string, ending: string): Affixes | undefined {
  // The hyphen of `US-$` is no minus; `30,-`, `30/-` and `30.` have no cents.
  const before = written
    .replace(/(?<=\p{L})-(?=\p{Sc})/u, '')
    .replace(/^\(([A-Z]{3}|\p{Sc})\) |^([A-Z]{3}|\p{Sc}): ?$/u, '$1$2');
  const after = ending
    .replace(/^(?:[.,][-\u2013\u2014]{0,2}|\/-)/, '')
    .replace(/^ ?[([]([A-Z]{3}|\p{Sc})[)\]]$/u, '$1');
  const both = before + after;
  const minuses = both.match(minus)?.length ?? 0;
  const pluses = both.split('+').length - 1;
  const [opened, closed] = [before.split('(').length - 1, after.split(')').length - 1];
  if (opened !== closed || opened + minuses + pluses > 1 || after.includes('+')) return undefined;
  const [left = '', right = ''] = [before, after].map((part) => part.replace(minus, '').replace(/[\s+()]/g, ''));
  const unit = unitOf(left, right);
  return unit === null || both.length - left.length - right.length > maxSpace
    ? undefined
    : { isNegative: opened + minuses > 0, unit };
}

/** More spaces and signs than these are no part of a number. */
const maxSpace = 8;

/** The unit of a number; null if one of these is none. */
function unitOf(left: string, right: string): string | undefined | null {
  if (left === '' && right === '%') return right;
  const [one, other] = [left, right].map((text) => (text === '' ? undefined : (currencyIn(text) ?? null)));
  // `$12.50 US` writes one sign on both sides.
  if (one === null || other === null)
    return left === '' || right === '' ? null : (currencyOfAffix(right + left) ?? null);
  if (one === undefined || other === undefined) return one ?? other;
  // `$12.50 USD` names one currency twice.
  return isOtherCurrency(one, other) ? null : other.length > one.length ? other : one;
}

/** A currency as a sign, a code, or both: `USD$`, `$CAD`. */
function currencyIn(text: string): string | undefined {
  const known = currencyOfAffix(text);
  const [, letters, sign] = known === undefined ? (/^(\p{L}{2,3})(\p{Sc})$/u.exec(text) ?? []) : [];
  const [, signFirst = sign, lettersLast = letters] =
    known === undefined ? (/^(\p{Sc})(\p{L}{3})$/u.exec(text) ?? []) : [];
  const [code, other] = [lettersLast, signFirst].map((part) => part && currencyOfAffix(part));
  return known ?? (code && other && !isOtherCurrency(code, other) ? code : undefined);
}

const [point, comma] = ['.', ','];

/** Digits in groups of three, or of two before the last as in India, by what separates them. */
const grouped: Readonly<Record<string, RegExp>> = {
  '.': /^[1-9]\d{0,2}(?:\.\d{3})+$/,
  ',': /^(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3})$/,
  ' ': /^[1-9]\d{0,2}(?: \d{3})+$/,
  "'": /^[1-9]\d{0,2}(?:'\d{3})+$/,
};

const plainWhole = /^(?:0|[1-9]\d*)$/;

/** Digits without the separator of their thousands; undefined if they are not grouped by it. */
function ungroup(digits: string, separator: string): string | undefined {
  return grouped[separator]?.test(digits) ? digits.replaceAll(separator, '') : undefined;
}

function withDigits(written: string, affixes: Affixes): Amount | undefined {
  const digits = tidy(written);
  const last = Math.max(digits.lastIndexOf(point), digits.lastIndexOf(comma));
  const other = digits.includes(' ') ? ' ' : digits.includes("'") ? "'" : undefined;
  if (last < 0) return make(written, affixes, other ? ungroup(digits, other) : plainIn(digits), '', undefined);
  const [before, after] = [digits.slice(0, last), digits.slice(last + 1)];
  const mark = digits[last] === point ? 'point' : 'comma';
  const otherMark = mark === 'point' ? comma : point;
  if (before.includes(otherMark)) {
    // Both marks: the last is the decimal mark.
    const whole = other || !fractionDigits.test(after) ? undefined : ungroup(before, otherMark);
    return make(written, affixes, whole, after, mark, false, mark === 'point');
  }
  if (before.includes(digits[last] ?? '')) {
    const whole = other ? undefined : ungroup(digits, digits[last] ?? '');
    return make(written, affixes, whole, '', mark === 'point' ? 'comma' : 'point', false, mark === 'comma');
  }
  if (!fractionDigits.test(after)) return undefined;
  if (other) return make(written, affixes, ungroup(before, other), after, mark);
  const isOpen = after.length === 3 && groupStart.test(before);
  return make(written, affixes, plainIn(before === '' ? '0' : before), after, mark, isOpen);
}

const fractionDigits = /^\d{1,20}$/;
const groupStart = /^[1-9]\d{0,2}$/;

/** One kind of space and apostrophe. */
const tidy = (digits: string): string =>
  plainDigits.test(digits) ? digits : digits.replace(/\s/g, ' ').replaceAll('\u2019', "'");

const plainDigits = /^[\d.,]*$/;

/** One object literal: a spread for each cell took ten times as long. */
function make(
  written: string,
  { isNegative, unit }: Affixes,
  whole: string | undefined,
  fraction: string,
  mark: DecimalMark | undefined,
  isOpen = false,
  hasThousandsComma = false,
): Amount | undefined {
  if (whole === undefined) return undefined;
  if (!isExact(whole, fraction)) {
    if (fraction === '' || isOpen || whole.length > maxDigits) return undefined;
    const digits = Buffer.from(`${whole}.${fraction}`, 'latin1');
    const seen = { decimals: 0 };
    const value = readLongFraction(digits, 0, digits.length, seen);
    if (Number.isNaN(value)) return undefined;
    const [rounded = '', rest = ''] = value.toFixed(seen.decimals).split('.');
    return { written, isNegative, unit, whole: rounded, fraction: rest, mark, isOpen, hasThousandsComma };
  }
  return { written, isNegative, unit, whole, fraction, mark, isOpen, hasThousandsComma };
}

const plainIn = (digits: string): string | undefined => (plainWhole.test(digits) ? digits : undefined);

/** Whether a double holds all digits. */
function isExact(whole: string, fraction: string): boolean {
  return whole.length + fraction.length <= maxDigits || (whole + fraction).replace(/^0+/, '').length <= maxDigits;
}

/** How the numbers of an answer are written. */
export interface Notation {
  /** Undefined if nothing shows it, or cells contradict each other. */
  readonly decimal: DecimalMark | undefined;
  readonly by: 'cells' | 'setting' | 'numbers of JSON' | 'earlier answers' | 'nothing';
  /** Whether `1.234` can be read although no cell shows its mark. */
  readonly readsOpenPoint: boolean;
  /** Cells that contradict each other. */
  readonly contradiction?: readonly [point: string, comma: string];
}

/** The notation of what this server writes, and of programs: a point, and commas between thousands. */
export const usualNotation: Notation = { decimal: 'point', by: 'cells', readsOpenPoint: true };

/** What a cell says alone: `1,234` is open. */
export const bareNotation: Notation = { decimal: undefined, by: 'nothing', readsOpenPoint: true };

/**
 * The value of a number; undefined if the notation does not tell it, or it counts something and is not whole.
 * @param isCount whether the column counts something
 */
export function amountIn(amount: Amount, notation: Notation, isCount = false): number | undefined {
  const digits = digitsIn(amount, notation, isCount);
  if (digits === undefined || (isCount && !Number.isInteger(Number(digits)))) return undefined;
  // 0 - 0 is 0: a loss that rounds to nothing must not become -0.
  return amount.isNegative ? 0 - Number(digits) : Number(digits);
}

/** The digits of a number with a decimal point, without its sign; undefined if the notation does not tell them. */
export function digitsIn(amount: Amount, notation: Notation, isCount = false): string | undefined {
  const { mark, isOpen, whole, fraction } = amount;
  const { decimal, readsOpenPoint, contradiction } = notation;
  if (mark === undefined) return whole;
  const usual = contradiction ? undefined : 'point';
  if (!isOpen) return mark === (decimal ?? usual) ? joinDigits(whole, fraction) : undefined;
  if (mark === 'point' && !readsOpenPoint && !(isCount && decimal !== undefined)) return undefined;
  const read = decimal ?? (mark === 'point' ? usual : undefined);
  return read === undefined ? undefined : mark === read ? joinDigits(whole, fraction) : whole + fraction;
}

const joinDigits = (whole: string, fraction: string): string => (fraction === '' ? whole : `${whole}.${fraction}`);

/** The decimals that a number shows. */
export function decimalsOf({ mark, isOpen, fraction }: Amount, { decimal = 'point' }: Notation): number {
  return isOpen && mark !== decimal ? 0 : fraction.length;
}

export const hasFraction = ({ fraction }: Pick<Amount, 'fraction'>): boolean => /[1-9]/.test(fraction);

/** What cells show about the notation. Columns of counts hold whole numbers: a mark before three digits separates thousands. */
export class Evidence {
  /** A cell for each decimal mark that it proves: by its form, or because a count is a whole number. */
  readonly byForm = new Map<DecimalMark, string>();
  readonly byCount = new Map<DecimalMark, string>();
  /** A cell whose mark may be either, by the mark that is written. */
  readonly open = new Map<DecimalMark, string>();
  hasThousandsComma = false;
  hasFraction = false;
  /** Whether some numbers are no texts, and have a point. They show how texts are written only if nothing else does. */
  hasTypedPoint = false;

  add(text: string, { mark, isOpen, fraction, hasThousandsComma }: Amount): void {
    this.hasThousandsComma ||= hasThousandsComma;
    this.hasFraction ||= !isOpen && hasFraction({ fraction });
    if (mark !== undefined) setOnce(isOpen ? this.open : this.byForm, mark, text);
  }

  /** Adds what a column shows. @param isCount whether it counts something */
  addColumn(column: Evidence, isCount: boolean): void {
    this.hasThousandsComma ||= column.hasThousandsComma;
    this.hasTypedPoint ||= column.hasTypedPoint;
    // A count such as 1,4 shows no mark, and nor does 1,0000: it may be 1,000 with a digit too many.
    const isBroken = isCount && column.hasFraction;
    for (const [mark, text] of column.byForm)
      if (!isBroken && (!isCount || !/,0{4}/.test(text))) setOnce(this.byForm, mark, text);
    const isWhole = isCount && !isBroken;
    if (isWhole && column.open.has('comma')) this.hasThousandsComma = true;
    for (const [mark, text] of column.open) {
      if (isWhole) setOnce(this.byCount, mark === 'point' ? 'comma' : 'point', text);
      else setOnce(this.open, mark, text);
    }
  }

  /** Adds what is known of a column of plain numbers: the largest number of decimals. Three are open. */
  addPlain(decimals: number, exampleOf: () => string): void {
    if (decimals === 0 || decimals === 3) return;
    if (!this.byForm.has('point')) this.byForm.set('point', exampleOf());
  }
}

function setOnce(map: Map<DecimalMark, string>, mark: DecimalMark, text: string): void {
  if (!map.has(mark)) map.set(mark, text);
}

/** The notation of an answer. What its own cells prove comes first; what else is known only helps if they prove nothing. */
export function decide(evidence: Evidence, numbers: TrackerNumbers): Notation {
  const { byForm, byCount, open, hasThousandsComma, hasTypedPoint } = evidence;
  const proven = new Map([...byCount, ...byForm]);
  const [pointCell, commaCell] = [proven.get('point'), proven.get('comma')];
  const { set, learned } = numbers;
  const isContradiction = pointCell !== undefined && commaCell !== undefined;
  // Plain numbers next to formatted ones prove a point, so a configured comma still holds for the formatted ones.
  if (set !== undefined && (isContradiction || byForm.size === 0 || set === 'comma'))
    return { decimal: set, by: 'setting', readsOpenPoint: set === 'point' || !byForm.has('point') };
  if (isContradiction)
    return { decimal: undefined, by: 'nothing', readsOpenPoint: false, contradiction: [pointCell, commaCell] };
  if (commaCell !== undefined) {
    numbers.learn('comma');
    return { decimal: 'comma', by: 'cells', readsOpenPoint: byForm.has('comma') };
  }
  if (pointCell !== undefined) {
    // A plain decimal point may be the form of programs: only a comma between thousands shows how the tracker writes.
    if (hasThousandsComma) numbers.learn('point');
    return { decimal: 'point', by: 'cells', readsOpenPoint: true };
  }
  if (hasTypedPoint && !numbers.hasSeenComma) return { decimal: 'point', by: 'numbers of JSON', readsOpenPoint: true };
  if (learned !== undefined) return { decimal: learned, by: 'earlier answers', readsOpenPoint: learned === 'point' };
  const isDoubtful = open.has('comma') || numbers.hasSeenComma;
  return { decimal: undefined, by: 'nothing', readsOpenPoint: !isDoubtful };
}
