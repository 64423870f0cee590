import { describe, expect, it } from 'vitest';
import { mapAnswer, wordResult } from '../../src/tools/define-tool.ts';
import { truncateToLimit } from '../../src/tools/fit.ts';
import { presentTables } from '../../src/tools/present/tables.ts';
import type { Condition } from '../../src/tools/present/where.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { type PlainTablesReply, toTable } from '../support/tables.ts';

const reply: PlainTablesReply = {
  kind: 'tables',
  notices: [],
  tables: [
    {
      name: 'target',
      columns: ['Keyword', 'Views', 'Clicks', 'CTR', 'Day'],
      rows: [
        ['Shoes', '100', '10', '10%', '2026-11-01'],
        ['shirts', '50', '10', '20%', '2026-11-02'],
        [null, '10', '0', '0%', '2026-11-03'],
        ['SHOES red', '40', null, null, '2026-11-04'],
      ],
    },
    { name: 'offer', columns: ['Name', 'Views'], rows: [['A', '200']] },
  ],
};

function present(where: Condition[], tables = reply.tables.slice(0, 1)) {
  const view = { where, sort_order: 'desc', limit: 25, offset: 0, currency: undefined } as const;
  const shown = presentTables({ ...reply, tables: tables.map(toTable) }, { limit: 25 }, view);
  const { structured } = truncateToLimit(mapAnswer(shown, wordResult));
  return structured as unknown as {
    tables: { rows: unknown[][]; total_rows: number; totals?: Record<string, number> }[];
    notices: string[];
  };
}

const firstCells = (where: Condition[]) => present(where).tables[0]?.rows.map(([cell]) => cell);

describe('where', () => {
  it.each<[string, Condition, unknown[]]>([
    ['= compares texts without case', { column: 'Keyword', op: '=', value: 'SHOES' }, ['Shoes']],
    ['!= leaves empty cells out', { column: 'Keyword', op: '!=', value: 'shoes' }, ['shirts', 'SHOES red']],
    ['contains is without case', { column: 'Keyword', op: 'contains', value: 'sh' }, ['Shoes', 'shirts', 'SHOES red']],
    ['starts_with is without case', { column: 'Keyword', op: 'starts_with', value: 'shoes' }, ['Shoes', 'SHOES red']],
    ['empty finds only empty cells', { column: 'Keyword', op: 'empty' }, [null]],
    ['> compares numbers as numbers', { column: 'Views', op: '>', value: '49' }, ['Shoes', 'shirts']],
    ['<= includes the bound', { column: 'Views', op: '<=', value: '40' }, [null, 'SHOES red']],
    ['a percentage is its number', { column: 'CTR', op: '>=', value: '10%' }, ['Shoes', 'shirts']],
    ['an empty cell meets no comparison', { column: 'Clicks', op: '<', value: '5' }, [null]],
    ['dates compare as texts', { column: 'Day', op: '>=', value: '2026-11-03' }, [null, 'SHOES red']],
    ['in finds any value', { column: 'Keyword', op: 'in', values: ['SHOES', 'shirts', 'x'] }, ['Shoes', 'shirts']],
    ['in compares numbers as numbers', { column: 'CTR', op: 'in', values: ['20', '10.0%'] }, ['Shoes', 'shirts']],
    ['a column is found by another name of the trade', { column: 'visits', op: '>', value: '49' }, ['Shoes', 'shirts']],
    ['a column is found without case and separators', { column: 'key_word', op: '=', value: 'shirts' }, ['shirts']],
  ])('%s', (_, condition, expected) => {
    expect(firstCells([condition])).toEqual(expected);
  });

  it('requires all conditions, and totals the matching rows', () => {
    const { tables, notices } = present([
      { column: 'Keyword', op: 'contains', value: 'sh' },
      { column: 'Views', op: '>=', value: '50' },
    ]);
    expect(tables[0]).toMatchObject({ total_rows: 2, totals: { Views: 150, Clicks: 20, CTR: 13.33 } });
    expect(notices).toContain('2 of 4 rows of target match; all 4: Views 200.');
  });

  it('lists the columns if one is unknown', () => {
    expect(() => present([{ column: 'Keywort', op: 'empty' }])).toThrow(/no column "Keywort".*"Keyword", "Views"/);
  });

  it('names a table that a condition was not applied to', () => {
    const { tables, notices } = present([{ column: 'Keyword', op: '=', value: 'shirts' }], [...reply.tables]);
    expect(tables.map(({ total_rows }) => total_rows)).toEqual([1, 1]);
    expect(notices).toContain('offer has no column "Keyword": that condition was not applied to it.');
  });

  it.each<[Condition, RegExp]>([
    [{ column: 'Keyword', op: 'empty', value: 'x' }, /empty takes no value/],
    [{ column: 'Keyword', op: '=' }, /needs a value/],
    [{ column: 'Keyword', op: 'in', value: 'a' }, /needs values: in takes a list/],
    [{ column: 'Keyword', op: 'in', value: 'a', values: ['b'] }, /in takes values, not value/],
    [{ column: 'Keyword', op: '=', values: ['b'] }, /only the op in takes a list of values/],
    [{ column: 'Views', op: 'in', values: ['100', 'many'] }, /"Views" holds numbers, and "many" is not a number/],
    [{ column: 'Views', op: '>', value: 'many' }, /"Views" holds numbers, and "many" is not a number/],
    [{ column: 'Views', op: '>', value: '0,5' }, /"Views" holds numbers, and "0,5" is not a number/],
    [{ column: 'Keyword', op: '=', value: '' }, /needs a value. To find empty cells use the op empty/],
    [{ column: 'Keyword', op: '<=', value: ' ' }, /needs a value/],
  ])('refuses %o', (condition, message) => {
    expect(() => present([condition])).toThrow(message);
  });
});

