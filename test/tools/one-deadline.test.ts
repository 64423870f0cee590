import { setTimeout as wait } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

const timeoutMs = 3000;
const offers = ['Gym', 'Yoga'].map((Name, index) => ({
  ...{ PageID: String(index + 1), Name, URL: 'https://example.com', Path: '1', Share: '50', Inactive: '0', Level: '1' },
  ...{ Views: '10', Conversions: '1', Revenue: '1' },
}));

/** A tracker that takes this part of a call's time for each answer. */
async function startSlowTracker(part: number) {
  const slowly = (body: unknown) => async () => {
    await wait(part * timeoutMs);
    return { body: JSON.stringify(body) };
  };
  return startForeignTracker({
    'campaign/list': slowly([{ ID: '1', Name: 'Search', Type: 'Multiple Path', Bid: '0.10' }]),
    stats: slowly({ Reports: { landing: [], offer: offers } }),
    visitorstats: slowly([]),
    conversions: slowly([]),
    'click/lookup': slowly([]),
    'campaign/edit': slowly({ Status: 'OK' }),
    'campaign/editpage': slowly({ Status: 'OK' }),
  });
}

// All at the same time, each with a tracker of its own: they wait.
describe.concurrent('a tracker that takes two thirds of a call for each answer', () => {
  describe.each([
    ['set_shares', { campaign_id: 'Search', shares: [{ page_id: 'Gym', share: 60 }] }],
    ['edit_campaign', { campaign_id: 'Search', bid: 0.2 }],
    ['edit_campaign_page', { campaign_id: 'Search', page_id: 'Gym', share: 60 }],
  ])('and is to do %s', async (tool, given) => {
    const tracker = await startSlowTracker(0.66);
    const { refusal } = await connect({ url: tracker.url, timeoutMs });

    it('gets no write, since it could not answer in time', async ({ expect }) => {
      expect(await refusal(tool, given)).toMatch(/was not begun|did not answer within 3 s/);
      await wait(timeoutMs);
      expect(tracker.writes()).toEqual([]);
    });
  });

  describe.each([
    ['explain_change', { campaign_id: 'Search' }],
    ['diagnose_subid', { subid: 'abcdefgh_1_00000001' }],
    ['review_account', {}],
    ['get_overview', { by: 'landing_page' }],
    ['compare_pages', { campaign_id: 'Search', kind: 'offer' }],
  ])('and is to answer %s', async (tool, given) => {
    const tracker = await startSlowTracker(0.66);
    const { call } = await connect({ url: tracker.url, timeoutMs });

    it('gets no request once the time of the call is over', async ({ expect }) => {
      const start = performance.now();
      await call(tool, given);
      const tookMs = performance.now() - start;
      // Today's answers one after the other would take at least twice the time.
      expect(tookMs).toBeLessThan(timeoutMs * 1.66);
      const requests = tracker.taken().length;
      await wait(timeoutMs / 3);
      expect(tracker.taken().length + requests).toBe(requests);
    });
  });
});

describe.concurrent('a tracker that answers soon', async () => {
  const tracker = await startSlowTracker(0.01);
  const person = async () => {
    await wait(timeoutMs * 1.2);
    return { action: 'accept', content: { agree: true } } as const;
  };
  const { data } = await connect({ url: tracker.url, timeoutMs, policy: { confirm: true }, person });

  it('waits for a person as long as it takes', async ({ expect }) => {
    expect(await data('edit_campaign', { campaign_id: 1, bid: 0.2 })).toMatchObject({ done: true });
  });
});
