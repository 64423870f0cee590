import { expect, it } from 'vitest';
import type { Tables } from '../support/answers.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers } from '../support/specified.ts';

const rows = Array.from({ length: 130 }, (_, at) => ({
  SubID: `ab_7_${String(at).padStart(8, '0')}`,
  Number: String(at),
}));
const tracker = await startForeignTracker({
  ...plainAnswers,
  visitorstats: JSON.stringify({ data: { visitors: rows } }),
});
const { data } = await connect({ url: tracker.url });

it('following next_offset gives every row once, and asks the tracker once', async () => {
  const seen: unknown[] = [];
  let offset: number | null = 0;
  let calls = 0;
  while (offset !== null) {
    const { tables }: Tables = await data<Tables>('list_visitors', { campaign_id: 7, offset });
    seen.push(...(tables[0]?.rows ?? []).map((row) => row[1]));
    offset = tables[0]?.next_offset ?? null;
    calls += 1;
  }
  expect(seen).toEqual(rows.map((_, at) => at));
  expect(calls).toBe(6);
  expect(tracker.taken()).toHaveLength(1);
});

it('later pages may be sorted and cut differently, from the same answer', async () => {
  await data('list_visitors', { campaign_id: 7 });
  const view = { offset: 100, sort_by: 'Number', limit: 7, columns: ['Number'] };
  const { tables } = await data<Tables>('list_visitors', { campaign_id: 7, ...view });
  expect(tables[0]?.rows).toEqual([29, 28, 27, 26, 25, 24, 23].map((number) => [number]));
  expect(tracker.taken()).toHaveLength(1);
});

it('offset 0 asks the tracker again, and so does a different question', async () => {
  await data('list_visitors', { campaign_id: 7 });
  await data('list_visitors', { campaign_id: 7 });
  await data('list_visitors', { campaign_id: 8, offset: 25 });
  expect(tracker.taken()).toHaveLength(3);
});

it('after a write the next page asks the tracker again', async () => {
  await data('list_visitors', { campaign_id: 7 });
  await data('edit_campaign', { campaign_id: 7, bid: 0.2 });
  await data('list_visitors', { campaign_id: 7, offset: 25 });
  expect(tracker.taken().map(({ path }) => path)).toEqual([
    '/api/visitorstats/',
    // The values before the edit.
    '/api/campaign/list/',
    '/api/campaign/edit/',
    '/api/visitorstats/',
  ]);
});

it('the query repeats the resolved arguments, with defaults', async () => {
  const { query } = await data<Tables>('list_visitors', { campaign_id: '7', limit: '3' });
  expect(query).toEqual({ campaign_id: 7, limit: 3, offset: 0, sort_order: 'desc' });
});

it('several reports become tables with the names of the specification', async () => {
  tracker.answer('stats', '{"data":{"Offer Performance":[{"Offer":"Gym","Views":"1"}],"landing":[]}}');
  const { tables, notices } = await data<Tables>('get_stats', { campaign_id: 7, reports: ['offer', 'landing', 'ad'] });
  expect(tables).toMatchObject([
    { name: 'offer', total_rows: 1 },
    { name: 'landing', total_rows: 0 },
  ]);
  expect(notices).toContain('The tracker returned no ad report.');
});

it('other text in the tracker’s answer becomes a notice', async () => {
  tracker.answer('campaign/list', '{"Warning":"Two campaigns\\u202e are archived","Rows":[{"ID":"7"}]}');
  const { notices } = await data<Tables>('list_campaigns');
  expect(notices.filter((notice) => notice.includes('Warning = “Two campaigns are archived”'))).toHaveLength(1);
});
