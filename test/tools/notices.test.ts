import { expect, it } from 'vitest';
import type { Tables } from '../support/answers.ts';
import { connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

/** Notices warn a reader who would otherwise decide on incomplete rows. */

const tracker = await startForeignTracker({});
const { data, call, refusal } = await connect({ url: tracker.url, now: () => new Date('2026-11-20T12:00:00Z') });
type Given = Readonly<Record<string, unknown>>;
const offerReport = (given: Given = {}) => ({ campaign_id: 1, reports: ['offer'], ...given });
const offerNotices = async (given?: Given) => (await data<Tables>('get_stats', offerReport(given))).notices;

const rows = (count: number) => Array.from({ length: count }, (_, row) => ({ SubID: `ab_1_${row}`, Cost: '1.00' }));

it.each([
  [1000, {}, /1000 rows, which looks like its own maximum/],
  [7, { max_records: 7 }, /7 rows, as many as max_records allows.*Raise max_records/],
  [1000, { max_records: 50_000 }, /1000 rows, which looks like its own maximum.*Ask for fewer days at a time/],
  [999, {}, undefined],
  [6, { max_records: 7 }, undefined],
])('a list of %i rows with %j gets a notice if the tracker may have cut it: %s', async (count, given, message) => {
  tracker.answer('visitorstats', JSON.stringify({ Rows: rows(count) }));
  const notices = (await data<Tables>('list_visitors', given)).notices.join();
  expect(notices.includes('there may be more')).toBe(message !== undefined);
  if (message) expect(notices).toMatch(new RegExp(`returned ${message.source}`));
});

it('a landing report with several levels has no totals, because a visitor counts at each', async () => {
  const landing = [1, 2].map((level) => ({ Name: `Page ${level}`, Level: level, Views: 100, Conversions: 5 }));
  tracker.answer('stats', JSON.stringify({ landing }));
  const { tables, notices } = await data<Tables>('get_stats', { campaign_id: 1, reports: ['landing'] });
  expect(tables[0]?.totals).toBeUndefined();
  expect(notices).toContain('landing has no totals: a visitor counts at each level.');
});

it.each([
  [{ start_date: '2026-12-24', end_date: '2026-12-26' }, 'The days asked for are in the future.'],
  [{ group_by: ['Keyword'] }, 'group_by groups the target report, which was not asked for.'],
  [{ sort_by: 'Cost' }, 'offer has no column to sort by; its rows come as the tracker ordered them.'],
])('a call that is probably a mistake gets a notice: %o', async (given, notice) => {
  const offer = [{ Name: 'A' }, { Name: 'B' }];
  tracker.answer('stats', JSON.stringify({ offer, ad: [{ AdValue: 'x', Cost: '1' }] }));
  expect(await offerNotices({ reports: ['offer', 'ad'], ...given })).toContain(notice);
});

it.each([
  [{}, true, 'offer: rows 1-1 of 1'],
  [{ timezone: 'Europe/Berlin' }, true, 'offer: rows 1-1 of 1'],
  [{ period: 'last_7_days' }, false, '2026-11-14 to 2026-11-20, days of UTC'],
  [{ start_date: '2026-11-01', end_date: '2026-11-01' }, false, '2026-11-01'],
  [{ start_date: '2026-11-01' }, false, '2026-11-01 to the tracker’s current day'],
])(
  'an answer for %o names its days: notice about the current day %s, first line of the text %s',
  async (given, ...expected) => {
    tracker.answer('stats', '{"offer":[{"Name":"A"}]}');
    const result = await call('get_stats', offerReport(given));
    const { notices } = result.structuredContent as Tables;
    const isCurrentDay = notices.includes("No dates were given: this is the tracker's current day.");
    expect([isCurrentDay, textOf(result).split('\n')[0]]).toEqual(expected);
  },
);

it('queries use all rows of a table, with a notice if a condition left some out', async () => {
  tracker.answer('stats', '{"offer":[{"Name":"A"},{"Name":"B"}]}');
  const notices = await offerNotices({ where: [{ column: 'Name', op: '=', value: 'A' }] });
  expect(notices.join()).toMatch(/offer is r\d+ \(all 2 rows, not only those of where\)/);
});

it('the error for an invalid ID names the source of IDs', async () => {
  const message = await refusal('edit_offer', { offer_id: 'Home gym', name: 'Gym' });
  expect(message).toContain('Predefined offer ID, from add_offer');
});

it('a list that lacks a column that is named is read again with all columns, and shows those it had and the named one', async () => {
  const asked: unknown[] = [];
  tracker.answer('visitorstats', ({ cols }) => {
    asked.push(cols);
    return {
      body: JSON.stringify([{ SubID: 'a', Keyword: 'red', ...(cols === 'all' ? { ISP: 'Farm', City: 'X' } : {}) }]),
    };
  });
  const where = [{ column: 'ISP', op: '=', value: 'farm' }];
  const { tables } = await data<Tables>('list_visitors', { where });
  expect(asked).toEqual([undefined, 'all']);
  expect(tables[0]).toMatchObject({ columns: ['SubID', 'Keyword', 'ISP'], rows: [['a', 'red', 'Farm']] });
  expect(await refusal('list_visitors', { columns: ['Town'] })).toMatch(/no column "Town".*"City"/);
  expect(await refusal('list_visitors', { columns: ['City'], column_set: 'default' })).toContain(
    'More come with column_set all.',
  );
});

it('a list with both times names the day that a sale counts on', async () => {
  const noticesOf = async (tool: string, row: object) => {
    tracker.answer(tool === 'list_visitors' ? 'visitorstats' : 'conversions', JSON.stringify([row]));
    return (await data<Tables>(tool, { period: 'today' })).notices.join();
  };
  const [sale, visit] = ['2026-11-20 10:00:00', '2026-11-18 09:00:00'];
  const conversion = { Date: sale, VisitDate: visit };
  expect(await noticesOf('list_conversions', conversion)).toContain('on the day of its conversion');
  expect(await noticesOf('list_visitors', { Date: visit, ConversionDate: sale })).toContain('on the day of the visit');
  expect(await noticesOf('list_conversions', { Date: sale })).not.toContain('is listed');
});

it.each([
  [0, false],
  [1, false],
  [2, true],
])('a table of %i rows has a name for query_report: %s', async (count, isNamed) => {
  tracker.answer('visitorstats', JSON.stringify({ Rows: rows(count) }));
  const { notices } = await data<Tables>('list_visitors');
  expect(notices.some((notice) => notice.startsWith('For query_report'))).toBe(isNamed);
});
