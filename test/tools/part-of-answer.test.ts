import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/tools/catalogue.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { givenTo } from '../support/specified.ts';
import { answersWith } from '../support/strangers.ts';

const days = { start_date: '2026-11-01', end_date: '2026-11-03' };
const ofCampaign: Readonly<Record<string, object>> = {
  get_breakdown: { by: ['country'] },
  check_tracking: { campaign_id: 7, ...days },
  explain_change: { campaign_id: 7, ...days },
};

/** They ask for no rows. */
const withoutRows = new Set(['list_changes', 'undo_change', 'get_proposal', 'lookup_subid']);

/** Whether the answer to a call says that it lacks rows, as a note, a missing day, or in a refusal. */
const saysPart = (answer: unknown) =>
  /which says that there are more|lacks rows|not (?:all )?read|cut off|not whole|only a part/i.test(
    JSON.stringify(answer),
  );

async function connectTo(answers: Readonly<Record<string, unknown>>) {
  const tracker = await startForeignTracker({});
  for (const [path, answer] of Object.entries(answers)) tracker.answer(path, JSON.stringify(answer));
  return { tracker, ...(await connect({ url: tracker.url })) };
}

describe('an answer that says that it is one page of several', () => {
  const tools = catalogue.map(({ name }) => name).filter((name) => !withoutRows.has(name) && !/^add_/.test(name));

  it.each(tools)('is told as a part by %s', async (name) => {
    const paged = Object.entries(answersWith('Night')).map(([path, answer]) => [
      path,
      { has_more: true, ...(answer as object) },
    ]);
    const { call } = await connectTo(Object.fromEntries(paged));
    if (name === 'query_report') await call('list_campaigns');
    const given = { ...givenTo(name, { dryRun: true }), ...ofCampaign[name] };
    expect(await call(name, given)).toSatisfy(saysPart);
  });

  const rows = [
    { ID: '1', Name: 'One', Views: '5' },
    { ID: '2', Name: 'Two', Views: '7' },
  ];
  const noteFor = async (more: object) => {
    const { data } = await connectTo({ 'campaign/list': { ...more, Rows: rows } });
    const { notices } = await data<{ readonly notices: readonly string[] }>('list_campaigns');
    return notices.find((notice) => notice.startsWith('Not all rows'));
  };

  it.each([
    { pages: 9 },
    { has_more: 'true' },
    { HasMore: 1 },
    { next: 'https://tracker.example/api/campaign/list/?page=2' },
    { next_cursor: 'b2Zmc2V0' },
    { total: 900 },
    { total_count: '3' },
    { page: 2 },
    { offset: 100 },
    { page: 1, per_page: 2 },
    { truncated: true },
    { is_last_page: false },
    { pagination: { current_page: 1, last_page: 9 } },
    { meta: { pagination: { total: 900, count: 2 } } },
    { links: { next: '/api/?page=2', prev: null } },
    { _links: [{ rel: 'next', href: '/api/?page=2' }] },
    { _links: { self: { href: '/api/' }, next: { href: '/api/?page=2' } } },
    { page: '1/9' },
    { info: 'Showing 1 to 2 of 900 entries' },
    { recordsTotal: 900, recordsFiltered: 900 },
    { total: { value: 900, relation: 'eq' } },
    { page: { current: 1, total: 9 } },
    { pageInfo: { hasNextPage: true } },
    { total: '900 rows' },
    { returned: 2, available: 900 },
    { message: 'Only the first 2 rows are shown' },
    { warning: 'Result limited to 2 rows' },
  ])('may say it as %j', async (more) => {
    expect(await noteFor(more)).toContain('2 rows of campaigns');
  });

  it.each([
    {},
    { total: 2, page: 1, pages: 1 },
    { count: '2' },
    { total: 12 },
    { has_more: false, next: null, limit: 2 },
    { limit: 1000 },
    { next: '' },
    { page: 1, per_page: 50, total: 2 },
    { links: { next: null, prev: null } },
    { _links: { self: { href: '/api/' }, next: { href: '' } } },
    { info: 'Showing 1 to 2 of 2 entries' },
    { message: 'Only active campaigns are shown' },
    { result: { code: 0, message: 'first call' } },
    { generated: '2026-11-20', version: 3, duration: 9, code: 200 },
  ])('is whole with %j', async (more) => {
    expect(await noteFor(more)).toBeUndefined();
  });

  it.each<[name: string, value: string, isPart: boolean]>([
    ['x-total-count', '900', true],
    ['X-Has-More', 'true', true],
    [
      'link',
      '<https://tracker.example/api/?page=2>; rel="next", <https://tracker.example/api/?page=9>; rel="last"',
      true,
    ],
    ['content-range', 'items 0-1/900', true],
    ['x-total-count', '2', false],
    ['link', '</api/?page=1>; rel="prev"', false],
    ['content-range', 'items 0-1/2', false],
    ['content-range', 'items 0-1/*', false],
    ['x-ratelimit-limit', '2', false],
    ['x-request-id', '900', false],
  ])('may say it in the header %s: %s', async (name, value, isPart) => {
    const tracker = await startForeignTracker({});
    tracker.answer('campaign/list', () => ({ body: JSON.stringify(rows), headers: { [name]: value } }));
    const { data } = await connect({ url: tracker.url });
    const { notices } = await data<{ readonly notices: readonly string[] }>('list_campaigns');
    expect(notices.some((notice) => notice.startsWith('Not all rows'))).toBe(isPart);
  });

  it('may say it behind its rows, or in a record beside reports', async () => {
    const offer = [{ PageID: '1', Name: 'Keto', Views: '5', Conversions: '1', Revenue: '2' }];
    for (const body of [
      `${JSON.stringify({ offer })}{"total":900}`,
      JSON.stringify({ data: { offer, pageInfo: { hasNextPage: true } } }),
    ]) {
      const tracker = await startForeignTracker({ stats: body });
      const { call } = await connect({ url: tracker.url });
      expect(await call('compare_pages', { campaign_id: 1, kind: 'offer', ...days })).toSatisfy(saysPart);
    }
  });

  it('is said before what could be an empty account', async () => {
    const { data, refusal } = await connectTo({
      'campaign/list': { Rows: [], total: 3 },
      stats: '[]',
      conversions: [],
    });
    expect((await data<{ notices: string[] }>('get_overview')).notices[0]).toBe(
      'Not all rows: the tracker sent 0 rows of campaigns (total = 3), which says that there are more. All figures, totals and findings are of what came alone.',
    );
    expect(await refusal('get_stats', { campaign_id: 'Boots' })).toContain('which says that there are more');
  });

  it('is read to the end where days can be asked for alone', async () => {
    const tracker = await startForeignTracker({
      'campaign/list': JSON.stringify(rows),
      stats: JSON.stringify({ campaign: [{ Views: '12' }] }),
      conversions: '[]',
      visitorstats: ({ start = '', end = '' }) => {
        const visits = ['2026-11-01', '2026-11-02', '2026-11-03']
          .filter((day) => day >= start && day <= end)
          .flatMap((day) =>
            [1, 2, 3, 4].map((id) => ({ SubID: `a_1_${day.slice(8)}${id}`, Date: day, Country: 'US' })),
          );
        return { body: JSON.stringify({ rows: visits.slice(0, 5), total: visits.length }) };
      },
    });
    const { data } = await connect({ url: tracker.url });
    const given = { campaign_id: 1, by: ['country'], ...days };
    const { tables, notices } = await data<{ tables: { rows: unknown[][] }[]; notices: string[] }>(
      'get_breakdown',
      given,
    );
    expect(tables[0]?.rows[0]?.slice(0, 2)).toEqual(['US', 12]);
    expect(notices.join()).not.toContain('Not all rows');
  });
});

