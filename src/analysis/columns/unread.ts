import { remedyFor, type Unread, unreadInWords } from '../../answer/table-notes.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { fromTracker, mention, rawText, type TrackerText } from '../../api/text/tracker-text.ts';
import { bareName, currencyOfName } from '../../api/vocabulary.ts';
import { groupBy } from '../statistics/history.ts';
import { holdsAmounts } from './amount-names.ts';
import { amountIn, hasFraction, parseAmount, usualNotation } from './amounts.ts';
import {
  holdsNames,
  isBlank,
  isEmptyColumn,
  type NumberColumn,
  nameOf,
  readLooseColumn,
  readNumbers,
  shownColumns,
} from './columns.ts';
import { currencyOfAffix, holdsMoney, isOtherCurrency } from './formats.ts';
import { measureOf } from './measures.ts';
import { isCount, notationIn } from './notation.ts';

/** Why a column cannot be read as numbers; undefined if it is read, holds names, or holds other texts by its name. */
function whyUnread(table: Table, column: number): Unread | undefined {
  if (readNumbers(table, column) || isEmptyColumn(table, column) || holdsNames(nameOf(table, column))) return undefined;
  const notation = notationIn(table, column);
  const [isWhole, isAmount] = [isCount(table, column), holdsAmounts(nameOf(table, column))];
  const units = new Map<string | undefined, string>();
  let text: string | undefined;
  for (const cell of table.column(column)) {
    if (isBlank(cell) || cell === null) continue;
    const written = rawText(cell);
    const amount = parseAmount(written);
    const value = amount && amountIn(amount, notation, isWhole);
    // A word such as `hidden` is no number, and not nothing.
    if (!amount && (isAmount || /\d/.test(written))) text ??= written;
    if (!amount) continue;
    if (value === undefined && notation.contradiction) return { why: 'contradiction', cells: notation.contradiction };
    if (value === undefined) {
      const isOpen = amount.isOpen && notation !== usualNotation;
      const isFraction = isWhole && !isOpen && hasFraction(amount);
      return { why: isFraction ? 'fraction' : isOpen ? 'open' : 'other mark', cells: [written] };
    }
    if (amount.unit !== undefined || value !== 0) units.set(amount.unit, units.get(amount.unit) ?? written);
  }
  if (text !== undefined) return { why: 'text', cells: [text] };
  return units.size > 1 ? { why: 'units', cells: [...units.values()].slice(0, 2) } : undefined;
}

const maxCell = 60;

/** A column that figures need and that cannot be read. */
export class UnreadFailure extends Failure {
  readonly unread: Unread;

  constructor(table: Table, column: number, unread: Unread) {
    const name = mention(table.columns[column] ?? fromTracker(''), maxCell);
    super(`${name} of ${mention(table.name, maxCell)} cannot be read: ${unreadInWords(unread)}.`, remedyFor(unread));
    this.unread = unread;
  }
}

/**
 * A column as numbers, for figures: undefined if it has none.
 * @throws UnreadFailure if cells that are filled cannot be read
 */
export function numbersForFigures(table: Table, column: number): Float64Array | undefined {
  if (holdsMoney(nameOf(table, column))) requireOneCurrency(table);
  const numbers = readNumbers(table, column);
  if (numbers?.unit === '%')
    throw new UnreadFailure(table, column, { why: 'percent', cells: [exampleIn(table, column)] });
  if (numbers) return numbers.values;
  refuseUnread(table, column);
  return undefined;
}

function exampleIn(table: Table, column: number): string {
  const cell = table.column(column).find((text) => text !== null && rawText(text).includes('%'));
  return cell ? rawText(cell) : '';
}

/**
 * @param why only for this reason
 * @throws UnreadFailure if cells that are filled cannot be read
 */
export function refuseUnread(table: Table, column: number, why?: Unread['why']): void {
  const unread = whyUnread(table, column);
  if (unread && (why === undefined || unread.why === why)) throw new UnreadFailure(table, column, unread);
}

/**
 * @throws Failure if a report has rows, and no column that measures something by its name: its figures are there under other names, or
 * inside its cells
 */
