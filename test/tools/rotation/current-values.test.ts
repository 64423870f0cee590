import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../support/answers.ts';
import { startApproving } from '../../support/approving.ts';
import { askedPerson, connect } from '../../support/connect.ts';
import { type ForeignAnswer, startForeignTracker } from '../../support/foreign-tracker.ts';
import { startKeepingTracker } from '../../support/keeping-tracker.ts';

const edit = { campaign_id: 1, bid: 0.5 };

describe('reading the values before an edit', () => {
  it.each<[what: string, timeoutMs: number, answer: ForeignAnswer, notice: RegExp]>([
    [
      'fails',
      30_000,
      () => ({ status: 503, body: '' }),
      /The bid before is not known, so undo_change cannot restore it: .*503/,
    ],
    [
      'is refused',
      30_000,
      '{"Status":"Error","Message":"Busy"}',
      /The bid before is not known, so undo_change cannot restore it: .*Busy/,
    ],
    [
      'gets no answer',
      3000,
      () => new Promise(() => {}),
      /The bid before is not known, so undo_change cannot restore it: the tracker did not answer within 1 s/,
    ],
  ])('is tried once if it %s, and the edit is sent anyway', async (_, timeoutMs, answer, notice) => {
    const tracker = await startForeignTracker({ 'campaign/list': answer, 'campaign/edit': '{"Status":"OK"}' });
    const { data } = await connect({ url: tracker.url, timeoutMs });
    const { done, before, notices } = await data<Receipt>('edit_campaign', edit);
    expect([done, before]).toEqual([true, {}]);
    expect(notices.join(' ')).toMatch(notice);
    expect(tracker.taken().map(({ path }) => path)).toEqual(['/api/campaign/list/', '/api/campaign/edit/']);
  });

  it('counts towards the deadline of the call', async () => {
    const hang = () => new Promise<never>(() => {});
    const tracker = await startForeignTracker({ 'campaign/list': hang, 'campaign/edit': hang });
    const { refusal } = await connect({ url: tracker.url, timeoutMs: 6000 });
    // 2 s of reading and 6 s of writing would be 8 s. A busy machine delays both.
    const tooLate = sleep(7900, 'the end of 8 s');
    expect(await Promise.race([refusal('edit_campaign', edit), tooLate])).toContain('Outcome unknown');
  });

  it('does not use the cache', async () => {
    const { tracker, campaign } = await startKeepingTracker();
    const { data } = await connect({ url: tracker.url });
    await data('list_campaigns');
    campaign.Bid = '0.9';
    expect((await data<Receipt>('edit_campaign', edit)).before).toEqual({ bid: 0.9 });
  });
});

it('an addition shows the traffic of its group before and after, also in a dry run and to a person', async () => {
  const offer = ['12', '13'].map((id) => ({ PageID: id, Name: `Offer ${id}`, Share: '50', Inactive: '0' }));
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"Search"}]',
    stats: JSON.stringify({ Reports: { landing: [], offer } }),
    'offer/addtocamp': '{"Status":"OK","ID":"31"}',
  });
  const { questions, person } = askedPerson();
  const { data } = await connect({ url: tracker.url, policy: { confirm: true }, person });
  const added = { campaign_id: 1, name: 'New', url: 'https://example.com', share: 100 };
  const effect = [
    'Offers:',
    '- 12 “Offer 12” (offer): share 50, 50% -> 25% of the traffic',
    '- 13 “Offer 13” (offer): share 50, 50% -> 25% of the traffic',
    '- new “New” (offer): share 0 -> 100, 0% -> 50% of the traffic',
  ].join('\n');
  for (const dry_run of [true, false]) {
    const { notices } = await data<Receipt>('add_offer_to_campaign', { ...added, dry_run });
    expect(notices).toContain(effect);
  }
  expect(questions).toEqual([expect.stringContaining(`- share: 100\n${effect}\nThis changes live traffic.`)]);
});

