import { type DuckDBConnection, DuckDBDataChunk, type DuckDBValue } from '@duckdb/node-api';
import type { ColumnType, ColumnValues } from '../messages.ts';
import { quoteName } from './quote-name.ts';

interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

type Appender = Awaited<ReturnType<DuckDBConnection['createAppender']>>;

/** Takes a table in, some rows at a time. What visitors typed reaches the database as values, never as part of a statement. */
export class TableLoader {
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

  /** @param count at most 2,048 */
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
