import { expect, test } from 'vitest';
import { type Cells, ListedCells } from '../../src/api/cells.ts';
import { Table } from '../../src/api/table.ts';
import { toPlainTable } from '../support/tables.ts';

const rows = [
  ['a', '1'],
  [null, '2'],
  ['c', '3'],
];

test('a table is the same from rows and from columns', () => {
  const byRows = Table.fromRows('offer', ['Name', 'Views'], rows);
  const columns = [rows.map(([name = null]) => name), rows.map(([, views = null]) => views)];
  const byColumns = Table.fromColumns('offer', ['Name', 'Views'], columns);
  expect(toPlainTable(byRows)).toEqual({ name: 'offer', columns: ['Name', 'Views'], rows });
  expect(toPlainTable(byColumns)).toEqual(toPlainTable(byRows));
});

test('a table without columns knows its number of rows', () => {
  expect(Table.fromRows('offer', [], [[], []]).rowCount).toBe(2);
  expect(Table.fromColumns('offer', [], [], 2).rowCount).toBe(2);
});

test('a selection of rows keeps their order', () => {
  const table = Table.fromRows('offer', ['Name', 'Views'], rows);
  expect(toPlainTable(table.withoutRows([1])).rows).toEqual([rows[0], rows[2]]);
  expect(toPlainTable(table.firstRows(2)).rows).toEqual(rows.slice(0, 2));
  expect(table.firstRows(9).rowCount).toBe(3);
});

test('the bytes of a table follow the memory of its texts', () => {
  const bytesOf = (text: string, count = 1000) => {
    const cells = Array.from({ length: count }, (_, index) => `${text}${index}`);
    return Table.fromColumns('visitors', ['Keyword'], [cells]).bytes;
  };
  const latin = bytesOf('ü'.repeat(1000));
  expect(latin).toBeGreaterThan(1_000_000);
  expect(latin).toBeLessThan(1_100_000);
  expect(bytesOf('日'.repeat(1000))).toBeGreaterThan(1.9 * latin);
  expect(bytesOf('ü'.repeat(1000), 3000)).toBeGreaterThan(2.9 * latin);
  expect(Table.fromColumns('visitors', ['Keyword'], [new Array(1000).fill(null)]).bytes).toBeGreaterThan(1000);
});

test('a cell out of range is empty, even if the cells return a text', () => {
  const cells: Cells = {
    rowCount: 2,
    bytes: 0,
    characters: 0,
    text: () => 'x',
    numbers: () => undefined,
    coding: (columns) => new ListedCells([], 2).coding(columns),
    plainTimes: () => () => Number.NaN,
    typing: () => 'texts',
  };
  const table = new Table('offer', ['Name', 'Views'], cells);
  expect(table.text(1, 1)).not.toBeNull();
  const absent = [table.text(1, -1), table.text(0, 2), table.text(-1, 3), table.text(2, 0)];
  expect(absent).toEqual([null, null, null, null]);
});
