import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { connect } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

const now = () => new Date('2026-11-16T10:00:00Z');
const dayOf = (index: number) => new Date(Date.UTC(2026, 9, 20 + index)).toISOString().slice(0, 10);

/** Eight sales per visit day over four weeks, a quarter of them booked after 0, 1, 2 and 3 days each. */
const sales = Array.from({ length: 28 * 8 }, (_, index) => ({ day: index % 28, late: (index >> 3) % 4 }))
  .filter(({ day, late }) => dayOf(day + late) <= '2026-11-16')
  .map(({ day, late }) => ({
    SubID: `a_1_${day}${late}`,
    CampaignID: '1',
    Date: `${dayOf(day + late)} 12:00:00`,
    VisitDate: `${dayOf(day)} 12:00:00`,
    Revenue: '3',
  }));

const refused = { status: 400, body: '{"Status":"Error","Message":"not here"}' };
const withDates = JSON.stringify(sales);
const withOneDate = JSON.stringify(sales.map(({ VisitDate: _, ...sale }) => sale));

async function ask(tool: string, given: object, conversions: string | undefined) {
  const visits = Array.from({ length: 28 }, (_, index) => dayOf(index))
    .reverse()
    .map((day) => ({ Date: `${day} 10:00:00`, CampaignID: '1', Country: 'DE' }));
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify([{ ID: '1', Name: 'Push' }]),
    stats: '[{"Views":"9","Clicks":"4","Conversions":"2","Cost":"1.00","Revenue":"6.00"}]',
    visitorstats: ({ start = '', end = '' }) => ({
      body: JSON.stringify(visits.filter(({ Date: at }) => at.slice(0, 10) >= start && at.slice(0, 10) <= end)),
    }),
    // The default columns have one date, as in the embedded tracker.
    conversions: ({ cols }) =>
      conversions === undefined ? refused : { body: cols === 'all' ? conversions : withOneDate },
  });
  const { data } = await connect({ url: tracker.url, now });
  const { notices, tables } = await data<PresentedTables>(tool, { ...given });
  const requests = tracker.taken().filter(({ path }) => path === '/api/conversions/').length;
  const warnings = notices.filter((notice) => notice.startsWith('Sales come late'));
  return { warnings, rows: tables[0]?.rows.length, requests };
}

const whole =
  /^Sales come late: about (?:89|9[012])% \(\d+ to \d+%\) of the sales from these days’ visits are in by now\. About [567] more sales \([123] to (?:9|1[012])\) of these days’ visits, worth about 1\d\.\d\d, are still to come, and in no figure\.$/;
const byDay =
  /^Sales come late\. .* by day of the visit: 2026-11-14 7\d% \(\d+ to \d+%\), 2 more \(0 to [345]\); 2026-11-15 5\d% \(\d+ to \d+%\), 4 more \([012] to [678]\)\. About [567] more sales .* in no figure\.$/;
const week = { start_date: '2026-11-09', end_date: '2026-11-15' };

describe('late sales', () => {
  it.each<[string, object, RegExp]>([
    ['get_overview', week, whole],
    ['get_breakdown', { ...week, campaign_id: 1, by: ['day'] }, byDay],
    ['get_breakdown', { ...week, by: ['day'] }, byDay],
    ['get_breakdown', { ...week, campaign_id: 1, by: ['country'] }, whole],
  ])('are announced by %s of %o, at the cost of one request', async (tool, given, words) => {
    const warnings = [expect.stringMatching(words)];
    expect(await ask(tool, given, withDates)).toMatchObject({ warnings, requests: 1 });
  });

  it.each([
    ['one date', withOneDate, week, 1],
    ['no sales', '[]', week, 1],
    ['no list of them', undefined, week, 1],
    ['days long ago', withDates, { start_date: '2026-10-20', end_date: '2026-10-26' }, 0],
  ])('of a tracker with %s are not announced, and nothing fails', async (_, conversions, days, requests) => {
    const quiet = { warnings: [], rows: 1 };
    // An overview reads the list for the statuses of sales, too.
    expect(await ask('get_overview', days, conversions)).toEqual({ ...quiet, requests: 1 });
    expect(await ask('get_breakdown', { ...days, by: ['country'] }, conversions)).toEqual({ ...quiet, requests });
  });
});
