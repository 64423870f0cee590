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

const did = (views: number, clicks: number, conversions: number, cost: string, revenue: string) => ({
  ...{ Views: String(views), Clicks: String(clicks), Conversions: String(conversions), Cost: cost, Revenue: revenue },
});
const nothing = did(0, 0, 0, '0', '0');

/** The figures of each campaign, now and in the days before. */
const reports: Readonly<Record<string, readonly [now: object, before: object]>> = {
  1: [did(1000, 400, 10, '100.00', '150.10'), did(800, 300, 9, '80.00', '100.00')],
  2: [did(500, 50, 0, '40.05', '0.00'), nothing],
  3: [nothing, nothing],
};

const firstDayNow = '2026-06-03';
const now = () => new Date('2026-06-10T12:00:00Z');

const tracker = await startForeignTracker({
  conversions: '[]',
  'campaign/list': ({ active }) => ({
    body: JSON.stringify({
      Rows: campaigns.filter(({ Inactive }) => active === undefined || Inactive === (active === '1' ? '0' : '1')),
    }),
  }),
  stats: ({ camp = '', start = '' }) => {
    const [current, before] = reports[camp] ?? [];
    const report = start < firstDayNow ? before : current;
    return { body: JSON.stringify({ Reports: { campaign: [{ ID: camp, ...report }] } }) };
  },
});
const { data, call, refusal } = await connect({ url: tracker.url, now });

const ask = (given: Readonly<Record<string, unknown>> = {}) => data<PresentedTables>('get_overview', given);
const firstColumn = ({ tables }: PresentedTables) => tables[0]?.rows.map(([cell]) => cell);
const statsOf = (requests: readonly RecordedRequest[]) =>
  requests.filter(({ path }) => path === '/api/stats/').map(({ parameters }) => new Map(parameters));

describe('the overview', async () => {
  const overview = await ask();
  const [search, native, push] = recordsOf(overview);

  it('has one row per campaign with its figures, those before, and the change, highest cost first', () => {
    expect(overview.query).toMatchObject({ start_date: firstDayNow, end_date: '2026-06-09' });
    expect(firstColumn(overview)).toEqual([1, 2, 3]);
    expect(search).toEqual({
      ...{ ID: 1, Name: 'Search', 'Traffic source': 'Lighthouse', Active: 'yes' },
      ...{ Views: 1000, Clicks: 400, Conversions: 10, Cost: 100, Revenue: 150.1, Profit: 50.1 },
      ...{ EPV: 0.1501, ROI: 50.1, CPA: 10 },
      ...{ 'Views before': 800, 'Conversions before': 9, 'Cost before': 80, 'Revenue before': 100 },
      ...{ 'Revenue change %': 50.1, 'Profit before': 20, 'Profit change': 30.1 },
    });
    expect(overview.notices.join(' ')).toContain('Before: 2026-05-27 to 2026-06-02.');
  });

  it('adds up to the cent, with ratios from the sums, also of the days before', () => {
    expect(overview.tables[0]?.totals).toMatchObject({
      ...{ Views: 1500, Cost: 140.05, Revenue: 150.1, Profit: 10.05, ROI: 7.18, CPA: 14.01 },
      ...{ 'Revenue before': 100, 'Profit before': 20, 'Profit change': -9.95 },
    });
  });

  it('leaves a ratio empty if its divisor is 0, and explains it', () => {
    expect(native).toMatchObject({ ROI: -100, CPA: null, EPV: 0, 'Revenue change %': null });
    expect(push).toMatchObject({ ROI: null, CPA: null, EPV: null });
    expect(overview.notices.join(' ')).toContain('empty where');
  });

  it('has its columns in this order', () => {
    const figures = ['Views', 'Clicks', 'Conversions', 'Cost', 'Revenue', 'Profit', 'EPV', 'ROI', 'CPA'];
    const before = ['Views before', 'Conversions before', 'Cost before', 'Revenue before', 'Revenue change %'];
    const profit = ['Profit before', 'Profit change'];
    expect(overview.tables[0]?.columns).toEqual(
      ['ID', 'Name', 'Traffic source', 'Active'].concat(figures, before, profit),
    );
  });

  it('takes one request for the list and one per campaign and period', async () => {
    const { data: fresh } = await connect({ url: tracker.url, now });
    tracker.taken();
    await fresh('get_overview', {});
    const paths = tracker.taken().map(({ path }) => path);
    expect(paths.sort()).toEqual(['/api/campaign/list/', '/api/conversions/', ...Array(6).fill('/api/stats/')]);
  });

  it('reads past days only once within ten minutes', async () => {
    tracker.taken();
    await ask();
    expect(statsOf(tracker.taken()).filter((sent) => sent.get('end') === '2026-06-02')).toEqual([]);
  });

  it('adds up the campaigns of a traffic source', async () => {
    const bySource = await ask({ by: 'traffic_source' });
    expect(bySource.tables[0]?.name).toBe('traffic_sources');
    const row = recordsOf(bySource).find((one) => one['Traffic source'] === 'Lighthouse');
    expect(row).toMatchObject({ Views: 1000, Cost: 100, Profit: 50.1 });
  });

  it('has only the given campaigns, by status or ID, and names the existing ones', async () => {
    const active = await ask({ status: 'active', compare_to: 'none' });
    expect(firstColumn(active)).toEqual([1, 2]);
    expect(active.tables[0]?.columns).not.toContain('Profit before');
    expect(firstColumn(await ask({ campaign_ids: [3] }))).toEqual([3]);
    expect(await refusal('get_overview', { campaign_ids: [7] })).toMatch(/no campaign 7.*1 “Search”/s);
  });

  it('has totals and the days before in its text, too', async () => {
    const text = textOf(await call('get_overview', {}));
    for (const part of ['Profit change', '-9.95', 'Before: 2026-05-27', 'Lighthouse']) expect(text).toContain(part);
  });

  it('can be queried with all its rows and digits', async () => {
    const { notices } = await ask({ where: [{ column: 'Views', op: '>', value: '0' }] });
    expect(notices.join(' ')).toMatch(
      /For query_report: campaigns is r\d+ or overview \(all 3 rows, not only those of where\)/,
    );
    await ask({ by: 'traffic_source' });
    const sql = 'SELECT "Traffic source", sum("Cost") AS cost FROM overview GROUP BY 1 ORDER BY 2 DESC';
    const { tables } = await data<PresentedTables>('query_report', { sql });
    expect(tables[0]?.rows).toEqual([
      ['Lighthouse', 100],
      ['Harbor', 40.05],
    ]);
  });
});

