import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { recordsOf } from '../../support/answers.ts';
import { connect, contextFor, textOf } from '../../support/connect.ts';
import { type RecordedRequest, startForeignTracker } from '../../support/foreign-tracker.ts';

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

const firstDayNow = '2026-06-03';

const tracker = await startForeignTracker({
  conversions: '[]',
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
const rowOf = (overview: Overview, first: string) =>
  recordsOf(overview).find((row) => String(Object.values(row)[0]) === first) ?? {};

describe('the overview', () => {
  it('has one row a campaign with its figures, what they were before, and the change, the dearest first', async () => {
    const overview = await data<Overview>('get_overview', {});
    expect(overview.query).toMatchObject({ start_date: firstDayNow, end_date: '2026-06-09' });
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
    expect(overview.notices.join(' ')).toContain('Before: 2026-05-27 to 2026-06-02.');
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
    const { data: fresh } = await connect({ url: tracker.url, now: () => new Date('2026-06-10T12:00:00Z') });
    tracker.taken();
    await fresh('get_overview', {});
    expect(
      tracker
        .taken()
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['/api/campaign/list/', '/api/conversions/', ...Array.from({ length: 6 }, () => '/api/stats/')]);
  });

  it('does not read past days again within ten minutes', async () => {
    await data('get_overview', {});
    tracker.taken();
    await data('get_overview', {});
    expect(tracker.taken().filter(({ parameters }) => new Map(parameters).get('end') === '2026-06-02')).toEqual([]);
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
    for (const part of ['Profit change', '-9.95', 'Before: 2026-05-27', 'Lighthouse']) expect(text).toContain(part);
  });
});

it('its table can be queried, with all rows and digits', async () => {
  const where = [{ column: 'Views', op: '>', value: '0' }];
  const { notices } = await data<Overview>('get_overview', { where });
  expect(notices.join(' ')).toMatch(
    /For query_report: campaigns is r\d+ or overview \(all 3 rows, not only those of where\)/,
  );
  await data('get_overview', { by: 'traffic_source' });
  const sql = 'SELECT "Traffic source", sum("Cost") AS cost FROM overview GROUP BY 1 ORDER BY 2 DESC';
  const { tables } = await data<Overview>('query_report', { sql });
  expect(tables[0]?.rows).toEqual([
    ['Lighthouse', 100],
    ['Harbor', 40.05],
  ]);
});

describe('a campaign that cannot be read', () => {
  it('is named, is in no total, and costs the others nothing', async () => {
    const broken = await startForeignTracker({
      conversions: '[]',
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
  });

  it('is the failure of the call where no campaign can be read', async () => {
    const broken = await startForeignTracker({
      conversions: '[]',
      'campaign/list': JSON.stringify(campaigns),
      stats: '{"Status":"Error","Message":"Report is being rebuilt"}',
    });
    const { refusal: refused } = await connect({ url: broken.url });
    expect(await refused('get_overview', {})).toContain('Report is being rebuilt');
  });
});

/** A tracker whose lists are of one campaign only. */
const refused = {
  visitorstats: '{"Status":"Error","Message":"Unknown campaign"}',
  conversions: '{"Status":"Error","Message":"Unknown campaign"}',
};

function promiseWithResolve() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('a tracker that is too slow for one call', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** As many reads as the client sends at once. */
  const atOnce = 3;

  /** Answers that many reports, and holds the others back until it is told to go on. */
  async function startSlow(campaigns: number, answered: number) {
    let left = answered;
    const { promise: released, resolve: goOn } = promiseWithResolve();
    const { promise: isStuck, resolve: stick } = promiseWithResolve();
    const slow = await startForeignTracker({
      'campaign/list': JSON.stringify(
        Array.from({ length: campaigns }, (_, index) => ({ ID: String(index + 1), Name: `C${index + 1}` })),
      ),
      stats: async () => {
        left -= 1;
        if (left === -atOnce) stick();
        if (left < 0) await released;
        return { body: '[{"Views":"10","Cost":"1","Revenue":"2"}]' };
      },
      ...refused,
    });
    return { ...slow, isStuck, goOn };
  }

  const statsOf = (requests: readonly RecordedRequest[]) =>
    requests
      .filter(({ path }) => path === '/api/stats/')
      .map(({ parameters }) => {
        const given = new Map(parameters);
        return `${given.get('camp')} ${given.get('start')}`;
      });

  it.each([{}, { period: 'last_7_days' }])(
    'shows what it read of now and before, says in a line what is missing, and the next call goes on there: %o',
    async (question) => {
      // Time goes by only when the test says so.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      const timeoutMs = 3000;
      const slow = await startSlow(30, 20);
      const { data: ask } = await connect({ url: slow.url, timeoutMs, now: () => new Date('2026-06-10T12:00:00Z') });
      const call = ask<Overview>('get_overview', { ...question, limit: 500 });
      await slow.isStuck;
      await vi.advanceTimersByTimeAsync(timeoutMs);
      const first = await call;
      const asked = statsOf(slow.taken());
      const rows = first.tables[0]?.rows.length ?? 0;
      expect(rows).toBeGreaterThan(0);
      expect(first.tables[0]?.totals).toMatchObject({ Views: rows * 10, 'Views before': rows * 10 });
      const told = first.notices.find((notice) => notice.includes('no time'));
      expect(told).toMatch(
        new RegExp(`no time to read ${30 - rows} of 30 campaigns.*Call again to continue.*TRACKER_TIMEOUT_MS`),
      );
      expect(told).not.toContain('“C');
      slow.goOn();
      const { tables } = await ask<Overview>('get_overview', question);
      expect(tables[0]).toMatchObject({ total_rows: 30, totals: { Views: 300, 'Views before': 300 } });
      const again = statsOf(slow.taken()).filter((report) => asked.slice(0, 20).includes(report));
      expect(again).toEqual([]);
    },
  );

  it('asks anew for days that are not over once a call was whole', async () => {
    await data('get_overview', { period: 'today', compare_to: 'none' });
    tracker.taken();
    await data('get_overview', { period: 'today', compare_to: 'none' });
    expect(statsOf(tracker.taken())).toHaveLength(3);
  });
});

describe('campaigns are chosen before they are asked about', () => {
  it.each([
    [{ where: [{ column: 'Traffic source', op: '=', value: 'lighthouse' }] }, ['1', '3'], '2 of 3 campaigns match'],
    [{ where: [{ column: 'name', op: 'contains', value: 'NAT' }] }, ['2'], '1 of 3 campaigns match'],
    [{ where: [{ column: 'Active', op: '=', value: 'no' }] }, ['3'], '1 of 3 campaigns match'],
    [{ campaign_ids: [1, 2], where: [{ column: 'ID', op: '>', value: '1' }] }, ['2'], '1 of 2 campaigns match'],
    [{ where: [{ column: 'Name', op: '=', value: 'nobody' }] }, [], '0 of 3 campaigns match'],
  ])('%o', async (question, expected, told) => {
    const { data: ask } = await connect({ url: tracker.url, now: () => new Date('2026-06-10T12:00:00Z') });
    tracker.taken();
    const { tables, notices } = await ask<Overview>('get_overview', { ...question, compare_to: 'none' });
    const asked = tracker
      .taken()
      .flatMap(({ path, parameters }) => (path === '/api/stats/' ? (new Map(parameters).get('camp') ?? []) : []));
    expect(asked.sort()).toEqual(expected);
    expect(tables[0]?.rows.map(([id]) => String(id)).sort()).toEqual(expected);
    expect(notices.join(' ')).toContain(told);
  });

  it('and what they did is a condition on what was read, over which totals then are', async () => {
    const result = await call('get_overview', {
      where: [
        { column: 'Traffic source', op: '=', value: 'Lighthouse' },
        { column: 'Views', op: '>', value: '0' },
      ],
    });
    expect(textOf(result)).toMatch(/totals of the 1 rows? that match/);
    expect(textOf(result)).toContain('2 of 3 campaigns match');
  });

  it('also where rows are sums of them', async () => {
    const where = [{ column: 'Name', op: '=', value: 'Search' }];
    const overview = await data<Overview>('get_overview', { by: 'traffic_source', where });
    expect(overview.tables[0]?.rows.map(([source]) => source)).toEqual(['Lighthouse']);
  });
});

describe('lists of the whole account', () => {
  const many = Array.from({ length: 200 }, (_, index) => ({ ID: String(index + 1), Name: `C${index + 1}` }));
  const busy = ['150', '20', '99'];
  const report = (camp: string) => (busy.includes(camp) ? { Views: '2', Revenue: '1' } : { Views: '0', Revenue: '0' });
  const visits = [...busy, ...busy].map((id) => ({ Date: '2026-06-08 10:00:00', CampaignID: id }));

  async function ask(lists: { visitorstats: string; conversions: string }, reportOf = report) {
    const account = await startForeignTracker({
      'campaign/list': JSON.stringify(many),
      stats: ({ camp = '', start = '' }) => ({
        body: JSON.stringify([start < firstDayNow ? { Views: '0', Revenue: '0' } : reportOf(camp)]),
      }),
      ...lists,
    });
    const { data } = await connect({
      url: account.url,
      timeoutMs: 60_000,
      now: () => new Date('2026-06-10T12:00:00Z'),
    });
    account.taken();
    const { tables, notices } = await data<Overview>('get_overview', {});
    const asked = account.taken().filter(({ path }) => path === '/api/stats/');
    return {
      table: tables[0],
      told: notices.join(' '),
      asked: asked.map(({ parameters }) => new Map(parameters).get('camp')),
    };
  }

  it('spare the campaigns that had nothing, and let those with most visits go first', async () => {
    const sales = [{ CampaignID: '7', Revenue: '5.00' }];
    const { table, told, asked } = await ask({
      visitorstats: JSON.stringify(visits),
      conversions: JSON.stringify(sales),
    });
    expect(table).toMatchObject({ total_rows: 200, totals: { Views: 6, Revenue: 3 } });
    // Those in a list, and three more to see that it is right; each now and before.
    expect(new Set(asked)).toEqual(new Set([...busy, '7', '1', '2', '3']));
    expect(asked).toHaveLength(14);
    expect(busy).toContain(asked[0]);
    expect(told).toContain('193 campaigns are in no list of visitors or conversions of these days');
  });

  it.each([
    ['refuse campaign 0', refused],
    ['carry no campaign', { visitorstats: '[{"Date":"2026-06-08 10:00:00"}]', conversions: '[]' }],
    ['are of one campaign', { visitorstats: JSON.stringify([visits[0]]), conversions: '[]' }],
    ['are empty', { visitorstats: '[]', conversions: '[]' }],
  ])('that %s spare nothing', async (_, lists) => {
    const { table, asked } = await ask(lists);
    expect(table).toMatchObject({ total_rows: 200, totals: { Views: 6 } });
    expect(asked).toHaveLength(400);
  });

  it('that lack what reports have spare nothing', async () => {
    const lists = { visitorstats: JSON.stringify(visits), conversions: '[]' };
    const { asked } = await ask(lists, (camp) => ({ Views: camp === '20' ? '50' : report(camp).Views, Revenue: '0' }));
    expect(asked).toHaveLength(400);
  });
});

describe('days that are not over', () => {
  it('are not compared with whole ones, if no days are named, at whatever hour', async () => {
    for (const hour of ['00:30', '12:00', '23:59']) {
      const { data: ask } = await connect({ url: tracker.url, now: () => new Date(`2026-06-10T${hour}:00Z`) });
      const { query, notices } = await ask<Overview>('get_overview', {});
      expect(query).toMatchObject({ start_date: '2026-06-03', end_date: '2026-06-09' });
      expect(notices).toContain('The last 7 whole days: today is not in them (period today).');
    }
  });

  it('are said to be not over, if they are named', async () => {
    const { notices } = await data<Overview>('get_overview', { period: 'last_7_days' });
    expect(notices.join(' ')).toContain('2026-06-10 is not over, and is set against a whole day');
    const whole = await data<Overview>('get_overview', { period: 'yesterday' });
    expect(whole.notices.join(' ')).not.toContain('not over');
  });

  it('may not be over in a zone that is not known', async () => {
    const now = () => new Date('2026-06-10T03:00:00Z');
    const context = { ...contextFor({ url: tracker.url, now }), isZoneAssumed: true };
    const { data: ask } = await connect({ context });
    const { notices } = await ask<Overview>('get_overview', { period: 'yesterday' });
    expect(notices).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^2026-06-09 may not be over in the tracker’s zone, and is set against a whole day\./),
        expect.stringContaining('the tracker’s own zone, which is not known'),
      ]),
    );
  });
});

it('its columns are these', async () => {
  const { tables } = await data<Overview>('get_overview', {});
  const figures = ['Views', 'Clicks', 'Conversions', 'Cost', 'Revenue', 'Profit', 'EPV', 'ROI', 'CPA'];
  const changes = [
    'Views before',
    'Conversions before',
    'Cost before',
    'Revenue before',
    'Revenue change %',
    'Profit before',
    'Profit change',
  ];
  expect(tables[0]?.columns).toEqual(['ID', 'Name', 'Traffic source', 'Active', ...figures, ...changes]);
});
