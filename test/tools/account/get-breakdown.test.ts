import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { recordsOf } from '../../support/answers.ts';
import { connect, contextFor, textOf } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

interface Visit {
  readonly Date: string;
  readonly [column: string]: string;
}

/** Forty visits a day over eight days, latest first, as trackers list them. */
const visits: readonly Visit[] = Array.from({ length: 320 }, (_, index): Visit => {
  const day = 10 - Math.floor(index / 40);
  const hour = String(23 - (index % 24)).padStart(2, '0');
  const converts = index % 10 === 0;
  return {
    Date: `2026-06-${String(day).padStart(2, '0')} ${hour}:15:00`,
    SubID: `ab_1_${index}`,
    Device: index % 4 === 0 ? 'Desktop' : 'Mobile',
    Country: index % 2 === 0 ? 'DE' : 'US',
    Extra1: index % 4 === 0 ? 'exact' : 'broad',
    Clicked: index % 2 === 0 ? '1' : '0',
    Converted: converts ? '1' : '0',
    Cost: '0.25',
    Revenue: converts ? '3.10' : '',
  };
});

const inDays = (start: string, end: string) =>
  visits.filter(({ Date: at }) => at.slice(0, 10) >= start && at.slice(0, 10) <= end);

const sumOf = (rows: readonly Visit[], column: string) => rows.reduce((sum, row) => sum + Number(row[column] ?? 0), 0);

/** A tracker whose visitor list ends at a maximum. */
async function startTracker(maximum = 1000, columns: readonly string[] = Object.keys(visits[0] ?? {})) {
  return startForeignTracker({
    'campaign/list': JSON.stringify([
      { ID: '1', Name: 'Search', ExtraTokenName1: 'Match type', ExtraTokenParam1: '{m}' },
    ]),
    stats: ({ start = '', end = '' }) => {
      const own = inDays(start, end);
      const report = {
        Views: String(own.length),
        Clicks: String(sumOf(own, 'Clicked')),
        Conversions: String(sumOf(own, 'Converted')),
        Cost: sumOf(own, 'Cost').toFixed(2),
        Revenue: sumOf(own, 'Revenue').toFixed(2),
      };
      return { body: JSON.stringify({ campaign: [report] }) };
    },
    visitorstats: ({ start = '', end = '' }) => ({
      body: JSON.stringify(
        inDays(start, end)
          .slice(0, maximum)
          .map((visit) => Object.fromEntries(columns.map((column) => [column, visit[column]]))),
      ),
    }),
  });
}

const now = () => new Date('2026-06-10T12:00:00Z');
const days = { campaign_id: 1, start_date: '2026-06-03', end_date: '2026-06-10' };

type Breakdown = PresentedTables;
type Asked = Readonly<Record<string, unknown>>;

const ask = async (given: Asked, ...tracker: Parameters<typeof startTracker>) => {
  const { url } = await startTracker(...tracker);
  return (await connect({ url, now })).data<Breakdown>('get_breakdown', { ...days, ...given });
};
const refused = async (given: Asked, ...tracker: Parameters<typeof startTracker>) => {
  const { url } = await startTracker(...tracker);
  return (await connect({ url, now })).refusal('get_breakdown', { ...days, ...given });
};

