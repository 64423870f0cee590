import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { proposalText } from '../../src/answer/proposals.ts';
import { readAuditLog } from '../../src/guard/read-audit-log.ts';
import { proposalsPage } from '../../src/mcp/http/approve-pages.ts';
import { setUpApproval, startApproving } from '../support/approving.ts';
import { openTrail } from '../support/audit-trail.ts';
import { apiKey, connect } from '../support/connect.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';
import { validArguments, writingTools } from '../support/specified.ts';

const { tracker, offers, campaign } = await startKeepingTracker();
const setup = await setUpApproval();

const start = (options: Partial<Parameters<typeof startApproving>[0]> = {}, at = setup) =>
  startApproving({ url: tracker.url, ...options }, at);
const bid = (amount: number) => ({ campaign_id: 1, bid: amount });
const share = (page_id: number, share: number) => ({ page_id, share });
const shares = { campaign_id: 1, shares: [share(3, 10), share(4, 70)] };
const gym = { campaign_id: 1, page_id: 4 };
const swim = { name: 'Swim', url: 'https://swim.example.com' };

describe('a write that waits for a person', () => {
  it('returns its ID, the exact request, old and new values, the effect and the expiry', async () => {
    const server = await start();
    const given = { campaign_id: 1, page_id: 3, share: 90 };
    const sent = { key: '***', format: 'json', campaignid: '1', pageid: '3', share: '90' };
    const { done, notices, ...proposal } = await server.propose('edit_campaign_page', given);
    expect(done).toBe(false);
    expect(proposal).toMatchObject({
      proposal_id: expect.stringMatching(/^[0-9a-z]{12}$/),
      ...{ state: 'waiting', steps: [{ tool: 'edit_campaign_page', arguments: given, sent, before: { share: 40 } }] },
    });
    expect(proposal.effect.join()).toMatch(/FitTrack.*share 40 -> 90.*Home gym.*40% -> 26\.\d+%/s);
    const lifetimeMs = Date.parse(proposal.expires) - Date.now();
    expect(lifetimeMs).toBeGreaterThan(50 * 60_000);
    expect(lifetimeMs).toBeLessThanOrEqual(60 * 60_000);
    expect(notices.join()).toContain(`tracker-mcp approve ${proposal.proposal_id}`);
    expect(tracker.writes()).toEqual([]);
    expect(JSON.stringify(proposal)).not.toContain(apiKey);
  });

  it('can be any write, and is not sent', async () => {
    const server = await start({}, await setUpApproval());
    for (const tool of writingTools) {
      expect(await server.propose(tool.name, validArguments(tool)), tool.name).toMatchObject({ state: 'waiting' });
    }
    expect(tracker.writes()).toEqual([]);
  });

  it('is one proposal, even if it is called again while it waits', async () => {
    const server = await start();
    const proposed = async (amount: number) => (await server.propose('edit_campaign', bid(amount))).proposal_id;
    const first = await proposed(2);
    expect(await proposed(2)).toBe(first);
    expect(await proposed(3)).not.toBe(first);
    expect(new Set(await Promise.all([4, 4, 4].map(proposed))).size).toBe(1);
  });

  it('is refused beyond the limit, even if all are called at once', async () => {
    const server = await start({}, await setUpApproval());
    const calls = Array.from({ length: 55 }, (_, index) => server.call('edit_campaign', bid((index + 1) / 100)));
    expect((await Promise.all(calls)).filter(({ isError }) => isError)).toHaveLength(5);
  });

  it('is refused beyond a limit, if it is too long to read, and if too many wait', async () => {
    const server = await start({ policy: { limits: { maxBid: 1 } } }, await setUpApproval());
    expect(await server.refusal('edit_campaign', bid(2))).toContain('TRACKER_MAX_BID');
    const long = { name: 'x', url: 'https://example.com', notes: 'x'.repeat(30_000) };
    expect(await server.refusal('add_offer', long)).toMatch(/not proposed|notes must be/);
    for (let amount = 1; amount <= 50; amount += 1) await server.propose('edit_campaign', bid(amount / 100));
    expect(await server.refusal('edit_campaign', bid(0.99))).toContain('50 writes already wait');
  });

  it('never contains the API key, even if the tracker repeats it', async () => {
    const emptySetup = await setUpApproval();
    const server = await start({}, emptySetup);
    Object.assign(offers[2] ?? {}, { Name: `Yoga ${apiKey}` });
    const given = { campaign_id: 1, page_id: 5, name: 'Yoga', active: true };
    const { proposal_id: id } = await server.propose('edit_campaign_page', given);
    const file = await readFile(join(emptySetup.directory, `${id}.proposal.json`), 'utf8');
    expect(file).toContain('Yoga ***');
    expect(file).not.toContain(apiKey);
    expect(await server.decided(id)).toMatchObject({ state: 'done' });
  });

  it('is not created by reads and dry runs', async () => {
    const emptySetup = await setUpApproval();
    const server = await start({}, emptySetup);
    const dryRun = { ...shares, dry_run: true };
    const plain = await connect({ url: tracker.url });
    expect(await server.data('set_shares', dryRun)).toEqual(await plain.data('set_shares', dryRun));
    await server.data('list_campaigns');
    await expect(emptySetup.files()).rejects.toThrow('ENOENT');
  });
});