export function requireMeasures(report: Table): void {
  if (report.rowCount === 0 || report.columns.some((column) => measureOf(rawText(column)))) return;
  throw new Failure(
    `The ${mention(report.name, 60)} report has rows, and no column that is known to hold figures.`,
    `${columnsInWords(report)} get_stats shows it as it came.`,
  );
}

export function columnsInWords(table: Table): string {
  const columns = shownColumns(table).map((column) => JSON.stringify(column));
  return `Its columns are: ${columns.slice(0, maxNamed).join(', ')}.`;
}

/** Max columns named in an error. */
const maxNamed = 50;

/**
 * The currency of some columns, for figures that combine them: undefined if none is written.
 * @throws UnreadFailure if two are of different currencies
 */
export function unitOfMoney(table: Table, columns: ReadonlyMap<number, NumberColumn>): string | undefined {
  let unit = requireOneCurrency(table);
  for (const [column, { unit: own }] of columns) {
    if (own === undefined || own === '%') continue;
    if (unit !== undefined && isOtherCurrency(unit, own))
      throw new UnreadFailure(table, column, { why: 'units', cells: [unit, own] });
    unit ??= own;
  }
  return unit;
}

/**
 * The currency that the names of columns of money have, if any.
 * @throws UnreadFailure if they name different ones: nothing shows which is meant, and they have no sum
 */
export function requireOneCurrency(table: Table): string | undefined {
  let first: readonly [name: string, currency: string] | undefined;
  for (const [column, { name, currency }] of table.columns.map(namedCurrency).entries()) {
    if (currency === undefined) continue;
    if (first && isOtherCurrency(first[1], currency))
      throw new UnreadFailure(table, column, { why: 'units', cells: [first[0], name] });
    first ??= [name, currency];
  }
  return first?.[1];
}

/** The currency in the name of a column of money, `Revenue (USD)`. */
function namedCurrency(column: TrackerText) {
  const name = rawText(column);
  return { name, currency: holdsMoney(bareName(name)) ? currencyOfAffix(currencyOfName(name)) : undefined };
}

/** A column that stays text though it seems to hold numbers, by its shown name. */
export type UnreadColumn = Unread & { readonly name: string };

/** The columns that stay text because nothing shows how to read their numbers. */
export function unreadColumns(table: Table, columns: readonly number[] = [...table.columns.keys()]): UnreadColumn[] {
  return columns.flatMap((column) => {
    const unread = mayHoldNumbers(table, column) ? whyUnread(table, column) : undefined;
    const isTold =
      unread &&
      (holdsAmounts(nameOf(table, column)) ||
        remedyFor(unread) !== '' ||
        isLikeNumber(unread) ||
        readLooseColumn(table, column).isMostlyNumbers);
    return isTold ? [{ name: shownColumns(table)[column] ?? '', ...unread }] : [];
  });
}

/** One number with something unknown around it, which no date is. */
const isLikeNumber = ({ cells: [cell = ''] }: Unread) => /^\D{0,20}\d[\d.,'’ ]{0,20}\D{0,20}$/.test(cell);

function mayHoldNumbers(table: Table, column: number): boolean {
  if (!table.origin || readNumbers(table, column)) return false;
  if (holdsAmounts(nameOf(table, column))) return true;
  const cell = table.text(0, column);
  return cell !== null && parseAmount(rawText(cell))?.mark !== undefined;
}

/** What stands in the empty cells of columns of numbers, a note for each text. */
export function placeholderNotes(filled: readonly { readonly name: string; readonly placeholder: string }[]) {
  return [...groupBy(filled, ({ placeholder }) => placeholder)].map(
    ([text, of]) => ({ code: 'empty-cells', text, columns: [...new Set(of.map(({ name }) => name))] }) as const,
  );
}

const maxReasons = 5;

/** Why columns stay text, a note for each reason. One example is enough for all columns of a reason. */
export function unreadNotes(unread: readonly UnreadColumn[]) {
  const byReason = groupBy(unread, ({ why, cells }) => `${why} ${why === 'open' ? '' : cells.join(' ')}`);
  return [...byReason.values()].slice(0, maxReasons).flatMap((columns) => {
    const [first] = columns;
    const names = [...new Set(columns.map(({ name }) => name))];
    return first ? [{ code: 'columns-unread', why: first.why, cells: first.cells, columns: names } as const] : [];
  });
}
