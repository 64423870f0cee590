import type { DecimalMark } from '../../api/tracker-numbers.ts';
import { amountIn, parseAmount } from '../columns/amounts.ts';
import type { ReadColumn } from '../columns/times.ts';
import { withoutQuotes } from '../given-subids.ts';
import { type CellsOf, firstUnread, halfOfCells, holderOf, mostCells } from './column-cells.ts';
import { columnsOf, isPart, withoutPayouts } from './headings.ts';

/** The columns that may hold the payouts of a statement, and why none of them is known to. */
export interface AmountColumns {
  /** By their headings or cells, and those that hold numbers; empty if one is given. */
  readonly amountColumns: { readonly likely: readonly string[]; readonly possible: readonly string[] };
  /** The first amount that cannot be read, if none of a known column of payouts can. */
  readonly amountProblem: { readonly column: string; readonly cell: string } | undefined;
}

/** What makes a cell certain to be an amount, under any heading: a currency or cents. */
const surelyAmount = /[A-Z$€£¥₽₹₴₺₩฿₫]|[.,]\d{2}\D*$/i;

/**
 * Finds the column of the payouts: the given one, or the only one with such a heading; else none, and those that the tracker's amounts
 * may choose from.
 * @param others columns that hold something else
 */
export function findAmounts(
  columns: readonly string[],
  cellsOf: CellsOf,
  given: number | undefined,
  others: ReadonlySet<number | undefined>,
  hasHeading: boolean,
): { readonly amountIndex: number | undefined } & AmountColumns {
  const holds = holderOf(cellsOf, readMoney);
  const namesOf = (indexes: readonly number[]) => indexes.map((index) => columns[index] ?? '');
  const choose = (
    amountIndex: number | undefined,
    likely: readonly number[] = [],
    possible: readonly number[] = [],
  ) => ({
    amountIndex,
    amountColumns: { likely: namesOf(likely), possible: namesOf(possible) },
    amountProblem: undefined,
  });
  if (given !== undefined) return choose(given < 0 ? undefined : given);
  const named = (['payout', 'amount'] as const).map((meaning) =>
    columnsOf(columns, meaning).filter((index) => !others.has(index)),
  ) as [number[], number[]];
  const [payouts, amounts] = named.map((indexes) =>
    indexes.filter((index) => holds(index, halfOfCells)),
  ) as typeof named;
  const [payout, ...otherPayouts] = payouts;
  // What the visitor paid is no payout, and nor is a time.
  const excluded = new Set(noMoney.flatMap((meaning) => columnsOf(columns, meaning)));
  const unknown = [...columns.keys()].filter(
    (index) =>
      ![others, excluded, new Set(named.flat())].some((set) => set.has(index)) &&
      !isPart(columns[index] ?? '') &&
      holds(index, mostCells),
  );
  if (payout !== undefined)
    return choose(otherPayouts.length === 0 ? payout : undefined, payouts, [...amounts, ...unknown]);
  const unread = amounts.length > 0 ? undefined : firstUnread(named.flat(), columns, cellsOf, readMoney);
  if (unread) return { ...choose(undefined), amountProblem: unread };
  const sure = unknown.filter((index) => holds(index, mostCells, surelyAmount));
  const likely = [...amounts, ...sure];
  // Without headings there is nothing that could say what the only column of amounts is.
  const only = hasHeading ? amounts[0] : likely[0];
  return choose(likely.length === 1 ? only : undefined, likely, unknown);
}

/** Known headings of columns without payouts. */
const noMoney = [...withoutPayouts, 'type', 'status'] as const;

/** Amounts that are no percentages. */
function readMoney(cells: readonly string[]): ReadColumn {
  const read = readAmounts(cells);
  const values = read.values.map((value, row) => (/%/.test(cells[row]?.slice(-maxPercent) ?? '') ? undefined : value));
  return { ...read, values, isUnreadable: (row) => values[row] === undefined && (cells[row] ?? '').trim() !== '' };
}

const maxPercent = 3;

/** The amounts of a column. The whole column decides how to read each: a cell alone does not tell whether 1.234 is a thousand. */
interface AmountColumn extends ReadColumn {
  /** The sign or code next to each amount. */
  readonly currencies: readonly (string | undefined)[];
  /** The values with a decimal comma, and a cell with two readings, if nothing in the column decides. */
  readonly other: { readonly values: readonly (number | undefined)[]; readonly example: string } | undefined;
}

/** Reads amounts: with a currency on either side, thousands, a decimal point or comma, and losses as -1 or (1). */
export function readAmounts(cells: readonly string[], given?: DecimalMark, heading = ''): AmountColumn {
  const read = cells.map((cell) => withoutQuotes(cell.trim()));
  const areCents = read.map((cell) => cell.length < 60 && inCents.test(cell));
  const amounts = read.map((cell, row) => parseAmount(areCents[row] ? cell.replace(inCents, '').trim() : cell));
  const counts = { point: 0, comma: 0, open: 0 };
  let example = '';
  for (const amount of amounts) {
    if (amount?.mark === undefined) continue;
    counts[amount.isOpen ? 'open' : amount.mark] += 1;
    if (amount.isOpen) example ||= amount.written;
  }
  const isOpen = given === undefined && counts.open > 0 && counts.point + counts.comma === 0;
  const decimal = given ?? (counts.comma > counts.point ? 'comma' : 'point');
  const units = inCents.test(heading) || camelCents.test(heading) ? centsPerUnit : 1;
  const valuesWith = (mark: DecimalMark) =>
    amounts.map((amount, row) => {
      const value = amount && amountIn(amount, { decimal: mark, by: 'setting', readsOpenPoint: true });
      return value === undefined ? undefined : value / (areCents[row] ? centsPerUnit : units);
    });
  const values = valuesWith(decimal);
  return {
    values,
    isUnreadable: (row) => values[row] === undefined && (cells[row] ?? '').trim() !== '',
    currencies: amounts.map((amount) => (amount?.unit === '%' ? undefined : amount?.unit?.toUpperCase())),
    other: isOpen ? { values: valuesWith('comma'), example } : undefined,
    notices: [
      ...(decimal === 'comma' ? [{ code: 'decimal-comma' } as const] : []),
      ...(units === 1 ? [] : [{ code: 'amounts-in-cents', heading } as const]),
    ],
  };
}

const centsPerUnit = 100;

/** A heading or a cell in the hundredth part of a currency. */
const inCents =
  /(?<!\p{L})(?:(?:euro)?cents?|ct|centesimi|pence|pennies|centimes?|c[ée]ntimos?|centavos?|minor(?: units?)?)(?!\p{L})|¢|[([](?:c|1\/100 [A-Z]{3})[)\]]/iu;
const camelCents = /[a-z](?:Cents|Pence)(?![a-z])/;
