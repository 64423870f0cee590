import { describe, expect, test } from 'vitest';
import type { PresentedTables } from '../../src/tools/present/outputs.ts';
import { connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

const tracker = await startForeignTracker({
  visitorstats: '[]',
  conversions: JSON.stringify({ Status: 'OK', Rows: [] }),
  'campaign/list': JSON.stringify([{ ID: '1', Name: 'One', Bid: '0.01' }]),
});
const currency = 'EUR';

const offers = (rows: readonly object[]) => JSON.stringify({ Status: 'OK', Reports: { offer: rows } });
const plain = [{ Name: 'One', PageID: '3', Views: '10', Revenue: '12.50', EPV: '1.2500', CTR: '4.5', Bid: '0.02' }];

async function unitsOf(rows: readonly object[], configured: string | undefined) {
  tracker.answer('stats', offers(rows));
  const { call } = await connect({ url: tracker.url, ...(configured ? { currency: configured } : {}) });
  const result = await call('get_stats', { campaign_id: 1, reports: ['offer'], period: 'today' });
  return { units: (result.structuredContent as PresentedTables | undefined)?.tables[0]?.units, text: textOf(result) };
}

describe('money in a table', () => {
  test('has no currency if neither the tracker nor the configuration names one', async () => {
    const { units, text } = await unitsOf(plain, undefined);
    expect(units).toBeUndefined();
    expect(text).not.toMatch(/[$€£¥]|USD|EUR/);
  });

  test('has the configured currency in data and text; other columns have none', async () => {
    const { units, text } = await unitsOf(plain, currency);
    expect(units).toEqual({ Revenue: 'EUR', EPV: 'EUR', Bid: 'EUR' });
    expect(text).toContain('Revenue (EUR)\tEPV (EUR)\tCTR\tBid (EUR)');
  });

  test('has the tracker’s own currency if it writes one, and a table never shows two', async () => {
    const { units } = await unitsOf([{ Name: 'One', Views: '10', Revenue: '$12.50', Cost: '3.00' }], currency);
    expect(units).toEqual({ Revenue: '$' });
  });
});

test('a query over recent answers has no currency: its columns can have any name', async () => {
  tracker.answer('stats', offers(plain));
  const { call, data } = await connect({ url: tracker.url, currency });
  await call('get_stats', { campaign_id: 1, reports: ['offer'], period: 'today' });
  const { tables } = await data<PresentedTables>('query_report', { sql: 'SELECT count(*) AS "Revenue" FROM offer' });
  expect(tables[0]?.units).toBeUndefined();
});

test('a comparison of pages has its currency in the data and after each amount of the text', async () => {
  const page = { Views: '5000', Clicks: '5000', Share: '50', Inactive: '0', Path: '1' };
  tracker.answer(
    'stats',
    offers([
      { ...page, PageID: '3', Name: 'One', Conversions: '200', Revenue: '2000.00' },
      { ...page, PageID: '4', Name: 'Two', Conversions: '20', Revenue: '200.00' },
    ]),
  );
  const { call } = await connect({ url: tracker.url, currency });
  const result = await call('compare_pages', { campaign_id: 1, kind: 'offer', period: 'today' });
  expect(result.structuredContent).toMatchObject({ query: { currency } });
  const text = textOf(result);
  expect(text).toContain('revenue (EUR)\tepv (EUR)');
  const { decision } = result.structuredContent as { decision: { basis: string } };
  if (decision.basis === 'money') expect(text).toMatch(/[\d.]+ EUR per view/);
});

test.each([
  ['lookup_subid', 'click/lookup', { subid: 'ab12cd34_1_00000345' }, { Campaign: { Name: 'One', Revenue: '15.00' } }],
  ['edit_campaign', 'campaign/edit', { campaign_id: 1, bid: 0.02, dry_run: true }, { Status: 'OK' }],
] as const)('%s names its currency in a notice', async (tool, path, given, answer) => {
  tracker.answer(path, JSON.stringify(answer));
  const notice = 'Money is in EUR.';
  const { data } = await connect({ url: tracker.url, currency });
  expect((await data<{ notices: string[] }>(tool, given)).notices).toContain(notice);
  const unset = await connect({ url: tracker.url });
  expect((await unset.data<{ notices: string[] }>(tool, given)).notices).not.toContain(notice);
});

describe('columns that name different currencies', () => {
  const days = { start_date: '2026-06-01', end_date: '2026-06-01' };
  const both = { 'Revenue (USD)': '30.5', 'Revenue (EUR)': '12.5' };
  const page = { ID: '1', Name: 'Solo', Views: '100', Conversions: '3', Cost: '3' };
  const visit = {
    SubID: 'ab12cd34_1_00000001',
    Date: '2026-06-01 10:00:00',
    CampaignID: '1',
    Country: 'DE',
    Cost: '1',
  };
  const serve = async (money: object) => {
    const tracker = await startForeignTracker({
      'campaign/list': '[{"ID":"1","Name":"Solo","Active":"1"}]',
      stats: JSON.stringify({ campaign: [{ ...page, ...money }], offer: [{ ...page, ...money }] }),
      visitorstats: JSON.stringify([{ ...visit, ...money }]),
      conversions: '[]',
    });
    return connect({ url: tracker.url });
  };

  const serveEach = async (reports: readonly object[]) => {
    const tracker = await startForeignTracker({
      'campaign/list': JSON.stringify(reports.map((_, index) => ({ ID: String(index + 1), Name: `C${index + 1}` }))),
      stats: ({ camp = '1' }) => ({
        body: JSON.stringify({ campaign: [{ ...page, ID: camp, ...reports[Number(camp) - 1] }] }),
      }),
      conversions: '[]',
    });
    return { connection: await connect({ url: tracker.url }) };
  };

  test.each([
    ['get_overview', {}],
    ['compare_pages', { campaign_id: 1, kind: 'offer' }],
    ['get_breakdown', { campaign_id: 1, by: ['country'] }],
  ])('are no figures of %s', async (tool, given) => {
    const { call } = await serve(both);
    expect(textOf(await call(tool, { ...given, ...days }))).toMatch(
      /“Revenue \(USD\)” and “Revenue \(EUR\)” have different units/,
    );
  });

  test('of cost and revenue have no profit', async () => {
    const { Cost: _, ...rest } = page;
    const { call } = await serve({ ...rest, Cost: undefined, 'Cost (USD)': '30', 'Revenue (EUR)': '12' });
    expect(textOf(await call('get_overview', days))).toMatch(
      /“Cost \(USD\)” and “Revenue \(EUR\)” have different units/,
    );
  });

  test('are not added up over campaigns', async () => {
    const { connection } = await serveEach([{ 'Revenue (USD)': '30' }, { 'Revenue (EUR)': '12' }]);
    expect(textOf(await connection.call('get_overview', days))).not.toContain('42');
    const same = await serveEach([{ 'Revenue (USD)': '30' }, { 'Revenue (USD)': '12' }]);
    expect((await same.connection.data<PresentedTables>('get_overview', days)).tables[0]?.totals).toMatchObject({
      Revenue: 42,
    });
  });

  test('are figures if both name one', async () => {
    const { data } = await serve({ 'Cost (USD)': '5', 'Revenue (USD)': '30.5', Cost: undefined });
    const { tables } = await data<PresentedTables>('get_overview', days);
    expect(tables[0]?.totals).toMatchObject({ Revenue: 30.5, Cost: 5 });
  });
});
