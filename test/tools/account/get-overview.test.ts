import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { connect, textOf } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

const campaigns = [
  { ID: '1', Name: 'Search', TrafficSource: 'Lighthouse', Inactive: '0' },
  { ID: '2', Name: 'Native', TrafficSource: 'Harbor', Inactive: '0' },
  { ID: '3', Name: 'Old push', TrafficSource: 'Lighthouse', Inactive: '1' },
];

type Report = Readonly<Record<string, string>>;

/** What each campaign did, now and in the days before. */
const reports: Readonly<Record<string, readonly [now: Report, before: Report]>> = {
  1: [
    { Views: '1000', Clicks: '400', Conversions: '10', Cost: '100.00', Revenue: '150.10' },
    { Views: '800', Clicks: '300', Conversions: '9', Cost: '80.00', Revenue: '100.00' },
  ],
  2: [
    { Views: '500', Clicks: '50', Conversions: '0', Cost: '40.05', Revenue: '0.00' },
    { Views: '0', Clicks: '0', Conversions: '0', Cost: '0', Revenue: '0' },
  ],
  3: [
    { Views: '0', Clicks: '0', Conversions: '0', Cost: '0', Revenue: '0' },
    { Views: '0', Clicks: '0', Conversions: '0', Cost: '0', Revenue: '0' },
  ],
};

const firstDayNow = '2026-06-04';

const tracker = await startForeignTracker({
  'campaign/list': ({ active }) => ({
    body: JSON.stringify({
      Rows: campaigns.filter(({ Inactive }) => active === undefined || Inactive === (active === '1' ? '0' : '1')),
    }),
  }),
  stats: ({ camp = '', start = '' }) => {
    const [now, before] = reports[camp] ?? [];
    return { body: JSON.stringify({ Reports: { campaign: [{ ID: camp, ...(start < firstDayNow ? before : now) }] } }) };
  },
});
const { data, call, refusal } = await connect({ url: tracker.url, now: () => new Date('2026-06-10T12:00:00Z') });

type Overview = PresentedTables;
const rowOf = ({ tables: [table] }: Overview, first: string) => {
  const row = table?.rows.find(([cell]) => String(cell) === first) ?? [];
  return Object.fromEntries((table?.columns ?? []).map((column, index) => [column, row[index] ?? null]));
};

describe('the overview', () => {
  it('has one row a campaign with its figures, what they were before, and the change, the dearest first', async () => {
    const overview = await data<Overview>('get_overview', {});
    expect(overview.query).toMatchObject({ start_date: firstDayNow, end_date: '2026-06-10', period: 'last_7_days' });
    expect(overview.tables[0]?.rows.map(([id]) => id)).toEqual([1, 2, 3]);
    expect(rowOf(overview, '1')).toMatchObject({
      Name: 'Search',
      'Traffic source': 'Lighthouse',
      Active: 'yes',
      Views: 1000,
      Cost: 100,
      Revenue: 150.1,
      Profit: 50.1,
      ROI: 50.1,
      CPA: 10,
      EPV: 0.1501,
      'Revenue before': 100,
      'Revenue change %': 50.1,
      'Profit before': 20,
      'Profit change': 30.1,
    });
    expect(overview.notices.join(' ')).toContain('Before: 2026-05-28 to 2026-06-03.');
  });

  it('adds up to the cent, ratios from the sums, also of the days before', async () => {
    const { tables } = await data<Overview>('get_overview', {});
    expect(tables[0]?.totals).toMatchObject({
      Views: 1500,
      Cost: 140.05,
      Revenue: 150.1,
      Profit: 10.05,
      ROI: 7.18,
      CPA: 14.01,
      'Revenue before': 100,
      'Profit before': 20,
      'Profit change': -9.95,
    });
  });

  it('leaves a ratio over nothing empty, and says so', async () => {
    const overview = await data<Overview>('get_overview', {});
    expect(rowOf(overview, '2')).toMatchObject({ ROI: -100, CPA: null, EPV: 0, 'Revenue change %': null });
    expect(rowOf(overview, '3')).toMatchObject({ ROI: null, CPA: null, EPV: null });
    expect(overview.notices.join(' ')).toContain('empty where');
  });

  it('asks the list and one report a campaign and period, four at a time', async () => {
    tracker.taken();
    const { data: fresh } = await connect({ url: tracker.url, now: () => new Date('2026-06-10T12:00:00Z') });
    tracker.taken();
    await fresh('get_overview', {});
    expect(
      tracker
        .taken()
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['/api/campaign/list/', ...Array.from({ length: 6 }, () => '/api/stats/')]);
  });

  it('does not read past days again within ten minutes', async () => {
    await data('get_overview', {});
    tracker.taken();
    await data('get_overview', {});
    expect(tracker.taken().filter(({ parameters }) => new Map(parameters).get('end') === '2026-06-03')).toEqual([]);
  });

  it('sums campaigns of one traffic source up', async () => {
    const overview = await data<Overview>('get_overview', { by: 'traffic_source' });
    expect(rowOf(overview, 'Lighthouse')).toMatchObject({ Views: 1000, Cost: 100, Profit: 50.1 });
    expect(overview.tables[0]?.name).toBe('traffic_sources');
  });

  it('takes only the campaigns asked for, by status or by ID, and names those there are', async () => {
    const active = await data<Overview>('get_overview', { status: 'active', compare_to: 'none' });
    expect(active.tables[0]?.rows.map(([id]) => id)).toEqual([1, 2]);
    expect(active.tables[0]?.columns).not.toContain('Profit before');
    const chosen = await data<Overview>('get_overview', { campaign_ids: [3] });
    expect(chosen.tables[0]?.rows.map(([id]) => id)).toEqual([3]);
    expect(await refusal('get_overview', { campaign_ids: [7] })).toMatch(/no campaign 7.*1 “Search”/s);
  });

  it('says all in its text that its data say of totals and of what is before', async () => {
    const text = textOf(await call('get_overview', {}));
    for (const part of ['Profit change', '-9.95', 'Before: 2026-05-28', 'Lighthouse']) expect(text).toContain(part);
  });
});

