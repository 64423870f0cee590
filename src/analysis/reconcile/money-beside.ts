import { sum } from '../statistics/history.ts';
import type { CellsOf } from './column-cells.ts';
import { isSameAmount } from './compared-amounts.ts';
import { columnsOf, isPart, type Meaning, plainWord, plainWords, withoutPayouts } from './headings.ts';
import { deductionWords } from './line-words.ts';
import { kindInWords } from './not-sales.ts';
import { readAmounts } from './payout-column.ts';
import { happened } from './statuses.ts';

/** A column of money that is in no sum, and that nothing shows to be in the payouts or not. */
export interface MoneyBeside {
  readonly column: string;
  /** The lines in which it is not 0. */
  readonly count: number;
  /** Undefined if its lines are not of one currency. */
  readonly sum: number | undefined;
}

/** What columns with a known heading of these meanings hold is not taken from a payout, nor added to it. */
const apart: readonly Meaning[] = ['payout', 'amount', ...withoutPayouts];

const deductions = new Set(plainWords(deductionWords));

/** Whether a heading says that its column holds money beside the payouts, such as `Adjustment` or `Processing Fee (USD)`. */
const isBeside = (heading: string): boolean =>
  kindInWords(heading) === 'booking' ||
  happened(heading) !== undefined ||
  heading.split(/[^\p{L}\p{M}]+/u).some((word) => deductions.has(plainWord(word)));

/** Of more columns, those of sums are not looked for. */
const maxCompared = 50;

const hasCents = /[.,]\d{2}\D*$/;

/**
 * The columns of money beside the payouts: by their headings, or since they take money away.
 *
 * @param used columns whose meaning is known
 * @param payouts the column of the payouts
 * @param isSale whether a row is a sale
 */
export function moneyBeside(
  columns: readonly string[],
  cellsOf: CellsOf,
  used: ReadonlySet<number | undefined>,
  payouts: number | undefined,
  isSale: (row: number) => boolean,
): readonly MoneyBeside[] {
  const read = new Map<number, readonly (number | undefined)[]>();
  const amountsIn = (index: number) => {
    const known = read.get(index) ?? readAmounts(cellsOf(index), undefined, columns[index]).values;
    read.set(index, known);
    return known;
  };
  /** Whether the payouts are another column with this one added or taken off. */
  const isIncluded = (index: number) => {
    if (payouts === undefined || columns.length > maxCompared) return false;
    const [paid, beside] = [amountsIn(payouts), amountsIn(index)];
    const isSum = (before: readonly (number | undefined)[], sign: number) =>
      before.every((value, row) => {
        const sum = value === undefined ? undefined : value + sign * Math.abs(beside[row] ?? 0);
        return !isSale(row) || isSameAmount(sum, paid[row]);
      });
    return [...columns.keys()].some(
      (other) => other !== payouts && other !== index && [1, -1].some((sign) => isSum(amountsIn(other), sign)),
    );
  };
  const others = new Set([...used, ...apart.flatMap((meaning) => columnsOf(columns, meaning))]);
  return columns.flatMap((column, index): MoneyBeside[] => {
    if (others.has(index) || isPart(column)) return [];
    const cells = cellsOf(index).filter((cell, row) => cell !== '' && isSale(row));
    const { values, currencies } = readAmounts(cells, undefined, column);
    const amounts = values.filter((value) => value !== undefined);
    if (amounts.length * 2 <= cells.length) return [];
    const takesAway = amounts.some((value) => value < 0) && cells.some((cell) => hasCents.test(cell));
    const count = amounts.filter((value) => value !== 0).length;
    if (count === 0 || !(takesAway || isBeside(column)) || isIncluded(index)) return [];
    return [{ column, count, sum: new Set(currencies).size > 1 ? undefined : sum(amounts) }];
  });
}
