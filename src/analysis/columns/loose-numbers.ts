import type { Table } from '../../api/table.ts';
import { type Cell, rawText } from '../../api/text/tracker-text.ts';
import { memoizePerTable } from './column-reader.ts';
import { holdsNames, nameOf } from './columns.ts';

/** A number to compare by; those that a double does not hold are whole. */
export type LooseNumber = number | bigint;

/** The numbers of a column of text. */
export interface LooseColumn {
  /** One a row; undefined if the cell is empty or no number. */
  readonly values: readonly (LooseNumber | undefined)[];
  readonly filled: number;
  /** Filled cells that are no numbers. */
  readonly texts: number;
  /** Whether most cells are numbers, and its name is not one of names. */
  readonly isMostlyNumbers: boolean;
}

/** Digits, grouped by commas in threes or not at all, with a sign, a currency or a percent sign. */
const looseNumber = /^([-+]?)[$€£¥]?\s?(-?)((?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)\s?[%$€£¥]?$/;

/** The number that a text is to a reader, who does not mind its unit; undefined if it is none, such as "0,5" or "0,350". */
export function readLoosely(text: string): LooseNumber | undefined {
  const match = looseNumber.exec(text.trim());
  if (!match) return undefined;
  const [, sign = '', innerSign = '', digits = ''] = match;
  const plain = digits.replaceAll(',', '');
  const isNegative = sign === '-' || innerSign === '-';
  const value = Number(plain);
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && !plain.includes('.')) {
    return isNegative ? -BigInt(plain) : BigInt(plain);
  }
  return isNegative ? 0 - value : value;
}

/** The number in a cell as a double; undefined if it is empty or none. */
export function numberIn(cell: Cell): number | undefined {
  const value = cell === null ? undefined : readLoosely(rawText(cell));
  return value === undefined ? undefined : Number(value);
}

/** Exact, also between a double and a whole number beyond it. */
export function compareLoosely(one: LooseNumber, other: LooseNumber): number {
  if (one < other) return -1;
  return one > other ? 1 : 0;
}

const looseColumns = memoizePerTable(() => new Map<number, LooseColumn>());

/** The numbers among the cells of a column of text; kept with the table. */
export function readLooseColumn(table: Table, column: number): LooseColumn {
  const known = looseColumns(table);
  const found = known.get(column) ?? readColumn(table, column);
  known.set(column, found);
  return found;
}

function readColumn(table: Table, column: number): LooseColumn {
  const values = new Array<LooseNumber | undefined>(table.rowCount);
  let filled = 0;
  let texts = 0;
  for (let row = 0; row < table.rowCount; row += 1) {
    const cell = table.text(row, column);
    if (cell === null) continue;
    const value = readLoosely(rawText(cell));
    filled += 1;
    if (value === undefined) texts += 1;
    values[row] = value;
  }
  const isMostlyNumbers = filled > 0 && texts * 2 <= filled && !holdsNames(nameOf(table, column));
  return { values, filled, texts, isMostlyNumbers };
}
