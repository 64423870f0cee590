import { describe, expect, it } from 'vitest';
import type { TablesReply } from '../../src/api/replies.ts';
import { presentTables } from '../../src/tools/present/tables.ts';
import type { Condition } from '../../src/tools/present/where.ts';

const reply: TablesReply = {
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
  const view = { where, sort_order: 'desc', limit: 25, offset: 0 } as const;
  const { structured } = presentTables({ ...reply, tables }, { limit: 25 }, view);
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
    ['empty finds empty cells alone', { column: 'Keyword', op: 'empty' }, [null]],
    ['> compares numbers as numbers', { column: 'Views', op: '>', value: '49' }, ['Shoes', 'shirts']],
    ['<= includes the bound', { column: 'Views', op: '<=', value: '40' }, [null, 'SHOES red']],
    ['a percentage is its number', { column: 'CTR', op: '>=', value: '10%' }, ['Shoes', 'shirts']],
    ['an empty number meets no comparison', { column: 'Clicks', op: '<', value: '5' }, [null]],
    ['dates compare as texts', { column: 'Day', op: '>=', value: '2026-11-03' }, [null, 'SHOES red']],
    ['a column is found without case and separators', { column: 'key_word', op: '=', value: 'shirts' }, ['shirts']],
  ])('%s', (_, condition, expected) => {
    expect(firstCells([condition])).toEqual(expected);
  });

  it('joins conditions by and, and totals the rows that match', () => {
    const { tables, notices } = present([
      { column: 'Keyword', op: 'contains', value: 'sh' },
      { column: 'Views', op: '>=', value: '50' },
    ]);
    expect(tables[0]).toMatchObject({ total_rows: 2, totals: { Views: 150, Clicks: 20, CTR: 13.33 } });
    expect(notices).toContain('2 of 4 rows of target match.');
  });

  it('names the columns there are where a column is unknown', () => {
    expect(() => present([{ column: 'Keywort', op: 'empty' }])).toThrow(/no column "Keywort".*"Keyword", "Views"/);
  });

  it('says to which table a condition was not applied', () => {
    const { tables, notices } = present([{ column: 'Keyword', op: '=', value: 'shirts' }], [...reply.tables]);
    expect(tables.map(({ total_rows }) => total_rows)).toEqual([1, 1]);
    expect(notices).toContain('offer has no column "Keyword": that condition was not applied to it.');
  });

  it.each<[Condition, RegExp]>([
    [{ column: 'Keyword', op: 'empty', value: 'x' }, /empty takes no value/],
    [{ column: 'Keyword', op: '=' }, /needs a value/],
    [{ column: 'Views', op: '>', value: 'many' }, /"Views" holds numbers, and "many" is none/],
  ])('refuses %o', (condition, message) => {
    expect(() => present([condition])).toThrow(message);
  });
});
