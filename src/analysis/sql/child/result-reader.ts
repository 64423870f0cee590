import {
  type DuckDBDataChunk,
  DuckDBIntervalValue,
  type DuckDBResult,
  type DuckDBValueConverter,
  type Json,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';
import type { Answer, Row } from '../messages.ts';

/** More rows than anyone pages through; the rest is not read. */
const maxRows = 10_000;

/** All cells of a result together; rows behind them are not read. */
const maxResult = 16_000_000;

/** Characters that go over at once, about. */
const maxPiece = 1_000_000;

type Rows = Extract<Answer, { is: 'rows' | 'refused' }>;

const tooLong: Rows = {
  is: 'refused',
  what: `A row of the result is longer than ${maxResult / 1e6} million characters`,
  instead: 'Shorten it, for example with left(text, 1000).',
};

/** Reads a result cell by cell, and no further than it is wanted. */
export class ResultReader {
  readonly columns: readonly string[];
  readonly #result: DuckDBResult;
  #chunk: DuckDBDataChunk | null = null;
  #row = 0;
  #count = 0;
  #characters = 0;

  constructor(result: DuckDBResult) {
    this.#result = result;
    this.columns = result.deduplicatedColumnNames();
  }

  /** The next rows; a refusal if a single row is longer than a whole result may be. */
  async next(): Promise<Rows> {
    const rows: Row[] = [];
    const end = this.#characters + maxPiece;
    while (this.#characters < end) {
      const row = await this.#nextRow();
      if (row === undefined) return { is: 'rows', rows, isLast: true, isWhole: true };
      this.#characters += row.reduce((sum, cell) => sum + (cell?.length ?? 0), 1);
      if (this.#characters > maxResult && this.#count === 0) return tooLong;
      if (this.#characters > maxResult || this.#count === maxRows) {
        return { is: 'rows', rows, isLast: true, isWhole: false };
      }
      rows.push(row);
      this.#count += 1;
    }
    return { is: 'rows', rows, isLast: false, isWhole: true };
  }

  async #nextRow(): Promise<Row | undefined> {
    if (this.#chunk === null || this.#row >= this.#chunk.rowCount) {
      this.#chunk = await this.#result.fetchChunk();
      this.#row = 0;
    }
    const chunk = this.#chunk;
    if (chunk === null || chunk.rowCount === 0) return undefined;
    const row = this.#row;
    this.#row += 1;
    return Array.from({ length: chunk.columnCount }, (_, index) => {
      const vector = chunk.getColumnVector(index);
      return toCell(toJson(vector.getItem(row), vector.type, toJson));
    });
  }
}

/** A JSON value; an interval as the text that DuckDB writes, since its parts in JSON are no use to a reader. */
const toJson: DuckDBValueConverter<Json> = (value, type, inner) =>
  value instanceof DuckDBIntervalValue ? value.toString() : JsonDuckDBValueConverter(value, type, inner);

/** Sums of doubles drift behind the twelfth digit, where no report has anything to say. */
function toCell(value: Json): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'number') return plainNumber(Number(value.toPrecision(12)));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function plainNumber(value: number): string {
  const text = String(value);
  return text.includes('e') && Math.abs(value) < 1 ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}
