import type { NamedTable } from '../analysis/sql-complaint.ts';
import type { QueryResult, SqlEngine } from '../analysis/sql-engine.ts';
import type { Table } from '../api/table.ts';

/** Enough to join reports of several campaigns. */
const maxKept = 30;

/** All of them together have no more cells; the newest is kept whatever its size. */
const maxCells = 3_000_000;

/** The tables of recent answers under the names that queries call them by: r1, r2, ... A name is never given twice. */
export class RecentTables {
  #kept: readonly NamedTable[] = [];
  #count = 0;
  #engine: Promise<SqlEngine> | undefined;

  /** Names tables, without keeping them yet; one that is kept already has its name. */
  name(tables: readonly Table[]): NamedTable[] {
    return tables.map((table) => {
      const known = this.#kept.find((kept) => kept.table === table);
      if (known) return known;
      this.#count += 1;
      return { name: `r${this.#count}`, table };
    });
  }

  /** Keeps named tables; the oldest make room. */
  keep(tables: readonly NamedTable[]): void {
    const newestFirst = [...new Set([...this.#kept, ...tables])].reverse();
    let cells = 0;
    const kept = newestFirst.filter(({ table }, index) => {
      cells += table.rowCount * table.columns.length;
      return index === 0 || (index < maxKept && cells <= maxCells);
    });
    this.#kept = kept.reverse();
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /**
   * Runs one SELECT over them; the database is loaded at the first.
   *
   * @throws Failure that names the tables and columns there are, where the query cannot run
   */
  async query(sql: string, signal: AbortSignal | undefined): Promise<QueryResult> {
    this.#engine ??= import('../analysis/sql-engine.ts').then(({ SqlEngine }) => new SqlEngine());
    return (await this.#engine).run(sql, this.#kept, (name) => this.#wasDropped(name), signal);
  }

  /** Names are given in turn, so every number so far was one. */
  #wasDropped(name: string): boolean {
    const number = Number(/^r(\d+)$/i.exec(name)?.[1]);
    return number >= 1 && number <= this.#count;
  }
}
