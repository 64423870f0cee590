import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../src/tools/present/outputs.ts';
import type { Compared } from '../support/answers.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

type Row = Readonly<Record<string, string>>;
type Rows = readonly (Row | null)[];

const now = () => new Date('2026-11-28T12:00:00Z');
const days = { start_date: '2026-11-21', end_date: '2026-11-23' };
const visits = ['2026-11-21', '2026-11-22', '2026-11-23'].flatMap((day, index): Row[] =>
  [1, 2].map((id) => ({
    ...{
      SubID: `ab12cd34_1_0000000${2 * index + id}`,
      Date: `${day} 10:00:00`,
      CampaignID: '1',
      Country: id === 1 ? 'US' : 'DE',
    },
    ...{ Cost: '0.5', Revenue: id === 1 ? '10' : '0', Converted: String(2 - id) },
  })),
);
const sales = visits
  .filter(({ Converted }) => Converted === '1')
  .map(
    ({ SubID = '', Date: day = '' }): Row => ({
      SubID,
      ConversionDate: day,
      CampaignID: '1',
      Revenue: '10',
      Status: 'approved',
    }),
  );
const report: Row = { CampaignID: '1', Name: 'Solo', Views: '6', Conversions: '3', Cost: '3', Revenue: '30' };
const headings = (row: Row | null | undefined): Row =>
  Object.fromEntries(Object.keys(row ?? {}).map((name) => [name, name]));

async function connectTo(add: (rows: Rows, total: Row) => Rows) {
  const within =
    (rows: Rows) =>
    ({ start = '', end = '' }: Record<string, string>) => ({
      body: JSON.stringify(
        rows.filter((row) => {
          const day = (row?.['Date'] ?? row?.['ConversionDate'] ?? '').slice(0, 10);
          return !/^\d/.test(day) || (day >= start && day <= end);
        }),
      ),
    });
  const { CampaignID: _, ...total } = report;
  const tracker = await startForeignTracker({
    visitorstats: within(add(visits, { SubID: 'Total', Cost: '3', Revenue: '30', Converted: '3' })),
    conversions: within(add(sales, { SubID: 'Total', Revenue: '30' })),
    stats: ({ start = '' }) => ({
      body: JSON.stringify({ campaign: start < '2026-11-21' ? [] : add([report], { ...total, Name: 'Total' }) }),
    }),
    'campaign/list': JSON.stringify(add([{ ID: '1', Name: 'Solo', Active: '1' }], { Name: 'Total' })),
  });
  return connect({ url: tracker.url, now });
}

const unnamed = ({ SubID: _, Name: __, ...total }: Row): Row => total;

const subtotal = (total: Row, word = 'Total'): Row =>
  total['SubID'] === undefined ? { ...total, Name: word } : { ...total, SubID: word };

