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
