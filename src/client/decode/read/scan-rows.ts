import { boundTable } from '../tree.ts';
import type { RowForm } from './row-loop.ts';
import { RowReader } from './row-reader.ts';
import { bytesOfStep, minRows, type Run, type Steps } from './scan.ts';

/** What the first row of a list gives to all of them. */
export interface FirstRow extends Pick<RowForm, 'gaps'> {
  readonly columns: readonly string[];
}

/** How the rows of a list are written, and what ends it. */
export interface ListForm extends FirstRow, RowForm {
  /** @returns the index behind the list; -1 where something else comes behind its last row */
  endOfList(endOfRow: number): number;
}

/** @returns undefined where the list whose first row begins at `start` is another one, or a short one */
export function* scanRows(bytes: Uint8Array, start: number, form: ListForm): Steps<Run | undefined> {
  const { columns } = form;
  const rows = new RowReader(bytes, start, form, minRows);
  rows.read(minRows, bytes.length);
  if (rows.rowCount < minRows) return undefined;
  const endOfFirst = rows.endOfRow;
  while (rows.read(Number.POSITIVE_INFINITY, bytesOfStep)) {
    boundTable(rows.rowCount, columns.length);
    yield;
  }
  const end = rows.endOfRow < 0 ? -1 : form.endOfList(rows.endOfRow);
  if (end < 0) return undefined;
  rows.trim();
  return { columns, rows, endOfFirst, end };
}
