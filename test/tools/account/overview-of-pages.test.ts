import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { recordsOf } from '../../support/answers.ts';
import { connect, textOf } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

const campaigns = [
  { ID: '1', Name: 'Search', TrafficSource: 'Lighthouse', Inactive: '0' },
  { ID: '2', Name: 'Native', TrafficSource: 'Harbor', Inactive: '0' },
];

const sums = (views: number, conversions: number, revenue: string) => ({
  ...{ Views: String(views), Clicks: String(views / 2), Conversions: String(conversions), Revenue: revenue },
});

const pagesOf: Readonly<Record<string, Readonly<Record<'landing' | 'offer', readonly object[]>>>> = {
  1: {
    landing: [
      { PageID: '1', Name: 'Quiz', Level: '1', Share: '100', Inactive: '0', ...sums(100, 4, '40.10') },
      { PageID: '2', Name: 'Story', Level: '2', Share: '50', Inactive: '0', ...sums(60, 4, '40.10') },
    ],
    offer: [
      { PageID: '3', OfferID: '9', Name: 'FitTrack', Path: '1', Share: '30', Inactive: '0', ...sums(40, 3, '30.10') },
      { PageID: '4', OfferID: '8', Name: 'Home gym', Path: '1', Share: '90', Inactive: '0', ...sums(20, 1, '10.00') },
      { PageID: '5', OfferID: '7', Name: 'Old one', Path: '1', Share: '50', Inactive: '1', ...sums(0, 0, '0') },
    ],
  },
  2: {
    landing: [],
    offer: [{ PageID: '1', OfferID: '9', Name: 'FitTrack US', Path: '1', Share: '100', ...sums(200, 5, '50.00') }],
  },
};

const lists = {
  visitorstats: JSON.stringify([
    { Date: '2026-06-08', CampaignID: '1', Offer: 'FitTrack', OfferSource: 'Summit' },
    { Date: '2026-06-08', CampaignID: '2', Offer: 'FitTrack US', OfferSource: 'Summit' },
  ]),
  conversions: JSON.stringify([{ CampaignID: '1', Offer: 'Home gym', OfferSource: 'Meadow', Revenue: '10.00' }]),
};

const firstDay = '2026-06-03';

/** @param change changes each row of pages */
async function start(change: (page: object) => object = (page) => page, listed: typeof lists = lists) {
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify(campaigns),
    stats: ({ camp = '', report = '', start: from = '' }) => {
      const pages = from < firstDay ? pagesOf['2'] : pagesOf[camp];
      const reports = Object.entries(pages ?? {})
        .filter(([kind]) => report.split(',').includes(kind))
        .map(([kind, rows]) => [kind, rows.map(change)] as const);
      const campaign = [{ ID: camp, Views: '100', Cost: '5' }];
      return { body: JSON.stringify({ Reports: { campaign, ...Object.fromEntries(reports) } }) };
    },
    ...listed,
  });
  const connection = await connect({ url: tracker.url, now: () => new Date('2026-06-10T12:00:00Z') });
  /** The overview, with its rows by column and its notices as one text. */
  const ask = async (given: Readonly<Record<string, unknown>>) => {
    const overview = await connection.data<PresentedTables>('get_overview', given);
    return { ...overview, records: recordsOf(overview), noticeText: overview.notices.join(' ') };
  };
  return { ...connection, tracker, ask };
}

const { data, call, tracker, ask } = await start();