describe('a row that is none of its table is in no figure', () => {
  it.each<[string, (rows: Rows, total: Row) => Rows]>([
    ['nothing else', (rows) => rows],
    ['a total at the end', (rows, total) => [...rows, total]],
    ['a total at the start', (rows, total) => [total, ...rows]],
    [
      'a total in German',
      (rows, total) => [...rows, { ...total, ...(total['SubID'] ? { SubID: 'Summe:' } : { Name: 'Gesamt' }) }],
    ],
    [
      'a total and a subtotal',
      (rows, total) => [
        ...rows,
        { ...total, ...(total['SubID'] ? { SubID: 'Subtotal' } : { Name: 'Subtotal' }) },
        total,
      ],
    ],
    ['a total without a word', (rows, total) => [...rows, unnamed(total)]],
    [
      'dashes around a total',
      (rows, total) => [
        ...rows,
        {
          ...headings(rows[0]),
          ...Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, '-'])),
          ...total,
        },
      ],
    ],
    ['the headings again', (rows) => [headings(rows[0]), ...rows]],
    [
      'subtotals between the rows',
      (rows, total) =>
        rows.flatMap((row, index) => (index === 0 ? [row] : [subtotal(total), subtotal(total, 'Subtotal'), row])),
    ],
    [
      'subtotals between the rows, and a total',
      (rows, total) => [...rows.flatMap((row) => [row, subtotal(total, 'Subtotal')]), total],
    ],
    ['a count of rows at the end', (rows, total) => [...rows, subtotal(total, '6 rows')]],
    ['a total with a count', (rows, total) => [subtotal(total, 'Total (6):'), ...rows]],
    ['a mean at the end', (rows, total) => [...rows, { ...subtotal(total, 'Average'), Views: '3' }]],
    ['the headings between the rows', (rows) => rows.flatMap((row) => [row, headings(row)])],
    ['rows with nothing in them', (rows) => rows.flatMap((row) => [{}, row, null])],
    ['the headings at the end', (rows) => [...rows, headings(rows[0])]],
  ])('%s', async (_, add) => {
    const { data } = await connectTo(add);
    const totals = async (tool: string, given: object) =>
      (await data<PresentedTables>(tool, { ...given })).tables[0]?.totals;
    const all = { Views: 6, Conversions: 3, Cost: 3, Revenue: 30 };
    expect(await totals('get_overview', days)).toMatchObject(all);
    expect(await totals('get_breakdown', { campaign_id: 1, by: ['country'], ...days })).toMatchObject(all);
    expect(await totals('get_breakdown', { by: ['day'], ...days })).toMatchObject(all);
    expect(await totals('list_conversions', days)).toMatchObject({ Revenue: 30 });
    expect(await totals('list_visitors', days)).toMatchObject({ Cost: 3, Revenue: 30 });
    expect((await data<PresentedTables>('list_campaigns')).tables[0]?.total_rows).toBe(1);
  });

  it('is told once, with what it says', async () => {
    const { data } = await connectTo((rows, total) => [...rows, total]);
    const { notices } = await data<{ readonly notices: readonly string[] }>('list_conversions', days);
    expect(notices.filter((notice) => notice.startsWith('Left out'))).toEqual([
      'Left out, because they are totals, headings or notes among the rows: “Total, 30” of conversions.',
    ]);
  });

  it('is told as an empty row if nothing is in it', async () => {
    const { data } = await connectTo((rows) => [{}, ...rows, {}]);
    const { notices } = await data<{ readonly notices: readonly string[] }>('list_conversions', days);
    expect(notices.join()).toContain('among the rows: an empty row of conversions.');
  });

  it('is the total of a report if it has no name and adds up all others', async () => {
    const row = { CampaignID: '1', Name: 'Solo', Views: '100', Conversions: '3', Cost: '3', Revenue: '30' };
    const { CampaignID: _, Name: __, ...total } = row;
    const viewsWith = async (last: object) => {
      const tracker = await startForeignTracker({
        stats: ({ start = '' }) => ({ body: JSON.stringify({ campaign: start < '2026-11-21' ? [] : [row, last] }) }),
        'campaign/list': '[{"ID":"1","Name":"Solo","Active":"1"}]',
      });
      const { data } = await connect({ url: tracker.url, now });
      return (await data<PresentedTables>('get_overview', days)).tables[0]?.totals?.['Views'];
    };
    expect(await viewsWith({ ...total, Label: 'Everything' })).toBe(100);
    expect(await viewsWith({ ...total, Views: '70', Label: 'Direct' })).toBe(170);
    expect(await viewsWith({ ...row, Label: 'Other' })).toBe(200);
  });

  it('is a row if it has something of its own', async () => {
    const offers = [
      { Name: 'Keto', Views: '100' },
      { Name: 'All', Views: '30' },
    ];
    const keywords = [
      { Keyword: 'shoes', AdValue: 'a', Views: '5' },
      { Keyword: '', AdValue: '', Views: '5' },
    ];
    const tracker = await startForeignTracker({ stats: JSON.stringify({ offer: offers, target: keywords }) });
    const { data } = await connect({ url: tracker.url, now });
    const { tables } = await data<PresentedTables>('get_stats', { campaign_id: 1, period: 'yesterday' });
    expect(tables.map(({ total_rows, totals }) => [total_rows, totals?.['Views']])).toEqual([
      [2, 130],
      [2, 10],
    ]);
  });
});

describe('a cell that stands for nothing', () => {
  const offer = (PageID: string, Revenue: string, Conversions: string) => ({
    PageID,
    Name: `Offer ${PageID}`,
    Views: '100',
    Conversions,
    Revenue,
  });
  const connectWith = async (...offers: object[]) =>
    connect({ url: (await startForeignTracker({ stats: JSON.stringify({ offer: offers }) })).url, now });

  it.each(['-', '--', '–', '—', '\u2212', 'n/a', 'N/A', 'n.a.', 'null'])(
    '%s is an empty cell of numbers',
    async (text) => {
      const { data } = await connectWith(offer('1', '$1,012.50', '3'), offer('2', text, text));
      const { tables, notices } = await data<PresentedTables>('get_stats', { campaign_id: 1, period: 'yesterday' });
      expect(tables[0]?.totals).toMatchObject({ Conversions: 3, Revenue: 1012.5 });
      expect(tables[0]?.rows[1]?.slice(3)).toEqual([null, null]);
      expect(notices).toContain(`“${text}” is read as an empty cell in "Conversions", "Revenue".`);
      const compared = await data<Compared>('compare_pages', { campaign_id: 1, kind: 'offer', period: 'yesterday' });
      expect(compared.pages?.map(({ revenue }) => revenue)).toEqual([1012.5, 0]);
    },
  );

  it.each(['hidden', '<b>3.00</b>', '12$50', '1.2e4', '٣٫٥'])('%s keeps the column text, and says so', async (text) => {
    const { data } = await connectWith(offer('1', text, '3'), offer('2', text, '1'));
    const { tables, notices } = await data<PresentedTables>('get_stats', { campaign_id: 1, period: 'yesterday' });
    expect(tables[0]?.totals).not.toHaveProperty('Revenue');
    expect(notices.join()).toContain(`Text, without totals: "Revenue", because “${text}” is not a number.`);
  });
});
