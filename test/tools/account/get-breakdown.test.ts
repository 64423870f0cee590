import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { recordsOf } from '../../support/answers.ts';
import { connect, contextFor, textOf } from '../../support/connect.ts';
import { rowsAsked, startForeignTracker } from '../../support/foreign-tracker.ts';

type Visit = Readonly<{ Date: string; [column: string]: string }>;

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

const sumOf = (rows: readonly Visit[], column: string) => rows.reduce((sum, row) => sum + Number(row[column] ?? 0), 0);

/** A tracker whose visitor list ends at a maximum. */
async function startTracker(
  maximum = 1000,
  columns: readonly string[] = Object.keys(visits[0] ?? {}),
  write: (column: string, cell: string) => readonly [string, string] = (column, cell) => [column, cell],
) {
  return startForeignTracker({
    'campaign/list': JSON.stringify([
      { ID: '1', Name: 'Search', ExtraTokenName1: 'Match type', ExtraTokenParam1: '{m}' },
    ]),
    stats: (asked) => {
      const rows = rowsAsked(visits, asked);
      const sum = (column: string, digits = 0) => sumOf(rows, column).toFixed(digits);
      const report = {
        ...{ Views: String(rows.length), Clicks: sum('Clicked'), Conversions: sum('Converted') },
        ...{ Cost: sum('Cost', 2), Revenue: sum('Revenue', 2) },
      };
      return { body: JSON.stringify({ campaign: [report] }) };
    },
    visitorstats: (asked) => ({
      body: JSON.stringify(
        rowsAsked(visits, asked)
          .slice(0, maximum)
          .map((visit) => Object.fromEntries(columns.map((column) => write(column, visit[column] ?? '')))),
      ),
    }),
  });
}

const isFlag = (column: string) => column === 'Clicked' || column === 'Converted';

/** Writes yes and no in other words. */
const withFlags = (yes: string, no: string) => (column: string, cell: string) =>
  [column, isFlag(column) ? (cell === '1' ? yes : no) : cell] as const;

const now = () => new Date('2026-06-10T12:00:00Z');
const days = { campaign_id: 1, start_date: '2026-06-03', end_date: '2026-06-10' };

type Given = Readonly<Record<string, unknown>>;

/** Connects to a tracker; `ask` returns the breakdown and all its notices as one text, `refusal` the error. */
async function connected({ url }: { readonly url: string }, timeoutMs = 10_000) {
  const { data, refusal } = await connect({ url, now, timeoutMs });
  return {
    ask: async (given: Given) => {
      const breakdown = await data<PresentedTables>('get_breakdown', { ...days, ...given });
      return { ...breakdown, records: recordsOf(breakdown), noticeText: breakdown.notices.join(' ') };
    },
    refusal: (given: Given) => refusal('get_breakdown', { ...days, ...given }),
  };
}
const ask = async (given: Given, ...tracker: Parameters<typeof startTracker>) =>
  (await connected(await startTracker(...tracker))).ask(given);
const refused = async (given: Given, ...tracker: Parameters<typeof startTracker>) =>
  (await connected(await startTracker(...tracker))).refusal(given);

describe('figures of the same visits that the campaign report has otherwise', () => {
  it.each([
    ['a cost that some visits lack', 'Cost', '', 'cost of 20 in the visitor list and 80 in the campaign report'],
    ['an amount for a yes', 'Converted', '31', /conversions of \d{3} in the visitor list and 32 in the campaign/],
  ])('are told: %s', async (_, changed, as, told) => {
    let count = 0;
    const isChanged = (column: string, cell: string) => {
      if (column === changed && Number(cell) > 0) count += 1;
      return column === changed && Number(cell) > 0 && count % 4 > 0;
    };
    const columns = Object.keys(visits[0] ?? {});
    const { noticeText } = await ask({ by: ['device'] }, 1000, columns, (column, cell) =>
      isChanged(column, cell) ? [column, as] : [column, cell],
    );
    expect(noticeText).toMatch(told);
  });

  it('are nothing to tell if they agree', async () => {
    expect((await ask({ by: ['device'] })).noticeText).not.toContain('The same visits');
  });
});

