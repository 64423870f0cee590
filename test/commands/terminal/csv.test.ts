import { expect, test } from 'vitest';
import { renderCsv } from '../../../src/commands/terminal/csv.ts';
import type { Json } from '../../../src/tools/define-tool.ts';

const table = (name: string, columns: readonly string[], rows: readonly (readonly (string | number | null)[])[]) => ({
  name,
  columns,
  rows,
  total_rows: rows.length,
  offset: 0,
  next_offset: null,
});

function csvOf(...tables: readonly Json[]): string {
  return renderCsv({ structured: { query: {}, tables, notices: ['unused'] }, text: '' });
}

test('cells with commas, quotation marks and line breaks are quoted, and lines end as RFC 4180 says', () => {
  const rows = [
    ['One, "two"', 1234.5],
    ['a\nb', null],
  ];
  expect(csvOf(table('offer', ['Name', 'Views'], rows))).toBe('Name,Views\r\n"One, ""two""",1234.5\r\n"a\nb",\r\n');
});

test.each(['=1+1', '+cmd', '-cmd|calc', '@SUM(A1)', ' =1+1', '\t=1', '＝1+1'])(
  'a spreadsheet takes the stranger’s cell %j for text',
  (cell) => {
    expect(csvOf(table('ad', ['Keyword'], [[cell]]))).toBe(`Keyword\r\n'${cell}\r\n`);
    expect(csvOf(table('ad', [cell], []))).toBe(`'${cell}\r\n`);
  },
);

test('numbers below zero stay numbers', () => {
  expect(csvOf(table('ad', ['Profit', 'Text'], [[-5, '-5.50']]))).toBe('Profit,Text\r\n-5,-5.50\r\n');
});

test('several reports are one table, with a column that names theirs', () => {
  const tables = [table('offer', ['Name', 'Views'], [['One', 1]]), table('ad', ['Ad', 'Views'], [['Two', 2]])];
  expect(csvOf(...tables)).toBe('table,Name,Views,Ad\r\noffer,One,1,\r\nad,,2,Two\r\n');
});

test('what is no table is the list that it holds, or one row of its fields', () => {
  const ofLookup = { query: {}, notices: [], groups: [{ name: 'Geo Data', fields: { Country: 'GB', City: null } }] };
  expect(renderCsv({ structured: ofLookup, text: '' })).toBe(
    'group,field,value\r\nGeo Data,Country,GB\r\nGeo Data,City,\r\n',
  );
  const ofReceipt = { operation: 'add_offer', id: '7', sent: { name: 'One' } };
  expect(renderCsv({ structured: ofReceipt, text: '' })).toBe(
    'operation,id,sent\r\nadd_offer,7,"{""name"":""One""}"\r\n',
  );
});
