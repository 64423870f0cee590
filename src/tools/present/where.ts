import * as z from 'zod';
import { compareLoosely, readLooseColumn, readLoosely, readNumbers } from '../../analysis/columns/columns.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import type { Table } from '../../api/table.ts';
import { cleanText, maxNameLength } from '../../api/text/clean-text.ts';
import { foldedText } from '../../api/text/names.ts';
import { type Cell, rawText } from '../../api/text/tracker-text.ts';

/** Comparisons by order. Texts are compared without case, dates as texts, and a time with a day by its day. */
const comparisons = {
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

const operatorNames = ['=', '!=', '<', '<=', '>', '>=', 'contains', 'starts_with', 'empty', 'in'] as const;
type Operator = (typeof operatorNames)[number];

const isOperator = (value: unknown) => operatorNames.some((name) => name === value);

const ordering: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

const text = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string().max(500));

/** Moves a list under `value` to `values`; a schema that allows both would be a union, which some hosts refuse. */
function withValues(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !('value' in given) || !Array.isArray(given.value)) return given;
  const { value, ...others } = given;
  return 'values' in others ? given : { ...others, values: value };
}

/** The `where` argument of every tool that reads tables. */
const whereArgument = z
  .array(
    z.preprocess(
      withValues,
      z.strictObject({
        column: z.string().max(maxNameLength),
        // An enum would cost 15 tokens more in each of seven tools.
        op: z
          .custom<Operator>(isOperator, `must be one of ${operatorNames.join(', ')}`)
          .meta({ type: 'string' })
          .describe(operatorNames.join(' ')),
        value: text.optional(),
        values: z.array(text).min(1).max(100).optional(),
      }),
    ),
  )
  .min(1)
  .max(20)
  .describe('All must hold');

export type Condition = z.infer<typeof whereArgument>[number];

export interface IndexedCondition extends Condition {
  readonly index: number;
}

/** The rows that meet every condition; an empty cell meets only `empty`. Throws a Failure if a condition is wrong. */
export function rowsThatMatch(table: Table, conditions: readonly IndexedCondition[]): Uint32Array {
  const tests = conditions.map((condition) => testOf(table, condition));
  const rows = Uint32Array.from({ length: table.rowCount }, (_, row) => row);
  return tests.length === 0 ? rows : rows.filter((row) => tests.every((test) => test(row)));
}

/** Whether a condition on a column of text compares the numbers in it. */
export function comparesLoosely(table: Table, { op, value, index }: IndexedCondition): boolean {
  return (
    ordering.has(op) &&
    value !== undefined &&
    readLoosely(value) !== undefined &&
    readNumbers(table, index) === undefined
  );
}

type RowTest = (row: number) => boolean;

function testOf(table: Table, condition: IndexedCondition): RowTest {
  checkValues(condition);
  const { column, op, value = '', values = [], index } = condition;
  if (op === 'in') {
    const tests = values.map((one) => testOf(table, { column, op: '=', value: one, index }));
    return (row) => tests.some((test) => test(row));
  }
  // As it is shown, because callers can only ask for what they see.
  const cell = (row: number) => shownText(table.text(row, index));
  const folded = (row: number) => {
    const text = cell(row);
    return text === null ? undefined : foldedText(text);
  };
  if (op === 'empty') return (row) => cell(row) === null;
  const wanted = foldedText(value);
  if (op === 'contains' || op === 'starts_with') {
    const test = textOperators[op];
    return (row) => {
      const text = folded(row);
      return text !== undefined && test(text, wanted);
    };
  }
  const test = comparisons[op];
  const numbers = readNumbers(table, index);
  const number = readLoosely(value);
  if (number === undefined && (numbers || (ordering.has(op) && readLooseColumn(table, index).isMostlyNumbers))) {
    throw new Failure(
      `${JSON.stringify(column)} holds numbers, and ${JSON.stringify(value)} is not a number.`,
      'Compare it with a number.',
    );
  }
  if (numbers && number !== undefined) {
    return (row) => {
      const cell = numbers.values[row] ?? Number.NaN;
      return !Number.isNaN(cell) && test(compareLoosely(cell, number));
    };
  }
  if (number !== undefined && comparesLoosely(table, condition)) {
    const { values } = readLooseColumn(table, index);
    return (row) => {
      const cell = values[row];
      return cell !== undefined && test(compareLoosely(cell, number));
    };
  }
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(wanted);
  return (row) => {
    const text = folded(row);
    if (text === undefined) return false;
    const compared = isDay && startsWithDay.test(text) ? text.slice(0, wanted.length) : text;
    return test(compared < wanted ? -1 : Number(compared > wanted));
  };
}

/** @throws Failure if a condition has no value for its op, or a value that its op does not take */
function checkValues({ column, op, value, values }: Condition): void {
  const about = `The condition on ${JSON.stringify(column)}`;
  if (op === 'in') {
    if (values === undefined) throw new Failure(`${about} needs values: in takes a list of them.`);
    if (value !== undefined) throw new Failure(`${about} is wrong: in takes values, not value.`);
  } else if (values !== undefined) {
    throw new Failure(`${about} is wrong: only the op in takes a list of values.`, 'Give value, or use in.');
  } else if (op === 'empty') {
    if (value !== undefined && value !== '') throw new Failure(`${about} is wrong: empty takes no value.`);
  } else if (value === undefined || (op in comparisons && op !== '!=' && value.trim() === '')) {
    throw new Failure(`${about} needs a value.`, 'To find empty cells use the op empty.');
  }
}

const startsWithDay = /^\d{4}-\d{2}-\d{2}[ t]\d/;

function shownText(cell: Cell): string | null {
  return cell === null ? null : cleanText(rawText(cell)) || null;
}

/** The arguments of every tool that returns tables: which columns and rows, and their order. */
export const viewArguments = {
  columns: z.array(z.string().max(maxNameLength)).min(1).max(100).describe('Names or token labels').optional(),
  where: whereArgument.optional(),
  sort_by: z.string().min(1).max(maxNameLength).describe('Column').optional(),
  sort_order: is.oneOf(['asc', 'desc'], 'Default desc').default('desc'),
  limit: is.whole(1, 500, 'Rows, 1 to 500; default 25').default(25),
  offset: is.whole(0, 1_000_000_000, 'Default 0').default(0),
};
