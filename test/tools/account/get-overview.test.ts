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

const figuresOf = (views: number, clicks: number, conversions: number, Cost: string, Revenue: string) => ({
  ...{ Views: String(views), Clicks: String(clicks), Conversions: String(conversions), Cost, Revenue },
});
const noTraffic = figuresOf(0, 0, 0, '0', '0');

/** The figures of each campaign, now and in the days before. */
const reports: Readonly<Record<string, readonly [now: object, before: object]>> = {
  1: [figuresOf(1000, 400, 10, '100.00', '150.10'), figuresOf(800, 300, 9, '80.00', '100.00')],
  2: [figuresOf(500, 50, 0, '40.05', '0.00'), noTraffic],
  3: [noTraffic, noTraffic],
};

const firstDayNow = '2026-06-03';
const now = () => new Date('2026-06-10T12:00:00Z');

const tracker = await startForeignTracker({
  conversions: '[]',
  'campaign/list': ({ active }) => {
    const Rows = campaigns.filter(({ Inactive }) => active === undefined || Inactive !== active);
    return { body: JSON.stringify({ Rows }) };
  },
  stats: ({ camp = '', start = '' }) => {
    const report = reports[camp]?.[start < firstDayNow ? 1 : 0];
    return { body: JSON.stringify({ Reports: { campaign: [{ ID: camp, ...report }] } }) };
  },
});
const { data, call, refusal } = await connect({ url: tracker.url, now });

type Given = Readonly<Record<string, unknown>>;

/** The overview, with its notices as one text. */
async function ask(given: Given = {}, read = data) {
  const overview = await read<PresentedTables>('get_overview', given);
  return { ...overview, noticeText: overview.notices.join(' ') };
}

/** The overview without cached figures. */
async function askAnew(given: Given = {}, time = now) {
  const { data: read } = await connect({ url: tracker.url, now: time });
  tracker.taken();
  return ask(given, read);
}
const firstColumn = ({ tables }: Pick<PresentedTables, 'tables'>) => tables[0]?.rows.map(([cell]) => cell);
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
    expect(overview.noticeText).toContain('Before: 2026-05-27 to 2026-06-02.');
  });

  it('is compared with nothing if no campaign had a visit in the days before', async () => {
    const { url } = await startForeignTracker({
      conversions: '[]',
      'campaign/list': JSON.stringify({ Rows: campaigns }),
      stats: ({ camp = '', start = '' }) => {
        const report = start < firstDayNow ? noTraffic : reports[camp]?.[0];
        return { body: JSON.stringify({ Reports: { campaign: [{ ID: camp, ...report }] } }) };
      },
    });
    const { data: read } = await connect({ url, now });
    const { noticeText, tables } = await ask({}, read);
    expect(noticeText).toContain('No visits from 2026-05-27 to 2026-06-02: nothing is compared.');
    expect(tables[0]?.columns.filter((name) => /before|change/.test(name))).toEqual([]);
    expect(tables[0]?.totals).toMatchObject({ Views: 1500, Profit: 10.05 });
    expect(noticeText).not.toContain('ahead of the first data');
    const earlier = await ask({ start_date: '2026-05-01', end_date: '2026-05-10' }, read);
    expect(earlier.noticeText).toContain(
      'No visits from 2026-05-01 to 2026-05-10: these days are ahead of the first data, or nothing ran.',
    );
  });

  it('shows changes that are the differences of the figures shown, also in the totals', async () => {
    // Unrounded, the changes are 30.008, 0.004 and 30.012.
    const money = (Cost: string) => ({ ...figuresOf(10, 5, 1, Cost, '0'), Conversions: '1' });
    const moneyOf: Readonly<Record<string, readonly [string, string]>> = {
      1: ['20.096', '50.104'],
      2: ['1.008', '1.012'],
      3: ['0', '0'],
    };
    const { url } = await startForeignTracker({
      conversions: '[]',
      'campaign/list': JSON.stringify({ Rows: campaigns }),
      stats: ({ camp = '', start = '' }) => {
        const cost = moneyOf[camp]?.[start < firstDayNow ? 1 : 0] ?? '0';
        return { body: JSON.stringify({ Reports: { campaign: [{ ID: camp, ...money(cost) }] } }) };
      },
    });
    const { data: read } = await connect({ url, now });
    const shown = await ask({}, read);
    for (const row of [...recordsOf(shown), shown.tables[0]?.totals ?? {}]) {
      const [profit, before, change] = ['Profit', 'Profit before', 'Profit change'].map((name) => Number(row[name]));
      expect(Math.round(((profit ?? 0) - (before ?? 0)) * 100) / 100).toBe(change);
    }
    expect(shown.tables[0]?.totals).toMatchObject({ Profit: -21.1, 'Profit before': -51.12, 'Profit change': 30.02 });
    // The same where the figure before is not shown.
    const short = await ask({ columns: ['Name', 'Profit', 'Profit change'] }, read);
    expect(short.tables[0]?.totals).toEqual({ Profit: -21.1, 'Profit change': 30.02 });
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
    expect(overview.noticeText).toContain('is empty, which is not 0');
  });

  it('has its columns in this order', () => {
    expect(overview.tables[0]?.columns).toEqual([
      ...['ID', 'Name', 'Traffic source', 'Active'],
      ...['Views', 'Clicks', 'Conversions', 'Cost', 'Revenue', 'Profit', 'EPV', 'ROI', 'CPA'],
      ...['Views before', 'Conversions before', 'Cost before', 'Revenue before', 'Revenue change %'],
      ...['Profit before', 'Profit change'],
    ]);
  });

  it('takes one request for the list and one per campaign and period', async () => {
    await askAnew();
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
    const lighthouse = recordsOf(bySource).find((row) => row['Traffic source'] === 'Lighthouse');
    expect(lighthouse).toMatchObject({ Views: 1000, Cost: 100, Profit: 50.1 });
  });

  it('has only the given campaigns, by status or ID, and an unknown ID lists the existing campaigns', async () => {
    const active = await ask({ status: 'active', compare_to: 'none' });
    expect(firstColumn(active)).toEqual([1, 2]);
    expect(active.tables[0]?.columns).not.toContain('Profit before');
    expect(firstColumn(await ask({ campaign_ids: [3] }))).toEqual([3]);
    expect(firstColumn(await ask({ campaign_ids: [3, '3', 3] }))).toEqual([3]);
    expect(await refusal('get_overview', { campaign_ids: [7] })).toMatch(/no campaign 7.*1 “Search”/s);
  });

  it('has totals and the days before in its text, too', async () => {
    const text = textOf(await call('get_overview', {}));
    for (const part of ['Profit change', '-9.95', 'Before: 2026-05-27', 'Lighthouse']) expect(text).toContain(part);
  });

  it('can be queried with all its rows and digits', async () => {
    const { noticeText } = await ask({ where: [{ column: 'Views', op: '>', value: '0' }] });
    const reference = /For query_report: campaigns is r\d+ or overview \(all 3 rows, not only those of where\)/;
    expect(noticeText).toMatch(reference);
    await ask({ by: 'traffic_source' });
    const sql = 'SELECT "Traffic source", sum("Cost") AS cost FROM overview GROUP BY 1 ORDER BY 2 DESC';
    const { tables } = await data<PresentedTables>('query_report', { sql });
    expect(tables[0]?.rows).toEqual([
      ['Lighthouse', 100],
      ['Harbor', 40.05],
    ]);
  });
});

