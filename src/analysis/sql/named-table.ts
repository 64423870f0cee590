import type { Table } from '../../api/table.ts';

/** A table that queries can name. */
export interface NamedTable {
  /** In lower case; it stands for this table for ever. */
  readonly name: string;
  /** What it goes by as well, in lower case, while it is the latest of its kind. */
  readonly alias?: string | undefined;
  /** Whose it is, where there are several trackers. */
  readonly tracker?: string | undefined;
  readonly table: Table;
}
