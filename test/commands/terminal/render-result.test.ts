import { expect, test } from 'vitest';
import { renderResult } from '../../../src/commands/terminal/render-result.ts';

const table = {
  name: 'offer',
  columns: ['Name', 'CTR'],
  rows: [['One', 12.5]],
  total_rows: 40,
  offset: 25,
  next_offset: 26,
  units: { CTR: '%' },
  totals: { CTR: 11 },
  omitted_columns: ['Notes'],
};

test('a table is shown with its place among all rows, units, totals, what was left out, and every notice', () => {
  const structured = { query: {}, tables: [table], notices: ['First notice.', 'Second notice.'] };
  expect(renderResult({ structured, text: 'unused' }, 80)).toBe(
    [
      'offer: rows 26 to 26 of 40, more from offset 26',
      'Name  CTR %',
      'One    12.5',
      'Totals of all rows: CTR 11',
      'Empty in every row: Notes',
      '',
      'First notice.',
      '',
      'Second notice.',
    ].join('\n'),
  );
});

test('a table without rows says so', () => {
  const empty = { name: 'offer', columns: [], rows: [], total_rows: 0, offset: 0, next_offset: null };
  expect(renderResult({ structured: { query: {}, tables: [empty], notices: [] }, text: '' }, 80)).toBe(
    'offer: no rows',
  );
});

test('what is no table is shown as its text', () => {
  const structured = { operation: 'add_offer', dry_run: false, done: true, id: '7', sent: {}, notices: [] };
  expect(renderResult({ structured, text: 'add_offer: done, ID 7.' }, 80)).toBe('add_offer: done, ID 7.');
});