describe('a person can read the change before they decide:', () => {
  /** The text and the page of a proposal, two minutes later. */
  const textsOf = async (tool: string, given: object, name = 'test-client') => {
    const emptySetup = await setUpApproval();
    const server = await start({ currency: 'EUR', name }, emptySetup);
    const { proposal_id: id } = await server.propose(tool, { ...given });
    const found = await emptySetup.proposals().find(id);
    if (!found) throw new Error('there is no proposal');
    const later = { ...found, at: new Date(Date.parse(found.proposal.created) + 2 * 60_000) };
    const page = String(await proposalsPage([later], { signer: { name: 'ann' }, formToken: 'x' }));
    return { text: proposalText(later), page: page.replaceAll('&#39;', "'").replaceAll('&quot;', '"') };
  };
  beforeEach(() => {
    campaign.Bid = '0.10';
    for (const [index, Share] of ['40', '40', '20'].entries()) Object.assign(offers[index] ?? {}, { Share });
  });

  const moved = { ...gym, url: 'https://other.example.com' };
  const percent = { campaign_id: 1, shares: [{ page_id: 4, percent: 70 }] };
  const unused = { campaign_id: 1, offer_id: 9, share: 0 };
  const added = { campaign_id: 1, ...swim, share: 100 };
  const addedLines = [
    '“Search”: a new offer “Swim” with share 100, 50% of the traffic',
    '4 “Home gym” (offer): share 40, 40% -> 20% of the traffic',
    'new “Swim” (offer): share 0 -> 100, 0% -> 50% of the traffic',
  ];

  it.each<[tool: string, given: object, ...lines: string[]]>([
    ['edit_campaign_page', { ...gym, share: 90 }, '“Search”: “Home gym” 40% to 60% of the traffic'],
    ['edit_campaign_page', { ...gym, active: false }, '“Home gym” switched off, 40% to 0% of the traffic'],
    ['edit_campaign_page', moved, '“Search”: “Home gym” url “https://gym.example.com” to “https://other.example.com”'],
    ['set_shares', shares, '“Search”: “Home gym” 40% to 70% of the traffic; “FitTrack” 40% to 10% of the traffic'],
    ['set_shares', percent, '“Home gym” 40% to 70% of the traffic', '“FitTrack” 40% to 20%', '“Yoga” 20% to 10%'],
    ['edit_campaign', bid(0.25), '“Search”: bid 0.1 EUR to 0.25 EUR'],
    ['add_offer', { ...swim, payout: 3 }, 'A new offer, in no campaign yet: name “Swim”', 'payout 3 EUR'],
    ['edit_offer', { offer_id: 7, active: false }, 'Predefined offer 7: active no'],
    ['add_offer_to_campaign', added, ...addedLines],
    ['add_offer_to_campaign', unused, 'a new offer “ID 9” with share 0, 0% of the traffic'],
  ])('%s %j', async (tool, given, ...lines) => {
    const { text, page } = await textsOf(tool, given);
    for (const line of lines) {
      expect(text).toContain(line);
      expect(page).toContain(line.replaceAll('>', '&gt;'));
    }
    expect(text).toContain('waits for a person, expires in 58 min\n');
    expect(text).toMatch(/proposed by: “test-client”, 2 min ago/);
    expect(page).toContain('expires in 58 min');
    expect(page.match(/class="primary"/g)).toHaveLength(1);
    for (const shown of [text, page]) expect(shown).not.toMatch(/\d{4}-\d\d-\d\dT/);
  });

  it('a client name that imitates the server is quoted', async () => {
    const name = 'Claude” (token of boss)\nstate: approved, decided by ann';
    const { text, page } = await textsOf('edit_campaign', bid(0.3), name);
    for (const shown of [text, page]) {
      expect(shown).toContain("“Claude' (token of boss) state: approved, decided by ann”, 2 min ago");
      expect(shown).not.toMatch(/^\s*state: approved/m);
    }
  });
});

