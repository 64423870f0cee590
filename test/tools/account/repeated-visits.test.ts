import { expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { connect } from '../../support/connect.ts';
import { rowsAsked, startForeignTracker } from '../../support/foreign-tracker.ts';

type Row = Readonly<Record<string, string>>;

/** 40 visits a day, the latest first: each third click sold. */
const visits = Array.from({ length: 320 }, (_, index): Row => {
  const isSold = index % 3 === 0;
  return {
    Date: `2026-06-0${9 - Math.floor(index / 40)} 11:${59 - (index % 40)}:00`,
    ...{ SubID: `ab12cd34_1_${1000 + index}`, CampaignID: '1', Country: index % 2 === 0 ? 'US' : 'DE' },
    ...{ Clicked: '1', Converted: isSold ? '1' : '0', Revenue: isSold ? '2.00' : '0', Cost: '0.10' },
  };
});

async function connectTo(listed: readonly Row[]) {
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"C1"}]',
    ...{ conversions: '[]', stats: '[]' },
    visitorstats: (asked) => ({ body: JSON.stringify(rowsAsked(listed, asked)) }),
  });
  return connect({ url: tracker.url, now: () => new Date('2026-06-10T12:00:00Z') });
}

/** The views of the later half of the days, and what is said of the list. */
async function ask(listed: readonly Row[], tool: 'get_breakdown' | 'explain_change' = 'get_breakdown') {
  const { data } = await connectTo(listed);
  const days = { start_date: '2026-06-06', end_date: '2026-06-09' };
  const { tables, after, notices } = await data<PresentedTables & { after?: { views: number } }>(tool, {
    ...days,
    ...(tool === 'get_breakdown' ? { by: ['country'] } : {}),
  });
  return { views: after?.views ?? tables[0]?.totals?.['Views'], said: notices.join(' ') };
}

it.each(['get_breakdown', 'explain_change'] as const)(
  '%s counts each visit of a list once that has all twice',
  async (tool) => {
    const twice = await ask(
      visits.flatMap((visit) => [visit, visit]),
      tool,
    );
    expect(twice.views).toBe(160);
    expect(twice.said).toMatch(/\b(?:160|320) rows that repeated another in every cell left out\./);
    const once = await ask(visits, tool);
    expect(once.views).toBe(160);
    expect(once.said).not.toContain('repeated');
  },
);

/** Visits of which some have a second row for a second sale. */
const withUpsells = visits.flatMap((visit, index) =>
  index % 30 === 0 ? [visit, { ...visit, Revenue: '5.00' }] : [visit],
);

it.each(['review_account', 'check_tracking'])('%s tells rows that have the subID of another', async (tool) => {
  const { call } = await connectTo(withUpsells);
  expect(JSON.stringify(await call(tool, {}))).toContain('11 rows had the subID of another');
  const { call: callOnce } = await connectTo(visits);
  expect(JSON.stringify(await callOnce(tool, {}))).not.toContain('subID of another');
});

it('tells rows that have the subID of another and may be its second sale, and leaves none out', async () => {
  expect(await ask(withUpsells)).toMatchObject({
    views: 166,
    said: expect.stringContaining('6 rows had the subID of another and counted as visits'),
  });
  const equal = await ask(visits.flatMap((visit, index) => (index % 30 === 0 ? [visit, visit] : [visit])));
  expect(equal).toMatchObject({ views: 166, said: expect.stringContaining('6 rows had the subID of another') });
});
