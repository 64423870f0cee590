import {
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBIntervalValue,
  type DuckDBResult,
  type DuckDBValue,
  type DuckDBValueConverter,
  type Json,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';
import type { Answer, ColumnValues, Question, Row, TableName } from '../messages.ts';
import { checkQuery } from './check-query.ts';

/** The database holds copies of reports and nothing else: no files, no network, no extensions. */
const confinement = {
  // Must come before enable_external_access, which would refuse it: files in that directory could be read and written.
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

/** After these, no statement can undo the confinement. */
const seals = [`SET disabled_filesystems = 'LocalFileSystem'`, 'SET lock_configuration = true'];

type Columns = Extract<Question, { ask: 'begin-table' }>['columns'];
type Appender = Awaited<ReturnType<DuckDBConnection['createAppender']>>;

/** The tables that queries read, in DuckDB, in memory. It runs only what the allow-list let through. */
export class Database {
  readonly #connection: DuckDBConnection;
  readonly #loaded = new Set<string>();
  #loading: { readonly columns: Columns; readonly appender: Appender } | undefined;
  #allowed: { readonly sql: string; readonly views: readonly TableName[] } | undefined;

  private constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  static async open(): Promise<Database> {
    const instance = await DuckDBInstance.create(':memory:', confinement);
    const connection = await instance.connect();
    for (const seal of seals) await connection.run(seal);
    return new Database(connection);
  }

  async answer(question: Question): Promise<Answer> {
    switch (question.ask) {
      case 'check':
        return this.#check(question.sql, question.tables);
      case 'run':
        return this.#run();
      case 'begin-table':
        await this.#beginTable(question.columns);
        break;
      case 'add-rows':
        this.#addRows(question.count, question.values);
        break;
      case 'end-table':
        await this.#endTable(question.name);
    }
    return { is: 'done' };
  }

  async #check(sql: string, tables: readonly TableName[]): Promise<Answer> {
    this.#allowed = undefined;
    await this.#dropAllBut(tables);
    const tablesByName = new Map(
      tables.flatMap((table) => [table.name, table.alias ?? []].flat().map((name) => [name, table] as const)),
    );
    const verdict = checkQuery(sql, await this.#serialize(sql), new Set(tablesByName.keys()));
    if (verdict.is !== 'allowed') return verdict;
    const read = verdict.tables.flatMap((name) => tablesByName.get(name) ?? []);
    const names = [...new Set(read.map(({ name }) => name))];
    this.#allowed = { sql, views: read.filter(({ alias }) => alias !== undefined && verdict.tables.includes(alias)) };
    return { is: 'allowed', tables: names, missing: names.filter((name) => !this.#loaded.has(name)) };
  }

  async #serialize(sql: string): Promise<string> {
    const reader = await this.#connection.runAndReadAll(
      'SELECT json_serialize_sql($sql::VARCHAR, skip_null := true, skip_empty := true)',
      { sql },
    );
    return String(reader.getRows()[0]?.[0]);
  }

  async #dropAllBut(kept: readonly TableName[]): Promise<void> {
    for (const name of this.#loaded) {
      if (kept.some((table) => table.name === name)) continue;
      await this.#connection.run(`DROP TABLE IF EXISTS ${quoteName(name)}`);
      this.#loaded.delete(name);
    }
  }

  async #run(): Promise<Answer> {
    if (!this.#allowed) throw new Error('No query was checked');
    const { sql, views } = this.#allowed;
    for (const { name, alias = '' } of views) {
      await this.#connection.run(`CREATE OR REPLACE VIEW ${quoteName(alias)} AS FROM ${quoteName(name)}`);
    }
    return readResult(await this.#connection.stream(sql));
  }

  /** What visitors typed reaches the database as values, never as part of a statement. */
  async #beginTable(columns: Columns): Promise<void> {
    const definitions = columns.map(({ name, type }) => `${quoteName(name)} ${type === 'DOUBLE' ? type : 'VARCHAR'}`);
    await this.#connection.run(`CREATE OR REPLACE TEMP TABLE loading (${definitions.join(', ')})`);
    this.#loading = { columns, appender: await this.#connection.createAppender('loading') };
  }

  #addRows(count: number, values: readonly ColumnValues[]): void {
    if (!this.#loading) throw new Error('No table was begun');
    const { columns, appender } = this.#loading;
    const types = columns.map((_, index) => appender.columnType(index));
    const chunk = DuckDBDataChunk.create(types, count);
    chunk.setColumns(values.map((column) => Array.from<string | number | null, DuckDBValue>(column, toValue)));
    appender.appendDataChunk(chunk);
  }

  /** Stores the table under its name. A column of dates stays text if one of them is not a day of the calendar. */
  async #endTable(name: string): Promise<void> {
    if (!this.#loading) throw new Error('No table was begun');
    const { columns, appender } = this.#loading;
    this.#loading = undefined;
    appender.closeSync();
    const create = (expressions: readonly string[]) =>
      this.#connection.run(
        `CREATE OR REPLACE TABLE ${quoteName(name)} AS SELECT ${expressions.join(', ')} FROM loading`,
      );
    const asText = columns.map((column) => quoteName(column.name));
    const asDates = columns.map(({ name, type }) => {
      const column = quoteName(name);
      return type === 'DATE' || type === 'TIMESTAMP' ? `CAST(${column} AS ${type}) AS ${column}` : column;
    });
    await create(asDates).catch(() => create(asText));
    await this.#connection.run('DROP TABLE loading');
    this.#loaded.add(name);
  }
}

