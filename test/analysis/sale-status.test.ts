import { expect, it } from 'vitest';
import { addStatuses, type Held } from '../../src/analysis/sale-status.ts';
import { toTable } from '../support/tables.ts';

const columns = ['SubID', 'Status', 'Date'];

it('a visitor whose sales differ has an unknown status, also over several lists and beside an approved one', () => {
  const bySubid = new Map<string, Held | null>();
  const lists = [
    [
      ['a', 'approved', '2026-11-01'],
      ['b', 'pending', '2026-11-02'],
      ['c', 'rejected', '2026-11-03'],
      ['d', 'approved', '2026-11-04'],
    ],
    [
      ['a', 'rejected', '2026-11-05'],
      ['b', 'pending', '2026-11-06'],
      ['c', 'approved', '2026-11-07'],
    ],
  ];
  for (const rows of lists) addStatuses(toTable({ name: 'conversions', columns, rows }), bySubid);
  expect([...bySubid].map(([subid, held]) => [subid, held?.standing ?? 'approved'])).toEqual([
    ['a', 'unknown'],
    ['b', 'pending'],
    ['c', 'unknown'],
    ['d', 'approved'],
  ]);
});
