import { type Cells, SlicedCells, type Units, unitsOf } from '../../api/cells.ts';
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

type PackedTables = Omit<TablesReply, 'tables'> & { readonly tables: readonly PackedTable[] };

interface PackedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rowCount: number;
  /** The text of all its cells, and where each starts and ends in it. */
  readonly units: Units;
  readonly bounds: Uint32Array;
}

/** @returns what is to be sent, and the buffers in it that can be handed over */
export function pack({ reply, shape }: Reading): { packed: PackedReading; transferred: ArrayBuffer[] } {
  if (reply.kind !== 'tables') return { packed: { shape, reply }, transferred: [] };
  const tables = reply.tables.map(packTable);
  return {
    packed: { shape, reply: { ...reply, tables } },
    transferred: tables.flatMap(({ bounds, units }) => [bounds.buffer as ArrayBuffer, units.buffer as ArrayBuffer]),
  };
}

export function unpack({ reply, shape }: PackedReading): Reading {
  if (reply.kind !== 'tables') return { reply, shape };
  const tables = reply.tables.map(
    ({ name, columns, rowCount, bounds, units }) =>
      new Table(name, columns, new SlicedCells({ units, tables: 1 }, bounds, rowCount)),
  );
  return { reply: { ...reply, tables }, shape };
}

/** What stood between the cells, which is half of an answer and more, is left behind. */
function packTable({ name, columns, cells }: Table): PackedTable {
  const { source, bounds: from, rowCount } = asSliced(cells, columns.length);
  let length = 0;
  for (let index = 0; index < from.length; index += 2) length += (from[index + 1] ?? 0) - (from[index] ?? 0);
  const units = source.units instanceof Uint8Array ? new Uint8Array(length) : new Uint16Array(length);
  const bounds = new Uint32Array(from.length);
  let written = 0;
  for (let index = 0; index < from.length; index += 2) {
    bounds[index] = written;
    const end = from[index + 1] ?? 0;
    for (let at = from[index] ?? 0; at < end; at += 1) {
      units[written] = source.units[at] ?? 0;
      written += 1;
    }
    bounds[index + 1] = written;
  }
  return { name: rawText(name), columns: columns.map(rawText), rowCount, units, bounds };
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
  return new SlicedCells({ units: unitsOf(texts.join('')), tables: 1 }, bounds, cells.rowCount);
}