function toValue(value: string | number | null): DuckDBValue {
  return typeof value === 'number' && Number.isNaN(value) ? null : value;
}

/** A name as SQL takes it, whatever it contains. */
function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** More rows than anyone pages through; the rest is left unread. */
const maxRows = 10_000;

/** Max characters of all cells in a result; the rows after that are left unread. */
const maxCharacters = 16_000_000;

/** Reads a result up to its limits; refuses one whose first row is too long already. */
async function readResult(result: DuckDBResult): Promise<Answer> {
  const columns = result.deduplicatedColumnNames();
  const rows: Row[] = [];
  let characters = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    for (let index = 0; index < chunk.rowCount; index += 1) {
      const row = rowIn(chunk, index);
      characters += row.reduce((sum, cell) => sum + (cell?.length ?? 0), 1);
      if (characters > maxCharacters && rows.length === 0) {
        return {
          is: 'refused',
          what: `A row of the result is longer than ${maxCharacters / 1e6} million characters`,
          instead: 'Shorten it, for example with left(text, 1000).',
        };
      }
      if (characters > maxCharacters || rows.length === maxRows) return { is: 'rows', columns, rows, isWhole: false };
      rows.push(row);
    }
  }
  return { is: 'rows', columns, rows, isWhole: true };
}

function rowIn(chunk: DuckDBDataChunk, row: number): Row {
  return Array.from({ length: chunk.columnCount }, (_, index) => {
    const vector = chunk.getColumnVector(index);
    return toCell(toJson(vector.getItem(row), vector.type, toJson));
  });
}

/** A JSON value; an interval is the text that DuckDB writes, because its parts in JSON help no reader. */
const toJson: DuckDBValueConverter<Json> = (value, type, inner) =>
  value instanceof DuckDBIntervalValue ? value.toString() : JsonDuckDBValueConverter(value, type, inner);

/** Sums of doubles drift after the twelfth digit, where no report has any information. */
function toCell(value: Json): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'number') return plainNumber(Number(value.toPrecision(12)));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function plainNumber(value: number): string {
  const text = String(value);
  return text.includes('e') && Math.abs(value) < 1 ? value.toFixed(20).replace(/(?<=[1-9])0+$/, '') : text;
}
