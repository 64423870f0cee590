import { expect, it } from 'vitest';
import { connect } from '../../support/connect.ts';
import { listRows, startForeignTracker } from '../../support/foreign-tracker.ts';

const dayMs = 86_400_000;
const now = () => new Date('2026-11-16T10:00:00Z');
const dayOf = (index: number) => new Date(Date.parse('2026-11-15') - index * dayMs).toISOString().slice(0, 10);

/** Two campaigns with 50 views a day in their reports; the list of visitors has 50 of one, and 30 of the other. */
const visits = Array.from({ length: 16 }, (_, day) => dayOf(day)).flatMap((day) =>
  Array.from({ length: 80 }, (_, index) => ({
    Date: `${day} ${String(23 - Math.floor(index / 4)).padStart(2, '0')}:00:00`,
    SubID: `s_${index < 50 ? 1 : 2}_${day}${index}`,
    CampaignID: index < 50 ? '1' : '2',
    Country: 'DE',
    Clicked: index % 2 === 0 ? '1' : '0',
    Converted: '0',
    Revenue: '0.00',
    Cost: '0.10',
  })),
);

async function connectTo() {
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify([
      { ID: '1', Name: 'Whole' },
      { ID: '2', Name: 'Cut' },
    ]),
    stats: ({ start = '', end = '' }) => {
      const views = String((1 + (Date.parse(end) - Date.parse(start)) / dayMs) * 50);
      return { body: JSON.stringify([{ Views: views, Clicks: '9', Conversions: '0', Cost: '5.00', Revenue: '0.00' }]) };
    },
    visitorstats: listRows(visits),
    conversions: '[]',
  });
  const reports = () => tracker.taken().filter(({ path }) => path === '/api/stats/').length;
  return { ...(await connect({ url: tracker.url, now })), reports };
}

interface Said {
  notices: string[];
  could_not_see: string[];
}

const only = (listed: number, reported: number) =>
  `Only ${listed} of the ${reported} views in the campaign reports are in the list of visitors (2 “Cut”): what happened in the others is not seen.`;

it('explain_change says first which campaign’s visits are not all listed, if their reports were read before', async () => {
  const { data, reports } = await connectTo();
  const unknown = await data<Said>('explain_change', {});
  expect(unknown.notices.join()).not.toContain('in the campaign reports');
  expect(reports()).toBe(2);
  await data('get_overview', {});
  expect(reports()).toBeGreaterThan(0);
  const { notices } = await data<Said>('explain_change', {});
  expect(notices).toContain(only(2 * 7 * 30, 2 * 7 * 50));
  expect(reports()).toBe(0);
});

it('explain_change of one campaign compares its two reports', async () => {
  const { data, reports } = await connectTo();
  const { notices } = await data<Said>('explain_change', { campaign_id: 2 });
  expect(notices.join()).toContain('Only 420 of the 700 views in the campaign reports are in the list of visitors:');
  expect(reports()).toBe(2);
  const whole = await data<Said>('explain_change', { campaign_id: 1 });
  expect(whole.notices.join()).not.toContain('in the campaign reports');
});

it('a day whose last hours are left out, as today has none of them yet, is compared whole with its report', async () => {
  const { data } = await connectTo();
  const { notices } = await data<Said>('explain_change', { campaign_id: 1, start_date: '2026-11-15' });
  expect(notices.join()).toContain('the hours before 10:00 are compared');
  expect(notices.join()).not.toContain('in the campaign reports');
});

it('review_account says it where an earlier call has read the reports of its days', async () => {
  const { data, reports } = await connectTo();
  await data('get_overview', { start_date: '2026-11-01', end_date: '2026-11-15', compare_to: 'none' });
  expect(reports()).toBeGreaterThan(0);
  const { could_not_see: unseen } = await data<Said>('review_account', {});
  expect(unseen[0]).toBe(only(15 * 30, 15 * 50));
  expect(reports()).toBe(1);
});