describe('where on a column with some cells that are not numbers', () => {
  const found = (column: string, cells: (string | null)[], op: Condition['op'], value: string) => {
    const table = { name: 'offer', columns: [column], rows: cells.map((cell) => [cell]) };
    const { tables, notices } = present([{ column, op, value }], [table]);
    return { cells: tables[0]?.rows.flat(), notices };
  };

  it('compares only the numbers, and counts the other cells', () => {
    const { cells, notices } = found('CTR', ['10.5%', 'soon', '9%', null], '>', '9.5');
    expect(cells).toEqual(['10.5%']);
    expect(notices).toContain(
      'Cells that are not numbers match no comparison with a number and sort after the numbers: 1 of 3 in "CTR" of offer.',
    );
  });

  it.each<[string, string[], Condition['op'], string, string[]]>([
    ['currencies', ['$1,234.50', '€20', '5'], '>=', '20', ['$1,234.50', '€20']],
    ['a currency in the value', ['$1,234.50', '€20', '5'], '<', '$1,000', ['€20', '5']],
    ['numbers past 2^53', ['9007199254740993', '9007199254740992', '7'], '>', '9007199254740992', ['9007199254740993']],
    ['leading zeros', ['00000345', '00000012'], '>', '100', ['00000345']],
    ['losses', ['-$5', '-3', '2'], '<', '-4', ['-$5']],
  ])('reads %s', (_, cells, op, value, expected) => {
    const result = found('Amount', cells, op, value);
    expect(result.cells).toEqual(expected);
    expect(result.notices.join()).not.toContain('not numbers');
  });

  it('refuses to compare it with a text', () => {
    expect(() => found('CTR', ['10.5%', 'N/A'], '>', '0,5')).toThrow(/"CTR" holds numbers/);
    expect(found('Keyword', ['12', 'shoes'], '>', 'a').cells).toEqual(['shoes']);
  });
});

describe('a day', () => {
  const moments = ['2026-11-19 23:59:59', '2026-11-20 00:00:00', '2026-11-20T18:30:00', '2026-11-21 00:00:00'];
  const visits = { name: 'visitors', columns: ['Date'], rows: moments.map((moment) => [moment]) };

  it.each<[Condition['op'], string[]]>([
    ['=', moments.slice(1, 3)],
    ['!=', [moments[0] ?? '', moments[3] ?? '']],
    ['<', moments.slice(0, 1)],
    ['<=', moments.slice(0, 3)],
    ['>', moments.slice(3)],
    ['>=', moments.slice(1)],
  ])('is compared with the day of a time: %s', (op, expected) => {
    const { tables } = present([{ column: 'Date', op, value: '2026-11-20' }], [visits]);
    expect(tables[0]?.rows.flat()).toEqual(expected);
  });
});

it('accepts a list as value, as models write it', async () => {
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"7","Name":"A"},{"ID":"8","Name":"B"},{"ID":"9","Name":"C"}]',
  });
  const { data } = await connect({ url: tracker.url });
  const where = [{ column: 'ID', op: 'in', value: [7, '9'] }];
  const { tables } = await data<{ tables: { rows: unknown[][] }[] }>('list_campaigns', { where });
  expect(tables[0]?.rows.map(([, name]) => name)).toEqual(['A', 'C']);
});
