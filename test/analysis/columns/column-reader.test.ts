import { expect, test } from 'vitest';
import { isEmptyColumn, readNumberColumns, readNumbers } from '../../../src/analysis/columns/columns.ts';
import { readLooseColumn } from '../../../src/analysis/columns/loose-numbers.ts';
import { findTotal } from '../../../src/analysis/columns/tracker-total.ts';
import { Table } from '../../../src/api/table.ts';

test('what is known of a table is worked out once, and its cells are not read again', () => {
  const table = Table.fromRows(
    'offer',
    ['Name', 'Views', 'Rate'],
    [
      ['A', '1', 'x'],
      ['Total', '1', '2'],
    ],
  );
  const ask = () => [
    isEmptyColumn(table, 0),
    readNumbers(table, 1),
    readLooseColumn(table, 2),
    readNumberColumns(table),
    findTotal(table),
  ];
  const known = ask();
  const refuse = () => {
    throw new Error('a cell was read again');
  };
  Object.assign(table, { text: refuse, numbers: refuse });
  const again = ask();
  for (const [index, value] of known.entries()) expect(again[index]).toBe(value);
});
