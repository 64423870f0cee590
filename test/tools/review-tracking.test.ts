import { describe, expect, it } from 'vitest';
import { sayFinding } from '../../src/answer/findings.ts';
import type { TrackingFault } from '../../src/answer/tracking-faults.ts';
import { fromTracker } from '../../src/api/text/tracker-text.ts';
import type { AccountReview } from '../../src/tools/account-tools.ts';
import { findingAs } from '../../src/tools/review-findings.ts';
import { trackingFindings } from '../../src/tools/review-tracking.ts';
import { apiKey } from '../sandbox/support/tracker.ts';
import { connect } from '../support/connect.ts';
import { now, set, since, startTracked } from '../support/tracked-account.ts';

async function review(changes: readonly string[], given: Readonly<Record<string, unknown>> = {}) {
  const tracker = await startTracked(changes);
  const { data } = await connect({ url: tracker.url, apiKey, now: () => now, timeoutMs: 30_000 });
  const { findings } = await data<AccountReview>('review_account', given);
  return findings.filter(({ kind }) => kind === 'tracking_fault');
}

describe('a fault of tracking in a review', () => {
  it('is a figure not to trust, with its campaign, token, example, first day, visits and money', async () => {
    expect(await review([set(`keyword = '[KEYWORD]'`)])).toEqual([
      expect.objectContaining({
        ...{ group: 'doubtful', campaign_id: 1, campaign: 'Boots', dimension: 'Keyword', value: '[KEYWORD]' },
        ...{ began: `${since} 00:00`, is_new: true },
        tracking: { code: 'literal_macro', affected: 160, of: 160, money: 204, use: 'kw={keyword}' },
        next: { tool: 'check_tracking', arguments: { campaign_id: 1 } },
      }),
    ]);
  });

  it('that began before the last 7 days has its visits and money of these', async () => {
    const [finding] = await review([set(`keyword = '[KEYWORD]'`, 1, '2026-06-07')]);
    expect(finding).toMatchObject({ began: '2026-06-07 00:00', tracking: { affected: 280, of: 280 } });
    expect(finding?.what).toMatch(/; 280 of 280 visits from 2026-06-09 on$/);
    expect(finding?.money_a_day).toBeCloseTo(Number(finding?.tracking?.['money']) / 7, 2);
  });

  it('is counted, so no chance of it is told', async () => {
    const [finding] = await review([set(`keyword = '[KEYWORD]'`)]);
    expect(finding).not.toHaveProperty('by_chance');
    expect(finding && sayFinding(finding).toModel).toMatch(/, since Fri 12 Jun; [^;]*\. Next: check_tracking/);
  });

  it('is none where all is right, or where it has always been so', async () => {
    expect(await review([])).toEqual([]);
    expect(await review([set('extra1 = NULL', 1, '2026-06-01')])).toEqual([]);
  });

  it('is none of other campaigns than those asked about', async () => {
    const changes = [set(`keyword = '{keyword}'`), set(`keyword = '{zoneid}'`, 3)];
    expect((await review(changes, { campaign_ids: [3] })).map(({ campaign_id: id }) => id)).toEqual([3]);
  });

  it('is told as what the review has a kind for', async () => {
    expect(await review([set('cost = 0')])).toEqual([]);
  });

  it.each([
    ['clicks_without_subid', []],
    ['literal_macro', ['tracking_fault']],
  ] as const)(
    'is told of a campaign without time to look at it only if it is no finding of its own: %s',
    (code, told) => {
      const fault: TrackingFault = {
        ...{ code, campaign: { id: '1', name: 'Boots' }, page: 'Quiz', example: '{keyword}', at: 'page' },
        ...{ visits: 160, of: 160, counts: 'visit', money: 204, since, counted: since, isOlder: false },
      };
      const campaigns = [{ id: fromTracker('1'), name: fromTracker('Boots'), fields: [], source: null, active: true }];
      const findingsOf = (unlooked: readonly string[]) =>
        trackingFindings([fault], campaigns, [], unlooked, { days: new Map() }, now.getTime());
      expect(findingsOf([]).findings).toHaveLength(1);
      const { findings, lasting } = findingsOf(['1']);
      expect(findings.map(({ kind }) => kind)).toEqual(told);
      expect(lasting.size).toBe(1);
    },
  );

  const noCost: TrackingFault = {
    ...{ code: 'no_cost', source: 'Push', at: 'ads', use: 'cost={cost}', example: null, since, isOlder: false },
    ...{ visits: 160, of: 280, counts: 'visit', money: 204, counted: since },
  };
  const campaignsOf = (...sources: readonly string[]) =>
    sources.map((source, index) => {
      return {
        id: fromTracker(String(index + 1)),
        name: fromTracker('Boots'),
        fields: [],
        source: fromTracker(source),
        active: true,
      };
    });

  it('of a traffic source is told once where the review finds it too, as that finding and with the link to use', () => {
    const found = findingAs({
      ...{ key: '["0","cost_missing","traffic_source","Push"]', kind: 'cost_missing', group: 'doubtful' },
      ...{ campaign_id: 0, campaigns: [1, 2], dimension: 'traffic_source', value: 'Push', money_a_day: 51 },
      ...{ what: 'traffic source Push: no cost', since: 'Fri 12 Jun 08:00', began: '2026-06-12 08:00' },
      next: { tool: 'get_breakdown', arguments: {} },
    });
    const { own, findings, lasting } = trackingFindings(
      ...([[noCost], campaignsOf('Push', 'Push'), [found], [], { days: new Map() }, now.getTime()] as const),
    );
    expect(findings).toEqual([]);
    expect(lasting.size).toBe(1);
    expect(sayFinding({ ...found, is_new: true }).toModel).toMatch(/^traffic source Push/);
    expect(own).toEqual([
      {
        ...found,
        what: 'traffic source Push: no cost; in the ads’ link at Push use “cost={cost}”',
        tracking: { code: 'no_cost', affected: 160, of: 280, money: 204, use: 'cost={cost}' },
        next: { tool: 'check_tracking', arguments: { source: 'Push' } },
      },
    ]);
  });

  it('of a traffic source is none of a review of campaigns that have another', () => {
    const { findings, lasting } = trackingFindings(
      ...([[noCost], campaignsOf('Search'), [], [], { days: new Map() }, now.getTime()] as const),
    );
    expect({ findings, lasting: [...lasting] }).toEqual({ findings: [], lasting: [] });
  });

  it('ends with the fault', async () => {
    const ended = `UPDATE visits SET keyword = '{keyword}' WHERE campaign_id = 1 AND "at" BETWEEN '2026-06-10' AND '2026-06-12'`;
    expect(await review([ended])).toEqual([]);
  });
});