describe('a breakdown', () => {
  it('counts visits by dimension, with the figures of get_stats', async () => {
    const breakdown = await ask({ by: ['device'] });
    expect(recordsOf(breakdown)).toEqual([
      {
        ...{ Device: 'Mobile', Views: 240, Clicks: 80, Conversions: 16, Cost: 60, Revenue: 49.6, Profit: -10.4 },
        ...{ CTR: 33.33, CR: 20, EPV: 0.2067, ROI: -17.33, CPA: 3.75 },
      },
      {
        ...{ Device: 'Desktop', Views: 80, Clicks: 80, Conversions: 16, Cost: 20, Revenue: 49.6, Profit: 29.6 },
        ...{ CTR: 100, CR: 20, EPV: 0.62, ROI: 148, CPA: 1.25 },
      },
    ]);
    expect(breakdown.notices.join(' ')).toContain(
      'Counted from 320 visits of the visitor list, in one answer: all 320 views',
    );
    expect(breakdown.tables[0]?.totals).toMatchObject({ Views: 320, Cost: 80, Revenue: 99.2, Profit: 19.2 });
  });

  it('takes two dimensions at once', async () => {
    const breakdown = await ask({ by: ['country', 'device'] });
    const figures = ['Views', 'Clicks', 'Conversions', 'Cost', 'Revenue', 'Profit', 'CTR', 'CR', 'EPV', 'ROI', 'CPA'];
    expect(breakdown.tables[0]?.columns).toEqual(['Country', 'Device', ...figures]);
    expect(recordsOf(breakdown).map(({ Country, Device, Views }) => [Country, Device, Views])).toEqual([
      ['US', 'Mobile', 160],
      ['DE', 'Desktop', 80],
      ['DE', 'Mobile', 80],
    ]);
  });

  it.each([
    ['hour', '00', '23', 24],
    ['weekday', 'Monday', 'Sunday', 7],
  ])('by %s is in the order of time', async (by, first, last, length) => {
    const rows = (await ask({ by: [by] })).tables[0]?.rows ?? [];
    expect([rows[0]?.[0], rows.at(-1)?.[0], rows.length]).toEqual([first, last, length]);
  });

  it('by day alone reads the campaign report of each day, which every tracker has', async () => {
    const tracker = await startTracker(0);
    const { data } = await connect({ url: tracker.url, now });
    tracker.taken();
    const breakdown = await data<Breakdown>('get_breakdown', { ...days, by: ['day'] });
    expect(recordsOf(breakdown).map(({ Day, Views, Revenue }) => [Day, Views, Revenue])).toEqual(
      Array.from({ length: 8 }, (_, index) => [`2026-06-${String(index + 3).padStart(2, '0')}`, 40, 12.4]),
    );
    const asked = tracker.taken().map(({ path }) => path);
    expect(asked.filter((path) => path !== '/api/conversions/')).toEqual(Array(8).fill('/api/stats/'));
  });

  it.each(['Match type', 'match TYPE', 'Extra1'])('takes a token by its label or its slot: %s', async (by) => {
    const breakdown = await ask({ by: [by] });
    expect(recordsOf(breakdown).map((row) => Object.values(row).slice(0, 2))).toEqual([
      ['broad', 240],
      ['exact', 80],
    ]);
  });
});

describe('a list that the tracker cuts off', () => {
  it.each([100, 160, 45])('at %i rows is read in slices of days until it is whole', async (maximum) => {
    const breakdown = await ask({ by: ['device'] }, maximum);
    expect(recordsOf(breakdown).map(({ Device, Views }) => [Device, Views])).toEqual([
      ['Mobile', 240],
      ['Desktop', 80],
    ]);
    expect(breakdown.notices.join(' ')).toMatch(/answers: all 320 views/);
  });

  it('within a single day leaves a sample, and a notice says how large it is and which days are cut off', async () => {
    const { notices } = await ask({ by: ['device'] }, 10);
    const said = notices.join(' ');
    expect(said).toMatch(/A sample: counted from 80 visits.*320 views \(25%\).*2026-06-03.*3 more days/s);
    expect(said).toContain('Sums and ratios of money are not those of the period');
    expect(said).not.toMatch(/latest visits of each|Compare the ratios/);
  });

  it('into more slices than one call may ask for is read in part, and the notice does not blame the time', async () => {
    const tracker = await startTracker(1);
    tracker.answer('stats', '{"campaign":[{"Views":"100000"}]}');
    const row = JSON.stringify([visits[0]]);
    tracker.answer('visitorstats', row);
    const { data } = await connect({ url: tracker.url, now, timeoutMs: 60_000 });
    const long = { campaign_id: 1, start_date: '2025-06-10', end_date: '2026-06-09', by: ['device'] };
    const { notices } = await data<Breakdown>('get_breakdown', long);
    expect(notices.join(' ')).toMatch(/200 requests are the most for one call/);
    expect(notices.join(' ')).not.toContain('no time');
  });
});

describe('a column that the visitor list lacks', () => {
  it('is left out and named', async () => {
    const { tables, notices } = await ask({ by: ['device'] }, undefined, ['Date', 'Device', 'Converted']);
    expect(tables[0]?.columns).toEqual(['Device', 'Views', 'Conversions']);
    expect(notices.join(' ')).toContain('has no clicks, cost and revenue, so these are left out');
  });

  it('is refused as a dimension, with the existing columns and tokens and the nearest of them', async () => {
    expect(await refused({ by: ['mach type'] })).toMatch(
      /no "mach type"; did you mean "Match type"\?.*Country.*“Match type” \(Extra1\)/s,
    );
  });

  it('is not suggested itself', async () => {
    const said = await refused({ by: ['device'] }, undefined, ['Date', 'Country']);
    expect(said).toContain('no "device"');
    expect(said).not.toContain('did you mean "device"');
  });

  it('is not needed by day, which takes a request per day: max 92 days', async () => {
    expect(await refused({ start_date: '2026-01-01', by: ['day'] })).toContain('92 days at most');
  });
});

