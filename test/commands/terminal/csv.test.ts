import { expect, test } from 'vitest';
import { renderCsv } from '../../../src/commands/terminal/output.ts';
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

test.each(['=1+1', '+cmd', '-cmd|calc', '@SUM(A1)', ' =1+1', '＝1+1', '\u200b=1', '-1+cmd|x', '-5.5=1'])(
  'a spreadsheet takes the stranger’s cell %j for text',
  (cell) => {
    expect(cellsOf(csvOf(table('ad', ['Keyword'], [[cell]])), ',')).toEqual([['Keyword'], [`'${cell}`]]);
    expect(cellsOf(csvOf(table('ad', [cell], [])), ',')).toEqual([[`'${cell}`]]);
  },
);

const payloads = ['=cmd|calc', '+1+cmd', '-2+3', '@SUM(A1)', '＝1+1'];
const behind = [
  ...['x;', 'x; ', 'x;"', 'x;""', 'x;"\t', 'x\t', '\t', '\r'],
  ...['\n', 'x\n', 'x|', 'x,', '";', 'x;5;', 'x;-5;', ';;'],
];

test.each(behind.flatMap((ahead) => payloads.map((payload) => [ahead + payload])))(
  'wherever a spreadsheet parts cells, none of %j is a formula, alone or behind another cell',
  (cell) => {
    const pair = ['a', cell];
    const text = csvOf(table('ad', ['First', 'Keyword'], [pair, [...pair].reverse()]));
    for (const separator of [',', ';', '\t', '|']) {
      for (const part of cellsOf(text, separator).flat()) expect(part).not.toMatch(/^[\s"]*[=+\-@＝](?!\d+$)/);
    }
  },
);

test('numbers below zero stay numbers, also behind a semicolon, and names keep their dashes', () => {
  const rows = [
    [-5, '-5.50'],
    [1, '-1.234,56'],
    [2, '-12.5%'],
    [3, '+49'],
    [4, 'Spring - Summer'],
    [5, 'x;-5'],
    [6, '-5;-6'],
  ];
  const written = ['-5.50', '"-1.234,56"', '-12.5%', '+49', 'Spring - Summer', '"x;-5"', '"-5;-6"'];
  const lines = written.map((text, index) => `${rows[index]?.[0]},${text}`);
  expect(csvOf(table('ad', ['Profit', 'Text'], rows))).toBe(['Profit,Text', ...lines, ''].join('\r\n'));
});

/** The cells as a spreadsheet reads them that parts at one character: quotation marks count only where a cell begins with them. */
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

test('several reports are one table, with a column that names theirs', () => {
  const tables = [table('offer', ['Name', 'Views'], [['One', 1]]), table('ad', ['Ad', 'Views'], [['Two', 2]])];
  expect(csvOf(...tables)).toBe('table,Name,Views,Ad\r\noffer,One,1,\r\nad,,2,Two\r\n');
});

test('what is no table is the list that it holds, or one row of its fields', () => {
  const ofLookup = { query: {}, notices: [], groups: [{ name: 'Geo Data', fields: { Country: 'GB', City: null } }] };
  const lookedUp = renderCsv({ structured: ofLookup, text: '' });
  expect(lookedUp).toBe('group,field,value\r\nGeo Data,Country,GB\r\nGeo Data,City,\r\n');
  const ofReceipt = { operation: 'add_offer', id: '7', sent: { name: 'One' } };
  expect(renderCsv({ structured: ofReceipt, text: '' })).toBe(
    'operation,id,sent\r\nadd_offer,7,"{""name"":""One""}"\r\n',
  );
});
