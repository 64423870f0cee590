import { expect, it } from 'vitest';
import type { Receipt } from '../../support/answers.ts';
import { connect } from '../../support/connect.ts';
import { startKeepingTracker } from '../../support/keeping-tracker.ts';

const given = { campaign_id: 1, bid: 0.25, engage_rate: 30 };

async function edit(change?: Awaited<ReturnType<typeof startKeepingTracker>>['keepPage'], args: object = given) {
  const { tracker, campaign } = await startKeepingTracker();
  if (change) tracker.answer('campaign/edit', change);
  const { data } = await connect({ url: tracker.url });
  const done = await data<Receipt & { readonly after?: object }>('edit_campaign', { ...args });
  return { ...done, said: done.notices.join('\n'), campaign, requests: tracker.taken().map(({ path }) => path) };
}

it('reads the campaign again after an edit, and says that the tracker has the values', async () => {
  const { after, before, said, campaign } = await edit();
  expect(campaign).toMatchObject({ Bid: '0.25', EngageRate: '30' });
  expect([before, after]).toEqual([
    { bid: 0.1, engage_rate: 40 },
    { bid: 0.25, engage_rate: 30 },
  ]);
  expect(said).toContain('Read again: the tracker has these values now.');
});

it('names the values that the tracker did not take, though it answered OK', async () => {
  const { done, after, said } = await edit(() => ({ body: '{"Status":"OK"}' }));
  expect([done, after]).toEqual([true, { bid: 0.1, engage_rate: 40 }]);
  expect(said).toContain('Read again, the tracker does not show what was set: engage_rate is 40 and bid is 0.1.');
});

it('names the values that the tracker does not show', async () => {
  const { after, said } = await edit(undefined, { ...given, pass_subid_to_offer: true });
  expect(after).toEqual({ bid: 0.25, engage_rate: 30 });
  expect(said).toContain('the tracker does not show pass_subid_to_offer, and has the other values now.');
});

it('asks nothing again where the tracker shows none of the values', async () => {
  const { after, requests } = await edit(undefined, { campaign_id: 1, priority: 2 });
  expect(after).toBeUndefined();
  expect(requests).toEqual(['/api/campaign/list/', '/api/campaign/edit/']);
});

it('reads the pages again after an edit of one, and says that the tracker kept its share', async () => {
  const { tracker } = await startKeepingTracker();
  const { data } = await connect({ url: tracker.url });
  const ask = () =>
    data<Receipt & { readonly after?: object }>('edit_campaign_page', { campaign_id: 1, page_id: 3, share: 70 });
  tracker.answer('campaign/editpage', () => ({ body: '{"Status":"OK"}' }));
  const { after, notices } = await ask();
  expect(after).toEqual({ share: 40 });
  expect(notices[0]).toMatch(/^Read again, the tracker does not show what was set: share is 40\. .* get_stats\.$/);
});

it('reads a set of writes again, each list once, and says of each which values the tracker did not take', async () => {
  const { tracker } = await startKeepingTracker();
  tracker.answer('campaign/editpage', () => ({ body: '{"Status":"OK"}' }));
  const { data } = await connect({ url: tracker.url });
  const edits = [3, 4].map((page_id) => ({
    ...{ tool: 'edit_campaign_page', arguments: { campaign_id: 1, page_id, share: 70 } },
  }));
  const bid = { tool: 'edit_campaign', arguments: { campaign_id: 1, bid: 0.25 } };
  const { notices } = await data<Receipt>('make_changes', { writes: [...edits, bid] });
  expect(notices).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^1\. Read again, the tracker does not show what was set: share is 40.*get_stats/),
      expect.stringMatching(/^2\. Read again, the tracker does not show what was set: share is 40/),
      'Read again: the tracker has the values of write 3 now.',
    ]),
  );
  const paths = tracker.taken().map(({ path }) => path);
  const after = paths.slice(paths.lastIndexOf('/api/campaign/edit/') + 1);
  expect(after.sort()).toEqual(['/api/campaign/list/', '/api/stats/']);
});
