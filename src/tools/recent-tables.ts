import { memoizePerTable } from '../analysis/columns/columns.ts';
import type { QueryEngine, QueryResult } from '../analysis/sql/engine.ts';
import { isFreeName, type NamedTable } from '../analysis/sql/named-table.ts';
import type { Table } from '../api/table.ts';
import { memoize } from '../api/text/names.ts';
import { rawText } from '../api/text/tracker-text.ts';

/** Enough to join reports of several campaigns. */
const maxKept = 30;

/** In characters of all cells. */
const maxKeptText = 32 * 1024 ** 2;

/** Of several keepers together. */
const maxSharedText = 2 * maxKeptText;

export const keptText = `${maxKeptText / 1024 ** 2} MB of text`;

/** The tables of recent answers under the names that queries call them by: r1, r2, ... A name is never given twice. */
export class RecentTables {
  /** Undefined once it is closed. */
  #room: SharedRoom | undefined;
  /** The oldest first. */
  readonly #kept: NamedTable[] = [];
  #text = 0;
  #count = 0;
  #engine: Promise<QueryEngine> | undefined;

  /** @param room shared with others who keep tables */
  constructor(room = new SharedRoom()) {
    this.#room = room;
  }

  /** Names tables (`kind`: what they go by), without keeping them yet; one that is kept already has its name. */
  name(tables: readonly Table[], tracker?: string, kind?: string): NamedTable[] {
    return tables.map((table) => {
      const known = this.#kept.find((kept) => kept.table === table);
      if (known) return known;
      this.#count += 1;
      const called = kind ?? rawText(table.name);
      const alias = aliasOf(tracker === undefined ? called : `${tracker}_${called}`);
      return { name: `r${this.#count}`, alias, tracker, table };
    });
  }

  /** Keeps named tables; the oldest make room. */
  keep(tables: readonly NamedTable[]): void {
    for (const named of tables) {
      if (this.#kept.includes(named)) continue;
      this.#kept.push(named);
      this.#text += textOf(named.table);
    }
    while (this.#kept.length > maxKept || this.#text > maxKeptText) this.#dropOldest();
    this.#room?.used(this);
  }

  get text(): number {
    return this.#text;
  }

  /** Drops the oldest tables, so many characters at least. */
  drop(surplus: number): void {
    const max = this.#text - surplus;
    while (this.#kept.length > 0 && this.#text > max) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#kept.shift();
    if (oldest) this.#text -= textOf(oldest.table);
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /** Runs one SELECT over them. Throws a Failure that names the tables and columns there are, if it cannot run. */
  async query(sql: string, signal: AbortSignal | undefined): Promise<QueryResult> {
    this.#engine ??= import('../analysis/sql/engine.ts').then(({ QueryEngine }) => new QueryEngine());
    const wasDropped = (name: string) => this.#wasDropped(name);
    return (await this.#engine).run({ sql, tables: latestByAlias(this.#kept), wasDropped, signal });
  }

  /** Ends what runs the queries; those under way may take `withinMs` more. */
  close(withinMs?: number): void {
    this.#room?.left(this);
    this.#room = undefined;
    // What could not be loaded has nothing to close.
    this.#engine?.then((engine) => engine.close(withinMs)).catch(() => undefined);
  }

  /** Names are given in turn, so every number so far was one. */
  #wasDropped(name: string): boolean {
    const number = Number(/^r(\d+)$/i.exec(name)?.[1]);
    return number >= 1 && number <= this.#count;
  }
}

/** What all keepers of a process share: the one that kept nothing for the longest time makes room first. */
export class SharedRoom {
  readonly #keepers = new Set<RecentTables>();

  used(keeper: RecentTables): void {
    this.#keepers.delete(keeper);
    this.#keepers.add(keeper);
    let text = 0;
    for (const { text: kept } of this.#keepers) text += kept;
    for (const other of this.#keepers) {
      const surplus = text - maxSharedText;
      if (surplus <= 0) return;
      text -= other.text;
      other.drop(surplus);
      text += other.text;
    }
  }

  left(keeper: RecentTables): void {
    this.#keepers.delete(keeper);
  }
}

/** Whether a table alone is not more than is kept of all. */
export function isKeepable(table: Table): boolean {
  return textOf(table) <= maxKeptText;
}

/** The other name of the latest table of a kind, as SQL can write it without quotes; undefined if it could mean another table. */
const aliasOf = memoize((name): string | undefined => {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60);
  return /^r\d+$/.test(plain) || !isFreeName(plain) ? undefined : plain;
});

/** The tables, of which only the latest of a kind goes by its kind. */
function latestByAlias(tables: readonly NamedTable[]): NamedTable[] {
  const latest = new Map(tables.map(({ alias, name }) => [alias, name]));
  return tables.map((table) => ({
    ...table,
    alias: latest.get(table.alias) === table.name ? table.alias : undefined,
  }));
}

/** The characters of a table as a file of it would have them: its cells, and what stands between them. */
const textOf = memoizePerTable((table) => table.characters + table.rowCount * table.columns.length);
