import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../src/tools/present/outputs.ts';
import { connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

const campaign = {
  ...{ ID: '4', Name: 'Search', KeywordTokenName: 'Keyword', KeywordTokenParam: '{k}' },
  ...{ ExtraTokenName1: 'Match type', ExtraTokenParam1: '{m}', ExtraTokenName2: 'Network', ExtraTokenParam2: '{n}' },
};
const visit = { SubID: 'ab_4_1', Keyword: 'shoes', Extra1: 'exact', Extra2: '', Cost: '0.10' };
const target = [
  { Extra1: 'exact', Extra2: 'display', Views: '7' },
  { Extra1: 'broad', Extra2: 'search', Views: '9' },
];
const tracker = await startForeignTracker({
  'campaign/list': JSON.stringify([campaign]),
  visitorstats: JSON.stringify([visit]),
  conversions: JSON.stringify([visit]),
  stats: JSON.stringify({ target }),
});
const server = () => connect({ url: tracker.url });
const today = { campaign_id: 4, period: 'today' };
const requested = () => tracker.taken().map(({ path }) => path);

describe('labels of token slots', () => {
  it.each(['list_visitors', 'list_conversions'])(
    'follow the slots in %s, only for shown columns, and only if they differ from the slot',
    async (name) => {
      const { call } = await server();
      const result = await call(name, today);
      const [table] = (result.structuredContent as unknown as PresentedTables).tables;
      expect(table?.labels).toEqual({ Extra1: 'Match type' });
      expect(textOf(result)).toContain('Extra1 (Match type)');
    },
  );

  it('cost no request for a list of all campaigns, or without a filled Extra column', async () => {
    const { data } = await server();
    tracker.taken();
    await data('list_visitors', { ...today, columns: ['SubID', 'Extra2'] });
    await data('list_visitors', { ...today, campaign_id: 0 });
    expect(requested()).toEqual(['/api/visitorstats/', '/api/visitorstats/']);
    await data('list_visitors', today);
    expect(requested()).toContain('/api/campaign/list/');
  });

  it('are left out if the tracker cannot list its campaigns', async () => {
    const silent = await startForeignTracker({
      'campaign/list': () => ({ status: 500, body: 'no' }),
      stats: JSON.stringify({ target }),
    });
    const { data } = await connect({ url: silent.url });
    const { tables } = await data<PresentedTables>('get_stats', { campaign_id: 4, reports: ['target'] });
    expect(tables[0]).toMatchObject({ total_rows: 2 });
    expect(tables[0]?.labels).toBeUndefined();
  });
});

describe('a label', () => {
  const labels = ['Match type', 'match TYPE', 'Extra1', 'extra1', 'Extra1 (Match type)'];

  it.each(labels)('%s names a column in columns, where and sort_by', async (name) => {
    const { data } = await server();
    const where = [{ column: name, op: '!=', value: 'phrase' }];
    const view = { columns: [name, 'Views'], where, sort_by: name };
    const { tables } = await data<PresentedTables>('get_stats', { campaign_id: 4, reports: ['target'], ...view });
    expect(tables[0]?.columns).toEqual(['Extra1', 'Views']);
    expect(tables[0]?.rows).toEqual([
      ['exact', 7],
      ['broad', 9],
    ]);
  });

  it.each(['MATCH type', 'extra1', 'Extra1'])('%s groups the target report by the slot', async (name) => {
    const { data } = await server();
    tracker.taken();
    const { query } = await data<PresentedTables>('get_stats', { campaign_id: 4, group_by: ['keyword', name] });
    expect(query['group_by']).toEqual(['Keyword', 'Extra1']);
    const request = tracker.taken().find(({ path }) => path === '/api/stats/');
    expect(Object.fromEntries(request?.parameters ?? [])['grcols']).toBe('Keyword,Extra1');
  });

  it('that does not exist gets an error with the nearest one', async () => {
    const { refusal } = await server();
    expect(await refusal('list_visitors', { ...today, sort_by: 'mach type' })).toMatch(
      /no column "mach type"; did you mean "Match type"\?.*Extra1 \(“Match type”\)/s,
    );
    expect(await refusal('get_stats', { ...today, group_by: ['netwrk'] })).toMatch(
      /got "netwrk", did you mean "Network"\?.*Extra1 \(“Match type”\), Extra2 \(Network\)/s,
    );
    expect(await refusal('list_visitors', { ...today, columns: ['Subb ID'] })).toContain('did you mean "SubID"?');
  });
});

describe('a part of a label, or the parameter of a token', () => {
  const tokens = {
    ...{ ExtraTokenName1: 'Ad zone ID', ExtraTokenParam1: '{placement_id}' },
    ...{ ExtraTokenName2: 'Ad format', ExtraTokenParam2: '{fmt}', ExtraTokenName3: 'Site format' },
  };
  const rows = ['a', 'a', 'b'].map((zone, index) => ({
    ...{ SubID: `ab_4_${index}`, CampaignID: '4', Date: '2026-11-19 10:00:00', IP: `192.0.2.${index}` },
    ...{ Extra1: zone, Extra2: 'wide', Cost: '0.10', Revenue: '0' },
  }));

  async function ask(args: object) {
    const own = await startForeignTracker({
      'campaign/list': JSON.stringify([{ ID: '4', Name: 'Search', ...tokens }]),
      visitorstats: JSON.stringify(rows),
      conversions: '[]',
      stats: JSON.stringify({ target: [{ Extra1: 'a', Views: '2' }], campaign: [{ Name: 'Search', Views: '3' }] }),
    });
    const connected = await connect({ url: own.url, now: () => new Date('2026-11-20T12:00:00Z') });
    const days = { start_date: '2026-11-19', end_date: '2026-11-19' };
    return { ...connected, own, given: { ...days, ...args } };
  }

  it.each([
    ['zone', 4],
    ['ID zone', 4],
    ['placement_id', 4],
    ['ad zone', 0],
    ['zone', 0],
  ])('%s names the slot in get_breakdown of campaign %d, which says so', async (by, campaign_id) => {
    const { data, given } = await ask({ ...(campaign_id ? { campaign_id } : {}), by: [by] });
    const { tables, notices } = await data<PresentedTables>('get_breakdown', given);
    expect(tables[0]?.rows.map(([zone, views]) => [zone, views])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(notices).toContain(`"${by}" is read as the token “Ad zone ID” (Extra1).`);
  });

  it.each(['format', 'format zone', 'id'])(
    '%s, which several tokens or none fit, is refused with the tokens',
    async (by) => {
      const { refusal, given } = await ask({ campaign_id: 4, by: [by] });
      expect(await refusal('get_breakdown', given)).toMatch(/no "[a-z ]+".*“Ad zone ID” \(Extra1\)/s);
    },
  );

  it('does not come before a column of the list', async () => {
    const { data, given } = await ask({ campaign_id: 4, by: ['ip'] });
    const { tables, notices } = await data<PresentedTables>('get_breakdown', given);
    expect(tables[0]?.total_rows).toBe(3);
    expect(notices.join()).not.toContain('is read as');
  });

  it('is taken in where of a list, and for the groups of a report', async () => {
    const { data, given, own } = await ask({ campaign_id: 4 });
    const where = [{ column: 'placement_id', op: '=', value: 'b' }];
    const { tables, notices } = await data<PresentedTables>('list_visitors', { ...given, where });
    expect(tables[0]?.total_rows).toBe(1);
    expect(notices).toContain('"placement_id" is read as the token “Ad zone ID” (Extra1).');
    own.taken();
    const { query } = await data<PresentedTables>('get_stats', { ...given, group_by: ['zone'] });
    expect(query['group_by']).toEqual(['Extra1']);
  });
});

describe('list_campaigns', () => {
  it('leaves out the columns of tokens, and names them', async () => {
    const { data } = await server();
    const { tables, notices } = await data<PresentedTables>('list_campaigns');
    expect(tables[0]?.columns).toEqual(['ID', 'Name']);
    expect(tables[0]?.omitted_columns).toBeUndefined();
    expect(notices.join()).toMatch(/Left out unless named in columns: KeywordTokenName, .*ExtraTokenParam2\./);
  });

  it('shows columns of tokens that the call names', async () => {
    const { data } = await server();
    const { tables, notices } = await data<PresentedTables>('list_campaigns', { columns: ['ID', 'ExtraTokenName1'] });
    expect(tables[0]?.rows).toEqual([[4, 'Match type']]);
    expect(notices.join()).not.toContain('Left out');
  });
});
