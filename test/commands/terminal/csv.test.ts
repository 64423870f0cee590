import { expect, test } from 'vitest';
import type { ShownRows } from '../../../src/answer/blocks.ts';
import { renderCsv } from '../../../src/commands/terminal/output.ts';

type Rows = readonly (readonly (string | number | null)[])[];
const whole = { offset: 0, next_offset: null };
const table = (name: string, columns: readonly string[], rows: Rows) => ({
  ...whole,
  name,
  columns,
  rows,
  total_rows: rows.length,
});

function csvOf(...tables: readonly ShownRows[]): string {
  const pages = tables.map((page) => ({ is: 'page' as const, page, isFiltered: false, cents: [] }));
  return renderCsv({ structured: {}, blocks: [...pages, { code: 'dry-run', isChecked: true }] });
}

test('cells with commas, quotation marks and line breaks are quoted, and lines end in CR LF (RFC 4180)', () => {
  const rows = Object.entries({ 'One, "two"': 1234.5, 'a\nb': null });
  expect(csvOf(table('offer', ['Name', 'Views'], rows))).toBe('Name,Views\r\n"One, ""two""",1234.5\r\n"a\nb",\r\n');
});

test.each(['=1+1', '+cmd', '-cmd|calc', '@SUM(A1)', ' =1+1', '＝1+1', '\u200b=1', '-1+cmd|x', '-5.5=1'])(
  'the untrusted cell %j is text for a spreadsheet',
  (cell) => {
    expect(cellsOf(csvOf(table('ad', ['Keyword'], [[cell]])), ',')).toEqual([['Keyword'], [`'${cell}`]]);
    expect(cellsOf(csvOf(table('ad', [cell], [])), ',')).toEqual([[`'${cell}`]]);
  },
);

const payloads = ['=cmd|calc', '+1+cmd', '-2+3', '@SUM(A1)', '＝1+1'];
const prefixes = [
  ...['x;', 'x; ', 'x;"', 'x;""', 'x;"\t', 'x\t', '\t', '\r'],
  ...['\n', 'x\n', 'x|', 'x,', '";', 'x;5;', 'x;-5;', ';;'],
];

test.each(prefixes.flatMap((prefix) => payloads.map((payload) => [prefix + payload])))(
  'no part of %j is a formula, alone or after another cell, with any separator of a spreadsheet',
  (cell) => {
    const pair = ['a', cell];
    const text = csvOf(table('ad', ['First', 'Keyword'], [pair, [...pair].reverse()]));
    for (const separator of [',', ';', '\t', '|']) {
      for (const part of cellsOf(text, separator).flat()) expect(part).not.toMatch(/^[\s"]*[=+\-@＝](?!\d+$)/);
    }
  },
);

test('negative numbers remain numbers, even after a semicolon, and names keep their dashes', () => {
  const texts = ['-5.50', '-1.234,56', '-12.5%', '+49', 'Spring - Summer', 'x;-5', '-5;-6'];
  const written = ['-5.50', '"-1.234,56"', '-12.5%', '+49', 'Spring - Summer', '"x;-5"', '"-5;-6"'];
  const rows = texts.map((text) => [-5, text]);
  const lines = written.map((text) => `-5,${text}`);
  expect(csvOf(table('ad', ['Profit', 'Text'], rows))).toBe(['Profit,Text', ...lines, ''].join('\r\n'));
});

/** The cells as a spreadsheet with one separator reads them: quotation marks count only at the start of a cell. */
function cellsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let index = 0;
  while (index < text.length) {
    let cell = '';
    if (text[index] === '"') {
      index += 1;
      while (index < text.length && !(text[index] === '"' && text[index + 1] !== '"')) {
        cell += text[index];
        index += text[index] === '"' ? 2 : 1;
      }
      index += 1;
    }
    while (index < text.length && text[index] !== separator && !'\r\n'.includes(text[index] ?? ''))
      cell += text[index++];
    rows.at(-1)?.push(cell);
    if (text[index] === separator) index += 1;
    else {
      index += text.startsWith('\r\n', index) ? 2 : 1;
      if (index < text.length) rows.push([]);
    }
  }
  return rows;
}

test('several reports are one table, with a column of their names', () => {
  const tables = [table('offer', ['Name', 'Views'], [['One', 1]]), table('ad', ['Ad', 'Views'], [['Two', 2]])];
  expect(csvOf(...tables)).toBe('table,Name,Views,Ad\r\noffer,One,1,\r\nad,,2,Two\r\n');
});

test('other results are their list, or one row of their fields', () => {
  const fields = Object.entries({ Country: 'GB', City: null });
  const lookedUp = renderCsv({ structured: {}, blocks: [{ is: 'fields', name: 'Geo Data', fields }] });
  expect(lookedUp).toBe('group,field,value\r\nGeo Data,Country,GB\r\nGeo Data,City,\r\n');
  const receipt = { operation: 'add_offer', id: '7', sent: { name: 'One' } };
  expect(renderCsv({ structured: receipt, blocks: [] })).toBe(
    'operation,id,sent\r\nadd_offer,7,"{""name"":""One""}"\r\n',
  );
  const pages = [
    { page_id: '3', views: 9 },
    { page_id: '4', share: 5 },
  ];
  expect(renderCsv({ structured: { ...receipt, pages, calls: [{}] }, blocks: ['page_id'] })).toBe(
    'page_id,views,share\r\n3,9,\r\n4,,5\r\n',
  );
});