describe('the pages of the account', () => {
  it('are a row each, with the arguments of a change and the part of the traffic', async () => {
    const { records, noticeText } = await ask({ by: 'page' });
    expect(records).toHaveLength(6);
    expect(records.find((row) => row['Page'] === 'FitTrack')).toEqual({
      ...{ 'Campaign ID': 1, Campaign: 'Search', 'Campaign active': 'yes' },
      ...{ 'Page ID': 3, Page: 'FitTrack', Kind: 'offer', Network: 'Summit', Group: 'path 1', Share: 30 },
      ...{ 'Traffic %': 25, 'Page active': 'yes', Views: 40, Clicks: 20, Conversions: 3, Revenue: 30.1, EPV: 0.7525 },
    });
    const old = records.find((row) => row['Page'] === 'Old one');
    expect(old).toMatchObject({ 'Page active': 'no', 'Traffic %': 0, Network: null });
    expect(noticeText).toMatch(/a page without traffic may be missing/);
    expect(noticeText).toMatch(/1 offer pages are in neither/);
  });

  it('of one network are found in every rotation by one call', async () => {
    const where = [{ column: 'Network', op: '=', value: 'summit' }];
    const { records, tables } = await ask({ by: 'page', where });
    expect(records.map((row) => `${row['Campaign ID']}/${row['Page ID']}`)).toEqual(['2/1', '1/3']);
    expect(tables[0]?.totals).toMatchObject({ Views: 240, Conversions: 8, Revenue: 80.1, EPV: 0.3337 });
  });

  it('have no totals if a visit is in several rows, and a notice explains how to get totals', async () => {
    const { tables, noticeText } = await ask({ by: 'page' });
    expect(tables[0]?.totals).toBeUndefined();
    expect(noticeText).toContain('With where on Kind = offer there are totals');
    const landingPages = await ask({ by: 'landing_page' });
    expect(landingPages.tables[0]?.totals).toBeUndefined();
    expect(landingPages.noticeText).toContain('No totals: a visit counts at its landing page of each level.');
  });

  it('have totals if pages of different kinds are of different campaigns', async () => {
    const where = [{ column: 'Page', op: 'in', value: ['Quiz', 'FitTrack US'] }];
    const { tables, noticeText } = await ask({ by: 'page', where });
    expect(tables[0]?.totals).toMatchObject({ Views: 300, Revenue: 90.1 });
    expect(noticeText).not.toContain('No totals');
  });

  it('come with the campaign report in one request, and are not compared by default', async () => {
    const { tables } = await ask({ by: 'offer' });
    const reports = tracker.taken().filter(({ path }) => path === '/api/stats/');
    expect(reports.map(({ parameters }) => new Map(parameters).get('report'))).toEqual(Array(2).fill('campaign,offer'));
    expect(tables[0]?.columns).not.toContain('Views before');
  });

  it('that had traffic only before are in a comparison', async () => {
    const { records } = await ask({ by: 'page', compare_to: 'previous', campaign_ids: [1] });
    const gone = records.find((row) => row['Page'] === 'FitTrack US');
    expect(gone).toMatchObject({ Views: 0, Revenue: 0, 'Revenue before': 50, 'Traffic %': null });
    const same = records.find((row) => row['Page'] === 'Quiz');
    expect(same).toMatchObject({ Views: 100, 'Views before': 0, 'Revenue before': 0 });
  });

  it('of chosen campaigns are read from these campaigns alone', async () => {
    const where = [{ column: 'Traffic source', op: '=', value: 'Harbor' }];
    expect((await ask({ by: 'page', where })).records.map((row) => row['Campaign'])).toEqual(['Native']);
  });
});

it('pages of a campaign that links directly to offers are one group, which their part of the traffic is of', async () => {
  const type = 'Direct Link and Landing Page';
  tracker.answer('campaign/list', JSON.stringify(campaigns.map((campaign) => ({ ...campaign, Type: type }))));
  tracker.answer('visitorstats', JSON.stringify([{ Date: '2026-06-08', LandingPage: '', Offer: 'FitTrack' }]));
  const direct = await connect({ url: tracker.url, now: () => new Date('2026-06-10T12:00:00Z') });
  const rows = recordsOf(await direct.data<PresentedTables>('get_overview', { by: 'page', campaign_ids: [1] }));
  // 100 and 50 of landing pages, 30 and 90 of offers.
  expect(rows.find((row) => row['Page'] === 'FitTrack')).toMatchObject({
    ...{ Group: 'landing pages and offers', Share: 30, 'Traffic %': 11.1 },
  });
  tracker.answer('campaign/list', JSON.stringify(campaigns));
  tracker.answer('visitorstats', lists.visitorstats);
});

describe('the columns of campaigns', () => {
  it('may be named as in either table, where it is clear which is meant', async () => {
    const { records } = await ask({
      by: 'campaign',
      sort_by: 'Campaign ID',
      sort_order: 'asc',
      columns: ['Campaign', 'Views'],
    });
    expect(records.map((row) => row['Name'])).toEqual(['Search', 'Native']);
    const where = [{ column: 'Campaign ID', op: '=', value: 2 }];
    expect((await ask({ by: 'campaign', where })).records.map((row) => row['ID'])).toEqual([2]);
    // A page has a name and an ID of its own.
    expect((await call('get_overview', { by: 'page', sort_by: 'ID' })).isError).toBe(true);
  });
});

