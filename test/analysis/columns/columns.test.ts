import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEmptyColumn, numberIn, readLooseColumn, readNumbers } from '../../../src/analysis/columns/columns.ts';
import { Table } from '../../../src/api/table.ts';
import { fromTracker } from '../../../src/api/text/tracker-text.ts';

function read(cells: readonly (string | null)[], name = 'Amount') {
  const column = readNumbers(Table.fromColumns('report', [name], [cells]), 0);
  return column && { ...column, values: [...column.values] };
}

describe('a column becomes numbers if every cell does so without loss', () => {
  it.each<[cells: (string | null)[], values: number[], unit: string | undefined, decimals: number]>([
    [['0'], [0], undefined, 0],
    [['7', '42'], [7, 42], undefined, 0],
    [['1.50', '2'], [1.5, 2], undefined, 2],
    [['-0.5', '0.25'], [-0.5, 0.25], undefined, 2],
    [['-0', '-0.00'], [0, 0], undefined, 2],
    [['1,234,567.89'], [1_234_567.89], undefined, 2],
    [['12.5%', '100%'], [12.5, 100], '%', 1],
    [['$1,234.50', '-$3.00', '$-2'], [1234.5, -3, -2], '$', 2],
    [['$0', '0', '$5'], [0, 0, 5], '$', 0],
    [['0', '0', '12%'], [0, 0, 12], '%', 0],
    [['12%', '0'], [12, 0], '%', 0],
    [['€5', '€0.10'], [5, 0.1], '€', 2],
    [['999999999999999'], [999_999_999_999_999], undefined, 0],
    [['12345.1234567891'], [12345.1234567891], undefined, 10],
    [['0.00909090909091', '2'], [0.00909090909091, 2], undefined, 14],
    [['0.00000123456789012345'], [0.00000123456789012345], undefined, 20],
    // Programs write 0.1 + 0.2 like this, or all digits of a double.
    [['0.30000000000000004', '-1.0999999999999999'], [0.3, -1.1], undefined, 1],
    [['5.050000000000001', '33.333333333333336'], [5.05, 33.333333333333336], undefined, 15],
    [['$12.100000000000001', '$1.0000000000000002'], [12.1, 1], '$', 1],
    [['0.10000000000000001', '0.00000000000000000000000001'], [0.1, 1e-26], undefined, 26],
    [['100000000000.0001'], [100_000_000_000.0001], undefined, 4],
  ])('%j', (cells, values, unit, decimals) => {
    const sum = values.reduce((whole, value) => whole + value, 0);
    expect(read(cells)).toEqual({ values, sum, unit, decimals });
  });

  it('with empty cells among them', () => {
    expect(read([null, '5', null])?.values).toEqual([Number.NaN, 5, Number.NaN]);
  });
});

describe('a column stays text', () => {
  it.each([
    ...[
      '007',
      '5|007',
      '1e5',
      '9007199254740993',
      '0.12345678901234567',
      '1234567890123456.5',
      '12,34',
      '1,2345',
      '1,234',
    ],
    ...['$5|5', '5|$5', '$5|€5', '5%|5', '$5%', '0,123', '--5', '-$-5', '1 23', '12 345 6'],
    ...['NaN', 'Infinity', '0x10', 'true', '٣', '00:12', '2026-06-01'],
  ])('with cells such as %s', (cells) => {
    expect(read(cells.split('|'))).toBeUndefined();
  });

  it('with signs and points before its digits, unless its name says that it holds amounts', () => {
    for (const cell of ['+5', '.5']) expect(read([cell], 'Contact')).toBeUndefined();
    expect(read(['+5', '.5', ' 1 234 '])?.values).toEqual([5, 0.5, 1234]);
  });

  const names =
    'SubID,Sub ID,sub_id,ClickID,click_id,Keyword,Search Term,Placement,AdValue,Ad Value,Extra1,Token 3,TransactionID,' +
    'External ID,Custom2,Referrer,UserAgent,Name,Notes,Zip,Campaign Name,PostalCode,Phone,OS Version,IP,visitor_ip,' +
    'utm_campaign,OfferUrl';
  it.each(names.split(','))('if its name is %s: its values are names even if they look like numbers', (name) => {
    expect(read(['5', '12'], name)).toBeUndefined();
  });

  const figures = ['ID', 'CampaignID', 'Views', 'Clicks', 'CTR', 'Payout', 'Share', 'Trips', 'Page ID', 'Terms'];
  it.each(figures)('but not because its name is %s', (name) => {
    expect(read(['5', '12'], name)?.values).toEqual([5, 12]);
  });

  it('if it is empty in every row', () => {
    expect(read([null, null])).toBeUndefined();
    expect(read([])).toBeUndefined();
    expect(isEmptyColumn(Table.fromColumns('report', ['a'], [[null, null]]), 0)).toBe(true);
    expect(isEmptyColumn(Table.fromColumns('report', ['a'], [[null, '0']]), 0)).toBe(false);
  });
});

