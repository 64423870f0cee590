import { describe, expect, it } from 'vitest';
import { connect } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

interface Row {
  readonly PageID: number;
  readonly Share: number;
  readonly Views: number;
  readonly Conversions: number;
}

interface Planned {
  readonly plan: Readonly<Record<string, number | string | null>>;
  readonly notices: readonly string[];
  readonly decision?: object;
}

/** A tracker whose days are all alike. */
async function start(rows: readonly Row[]) {
  const tracker = await startForeignTracker({
    conversions: '[]',
    stats: ({ start: first = '', end = '' }) => {
      const days = (Date.parse(end) - Date.parse(first)) / 86_400_000 + 1;
      const offers = rows.map((row) => ({
        ...{ PageID: row.PageID, Name: `Offer ${row.PageID}`, Share: row.Share },
        ...{ Views: row.Views * days, Conversions: row.Conversions * days, Revenue: row.Conversions * days * 20 },
      }));
      return { body: JSON.stringify({ data: { offers } }) };
    },
  });
  const { data, refusal } = await connect({ url: tracker.url, now: () => new Date('2026-11-20T12:00:00Z') });
  const asked = (plan: number, more: object = {}) => ({ campaign_id: 7, kind: 'offer', plan, ...more });
  return {
    plan: (lead: number, more?: object) => data<Planned>('compare_pages', asked(lead, more)),
    refused: (lead: number) => refusal('compare_pages', asked(lead)),
  };
}

const two = [
  { PageID: 1, Share: 50, Views: 1000, Conversions: 20 },
  { PageID: 2, Share: 50, Views: 1000, Conversions: 20 },
];

describe('the plan of a test', () => {
  it('says how many days a lead takes at today’s traffic', async () => {
    const { plan } = await start(two);
    const { plan: half, notices, decision } = await plan(50);
    expect(half).toMatchObject({ lead_percent: 50, pages: 2, views_per_day: 2000, conversions_per_100_views: 2 });
    expect(half['days']).toBeGreaterThanOrEqual(5);
    expect(half['days']).toBeLessThan(25);
    expect(half['days_low']).toBeLessThanOrEqual(Number(half['days']));
    expect(half['days_high']).toBeGreaterThan(Number(half['days']));
    expect(decision).toBeUndefined();
    expect(notices[0]).toMatch(
      /^To see clearly that one of these 2 offers (?:earns 50% more per view|converts 50% more often) takes about \d+ days at today’s traffic \(2000 views a day, 2 conversions per 100 views\); 8 in 10 such tests take between \d+ days and \d+ days\.$/,
    );
    expect(Number((await plan(25)).plan['days'])).toBeGreaterThan(2 * Number(half['days']));
  });

  it('says if no lead of this size can be seen within a year', async () => {
    const { plan } = await start(two);
    const { plan: tiny, notices } = await plan(1);
    expect(tiny['days']).toBeNull();
    expect(notices[0]).toContain('takes more than a year at today’s traffic');
  });

  it('says what equal shares would take where shares are uneven', async () => {
    const { plan } = await start([
      { PageID: 1, Share: 95, Views: 1900, Conversions: 38 },
      { PageID: 2, Share: 5, Views: 100, Conversions: 2 },
    ]);
    const { plan: uneven } = await plan(50);
    expect(Number(uneven['days'])).toBeGreaterThan(2 * Number(uneven['days_if_shares_are_equal']));
  });

  it('is made for a page that has no rival yet, or one without visits', async () => {
    const alone = await start([{ PageID: 1, Share: 100, Views: 2000, Conversions: 40 }]);
    const { plan: single, notices } = await alone.plan(50);
    expect(single).toMatchObject({ pages: 2, views_per_day: 2000 });
    expect(notices[0]).toContain('a second page that gets half of the traffic');
    const fresh = await start([
      { PageID: 1, Share: 50, Views: 2000, Conversions: 40 },
      { PageID: 2, Share: 50, Views: 0, Conversions: 0 },
    ]);
    expect((await fresh.plan(50)).plan['days']).toBe(single['days']);
  });

  it('is refused without conversions', async () => {
    const { refused } = await start([{ PageID: 1, Share: 100, Views: 100, Conversions: 0 }]);
    expect(await refused(20)).toContain('had 1,400 views and no conversion in this period');
  });
});
