import { describe, expect, test } from 'vitest';
import { proposalText } from '../../src/answer/proposals.ts';
import { endpoints } from '../../src/api/endpoints.ts';
import { moneyArguments } from '../../src/api/vocabulary.ts';
import { proposalsPage } from '../../src/mcp/http/approve-pages.ts';
import type { Receipt } from '../support/answers.ts';
import { startApproving } from '../support/approving.ts';
import { askedPerson, connect, textOf } from '../support/connect.ts';
import { callAndDraw } from '../support/drawn.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';

const { tracker } = await startKeepingTracker();
const { url } = tracker;
const currency = 'EUR';
const bid = (amount: number) => ({ campaign_id: 1, bid: amount });

/** Proposes a bid; returns the answer, the server and the waiting proposal. */
async function propose(options: { readonly currency?: string } = {}) {
  const server = await startApproving({ url, ...options });
  const proposed = await server.propose('edit_campaign', bid(0.35));
  const [waiting] = await server.setup.proposals().all();
  if (!waiting) throw new Error('nothing waits');
  return { server, proposed, waiting };
}

describe('a person reads amounts in the configured currency', () => {
  test('in the questions about a write and its undo', async () => {
    const { questions, person } = askedPerson();
    const { data, call } = await connect({ url, currency, policy: { confirm: true }, person });
    const { change_id } = await data<Receipt>('edit_campaign', bid(0.25));
    await call('undo_change', { change_id });
    const [first, second] = questions;
    expect(first).toContain('- bid: 0.1 EUR -> 0.25 EUR\n');
    expect(second).toContain('- bid: 0.25 EUR -> 0.1 EUR\n');
    expect(first).toContain('- campaign id: 1 (“Search”)\n');
  });

  test('in a proposal, for the agent, on the terminal and on the page', async () => {
    const { server, proposed, waiting } = await propose({ currency });
    expect(proposed.steps).toMatchObject([{ arguments: bid(0.35), currency }]);
    const line = 'bid: 0.1 EUR -> 0.35 EUR';
    expect(textOf(await server.call('get_proposal', { proposal_id: proposed.proposal_id }))).toContain(line);
    expect(proposalText(waiting)).toContain(line);
    const page = await proposalsPage([waiting], { signer: { name: 'ann' }, formToken: 'token' });
    expect(String(page)).toContain('bid: 0.1 EUR -&gt; 0.35 EUR');
  });

  test('without a currency if none is configured', async () => {
    const { proposed, waiting } = await propose();
    expect(proposed.steps[0]).not.toHaveProperty('currency');
    expect(proposalText(waiting)).toContain('bid: 0.1 -> 0.35\n');
  });
});

describe('changes are shown in the configured currency', () => {
  test('in the receipt, list_changes and undo_change, in data and text', async () => {
    const server = await connect({ url, currency });
    const { call } = server;
    const receipt = await call('edit_campaign', bid(0.45));
    expect(textOf(receipt)).toContain('bid: 0.1 EUR -> 0.45 EUR');
    const listed = await callAndDraw(server, 'list_changes');
    expect(listed.structuredContent).toMatchObject({ changes: [{ steps: [{ arguments: bid(0.45), currency }] }] });
    expect(textOf(listed)).toContain('bid 0.1 EUR -> 0.45 EUR');
    const { change_id } = receipt.structuredContent as Receipt;
    const undone = await callAndDraw(server, 'undo_change', { change_id });
    expect(undone.structuredContent).toMatchObject({ steps: [{ arguments: bid(0.1), currency }] });
    expect(textOf(undone)).toContain('bid 0.45 EUR -> 0.1 EUR');
    for (const { drawn } of [listed, undone]) expect(drawn).toMatch(/bid 0\.(1|45) EUR -> 0\.(1|45) EUR/);
  });

  test('unless they have no amounts', async () => {
    const { call } = await connect({ url, currency });
    await call('edit_campaign_page', { campaign_id: 1, page_id: 3, share: 30 });
    const listed = await call('list_changes');
    expect(JSON.stringify(listed)).not.toContain(currency);
  });

  test('in the refusal to undo a value that changed since', async () => {
    const { data, call, refusal } = await connect({ url, currency });
    const { change_id } = await data<Receipt>('edit_campaign', bid(0.55));
    await (await connect({ url })).call('edit_campaign', bid(0.65));
    expect(await refusal('undo_change', { change_id })).toContain('bid is 0.65 EUR, but the change set it to 0.55 EUR');
    await call('edit_campaign', bid(0.1));
  });
});

test('the endpoint table and the list of arguments that are money agree', () => {
  const measured = endpoints.flatMap(({ parameters }) =>
    Object.keys(parameters).filter((name) => /(^|_)(bid|payout|cost|revenue|price|budget)(_|$)/.test(name)),
  );
  expect([...new Set(measured)].sort()).toEqual([...moneyArguments].sort());
});
