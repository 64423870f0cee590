import { expect, it } from 'vitest';
import { countMoney, ListedStatuses } from '../../src/analysis/sale-status.ts';
import { toTable } from '../support/tables.ts';

const columns = ['SubID', 'Status', 'Revenue'];
const amountsIn = (rows: readonly (readonly string[])[]) => (row: number) => Number(rows[row]?.[2]);

it('what counts of a visitor with several sales is what of them is not rejected, also over several lists', async () => {
  const lists = [
    [
      ['a', 'approved', '7'],
      ['b', 'pending', '5'],
      ['c', 'rejected', '3'],
      ['d', 'approved', '2'],
      ['e', 'rejected', '4'],
      ['f', 'rejected', '4'],
    ],
    [
      ['a', 'rejected', '6'],
      ['b', 'pending', '1'],
      ['c', 'approved', '8'],
      ['e', 'rejected', '4'],
      ['f', 'approved', '4'],
    ],
  ];
  const tables = lists.map((rows) => toTable({ name: 'sales', columns, rows }));
  const listed = new ListedStatuses(async () => ({ tables }));
  await listed.learn();
  // The tracker counts the rejected sales of “a” as revenue, and not those of “c”. The amount of “f” is none of both.
  const rows = [
    ['a', '', '13'],
    ['b', '', '6'],
    ['c', '', '8'],
    ['d', '', '2'],
    ['e', '', '4.1'],
    ['f', '', '9'],
    ['none', '', '1'],
  ];
  const visits = toTable({ name: 'visits', columns, rows });
  const { revenue, held } = countMoney(visits, amountsIn(rows), { state: 'booked', listed });
  expect(rows.map((_, row) => revenue(row))).toEqual([7, 6, 8, 2, 0, 9, 1]);
  expect(rows.map((_, row) => held?.of(row).map(({ standing, amount }) => `${standing} ${amount}`))).toEqual([
    ['rejected 6'],
    ['pending 5', 'pending 1'],
    ['rejected 0'],
    [],
    ['rejected 4.1'],
    ['unknown 9'],
    [],
  ]);
});