describe('rows that come with a complaint', () => {
  const complaints = [
    { error: 'Report timed out' },
    { errors: ['Timeout on shard 3'] },
    { success: false },
    { Status: 'Warning', Message: 'Data incomplete' },
    { warning: 'Data incomplete' },
    { code: 500, message: 'Internal' },
  ];

  it.each(['get_overview', 'get_breakdown', 'compare_pages', 'list_campaigns', 'explain_change'])(
    'are told with it by %s',
    async (name) => {
      const answers = Object.entries(answersWith('Night')).map(([path, answer]) => [
        path,
        { error: 'Report timed out', ...(answer as object) },
      ]);
      const { call } = await connectTo(Object.fromEntries(answers));
      const given = { ...givenTo(name, { dryRun: true }), ...ofCampaign[name] };
      expect(JSON.stringify(await call(name, given))).toContain('error = “Report timed out”');
    },
  );

  const noteBeside = async (more: object) => {
    const { data } = await connectTo({ 'campaign/list': { ...more, Rows: [{ ID: '1', Name: 'One' }] } });
    const { notices } = await data<{ readonly notices: readonly string[] }>('list_campaigns');
    return notices.find((notice) => notice.startsWith('Perhaps not all rows'));
  };

  it.each(complaints)('may be a part: %j', async (complaint) => {
    expect(await noteBeside(complaint)).toMatch(
      /sent 1 row of campaigns \(.*\), which says that something went wrong\./,
    );
  });

  it.each([{ error: '' }, { errors: [] }, { error: 'none' }, { code: 200 }, { warnings: [] }, { Status: 'Done' }])(
    'of nothing are whole: %j',
    async (fields) => {
      expect(await noteBeside(fields)).toBeUndefined();
    },
  );
});