it.each([null, 'N/A', ''])('names a campaign without a cost (%j), which its totals are without', async (Cost) => {
  const { url } = await startForeignTracker({
    conversions: '[]',
    'campaign/list': JSON.stringify({ Rows: campaigns }),
    stats: ({ camp = '' }) => {
      const campaign = [{ ID: camp, ...reports[camp]?.[0], ...(camp === '1' ? { Cost } : {}) }];
      return { body: JSON.stringify({ Reports: { campaign } }) };
    },
  });
  const overview = await ask({ compare_to: 'none' }, (await connect({ url, now })).data);
  expect(overview.tables[0]?.totals).toMatchObject({ Cost: 40.05, Revenue: 150.1, Profit: -40.05 });
  expect(overview.notices).toContain(
    'The reports have no cost of 1 “Search”: the totals of cost and profit are without.',
  );
});

it('has each campaign once, however often it is listed', async () => {
  const Rows = campaigns.flatMap((one) => [1, 2].map((slot) => ({ ...one, Token: `t${slot}` })));
  const { url } = await startForeignTracker({
    conversions: '[]',
    'campaign/list': JSON.stringify({ Rows }),
    stats: ({ camp = '' }) => ({
      body: JSON.stringify({ Reports: { campaign: [{ ID: camp, ...reports[camp]?.[0] }] } }),
    }),
  });
  const { tables } = await ask({ compare_to: 'none' }, (await connect({ url, now })).data);
  expect(firstColumn({ tables })).toEqual([1, 2, 3]);
  expect(tables[0]?.totals).toMatchObject({ Views: 1500, Cost: 140.05 });
});

