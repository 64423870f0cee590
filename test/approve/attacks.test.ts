import { generateKeyPairSync } from 'node:crypto';
import { chmod, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { endpointNamed } from '../../src/api/endpoints.ts';
import { Approvers, decide, makeProposal } from '../../src/guard/approval.ts';
import { type ApprovalSetup, setUpApproval, startApproving } from '../support/approving.ts';
import { openTrail } from '../support/audit-trail.ts';
import { apiKey } from '../support/connect.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';
import { privateModes } from '../support/system.ts';

/** Attacks by a person who can write in the directory but has no secret. */

const { tracker, offers, campaign } = await startKeepingTracker();
let setup: ApprovalSetup;
beforeEach(async () => {
  setup = await setUpApproval();
  campaign.Bid = '0.10';
});

const minute = 60_000;
const hour = 60 * minute;
const start = (policy = {}) => startApproving({ url: tracker.url, policy }, setup);
type Server = Awaited<ReturnType<typeof start>>;
const bid = (amount: number) => ({ campaign_id: 1, bid: amount });
const fileOf = (id: string, part: string) => join(setup.directory, `${id}.${part}.json`);
const read = async (id: string, part: string) => JSON.parse(await readFile(fileOf(id, part), 'utf8'));
const write = (id: string, part: string, content: object) => writeFile(fileOf(id, part), JSON.stringify(content));

/** A server, and the ID of its proposal. */
async function proposed(name = 'edit_campaign', given: object = bid(1), policy = {}) {
  const server = await start(policy);
  return { server, id: (await server.propose(name, { ...given })).proposal_id };
}

/** A server, and the ID of its proposal, which a person approved. */
async function approved(...given: Parameters<typeof proposed>) {
  const made = await proposed(...given);
  await setup.decide(made.id);
  return made;
}

async function outcomeOf(server: Server, id: string): Promise<string> {
  const { state, message } = await server.stateOf(id);
  return `${state}: ${message}`;
}

/** Counts the requests that these servers send for approved proposals. */
async function sentBy(...servers: readonly Server[]): Promise<number> {
  tracker.taken();
  await Promise.all(servers.map((server) => server.look()));
  expect(servers.flatMap(({ failures }) => failures)).toEqual([]);
  return tracker.writes().length;
}

it('no tool can approve a proposal', async () => {
  const { server, id } = await proposed();
  expect(server.listed.filter(({ name }) => /approve|decide|confirm/.test(name))).toEqual([]);
  for (const name of ['approve', 'approve_proposal']) {
    await expect(server.call(name, { proposal_id: id })).rejects.toThrow('There is no tool');
  }
  expect(await server.refusal('get_proposal', { proposal_id: id, verdict: 'yes' })).toContain('no argument');
  expect(await server.refusal('edit_campaign', { ...bid(1), approve: true })).toContain('no argument');
  expect(await sentBy(server)).toBe(0);
});

describe('a decision has no effect that is', () => {
  it('signed with a different key, in any name', async () => {
    const { server, id } = await proposed();
    const proposal = (await setup.proposals().find(id))?.proposal;
    if (!proposal) throw new Error('there is no proposal');
    const { privateKey } = generateKeyPairSync('ed25519');
    for (const name of ['ann', 'mallory']) {
      await write(id, 'decision', decide({ name, key: privateKey }, proposal, 'yes', new Date()));
      expect(await sentBy(server)).toBe(0);
      expect(await server.stateOf(id)).toMatchObject({ state: 'waiting', decided_by: null });
    }
  });

  it('unsigned, half written, or not a decision', async () => {
    const { server, id } = await approved();
    const { signature: _, ...unsigned } = await read(id, 'decision');
    for (const content of [unsigned, { ...unsigned, signature: '' }, { verdict: 'yes' }, []]) {
      await write(id, 'decision', content);
      expect(await sentBy(server)).toBe(0);
    }
    await writeFile(fileOf(id, 'decision'), '{"proposal":"');
    expect(await sentBy(server)).toBe(0);
    expect(await server.stateOf(id)).toMatchObject({ state: 'waiting' });
  });

  it('a no that was changed to a yes', async () => {
    const { server, id } = await proposed();
    await setup.decide(id, 'no');
    await write(id, 'decision', { ...(await read(id, 'decision')), verdict: 'yes' });
    expect(await sentBy(server)).toBe(0);
  });

  it('about a different proposal', async () => {
    const { server, id } = await approved();
    const { proposal_id: harmful } = await server.propose('edit_campaign', bid(99));
    const decision = await read(id, 'decision');
    await write(harmful, 'decision', decision);
    expect(await sentBy(server)).toBe(1);
    await write(harmful, 'decision', { ...decision, proposal: harmful });
    expect(await sentBy(server)).toBe(0);
    expect(campaign.Bid).toBe('1');
  });

  it('made by an approver who was removed', async () => {
    const { server, id } = await approved();
    await new Approvers(setup.approversFile).remove('ann');
    expect(await sentBy(server)).toBe(0);
    await expect(setup.decide(id)).rejects.toThrow('no approver has this secret');
  });

  it.each<[string, () => Promise<void> | void, string]>([
    ['by an approver who is removed', () => new Approvers(setup.approversFile).remove('ann'), 'waiting'],
    ['too long ago', () => void Object.assign(setup.clock, { aheadMs: 2 * hour }), 'expired'],
  ])('%s, while another one is being sent', async (_, meanwhile, state) => {
    const server = await start();
    const ids = [bid(1), { campaign_id: 1, engage_rate: 30 }].map((given) => server.propose('edit_campaign', given));
    for (const { proposal_id } of await Promise.all(ids)) await setup.decide(proposal_id);
    const list = () => ({ body: JSON.stringify([campaign]) });
    tracker.answer('campaign/list', async () => {
      tracker.answer('campaign/list', list);
      await meanwhile();
      return list();
    });
    expect(await sentBy(server)).toBe(1);
    const states = (await setup.proposals().all()).map((status) => status.state);
    expect(states.toSorted()).toEqual(['done', state]);
    expect(await sentBy(server)).toBe(0);
  });

  it.each(['', 'x', '0000-0000-0000-0000-0000-0000-0000-0000'])('made with the secret %j', async (secret) => {
    const { id } = await proposed();
    await expect(setup.decide(id, 'yes', secret)).rejects.toThrow('no approver has this secret');
  });
});

it.each(privateModes)('approvals have no effect if others can write the file of approvers', async (mode) => {
  const { server } = await approved();
  await chmod(setup.approversFile, mode | 0o022);
  await server.look();
  expect(server.failures).toEqual([expect.objectContaining({ message: expect.stringContaining('written by others') })]);
  expect(tracker.writes()).toEqual([]);
});

describe('a proposal with a changed file is invalid', () => {
  type ProposalFile = { steps: [{ arguments: object; sent: object }] };
  const changes: readonly (readonly [string, (proposal: ProposalFile) => object])[] = [
    ['its arguments', ({ steps: [step] }) => ({ steps: [{ ...step, arguments: bid(99) }] })],
    ['its request', ({ steps: [step] }) => ({ steps: [{ ...step, sent: { ...step.sent, bid: '99' } }] })],
    ['its expiry', () => ({ expires: '2099-01-01T00:00:00.000Z' })],
    ['its policy', () => ({ policy: { readOnly: false, limits: {}, confirm: false } })],
    ['its token', () => ({ holder: { name: 'boss', access: 'write', limits: {} } })],
  ];
  const apply = async (change: (typeof changes)[number][1], id: string) => {
    const proposal = await read(id, 'proposal');
    await write(id, 'proposal', { ...proposal, ...change(proposal) });
  };

  it.each(changes)('before a person decides: %s', async (_, change) => {
    const { id } = await proposed();
    await apply(change, id);
    await expect(setup.decide(id)).rejects.toThrow('No proposal has this ID');
  });

  it.each(changes)('after a person approved it: %s', async (_, change) => {
    const { server, id } = await approved();
    await apply(change, id);
    expect(await sentBy(server)).toBe(0);
    expect(await server.refusal('get_proposal', { proposal_id: id })).toContain('no proposal');
  });
});

it.each<[string, object, RegExp]>([
  ['a request that its arguments do not make', { sent: { bid: '1' } }, /not what ann approved/],
  ['an argument that no tool accepts', { arguments: bid(-1) }, /bid must be/],
  ['an unknown argument', { arguments: { ...bid(1), more: 1 } }, /no argument "more"/],
  ['no value to set', { arguments: { campaign_id: 1 } }, /changes nothing/],
  ['the API key', { arguments: { campaign_id: 7, page_id: 3, name: apiKey }, tool: 'edit_campaign_page' }, /API key/],
  ['a tool that reads', { tool: 'list_campaigns' }, /not a tool that writes/],
])(
  'a proposal that someone wrote into the directory is not sent, even if approved, with %s',
  async (_, change, why) => {
    const { server, id: originalId } = await proposed();
    const { id: _id, ...original } = await read(originalId, 'proposal');
    const forged = makeProposal({ ...original, steps: [{ ...original.steps[0], ...change }] }, new Date());
    await write(forged.id, 'proposal', forged);
    await setup.decide(forged.id);
    setup.clock.aheadMs += minute;
    expect(await sentBy(server)).toBe(0);
    expect(await outcomeOf(server, forged.id)).toMatch(why);
  },
);

describe('an approval is used once', () => {
  const addition = { name: 'New', url: 'https://example.com' };

  it('by one server, and not after a restart', async () => {
    const { server } = await approved('add_offer', addition);
    expect(await sentBy(server)).toBe(1);
    expect(await sentBy(server)).toBe(0);
    setup.clock.aheadMs += minute;
    expect(await sentBy(await start(), await start())).toBe(0);
  });

  it('by one of several competing servers', async () => {
    await approved('add_offer', addition);
    setup.clock.aheadMs += minute;
    const servers = [await start(), await start(), await start(), await start()];
    expect(await sentBy(...servers)).toBe(1);
    expect(await setup.proposals().all()).toMatchObject([{ state: 'done' }]);
  });

  it.each([
    ['with an audit trail', true],
    ['by the server that sent it, without an audit trail', false],
  ])('even if all files are put back, %s', async (_, isAudited) => {
    const file = join(setup.folder, 'writes.jsonl');
    const trail = () => (isAudited ? { auditTrail: openTrail(file, { tracker: tracker.url }) } : {});
    const { server, id } = await approved('add_offer', addition, trail());
    const copy = join(setup.folder, 'copy');
    await cp(setup.directory, copy, { recursive: true });
    expect(await sentBy(server)).toBe(1);
    for (const next of isAudited ? [server, await start(trail())] : [server]) {
      await rm(setup.directory, { recursive: true });
      await cp(copy, setup.directory, { recursive: true });
      if (isAudited) setup.clock.aheadMs += minute;
      expect(await sentBy(next)).toBe(0);
      expect(await outcomeOf(next, id)).toMatch(/^stopped: .*sent before/);
    }
  });

  it('even if all files are put back after hundreds of later changes, at a server that knew of none of them', async () => {
    const file = join(setup.folder, 'writes.jsonl');
    const trail = () => ({ auditTrail: openTrail(file, { tracker: tracker.url }) });
    const { server } = await approved('add_offer', addition, trail());
    const other = await start(trail());
    // The other server has read the log before the proposal was sent.
    await other.call('list_changes', {});
    const copy = join(setup.folder, 'copy');
    await cp(setup.directory, copy, { recursive: true });
    expect(await sentBy(server)).toBe(1);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const later = Array.from({ length: 505 }, (_, index) =>
      lines.map((line) =>
        JSON.stringify({ ...JSON.parse(line), operation: `o${index}`, change: `c${index}`, proposal: undefined }),
      ),
    );
    await writeFile(file, `${[...lines, ...later.flat()].join('\n')}\n`);
    for (const next of [other, await start(trail())]) {
      await rm(setup.directory, { recursive: true });
      await cp(copy, setup.directory, { recursive: true });
      setup.clock.aheadMs += minute;
      expect(await sentBy(next)).toBe(0);
    }
  });

  it('even if its taken file is deleted and the server restarts, without an audit trail', async () => {
    const { server, id } = await approved('add_offer', addition);
    expect(await sentBy(server)).toBe(1);
    await rm(fileOf(id, 'taken'));
    setup.clock.aheadMs += minute;
    expect(await sentBy(server, await start())).toBe(0);
  });

  it('even if the server died while sending: the outcome is unknown', async () => {
    const { server, id } = await approved('add_offer', addition);
    await write(id, 'taken', {});
    expect(await sentBy(server)).toBe(0);
    expect(await server.stateOf(id)).toMatchObject({ state: 'sending' });
    setup.clock.aheadMs += 11 * minute;
    expect(await server.stateOf(id)).toMatchObject({ state: 'unknown' });
  });
});

describe('approvals of one value', () => {
  /** Two servers with different settings, each with an approved proposal to change the bid. */
  async function twoApproved() {
    const [one, two] = [await start(), await start({ limits: { maxBid: 5 } })];
    const [first, second] = [await one.propose('edit_campaign', bid(1)), await two.propose('edit_campaign', bid(2))];
    await Promise.all([first, second].map(({ proposal_id }) => setup.decide(proposal_id)));
    return { one, two, first, second };
  }

  it('are sent once, even by two servers at the same time', async () => {
    const { one, two, first, second } = await twoApproved();
    expect(await sentBy(one, two)).toBe(1);
    const outcomes = [await outcomeOf(one, first.proposal_id), await outcomeOf(two, second.proposal_id)];
    expect(outcomes.map((outcome) => outcome.split(':')[0]).sort()).toEqual(['done', 'stale']);
    expect(outcomes.join()).toMatch(/stale: Nothing was sent: another approved write/);
  });

  it('are not called sent where the first is only being looked at, or its server died then', async () => {
    const { one, two, second } = await twoApproved();
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    tracker.answer('campaign/list', async () => {
      await held;
      return { body: JSON.stringify([campaign]) };
    });
    const looking = one.look();
    while (!(await setup.files()).some((name) => name.endsWith('.claim'))) await new Promise(setImmediate);
    expect(await sentBy(two)).toBe(0);
    expect(await outcomeOf(two, second.proposal_id)).toMatch(/^stale: .* began since, and may have been sent/);
    goOn();
    await looking;
    tracker.answer('campaign/list', () => ({ body: JSON.stringify([campaign]) }));
  });

  it('are sent again if a person was asked again after the first was sent', async () => {
    const { one, two } = await twoApproved();
    expect(await sentBy(one, two)).toBe(1);
    campaign.Bid = '0.10';
    setup.clock.aheadMs += minute;
    const third = await one.propose('edit_campaign', bid(3));
    await setup.decide(third.proposal_id);
    expect(await sentBy(one)).toBe(1);
    expect(await outcomeOf(one, third.proposal_id)).toMatch(/^done/);
  });
});

it('an approval that sent nothing leaves its values to the others', async () => {
  const server = await start();
  const [first, second] = [
    await server.propose('edit_campaign', bid(1)),
    await server.propose('edit_campaign', bid(2)),
  ];
  await setup.decide(first.proposal_id);
  tracker.answer('campaign/list', () => ({ status: 500, body: 'away' }));
  expect(await sentBy(server)).toBe(0);
  tracker.answer('campaign/list', () => ({ body: JSON.stringify([campaign]) }));
  await setup.decide(second.proposal_id);
  expect(await sentBy(server)).toBe(1);
  expect(await outcomeOf(server, second.proposal_id)).toMatch(/^done/);
});

describe('decisions at the same instant', () => {
  it('are one: the second person is told', async () => {
    const { server, id } = await proposed();
    const decided = await Promise.allSettled([setup.decide(id, 'yes'), setup.decide(id, 'no')]);
    expect(decided.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const isYes = decided[0]?.status === 'fulfilled';
    expect(await sentBy(server)).toBe(isYes ? 1 : 0);
    const refused = decided.find((one) => one.status === 'rejected');
    expect(String(refused?.reason)).toMatch(/is not waiting any more/);
  });
});

describe('a proposal expires after an hour', () => {
  it('and cannot be approved later', async () => {
    const { server, id } = await proposed();
    setup.clock.aheadMs += hour + 1000;
    await expect(setup.decide(id)).rejects.toThrow('is not waiting any more: expired');
    expect(await server.stateOf(id)).toMatchObject({ state: 'expired' });
  });

  it('and is not sent later', async () => {
    const { server, id } = await approved();
    setup.clock.aheadMs += hour + 1000;
    expect(await sentBy(server)).toBe(0);
    expect(await server.stateOf(id)).toMatchObject({ state: 'expired' });
  });

  it('and is deleted after a week', async () => {
    const { server } = await proposed();
    setup.clock.aheadMs += 8 * 24 * hour;
    await server.propose('edit_campaign', bid(2));
    expect(await readdir(setup.directory)).toHaveLength(1);
  });
});

describe('a proposal is stale, and nothing is sent, if', () => {
  it('the value that it sets is different now', async () => {
    const { server, id } = await proposed();
    campaign.Bid = '0.30';
    await setup.decide(id);
    expect(await sentBy(server)).toBe(0);
    expect(await outcomeOf(server, id)).toMatch(/^stale: .*bid was 0.1 and is 0.3/);
  });

  it.each<[string, Partial<(typeof offers)[number]>]>([
    ['the URL of the offer', { URL: 'https://evil.example.com' }],
    ['the name of the offer', { Name: 'Another' }],
    ['the state of the offer', { Inactive: '1' }],
  ])('%s is different', async (_, change) => {
    const { server, id } = await proposed('edit_campaign_page', { campaign_id: 1, page_id: 3, share: 90 });
    const before = { ...offers[0] };
    Object.assign(offers[0] ?? {}, change);
    await setup.decide(id);
    expect(await sentBy(server)).toBe(0);
    expect(await outcomeOf(server, id)).toMatch(/^stale: .*page 3 of campaign 1 is not what it was/);
    Object.assign(offers[0] ?? {}, before);
  });

  it('a page of the group changed, was removed or was added', async () => {
    for (const change of [
      () => Object.assign(offers[2] ?? {}, { Share: '80' }),
      () => offers.pop(),
      () => offers.push({ PageID: '9', Name: 'New', URL: 'https://new.example', Path: '1', Share: '5', Inactive: '0' }),
    ]) {
      const { server, id } = await proposed('set_shares', { campaign_id: 1, shares: [{ page_id: 4, share: 77 }] });
      change();
      await setup.decide(id);
      expect(await sentBy(server)).toBe(0);
      expect(await server.stateOf(id)).toMatchObject({ state: 'stale' });
    }
  });

  it.each<[string, object]>([
    ['edit_campaign_page', { campaign_id: 1, page_id: 4, share: 66 }],
    ['set_shares', { campaign_id: 1, shares: [{ page_id: 4, share: 66 }] }],
  ])('a page changed after %s planned it, before it became a proposal', async (name, given) => {
    const person = () => {
      Object.assign(offers[0] ?? {}, { Share: `${Number(offers[0]?.Share) + 1}` });
      throw new Error('no screen');
    };
    const server = await startApproving({ url: tracker.url, person }, setup);
    const { proposal_id: id } = await server.propose(name, { ...given });
    await setup.decide(id);
    expect(await sentBy(server)).toBe(0);
    expect(await outcomeOf(server, id)).toMatch(/^stale: .*page 3 of campaign 1 is not what it was/);
  });

  it('a predefined offer that it adds to a campaign was changed', async () => {
    const server = await start();
    tracker.answer('offer/addtocamp', '{"Status":"OK"}');
    tracker.answer('offer/edit', '{"Status":"OK","ID":"22"}');
    const placing = await server.propose('add_offer_to_campaign', { campaign_id: 1, offer_id: 22 });
    const changing = await server.propose('edit_offer', { offer_id: 22, url: 'https://evil.example.com' });
    await setup.decide(changing.proposal_id);
    expect(await sentBy(server)).toBe(1);
    await setup.decide(placing.proposal_id);
    expect(await sentBy(server)).toBe(0);
    expect(await server.stateOf(placing.proposal_id)).toMatchObject({ message: expect.stringContaining('offer 22') });
  });

  it('the tracker cannot be read again', async () => {
    const { server, id } = await approved();
    tracker.answer('campaign/list', () => ({ status: 500, body: 'away' }));
    expect(await sentBy(server)).toBe(0);
    expect(await outcomeOf(server, id)).toMatch(/^stopped: Nothing was sent/);
    tracker.answer('campaign/list', () => ({ body: JSON.stringify([campaign]) }));
  });
});

describe('a proposal is sent only by a server that', () => {
  it('has the same account, if there are several at one URL', async () => {
    const { server } = await approved();
    setup.clock.aheadMs += minute;
    expect(await sentBy(await startApproving({ url: tracker.url, apiKey: 'key-of-another-account' }, setup))).toBe(0);
    expect(await sentBy(server)).toBe(1);
  });

  it.each([
    ['has other limits', { limits: { maxBid: 100 } }],
    ['offers other tools', { tools: ['list_campaigns', 'edit_campaign', 'get_proposal'] }],
    ['is read-only', { readOnly: true }],
    ['needs no confirmation', { confirm: false }],
  ])('has the settings it was proposed under, not one that %s', async (_, policy) => {
    const { server } = await approved();
    setup.clock.aheadMs += minute;
    expect(await sentBy(await start(policy))).toBe(0);
    expect(await sentBy(server)).toBe(1);
  });

  it('serves the same tracker', async () => {
    const { server } = await approved();
    setup.clock.aheadMs += minute;
    const elsewhere = await startKeepingTracker();
    await (await startApproving({ url: elsewhere.tracker.url }, setup)).look();
    expect(elsewhere.tracker.taken()).toEqual([]);
    expect(await sentBy(server)).toBe(1);
  });
});

it('the guard rejects an approval of a different write', async () => {
  const { server } = await approved();
  const [approval] = (await server.context.guard.proposals?.approved()) ?? [];
  const { client, guard } = server.context;
  const request = client.request(endpointNamed('edit_campaign'), bid(99));
  const executed = guard.execute(
    { tool: 'edit_campaign', steps: [{ request }], consent: approval ?? 'no approval' },
    {
      ...{ client: 'x', currency: undefined, ask: async () => 'no' },
      proposalContext: async () => expect.unreachable(),
      send: (step) => client.write(step.request),
    },
  );
  await expect(executed).rejects.toThrow('not what ann approved');
  expect(tracker.writes()).toEqual([]);
});

it('an ID cannot name other files', async () => {
  const server = await start();
  await writeFile(join(setup.folder, 'secret.proposal.json'), '{}');
  for (const id of ['../secret', '..\\secret', 'a/b', '%2e%2e', '']) {
    await expect(setup.decide(id)).rejects.toThrow('No proposal has this ID');
  }
  expect(await server.refusal('get_proposal', { proposal_id: '../secret' })).toContain('no proposal');
});
