import { indexOfColumn, isBlank } from '../../analysis/columns/columns.ts';
import { timesIn } from '../../analysis/columns/times.ts';
import { visitTimes } from '../../analysis/visit-dimensions.ts';
import type { VisitPart } from '../../analysis/visit-groups.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { thingsOf } from '../../api/vocabulary.ts';
import { yesOrNo } from '../../api/yes-no.ts';

const { convertedAt } = thingsOf('visitor');

/**
 * The visits and sales of a list up to a moment, on the tracker's clock as if that were UTC.
 * @returns undefined if a visit has no time of day
 */
export function visitsUntil(table: Table, end: number): VisitPart | undefined {
  const times = visitTimes(table);
  const moments = Array.from({ length: table.rowCount }, (_, row) => times?.momentOf(row) ?? null);
  if (moments.includes(null)) return undefined;
  return { has: (row) => Number(moments[row]) < end, hasSold: salesUntil(table, end) };
}

function salesUntil(table: Table, end: number): VisitPart['hasSold'] {
  const column = indexOfColumn(table, convertedAt);
  if (column === undefined) return undefined;
  const times = timesIn(table, convertedAt);
  const sold = Array.from({ length: table.rowCount }, (_, row) => row).filter(
    (row) => !isBlank(table.text(row, column)) && yesOrNo(table.text(row, column)) !== false,
  );
  // A day without a time of day does not show it.
  if (sold.some((row) => times?.momentOf(row) == null)) return undefined;
  return (row) => (times?.momentOf(row) ?? Number.POSITIVE_INFINITY) < end;
}

/** Visits have no time of day. */
export class TimelessFailure extends Failure {
  constructor() {
    super('The list of visitors has no time of day.', '');
  }
}
