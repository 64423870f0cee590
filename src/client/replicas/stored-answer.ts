import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { Reply } from '../../api/replies.ts';
import { Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import type { Reading } from '../decode/decode.ts';

/** An answer as it is stored. Whoever changes this shape changes the name under which answers are stored. */
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

/** Less is stored as it is: to compress it would take longer than to send it. */
const minCompressed = 8 * 1024;

/** More than the text of any answer that is stored. */
const maxInflated = 64 * 1024 * 1024;

/** The first byte of compressed data; JSON starts with another. */
const deflateMark = 0x78;

/** A reading as bytes that another server can read. */
export async function packAnswer({ reply, shape }: Reading): Promise<Uint8Array> {
  const stored: Stored = {
    shape,
    reply: reply.kind === 'tables' ? { ...reply, tables: reply.tables.map(store) } : reply,
  };
  const json = Buffer.from(JSON.stringify(stored));
  return json.length < minCompressed ? json : promisify(deflate)(json, { level: 1 });
}

/** @returns undefined where the bytes are none that this version stores */
export async function unpackAnswer(bytes: Uint8Array): Promise<Reading | undefined> {
  try {
    const json = bytes[0] === deflateMark ? await promisify(inflate)(bytes, { maxOutputLength: maxInflated }) : bytes;
    const { shape, reply } = JSON.parse(Buffer.from(json).toString()) as Stored;
    if (reply.kind !== 'tables') return { shape, reply };
    const tables = reply.tables.map(({ name, columns, cells, rowCount }) =>
      Table.fromColumns(name, columns, cells, rowCount),
    );
    return { shape, reply: { ...reply, tables } };
  } catch {
    return undefined;
  }
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
