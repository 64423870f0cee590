import { z } from 'zod';
import type { NumberColumn } from '../../analysis/columns.ts';
import { cleanText, longestName } from '../../api/clean-text.ts';
import { Failure } from '../../api/failure.ts';
import type { Cell, Table } from '../../api/replies.ts';

/** How a condition compares; texts are compared without case, and dates as texts. */
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

/** The `where` argument of every tool that reads tables. */
export const whereArgument = z
  .array(
    z.strictObject({
      column: z.string().max(longestName),
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
export interface PlacedCondition extends Condition {
  readonly place: number;
}

/**
 * The places of the rows that meet every condition, in the tracker's order. An empty cell meets `empty` and nothing else.
 *
 * @throws Failure where a condition has no value or a number column is compared with something else
 */
export function rowsThatMatch(
  table: Table,
  conditions: readonly PlacedCondition[],
  numbers: ReadonlyMap<number, NumberColumn>,
): Uint32Array {
  const tests = conditions.map((condition) => testOf(table, condition, numbers.get(condition.place)));
  const places: number[] = [];
  for (const place of table.rows.keys()) if (tests.every((test) => test(place))) places.push(place);
  return Uint32Array.from(places);
}

type RowTest = (row: number) => boolean;

function testOf(
  table: Table,
  { column, op, value, place }: PlacedCondition,
  numbers: NumberColumn | undefined,
): RowTest {
  // As it is shown: what cannot be seen cannot be asked for.
  const cell = (row: number) => shownText(table.rows[row]?.[place] ?? null);
  if (op === 'empty') {
    if (value !== undefined)
      throw new Failure(`The condition on ${JSON.stringify(column)} is wrong: empty takes no value.`);
    return (row) => cell(row) === null;
  }
  if (value === undefined) {
    throw new Failure(
      `The condition on ${JSON.stringify(column)} needs a value.`,
      'To find empty cells use the op empty.',
    );
  }
  const wanted = value.toLowerCase();
  if (op in textOperators) {
    const test = textOperators[op as keyof typeof textOperators];
    return (row) => test(cell(row)?.toLowerCase() ?? '', wanted) && cell(row) !== null;
  }
  const test = operators[op as keyof typeof operators];
  if (numbers) {
    const number = readValue(value);
    if (number === undefined) {
      throw new Failure(
        `${JSON.stringify(column)} holds numbers, and ${JSON.stringify(value)} is none.`,
        'Compare it with a number.',
      );
    }
    return (row) => !Number.isNaN(numbers.values[row]) && test((numbers.values[row] ?? 0) - number);
  }
  return (row) => {
    const text = cell(row)?.toLowerCase();
    return text !== undefined && test(text < wanted ? -1 : Number(text > wanted));
  };
}

/** "$1,234.50" and "12.5%" are the numbers their columns show. */
function readValue(text: string): number | undefined {
  const digits = text.trim().replace(/[$€£¥%,]/g, '');
  return /^-?\d+(\.\d+)?$/.test(digits) ? Number(digits) : undefined;
}

function shownText(cell: Cell): Cell {
  return cell === null ? null : cleanText(cell) || null;
}
