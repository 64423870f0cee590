import { expect, test } from 'vitest';
import { readTimes, timesIn, timesInLongList } from '../../../src/analysis/columns/times.ts';
import { unhurried } from '../../../src/api/running-call.ts';
import { Table } from '../../../src/api/table.ts';

const cells = [
  '2026-08-02 10:00:00',
  '2026-08-02 23:59:59',
  '2026-02-29 10:00:00',
  '2024-02-29 00:00:00',
  '2026-08-02 24:00:00',
  '2026-08-02 10:60:00',
  '2026-13-02 10:00:00',
  '0000-00-00 00:00:00',
  '1899-01-01 00:00:00',
  '2026-08-02T10:00:00',
  '2026-08-02 10:00 AM',
  '13/08/2026 10:00:00',
  '03/04/2026 10:00:00',
  '2026-08-02',
  null,
  '',
  'yesterday at noon..',
  '2026-08-02 10:00:0x',
];

test('times in the usual form are read as any other form is', async () => {
  const table = Table.fromColumns('visitors', ['Date'], [cells]);
  const long = await timesInLongList(table, ['date'], unhurried);
  const plain = readTimes(cells.map((cell) => cell ?? '')).values;
  for (const times of [timesIn(table, ['date']), long]) {
    expect(cells.map((_, row) => times?.momentOf(row))).toEqual(plain.map((moment) => moment ?? null));
    expect(cells.map((_, row) => times?.dayOf(row))).toEqual(
      plain.map((moment) => (moment === undefined ? null : new Date(moment).toISOString().slice(0, 10))),
    );
  }
});

test('a list without times of day has days and no moments', () => {
  const times = timesIn(Table.fromColumns('visitors', ['Date'], [['2026-08-02 00:00:00', '2026-08-03']]), ['date']);
  expect([0, 1].map((row) => [times?.dayOf(row), times?.momentOf(row)])).toEqual([
    ['2026-08-02', null],
    ['2026-08-03', null],
  ]);
});

test.each([
  '2. 8. 2026 10:00',
  '02.08.2026 - 10:00 Uhr',
  '2026-08-02_10:00:00',
  '2026-08-02 | 10:00',
  'domenica 2 agosto 2026, 10:00',
  'zondag 2 augustus 2026 10:00',
  '2 ago 2026 10:00',
])('the same moment is read from %s', (time) => {
  expect(readTimes([time]).values).toEqual([Date.UTC(2026, 7, 2, 10)]);
});
