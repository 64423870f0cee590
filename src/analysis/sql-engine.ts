import { createRequire } from 'node:module';
import type { DuckDBConnection, DuckDBResultReader, DuckDBValueConverter, Json } from '@duckdb/node-api';
import { Failure } from '../api/failure.ts';
import { type Cell, Table } from '../api/table.ts';
import { cleanNames, cleanText } from '../api/text/clean-text.ts';
import { readNumbers } from './columns/columns.ts';
import { complain, type NamedTable } from './sql-complaint.ts';

let isInstalled: boolean | undefined;

/** Whether the database that runs the queries is installed; it is optional, and large. */
export function isQueryInstalled(): boolean {
  isInstalled ??= canResolve('@duckdb/node-api');
  return isInstalled;
}

function canResolve(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** How long a query may run, in milliseconds. */
const longestQueryMs = 5000;

/** More rows than anyone pages through; the rest is not read. */
const mostRows = 10_000;

/** The database holds copies of reports and nothing else: no files, no network, no extensions, no way to change that. */
const confinement = {
  enable_external_access: 'false',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  memory_limit: '512MB',
  max_temp_directory_size: '0KB',
  threads: '2',
  // A division by zero is empty, not an Infinity that makes its column text.
  ieee_floating_point_ops: 'false',
  lock_configuration: 'true',
};

/** How a column is kept: as what every cell of it is. */
const dateTypes = [
  { type: 'TIMESTAMP', pattern: /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/ },
  { type: 'DATE', pattern: /^\d{4}-\d{2}-\d{2}$/ },
] as const;

/** The result of a query; `isWhole` is false where rows behind the first 10,000 were not read. */
export interface QueryResult {
  readonly table: Table;
  readonly isWhole: boolean;
}

/**
 * Runs SQL over tables of recent answers, in DuckDB, in memory. Only one SELECT at a time is run. What visitors typed reaches
 * the database as values, never as part of a statement.
 */
export class SqlEngine {
  #connection: Promise<DuckDBConnection> | undefined;
  readonly #loaded = new Map<string, Table>();
  /** One query at a time: a connection is interrupted as a whole. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param sql one SELECT over the named tables
   * @param tables what the query may name; those it does name are loaded
   * @param wasDropped tells of a name whether a table had it that is kept no longer
   * @throws Failure that names the tables and columns there are, where the query cannot run
   */
  run(
    sql: string,
    tables: readonly NamedTable[],
    wasDropped: (name: string) => boolean,
    signal?: AbortSignal,
  ): Promise<QueryResult> {
    const result = this.#last.then(() => this.#runAlone(sql, tables, wasDropped, signal));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #runAlone(
    sql: string,
    tables: readonly NamedTable[],
    wasDropped: (name: string) => boolean,
    signal?: AbortSignal,
  ): Promise<QueryResult> {
    this.#connection ??= connect();
    const connection = await this.#connection;
    const named = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(sql));
    await this.#forget(connection, tables);
    for (const table of named) await this.#load(connection, table);
    let reason: string | undefined;
    const stop = (why: string) => {
      reason = why;
      connection.interrupt();
    };
    const timer = setTimeout(() => stop(`it ran longer than ${longestQueryMs / 1000} s`), longestQueryMs);
    const cancel = () => stop('the call was cancelled');
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      await refuseAllButSelect(connection, sql);
      const reader = await connection.streamAndReadUntil(sql, mostRows + 1);
      const rows = (await readRows(reader)).map((row) => row.map(toCell));
      const columns = reader.deduplicatedColumnNames();
      return { table: Table.fromRows('query', columns, rows.slice(0, mostRows)), isWhole: rows.length <= mostRows };
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (reason !== undefined)
        throw new Failure(`The query was stopped: ${reason}.`, 'Ask for less: filter or group earlier.');
      throw complain(error, { sql, tables, named, wasDropped });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Tables that are kept no longer take no room, and no query finds them. */
  async #forget(connection: DuckDBConnection, kept: readonly NamedTable[]): Promise<void> {
    for (const [name, table] of this.#loaded) {
      if (kept.some((other) => other.table === table)) continue;
      await connection.run(`DROP TABLE IF EXISTS ${identifier(name)}`);
      this.#loaded.delete(name);
    }
  }

  async #load(connection: DuckDBConnection, { name, table }: NamedTable): Promise<void> {
    if (this.#loaded.get(name) === table) return;
    const { DuckDBDataChunk } = await import('@duckdb/node-api');
    const columns = cleanNames(table.columns).map((name, place) => columnOf(table, name, place));
    const written = columns.map((column) => `${identifier(column.name)} ${column.storedAs}`);
    await connection.run(`CREATE OR REPLACE TEMP TABLE loading (${written.join(', ')})`);
    const appender = await connection.createAppender('loading');
    const types = columns.map((_, index) => appender.columnType(index));
    for (let start = 0; start < table.rowCount; start += chunkSize) {
      const places = Array.from({ length: Math.min(chunkSize, table.rowCount - start) }, (_, index) => start + index);
      const chunk = DuckDBDataChunk.create(types, places.length);
      chunk.setColumns(columns.map((column) => places.map(column.valueAt)));
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
    const create = (expressions: readonly string[]) =>
      connection.run(`CREATE OR REPLACE TABLE ${identifier(name)} AS SELECT ${expressions.join(', ')} FROM loading`);
    const asText = columns.map((column) => identifier(column.name));
    const asDates = columns.map(({ name, readAs }) =>
      readAs === undefined ? identifier(name) : `CAST(${identifier(name)} AS ${readAs}) AS ${identifier(name)}`,
    );
    // What looks like a date in every row may still be no day of the calendar.
    await create(asDates).catch(() => create(asText));
    this.#loaded.set(name, table);
  }
}

/** The rows that DuckDB takes at once. */
const chunkSize = 2048;

interface SqlColumn {
  readonly name: string;
  readonly storedAs: 'DOUBLE' | 'VARCHAR';
  /** The type of dates that its texts are, where every one of them is. */
  readonly readAs: 'TIMESTAMP' | 'DATE' | undefined;
  readonly valueAt: (row: number) => string | number | null;
}

async function connect(): Promise<DuckDBConnection> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', confinement);
  return instance.connect();
}

