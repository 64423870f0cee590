import { setImmediate } from 'node:timers/promises';
import type { Table } from '../../api/table.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { readNumbers, shownColumns } from '../columns/columns.ts';
import type { ColumnType, ColumnValues, Question } from './messages.ts';

/** A table that queries can name. */
export interface NamedTable {
  /** In lower case; it stands for this table for ever. */
  readonly name: string;
  /** What it goes by as well, in lower case, while it is the latest of its kind. */
  readonly alias?: string | undefined;
  /** Whose it is, if there are several trackers. */
  readonly tracker?: string | undefined;
  readonly table: Table;
}

/** Whether a name is no path, no address and no table of DuckDB's own, wherever it is looked up. */
export function isFreeName(name: string): boolean {
  return /^(?!(?:duckdb|pg|pragma|sqlite)_|information_schema)[\p{L}_][\p{L}\p{N}_ ]*$/iu.test(name);
}

/** The rows that DuckDB takes at once. */
const pieceSize = 2048;

interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly valuesOf: (start: number, end: number) => ColumnValues;
}

const datePatterns = [
  { type: 'TIMESTAMP', pattern: /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/ },
  { type: 'DATE', pattern: /^\d{4}-\d{2}-\d{2}$/ },
] as const;

/**
 * The questions that give the query process a table. Reading a large one takes a moment, in which other calls get their turn.
 */
export async function* loadTable(name: string, table: Table): AsyncGenerator<Question> {
  const columns: Column[] = [];
  for (const [index, column] of shownColumns(table).entries()) {
    columns.push(readColumn(table, column, index));
    await setImmediate();
  }
  yield { ask: 'begin-table', columns: columns.map((column) => ({ name: column.name, type: column.type })) };
  for (let start = 0; start < table.rowCount; start += pieceSize) {
    const end = Math.min(start + pieceSize, table.rowCount);
    yield { ask: 'add-rows', count: end - start, values: columns.map(({ valuesOf }) => valuesOf(start, end)) };
  }
  yield { ask: 'end-table', name };
}

/** A column is kept as what every cell of it is. */
function readColumn(table: Table, name: string, index: number): Column {
  const numbers = readNumbers(table, index);
  if (numbers) return { name, type: 'DOUBLE', valuesOf: (start, end) => numbers.values.subarray(start, end) };
  const cellsOf = (start: number, end: number) =>
    Array.from({ length: end - start }, (_, row) => rawCell(table.text(start + row, index)));
  const filled = cellsOf(0, table.rowCount).filter((cell) => cell !== null);
  const date = datePatterns.find(({ pattern }) => filled.length > 0 && filled.every((cell) => pattern.test(cell)));
  const valuesOf = (start: number, end: number) =>
    cellsOf(start, end).map((cell) => (cell === null ? null : cleanText(cell)));
  return { name, type: date?.type ?? 'VARCHAR', valuesOf };
}
