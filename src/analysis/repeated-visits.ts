import type { Table } from '../api/table.ts';
import { thingsOf } from '../api/vocabulary.ts';
import { indexOfColumn } from './columns/columns.ts';

const { visitor: subids } = thingsOf('visitor');

/** So many visits show whether a list has visits more than once, as one that is joined with something else does. */
const sampled = 2000;

/** Rows of a list whose visit is in an earlier row. */
export interface Repeated {
  /** Those that repeat it in every cell, if they are too many to be visits with two sales. */
  readonly same: readonly number[];
  /** How many others have the subID of an earlier row. */
  readonly sameSubid: number;
}

const none: Repeated = { same: [], sameSubid: 0 };

/** Fewer of the rows may be second sales of the same amount. */
const minPartOfSame = 0.2;

/** None in nearly all lists, and if visits have no subID. */
export function repeatedVisits(visits: Table): Repeated {
  const column = indexOfColumn(visits, subids);
  if (column === undefined || !hasRepeated(visits, column, Math.min(visits.rowCount, sampled))) return none;
  const seen = new Map<string, Set<string>>();
  const same: number[] = [];
  let sameSubid = 0;
  for (let row = 0; row < visits.rowCount; row += 1) {
    const subid = visits.cells.text(row, column);
    if (subid === null) continue;
    const [cells, earlier] = [visits.rowKey(row), seen.get(subid)];
    if (!earlier) seen.set(subid, new Set([cells]));
    else if (earlier.has(cells)) same.push(row);
    else {
      sameSubid += 1;
      earlier.add(cells);
    }
  }
  return same.length < visits.rowCount * minPartOfSame
    ? { same: [], sameSubid: sameSubid + same.length }
    : { same, sameSubid };
}

function hasRepeated(visits: Table, column: number, count: number): boolean {
  const seen = new Set<string>();
  for (let row = 0; row < count; row += 1) {
    const subid = visits.cells.text(row, column);
    if (subid !== null && seen.size === seen.add(subid).size) return true;
  }
  return false;
}
