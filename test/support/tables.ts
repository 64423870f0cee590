import type { Reply, TablesReply } from '../../src/api/replies.ts';
import { type Cell, Table } from '../../src/api/table.ts';

/** A table as a test writes it down. */
export interface PlainTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A reply whose tables are written down. */
export type PlainTablesReply = Omit<TablesReply, 'tables'> & { readonly tables: readonly PlainTable[] };
export type PlainReply = Exclude<Reply, TablesReply> | PlainTablesReply;

export function toTable({ name, columns, rows }: PlainTable): Table {
  return Table.fromRows(name, columns, rows);
}

export function toPlainTable(table: Table): PlainTable {
  const { name, columns, rowCount } = table;
  const rows = Array.from({ length: rowCount }, (_, row) => columns.map((_, column) => table.text(row, column)));
  return { name, columns, rows };
}

export function toPlainReply(reply: Reply): PlainReply {
  return reply.kind === 'tables' ? { ...reply, tables: reply.tables.map(toPlainTable) } : reply;
}
