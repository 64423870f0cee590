import type { NamedTable, QueryResult, SqlEngine } from '../analysis/sql-engine.ts';
import type { Table } from '../api/replies.ts';

/** Reports are large: a few are enough to join one with another. */
const mostKept = 8;

/** The tables of recent answers under the names that queries call them by: r1, r2, ... A name is never given twice. */
export class RecentTables {
  #kept: NamedTable[] = [];
  #count = 0;
  #engine: Promise<SqlEngine> | undefined;

  /** Names tables; one that is already known keeps its name. */
  add(tables: readonly Table[]): NamedTable[] {
    return tables.map((table) => {
      const known = this.#kept.find((kept) => kept.table === table);
      if (known) return known;
      this.#count += 1;
      const named = { name: `r${this.#count}`, table };
      this.#kept = [...this.#kept, named].slice(-mostKept);
      return named;
    });
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
    return (await this.#engine).run(sql, this.#kept, signal);
  }
}
