import type { VisitGroups } from '../../analysis/visit-groups.ts';
import type { NoteOf } from '../../answer/notes.ts';
import { dimensionNamed } from '../../api/dimensions.ts';
import { Table } from '../../api/table.ts';
import { indexOfColumn } from '../present/view.ts';
import { type Condition, rowsThatMatch } from '../present/where.ts';
import { changeColumns, figureColumns, heldColumns } from './figures.ts';
import { type Cut, headingOf } from './visit-cuts.ts';

/** The columns of figures in a breakdown. */
export const namesOfFigures = [...figureColumns, ...heldColumns, ...changeColumns].map(({ name }) => name);

/**
 * Separates conditions on rows of a breakdown from those on the visits that are counted in it: a dimension that is none of its columns.
 * @param by what it is cut by
 */
export function splitByRows(by: readonly string[], where: readonly Condition[]) {
  const columns = [...by, ...by.map(headingOf), ...namesOfFigures];
  const dimensions = by.map(dimensionNamed);
  const isOfRows = ({ column }: Condition) =>
    indexOfColumn(columns, column) !== undefined ||
    (dimensions.includes('campaign') && indexOfColumn(['Campaign ID'], column) !== undefined) ||
    (dimensionNamed(column) !== undefined && dimensions.includes(dimensionNamed(column)));
  return { onRows: where.filter(isOfRows), onVisits: where.filter((condition) => !isOfRows(condition)) };
}

/** What conditions on visits are about. */
export const columnsOf = (conditions: readonly Condition[]): readonly string[] => [
  ...new Set(conditions.map(({ column }) => column)),
];

/** What visits are cut by: for the rows of an answer, and for conditions on what is not among those. */
export type Cuts = Readonly<Record<'ofRows' | 'ofConditions', readonly Cut[]>>;

/** Values that are named where no visit matches. */
const maxValues = 8;

/**
 * The visits that meet all conditions.
 * @param groups cut by the cuts of the rows, and then by those of the conditions
 */
export function groupsThatMatch(
  groups: VisitGroups,
  cuts: Cuts,
  conditions: readonly Condition[],
): { readonly matching: VisitGroups; readonly notices: readonly NoteOf<'visits-that-match'>[] } {
  if (conditions.length === 0) return { matching: groups, notices: [] };
  const before = cuts.ofRows.length;
  const names = cuts.ofConditions.map(({ by }) => by);
  const table = Table.fromRows(
    'visits',
    names,
    groups.sizes.map(({ values }) => values.slice(before)),
  );
  // A placement is read with its traffic source before it.
  const indexed = conditions.map((condition) => ({ ...condition, index: names.lastIndexOf(condition.column) }));
  const matching = groups.only(rowsThatMatch(table, indexed), before);
  const isNone = matching.counted === 0 && groups.counted > 0;
  return {
    matching,
    notices: [
      {
        code: 'visits-that-match',
        visits: matching.counted,
        of: groups.counted,
        where: conditions.map(({ column, op, value, values }) => ({ column, op, values: values ?? [value ?? ''] })),
        seen: isNone ? names.map((column, index) => ({ column, values: mostFrequent(groups, before + index) })) : [],
      },
    ],
  };
}

/** The values that most visits have in one of their cuts. */
function mostFrequent(groups: VisitGroups, index: number): readonly string[] {
  const visits = new Map<string, number>();
  for (const { values, views } of groups.sizes) {
    const value = values[index];
    if (value) visits.set(value, (visits.get(value) ?? 0) + views);
  }
  const sorted = [...visits].sort(([, one], [, other]) => other - one);
  return sorted.slice(0, maxValues).map(([value]) => value);
}