describe('a campaign that cannot be read', () => {
  const failure = '{"Status":"Error","Message":"Report is being rebuilt"}';
  const startBroken = (isBroken: (camp: string) => boolean) =>
    startForeignTracker({
      conversions: '[]',
      'campaign/list': JSON.stringify(campaigns),
      stats: ({ camp = '' }) => ({
        body: isBroken(camp) ? failure : JSON.stringify([{ ID: camp, ...reports[camp]?.[0] }]),
      }),
    });

  it('is named, is in no total, and does not affect the others', async () => {
    const { url } = await startBroken((camp) => camp === '2');
    const { data: askBroken } = await connect({ url });
    const overview = await askBroken<PresentedTables>('get_overview', { compare_to: 'none' });
    expect(firstColumn(overview)).toEqual([1, 3]);
    expect(overview.notices.join(' ')).toMatch(/Not read, and in no total: 2 “Native”.*Report is being rebuilt/s);
  });

  it('fails the call if none can be read', async () => {
    const { url } = await startBroken(() => true);
    expect(await (await connect({ url })).refusal('get_overview', {})).toContain('Report is being rebuilt');
  });
});

describe('a tracker that is too slow for one call', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** The reads that a client sends at once. */
  const atOnce = 3;

  function gate() {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { opened, open };
  }

  /** Answers `answered` reports, and holds back the others until `goOn` is called. */
  async function startSlow(count: number, answered: number) {
    let left = answered;
    const [released, stuck] = [gate(), gate()];
    const slow = await startForeignTracker({
      'campaign/list': JSON.stringify(
        Array.from({ length: count }, (_, index) => ({ ID: String(index + 1), Name: `C${index + 1}` })),
      ),
      stats: async () => {
        left -= 1;
        if (left === -atOnce) stuck.open();
        if (left < 0) await released.opened;
        return { body: '[{"Views":"10","Cost":"1","Revenue":"2"}]' };
      },
      visitorstats: '{"Status":"Error","Message":"Unknown campaign"}',
      conversions: '{"Status":"Error","Message":"Unknown campaign"}',
    });
    return { ...slow, isStuck: stuck.opened, goOn: released.open };
  }

  const askedOf = (requests: readonly RecordedRequest[]) =>
    statsOf(requests).map((sent) => `${sent.get('camp')} ${sent.get('start')}`);

  it.each([{}, { period: 'last_7_days' }])(
    'leaves rows of what was read, one line about the rest, and a next call that continues there: %o',
    async (given) => {
      // Time passes only in the test.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      const timeoutMs = 3000;
      const slow = await startSlow(30, 20);
      const { data: askSlow } = await connect({ url: slow.url, timeoutMs, now });
      const called = askSlow<PresentedTables>('get_overview', { ...given, limit: 500 });
      await slow.isStuck;
      await vi.advanceTimersByTimeAsync(timeoutMs);
      const first = await called;
      const asked = askedOf(slow.taken());
      const rows = first.tables[0]?.rows.length ?? 0;
      expect(rows).toBeGreaterThan(0);
      expect(first.tables[0]?.totals).toMatchObject({ Views: rows * 10, 'Views before': rows * 10 });
      const told = first.notices.find((notice) => notice.includes('no time'));
      expect(told).toMatch(
        new RegExp(`no time to read ${30 - rows} of 30 campaigns.*Call again to continue.*TRACKER_TIMEOUT_MS`),
      );
      expect(told).not.toContain('“C');
      slow.goOn();
      const { tables } = await askSlow<PresentedTables>('get_overview', given);
      expect(tables[0]).toMatchObject({ total_rows: 30, totals: { Views: 300, 'Views before': 300 } });
      expect(askedOf(slow.taken()).filter((report) => asked.slice(0, 20).includes(report))).toEqual([]);
    },
  );

  it('is asked again for days that are not over, once a call was complete', async () => {
    await ask({ period: 'today', compare_to: 'none' });
    tracker.taken();
    await ask({ period: 'today', compare_to: 'none' });
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
  ])('%o', async (given, expected, told) => {
    const { data: fresh } = await connect({ url: tracker.url, now });
    tracker.taken();
    const overview = await fresh<PresentedTables>('get_overview', { ...given, compare_to: 'none' });
    const asked = statsOf(tracker.taken()).map((sent) => sent.get('camp'));
    expect(asked.sort()).toEqual(expected);
    expect(firstColumn(overview)?.map(String).sort()).toEqual(expected);
    expect(overview.notices.join(' ')).toContain(told);
  });

  it('and conditions on figures apply to what was read; totals are over the rows that match', async () => {
    const source = { column: 'Traffic source', op: '=', value: 'Lighthouse' };
    const text = textOf(await call('get_overview', { where: [source, { column: 'Views', op: '>', value: '0' }] }));
    expect(text).toMatch(/totals of the 1 rows? that match/);
    expect(text).toContain('2 of 3 campaigns match');
  });

  it('also if rows are added up', async () => {
    const where = [{ column: 'Name', op: '=', value: 'Search' }];
    expect(firstColumn(await ask({ by: 'traffic_source', where }))).toEqual(['Lighthouse']);
  });
});

