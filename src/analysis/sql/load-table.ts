import { setImmediate } from 'node:timers/promises';
import type { Table } from '../../api/table.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { readNumbers } from '../columns/columns.ts';
import { shownColumns } from '../columns/shown-columns.ts';
import type { ColumnType, ColumnValues, Question } from './messages.ts';

/** The rows that DuckDB takes at once. */
const pieceSize = 2048;

interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Its cells in some rows. */
  readonly valuesOf: (start: number, end: number) => ColumnValues;
}

const datePatterns = [
  { type: 'TIMESTAMP', pattern: /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/ },
  { type: 'DATE', pattern: /^\d{4}-\d{2}-\d{2}$/ },
] as const;

/**
 * What to tell the query process, one after the other, so that it has a table. Reading a large one takes a moment, in which
 * other calls get their turn.
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
