import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEmptyColumn, readNumbers } from '../../../src/analysis/columns/columns.ts';
import { Table } from '../../../src/api/table.ts';

function read(cells: readonly (string | null)[], name = 'Amount') {
  const column = readNumbers(Table.fromColumns('report', [name], [cells]), 0);
  return column && { ...column, values: [...column.values] };
}

describe('a column becomes numbers where every cell does without loss', () => {
  it.each<[cells: (string | null)[], values: number[], unit: string | undefined, decimals: number]>([
    [['0'], [0], undefined, 0],
    [['7', '42'], [7, 42], undefined, 0],
    [['1.50', '2'], [1.5, 2], undefined, 2],
    [['-0.5', '0.25'], [-0.5, 0.25], undefined, 2],
    [['-0', '-0.00'], [0, 0], undefined, 2],
    [['1,234', '12'], [1234, 12], undefined, 0],
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
  ])('%j', (cells, values, unit, decimals) => {
    const sum = values.reduce((whole, value) => whole + value, 0);
    expect(read(cells)).toEqual({ values, sum, unit, decimals });
  });

  it('an empty cell is no number, and does not keep the others from being some', () => {
    expect(read([null, '5', null])?.values).toEqual([Number.NaN, 5, Number.NaN]);
  });
});

describe('a column stays text', () => {
  it.each<[cells: (string | null)[]]>([
    [['007']],
    [['5', '007']],
    [['1e5']],
    [['9007199254740993']],
    [['0.12345678901234567']],
    [['1234567890123456.5']],
    [['$5', '5']],
    [['5', '$5']],
    [['$5', '€5']],
    [['5%', '5']],
    [['$5%']],
    [['12,34']],
    [['1,2345']],
    [['0,123']],
    [['.5']],
    [['5.']],
    [['+5']],
    [['--5']],
    [['-$-5']],
    [['1 234']],
    [[' 5']],
    [['NaN']],
    [['Infinity']],
    [['0x10']],
    [['true']],
    [['1', 'n/a']],
    [['٣']],
    [['00:12']],
    [['2026-06-01']],
  ])('%j', (cells) => {
    expect(read(cells)).toBeUndefined();
  });

  it.each([
    'SubID',
    'Sub ID',
    'sub_id',
    'ClickID',
    'click_id',
    'Keyword',
    'Search Term',
    'Placement',
    'AdValue',
    'Ad Value',
    'Extra1',
    'Token 3',
    'TransactionID',
    'External ID',
    'Custom2',
    'Referrer',
    'UserAgent',
    'Name',
    'Campaign Name',
    'Notes',
    'Zip',
    'PostalCode',
    'Phone',
    'OS Version',
    'IP',
    'visitor_ip',
    'utm_campaign',
    'OfferUrl',
  ])('named %s, since its values are names even where they look like numbers', (name) => {
    expect(read(['5', '12'], name)).toBeUndefined();
  });

  it.each(['ID', 'CampaignID', 'Views', 'Clicks', 'CTR', 'Payout', 'Share', 'Trips', 'Page ID', 'Terms'])(
    'unless its name, such as %s, says nothing of the kind',
    (name) => {
      expect(read(['5', '12'], name)?.values).toEqual([5, 12]);
    },
  );

  it('where it is empty in every row', () => {
    expect(read([null, null])).toBeUndefined();
    expect(read([])).toBeUndefined();
    expect(isEmptyColumn(Table.fromColumns('report', ['a'], [[null, null]]), 0)).toBe(true);
    expect(isEmptyColumn(Table.fromColumns('report', ['a'], [[null, '0']]), 0)).toBe(false);
  });
});

it('whatever a column reads as numbers can be written back digit by digit', () => {
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

it('a plain decimal is the number JavaScript reads, to the last bit', () => {
  const decimal = fc
    .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 14n - 1n }), fc.nat({ max: 8 }))
    .map(([isNegative, digits, decimals]) => {
      const text = digits
        .toString()
        .padStart(decimals + 1, '0')
        .slice(0, 14);
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
