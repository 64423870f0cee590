/** What the server and the process that runs its queries say to each other: each question has one answer. */

import type { OutsideText } from '../../api/text/tracker-text.ts';

/** How a column is kept; dates come as text, and stay text if one of them is no day of the calendar. */
export type ColumnType = 'DOUBLE' | 'VARCHAR' | 'DATE' | 'TIMESTAMP';

/** The cells of some rows of a column; NaN is an empty number. */
export type ColumnValues = Float64Array | readonly (string | null)[];

export type Row = readonly (string | null)[];

/** A table that a query may name, and the other name it goes by. */
export interface TableName {
  readonly name: string;
  readonly alias?: string | undefined;
}

export type Question =
  /** Nothing but an answer is wanted. */
  | { readonly ask: 'greet' }
  /** Reads a query, and runs nothing; tables that are not named here are forgotten. */
  | { readonly ask: 'read'; readonly sql: string; readonly tables: readonly TableName[] }
  | { readonly ask: 'begin-table'; readonly columns: readonly { readonly name: string; readonly type: ColumnType }[] }
  /** At most 2,048 rows of the table that was begun. */
  | { readonly ask: 'add-rows'; readonly count: number; readonly values: readonly ColumnValues[] }
  | { readonly ask: 'end-table'; readonly name: string }
  /** Runs the query that was read last. */
  | { readonly ask: 'run' }
  | { readonly ask: 'next-rows' };

export type Answer =
  /** Tables are those that the query reads, by name; `missing` are those of them that are not loaded. */
  | { readonly is: 'readable'; readonly tables: readonly string[]; readonly missing: readonly string[] }
  | { readonly is: 'refused'; readonly what: string; readonly instead: string }
  | { readonly is: 'unknown-table'; readonly name: string }
  /** In DuckDB's words, which may repeat a cell. */
  | { readonly is: 'failed'; readonly message: OutsideText }
  | { readonly is: 'done' }
  | { readonly is: 'running'; readonly columns: readonly string[] }
  /** `isWhole` is false where rows behind these were left unread. */
  | { readonly is: 'rows'; readonly rows: readonly Row[]; readonly isLast: boolean; readonly isWhole: boolean };

/** What the process says unasked, once. */
export const ready = { is: 'ready' } as const;

/** Beside the questions: whatever runs is to stop. */
export const interrupt = { ask: 'interrupt' } as const;

export type ToProcess = Question | typeof interrupt;
export type FromProcess = Answer | typeof ready;