describe('a campaign report that lists all campaigns', () => {
  const inAll = campaigns.map(({ ID, Name }) => ({ CampaignID: ID, Campaign: Name, ...reports[ID]?.[0] }));
  const total = { CampaignID: '', Campaign: 'Total', ...figuresOf(1500, 450, 10, '140.05', '150.10') };
  it.each([
    ['by ID', inAll],
    ['by ID, with their total', [...inAll, total]],
    ['by name', inAll.map(({ CampaignID: _, ...row }) => row)],
    [
      'by name, with their total',
      [...inAll, total].map(({ CampaignID: _, Campaign: Name, ...row }) => ({ Name, ...row })),
    ],
    [
      'in parts',
      inAll.flatMap((row) => [
        { ...row, Path: '1' },
        { ...row, Path: '2', ...noTraffic },
      ]),
    ],
  ])('counts in each campaign once: %s', async (_, campaign) => {
    const { url } = await startForeignTracker({
      conversions: '[]',
      'campaign/list': JSON.stringify({ Rows: campaigns }),
      stats: JSON.stringify({ Reports: { campaign } }),
    });
    const { tables } = await ask({ compare_to: 'none' }, (await connect({ url, now })).data);
    expect(recordsOf({ tables }).map(({ Name, Views }) => [Name, Views])).toEqual([
      ['Search', 1000],
      ['Native', 500],
      ['Old push', 0],
    ]);
    expect(tables[0]?.totals).toMatchObject({ Views: 1500, Cost: 140.05, Revenue: 150.1 });
  });

  it('is added up if its rows are no campaigns', async () => {
    const paths = [1, 2].map((path) => ({ Name: `Path ${path}`, ...figuresOf(100, 40, 1, '10.00', '15.00') }));
    const { url } = await startForeignTracker({
      conversions: '[]',
      'campaign/list': JSON.stringify({ Rows: campaigns.slice(0, 1) }),
      stats: JSON.stringify({ Reports: { campaign: paths } }),
    });
    const { tables } = await ask({ compare_to: 'none' }, (await connect({ url, now })).data);
    expect(recordsOf({ tables })[0]).toMatchObject({ Views: 200, Cost: 20 });
  });
});

const failure = '{"Status":"Error","Message":"Report is being rebuilt"}';

describe('a campaign that cannot be read', () => {
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
    const overview = await ask({ compare_to: 'none' }, (await connect({ url })).data);
    expect(firstColumn(overview)).toEqual([1, 3]);
    expect(overview.noticeText).toMatch(/Not read, and in no total: 2 “Native”.*Report is being rebuilt/s);
  });

  it('fails the call if none can be read', async () => {
    const { url } = await startBroken(() => true);
    expect(await (await connect({ url })).refusal('get_overview', {})).toContain('Report is being rebuilt');
  });
});

describe('a tracker that is too slow for one call', () => {
  afterEach(() => void vi.useRealTimers());

  /** The reads that a client sends at once. */
  const atOnce = 3;

  /** A tracker that answers some reports, and holds back the others until `goOn` is called. */
  async function startSlow(campaignCount: number, reportCount: number) {
    let left = reportCount;
    let [goOn, getStuck] = [() => {}, () => {}];
    const released = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const isStuck = new Promise<void>((resolve) => {
      getStuck = resolve;
    });
    const listed = Array.from({ length: campaignCount }, (_, index) => ({ ID: `${index + 1}`, Name: `C${index + 1}` }));
    const slow = await startForeignTracker({
      'campaign/list': JSON.stringify(listed),
      stats: async () => {
        left -= 1;
        if (left === -atOnce) getStuck();
        if (left < 0) await released;
        return { body: '[{"Views":"10","Cost":"1","Revenue":"2"}]' };
      },
      ...{ visitorstats: failure, conversions: failure },
    });
    return { ...slow, isStuck, goOn };
  }

  const reportsIn = (requests: readonly RecordedRequest[]) =>
    statsOf(requests).map((sent) => `${sent.get('camp')} ${sent.get('start')}`);

  it.each([{}, { period: 'last_7_days' }])(
    'gets rows of what was read and one line about the rest, and the next call continues: %o',
    async (given) => {
      // Time passes only in the test.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      const timeoutMs = 3000;
      const slow = await startSlow(30, 20);
      const { data: read } = await connect({ url: slow.url, timeoutMs, now });
      const called = ask({ ...given, limit: 500 }, read);
      await slow.isStuck;
      await vi.advanceTimersByTimeAsync(timeoutMs);
      const first = await called;
      const reportsBefore = reportsIn(slow.taken());
      const rows = first.tables[0]?.rows.length ?? 0;
      expect(rows).toBeGreaterThan(0);
      expect(first.tables[0]?.totals).toMatchObject({ Views: rows * 10, 'Views before': rows * 10 });
      const notice = first.notices.find((text) => text.includes('no time'));
      const unread = `no time to read ${30 - rows} of 30 campaigns.*Call again to continue.*TRACKER_TIMEOUT_MS`;
      expect(notice).toMatch(new RegExp(unread));
      expect(notice).not.toContain('“C');
      slow.goOn();
      const { tables } = await ask(given, read);
      expect(tables[0]).toMatchObject({ total_rows: 30, totals: { Views: 300, 'Views before': 300 } });
      const answered = reportsBefore.slice(0, 20);
      expect(reportsIn(slow.taken()).filter((report) => answered.includes(report))).toEqual([]);
    },
  );

  it('does not say that there were no visits if nothing was read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const timeoutMs = 3000;
    const slow = await startSlow(30, 0);
    const { data: read } = await connect({ url: slow.url, timeoutMs, now });
    const called = ask({}, read);
    await slow.isStuck;
    await vi.advanceTimersByTimeAsync(timeoutMs);
    const { notices } = await called;
    slow.goOn();
    expect(notices.join()).toContain('no time to read 30 of 30 campaigns');
    expect(notices.join()).not.toContain('No visits');
  });
});