describe('days that are not over', () => {
  it.each(['00:30', '12:00', '23:59'])('are not compared with whole ones at %s if no days are given', async (hour) => {
    const { data: fresh } = await connect({ url: tracker.url, now: () => new Date(`2026-06-10T${hour}:00Z`) });
    const { query, notices } = await fresh<PresentedTables>('get_overview', {});
    expect(query).toMatchObject({ start_date: '2026-06-03', end_date: '2026-06-09' });
    expect(notices).toContain('The last 7 whole days: today is not in them (period today).');
  });

  it('are announced if they are given', async () => {
    const { notices } = await ask({ period: 'last_7_days' });
    expect(notices.join(' ')).toContain('2026-06-10 is not over, and is set against a whole day');
    expect((await ask({ period: 'yesterday' })).notices.join(' ')).not.toContain('not over');
  });

  it('may be yesterday in an unknown time zone', async () => {
    const early = () => new Date('2026-06-10T03:00:00Z');
    const context = { ...contextFor({ url: tracker.url, now: early }), isZoneAssumed: true };
    const { data: fresh } = await connect({ context });
    const { notices } = await fresh<PresentedTables>('get_overview', { period: 'yesterday' });
    expect(notices).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^2026-06-09 may not be over in the tracker’s zone, and is set against a whole day\./),
        expect.stringContaining('the tracker’s own zone, which is not known'),
      ]),
    );
  });
});
