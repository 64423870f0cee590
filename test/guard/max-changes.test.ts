import { join } from 'node:path';
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import type { AuditTrail } from '../../src/guard/audit-trail.ts';
import { Changes } from '../../src/guard/changes.ts';
import { Guard } from '../../src/guard/guard.ts';
import type { Receipt } from '../support/answers.ts';
import { openTrail } from '../support/audit-trail.ts';
import { type ConnectOptions, connect, contextFor } from '../support/connect.ts';
import { newFolder } from '../support/folders.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';

const noon = Date.parse('2026-05-06T12:00:00Z');

interface Asking {
  readonly person?: NonNullable<ConnectOptions['person']>;
  readonly confirm?: boolean;
}

/** A server that may send three requests on a day, with a clock. */
async function start(auditTrail?: AuditTrail, { person, confirm = false }: Asking = {}) {
  const { tracker, campaign } = await startKeepingTracker();
  const clock = { now: noon };
  const options: ConnectOptions = { url: tracker.url };
  const policy = { readOnly: false, limits: { maxChanges: 3 }, confirm, auditTrail };
  const guard = new Guard(policy, undefined, new Changes(auditTrail, undefined, () => new Date(clock.now)));
  const server = await connect({ ...options, ...(person && { person }), context: { ...contextFor(options), guard } });
  return { ...server, tracker, campaign, clock };
}

const bid = (amount: number) => ({ campaign_id: 1, bid: amount });
const shares = (...all: readonly number[]) => ({
  campaign_id: 1,
  shares: all.map((share, index) => ({ page_id: index + 3, share })),
});

it('an act that would send too many requests is refused, also on a dry run', async () => {
  const { refusal, tracker } = await start();
  const offer = (name: string) => ({ tool: 'add_offer', arguments: { name, url: 'https://x.example' } });
  const writes = ['a', 'b', 'c', 'd'].map(offer);
  for (const dry_run of [true, false]) {
    const message = await refusal('make_changes', { writes, dry_run });
    expect(message).toMatch(/would send 4 requests, and an act or a day may send 3 \(TRACKER_MAX_CHANGES\)/);
  }
  expect(tracker.writes()).toEqual([]);
});

it('a day has so many requests, of all tools, and the next day has as many again', async () => {
  const { data, refusal, tracker, clock } = await start();
  await data('edit_campaign', bid(0.5));
  await data('set_shares', shares(30, 50));
  const message = await refusal('edit_campaign', bid(0.6));
  expect(message).toMatch(/1 request, 3 were sent today \(UTC\).*TRACKER_MAX_CHANGES/);
  expect(tracker.writes()).toHaveLength(3);
  clock.now = Date.parse('2026-05-06T23:59:59Z');
  await refusal('edit_campaign', bid(0.6));
  clock.now = Date.parse('2026-05-07T00:00:00Z');
  await data('edit_campaign', bid(0.6));
  expect(tracker.writes()).toHaveLength(1);
});

it('what was done can be undone on a day that has no more requests, but not be done again', async () => {
  const { data, refusal, campaign } = await start();
  const { change_id } = await data<Receipt>('edit_campaign', bid(0.5));
  await data('set_shares', shares(30, 50));
  const undo = await data<Receipt>('undo_change', { change_id });
  expect(campaign.Bid).toBe('0.1');
  expect(await refusal('undo_change', { change_id: undo.change_id })).toContain('TRACKER_MAX_CHANGES');
});

it('concurrent calls do not send more together', async () => {
  const { call, tracker } = await start();
  await Promise.all([1, 2, 3, 4, 5, 6].map((amount) => call('edit_campaign', bid(amount))));
  expect(tracker.writes()).toHaveLength(3);
});

it('requests of earlier runs and of other servers with the same log count', async () => {
  const path = join(await newFolder(), 'audit.jsonl');
  const open = () => start(openTrail(path, { tracker: 'the same', now: () => new Date(noon) }));
  const [one, other] = [await open(), await open()];
  await one.data('edit_campaign', bid(0.5));
  await other.data('edit_campaign', bid(0.5));
  expect(await one.refusal('set_shares', shares(30, 50))).toContain('2 were sent today');
  const later = await open();
  expect(await later.refusal('set_shares', shares(30, 50))).toContain('2 were sent today');
  await later.data('edit_campaign', bid(0.7));
});

it('what another server, or an earlier run, took back does not count', async () => {
  const path = join(await newFolder(), 'audit.jsonl');
  const open = () => start(openTrail(path, { tracker: 'the same', now: () => new Date(noon) }));
  const one = await open();
  const { change_id } = await one.data<Receipt>('edit_campaign', bid(0.5));
  await one.data('undo_change', { change_id });
  const other = await open();
  await other.data('set_shares', shares(30, 50));
  expect(await other.refusal('edit_campaign', bid(0.6))).toContain('3 were sent today');
});

it('two servers with one log that send at the same moment send no more together', async () => {
  const path = join(await newFolder(), 'audit.jsonl');
  const open = () => start(openTrail(path, { tracker: 'the same', now: () => new Date(noon) }));
  const servers = [await open(), await open()];
  await Promise.allSettled(servers.map(({ data }) => data('set_shares', shares(30, 50))));
  const sent = servers.flatMap(({ tracker }) => tracker.writes());
  expect(sent.length).toBeLessThanOrEqual(3);
  expect(sent.length).toBeGreaterThan(0);
});

it('what a person declines does not count', async () => {
  const answers = ['decline', 'decline', 'decline', 'accept', 'accept', 'accept'] as const;
  let asked = 0;
  const person = (): ElicitResult => {
    asked += 1;
    return { action: answers[asked - 1] ?? 'accept', content: { agree: true } };
  };
  const { call, tracker } = await start(undefined, { person, confirm: true });
  for (const amount of [1, 2, 3, 4, 5, 6, 7]) await call('edit_campaign', bid(amount));
  expect(tracker.writes()).toHaveLength(3);
  expect(asked, 'no person is asked about a write that cannot be sent').toBe(6);
});