it('days that are not over are read again by the next call', async () => {
  await ask({ period: 'today', compare_to: 'none' });
  tracker.taken();
  await ask({ period: 'today', compare_to: 'none' });
  expect(statsOf(tracker.taken())).toHaveLength(3);
});

describe('campaigns are chosen before their reports are read', () => {
  it.each([
    [{ where: [{ column: 'Traffic source', op: '=', value: 'lighthouse' }] }, ['1', '3'], '2 of 3 campaigns match'],
    [{ where: [{ column: 'name', op: 'contains', value: 'NAT' }] }, ['2'], '1 of 3 campaigns match'],
    [{ where: [{ column: 'Active', op: '=', value: 'no' }] }, ['3'], '1 of 3 campaigns match'],
    [{ campaign_ids: [1, 2], where: [{ column: 'ID', op: '>', value: '1' }] }, ['2'], '1 of 2 campaigns match'],
    [{ where: [{ column: 'Name', op: '=', value: 'nobody' }] }, [], '0 of 3 campaigns match'],
  ])('%o', async (given, expected, notice) => {
    const overview = await askAnew({ ...given, compare_to: 'none' });
    const campaignIds = statsOf(tracker.taken()).map((sent) => sent.get('camp'));
    expect(campaignIds.sort()).toEqual(expected);
    expect(firstColumn(overview)?.map(String).sort()).toEqual(expected);
    expect(overview.noticeText).toContain(notice);
  });

  it('and conditions on figures apply to the rows that were read; totals are over the rows that match', async () => {
    const source = { column: 'Traffic source', op: '=', value: 'Lighthouse' };
    const askFor = async (op: string) => {
      const result = await call('get_overview', { where: [source, { column: 'Views', op, value: '0' }] });
      return { text: textOf(result), totals: (result.structuredContent as PresentedTables).tables[0]?.totals };
    };
    const both = await askFor('>=');
    expect(both.text).toContain('totals of the 2 rows that match');
    expect(both.text).toContain('2 of 3 campaigns match');
    const { text, totals } = await askFor('>');
    expect(text).toContain('2 of 3 campaigns match');
    expect(text).toContain('rows 1-1 of 1');
    // The text does not repeat the only row.
    expect(totals).toMatchObject({ Views: expect.any(Number) });
    expect(text).not.toContain('totals of');
  });

  it('also if rows are added up', async () => {
    const where = [{ column: 'Name', op: '=', value: 'Search' }];
    expect(firstColumn(await ask({ by: 'traffic_source', where }))).toEqual(['Lighthouse']);
  });
});

describe('days that are not over', () => {
  it.each(['00:30', '12:00', '23:59'])('are not compared with whole ones at %s if no days are given', async (hour) => {
    const { query, notices } = await askAnew({}, () => new Date(`2026-06-10T${hour}:00Z`));
    expect(query).toMatchObject({ start_date: '2026-06-03', end_date: '2026-06-09' });
    expect(notices).toContain('The last 7 whole days, without today (period today has it).');
  });

  it('are announced if they are given', async () => {
    const { noticeText } = await ask({ period: 'last_7_days' });
    expect(noticeText).toContain('2026-06-10 is not over, and is set against a whole day');
    expect((await ask({ period: 'yesterday' })).noticeText).not.toContain('not over');
  });

  it('may be yesterday in an unknown time zone', async () => {
    const early = () => new Date('2026-06-10T03:00:00Z');
    const context = { ...contextFor({ url: tracker.url, now: early }), isZoneAssumed: true };
    const { notices } = await ask({ period: 'yesterday' }, (await connect({ context })).data);
    const open = /^2026-06-09 may not be over in the tracker’s zone, and is set against a whole day\./;
    expect(notices).toContainEqual(expect.stringMatching(open));
    expect(notices).toContainEqual(expect.stringContaining('the tracker’s own zone, which is not known'));
  });
});
