import { expect, it } from 'vitest';
import { listDays } from '../../../src/tools/period.ts';
import { connect } from '../../support/connect.ts';
import { listRows, startForeignTracker } from '../../support/foreign-tracker.ts';

type Row = Readonly<Record<string, string>>;

/** 60 visits a day of campaign 1 and 20 of campaign 2, each for 0.10; each tenth sold. */
const visits = listDays('2026-05-10', '2026-06-09')
  .reverse()
  .flatMap((day) =>
    Array.from({ length: 80 }, (_, index): Row => {
      const campaign = index < 60 ? '1' : '2';
      const isSold = index % 10 === 0;
      return {
        ...{ Date: `${day} ${String(22 - Math.floor(index / 4)).padStart(2, '0')}:00:00`, Country: 'DE' },
        ...{ SubID: `s_${campaign}_${day}${index}`, CampaignID: campaign, Clicked: '1' },
        ...{ Converted: isSold ? '1' : '0', Revenue: isSold ? '2.00' : '0', Cost: '0.10' },
      };
    }),
  );

/** What tools say of the whole account if the tracker lists this and reports the above. */
async function connectTo(listed: readonly Row[]) {
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"Large"},{"ID":"2","Name":"Small"}]',
    stats: ({ camp = '', start = '', end = '' }) => {
      const a = (camp === '1' ? 60 : 20) * listDays(start, end).length;
      const figures = { Views: a, Clicks: a, Conversions: a / 10, Cost: a * 0.1, Revenue: a * 0.2 };
      return { body: JSON.stringify([figures]) };
    },
    visitorstats: listRows(listed),
    conversions: '[]',
  });
  const { call } = await connect({ url: tracker.url, now: () => new Date('2026-06-10T12:00:00Z') });
  const reports = () => tracker.taken().filter(({ path }) => path === '/api/stats/').length;
  return { said: async (tool: string, given: object) => JSON.stringify(await call(tool, { ...given })), reports };
}

const days = { start_date: '2026-06-03', end_date: '2026-06-09' };
const questions: [tool: string, given: object][] = [
  ['get_breakdown', { by: ['country'], ...days }],
  ['explain_change', days],
  ['explain_change', { campaign_id: 1, ...days }],
  ['review_account', {}],
];

it.each(questions)('%s %j tells a cost that half of the visits lack, beside that of a report', async (tool, given) => {
  const { said, reports } = await connectTo(visits.map((row, index) => (index % 2 === 0 ? { ...row, Cost: '' } : row)));
  expect(await said(tool, given)).toContain(
    'The same visits have cost of 21 in the visitor list and 42 in the campaign report',
  );
  expect(reports()).toBe(tool === 'explain_change' ? 2 : 1);
});

it.each(questions)('%s %j tells sales where each visit is listed as one', async (tool, given) => {
  const { said } = await connectTo(visits.map((row) => ({ ...row, Converted: 'yes' })));
  expect(await said(tool, given)).toContain('The same visits have conversions of 420 in the visitor list and 42 in');
});

it.each(questions)('%s %j says nothing where lists and reports agree', async (tool, given) => {
  const { said } = await connectTo(visits);
  expect(await said(tool, given)).not.toContain('The same visits have');
});

it.each(questions)('%s %j tells that visits of old days are listed no more', async (tool, given) => {
  const { said } = await connectTo(visits.filter((row) => (row['Date'] ?? '') >= '2026-06-07'));
  const answer = await said(tool, given);
  expect(answer).toMatch(/Only \d+ of the \d+ views in the campaign reports are in the list of visitors/);
  expect(answer).not.toMatch(/There were no visits in|Everything was read/);
});

it.each(['get_breakdown', 'review_account'])(
  '%s tells that no visit is listed, though reports have some',
  async (tool) => {
    const { said, reports } = await connectTo([]);
    const answer = await said(tool, tool === 'get_breakdown' ? { by: ['country'], ...days } : {});
    expect(answer).toContain('Only 0 of the 560 views in the campaign reports are in the list of visitors');
    expect(reports()).toBe(2);
  },
);
