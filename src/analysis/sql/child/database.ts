import { type DuckDBConnection, DuckDBDataChunk, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import type { Answer, ColumnValues, Question, TableName } from '../messages.ts';
import { checkQuery } from './check-query.ts';
import { ResultReader } from './result-reader.ts';

/** The database holds copies of reports and nothing else: no files, no network, no extensions. */
const confinement = {
  // Ahead of enable_external_access, which refuses the change otherwise: files under it could be read and written.
  temp_directory: '',
  enable_external_access: 'false',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  memory_limit: '512MB',
  max_temp_directory_size: '0KB',
  threads: '2',
  // A division by zero is empty, not an Infinity that makes its column text.
  ieee_floating_point_ops: 'false',
};

/** No statement can undo them behind these. */
const seals = [`SET disabled_filesystems = 'LocalFileSystem'`, 'SET lock_configuration = true'];

/** The tables that queries read, in DuckDB, in memory. It runs what the allow-list let through, and nothing else. */
export class Database {
  readonly #connection: DuckDBConnection;
  readonly #loaded = new Set<string>();
  #loader: TableLoader | undefined;
  #allowed: { readonly sql: string; readonly views: readonly TableName[] } | undefined;
  #result: ResultReader | undefined;

  private constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  static async open(): Promise<Database> {
    const instance = await DuckDBInstance.create(':memory:', confinement);
    const connection = await instance.connect();
    for (const seal of seals) await connection.run(seal);
    return new Database(connection);
  }

  interrupt(): void {
    this.#connection.interrupt();
  }

  async answer(question: Question): Promise<Answer> {
    switch (question.ask) {
      case 'read':
        return this.#read(question.sql, question.tables);
      case 'run':
        return this.#run();
      case 'next-rows':
        return this.#nextRows();
      case 'begin-table':
        this.#loader = await TableLoader.begin(this.#connection, question.columns);
        break;
      case 'add-rows':
        this.#loader?.add(question.count, question.values);
        break;
      case 'end-table':
        await this.#loader?.end(question.name);
        this.#loaded.add(question.name);
    }
    return { is: 'done' };
  }

  async #nextRows(): Promise<Answer> {
    const piece = await this.#result?.next();
    if (piece === undefined) return { is: 'rows', rows: [], isLast: true, isWhole: true };
    // What is left of it takes room.
    if (piece.is !== 'rows' || piece.isLast) this.#result = undefined;
    return piece;
  }

  async #read(sql: string, tables: readonly TableName[]): Promise<Answer> {
    this.#allowed = undefined;
    await this.#forget(tables);
    const known = new Map(
      tables.flatMap((table) => [
        [table.name, table] as const,
        ...(table.alias ? [[table.alias, table] as const] : []),
      ]),
    );
    const verdict = checkQuery(sql, await this.#serialize(sql), new Set(known.keys()));
    if (verdict.is !== 'allowed') return verdict;
    const read = verdict.tables.flatMap((name) => known.get(name) ?? []);
    const names = [...new Set(read.map(({ name }) => name))];
    this.#allowed = { sql, views: read.filter(({ alias }) => alias !== undefined && verdict.tables.includes(alias)) };
    return { is: 'readable', tables: names, missing: names.filter((name) => !this.#loaded.has(name)) };
  }

  async #serialize(sql: string): Promise<string> {
    const reader = await this.#connection.runAndReadAll(
      'SELECT json_serialize_sql($sql::VARCHAR, skip_null := true, skip_empty := true)',
      { sql },
    );
    return String(reader.getRows()[0]?.[0]);
  }

  /** Tables that are kept no longer take no room. */
  async #forget(kept: readonly TableName[]): Promise<void> {
    for (const name of this.#loaded) {
      if (kept.some((table) => table.name === name)) continue;
      await this.#connection.run(`DROP TABLE IF EXISTS ${quoteName(name)}`);
      this.#loaded.delete(name);
    }
  }

  async #run(): Promise<Answer> {
    if (!this.#allowed) throw new Error('No query was read');
    const { sql, views } = this.#allowed;
    for (const { name, alias = '' } of views) {
      await this.#connection.run(`CREATE OR REPLACE VIEW ${quoteName(alias)} AS FROM ${quoteName(name)}`);
    }
    this.#result = new ResultReader(await this.#connection.stream(sql));
    return { is: 'running', columns: this.#result.columns };
  }
}

type Column = Extract<Question, { ask: 'begin-table' }>['columns'][number];
type Appender = Awaited<ReturnType<DuckDBConnection['createAppender']>>;

/** Takes a table in, some rows at a time. What visitors typed reaches the database as values, never as part of a statement. */
class TableLoader {
  readonly #connection: DuckDBConnection;
  readonly #columns: readonly Column[];
  readonly #appender: Appender;

  private constructor(connection: DuckDBConnection, columns: readonly Column[], appender: Appender) {
    this.#connection = connection;
    this.#columns = columns;
    this.#appender = appender;
  }

  static async begin(connection: DuckDBConnection, columns: readonly Column[]): Promise<TableLoader> {
    const written = columns.map(({ name, type }) => `${quoteName(name)} ${type === 'DOUBLE' ? type : 'VARCHAR'}`);
    await connection.run(`CREATE OR REPLACE TEMP TABLE loading (${written.join(', ')})`);
    return new TableLoader(connection, columns, await connection.createAppender('loading'));
  }

  add(count: number, values: readonly ColumnValues[]): void {
    const types = this.#columns.map((_, index) => this.#appender.columnType(index));
    const chunk = DuckDBDataChunk.create(types, count);
    chunk.setColumns(values.map((column) => Array.from<string | number | null, DuckDBValue>(column, toValue)));
    this.#appender.appendDataChunk(chunk);
  }

  /** Keeps it under its name. What looks like a date in every row may still be no day of the calendar. */
  async end(name: string): Promise<void> {
    this.#appender.closeSync();
    const create = (expressions: readonly string[]) =>
      this.#connection.run(
        `CREATE OR REPLACE TABLE ${quoteName(name)} AS SELECT ${expressions.join(', ')} FROM loading`,
      );
    const isDate = ({ type }: Column) => type === 'DATE' || type === 'TIMESTAMP';
    const asText = this.#columns.map((column) => quoteName(column.name));
    const asDates = this.#columns.map((column, index) =>
      isDate(column) ? `CAST(${asText[index]} AS ${column.type}) AS ${asText[index]}` : `${asText[index]}`,
    );
    await create(asDates).catch(() => create(asText));
    await this.#connection.run('DROP TABLE loading');
  }
}

function toValue(value: string | number | null): DuckDBValue {
  return typeof value === 'number' && Number.isNaN(value) ? null : value;
}

/** A name as it stands in a statement, whatever is in it. */
function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
