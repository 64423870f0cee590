import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import type { CampaignType } from '../../api/campaign-types.ts';
import { Failure } from '../../api/failure.ts';
import { Refusal, type Rows, type WrittenRows } from '../wire.ts';
import { schema } from './schema.ts';

/** A row as JSON values. BIGINT and DECIMAL are text, so that nothing is rounded. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;
export type SqlParameters = Record<string, DuckDBValue>;

/** A DuckDB database. Writes run one after another on their own connection; reads see only committed data. */
export class Database {
  readonly #instance: DuckDBInstance;
  readonly #reader: Reader;
  readonly #writer: DuckDBConnection;
  #lastWrite: Promise<unknown> = Promise.resolve();
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;
  #setupVersion = 0;
  readonly #kept: KeptSetup = { rows: new LRUCache({ max: 500 }), version: () => this.#setupVersion };

  private constructor(instance: DuckDBInstance, reader: DuckDBConnection, writer: DuckDBConnection) {
    this.#instance = instance;
    this.#reader = new Reader(reader, this.#kept);
    this.#writer = writer;
  }

  /** Opens the database in a file; without a file it is in memory and ends with the process. */
  static async open(file?: string): Promise<Database> {
    const instance = await DuckDBInstance.create(file ?? ':memory:', {
      // The embedded tracker needs only its own tables: no other files, no downloads.
      enable_external_access: 'false',
      autoinstall_known_extensions: 'false',
      // A checkpoint rewrites the last block of every table, which by default would happen every 50,000 visits. The price: after
      // a kill the file takes two seconds longer to open.
      checkpoint_threshold: '128MB',
      // Statements still run at the same time. More threads for one of them cost CPU and save little below a million visits.
      threads: '1',
    });
    const [reader, writer] = [await instance.connect(), await instance.connect()];
    await writer.run(schema);
    return new Database(instance, reader, writer);
  }

  /** Grows with each transaction that may have changed the setup, so that a copy of the setup can be checked for age. */
  get setupVersion(): number {
    return this.#setupVersion;
  }

  async query(sql: string, parameters: SqlParameters = {}): Promise<Row[]> {
    return this.#whileOpen(() => this.#reader.query(sql, parameters));
  }

  async querySetup(sql: string, parameters: SqlParameters = {}): Promise<Row[]> {
    return this.#whileOpen(() => this.#reader.querySetup(sql, parameters));
  }

  /** Runs reads over one state of the data, so that their answers agree. Snapshots can run at the same time. */
  async snapshot<Result>(work: (reader: Reader) => Promise<Result>): Promise<Result> {
    return this.#whileOpen(async () => {
      // What it reads after a write is of the version before, and must not be kept as that of the version after.
      const version = this.#setupVersion;
      const connection = await this.#instance.connect();
      try {
        await connection.run('BEGIN TRANSACTION READ ONLY');
        return await work(new Reader(connection, { ...this.#kept, version: () => version }));
      } finally {
        connection.closeSync();
      }
    });
  }

  /**
   * Runs work as one transaction: if it throws, nothing is written. Transactions run one at a time, in order.
   *
   * @param changes whether the work may write the setup, or only what visitors do
   * @throws Failure if the file cannot be written
   */
  async transaction<Result>(
    work: (writer: Writer) => Promise<Result>,
    changes: 'setup' | 'traffic' = 'setup',
  ): Promise<Result> {
    const run = async () => {
      await this.#writer.run('BEGIN TRANSACTION');
      try {
        const result = await work(new Writer(this.#writer));
        await this.#writer.run('COMMIT');
        if (changes === 'setup') this.#setupVersion++;
        return result;
      } catch (error) {
        // After a failed COMMIT there is nothing to roll back, and the first error is the one to report.
        await this.#writer.run('ROLLBACK').catch(() => undefined);
        throw explainWriteError(error);
      }
    };
    return this.#whileOpen(() => {
      const result = this.#lastWrite.then(run, run);
      this.#lastWrite = result;
      return result;
    });
  }

  async #whileOpen<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Failure('The database is closed.');
    const running = work();
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Lets what runs end: DuckDB ends the process if a connection is closed under a statement. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    this.#reader.connection.closeSync();
    this.#writer.closeSync();
    this.#instance.closeSync();
  }
}

export type Readable = Pick<Reader, 'query'>;

/** What was read from the setup, by its version. */
interface KeptSetup {
  readonly rows: LRUCache<string, Row[]>;
  readonly version: () => number;
}

