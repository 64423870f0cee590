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

it('reports without views are not called days without visits where sales of these days are listed', async () => {
  const sale = { SubID: 'ab12cd34_1_1', CampaignID: '1', Revenue: '5.00', VisitDate: '2026-06-05 09:00:00' };
  const overviewOf = async (conversions: readonly object[]) => {
    const tracker = await startForeignTracker({
      'campaign/list': '[{"ID":"1","Name":"C1"}]',
      ...{ stats: '{"Reports":{}}', visitorstats: '[]', conversions: JSON.stringify(conversions) },
    });
    const { data } = await connect({ url: tracker.url, now });
    return (await data<PresentedTables>('get_overview', week)).notices.join(' ');
  };
  const said = await overviewOf([{ ...sale, Date: '2026-06-05 10:00:00' }]);
  expect(said).toContain('have no views, though the list of conversions has 1 sale of visits of these days');
  expect(said).not.toContain('nothing ran');
  const late = { ...sale, Date: '2026-06-05 10:00:00', VisitDate: '2026-06-01 10:00:00' };
  expect(await overviewOf([late])).toContain('No visits');
});