function columnOf(table: Table, name: string, place: number): SqlColumn {
  const numbers = readNumbers(table, place);
  if (numbers) {
    const valueAt = (row: number) => {
      const value = numbers.values[row] ?? Number.NaN;
      return Number.isNaN(value) ? null : value;
    };
    return { name, storedAs: 'DOUBLE', readAs: undefined, valueAt };
  }
  const cells = Array.from({ length: table.rowCount }, (_, row) => table.text(row, place));
  const isFilled = cells.some((cell) => cell !== null);
  const readAs = dateTypes.find(
    ({ pattern }) => isFilled && cells.every((cell) => cell === null || pattern.test(cell)),
  )?.type;
  const valueAt = (row: number) => {
    const cell = cells[row] ?? null;
    return cell === null ? null : cleanText(cell);
  };
  return { name, storedAs: 'VARCHAR', readAs, valueAt };
}

/** What a query begins with, behind comments and brackets; a PRAGMA would pass for a SELECT otherwise. */
const selectStart =
  /^(?:\s|\(|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:SELECT|WITH|FROM|VALUES|PIVOT|UNPIVOT|SUMMARIZE|DESCRIBE)\b/i;

async function refuseAllButSelect(connection: DuckDBConnection, sql: string): Promise<void> {
  const { StatementType } = await import('@duckdb/node-api');
  const statements = await connection.extractStatements(sql);
  const prepared = statements.count === 1 ? await statements.prepare(0) : undefined;
  const isSelect = prepared?.statementType === StatementType.SELECT && selectStart.test(sql);
  prepared?.destroySync();
  if (!isSelect) throw new Failure('Only one SELECT statement can be run, and nothing that changes data.');
}

/** Rows as JSON values; an interval as the text that DuckDB writes, since its parts in JSON are no use to a reader. */
async function readRows(reader: DuckDBResultReader): Promise<Json[][]> {
  const { DuckDBIntervalValue, JsonDuckDBValueConverter } = await import('@duckdb/node-api');
  const convert: DuckDBValueConverter<Json> = (value, type, inner) =>
    value instanceof DuckDBIntervalValue ? value.toString() : JsonDuckDBValueConverter(value, type, inner);
  return reader.convertRows(convert);
}

/** Sums of doubles drift behind the twelfth digit, where no report has anything to say. */
function toCell(value: Json): Cell {
  if (value === null || value === '') return null;
  if (typeof value === 'number') return plainNumber(Number(value.toPrecision(12)));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function plainNumber(value: number): string {
  const text = String(value);
  return text.includes('e') && Math.abs(value) < 1 ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
