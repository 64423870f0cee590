import { type Reply, Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import type { Reading } from '../decode/decode.ts';

/** An answer as its text holds it. Whoever changes this shape changes the name under which replicas store answers. */
interface Stored {
  readonly shape: string;
  readonly reply: Exclude<Reply, { kind: 'tables' }> | StoredTables;
}

interface StoredTables {
  readonly kind: 'tables';
  readonly notices: readonly string[];
  readonly tables: readonly {
    readonly name: string;
    readonly columns: readonly string[];
    readonly rowCount: number;
    /** One array a column. */
    readonly cells: readonly (readonly (string | null)[])[];
  }[];
}

/** An answer as one text, which is the least that it takes in memory, and which another process can read. */
export function toText({ reply, shape }: Reading): string {
  const stored: Stored = {
    shape,
    reply: reply.kind === 'tables' ? { ...reply, tables: reply.tables.map(store) } : reply,
  };
  return JSON.stringify(stored);
}

/** @throws where the text is no answer */
export function fromText(text: string): Reading {
  const { shape, reply } = JSON.parse(text) as Stored;
  if (reply.kind !== 'tables') return { shape, reply };
  const tables = reply.tables.map(({ name, columns, cells, rowCount }) =>
    Table.fromColumns(name, columns, cells, rowCount),
  );
  return { shape, reply: { ...reply, tables } };
}

function store(table: Table): StoredTables['tables'][number] {
  const rows = Array.from({ length: table.rowCount }, (_, row) => row);
  return {
    name: rawText(table.name),
    columns: table.columns.map(rawText),
    rowCount: table.rowCount,
    cells: table.columns.map((_, column) => rows.map((row) => rawCell(table.text(row, column)))),
  };
}
