import { expect, it } from 'vitest';
import { listVisits, quiet, simulateVisits, type Traits } from '../analysis/change/visits.ts';
import { connect } from '../support/connect.ts';
import { listRows, startForeignTracker } from '../support/foreign-tracker.ts';

const now = new Date('2026-11-16T00:00:00Z');
const networkOf: Readonly<Record<string, string>> = { Cash: 'Harbor', Gift: 'Meadow' };

it('names a silent network and a source without cost once each, with the campaigns that they are of and when it began', async () => {
  const trouble = (cost: number) => ({
    cost: () => cost,
    saleRate: ({ offer }: Traits & { offer: string }) => (offer === 'Cash' ? 0 : 0.12),
  });
  const visits = [0, 0, 0.05].flatMap((cost, index) => {
    const simulated = simulateVisits(trouble(cost), index + 1, { ...quiet, visits: 120 }, 12);
    const listed = listVisits(simulated, String(index + 1), now.getTime());
    return listed.map((visit) => ({ ...visit, OfferSource: networkOf[visit.Offer] }));
  });
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify(
      ['Push', 'Push', 'Search'].map((TrafficSource, index) => {
        return { ID: String(index + 1), Name: `Campaign ${index + 1}`, TrafficSource };
      }),
    ),
    conversions: '[]',
    visitorstats: ({ start = '', end = '' }) => ({
      body: JSON.stringify(visits.filter(({ Date: at }) => at.slice(0, 10) >= start && at.slice(0, 10) <= end)),
    }),
  });
  const { data } = await connect({ url: tracker.url, now: () => now, timeoutMs: 30_000 });
  const { findings } = await data<{ findings: object[] }>('review_account');
  expect(findings).toMatchObject([
    {
      ...{ kind: 'sales_stopped', campaign_id: 0, campaigns: [1, 2, 3], dimension: 'network', value: 'Harbor' },
      what: expect.stringMatching(
        /^network Harbor: clicks go on, sales stopped: 0, \d+ expected; in “Campaign 1”, “Campaign 2”, “Campaign 3”$/,
      ),
      began: expect.stringMatching(/^2026-11-1[34]/),
      changed: { figure: 'sales', after: 0 },
      next: { tool: 'explain_change', arguments: { campaign_id: 0 } },
    },
    {
      ...{ kind: 'cost_missing', campaign_id: 0, campaigns: [1, 2], dimension: 'traffic_source', value: 'Push' },
      what: expect.stringMatching(
        /^traffic source Push: no cost for \d+ visits in 2 days, .*“Campaign 1”, “Campaign 2”$/,
      ),
      began: '2026-11-14 00:00',
      next: { tool: 'get_breakdown', arguments: { by: ['traffic_source', 'day'] } },
    },
  ]);
});

it('names a call that works for clicks that stopped in all campaigns', async () => {
  const ids = ['1', '2', '3'];
  const visits = ids.flatMap((id) =>
    listVisits(simulateVisits({ clickRate: () => 0 }, Number(id), { ...quiet, visits: 300 }, 12), id, now.getTime()),
  );
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify(ids.map((ID) => ({ ID, Name: `Campaign ${ID}`, TrafficSource: `Source ${ID}` }))),
    conversions: '[]',
    visitorstats: listRows(visits),
    stats: '[]',
  });
  const { data } = await connect({ url: tracker.url, now: () => now, timeoutMs: 30_000 });
  interface Found {
    readonly kind: string;
    readonly next: { readonly tool: string; readonly arguments: Record<string, unknown> };
  }
  const { findings } = await data<{ findings: readonly Found[] }>('review_account');
  expect(findings).toEqual([expect.objectContaining({ kind: 'clicks_stopped', campaign_id: 0 })]);
  for (const { next } of findings) await data(next.tool, next.arguments);
});

it.each([
  [
    'in all campaigns, as one finding',
    [1, 2, 3],
    { campaign_id: 0, campaigns: [1, 2, 3], dimension: 'country', value: 'US' },
  ],
  ['in one campaign, as that campaign’s', [2], { campaign_id: 2, dimension: 'country', value: 'US' }],
])('tells a country that sells less %s', async (_, campaigns, expected) => {
  const trouble = { saleRate: ({ country }: Traits) => (country === 'US' ? 0.02 : 0.12) };
  const visits = [1, 2, 3].flatMap((id) => {
    const simulated = simulateVisits(campaigns.includes(id) ? trouble : {}, id, { ...quiet, visits: 1500 }, 11);
    return listVisits(simulated, String(id), now.getTime());
  });
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify([1, 2, 3].map((id) => ({ ID: String(id), Name: `Campaign ${id}` }))),
    conversions: '[]',
    stats: '[]',
    visitorstats: ({ start = '', end = '' }) => ({
      body: JSON.stringify(visits.filter(({ Date: at }) => at.slice(0, 10) >= start && at.slice(0, 10) <= end)),
    }),
  });
  const { data } = await connect({ url: tracker.url, now: () => now, timeoutMs: 30_000 });
  const { findings } = await data<{ findings: { kind: string }[] }>('review_account');
  expect(findings).toMatchObject([{ kind: 'sales_fell', ...expected }]);
});
