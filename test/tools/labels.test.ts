import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../src/tools/present/outputs.ts';
import { connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

const campaign = {
  ID: '4',
  Name: 'Search',
  KeywordTokenName: 'Keyword',
  KeywordTokenParam: '{k}',
  ExtraTokenName1: 'Match type',
  ExtraTokenParam1: '{m}',
  ExtraTokenName2: 'Network',
  ExtraTokenParam2: '{n}',
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
const asked = () => tracker.taken().map(({ path }) => path);

describe('labels of token slots', () => {
  it.each([
    ['list_visitors', { campaign_id: 4, period: 'today' }],
    ['list_conversions', { campaign_id: 4, period: 'today' }],
  ])('follow the slots in %s, only for shown columns, and only if they say more than the slot', async (name, given) => {
    const { call } = await server();
    const result = await call(name, given);
    const [table] = (result.structuredContent as unknown as PresentedTables).tables;
    expect(table?.labels).toEqual({ Extra1: 'Match type' });
    expect(textOf(result)).toContain('Extra1 (Match type)');
  });

  it('cost no request if no Extra column is shown and filled, or visitors of all campaigns are listed', async () => {
    const { data } = await server();
    tracker.taken();
    const given = { period: 'today' };
    await data('list_visitors', { ...given, campaign_id: 4, columns: ['SubID', 'Extra2'] });
    await data('list_visitors', { ...given, campaign_id: 0 });
    expect(asked()).toEqual(['/api/visitorstats/', '/api/visitorstats/']);
    await data('list_visitors', { ...given, campaign_id: 4 });
    expect(asked()).toContain('/api/campaign/list/');
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
  it.each(['Match type', 'match TYPE', 'Extra1', 'extra1', 'Extra1 (Match type)'])(
    '%s names a column wherever a column is named',
    async (name) => {
      const { data } = await server();
      const { tables } = await data<PresentedTables>('get_stats', {
        campaign_id: 4,
        reports: ['target'],
        columns: [name, 'Views'],
        where: [{ column: name, op: '!=', value: 'phrase' }],
        sort_by: name,
      });
      expect(tables[0]?.columns).toEqual(['Extra1', 'Views']);
      expect(tables[0]?.rows).toEqual([
        ['exact', 7],
        ['broad', 9],
      ]);
    },
  );

  it.each([['MATCH type'], ['extra1'], ['Extra1']])('%s groups the target report by the slot', async (name) => {
    const { data } = await server();
    tracker.taken();
    const { query } = await data<PresentedTables>('get_stats', { campaign_id: 4, group_by: ['keyword', name] });
    expect(query['group_by']).toEqual(['Keyword', 'Extra1']);
    const request = tracker.taken().find(({ path }) => path === '/api/stats/');
    expect(Object.fromEntries(request?.parameters ?? [])['grcols']).toBe('Keyword,Extra1');
  });

  it('that does not exist is answered with the nearest one', async () => {
    const { refusal } = await server();
    const given = { campaign_id: 4, period: 'today' };
    expect(await refusal('list_visitors', { ...given, sort_by: 'mach type' })).toMatch(
      /no column "mach type"; did you mean "Match type"\?.*Extra1 \(“Match type”\)/s,
    );
    expect(await refusal('get_stats', { ...given, group_by: ['netwrk'] })).toMatch(
      /got "netwrk", did you mean "Network"\?.*Extra1 \(“Match type”\), Extra2 \(Network\)/s,
    );
    expect(await refusal('list_visitors', { ...given, columns: ['Subb ID'] })).toContain('did you mean "SubID"?');
  });
});

describe('list_campaigns', () => {
  it('leaves out the columns of tokens, and says which', async () => {
    const { data } = await server();
    const { tables, notices } = await data<PresentedTables>('list_campaigns');
    expect(tables[0]?.columns).toEqual(['ID', 'Name']);
    expect(tables[0]?.omitted_columns).toBeUndefined();
    expect(notices.join()).toMatch(/Left out unless named in columns: KeywordTokenName, .*ExtraTokenParam2\./);
  });

  it('shows those that are named', async () => {
    const { data } = await server();
    const { tables, notices } = await data<PresentedTables>('list_campaigns', { columns: ['ID', 'ExtraTokenName1'] });
    expect(tables[0]?.rows).toEqual([[4, 'Match type']]);
    expect(notices.join()).not.toContain('Left out');
  });
});
