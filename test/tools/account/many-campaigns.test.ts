import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { connect } from '../../support/connect.ts';
import { listRows, startForeignTracker } from '../../support/foreign-tracker.ts';

const campaignsUpTo = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ID: String(index + 1), Name: `C${index + 1}` }));
const refusal = '{"Status":"Error","Message":"Unknown campaign"}';
const refused = { visitorstats: refusal, conversions: refusal };

type Answers = Parameters<typeof startForeignTracker>[0];

async function ask(answers: Answers, given: Readonly<Record<string, unknown>> = {}, timeoutMs = 120_000) {
  const tracker = await startForeignTracker(answers);
  const { data } = await connect({ url: tracker.url, timeoutMs, now: () => new Date('2026-06-10T12:00:00Z') });
  tracker.taken();
  const { tables, notices } = await data<PresentedTables>('get_overview', given);
  const requests = tracker.taken();
  const reports = requests.filter(({ path }) => path === '/api/stats/');
  const asked = reports.map(({ parameters }) => new Map(parameters).get('camp') ?? '');
  return { table: tables[0], notices, noticeText: notices.join(' '), requests, asked };
}

describe('if 60 of 500 campaigns have traffic,', () => {
  const all = campaignsUpTo(500);
  const busy = all.filter((_, index) => index % 8 === 3).slice(0, 60);
  const days = Array.from({ length: 14 }, (_, index) =>
    new Date(Date.UTC(2026, 4, 27 + index)).toISOString().slice(0, 10),
  );
  const visits = days.flatMap((day) =>
    Array.from({ length: 5 }, () => busy.map(({ ID }) => ({ Date: `${day} 10:00:00`, CampaignID: ID }))).flat(),
  );

  /** @param cap max rows of a list; 0 if the tracker refuses lists of all campaigns */
  const askCapped = (cap: number, given?: Readonly<Record<string, unknown>>, campaigns = all) =>
    ask(
      {
        'campaign/list': JSON.stringify(campaigns),
        visitorstats:
          cap > 0 ? (asked) => listRows(visits.toReversed(), Math.min(cap, Number(asked['rec'])))(asked) : refusal,
        conversions: cap > 0 ? '[]' : refusal,
        stats: ({ camp = '', start = '', end = '' }) => {
          const isBusy = busy.some(({ ID }) => ID === camp);
          const count = isBusy ? 5 * days.filter((day) => day >= start && day <= end).length : 0;
          return { body: JSON.stringify([{ Views: String(count), Cost: '0.00', Revenue: '0.00' }]) };
        },
      },
      given,
    );

  it.each([50_000, 10_000, 1000])('lists of %d rows take at most 1.2 times the requests for these', async (cap) => {
    const { table, requests } = await askCapped(cap);
    expect(table).toMatchObject({ total_rows: 500, totals: { Views: 2100, 'Views before': 2100 } });
    const needed = 1 + busy.length * 2;
    expect(requests.length).toBeLessThanOrEqual(1.2 * needed);
  });

  it('a condition on names is applied before anything else is read', async () => {
    const where = [{ column: 'Name', op: 'starts_with', value: 'C40' }];
    const { table, requests } = await askCapped(50_000, { where });
    expect(table).toMatchObject({ total_rows: 11 });
    // One more reads how late sales come.
    expect(requests.filter(({ path }) => path !== '/api/campaign/list/')).toHaveLength(23);
  });

  it.each([100, 0])('lists of %d rows mean that all campaigns are read, first those with traffic', async (cap) => {
    const { table, noticeText, asked } = await askCapped(cap, {}, all.slice(0, 120));
    expect(table).toMatchObject({ total_rows: 120, totals: { Views: 525, 'Views before': 525 } });
    expect(new Set(asked).size).toBe(120);
    if (cap > 0) expect(busy.map(({ ID }) => ID)).toEqual(expect.arrayContaining(asked.slice(0, 20)));
    expect(noticeText.includes('cannot be read, so the report of each campaign is read')).toBe(cap === 0);
  });
});