describe('the figures of a breakdown', () => {
  const list = ['0.333', '0.333', '0.333'].map((Cost, index) => ({
    Date: '2026-06-10 10:00:00',
    Device: `Device ${index}`,
    Clicked: '0',
    Converted: '0',
    Revenue: '',
    Cost,
  }));

  it('have totals of unrounded rows, which agree with the campaign report to the cent', async () => {
    const tracker = await startForeignTracker({
      stats: '{"campaign":[{"Views":"3","Clicks":"0","Conversions":"0","Cost":"1.00","Revenue":"0.00"}]}',
      visitorstats: JSON.stringify(list),
    });
    const { data } = await connect({ url: tracker.url, now });
    const breakdown = await data<Breakdown>('get_breakdown', { ...days, start_date: '2026-06-10', by: ['device'] });
    expect(recordsOf(breakdown).map((row) => row['Cost'])).toEqual([0.33, 0.33, 0.33]);
    expect(breakdown.tables[0]?.totals).toMatchObject({ Cost: 1, Profit: -1 });
    expect(recordsOf(breakdown)[0]).toMatchObject({ ROI: -100 });
    expect(breakdown.tables[0]?.omitted_columns).toEqual(['CR', 'CPA']);
    expect(breakdown.notices.join()).toContain(
      'A ratio is empty where there were no views, clicks, conversions or cost',
    );
    expect(breakdown.notices).toContain('A sale is booked on its visit, whenever it came.');
  });
});

describe('an offer', () => {
  const visit = { Date: '2026-06-09 10:00:00', Clicked: '1', Cost: '1' };
  const seen = [
    { ...visit, SubID: 'a', Offer: 'Second', Converted: '1', Revenue: '30' },
    { ...visit, SubID: 'b', Offer: 'Second', Converted: '1', Revenue: '5' },
    { ...visit, SubID: 'c', Offer: 'First', Converted: '0', Revenue: '' },
  ];
  const stats = '{"campaign":[{"Views":"3"}]}';
  const question = { ...days, by: ['offer'] };
  const said = async (conversions: string) => {
    const tracker = await startForeignTracker({ stats, visitorstats: JSON.stringify(seen), conversions });
    const { data } = await connect({ url: tracker.url, now });
    const breakdown = await data<Breakdown>('get_breakdown', question);
    return recordsOf(breakdown).map(({ Offer, Views, Conversions, Revenue }) => [Offer, Views, Conversions, Revenue]);
  };

  it('has the sales that the conversion list books on it, also if the visitor clicked another one later', async () => {
    const sales = [
      { SubID: 'a', Offer: 'First', Revenue: '30' },
      { SubID: 'b', Offer: 'Second', Revenue: '5' },
    ];
    expect(await said(JSON.stringify(sales))).toEqual([
      ['Second', 2, 1, 5],
      ['First', 1, 1, 30],
    ]);
  });

  it.each(['{"Status":"Error","Message":"no such list"}', '[]'])(
    'has those of the visitor list if there is no other: %s',
    async (conversions) => {
      expect(await said(conversions)).toEqual([
        ['Second', 2, 2, 35],
        ['First', 1, 0, 0],
      ]);
    },
  );
});

describe('days of an unknown time zone', () => {
  const context = { ...contextFor({ now }), isZoneAssumed: true };
  const lists = {
    stats: JSON.stringify({
      campaign: [{ Views: '3' }],
      offer: ['1', '2'].map((PageID) => ({ PageID, Share: '50', Views: '9', Conversions: '0', Revenue: '0' })),
    }),
    visitorstats: JSON.stringify(visits.slice(0, 3)),
    conversions: '[{"SubID":"1"}]',
    'campaign/list': '[{"ID":"1","Name":"Search"}]',
  };

  it.each([
    ['get_stats', { campaign_id: 1, period: 'last_7_days' }],
    ['list_conversions', { period: 'yesterday' }],
    ['list_visitors', { start_date: '2026-06-09' }],
    ['get_overview', {}],
    ['get_overview', { period: 'today' }],
    ['get_breakdown', { campaign_id: 1, by: ['device'] }],
    ['get_breakdown', { campaign_id: 1, by: ['day'] }],
    ['compare_pages', { campaign_id: 1, kind: 'offer' }],
  ])('are those of the tracker in %s, and not of UTC: %o', async (tool, given) => {
    const tracker = await startForeignTracker(lists);
    const { client } = contextFor({ url: tracker.url });
    const { call } = await connect({ context: { ...context, client } });
    const result = await call(tool, given);
    const said = textOf(result) + JSON.stringify(result.structuredContent);
    expect(said).toContain('Days are those of the tracker’s own zone, which is not known: set TRACKER_TIMEZONE.');
    expect(said).not.toContain('UTC');
    const named = await connect({ context: { ...context, client, isZoneAssumed: false } });
    expect(textOf(await named.call(tool, given))).not.toContain('TRACKER_TIMEZONE');
  });
});
