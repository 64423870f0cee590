import { describe, expect, it } from 'vitest';
import { proposalText } from '../../src/answer/proposals.ts';
import type { Receipt } from '../support/answers.ts';
import { startApproving } from '../support/approving.ts';
import { askedPerson, connect, textOf } from '../support/connect.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';

const offer = { PageID: '3', Name: 'FitTrack', URL: 'https://fit.example.com', Path: '1', Share: '40', Inactive: '0' };
const { tracker, campaign } = await startKeepingTracker([Object.assign(offer, { Payout: '2.50' })]);
const { url } = tracker;
const bid = (amount: number) => ({ campaign_id: 1, bid: amount });
const payout = (amount: number) => ({ campaign_id: 1, page_id: 3, payout: amount });
const leap = /times the old|of the old/;

describe('an amount a hundred times the old, or a hundredth, is pointed out', () => {
  it.each<[tool: string, given: object, notice: string]>([
    ['edit_campaign', bid(10), 'The bid of 10 EUR is 100 times the old one, 0.1 EUR.'],
    ['edit_campaign', bid(12.34), 'The bid of 12.34 EUR is about 123 times the old one, 0.1 EUR.'],
    ['edit_campaign', bid(0.001), 'The bid of 0.001 EUR is 1/100 of the old one, 0.1 EUR.'],
    ['edit_campaign_page', payout(250), 'The payout of 250 EUR is 100 times the old one, 2.5 EUR.'],
    ['edit_campaign_page', payout(0.02), 'The payout of 0.02 EUR is 1/125 of the old one, 2.5 EUR.'],
  ])('by a dry run of %s %j', async (tool, given, notice) => {
    const { call, data } = await connect({ url, currency: 'EUR' });
    const dry = { ...given, dry_run: true };
    expect((await data<Receipt>(tool, dry)).notices).toContain(notice);
    expect(textOf(await call(tool, dry))).toContain(notice);
  });

  it.each<[tool: string, given: object]>([
    ['edit_campaign', bid(9.9)],
    ['edit_campaign', bid(0.0011)],
    ['edit_campaign', bid(0)],
    ['edit_campaign', { campaign_id: 1, engage_rate: 0.4 }],
    ['edit_campaign_page', payout(2.5)],
  ])('but not by %s %j', async (tool, given) => {
    const { data } = await connect({ url });
    const { notices } = await data<Receipt>(tool, { ...given, dry_run: true });
    expect(notices.join(' ')).not.toMatch(leap);
  });

  it('beside a value that this server set in a predefined offer', async () => {
    const { data } = await connect({ url });
    await data('edit_offer', { offer_id: 12, payout: 3 });
    const { notices } = await data<Receipt>('edit_offer', { offer_id: 12, payout: 300, dry_run: true });
    expect(notices).toContain('The payout of 300 is 100 times the old one, 3.');
  });

  it('in the question, in the proposal, and by a dry run of the undo', async () => {
    const notice = 'The bid of 10 is 100 times the old one, 0.1.';
    const { questions, person } = askedPerson();
    const { data } = await connect({ url, policy: { confirm: true }, person });
    const { change_id } = await data<Receipt>('edit_campaign', bid(10));
    expect(questions[0]).toContain(notice);
    const undo = await data<Receipt>('undo_change', { change_id, dry_run: true });
    expect(undo.notices).toContain('The bid of 0.1 is 1/100 of the old one, 10.');
    campaign.Bid = '0.10';
    const { propose, setup } = await startApproving({ url });
    await propose('edit_campaign', bid(10));
    const [waiting] = await setup.proposals().all();
    expect(waiting && proposalText(waiting)).toContain(notice);
  });
});