describe('lists of all visitors and conversions', () => {
  const busy = ['150', '20', '99'];
  const visits = [...busy, ...busy].map((id) => ({ Date: '2026-06-08 10:00:00', CampaignID: id }));
  const listed = { visitorstats: JSON.stringify(visits), conversions: '[]' };

  /** @param more views of campaign 20 that the lists do not have */
  const askListed = (lists: typeof listed, more = 0) =>
    ask({
      'campaign/list': JSON.stringify(campaignsUpTo(200)),
      stats: ({ camp = '', start = '' }) => {
        const hasTraffic = busy.includes(camp) && start >= '2026-06-03';
        const views = hasTraffic ? 2 + (camp === '20' ? more : 0) : 0;
        return { body: JSON.stringify([{ Views: String(views), Revenue: hasTraffic ? '1' : '0' }]) };
      },
      ...lists,
    });

  it('spare campaigns without traffic, and put campaigns with most visits first', async () => {
    const conversions = '[{"CampaignID":"7","Revenue":"5.00"}]';
    const { table, noticeText, asked } = await askListed({ ...listed, conversions });
    expect(table).toMatchObject({ total_rows: 200, totals: { Views: 6, Revenue: 3 } });
    // The campaigns in a list, and three more to verify it, each for both periods.
    expect(new Set(asked)).toEqual(new Set([...busy, '7', '1', '2', '3']));
    expect(asked).toHaveLength(14);
    expect(busy).toContain(asked[0]);
    expect(noticeText).toContain('193 campaigns are in no list of visitors or conversions of these days');
  });

  it.each<[string, typeof listed, number, string?]>([
    ['refuse campaign 0', refused, 0, 'cannot be read'],
    ['name no campaign', { ...listed, visitorstats: '[{"Date":"2026-06-08 10:00:00"}]' }, 0, 'name no campaigns'],
    ['are of one campaign', { ...listed, visitorstats: JSON.stringify([visits[0]]) }, 0],
    ['are empty', { ...listed, visitorstats: '[]' }, 0, 'are empty'],
    ['lack visits that reports have', listed, 50],
  ])('that %s spare no campaign, and a notice gives the reason', async (_, lists, more, why) => {
    const { table, asked, noticeText } = await askListed(lists, more);
    const notice = /The lists of all visitors and conversions ([\w ]+), so the report of each campaign is read/;
    expect(notice.exec(noticeText)?.[1]).toBe(why);
    expect(table).toMatchObject({ total_rows: 200, totals: { Views: 6 + more } });
    expect(asked).toHaveLength(400);
  });

  it('that cannot be verified spare no campaign', async () => {
    const { table, noticeText, asked } = await ask({
      'campaign/list': JSON.stringify(campaignsUpTo(200)),
      stats: ({ camp = '' }) => {
        const views = busy.includes(camp) ? 1 : 7;
        return { body: ['1', '2', '3'].includes(camp) ? refusal : JSON.stringify([{ Views: String(views) }]) };
      },
      ...listed,
    });
    expect(table).toMatchObject({ total_rows: 197, totals: { Views: 1361 } });
    expect(new Set(asked).size).toBe(200);
    expect(noticeText).not.toContain('count as 0');
  });
});

it('a campaign that hangs and one that fails are named in one line, and do not affect the others', async () => {
  const { table, notices } = await ask(
    {
      'campaign/list': JSON.stringify(campaignsUpTo(50)),
      ...refused,
      stats: ({ camp }) =>
        camp === '7' ? new Promise(() => {}) : { body: camp === '9' ? refusal : '[{"Views":"10","Cost":"1.00"}]' },
    },
    { compare_to: 'none' },
    8000,
  );
  expect(table).toMatchObject({ total_rows: 48, totals: { Views: 480 } });
  expect(notices.filter((notice) => /Not read|no time/.test(notice))).toEqual([
    expect.stringMatching(/^Not read, and in no total: 7 “C7” \(.*within 4 s.*\), and 1 more that failed\.$/),
  ]);
});

it('an ID with more digits than a number holds is not asked for as another', async () => {
  const { table, noticeText, asked } = await ask({
    'campaign/list': '[{"ID":"9007199254740993","Name":"C1"},{"ID":"2","Name":"C2"}]',
    stats: '[{"Views":"10","Cost":"1.00","Revenue":"2.00"}]',
    visitorstats: '[]',
    conversions: '[]',
  });
  expect(table?.totals).toMatchObject({ Views: 10 });
  expect(noticeText).toContain('Not read, and in no total: 9007199254740993 “C1”');
  expect(new Set(asked)).toEqual(new Set(['2']));
});
