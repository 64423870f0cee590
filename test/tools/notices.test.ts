import { describe, expect, it } from 'vitest';
import type { Tables } from '../support/answers.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

/** What a reader has to know beside the rows, so as not to decide on half of them. */

const tracker = await startForeignTracker({});
const { data, call } = await connect({ url: tracker.url, now: () => new Date('2026-11-20T12:00:00Z') });

const rows = (count: number) => Array.from({ length: count }, (_, row) => ({ SubID: `ab_1_${row}`, Cost: '1.00' }));

describe('a list that the tracker may have cut', () => {
  it.each([
    [1000, {}, /returned 1000 rows, which looks like its own maximum/],
    [7, { max_records: 7 }, /returned 7 rows, as many as max_records allows.*Raise max_records/],
    [
      1000,
      { max_records: 50_000 },
      /returned 1000 rows, which looks like its own maximum.*Ask for fewer days at a time/,
    ],
    [999, {}, undefined],
    [6, { max_records: 7 }, undefined],
  ])('of %i rows with %j gets the notice: %s', async (count, given, message) => {
    tracker.answer('visitorstats', JSON.stringify({ Rows: rows(count) }));
    const notices = (await data<Tables>('list_visitors', given)).notices.join();
    expect(notices.includes('there may be more')).toBe(message !== undefined);
    if (message) expect(notices).toMatch(message);
  });
});

it('a landing report with several levels has no totals: a visitor counts at each', async () => {
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
])('a question that is probably not meant gets a notice: %o', async (given, notice) => {
  const offer = [{ Name: 'A' }, { Name: 'B' }];
  tracker.answer('stats', JSON.stringify({ offer, ad: [{ AdValue: 'x', Cost: '1' }] }));
  const { notices } = await data<Tables>('get_stats', { campaign_id: 1, reports: ['offer', 'ad'], ...given });
  expect(notices).toContain(notice);
});

it('an answer without dates names its day, and one with dates does not', async () => {
  tracker.answer('stats', '{"offer":[{"Name":"A"}]}');
  const notice = "No dates were given: this is the tracker's current day.";
  for (const [given, isSaid] of [
    [{}, true],
    [{ timezone: 'Europe/Berlin' }, true],
    [{ period: 'today' }, false],
    [{ start_date: '2026-11-01' }, false],
  ] as const) {
    const { notices } = await data<Tables>('get_stats', { campaign_id: 1, reports: ['offer'], ...given });
    expect(notices.includes(notice), JSON.stringify(given)).toBe(isSaid);
  }
});

it('a table can be queried with all its rows, and a notice says so if a condition left some out', async () => {
  tracker.answer('stats', '{"offer":[{"Name":"A"},{"Name":"B"}]}');
  const where = [{ column: 'Name', op: '=', value: 'A' }];
  const { notices } = await data<Tables>('get_stats', { campaign_id: 1, reports: ['offer'], where });
  expect(notices.join()).toMatch(/offer is r\d+ \(all 2 rows, not only those of where\)/);
});

it('the error for an invalid ID says where IDs come from', async () => {
  const result = await call('edit_offer', { offer_id: 'Home gym', name: 'Gym' });
  expect(JSON.stringify(result.content)).toContain('Predefined offer ID, from add_offer');
});

it('the text names its days and their zone', async () => {
  tracker.answer('stats', '{"offer":[{"Name":"A"}]}');
  const textOf = async (given: Record<string, unknown>) => {
    const [block] = (await call('get_stats', { campaign_id: 1, reports: ['offer'], ...given })).content;
    return block?.type === 'text' ? block.text.split('\n')[0] : '';
  };
  expect(await textOf({ period: 'last_7_days' })).toBe('2026-11-14 to 2026-11-20, days of UTC');
  expect(await textOf({ start_date: '2026-11-01', end_date: '2026-11-01' })).toBe('2026-11-01');
  expect(await textOf({})).toBe('offer: rows 1-1 of 1');
});

it('the error for an unknown column names the set with more columns, if there is one', async () => {
  const refusalOf = async (given: Record<string, unknown>) =>
    JSON.stringify((await call('list_visitors', { columns: ['City'], ...given })).content);
  tracker.answer('visitorstats', JSON.stringify({ Rows: rows(2) }));
  expect(await refusalOf({})).toContain('More come with column_set all.');
  expect(await refusalOf({ column_set: 'all' })).not.toContain('More come');
});

it('a list with both times says on which day a sale is booked', async () => {
  const noticesOf = async (tool: string, row: object) => {
    tracker.answer(tool === 'list_visitors' ? 'visitorstats' : 'conversions', JSON.stringify([row]));
    return (await data<Tables>(tool, { period: 'today' })).notices.join();
  };
  const [sale, visit] = ['2026-11-20 10:00:00', '2026-11-18 09:00:00'];
  expect(await noticesOf('list_conversions', { Date: sale, VisitDate: visit })).toContain(
    'on the day of its conversion',
  );
  expect(await noticesOf('list_visitors', { Date: visit, ConversionDate: sale })).toContain('on the day of the visit');
  expect(await noticesOf('list_conversions', { Date: sale })).not.toContain('is listed');
});

it.each([
  [0, false],
  [1, false],
  [2, true],
])('a table of %i rows is named for query_report: %s', async (count, isNamed) => {
  tracker.answer('visitorstats', JSON.stringify({ Rows: rows(count) }));
  const { notices } = await data<Tables>('list_visitors');
  expect(notices.some((notice) => notice.startsWith('For query_report'))).toBe(isNamed);
});
