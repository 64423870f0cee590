import { expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { connect } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

const all = Array.from({ length: 500 }, (_, index) => ({ ID: String(index + 1), Name: `C${index + 1}` }));
const busy = all.filter((_, index) => index % 8 === 3).slice(0, 60);
const days = Array.from({ length: 14 }, (_, index) =>
  new Date(Date.UTC(2026, 4, 27 + index)).toISOString().slice(0, 10),
);
const visits = days.flatMap((day) =>
  Array.from({ length: 5 }, () => busy.map(({ ID }) => ({ Date: `${day} 10:00:00`, CampaignID: ID }))).flat(),
);

/** @param cap the rows of a list at most; 0 if the tracker refuses lists of all campaigns */
async function ask(cap: number, given: Readonly<Record<string, unknown>> = {}, campaigns = all) {
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify(campaigns),
    visitorstats: ({ start = '', end = '', rec = '' }) => {
      const listed = visits.filter(({ Date: at }) => at.slice(0, 10) >= start && at.slice(0, 10) <= end).reverse();
      return { body: cap > 0 ? JSON.stringify(listed.slice(0, Math.min(cap, Number(rec)))) : refusal };
    },
    conversions: cap > 0 ? '[]' : refusal,
    stats: ({ camp = '', start = '', end = '' }) => {
      const isBusy = busy.some(({ ID }) => ID === camp);
      const count = isBusy ? 5 * days.filter((day) => day >= start && day <= end).length : 0;
      return { body: JSON.stringify([{ Views: String(count), Cost: '0.00', Revenue: '0.00' }]) };
    },
  });
  const { data } = await connect({ url: tracker.url, timeoutMs: 120_000, now: () => new Date('2026-06-10T12:00:00Z') });
  tracker.taken();
  const { tables, notices } = await data<PresentedTables>('get_overview', given);
  const requests = tracker.taken().map(({ path, parameters }) => ({ path, sent: new Map(parameters) }));
  return { table: tables[0], told: notices.join(' '), requests };
}

const refusal = '{"Status":"Error","Message":"Unknown campaign"}';

it.each([50_000, 10_000, 1000])(
  '500 campaigns of which 60 have traffic cost at most 1.2 times the requests that these need, with lists of %d rows',
  async (cap) => {
    const { table, requests } = await ask(cap);
    expect(table).toMatchObject({ total_rows: 500, totals: { Views: 2100, 'Views before': 2100 } });
    const needed = 1 + busy.length * 2;
    expect(requests.length).toBeLessThanOrEqual(1.2 * needed);
  },
);

it('a condition on names is met before anything is asked', async () => {
  const { table, requests } = await ask(50_000, { where: [{ column: 'Name', op: 'starts_with', value: 'C40' }] });
  expect(table).toMatchObject({ total_rows: 11 });
  // One more asks how late sales come.
  expect(requests.filter(({ path }) => path !== '/api/campaign/list/')).toHaveLength(23);
});

it.each([100, 0])(
  'lists of %d rows cost little, and all campaigns are asked, those with traffic first',
  async (cap) => {
    const { table, told, requests } = await ask(cap, {}, all.slice(0, 120));
    expect(table).toMatchObject({ total_rows: 120, totals: { Views: 525, 'Views before': 525 } });
    const asked = requests.filter(({ path }) => path === '/api/stats/').map(({ sent }) => sent.get('camp'));
    expect(new Set(asked).size).toBe(120);
    if (cap > 0) expect(busy.map(({ ID }) => ID)).toEqual(expect.arrayContaining(asked.slice(0, 20)));
    expect(told.includes('name no campaigns here, so each has to be asked about')).toBe(cap === 0);
  },
);

it('one that hangs and one that fails are said in one line, and cost the others nothing', async () => {
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify(all.slice(0, 50)),
    visitorstats: refusal,
    conversions: refusal,
    stats: ({ camp }) =>
      camp === '7' ? new Promise(() => {}) : { body: camp === '9' ? refusal : '[{"Views":"10","Cost":"1.00"}]' },
  });
  const { data } = await connect({ url: tracker.url, timeoutMs: 8000 });
  const { tables, notices } = await data<PresentedTables>('get_overview', { compare_to: 'none' });
  expect(tables[0]).toMatchObject({ total_rows: 48, totals: { Views: 480 } });
  const told = notices.filter((notice) => /Not read|no time/.test(notice));
  expect(told).toEqual([
    expect.stringMatching(/^Not read, and in no total: 7 “C7” \(.*within 4 s.*\), and 1 more that failed\.$/),
  ]);
});
