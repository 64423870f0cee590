import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import type { CampaignType } from '../../api/campaign-types.ts';
import { Failure } from '../../api/failure.ts';
import { Refusal } from '../refusal.ts';
import { schema } from './schema.ts';

/** What DuckDB hands back for one row, read as JSON values: BIGINT and DECIMAL are text, so nothing is rounded. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;
export type SqlParameters = Record<string, DuckDBValue>;

/** One DuckDB database. Writes go one after another over a connection of their own; reads see only what is committed. */
export class Database {
  readonly #instance: DuckDBInstance;
  readonly #reader: Reader;
  readonly #writer: DuckDBConnection;
  /** Free for the next snapshot. */
  readonly #idle: DuckDBConnection[] = [];
  #lastWrite: Promise<unknown> = Promise.resolve();
  #setupVersion = 0;

  private constructor(instance: DuckDBInstance, reader: Reader, writer: DuckDBConnection) {
    this.#instance = instance;
    this.#reader = reader;
    this.#writer = writer;
  }

  /** Opens the database of a file; without one it lives in memory and ends with the process. */
  static async open(file?: string): Promise<Database> {
    const instance = await DuckDBInstance.create(file ?? ':memory:', {
      // The embedded tracker holds only its own tables: nothing is read from other files or fetched.
      enable_external_access: 'false',
      autoinstall_known_extensions: 'false',
      // At every checkpoint the last block of each table is written anew, which live traffic would pay for each 50,000 visits.
      // A file of a killed process takes two seconds longer to open.
      checkpoint_threshold: '128MB',
    });
    const [reader, writer] = [await instance.connect(), await instance.connect()];
    await writer.run(schema);
    return new Database(instance, new Reader(reader), writer);
  }

  /** Grows with every transaction that may have changed the set-up: what was read of it at another version is stale. */
  get setupVersion(): number {
    return this.#setupVersion;
  }

  async query(sql: string, parameters: SqlParameters = {}): Promise<Row[]> {
    return this.#reader.query(sql, parameters);
  }

  /** Runs reads over one state of the data, so that the answers agree. Any number of snapshots may be read side by side. */
  async snapshot<Result>(work: (reader: Reader) => Promise<Result>): Promise<Result> {
    const connection = this.#idle.pop() ?? (await this.#instance.connect());
    await connection.run('BEGIN TRANSACTION READ ONLY');
    try {
      return await work(new Reader(connection));
    } finally {
      await connection.run('ROLLBACK');
      this.#idle.push(connection);
    }
  }

  /**
   * Runs work as one transaction: all of it is committed, or, if it throws, nothing. Transactions run one at a time, in
   * order; `changes` says whether one may write the set-up, or only what visitors do. Throws a Failure if the file cannot be
   * written.
   */
  transaction<Result>(
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
        // If the COMMIT failed there is nothing to roll back, and that error is the one to report.
        await this.#writer.run('ROLLBACK').catch(() => undefined);
        throw explainWriteError(error);
      }
    };
    const result = this.#lastWrite.then(run, run);
    this.#lastWrite = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    for (const connection of this.#idle.splice(0)) connection.closeSync();
    this.#reader.connection.closeSync();
    this.#writer.closeSync();
    this.#instance.closeSync();
  }
}

/** Columns in the order of the SELECT, and rows of the same length. */
export interface TextTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

export type Readable = Pick<Reader, 'query'>;

export class Reader {
  readonly connection: DuckDBConnection;

  constructor(connection: DuckDBConnection) {
    this.connection = connection;
  }

  /** Rows of a SELECT as objects; named parameters are written `$name`. */
  async query(sql: string, parameters: SqlParameters = {}): Promise<Row[]> {
    const reader = await this.connection.runAndReadAll(sql, parameters);
    return reader.getRowObjectsJson() as Row[];
  }

  /** Rows of a SELECT whose columns are all VARCHAR, as arrays, for tables of any size. */
  async texts(sql: string, parameters: SqlParameters = {}): Promise<TextTable> {
    const reader = await this.connection.runAndReadAll(sql, parameters);
    return { columns: reader.columnNames(), rows: reader.getRows() as (string | null)[][] };
  }
}

/** The writing side of one transaction, which sees its own changes. */
export class Writer extends Reader {
  async execute(sql: string, parameters: SqlParameters = {}): Promise<void> {
    await this.connection.run(sql, parameters);
  }
}

/** A file that cannot be written is no defect: the disk may be full, which the user can mend. */
function explainWriteError(error: unknown): unknown {
  const [, reason] = (error instanceof Error && /Could not write file .*: (.+)/.exec(error.message)) || [];
  if (reason === undefined) return error;
  return new Failure(
    `The data file cannot be written: ${reason.trim()}.`,
    'Visits that were answered are kept meanwhile and tried again; reports wait for them.',
  );
}

export interface Campaign {
  readonly id: number;
  readonly name: string;
  readonly type: CampaignType;
  readonly trafficSourceId: number;
}

/** Throws a Refusal if there is no campaign with the ID. */
export async function requireCampaign(reader: Reader, id: number): Promise<Campaign> {
  const [row] = await reader.query('SELECT id, name, type, traffic_source_id FROM campaigns WHERE id = $id::BIGINT', {
    id,
  });
  if (!row) {
    throw new Refusal('unknown-record', `There is no campaign with ID ${id}.`, 'campaign/list has the campaigns.');
  }
  return {
    id,
    name: String(row['name']),
    type: String(row['type']) as CampaignType,
    trafficSourceId: Number(row['traffic_source_id']),
  };
}
