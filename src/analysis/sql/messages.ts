/** The messages between the server and its query process: each question has one answer. */

import type { OutsideText } from '../../api/text/tracker-text.ts';

/** The type of a column; dates come as text, and stay text if one of them is not a day of the calendar. */
export type ColumnType = 'DOUBLE' | 'VARCHAR' | 'DATE' | 'TIMESTAMP';

/** A column's cells in some rows; NaN is an empty number. */
export type ColumnValues = Float64Array | readonly (string | null)[];

export type Row = readonly (string | null)[];

export interface TableName {
  readonly name: string;
  readonly alias?: string | undefined;
}

export type Question =
  /** Checks a query without running it; drops the tables that are not named here. */
  | { readonly ask: 'check'; readonly sql: string; readonly tables: readonly TableName[] }
  | { readonly ask: 'begin-table'; readonly columns: readonly { readonly name: string; readonly type: ColumnType }[] }
  /** At most 2,048 rows of the table that was begun. */
  | { readonly ask: 'add-rows'; readonly count: number; readonly values: readonly ColumnValues[] }
  | { readonly ask: 'end-table'; readonly name: string }
  /** Runs the query that was checked last. */
  | { readonly ask: 'run' };

export type Answer =
  /** The names of the tables that the query reads; those in `missing` are not loaded. */
  | { readonly is: 'allowed'; readonly tables: readonly string[]; readonly missing: readonly string[] }
  | { readonly is: 'refused'; readonly what: string; readonly instead: string }
  | { readonly is: 'unknown-table'; readonly name: string }
  /** An error of DuckDB, which may repeat a cell. */
  | { readonly is: 'failed'; readonly message: OutsideText }
  /** The question, or the questions before it, took all memory of the database. */
  | { readonly is: 'out-of-memory' }
  | { readonly is: 'done' }
  /** `isWhole` is false if more rows were left unread. */
  | {
      readonly is: 'rows';
      readonly columns: readonly string[];
      readonly rows: readonly Row[];
      readonly isWhole: boolean;
    };

/** Sent once by the process when it can be asked. */
export const ready = { is: 'ready' } as const;

export type FromProcess = Answer | typeof ready;