it('numbers of a column can be written back digit by digit', () => {
  const digits = fc.tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.integer({ min: 0, max: 6 }));
  const anything = fc.oneof(
    digits.map(([whole, decimals]) => (whole / 10 ** decimals).toFixed(decimals)),
    fc.stringMatching(/^-?\$?-?[0-9]{1,18}(,[0-9]{3})?(\.[0-9]{1,4})?%?$/),
  );
  fc.assert(
    fc.property(fc.array(anything, { minLength: 1, maxLength: 5 }), (cells) => {
      const column = read(cells);
      if (!column) return;
      for (const [row, cell] of cells.entries()) {
        const plain = cell.replace(/[$,%]/g, '');
        const decimals = plain.split('.')[1]?.length ?? 0;
        expect((column.values[row] ?? Number.NaN).toFixed(decimals)).toBe(plain.replace(/^-(?=0*(\.0*)?$)/, ''));
      }
    }),
    { numRuns: 500 },
  );
});

it('a plain decimal is the number that JavaScript reads, to the last bit', () => {
  const decimal = fc
    .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 14n - 1n }), fc.nat({ max: 8 }))
    .map(([isNegative, digits, decimals]) => {
      const text = `${digits}`.padStart(decimals + 1, '0').slice(0, 14);
      const whole = text.slice(0, text.length - decimals) || '0';
      const fraction = text.slice(text.length - decimals);
      return `${isNegative ? '-' : ''}${whole}${decimals > 0 && fraction ? `.${fraction}` : ''}`;
    })
    .filter((text) => /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text));
  fc.assert(
    fc.property(decimal, (text) => {
      const table = Table.fromColumns('t', ['Views'], [[text]]);
      expect(readNumbers(table, 0)?.values[0]).toBe(Number(text) === 0 ? 0 : Number(text));
    }),
  );
});

it('the number in a cell is the number that a person reads, with any unit', () => {
  const numbers = { '12': 12, ' 12.50 ': 12.5, '$1,234.50': 1234.5, '-$5': -5, '5 €': 5, '50%': 50, '0': 0 };
  for (const [text, number] of Object.entries(numbers)) expect(numberIn(fromTracker(text)), text).toBe(number);
  // A comma before one digit separates no thousands.
  for (const text of ['', 'x', '12abc', '0,5', '0,350', '1 of 2'])
    expect(numberIn(fromTracker(text)), text).toBeUndefined();
  expect(numberIn(null)).toBeUndefined();
});

it('the cells of a column are read once', () => {
  const table = Table.fromColumns('offer', ['Views', 'Rate'], [['1'], ['x']]);
  const readAll = () => [readNumbers(table, 0), readLooseColumn(table, 1)];
  const first = readAll();
  Object.assign(table, { text: undefined, column: undefined, numbers: undefined });
  for (const [index, column] of readAll().entries()) expect(column).toBe(first[index]);
});