it('an addition is sent even if the pages cannot be read, with a notice', async () => {
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"Search"}]',
    stats: '{"Status":"Error","Message":"Busy"}',
    'offer/addtocamp': '{"Status":"OK","ID":"31"}',
  });
  const { data } = await connect({ url: tracker.url });
  const { done, notices } = await data<Receipt>('add_offer_to_campaign', { campaign_id: 1, offer_id: 12 });
  expect(done).toBe(true);
  expect(notices.join()).toMatch(/The effect on traffic is not known: .*Busy/);
});

describe('an edit of a value that no list shows', () => {
  const edit = { campaign_id: 1, page_id: 3, payout: 99 };
  const notice = 'The payout before is not known, so undo_change cannot restore it.';

  it('has a notice in the dry run, the question and the answer', async () => {
    const { tracker } = await startKeepingTracker();
    const { questions, person } = askedPerson();
    const { data } = await connect({ url: tracker.url, policy: { confirm: true }, person });
    for (const dry_run of [true, false]) {
      const { notices } = await data<Receipt>('edit_campaign_page', { ...edit, dry_run });
      expect(notices.filter((text) => text.includes('not known'))).toEqual([notice]);
    }
    expect(questions[0]?.split(notice)).toHaveLength(2);
  });

  it.each([
    ['nothing else', {}],
    ['a name, which is shown', { name: 'Gold' }],
  ])('does not get the promise of an undo when a person approves it with %s', async (_, more) => {
    const { tracker } = await startKeepingTracker();
    const server = await startApproving({ url: tracker.url });
    const { proposal_id: id, effect } = await server.propose('edit_campaign_page', { ...edit, ...more });
    expect(effect).toEqual([notice]);
    const { state, message } = await server.decided(id);
    expect([state, message]).toEqual(['done', `ann approved it, and it was sent. ${notice}`]);
  });

  it('does not get it either if its outcome is unknown', async () => {
    const { tracker } = await startKeepingTracker();
    tracker.answer('campaign/editpage', () => ({ status: 500, body: '' }));
    const { refusal } = await connect({ url: tracker.url });
    const message = await refusal('edit_campaign_page', edit);
    expect(message).toMatch(/The payout before is not known, so undo_change cannot restore it\.\nIt is change .*$/);
  });
});

describe('the ID of an added page that the tracker does not return', () => {
  /** @param echoes whether the tracker returns the ID of the offer, which is also the ID of a different page */
  const startAdding = async (isShown: boolean, echoes = false) => {
    const offer = [{ PageID: '12', Name: 'Old', Share: '50', Inactive: '0' }];
    const tracker = await startForeignTracker({
      'campaign/list': '[{"ID":"1","Name":"Search"}]',
      stats: () => ({ body: JSON.stringify({ Reports: { landing: [], offer } }) }),
      'offer/addtocamp': () => {
        if (isShown) offer.push({ PageID: '31', Name: 'New', Share: '10', Inactive: '0' });
        return { body: echoes ? '{"Status":"OK","ID":"12"}' : 'OK' };
      },
      'campaign/editpage': '{"Status":"OK"}',
    });
    return { tracker, ...(await connect({ url: tracker.url })) };
  };

  it.each([false, true])('is found in the reports, so that an undo works (echoed ID: %s)', async (echoes) => {
    const { tracker, data } = await startAdding(true, echoes);
    const { id, change_id } = await data<Receipt>('add_offer_to_campaign', { campaign_id: 1, offer_id: 12 });
    expect(id).toBe('31');
    tracker.taken();
    await data('undo_change', { change_id });
    const [write, ...others] = tracker.writes();
    expect(others).toEqual([]);
    expect(write?.sent).toMatchObject({ pageid: '31', inactive: '1' });
  });

  it('is missing if no report shows the page, and a notice and the undo say so', async () => {
    const { tracker, data, refusal } = await startAdding(false, true);
    const { id, change_id, notices } = await data<Receipt>('add_offer_to_campaign', { campaign_id: 1, offer_id: 12 });
    expect(id).toBeNull();
    expect(notices.join(' ')).toContain('undo_change cannot switch it off');
    tracker.taken();
    expect(await refusal('undo_change', { change_id })).toContain('returned no ID');
    expect(tracker.writes()).toEqual([]);
  });
});
