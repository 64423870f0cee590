import { type Cells, SharedText, SlicedCells } from '../../api/cells.ts';
import type { Reply, TablesReply } from '../../api/replies.ts';
import { Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import type { ProblemKind } from '../decode/answer-problem.ts';
import type { Question, Reading } from '../decode/decode.ts';

/** What the thread that reads a large answer is given. */
export interface Job {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  readonly question: Question;
  /** Masked in the text before it is read. */
  readonly apiKey: string;
}

/** What it comes to. */
export type Outcome = { readonly packed: PackedReading } | { readonly problem: ProblemKind; readonly said: string };

/** A reading as it goes from one thread to another: a few large buffers, and no string for each cell. */
export interface PackedReading {
  readonly shape: string;
  readonly reply: Exclude<Reply, TablesReply> | PackedTables;
}

type PackedTables = Omit<TablesReply, 'tables'> & {
  readonly tables: readonly PackedTable[];
  readonly texts: readonly PackedText[];
};

interface PackedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rowCount: number;
  readonly bounds: Uint32Array;
  /** The index of the text that its cells are parts of. */
  readonly text: number;
}

interface PackedText {
  readonly bytes: Uint8Array;
  readonly encoding: 'latin1' | 'utf16le';
  readonly tables: number;
}

/** @returns what is to be sent, and the buffers in it that can be handed over */
export function pack({ reply, shape }: Reading): { packed: PackedReading; transferred: ArrayBuffer[] } {
  if (reply.kind !== 'tables') return { packed: { shape, reply }, transferred: [] };
  const cells = reply.tables.map((table) => asSliced(table.cells, table.columns.length));
  const sources = [...new Set(cells.map(({ source }) => source))];
  const texts = sources.map(packText);
  const tables = reply.tables.map(({ name, columns, rowCount }, index) => ({
    name: rawText(name),
    columns: columns.map(rawText),
    rowCount,
    bounds: cells[index]?.bounds ?? new Uint32Array(),
    text: cells[index] ? sources.indexOf(cells[index].source) : -1,
  }));
  const buffers = [...texts.map(({ bytes }) => bytes), ...tables.map(({ bounds }) => bounds)];
  return {
    packed: { shape, reply: { ...reply, tables, texts } },
    transferred: buffers.map(({ buffer }) => buffer as ArrayBuffer),
  };
}

export function unpack({ reply, shape }: PackedReading): Reading {
  if (reply.kind !== 'tables') return { reply, shape };
  const { tables: packed, texts, ...rest } = reply;
  const sources = texts.map(({ bytes, encoding, tables }) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new SharedText(buffer.toString(encoding), tables, encoding === 'latin1');
  });
  const nothing = new SharedText('', 1);
  const tables = packed.map(
    ({ name, columns, rowCount, bounds, text }) =>
      new Table(name, columns, new SlicedCells(sources[text] ?? nothing, bounds, rowCount)),
  );
  return { reply: { ...rest, tables }, shape };
}

function packText({ text, tables, isLatin }: SharedText): PackedText {
  const encoding = isLatin ? 'latin1' : 'utf16le';
  // A buffer of its own: a small one would be a part of a pool, which cannot be handed over.
  const bytes = new Uint8Array(text.length * (isLatin ? 1 : 2));
  Buffer.from(bytes.buffer).write(text, encoding);
  return { bytes, encoding, tables };
}

/** Cells that are texts of their own, as parts of one. */
function asSliced(cells: Cells, width: number): SlicedCells {
  if (cells instanceof SlicedCells) return cells;
  const bounds = new Uint32Array(2 * width * cells.rowCount);
  const texts: string[] = [];
  let length = 0;
  let index = 0;
  for (let row = 0; row < cells.rowCount; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const text = cells.text(row, column) ?? '';
      bounds[index] = length;
      length += text.length;
      bounds[index + 1] = length;
      index += 2;
      if (text !== '') texts.push(text);
    }
  }
  return new SlicedCells(new SharedText(texts.join(''), 1), bounds, cells.rowCount);
}
