import { z } from 'zod';
import type { NumberColumn } from '../../analysis/columns/columns.ts';
import { compareLoosely, type LooseColumn, readLoosely } from '../../analysis/columns/loose-numbers.ts';
import { Failure } from '../../api/failure.ts';
import type { Cell, Table } from '../../api/replies.ts';
import { cleanText, maxNameLength } from '../../api/text/clean-text.ts';

/** How a condition compares; texts are compared without case, dates as texts, and a time with a day by its day. */
const operators = {
  '=': (order: number) => order === 0,
  '!=': (order: number) => order !== 0,
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
} as const;

const textOperators = {
  contains: (cell: string, value: string) => cell.includes(value),
  starts_with: (cell: string, value: string) => cell.startsWith(value),
} as const;

const operatorNames = ['=', '!=', '<', '<=', '>', '>=', 'contains', 'starts_with', 'empty'] as const;

/** Those that ask for an order, which numbers have by value. */
const ordering: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

/** The `where` argument of every tool that reads tables. */
export const whereArgument = z
  .array(
    z.strictObject({
      column: z.string().max(maxNameLength),
      op: z.enum(operatorNames),
      value: z
        .preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string().max(500))
        .optional(),
    }),
  )
  .min(1)
  .max(20)
  .describe('Only rows that meet every condition; empty takes no value');

export type Condition = z.infer<typeof whereArgument>[number];

/** A condition on a column of a table. */
export interface IndexedCondition extends Condition {
  readonly index: number;
}

/** The numbers of a table's columns: those of numbers alone, and what numbers there are in others. */
export interface ColumnNumbers {
  readonly whole: ReadonlyMap<number, NumberColumn>;
  readonly loose: (index: number) => LooseColumn;
}

/**
 * The places of the rows that meet every condition, in the tracker's order. An empty cell meets `empty` and nothing else, and a
 * cell that is no number no comparison with one.
 *
 * @throws Failure where a condition has no value or a number column is compared with something else
 */
export function rowsThatMatch(
  table: Table,
  conditions: readonly IndexedCondition[],
  numbers: ColumnNumbers,
): Uint32Array {
  const tests = conditions.map((condition) => testOf(table, condition, numbers));
  const indexes: number[] = [];
  for (const index of table.rows.keys()) if (tests.every((test) => test(index))) indexes.push(index);
  return Uint32Array.from(indexes);
}

/** Whether a condition on a column of text compares the numbers in it. */
export function comparesLoosely({ op, value, index }: IndexedCondition, { whole }: ColumnNumbers): boolean {
  return !whole.has(index) && ordering.has(op) && value !== undefined && readLoosely(value) !== undefined;
}

type RowTest = (row: number) => boolean;

function testOf(table: Table, condition: IndexedCondition, numbers: ColumnNumbers): RowTest {
  const { column, op, value, index } = condition;
  // As it is shown: what cannot be seen cannot be asked for.
  const cell = (row: number) => shownText(table.rows[row]?.[index] ?? null);
  if (op === 'empty') {
    if (value !== undefined)
      throw new Failure(`The condition on ${JSON.stringify(column)} is wrong: empty takes no value.`);
    return (row) => cell(row) === null;
  }
  const isOperator = op in operators;
  if (value === undefined || (isOperator && op !== '!=' && value.trim() === '')) {
    throw new Failure(
      `The condition on ${JSON.stringify(column)} needs a value.`,
      'To find empty cells use the op empty.',
    );
  }
  const wanted = value.toLowerCase();
  if (!isOperator) {
    const test = textOperators[op as keyof typeof textOperators];
    return (row) => test(cell(row)?.toLowerCase() ?? '', wanted) && cell(row) !== null;
  }
  const test = operators[op as keyof typeof operators];
  const whole = numbers.whole.get(index);
  const number = readLoosely(value);
  if (number === undefined && (whole || (ordering.has(op) && numbers.loose(index).isMostlyNumbers))) {
    throw new Failure(
      `${JSON.stringify(column)} holds numbers, and ${JSON.stringify(value)} is none.`,
      'Compare it with a number.',
    );
  }
  if (whole && number !== undefined) {
    return (row) => !Number.isNaN(whole.values[row]) && test(compareLoosely(whole.values[row] ?? Number.NaN, number));
  }
  if (number !== undefined && comparesLoosely(condition, numbers)) {
    const { values } = numbers.loose(index);
    return (row) => {
      const found = values[row];
      return found !== undefined && test(compareLoosely(found, number));
    };
  }
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(wanted);
  return (row) => {
    const text = cell(row)?.toLowerCase();
    if (text === undefined) return false;
    const compared = isDay && startsWithDay.test(text) ? text.slice(0, wanted.length) : text;
    return test(compared < wanted ? -1 : Number(compared > wanted));
  };
}

/** A moment as trackers write it. */
const startsWithDay = /^\d{4}-\d{2}-\d{2}[ t]\d/;

function shownText(cell: Cell): Cell {
  return cell === null ? null : cleanText(cell) || null;
}
