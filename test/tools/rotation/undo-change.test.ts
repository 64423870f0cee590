import { describe, expect, it } from 'vitest';
import type { ListedChanges, Receipt } from '../../support/answers.ts';
import { askedPerson, type ConnectOptions, connect, textOf } from '../../support/connect.ts';
import { startKeepingTracker } from '../../support/keeping-tracker.ts';

/** A client, and a tracker that keeps the values it gets. */
async function startKeeping(options: ConnectOptions = {}) {
  const { tracker, campaign } = await startKeepingTracker();
  const writes = () => tracker.writes().map(({ sent }) => sent);
  return { ...(await connect({ url: tracker.url, ...options })), tracker, campaign, writes };
}

/** The same, after a change of the bid from 0.1 to 0.5. */
async function startChanged() {
  const server = await startKeeping();
  const { change_id: id } = await server.data<Receipt>('edit_campaign', { campaign_id: 1, bid: 0.5 });
  server.writes();
  return { ...server, id };
}

it('an edit shows old and new values, in a dry run too', async () => {
  const { call, data, writes } = await startKeeping();
  const dry = await data<Receipt>('edit_campaign', { campaign_id: 1, bid: 0.5, dry_run: true });
  expect(dry).toMatchObject({ before: { bid: 0.1 }, change_id: null });
  const text = textOf(await call('edit_campaign', { campaign_id: 1, bid: 0.5, engage_rate: 30 }));
  expect(text).toContain('bid: 0.1 -> 0.5');
  expect(text).toContain('engage_rate: 40 -> 30');
  expect(writes()).toHaveLength(1);
});

const yoga = { name: 'Yoga', url: 'https://x.example/y' };