describe('a campaign that cannot be read', () => {
  it('is named, is in no total, and costs the others nothing', async () => {
    const broken = await startForeignTracker({
      'campaign/list': JSON.stringify(campaigns),
      stats: ({ camp = '' }) =>
        camp === '2'
          ? { body: '{"Status":"Error","Message":"Report is being rebuilt"}' }
          : { body: JSON.stringify([{ ID: camp, ...reports[camp]?.[0] }]) },
    });
    const { data: ask } = await connect({ url: broken.url });
    const overview = await ask<Overview>('get_overview', { compare_to: 'none' });
    expect(overview.tables[0]?.rows.map(([id]) => id)).toEqual([1, 3]);
    expect(overview.notices.join(' ')).toMatch(/Not read, and in no total: 2 “Native”.*Report is being rebuilt/s);
    broken.taken();
  });

  it('is the failure of the call where no campaign can be read', async () => {
    const broken = await startForeignTracker({
      'campaign/list': JSON.stringify(campaigns),
      stats: '{"Status":"Error","Message":"Report is being rebuilt"}',
    });
    const { refusal: refused } = await connect({ url: broken.url });
    expect(await refused('get_overview', {})).toContain('Report is being rebuilt');
    broken.taken();
  });
});

describe('five hundred campaigns', () => {
  it('are one call, whole', async () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ ID: String(index + 1), Name: `Campaign ${index + 1}` }));
    const large = await startForeignTracker({
      'campaign/list': JSON.stringify(many),
      stats: ({ camp = '' }) => ({
        body: JSON.stringify([{ Views: '10', Clicks: '1', Conversions: '1', Cost: camp, Revenue: '2' }]),
      }),
    });
    const { data: ask } = await connect({ url: large.url, timeoutMs: 120_000 });
    const { tables } = await ask<Overview>('get_overview', { limit: 3 });
    expect(tables[0]).toMatchObject({ total_rows: 500, totals: { Views: 5000, Cost: 125_250 } });
    expect(tables[0]?.rows.map(([id]) => id)).toEqual([500, 499, 498]);
    large.taken();
  });
});

describe('a time that does not suffice', () => {
  it('leaves campaigns out by name and says how to go on', async () => {
    const slow = await startForeignTracker({
      'campaign/list': JSON.stringify(
        Array.from({ length: 40 }, (_, index) => ({ ID: String(index + 1), Name: `C${index + 1}` })),
      ),
      stats: async () => {
        await new Promise((resolve) => setTimeout(resolve, 700));
        return { body: '[{"Views":"10","Cost":"1","Revenue":"2"}]' };
      },
    });
    const { data: ask } = await connect({ url: slow.url, timeoutMs: 4000 });
    const overview = await ask<Overview>('get_overview', { compare_to: 'none' });
    expect(overview.tables[0]?.total_rows).toBeLessThan(40);
    expect(overview.notices.join(' ')).toMatch(/no time to read \d+ of 40 campaigns.*TRACKER_TIMEOUT_MS/s);
    slow.taken();
  });
});
