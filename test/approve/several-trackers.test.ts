import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openTrackers } from '../../src/commands/open-trackers.ts';
import { readConfiguration } from '../../src/config.ts';
import { type ProposalAnswer, setUpApproval } from '../support/approving.ts';
import { connect, textOf } from '../support/connect.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';

/** Two accounts at one URL that share a directory of proposals: only the key differs. */

const keys = { main: 'key-of-the-main-account', native: 'key-of-the-native-account' };
const { tracker } = await startKeepingTracker();
const setup = await setUpApproval();
for (const [name, key] of Object.entries(keys)) {
  await writeFile(join(setup.folder, `${name}.key`), key, { mode: 0o600 });
}
const shared = { proposals: 'proposals', approvers: 'approvers.json' };
const trackers = {
  main: { url: tracker.url, key_file: 'main.key', confirm: 'approve' },
  native: { url: tracker.url, key_file: 'native.key', confirm: 'approve' },
};

async function configure(content: object) {
  const file = join(setup.folder, 'trackers.json');
  await writeFile(file, JSON.stringify(content));
  return readConfiguration({ config: file }, {});
}

const open = await openTrackers(await configure({ ...shared, trackers }));
afterAll(() => open.close());
const [main, native] = open.opened;
if (!main || !native) throw new Error('there are two trackers');
const server = await connect({ trackers: { main: { context: main.context }, native: { context: native.context } } });

/** No two tests set the same bid. */
let bid = 0.1;
beforeEach(() => {
  bid += 0.1;
});

async function propose() {
  const given = { tracker: 'native', campaign_id: 1, bid };
  type Proposed = { tracker: string; proposal: ProposalAnswer & { tracker: string } };
  const answer = await server.data<Proposed>('edit_campaign', given);
  expect(answer.tracker).toBe('native');
  return answer.proposal;
}
const keysOfWrites = () => tracker.writes().map(({ parameters }) => Object.fromEntries(parameters)['key']);

it('a proposal names its tracker', async () => {
  const proposal = await propose();
  expect(proposal.tracker).toBe(`${tracker.url} (native)`);
  const text = textOf(await server.call('get_proposal', { proposal_id: proposal.proposal_id }));
  expect(text).toContain(`tracker: ${tracker.url} (native)`);
});

it('an approved write is sent only with the key of its account', async () => {
  const { proposal_id } = await propose();
  await setup.decide(proposal_id);
  await main.writes?.look();
  expect(keysOfWrites()).toEqual([]);
  await open.approving?.writes.look();
  expect(keysOfWrites()).toEqual([keys.native]);
  expect(await server.data('get_proposal', { proposal_id })).toMatchObject({ state: 'done' });
  await open.approving?.writes.look();
  expect(keysOfWrites()).toEqual([]);
});

it('the change is listed for its account only', async () => {
  const { proposal_id } = await propose();
  await setup.decide(proposal_id);
  await open.approving?.writes.look();
  const { change_id } = await server.data<ProposalAnswer>('get_proposal', { proposal_id });
  expect(textOf(await server.call('list_changes', { tracker: 'native' }))).toContain(String(change_id));
  expect(textOf(await server.call('list_changes', { tracker: 'main' }))).not.toContain(String(change_id));
});

it('a proposal is found without naming its tracker, and not for a different one', async () => {
  const { proposal_id } = await propose();
  expect(await server.data('get_proposal', { proposal_id })).toMatchObject({ state: 'waiting' });
  expect(await server.data('get_proposal', { proposal_id, tracker: 'native' })).toMatchObject({ state: 'waiting' });
  expect(await server.refusal('get_proposal', { proposal_id, tracker: 'main' })).toContain('There is no proposal');
  expect(textOf(await server.call('list_changes', { tracker: 'main' }))).not.toContain(proposal_id);
});

it('a caller with one tracker does not see the proposals for others', async () => {
  const { proposal_id } = await propose();
  const alone = await connect({ context: main.context });
  expect(await alone.refusal('get_proposal', { proposal_id })).toContain('There is no proposal');
  expect(textOf(await alone.call('list_changes'))).not.toContain(proposal_id);
});

it('the directory of proposals and the file of approvers belong to the server, not to a tracker', async () => {
  const configured = configure({ trackers: { native: { ...trackers.native, ...shared } } });
  await expect(configured).rejects.toThrow(/proposals is about the server: .*\n.*approvers is about the server: /);
});
