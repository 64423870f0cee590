import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers } from '../support/specified.ts';
import { privateModes } from '../support/system.ts';
import { startClient } from './support/clients.ts';
import { runCli, startCli } from './support/run-cli.ts';
import { runCommand } from './support/run-command.ts';
import { terminals } from './support/terminal.ts';

const tracker = await startForeignTracker(plainAnswers);
const folder = await newFolder();

const meeting = { TRACKER_PROPOSALS: join(folder, 'proposals'), TRACKER_APPROVERS: join(folder, 'approvers.json') };
const auditLog = join(folder, 'writes.jsonl');
const environment = {
  ...meeting,
  ...{ TRACKER_URL: tracker.url, TRACKER_API_KEY: 'approve-secret-key', TRACKER_CONFIRM: 'approve' },
  TRACKER_AUDIT_LOG: auditLog,
};

const approver = await runCommand(['approver', 'add', 'ann'], { environment: meeting });
const secret = approver.stdout.trim();

/** A person at another terminal, with the directory and the file, but not the tracker's key. */
const approve = (given: readonly string[], input = secret) =>
  runCommand(['approve', ...given], { environment: meeting, input: `${input}\n` });

/** A client that cannot ask its user, and its server. */
async function startProposing() {
  const { client, call: callTool } = await startClient(environment);
  const call = async (name: string, given: Record<string, unknown>) => {
    const { structuredContent } = await callTool(name, given);
    return structuredContent as { proposal: { proposal_id: string }; notices: string[]; state: string };
  };
  const propose = async (bid: number) => (await call('edit_campaign', { campaign_id: 7, bid })).proposal.proposal_id;
  return { client, call, propose };
}

let shared: ReturnType<typeof startProposing> | undefined;
const sharedClient = () => {
  shared ??= startProposing();
  return shared;
};

describe('tracker-mcp approver', () => {
  it('prints a secret once, and the file does not contain it', async () => {
    expect(approver.code).toBe(0);
    expect(approver.stdout).toMatch(/^([0-9a-z]{4}-){7}[0-9a-z]{4}\n$/);
    const text = await readFile(meeting.TRACKER_APPROVERS, 'utf8');
    for (const part of secret.split('-')) expect(text).not.toContain(part);
    expect((await runCommand(['approver', 'list'], { environment: meeting })).stdout).toContain('ann');
  });

  it.each(privateModes)('creates a file that only its owner can read', async (mode) => {
    expect((await stat(meeting.TRACKER_APPROVERS)).mode & 0o777).toBe(mode);
  });

  it('takes no name twice, and removes', async () => {
    const run = (...given: readonly string[]) =>
      runCommand(['approver', '--approvers', join(folder, 'others.json'), ...given]);
    expect((await run('add', 'bob')).code).toBe(0);
    expect(await run('add', 'bob')).toMatchObject({ code: 1, stderr: expect.stringContaining('already') });
    expect((await run('remove', 'bob')).code).toBe(0);
    expect((await run('list')).stdout).toBe('No approvers.\n');
  });
});

describe('tracker-mcp approve', () => {
  it('has a later server send what an ended one proposed', async () => {
    const gone = await startProposing();
    const id = await gone.propose(0.8);
    await gone.client.close();
    const waiting = approve([id]);
    const { call } = await sharedClient();
    await waiting;
    for (let state = ''; state !== 'done'; ) {
      ({ state } = await call('get_proposal', { proposal_id: id }));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(tracker.writes()).toHaveLength(1);
  });

  it('lists what waits, and has the proposing server send it', async () => {
    const { call, propose } = await sharedClient();
    const id = await propose(0.5);
    const listed = await approve([]);
    expect(listed.stdout).toMatch(new RegExp(`Proposal ${id}: waits for a person`));
    expect(listed.stdout).toMatch(/proposed by: “test”.*bid: 0\.5.*api\/campaign\/edit: key=\*\*\*/s);
    const approved = await approve([id.toUpperCase()]);
    expect(approved.stdout).toMatch(new RegExp(`^Proposal ${id} \\(edit_campaign\\), decided by ann: done; change `));
    expect(approved.code).toBe(0);
    expect(tracker.writes()).toHaveLength(1);
    expect(await call('get_proposal', { proposal_id: id })).toMatchObject({ state: 'done', decided_by: 'ann' });
    expect((await runCommand(['audit', auditLog])).stdout.replace(/\s+/g, ' ')).toContain('approved by');
    expect((await approve([])).stdout).toBe('Nothing waits for a person.\n');
  });

  it('rejects, and the next write reports that', async () => {
    const { call, propose } = await sharedClient();
    const id = await propose(0.6);
    const { stdout } = await approve([id, '--reject']);
    expect(stdout).toContain(`Proposal ${id} (edit_campaign), decided by ann: rejected`);
    const { notices } = await call('edit_campaign', { campaign_id: 7, bid: 0.7 });
    expect(notices.join()).toContain(`Proposal ${id}`);
    expect(tracker.writes()).toEqual([]);
  });

  it('shows what was decided before, and asks for no secret', async () => {
    const { propose } = await sharedClient();
    const id = await propose(0.65);
    await approve([id, '--reject']);
    const { code, stdout, stderr } = await approve([id], '');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      new RegExp(`Proposal ${id}: rejected.*bid: 0\\.65.*decided by ann: rejected.*Nothing was decided`, 's'),
    );
    expect(stderr).not.toContain('type your secret');
  });

  it.each([
    ['a wrong secret', '0000-1111'],
    ['none', ''],
    ['the API key', 'approve-secret-key'],
  ])('decides nothing with %s', async (_, typed) => {
    const { call, propose } = await sharedClient();
    const id = await propose(0.9);
    const { code, stderr, stdout } = await approve([id], typed);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Nothing was decided');
    expect(await call('get_proposal', { proposal_id: id })).toMatchObject({ state: 'waiting' });
    expect((await readdir(meeting.TRACKER_PROPOSALS)).filter((name) => name.startsWith(`${id}.decision`))).toEqual([]);
  });

  it('decides nothing if a pipe never gives the secret, and ends', { timeout: 30_000 }, async () => {
    const { propose } = await sharedClient();
    const child = startCli(['approve', await propose(0.8)], { environment: meeting });
    const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was decided')]);
  });

  it('reports an unknown proposal without asking for a secret', async () => {
    const { code, stderr } = await approve(['zzzzzzzzzzzz'], '');
    expect([code, stderr]).toEqual([1, expect.stringContaining('No proposal has this ID')]);
  });
});

it('a server whose writes wait warns at its start if there is no approver, and does not start on a broken file', async () => {
  const other = { ...environment, TRACKER_APPROVERS: join(folder, 'none.json') };
  expect((await runCli([], { environment: other })).stderr).toContain('there is no approver yet');
  const broken = { ...environment, TRACKER_APPROVERS: auditLog };
  expect(await runCli([], { environment: broken })).toMatchObject({ code: 2, stderr: expect.stringContaining('JSON') });
});

describe.each(terminals)('a person at a terminal', (onTerminal) => {
  it('cannot approve with a bare y: the call proposes', async () => {
    const given = ['call', 'edit_campaign', '--campaign_id', '7', '--bid', '0.77'];
    const { shown } = await onTerminal(given, environment, [[/\[y\/N\] $/, 'y']]);
    expect(shown).toMatch(/“Seven”: bid .*0\.77/);
    expect(shown).toContain('waits for a person');
    expect(shown.replace(/\s+/g, ' ')).toContain('sent by a running server');
    expect(tracker.writes()).toEqual([]);
  });
});
