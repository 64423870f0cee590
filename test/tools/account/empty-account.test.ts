import { expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { connect } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

const now = () => new Date('2026-06-10T12:00:00Z');
const week = { start_date: '2026-06-03', end_date: '2026-06-09' };

it('an account without campaigns and visits has an answer without rows', async () => {
  const tracker = await startForeignTracker({ 'campaign/list': '[]', visitorstats: '[]', conversions: '[]' });
  const { data, refusal } = await connect({ url: tracker.url, now });
  const { tables, notices } = await data<PresentedTables>('get_breakdown', { ...week, by: ['offer'] });
  expect(tables[0]?.total_rows).toBe(0);
  expect(notices).toContain('The visitor list of all campaigns is empty, and the tracker lists no campaigns.');
  expect(await data('review_account')).toMatchObject({ findings: [], could_not_see: [] });
  expect(await refusal('explain_change', {})).toContain('so there is no change to explain');
});
