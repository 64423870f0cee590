import { type Group, type Reply, Table, type TablesReply } from '../../src/api/table.ts';
import { fromTracker, rawText } from '../../src/api/text/tracker-text.ts';

/** A table with plain texts. */
export interface PlainTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** A reply with plain tables. */
export type PlainTablesReply = Omit<TablesReply, 'tables'> & { readonly tables: readonly PlainTable[] };
export type PlainReply = Exclude<Reply, TablesReply> | PlainTablesReply;

export function toTable({ name, columns, rows }: PlainTable): Table {
  return Table.fromRows(name, columns, rows);
}

export function toPlainTable(table: Table): PlainTable {
  const rows = Array.from({ length: table.rowCount }, (_, row) =>
    table.columns.map((_, column) => {
      const cell = table.text(row, column);
      return cell === null ? null : rawText(cell);
    }),
  );
  return { name: rawText(table.name), columns: table.columns.map(rawText), rows };
}

/** A group of a lookup with plain texts. */
export interface PlainGroup {
  readonly name: string;
  readonly fields: readonly (readonly [name: string, value: string | null])[];
}

export function toGroup({ name, fields }: PlainGroup): Group {
  return {
    name: fromTracker(name),
    fields: fields.map(([field, value]) => [fromTracker(field), value === null ? null : fromTracker(value)]),
  };
}

export function toPlainReply(reply: Reply): PlainReply {
  return reply.kind === 'tables' ? { ...reply, tables: reply.tables.map(toPlainTable) } : reply;
}