describe('once a person approved it', () => {
  it('it is sent once, and get_proposal, the next write and list_changes report it', async () => {
    const server = await start();
    const { proposal_id: id } = await server.propose('edit_campaign', bid(0.2));
    await setup.decide(id);
    expect(await server.stateOf(id)).toMatchObject({ state: 'approved', decided_by: 'ann' });
    await server.look();
    await server.look();
    const sent = tracker.writes();
    expect(sent.map(({ path }) => path)).toEqual(['/api/campaign/edit/']);
    expect(new Map(sent[0]?.parameters).get('bid')).toBe('0.2');
    const { state, change_id } = await server.stateOf(id);
    expect([state, change_id]).toEqual(['done', expect.stringMatching(/^[0-9a-f]{12}$/)]);
    const next = await server.propose('edit_campaign', bid(0.3));
    const ending = `Proposal ${id} (edit_campaign), decided by ann: done; change ${change_id}`;
    expect(next.notices.join()).toContain(ending);
    expect((await server.propose('edit_campaign', bid(0.4))).notices.join()).not.toContain(`Proposal ${id}`);
    expect(await server.data('list_changes')).toMatchObject({
      changes: [{ change_id, state: 'done, approved by ann' }],
      proposals: expect.arrayContaining([expect.objectContaining({ proposal_id: id, state: 'done' })]),
    });
    expect(server.failures).toEqual([]);
  });

  it('several requests of one write are one proposal, and so is their undo', async () => {
    const server = await start();
    const proposed = await server.propose('set_shares', shares);
    expect(proposed.steps).toHaveLength(2);
    const { change_id } = await server.decided(proposed.proposal_id);
    expect(offers.map(({ Share }) => Share)).toEqual(['10', '70', '20']);
    const undo = await server.propose('undo_change', { change_id });
    expect(undo.steps).toHaveLength(2);
    await server.decided(undo.proposal_id);
    expect(offers.map(({ Share }) => Share)).toEqual(['40', '40', '20']);
    expect(tracker.writes()).toHaveLength(4);
  });

  it('the audit trail names the proposer and the approver', async () => {
    const auditLog = join(setup.folder, 'writes.jsonl');
    const auditTrail = openTrail(auditLog, { tracker: tracker.url });
    const server = await start({ name: 'claude', policy: { auditTrail } });
    const { proposal_id: id } = await server.propose('edit_campaign', bid(0.5));
    await server.decided(id);
    const { writes } = await readAuditLog(auditLog);
    expect(writes).toMatchObject([{ client: 'claude', approver: 'ann', proposal: id, outcome: 'ok' }]);
  });
});

describe('a no', () => {
  it('to a proposal is final', async () => {
    const server = await start();
    const { proposal_id: id } = await server.propose('edit_campaign', bid(7));
    expect(await server.decided(id, 'no')).toMatchObject({ state: 'rejected', decided_by: 'ann' });
    await expect(setup.decide(id)).rejects.toThrow('is not waiting any more');
    expect(tracker.writes()).toEqual([]);
  });

  it('in the client is not followed by a proposal', async () => {
    const server = await start({ person: () => ({ action: 'decline' }) });
    expect(await server.refusal('edit_campaign', bid(8))).toContain('TRACKER_CONFIRM=approve');
    const all = await setup.proposals().all();
    expect(all.filter(({ proposal }) => proposal.steps[0]?.arguments['bid'] === 8)).toEqual([]);
  });
});

it('if the client can ask, a yes sends the write without a proposal', async () => {
  const server = await start({ person: () => ({ action: 'accept', content: { agree: true } }) });
  campaign.Bid = '0.10';
  expect(await server.data('edit_campaign', bid(0.6))).toMatchObject({ done: true });
  expect(tracker.writes()).toHaveLength(1);
});

it.each<[string, ElicitResult | undefined]>([
  ['fails to ask', undefined],
  ['answers neither yes nor no', { action: 'accept' }],
])('if the client %s, the write waits', async (_, answer) => {
  const person = () => answer ?? Promise.reject(new Error('no screen'));
  const server = await start({ person }, await setUpApproval());
  expect(await server.propose('edit_campaign', bid(0.61))).toMatchObject({ done: false, state: 'waiting' });
  expect(tracker.writes()).toEqual([]);
});

it('get_proposal and the output schemas of proposals are listed only if writes can wait', async () => {
  const server = await start();
  const named = (name: string) => server.listed.find((tool) => tool.name === name);
  expect(named('get_proposal')?.annotations?.readOnlyHint).toBe(true);
  expect(Object.keys(named('edit_campaign')?.outputSchema?.properties ?? {})).toContain('proposal');
  expect(Object.keys(named('list_changes')?.outputSchema?.properties ?? {})).toContain('proposals');
  const plain = await connect({ url: tracker.url, policy: { confirm: true } });
  expect(plain.listed.map(({ name }) => name)).not.toContain('get_proposal');
  expect(await plain.refusal('get_proposal', { proposal_id: 'x' })).toContain('TRACKER_CONFIRM=approve');
});
