import { memoizePerTable } from '../analysis/columns/notation.ts';
import type { QueryEngine } from '../analysis/sql/engine.ts';
import { isFreeName, type NamedTable } from '../analysis/sql/named-table.ts';
import type { Gap } from '../answer/table-notes.ts';
import type { Table } from '../api/table.ts';
import { keptByName } from '../api/text/kept-by-name.ts';
import { rawText } from '../api/text/tracker-text.ts';

/** Enough to join reports of several campaigns. */
const maxKept = 30;

/** Max characters in all cells. */
export const maxKeptText = 32 * 1024 ** 2;

/** Max characters in the tables of all callers. */
const maxSharedText = 2 * maxKeptText;

/** The characters of a table as a file: its cells, and separators. */
const textOf = memoizePerTable((table) => table.characters + table.rowCount * table.columns.length);

/** A table of an answer that queries can read. */
export interface KeptTable extends NamedTable {
  /** How it is incomplete; undefined if it is whole. */
  readonly gap: Gap | undefined;
}

/** Whether a table fits into what is kept. */
export function isKeepable(table: Table): boolean {
  return textOf(table) <= maxKeptText;
}

/** The tables of one caller's recent answers, by the names for queries: r1, r2, ... A name is never reused. */
export class RecentTables {
  /** Undefined once it is closed. */
  #room: SharedRoom | undefined;
  /** The oldest first. */
  readonly #kept: KeptTable[] = [];
  #text = 0;
  #count = 0;
  #engine: Promise<QueryEngine> | undefined;

  /** @param room shared with other callers */
  constructor(room = new SharedRoom()) {
    this.#room = room;
  }

  /**
   * Names tables without keeping them yet; one that is kept already has its name.
   * @param gap how they are incomplete; undefined if they are whole
   * @param kind replaces the tables' own names
   */
  name(tables: readonly Table[], gap: Gap | undefined, tracker?: string, kind?: string): KeptTable[] {
    return tables.map((table) => {
      const kept = this.#kept.find((named) => named.table === table);
      if (kept) return kept;
      this.#count += 1;
      const called = kind ?? rawText(table.name);
      const alias = aliasOf(tracker === undefined ? called : `${tracker}_${called}`);
      return { name: `r${this.#count}`, alias, tracker, table, gap };
    });
  }

  /** Keeps named tables; the oldest make room. */
  keep(tables: readonly KeptTable[]): void {
    for (const named of tables) {
      if (this.#kept.includes(named)) continue;
      this.#kept.push(named);
      this.#text += textOf(named.table);
    }
    while (this.#kept.length > maxKept || this.#text > maxKeptText) this.#dropOldest();
    this.#room?.makeRoomFor(this);
  }

  get text(): number {
    return this.#text;
  }

  /** Drops the oldest tables, at least this many characters of them. */
  drop(characters: number): void {
    const max = this.#text - characters;
    while (this.#kept.length > 0 && this.#text > max) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#kept.shift();
    if (oldest) this.#text -= textOf(oldest.table);
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /**
   * Runs one SELECT over them. Throws a Failure that lists the tables and columns if it cannot run.
   * @returns the result, whether it has all rows, and the tables that the query read
   */
  async query(
    sql: string,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly table: Table; readonly isWhole: boolean; readonly read: readonly KeptTable[] }> {
    this.#engine ??= import('../analysis/sql/engine.ts').then(({ QueryEngine }) => new QueryEngine());
    const wasDropped = (name: string) => this.#wasDropped(name);
    const tables = latestByAlias(this.#kept);
    const { read, ...result } = await (await this.#engine).run({ sql, tables, wasDropped, signal });
    return { ...result, read: tables.filter(({ name }) => read.includes(name)) };
  }

  /** Ends the query engine; queries under way may take `withinMs` more. */
  close(withinMs?: number): void {
    this.#room?.leave(this);
    this.#room = undefined;
    // An engine that failed to load needs no closing.
    this.#engine?.then((engine) => engine.close(withinMs)).catch(() => undefined);
  }

  /** Whether a name was given to a table: numbers count up from 1. */
  #wasDropped(name: string): boolean {
    const number = Number(/^r(\d+)$/i.exec(name)?.[1]);
    return number >= 1 && number <= this.#count;
  }
}

/** Limits the tables of all callers together. The caller that has kept nothing for the longest time makes room first. */
export class SharedRoom {
  readonly #callers = new Set<RecentTables>();

  makeRoomFor(caller: RecentTables): void {
    this.#callers.delete(caller);
    this.#callers.add(caller);
    let surplus = [...this.#callers].reduce((sum, { text }) => sum + text, 0) - maxSharedText;
    for (const other of this.#callers) {
      if (surplus <= 0) return;
      const before = other.text;
      other.drop(surplus);
      surplus -= before - other.text;
    }
  }

  leave(caller: RecentTables): void {
    this.#callers.delete(caller);
  }
}

/** The second name of the latest table of a kind, as SQL takes it without quotes; undefined if it could mean a different table. */
const aliasOf = keptByName((kind): string | undefined => {
  const plain = kind
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join('_')
    .slice(0, 60);
  return /^r\d+$/.test(plain) || !isFreeName(plain) ? undefined : plain;
});

/** The tables with aliases only on the latest of each kind. */
function latestByAlias(tables: readonly KeptTable[]): KeptTable[] {
  const latest = new Map(tables.map(({ alias, name }) => [alias, name]));
  return tables.map((table) => ({
    ...table,
    alias: latest.get(table.alias) === table.name ? table.alias : undefined,
  }));
}