export class Reader {
  readonly connection: DuckDBConnection;
  readonly #kept: KeptSetup | undefined;

  constructor(connection: DuckDBConnection, kept?: KeptSetup) {
    this.connection = connection;
    this.#kept = kept;
  }

  /** Returns the rows of a SELECT as objects. Named parameters are written `$name`. */
  async query(sql: string, parameters: SqlParameters = {}): Promise<Row[]> {
    const reader = await this.connection.runAndReadAll(sql, parameters);
    return reader.getRowObjectsJson() as Row[];
  }

  /** The same for a SELECT from the setup alone. Its rows are kept while the setup cannot have changed, because a read costs a millisecond. */
  async querySetup(sql: string, parameters: SqlParameters = {}): Promise<Row[]> {
    if (!this.#kept) return this.query(sql, parameters);
    const key = JSON.stringify([this.#kept.version(), sql, parameters]);
    const rows = this.#kept.rows.get(key) ?? (await this.query(sql, parameters));
    this.#kept.rows.set(key, rows);
    return rows;
  }

  /** Returns a SELECT whose columns are all VARCHAR as a table for the wire. */
  async table(sql: string, parameters: SqlParameters = {}): Promise<Rows> {
    const reader = await this.connection.runAndReadAll(sql, parameters);
    return { element: 'Row', columns: reader.columnNames(), rows: reader.getRows() as (string | null)[][] };
  }

  /** Returns the same for a list of many rows, whose columns have different names. */
  async list(sql: string, parameters: SqlParameters = {}): Promise<WrittenRows> {
    const texts = `SELECT coalesce(COLUMNS(*), '') FROM (${sql})`;
    const reader = await this.connection.runAndReadAll(
      `SELECT to_json(list)::VARCHAR FROM (${texts}) AS list`,
      parameters,
    );
    return { element: 'Row', written: reader.getRows().map(([row]) => String(row)) };
  }
}

/** Writes inside a transaction, and sees the changes of that transaction. */
export class Writer extends Reader {
  async execute(sql: string, parameters: SqlParameters = {}): Promise<void> {
    await this.connection.run(sql, parameters);
  }
}

type PlainValue = string | number | boolean | null;
export type PlainRow = Readonly<Record<string, PlainValue | readonly (string | number)[]>>;

/** SQL: a relation of the rows that `rowsGiven` makes parameters of. One text is read faster than a parameter for each value. */
export const givenRows = '(SELECT unnest(from_json($rows, $types), max_depth := 2))';

/** @param rows all with the same fields */
export function rowsGiven(rows: readonly PlainRow[]): SqlParameters {
  const types = Object.keys(rows[0] ?? {}).map((name) => {
    const values = rows.flatMap((row) => row[name] ?? []);
    return [name, rows.some((row) => Array.isArray(row[name])) ? [typeOf(values)] : typeOf(values)];
  });
  return { rows: JSON.stringify(rows), types: JSON.stringify([Object.fromEntries(types)]) };
}

function typeOf(values: readonly PlainValue[]): string {
  if (values.every((value) => typeof value === 'boolean')) return 'BOOLEAN';
  if (values.every(Number.isInteger)) return 'BIGINT';
  return values.every((value) => typeof value === 'number') ? 'DOUBLE' : 'VARCHAR';
}

/** A file that cannot be written is not a bug: the disk may be full, and the user can fix that. */
function explainWriteError(error: unknown): unknown {
  const [, about] = error instanceof Error ? error.message.split('Could not write file ') : [];
  const reason = about?.split('\n')[0]?.split(': ').at(-1);
  if (about === undefined || reason === undefined) return error;
  return new Failure(
    `The data file cannot be written: ${reason.trim()}.`,
    'Visits that were answered are kept in memory and tried again; reports wait for them.',
  );
}

export interface Campaign {
  readonly id: number;
  readonly type: CampaignType;
  readonly trafficSourceId: number;
}

export async function requireCampaign(reader: Reader, id: number): Promise<Campaign> {
  const rows = await reader.querySetup('SELECT id, type, traffic_source_id FROM campaigns');
  const row = rows.find((one) => one['id'] === id);
  if (!row) {
    throw new Refusal('unknown-record', `There is no campaign with ID ${id}.`, 'campaign/list has the campaigns.');
  }
  return { id, type: String(row['type']) as CampaignType, trafficSourceId: Number(row['traffic_source_id']) };
}
