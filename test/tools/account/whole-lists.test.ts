import { expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { connect } from '../../support/connect.ts';
import { listRows, rowsAsked, startForeignTracker } from '../../support/foreign-tracker.ts';

interface World {
  readonly visitsADay: number;
  /** The most rows of an answer. */
  readonly maximum: number;
  /** How many visits are listed twice: the tracker counts them once. */
  readonly twice: number;
  readonly order: 'latest first' | 'earliest first';
  /** The days of two weeks without a visit. */
  readonly quiet: readonly number[];
}

const usual: World = { visitsADay: 30, maximum: 100_000, twice: 0, order: 'latest first', quiet: [] };

async function serve(different: Partial<World>) {
  const { visitsADay, maximum, twice, order, quiet } = { ...usual, ...different };
  const single = Array.from({ length: 20 * visitsADay }, (_, index) => {
    const day = Math.floor(index / visitsADay);
    const at = new Date(Date.UTC(2026, 5, 10 - day, 11, 59) - (index % visitsADay) * 60_000).toISOString();
    return { day, Date: at.slice(0, 19).replace('T', ' '), CampaignID: String(1 + (index % 2)), Country: 'US' };
  }).filter(({ day }) => !quiet.includes(day));
  const visits = single.flatMap((visit, index) => (index < twice ? [visit, visit] : visit));
  const longer = (asked: Readonly<Record<string, string>>) => rowsAsked(visits.slice(0, 2 * twice), asked).length / 2;
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"C1"},{"ID":"2","Name":"C2"}]',
    conversions: '[]',
    visitorstats: (asked) =>
      listRows(order === 'latest first' ? visits : visits.toReversed(), maximum + longer(asked))(asked),
  });
  const { data } = await connect({ url: tracker.url, now: () => new Date('2026-06-10T12:00:00Z') });
  const asked = () => {
    const sent = tracker.taken().flatMap((one) => (one.path.includes('visitorstats') ? [one.sent] : []));
    return sent.map(({ start, end }) => `${start?.slice(5)} to ${end?.slice(5)}`);
  };
  return { data, visits, asked };
}

/** Asks for two weeks by country, and returns the days of each question for visits. */
async function ask(different: Partial<World>) {
  const { data, visits, asked } = await serve(different);
  const given = { by: ['country'], start_date: '2026-05-28', end_date: '2026-06-10' };
  const { tables } = await data<PresentedTables>('get_breakdown', given);
  const views = tables[0]?.totals?.['Views'];
  const kept = visits.filter(({ day }) => day < 14).length;
  return { views, kept, asked: asked() };
}

const whole = '05-28 to 06-10';

it.each<[string, Partial<World>, questions: readonly string[]]>([
  ['its oldest day, if the latest come first', {}, ['05-28 to 05-28']],
  ['the same, if it has a round number of rows', { visitsADay: 50 }, ['05-28 to 05-28']],
  ['its first days, if these had no visits', { quiet: [13, 12] }, ['05-28 to 05-30']],
  ['a day more, where the last day has no visits so far', { quiet: [0] }, ['05-27 to 06-10']],
  ['a day more, in any other order', { order: 'earliest first' }, ['05-27 to 06-10']],
  ['its oldest day, if it has the usual size of a page', { visitsADay: 5, quiet: [4, 5, 6, 7] }, ['05-28 to 05-28']],
  ['nothing else, if it is short', { visitsADay: 2 }, []],
])('a list is proved whole by asking for %s', async (_, world, questions) => {
  const { views, kept, asked } = await ask(world);
  expect(asked).toEqual([whole, ...questions]);
  expect(views).toBe(kept);
});

it.each<[string, Partial<World>]>([
  ['latest first', { maximum: 250 }],
  ['latest first, within its oldest day', { maximum: 410 }],
  ['earliest first', { order: 'earliest first', maximum: 250 }],
  ['latest first, at the usual size of a page', { visitsADay: 4, maximum: 20 }],
  ['earliest first, at the usual size of a page', { visitsADay: 4, maximum: 25, order: 'earliest first' }],
  ['latest first, with some visits listed twice', { maximum: 250, twice: 5 }],
  ['latest first, with some visits listed twice, of one day', { visitsADay: 240, maximum: 250, twice: 5 }],
])('a list that a maximum ended is read in parts, %s', async (_, world) => {
  const { views, kept, asked } = await ask(world);
  expect(asked.length).toBeGreaterThan(2);
  expect(views).toBe(kept);
});

it('a review asks up to tomorrow, and reads on from the oldest day of a list that a maximum ended', async () => {
  const { data, asked } = await serve({ maximum: 310 });
  await data('review_account', {});
  expect(asked()).toEqual(['05-26 to 06-11', '05-26 to 05-31', '05-26 to 05-31']);
});

it('a list that is larger than an answer may be is read in parts', async () => {
  const referrer = 'x'.repeat(100_000);
  const visits = Array.from({ length: 750 }, (_, index) => ({
    Date: `2026-06-${String(30 - Math.floor(index / 25)).padStart(2, '0')} 1${index % 10}:00:00`,
    CampaignID: String(1 + (index % 2)),
    Country: 'US',
    Referrer: referrer,
  }));
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"C1"},{"ID":"2","Name":"C2"}]',
    conversions: '[]',
    visitorstats: listRows(visits, 100_000),
  });
  const { data } = await connect({ url: tracker.url, now: () => new Date('2026-07-01T12:00:00Z'), timeoutMs: 60_000 });
  const given = { by: ['country'], start_date: '2026-06-01', end_date: '2026-06-30' };
  const { tables, notices } = await data<PresentedTables>('get_breakdown', given);
  expect(tables[0]?.totals?.['Views']).toBe(750);
  expect(notices.join(' ')).toContain('Counted from 750 visits of the visitor list of all campaigns');
});

it('a round number of visits of a small campaign is not taken for the maximum of all lists', async () => {
  const days = (campaign: number, visitsADay: number, first: number) =>
    Array.from({ length: (31 - first) * visitsADay }, (_, index) => ({
      Date: `2026-06-${String(30 - Math.floor(index / visitsADay)).padStart(2, '0')} 12:00:00`,
      SubID: `a_${campaign}_${index}`,
      Country: 'US',
      campaign: String(campaign),
    }));
  // The smallest has a hundred visits, on the last ten days.
  const visits = [...days(1, 10, 21), ...days(2, 9, 1), ...days(3, 23, 1)];
  const list = (campaign: string) =>
    visits.filter((visit) => visit.campaign === campaign).map(({ campaign: _, ...visit }) => visit);
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"C1"},{"ID":"2","Name":"C2"},{"ID":"3","Name":"C3"}]',
    conversions: '[]',
    visitorstats: (asked) =>
      asked['camp'] === '0' ? { status: 500, body: 'no' } : listRows(list(asked['camp'] ?? ''), 100_000)(asked),
  });
  const { data } = await connect({ url: tracker.url, now: () => new Date('2026-07-01T12:00:00Z') });
  const given = { by: ['country'], start_date: '2026-06-01', end_date: '2026-06-30' };
  const { tables, notices } = await data<PresentedTables>('get_breakdown', given);
  expect(notices.join(' ')).not.toContain('sample');
  expect(tables[0]?.totals?.['Views']).toBe(visits.length);
  expect(tracker.taken().filter(({ path }) => path.includes('visitorstats')).length).toBeLessThan(12);
});
