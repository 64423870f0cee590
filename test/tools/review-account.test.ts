import { expect, it } from 'vitest';
import { listVisits, quiet, simulateVisits } from '../analysis/change/visits.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

interface Reviewed {
  readonly findings: readonly { kind: string; campaign_id: number; what: string; is_new: boolean; next: object }[];
  readonly more: number;
  readonly could_not_see: readonly string[];
  readonly notices: readonly string[];
}

const now = new Date('2026-11-16T00:00:00Z');
const usual = { ...quiet, visits: 500 };
const dead = { clickRate: ({ page }: { page: string }) => (page === 'Quiz' ? 0 : 0.3) };
const visits = [1, 2].flatMap((id) =>
  listVisits(simulateVisits(id === 1 ? dead : {}, id, usual, 13), String(id), now.getTime()),
);

/** Sales of the last days, of which each comes up to three days after its visit. */
const conversions = Array.from({ length: 60 }, (_, index) => {
  const day = 15 - (index % 12);
  const dayText = (of: number) => `2026-11-${String(of).padStart(2, '0')} 12:00:00`;
  return {
    SubID: `a_1_${index}`,
    CampaignID: '1',
    Date: dayText(day),
    VisitDate: dayText(Math.max(day - (index % 4), 1)),
  };
});

const tracker = await startForeignTracker({
  'campaign/list': JSON.stringify([
    { ID: '1', Name: 'Search' },
    { ID: '2', Name: 'Native' },
  ]),
  conversions: JSON.stringify(conversions),
  visitorstats: ({ start = '', end = '' }) => ({
    body: JSON.stringify(visits.filter(({ Date: at }) => at.slice(0, 10) >= start && at.slice(0, 10) <= end)),
  }),
});

it('names what needs a person with the next call, says it as new once, and how many late sales are in', async () => {
  const { data } = await connect({ url: tracker.url, now: () => now, timeoutMs: 30_000 });
  const first = await data<Reviewed>('review_account');
  expect(first.findings).toHaveLength(1);
  expect(first.findings[0]).toMatchObject({
    ...{ kind: 'page_without_clicks', campaign_id: 1, is_new: true },
    what: expect.stringMatching(/^“Search”: landing page Quiz: \d+ visits, 0 clicks in 24 hours/),
    next: { tool: 'get_breakdown', arguments: { campaign_id: 1 } },
  });
  expect(first.could_not_see).toEqual([]);
  expect(first.notices.find((notice) => notice.startsWith('Sales come late'))).toMatch(
    /2026-11-15 \d+% \(\d+ to \d+%\)/,
  );
  const second = await data<Reviewed>('review_account', { limit: 1 });
  expect(second.findings.map(({ is_new }) => is_new)).toEqual([false]);
});
