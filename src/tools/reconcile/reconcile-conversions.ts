import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import { defineTool } from '../define-tool.ts';
import { tablesOutput } from '../present/outputs.ts';
import { questionInput } from './question.ts';

const maxCharacters = 1_000_000;
const maxRows = 20_000;

const row = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { message: 'must be a list of objects' },
);

const input = z.strictObject({
  statement: z.string().max(maxCharacters).describe('CSV, TSV or semicolons; up to 1 MB').optional(),
  rows: z
    .array(row.meta({ type: 'object' }))
    .max(maxRows)
    .describe('Or as objects')
    .optional(),
  ...questionInput.shape,
});

/** A network's statement against the tracker's conversions. It only reads, and keeps nothing of the statement. */
export const reconcileConversions = defineTool({
  name: 'reconcile_conversions',
  title: 'Reconcile a statement',
  description:
    'An affiliate network’s statement against the conversions of its days, by subID: count, money and age of each class, ' +
    'examples, what is known of the visits, the shift between the clocks.',
  access: 'read',
  input,
  output: tablesOutput,
  run: async ({ statement, rows, ...question }, context) => {
    if ((statement === undefined) === (rows === undefined))
      throw new Failure('reconcile_conversions was not called: give either statement or rows.');
    // What reads statements is loaded when one comes.
    const [{ gridOfRows, gridOfText }, { reconcileGrid }] = await Promise.all([
      import('../../analysis/reconcile/statement-grid.ts'),
      import('./reconcile-grid.ts'),
    ]);
    const grid = rows ? gridOfRows(rows) : await gridOfText(statement ?? '', maxRows);
    return reconcileGrid(grid, question, context);
  },
});
