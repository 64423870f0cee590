import { type Change, changeOf } from '../changes.ts';
import type { Column } from '../columns.ts';
import { element } from './element.ts';

/** What people look at first; of a table's totals these become large figures. */
const told = ['profit', 'revenue', 'cost', 'roi', 'conversions', 'views'];

/** The totals of a table as large figures, with what changed where the totals of the period before are there. */
export function tiles(columns: readonly Column[], totals: Readonly<Record<string, number>> = {}): readonly Node[] {
  const shown = told.flatMap((name) => columns.filter((column) => column.name.toLowerCase() === name));
  const made = shown.flatMap((column) => {
    const total = totals[column.name];
    return total === undefined ? [] : [tile(column, total, changeOf(column, total, totals[`${column.name} before`]))];
  });
  return made.length < 2 ? [] : [element('dl', { class: 'tiles' }, ...made)];
}

function tile({ name, format }: Column, total: number, change: Change | undefined): Node {
  const isLoss = name.toLowerCase() === 'profit' && total < 0;
  return element(
    'div',
    {},
    element('dt', {}, name),
    element('dd', { class: isLoss && 'loss' }, format(total)),
    ...(change
      ? [element('dd', { class: `change ${toneOf(change)}`, title: `before: ${change.former}` }, change.text)]
      : []),
  );
}

function toneOf({ isGain }: Change): string {
  return isGain === undefined ? '' : isGain ? 'gain' : 'loss';
}