describe('offers, landing pages and networks', () => {
  it.each([
    ['offer', ['Offer ID', 9], { Campaigns: 2, Network: 'Summit', Views: 240, Revenue: 80.1, EPV: 0.3337 }],
    ['network', ['Network', 'Summit'], { Offers: 1, Campaigns: 2, Views: 240, Conversions: 8 }],
    ['landing_page', ['Landing page', 'Quiz'], { Campaigns: 1, Views: 100, Revenue: 40.1 }],
  ] as const)('are added up over campaigns: %s', async (by, [column, value], expected) => {
    expect((await ask({ by })).records.find((row) => row[column] === value)).toMatchObject(expected);
  });

  it('of offers and networks leave out visits that reached no offer, and say so', async () => {
    const costly = await start((page) => ({ ...page, Cost: '2.00' }));
    const notice = 'Visits that reached no offer are in no row, and neither is their cost';
    for (const by of ['offer', 'network']) expect((await costly.ask({ by })).noticeText).toContain(notice);
    const where = [{ column: 'Kind', op: '=', value: 'offer' }];
    expect((await costly.ask({ by: 'page', where })).noticeText).toContain(notice);
    for (const by of ['campaign', 'landing_page', 'page'])
      expect((await costly.ask({ by })).noticeText).not.toContain(notice);
    expect((await ask({ by: 'network' })).noticeText).not.toContain(notice);
  });

  it('are distinguished by name if they have no IDs of predefined records', async () => {
    const named = await start(({ OfferID: _, ...page }: { OfferID?: string }) => page);
    const { records, tables } = await named.ask({ by: 'offer' });
    expect(records.map((row) => row['Offer'])).toEqual(['FitTrack US', 'FitTrack', 'Home gym', 'Old one']);
    expect(tables[0]?.totals).toMatchObject({ Views: 260, Revenue: 90.1 });
  });

  it('have the network of the report, without a list', async () => {
    const inReport = await start((page) => ({ ...page, OfferSource: 'In-house' }));
    const { records } = await inReport.ask({ by: 'network' });
    expect(records).toMatchObject([{ Network: 'In-house', Campaigns: 2, Views: 260 }]);
    expect(inReport.tracker.taken().map(({ path }) => path)).not.toContain('/api/visitorstats/');
  });

  it('have no network if no list names one', async () => {
    const refused = '{"Status":"Error","Message":"Unknown campaign"}';
    const unnamed = await start(undefined, { visitorstats: refused, conversions: refused });
    const { records, noticeText } = await unnamed.ask({ by: 'network' });
    expect(records).toMatchObject([{ Network: '(no network)', Views: 260 }]);
    expect(noticeText).toContain('4 offer pages are in neither, so their network is empty');
  });

  it('are in the text with their totals', async () => {
    expect(textOf(await call('get_overview', { by: 'network' }))).toMatch(/networks: rows.*Summit\t1\t2\t240.*totals/s);
  });
});

it('the pages can be joined with a breakdown by query_report', async () => {
  const listed = ['FitTrack', 'Home gym'].map((Offer) => ({
    Date: '2026-06-08',
    CampaignID: '1',
    Offer,
    OfferSource: 'Summit',
  }));
  tracker.answer('visitorstats', JSON.stringify(listed));
  await ask({ by: 'page' });
  const days = { start_date: '2026-06-08', end_date: '2026-06-09' };
  const { notices } = await data<PresentedTables>('get_breakdown', { campaign_id: 1, by: ['offer'], ...days });
  expect(notices.join(' ')).toMatch(/For query_report: breakdown is r\d+/);
  const sql =
    'SELECT "Page ID" FROM overview JOIN breakdown ON "Page" = "Offer" WHERE "Campaign ID" = 1 AND "Network" = \'Summit\'';
  expect((await data<PresentedTables>('query_report', { sql })).tables[0]?.rows).toEqual([[3]]);
});

it.each<[string, (page: object) => object]>([
  ['nested too deep to be read', (page) => ({ cells: Object.entries(page) })],
  [
    'under names that are not known',
    (page) => Object.fromEntries(Object.entries(page).map(([name, cell]) => [`t:${name}`, cell])),
  ],
])('figures %s are refused and not called empty', async (_, change) => {
  const { refusal } = await start(change);
  expect(await refusal('get_overview', { by: 'offer' })).toContain('no column that is known to hold figures');
});

it('of two columns for one figure the first counts', async () => {
  const twice = await start((page) => ({ ...page, views: '1' }));
  expect((await twice.ask({ by: 'offer' })).tables[0]?.totals).toMatchObject({ Views: 260 });
});

it('rows under no name of a report are refused and not called none', async () => {
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify(campaigns),
    stats: JSON.stringify([{ Name: 'FitTrack', Views: '40' }]),
  });
  const { refusal } = await connect({ url: tracker.url });
  expect(await refusal('get_overview', { by: 'offer' })).toContain('which of its reports they are');
  expect(await refusal('set_shares', { campaign_id: '1', shares: [{ page_id: 3, share: 5 }] })).toContain(
    'which of its reports they are',
  );
});