describe('a change', () => {
  it('is undone once, and a dry run of the undo sends nothing', async () => {
    const { id, data, refusal, call, campaign, writes } = await startChanged();
    expect(textOf(await call('undo_change', { change_id: id, dry_run: true }))).toContain('bid 0.5 -> 0.1');
    expect(writes()).toEqual([]);
    await data('undo_change', { change_id: id });
    expect(campaign.Bid).toBe('0.1');
    expect(await refusal('undo_change', { change_id: id })).toContain('already undone');
  });

  it('is undone by only one of two concurrent calls', async () => {
    const { id, call, writes } = await startChanged();
    const ends = await Promise.all([1, 2].map(() => call('undo_change', { change_id: id })));
    expect(ends.map(({ isError }) => isError === true).sort()).toEqual([false, true]);
    expect(ends.map(textOf).join()).toMatch(/being undone by another call|already undone/);
    expect(writes()).toHaveLength(1);
  });

  it('is restored by undoing the undo', async () => {
    const { id, data, campaign } = await startChanged();
    const undo = await data<Receipt>('undo_change', { change_id: id });
    await data('undo_change', { change_id: undo.change_id });
    expect(campaign.Bid).toBe('0.5');
  });

  it('is not undone if the value was changed again', async () => {
    const { id, refusal, campaign, writes } = await startChanged();
    campaign.Bid = '0.8';
    expect(await refusal('undo_change', { change_id: id })).toMatch(
      /bid is 0\.8, but the change set it to 0\.5.*Somebody/s,
    );
    expect(writes()).toEqual([]);
  });

  it.each([
    [0.123456789, '0.123457'],
    [66.66667, '66.67'],
    [1e-7, '0.00000010'],
  ])('of the bid to %d, which the tracker shows as %s, is undone', async (bid, shown) => {
    const { data, campaign } = await startKeeping();
    const { change_id } = await data<Receipt>('edit_campaign', { campaign_id: 1, bid });
    campaign.Bid = shown;
    await data('undo_change', { change_id });
    expect(campaign.Bid).toBe('0.1');
  });

  it.each([
    [0.52, '0.5'],
    [0.00123, '0.0012'],
    [12.51, '12.5'],
    [0.1, '0.10001'],
    [0.6, '1'],
    [1e-7, '0'],
  ])('of the bid to %d is not undone if the tracker shows %s', async (bid, shown) => {
    const { data, refusal, campaign, writes } = await startKeeping();
    const { change_id } = await data<Receipt>('edit_campaign', { campaign_id: 1, bid });
    writes();
    campaign.Bid = shown;
    const message = await refusal('undo_change', { change_id });
    expect(message).toContain('Somebody changed it since, or the tracker stored it differently, for example rounded.');
    expect(writes()).toEqual([]);
  });

  it('that the tracker rounded is already undone if it shows the rounded old value', async () => {
    const { data, refusal, campaign, writes } = await startKeeping();
    campaign.Bid = '0.123456789';
    const { change_id } = await data<Receipt>('edit_campaign', { campaign_id: 1, bid: 0.5 });
    writes();
    campaign.Bid = '0.123457';
    expect(await refusal('undo_change', { change_id })).toContain('the tracker already has the old value');
    expect(writes()).toEqual([]);
  });

  it('that added a record is undone by switching the record off', async () => {
    const { data, writes } = await startKeeping();
    const { change_id: id } = await data<Receipt>('add_offer', yoga);
    writes();
    const { notices } = await data<Receipt>('undo_change', { change_id: id });
    expect(writes()).toEqual([expect.objectContaining({ id: '12', inactive: '1' })]);
    expect(notices.join(' ')).toContain('cannot delete');
  });

  it('sends nothing for a value that the API does not take, and says so', async () => {
    const { data, refusal, writes, campaign } = await startKeeping();
    campaign.Bid = '2000000';
    const { change_id: id } = await data<Receipt>('edit_campaign', { campaign_id: 1, bid: 0.5 });
    writes();
    expect(await refusal('undo_change', { change_id: id })).toMatch(/old value, 2000000, cannot be set/);
    expect(writes()).toEqual([]);
  });

  it('shows only the values that it sets, if the same record was changed before', async () => {
    const { data } = await startKeeping();
    await data<Receipt>('edit_offer', { offer_id: 12, payout: 5 });
    expect((await data<Receipt>('edit_offer', { offer_id: 12, payout: 6 })).before).toEqual({ payout: 5 });
  });

  it('is not undone if the value before is not known', async () => {
    const { data, refusal, writes } = await startKeeping();
    const { change_id: id } = await data<Receipt>('edit_offer', { offer_id: 12, payout: 5 });
    writes();
    expect(await refusal('undo_change', { change_id: id })).toMatch(/cannot be undone.*payout.*is not known/s);
    expect(writes()).toEqual([]);
  });

  it('that does not exist is refused, and the newest changes are named', async () => {
    const { id, refusal } = await startChanged();
    expect(await refusal('undo_change', { change_id: 'ffffff' })).toContain(`${id} (edit_campaign)`);
  });

  it('has the same details in the data and the text of list_changes', async () => {
    const { data, call } = await startKeeping();
    const { change_id: id } = await data<Receipt>('edit_campaign', { campaign_id: 1, bid: 0.5, engage_rate: 30 });
    await data('undo_change', { change_id: id });
    const result = await call('list_changes', { limit: 1 });
    const { changes, notices } = result.structuredContent as unknown as ListedChanges;
    const text = textOf(result);
    expect(changes).toHaveLength(1);
    for (const { change_id, time, tool, state, steps } of changes) {
      expect(text).toContain(`${change_id}  ${time}  ${tool}: ${state}`);
      for (const { before, arguments: given, outcome } of steps) {
        for (const name of Object.keys(before)) expect(text).toContain(`${name} ${before[name]} -> ${given[name]}`);
        expect(text).toContain(`(${outcome})`);
      }
    }
    expect(notices).toEqual(['Not shown: 1 older change; call again with offset 1.']);
    for (const notice of notices) expect(text).toContain(notice);
  });

  it('is not undone to a value above a limit', async () => {
    const { data, refusal, campaign, writes } = await startKeeping({ policy: { limits: { maxBid: 0.6 } } });
    campaign.Bid = '0.9';
    const { change_id: id } = await data<Receipt>('edit_campaign', { campaign_id: 1, bid: 0.5 });
    writes();
    for (const dry_run of [true, false]) {
      const message = await refusal('undo_change', { change_id: id, dry_run });
      expect(message).toMatch(/^undo_change was refused, .*TRACKER_MAX_BID/);
    }
    expect(writes()).toEqual([]);
  });

  it('is not undone if the tracker cannot be read', async () => {
    const { id, refusal, tracker, writes } = await startChanged();
    tracker.answer('campaign/list', '{"Status":"Error","Message":"Busy"}');
    expect(await refusal('undo_change', { change_id: id })).toContain('Busy');
    expect(writes()).toEqual([]);
  });

  it('with an unreadable current value is undone only with unread true', async () => {
    const { data, refusal, writes } = await startKeeping();
    const { change_id: add } = await data<Receipt>('add_offer', { ...yoga, payout: 3 });
    const { change_id: id } = await data<Receipt>('edit_offer', { offer_id: 12, payout: 5 });
    writes();
    const unread = /today’s value of payout of edit_offer offer_id 12 cannot be read.*unread true/s;
    expect(await refusal('undo_change', { change_id: id })).toMatch(unread);
    const dry = await data<Receipt>('undo_change', { change_id: id, dry_run: true });
    expect(dry.notices.join(' ')).toContain('Today’s value cannot be read');
    expect(writes()).toEqual([]);
    await data('undo_change', { change_id: id, unread: true });
    expect(writes()).toEqual([expect.objectContaining({ id: '12', payout: '3' })]);
    await data('undo_change', { change_id: add });
    expect(writes()).toHaveLength(1);
  });

  it('with an unreadable current value is put to the person with that warning', async () => {
    const { questions, person } = askedPerson();
    const { data } = await startKeeping({ policy: { confirm: true }, person });
    await data<Receipt>('add_offer', { ...yoga, payout: 3 });
    const { change_id: id } = await data<Receipt>('edit_offer', { offer_id: 12, payout: 5 });
    await data('undo_change', { change_id: id });
    expect(questions.at(-1)).toContain('Today’s value cannot be read: payout of edit_offer offer_id 12.');
  });
});
