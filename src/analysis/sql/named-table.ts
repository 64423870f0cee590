import { createRequire } from 'node:module';
import { yieldIfBusy } from '../../api/running-call.ts';
import type { Table } from '../../api/table.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { readNumbers, shownColumns } from '../columns/columns.ts';
import type { ColumnType, ColumnValues, Question } from './messages.ts';

let isInstalled: boolean | undefined;

/** Whether the database for queries is installed; it is optional, and large. */
export function isQueryInstalled(): boolean {
  try {
    isInstalled ??= createRequire(import.meta.url).resolve('@duckdb/node-api') !== '';
  } catch {
    isInstalled = false;
  }
  return isInstalled;
}

export interface NamedTable {
  /** In lower case; never reused for a different table. */
  readonly name: string;
  /** A second name, in lower case, while the table is the latest of its kind. */
  readonly alias?: string | undefined;
  /** The tracker it comes from, if there are several. */
  readonly tracker?: string | undefined;
  readonly table: Table;
}

/** Whether a name cannot be read as a path, an address or a table of DuckDB's own. */
export function isFreeName(name: string): boolean {
  return /^(?!(?:duckdb|pg|pragma|sqlite)_|information_schema)[\p{L}_][\p{L}\p{N}_ ]*$/iu.test(name);
}

/** The number of rows that DuckDB takes at once. */
const chunkSize = 2048;

interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly valuesOf: (start: number, end: number) => ColumnValues;
}

const datePatterns = [
  { type: 'TIMESTAMP', pattern: /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/ },
  { type: 'DATE', pattern: /^\d{4}-\d{2}-\d{2}$/ },
] as const;

/** The questions that load a table into the query process. Reading a large one takes a moment; other calls run in between. */
export async function* loadTable(name: string, table: Table): AsyncGenerator<Question> {
  const columns: Column[] = [];
  for (const [index, column] of shownColumns(table).entries()) {
    columns.push(readColumn(table, column, index));
    await yieldIfBusy();
  }
  yield { ask: 'begin-table', columns: columns.map(({ name, type }) => ({ name, type })) };
  for (let start = 0; start < table.rowCount; start += chunkSize) {
    const end = Math.min(start + chunkSize, table.rowCount);
    yield { ask: 'add-rows', count: end - start, values: columns.map(({ valuesOf }) => valuesOf(start, end)) };
  }
  yield { ask: 'end-table', name };
}

/** A column has a type if every cell fits it. */
function readColumn(table: Table, name: string, index: number): Column {
  const numbers = readNumbers(table, index);
  if (numbers) return { name, type: 'DOUBLE', valuesOf: (start, end) => numbers.values.subarray(start, end) };
  const cellsIn = (start: number, end: number) =>
    Array.from({ length: end - start }, (_, row) => rawCell(table.text(start + row, index)));
  const filled = cellsIn(0, table.rowCount).filter((cell) => cell !== null);
  const date = datePatterns.find(({ pattern }) => filled.length > 0 && filled.every((cell) => pattern.test(cell)));
  const valuesOf = (start: number, end: number) => cellsIn(start, end).map((cell) => cell && cleanText(cell));
  return { name, type: date?.type ?? 'VARCHAR', valuesOf };
}