describe('a breakdown', () => {
  it.each([
    ['Ja', 'Nein'],
    ['✓', '✗'],
    ['t', 'f'],
    ['X', ''],
    ['sold', 'no'],
    ['Kyllä', ''],
  ])('counts %s as a yes, and %j as a no', async (yes, no) => {
    const { tables } = await ask({ by: ['country'] }, 1000, undefined, withFlags(yes, no));
    expect(tables[0]?.totals).toMatchObject({
      Clicks: sumOf(visits, 'Clicked'),
      Conversions: sumOf(visits, 'Converted'),
    });
  });

  it('counts only the visits that conditions on other things choose, and rows that those on its columns do', async () => {
    const where = [
      { column: 'Country', op: '=', value: 'DE' },
      { column: 'Device', op: '=', value: 'desktop' },
    ];
    const { records, noticeText } = await ask({ by: ['device'], where });
    const chosen = visits.filter(({ Country, Device }) => Country === 'DE' && Device === 'Desktop');
    expect(records).toMatchObject([
      { Device: 'Desktop', Views: chosen.length, Conversions: sumOf(chosen, 'Converted') },
    ]);
    expect(noticeText).toContain('Only visits count where Country = DE: 160 of 320.');
  });

  it('says what there is where no visit meets a condition', async () => {
    const { records, noticeText } = await ask({
      by: ['device'],
      where: [{ column: 'Match type', op: '=', value: 'phrase' }],
    });
    expect(records).toEqual([]);
    expect(noticeText).toContain(
      'Only visits count where “Match type” = phrase: 0 of 320. Most visits have as “Match type”: broad, exact.',
    );
  });

  it('offers figures, too, for a condition on what is nothing', async () => {
    const where = [{ column: 'Profits', op: '<', value: '0' }];
    expect(await refused({ by: ['device'], where })).toMatch(/has no "Profits"; did you mean "Profit"\?/);
  });

  it('by day counts visits, not reports, where conditions choose visits', async () => {
    const where = [{ column: 'Device', op: '=', value: 'Desktop' }];
    const { records } = await ask({ by: ['day'], where });
    expect(records).toHaveLength(8);
    expect(records.map(({ Views }) => Views)).toEqual(Array(8).fill(10));
  });

  it('refuses words that may be a yes or a no', async () => {
    expect(await refused({ by: ['country'] }, 1000, undefined, withFlags('Kyllä', 'Ei'))).toMatch(
      /Clicked of visitors cannot be read: “(Kyllä|Ei)” is not a number/,
    );
  });

  it.each([' (USD)', ' [€]', '_USD', ' $', '_usd', '_eur', ' in USD', ' in (EUR)'])(
    'reads amounts under names with their currency: Cost%s',
    async (currency) => {
      const write = (column: string, cell: string) =>
        [/Cost|Revenue/.test(column) ? column + currency : column, cell] as const;
      const { tables } = await ask({ by: ['country'] }, 1000, undefined, write);
      expect(tables[0]?.totals).toMatchObject({ Cost: sumOf(visits, 'Cost'), Revenue: 99.2 });
    },
  );

  it('counts visits by dimension, with the figures of get_stats', async () => {
    const { records, noticeText, tables } = await ask({ by: ['device'] });
    expect(records).toEqual([
      {
        ...{ Device: 'Mobile', Views: 240, Clicks: 80, Conversions: 16, Cost: 60, Revenue: 49.6, Profit: -10.4 },
        ...{ CTR: 33.33, CR: 20, EPV: 0.2067, ROI: -17.33, CPA: 3.75 },
      },
      {
        ...{ Device: 'Desktop', Views: 80, Clicks: 80, Conversions: 16, Cost: 20, Revenue: 49.6, Profit: 29.6 },
        ...{ CTR: 100, CR: 20, EPV: 0.62, ROI: 148, CPA: 1.25 },
      },
    ]);
    expect(noticeText).toContain('Counted from 320 visits of the visitor list, in one answer: all 320 views');
    expect(tables[0]?.totals).toMatchObject({ Views: 320, Cost: 80, Revenue: 99.2, Profit: 19.2 });
  });

  it('takes two dimensions at once', async () => {
    const { tables, records } = await ask({ by: ['country', 'device'] });
    const figures = ['Views', 'Clicks', 'Conversions', 'Cost', 'Revenue', 'Profit', 'CTR', 'CR', 'EPV', 'ROI', 'CPA'];
    expect(tables[0]?.columns).toEqual(['Country', 'Device', ...figures]);
    expect(records.map(({ Country, Device, Views }) => [Country, Device, Views])).toEqual([
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

  it.each([
    ['hour', '2026-06-10'],
    ['hour', '2 hours ago'],
    ['weekday', '2 hours ago'],
  ])('by %s is refused if times such as %s show none', async (by, time) => {
    const timed = await startTracker(1000, undefined, (column, cell) => [column, column === 'Date' ? time : cell]);
    const said = await (await connected(timed)).refusal({ by: [by] });
    expect(said).toContain(`The times of the visitor list show no ${by}; the first is “${time}”.`);
  });

  it.each([
    ['date', 'day'],
    ['Hour of day', 'hour'],
    ['day_of_week', 'weekday'],
    ['device type', 'device'],
  ])('takes %s for %s', async (name, dimension) => {
    const [named, usual] = [await ask({ by: [name] }), await ask({ by: [dimension] })];
    expect(named.tables[0]?.rows).toEqual(usual.tables[0]?.rows);
    expect(named.notices).toEqual(usual.notices);
  });

  it.each(['hour', 'weekday'])('by %s says so if its rows differ by chance alone', async (by) => {
    const tracker = await startTracker();
    const { ask } = await connected(tracker);
    type IsSo = (visit: Visit, index: number) => boolean;
    const answerWith = (sells: IsSo, clicks: IsSo = () => true) => {
      const sold = visits.map((visit, index) => ({
        ...visit,
        ...{ Clicked: clicks(visit, index) ? '1' : '0', Converted: sells(visit, index) ? '1' : '0' },
      }));
      tracker.answer('visitorstats', JSON.stringify(sold));
    };
    const notice = `differ between these ${by}s: do not act on one of them.`;
    answerWith((_, index) => (index * 0.618) % 1 < 0.1);
    expect((await ask({ by: [by] })).notices[0]).toContain(notice);
    const { call } = await connect({ url: tracker.url, now });
    // It is read before the table.
    expect(textOf(await call('get_breakdown', { ...days, by: [by] })).split('\n')[0]).toContain(notice);
    expect((await ask({ by: [by, 'device'] })).noticeText).not.toContain(notice);
    const isOne = ({ Date: time }: Visit) => /^2026-06-0[56] | 0[56]:15:00$/.test(time);
    answerWith(
      (_, index) => (index * 0.618) % 1 < 0.1,
      (visit) => !isOne(visit),
    );
    expect((await ask({ by: [by] })).notices[0]).toContain('but not how clicks per view do: look at these.');
    answerWith(isOne);
    expect((await ask({ by: [by] })).noticeText).not.toContain(notice);
  });

  it('by weekday names the weekdays that come more often than others', async () => {
    const notice = 'Wednesday comes 2 times in these 8 days, each other weekday 1 time';
    expect((await ask({ by: ['weekday'] })).noticeText).toContain(notice);
    const twoMore = await ask({ by: ['weekday', 'device'], start_date: '2026-06-02' });
    expect(twoMore.noticeText).toContain('Tuesday and Wednesday come 2 times in these 9 days');
    expect((await ask({ by: ['weekday'], start_date: '2026-06-04' })).noticeText).not.toContain('other weekday');
    expect((await ask({ by: ['device'] })).noticeText).not.toContain('other weekday');
  });

  it('by day alone reads the campaign report of each day, which every tracker has', async () => {
    const tracker = await startTracker(0);
    const { records } = await (await connected(tracker)).ask({ by: ['day'] });
    expect(records.map(({ Day, Views, Revenue }) => [Day, Views, Revenue])).toEqual(
      Array.from({ length: 8 }, (_, index) => [`2026-06-${String(index + 3).padStart(2, '0')}`, 40, 12.4]),
    );
    const paths = tracker.taken().map(({ path }) => path);
    expect(paths.filter((path) => path !== '/api/conversions/')).toEqual(Array(8).fill('/api/stats/'));
  });

  it.each(['Match type', 'match TYPE', 'Extra1'])('takes a token by its label or its slot: %s', async (by) => {
    expect((await ask({ by: [by] })).records.map((row) => Object.values(row).slice(0, 2))).toEqual([
      ['broad', 240],
      ['exact', 80],
    ]);
  });
});

describe('a list that the tracker cuts off', () => {
  it.each([100, 160, 45])('at %i rows is read in slices of days until it is whole', async (maximum) => {
    const { records, noticeText } = await ask({ by: ['device'] }, maximum);
    expect(records.map(({ Device, Views }) => `${Device} ${Views}`)).toEqual(['Mobile 240', 'Desktop 80']);
    expect(noticeText).toMatch(/answers: all 320 views/);
  });

  it('within a single day leaves a sample, and a notice gives its size and the days that are cut off', async () => {
    const { noticeText } = await ask({ by: ['device'] }, 10);
    expect(noticeText).toMatch(/A sample: counted from 80 visits.*320 views \(25%\).*2026-06-03.*3 more days/s);
    expect(noticeText).toContain('Sums and ratios of money differ from those of the period');
    expect(noticeText).not.toMatch(/latest visits of each|Compare the ratios/);
  });

  it('into more slices than one call may read is read in part, and the notice does not blame the time', async () => {
    const tracker = await startTracker(1);
    tracker.answer('stats', '{"campaign":[{"Views":"100000"}]}');
    tracker.answer('visitorstats', JSON.stringify([visits[0]]));
    const long = { start_date: '2025-06-10', end_date: '2026-06-09', by: ['device'] };
    const { noticeText } = await (await connected(tracker, 60_000)).ask(long);
    expect(noticeText).toMatch(/a call makes at most 200 requests/);
    expect(noticeText).not.toContain('no time');
  });
});

describe('a column that the visitor list lacks', () => {
  it('is left out and named', async () => {
    const { tables, noticeText } = await ask({ by: ['device'] }, undefined, ['Date', 'Device', 'Converted']);
    expect(tables[0]?.columns).toEqual(['Device', 'Views', 'Conversions']);
    expect(noticeText).toContain('has no clicks, cost and revenue, so these are left out');
  });

  it('is refused as a dimension, with the existing columns and tokens and the nearest of them', async () => {
    expect(await refused({ by: ['mach type'] })).toMatch(
      /no "mach type"; did you mean "Match type"\?.*Country.*“Match type” \(Extra1\)/s,
    );
  });

  it('may be a token, whose names could not be read for a given reason', async () => {
    const tracker = await startTracker();
    tracker.answer('campaign/list', '{"Status":"Error","Message":"not today"}');
    expect(await (await connected(tracker)).refusal({ by: ['Match type'] })).toMatch(
      /no "Match type".*Country.* The names of its tokens could not be read: .*“not today”/s,
    );
  });

  it('may be a token, whose names could not be read because a tool is not offered', async () => {
    const { url } = await startTracker();
    const { refusal } = await connect({ url, now, policy: { tools: ['get_breakdown'] } });
    expect(await refusal('get_breakdown', { ...days, by: ['Match type'] })).toMatch(
      /no "Match type".* The names of its tokens could not be read: list_campaigns .*not offered/s,
    );
  });

  it('is not suggested itself', async () => {
    const message = await refused({ by: ['device'] }, undefined, ['Date', 'Country']);
    expect(message).toContain('no "device"');
    expect(message).not.toContain('did you mean "device"');
  });

  it('is not needed by day, which takes a request per day: max 92 days', async () => {
    expect(await refused({ start_date: '2026-01-01', by: ['day'] })).toContain('92 days at most');
  });
});

it('the totals are of unrounded rows, and agree with the campaign report to the cent', async () => {
  const visit = { Date: '2026-06-10 10:00:00', Clicked: '0', Converted: '0', Revenue: '', Cost: '0.333' };
  const tracker = await startForeignTracker({
    stats: '{"campaign":[{"Views":"3","Clicks":"0","Conversions":"0","Cost":"1.00","Revenue":"0.00"}]}',
    visitorstats: JSON.stringify([1, 2, 3].map((index) => ({ ...visit, Device: `Device ${index}` }))),
  });
  const { ask } = await connected(tracker);
  const { records, tables, notices, noticeText } = await ask({ start_date: '2026-06-10', by: ['device'] });
  expect(records.map((row) => row['Cost'])).toEqual([0.33, 0.33, 0.33]);
  expect(tables[0]?.totals).toMatchObject({ Cost: 1, Profit: -1 });
  expect(records[0]).toMatchObject({ ROI: -100 });
  expect(tables[0]?.omitted_columns).toEqual(['CR', 'CPA', 'Revenue change %']);
  expect(noticeText).toContain('A ratio is empty, which is not 0, if there were no views, clicks, conversions or cost');
  expect(notices).toContain('A sale counts with its visit, whenever it came.');
});

it('by day begins with the first day that has data, which is said', async () => {
  const { records, noticeText } = await ask({ by: ['day'], start_date: '2026-05-30' });
  expect(records[0]).toMatchObject({ Day: '2026-06-03', Views: 40 });
  expect(records).toHaveLength(8);
  expect(noticeText).toContain('No data before 2026-06-03: earlier days have no row.');
  expect((await ask({ by: ['day'] })).noticeText).not.toContain('No data before');
});

it('a row without a value is called so in text and data, and is found as empty', async () => {
  const visit = { Date: '2026-06-10 10:00:00', Clicked: '0', Converted: '0', Revenue: '', Cost: '1' };
  const seen = [
    { ...visit, SubID: 'a', Offer: '', Country: 'DE' },
    { ...visit, SubID: 'b', Offer: 'First', Country: '' },
  ];
  const stats = '{"campaign":[{"Views":"2"}]}';
  const tracker = await startForeignTracker({ stats, visitorstats: JSON.stringify(seen), conversions: '[]' });
  const { client } = await connect({ url: tracker.url, now });
  const given = { ...days, by: ['offer', 'country'], where: [{ column: 'offer', op: 'empty' }] };
  const result = await client.callTool({ name: 'get_breakdown', arguments: given });
  expect(recordsOf(result.structuredContent as PresentedTables)).toMatchObject([
    { Offer: '(no offer reached)', Country: 'DE', Views: 1 },
  ]);
  expect(textOf(result as Parameters<typeof textOf>[0])).toContain('(no offer reached)\tDE');
});

describe('an offer', () => {
  const visit = { Date: '2026-06-09 10:00:00', Clicked: '1', Cost: '1' };
  const seen = [
    { ...visit, SubID: 'a', Offer: 'Second', Converted: '1', Revenue: '30' },
    { ...visit, SubID: 'b', Offer: 'Second', Converted: '1', Revenue: '5' },
    { ...visit, SubID: 'c', Offer: 'First', Converted: '0', Revenue: '' },
  ];
  const byOffer = async (conversions: string) => {
    const stats = '{"campaign":[{"Views":"3"}]}';
    const tracker = await startForeignTracker({ stats, visitorstats: JSON.stringify(seen), conversions });
    const { records } = await (await connected(tracker)).ask({ by: ['offer'] });
    return records.map(({ Offer, Views, Conversions, Revenue }) => [Offer, Views, Conversions, Revenue]);
  };

  it('has the sales that the conversion list books on it, even if the visitor clicked a different offer later', async () => {
    const sales = [
      { SubID: 'a', Offer: 'First', Revenue: '30' },
      { SubID: 'b', Offer: 'Second', Revenue: '5' },
    ];
    expect(await byOffer(JSON.stringify(sales))).toEqual([
      ['Second', 2, 1, 5],
      ['First', 1, 1, 30],
    ]);
  });

  it('is told with the visits that bought of several offers, whose sales it may have', async () => {
    const conversions = JSON.stringify([
      { SubID: 'a', Offer: 'Second', Revenue: '20' },
      { SubID: 'a', Offer: 'First', Revenue: '10' },
      { SubID: 'b', Offer: 'Second', Revenue: '5' },
      { SubID: 'of another day', Offer: 'First', Revenue: '5' },
      { SubID: 'of another day', Offer: 'Second', Revenue: '5' },
    ]);
    const stats = '{"campaign":[{"Views":"3"}]}';
    const tracker = await startForeignTracker({ stats, visitorstats: JSON.stringify(seen), conversions });
    const { ask } = await connected(tracker);
    expect((await ask({ by: ['offer'] })).noticeText).toContain(
      'The sales of 1 visit are of several offers, and all count under one of these.',
    );
    expect((await ask({ by: ['hour'] })).noticeText).not.toContain('several offers');
  });

  it('is told where the pages got other traffic than their shares give them, in one report more', async () => {
    const offers = [300, 100].map((Views, index) => ({
      ...{ PageID: `${index}`, Name: `Page ${index}`, Share: 50, Views, Clicks: 0, Conversions: 0, Revenue: 0 },
    }));
    const stats = ({ report = '' }) => ({
      body: report === 'offer' ? JSON.stringify({ offer: offers }) : '{"campaign":[{"Views":"3"}]}',
    });
    const tracker = await startForeignTracker({ stats, visitorstats: JSON.stringify(seen), conversions: '[]' });
    const { ask } = await connected(tracker);
    expect((await ask({ by: ['offer'] })).noticeText).toContain('“Page 0” got 75% and should get 50%');
    tracker.taken();
    expect((await ask({ by: ['day', 'country'] }).catch(String)).toString()).toContain('country');
    expect(tracker.taken().filter(({ path }) => path === '/api/stats/')).toHaveLength(1);
  });

  const unlisted = '{"Status":"Error","Message":"no such list"}';
  it.each([unlisted, '[]'])('has the sales of the visitor list if conversions are: %s', async (conversions) => {
    expect(await byOffer(conversions)).toEqual([
      ['Second', 2, 2, 35],
      ['First', 1, 0, 0],
    ]);
  });
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
    const output = textOf(result) + JSON.stringify(result.structuredContent);
    expect(output).toContain('Days are in the tracker’s own zone, which is not known: set TRACKER_TIMEZONE.');
    expect(output).not.toContain('UTC');
    const withZone = await connect({ context: { ...context, client, isZoneAssumed: false } });
    expect(textOf(await withZone.call(tool, given))).not.toContain('TRACKER_TIMEZONE');
  });
});
