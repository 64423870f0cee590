import type { changesOutput, comparisonOutput, diagnosisOutput } from '../../src/tools/detail-tools.ts';
import type { FromSchema } from '../../src/tools/json-schema.ts';
import type { PresentedTables, receiptOutput } from '../../src/tools/present/outputs.ts';
import type { sharesOutput } from '../../src/tools/rotation/set-shares.ts';

/** Answers of tools. The client of the tests checks every answer against these schemas. */
export type Compared = FromSchema<typeof comparisonOutput>;
export type Diagnosis = FromSchema<typeof diagnosisOutput>;
export type ListedChanges = FromSchema<typeof changesOutput>;
export type Receipt = FromSchema<typeof receiptOutput>;
export type Rotation = FromSchema<typeof sharesOutput>;
export type Tables = PresentedTables;

/** The rows of the first table as records. */
export function recordsOf({ tables: [table] }: Pick<Tables, 'tables'>) {
  const { columns = [], rows = [] } = table ?? {};
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])));
}
