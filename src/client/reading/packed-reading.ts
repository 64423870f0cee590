import { JoinedCells, type PlainColumn } from '../../api/cells.ts';
import { type Reply, Table, type TablesReply } from '../../api/table.ts';
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
  /** The text of all its cells in UTF-8, and where each starts in it. */
  readonly text: Uint8Array;
  readonly offsets: Uint32Array;
  readonly numbers: readonly (PlainColumn | undefined)[];
}

/** @returns what is to be sent, and the buffers in it that can be handed over */
export function pack({ reply, shape }: Reading): { packed: PackedReading; transferred: ArrayBuffer[] } {
  if (reply.kind !== 'tables') return { packed: { shape, reply }, transferred: [] };
  const tables = reply.tables.map(packTable);
  return {
    packed: { shape, reply: { ...reply, tables } },
    // The columns of a table share a buffer.
    transferred: [...new Set(tables.flatMap(buffersOf))],
  };
}

function buffersOf({ text, offsets, numbers }: PackedTable): ArrayBuffer[] {
  const views = [text, offsets, ...numbers.flatMap((column) => column?.values ?? [])];
  return views.map(({ buffer }) => buffer as ArrayBuffer);
}

export function unpack({ reply, shape }: PackedReading): Reading {
  if (reply.kind !== 'tables') return { reply, shape };
  const tables = reply.tables.map(
    ({ name, columns, text, offsets, ...known }) => new Table(name, columns, new JoinedCells(text, offsets, known)),
  );
  return { reply: { ...reply, tables }, shape };
}

/** What stood between the cells, which is half of an answer and more, is left behind. */
function packTable({ name, columns, cells }: Table): PackedTable {
  const { rowCount } = cells;
  const joined = new JoinedText(rowCount * columns.length, cells.characters);
  for (let row = 0; row < rowCount; row += 1) {
    for (let column = 0; column < columns.length; column += 1) joined.add(cells.text(row, column) ?? '');
  }
  return {
    name: rawText(name),
    columns: columns.map(rawText),
    rowCount,
    text: joined.text,
    offsets: joined.offsets,
    numbers: columns.map((_, column) => cells.numbers(column)),
  };
}

/** Texts one behind the other in UTF-8. */
class JoinedText {
  /** Where each starts, and where the last ends. */
  readonly offsets: Uint32Array;
  #bytes: Buffer;
  #length = 0;
  #count = 0;

  /** @param characters about how many all of them have */
  constructor(count: number, characters: number) {
    this.offsets = new Uint32Array(count + 1);
    this.#bytes = Buffer.alloc(characters);
  }

  get text(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  add(text: string): void {
    const most = this.#length + 3 * text.length;
    if (most > this.#bytes.length) {
      const grown = Buffer.alloc(most + this.#bytes.length);
      this.#bytes.copy(grown);
      this.#bytes = grown;
    }
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
    this.#count += 1;
    this.offsets[this.#count] = this.#length;
  }
}
