import { describe, expect, test } from 'vitest';
import { Table } from '../../../src/api/table.ts';
import { viewTables } from '../../../src/tools/present/view.ts';

/** A table as text: a line per row, cells separated by |. */
function table(name: string, heading: string, ...lines: string[]) {
  return Table.fromRows(
    name,
    heading.split('|'),
    lines.map((line) => line.split('|')),
  );
}

const view = { sort_order: 'desc', limit: 25, offset: 0, currency: undefined } as const;
const third = ['A|1|10|0.33', 'B|1|10|0.33', 'C|1|10|0.33'];
const heading = 'Name|Conversions|Views|Revenue';

describe('totals are the tracker’s own sums, not sums of rounded rows', () => {
  test('if it has a total row', () => {
    const [offer] = viewTables(
      [table('offer', `${heading}|EPV`, ...third.map((row) => `${row}|0.033`), 'Total|3|30|1.00|0.0333')],
      view,
    );
    expect(Object.fromEntries(offer?.totals ?? [])).toMatchObject({ Revenue: 1, EPV: 0.0333 });
  });

  test.each([
    ...[
      'Razem',
      'Celkem',
      'Toplam',
      'Итого',
      'Всего:',
      'Σ',
      '合计',
      '合計 (3)',
      'Totaal',
      'Totale',
      'Yhteensä',
      'Page total',
    ],
    ...['<b>Total</b>', '<span class="sum">Summe:</span>'],
  ])('if it has a total row in any language: %s', (word) => {
    const [offer] = viewTables([table('offer', heading, ...third, `${word}|3|30|1.00`)], view);
    expect(Object.fromEntries(offer?.totals ?? [])).toEqual({ Conversions: 3, Views: 30, Revenue: 1 });
  });

  test('if the campaign report has them', () => {
    const campaign = table('campaign', heading, 'Gym|3|40|1.00');
    const [, offer] = viewTables([campaign, table('offer', heading, ...third)], view);
    expect(Object.fromEntries(offer?.totals ?? [])).toMatchObject({ Revenue: 1, Views: 30 });
  });
});

describe('totals are sums of the rows', () => {
  test.each([
    ['if the campaign has a different number of conversions', 'Gym|4|40|1.00'],
    ['if the campaign’s amount differs by more than rounding', 'Gym|3|40|1.33'],
  ])('%s', (_, row) => {
    const [, offer] = viewTables([table('campaign', heading, row), table('offer', heading, ...third)], view);
    expect(Object.fromEntries(offer?.totals ?? [])).toMatchObject({ Revenue: 0.99 });
  });

  test('if only some rows are shown', () => {
    const where = [{ column: 'Name', op: '!=', value: 'A' }] as const;
    const [offer] = viewTables([table('offer', heading, ...third, 'Total|3|30|1.00')], { ...view, where });
    expect(Object.fromEntries(offer?.totals ?? [])).toMatchObject({ Revenue: 0.66 });
  });
});
