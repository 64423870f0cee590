import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Policy } from '../../src/guard/guard.ts';
import type { Holder } from '../../src/guard/holder.ts';
import { openTrail } from '../support/audit-trail.ts';
import { connect, contextFor } from '../support/connect.ts';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';
import { plainAnswers, specifiedTools, validArguments, writingTools } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const connected = (policy: Partial<Policy>) => connect({ url: tracker.url, policy });

describe('a read-only server', () => {
  it('lists only the reading tools', async () => {
    const { listed } = await connected({ readOnly: true });
    const names = listed.map(({ name }) => name);
    for (const { name, access } of specifiedTools) expect(names.includes(name), name).toBe(access === 'read');
    for (const tool of listed) expect(tool.annotations?.readOnlyHint).toBe(true);
  });

  it('refuses every writing tool, also on a dry run', async () => {
    const { refusal } = await connected({ readOnly: true });
    for (const tool of writingTools) {
      for (const dry_run of [false, true]) {
        const text = await refusal(tool.name, { ...validArguments(tool), dry_run });
        expect(text).toMatch(new RegExp(`${tool.name}.*TRACKER_READ_ONLY`));
      }
    }
    expect(tracker.taken()).toEqual([]);
  });

  it('remains read-only if the settings list writing tools', async () => {
    const { listed, refusal } = await connected({ readOnly: true, tools: ['edit_campaign', 'list_campaigns'] });
    expect(listed.map(({ name }) => name)).toEqual(['list_campaigns']);
    expect(await refusal('edit_campaign', { campaign_id: 1, bid: 1 })).toContain('TRACKER_READ_ONLY');
    expect(await refusal('get_stats', { campaign_id: 1 })).toContain('TRACKER_TOOLS');
  });

  it('reads', async () => {
    const { data } = await connected({ readOnly: true });
    expect(await data('list_campaigns')).toMatchObject({ tables: [{ total_rows: 1 }] });
  });
});

it('a server with some tools lists those, and refuses the others with the name of the setting', async () => {
  const { listed, refusal, data } = await connected({ tools: ['get_stats', 'edit_campaign'] });
  expect(listed.map(({ name }) => name)).toEqual(['get_stats', 'edit_campaign']);
  expect(await refusal('list_campaigns')).toMatch(/only get_stats, edit_campaign are \(TRACKER_TOOLS\)/);
  expect(tracker.taken()).toEqual([]);
  await data('edit_campaign', { campaign_id: 1, bid: 1 });
});

describe('an undo sends only what an offered tool may send', () => {
  const start = async () => {
    const { tracker } = await startKeepingTracker();
    const log = join(await newFolder(), 'writes.jsonl');
    const run = (policy: Partial<Policy>, holder?: Holder) => {
      const auditTrail = openTrail(log, { tracker: tracker.url });
      const context = contextFor({ url: tracker.url, policy: { auditTrail, ...policy } });
      return connect({ context: holder ? { ...context, guard: context.guard.heldBy(holder) } : context });
    };
    return { writes: tracker.writes, run };
  };
  const limited = (tools: readonly string[]) =>
    [
      ['TRACKER_TOOLS', { tools }, undefined],
      ['token of anna', {}, { name: 'anna', access: 'write', tools, limits: {} }],
    ] as const satisfies readonly (readonly [string, Partial<Policy>, Holder | undefined])[];

  it('whether the settings or a token limit the tools', async () => {
    for (const [reason, policy, holder] of limited(['set_shares', 'undo_change'])) {
      const { writes, run } = await start();
      const all = await run({});
      const { change_id: bid } = await all.data('edit_campaign', { campaign_id: 1, bid: 0.5 });
      const { change_id: off } = await all.data('edit_campaign_page', { campaign_id: 1, page_id: 3, name: 'C' });
      const few = await run(policy, holder);
      writes();
      for (const dry_run of [true, false]) {
        const refused = await few.refusal('undo_change', { change_id: bid, dry_run });
        expect(refused).toMatch(new RegExp(`would send edit_campaign, which is not.*${reason}`));
        expect(await few.refusal('undo_change', { change_id: off, dry_run })).toContain(reason);
      }
      expect(writes()).toEqual([]);
      const shares = { campaign_id: 1, shares: [{ page_id: 3, share: 41 }] };
      await few.data('undo_change', { change_id: (await few.data('set_shares', shares))['change_id'] });
      expect(writes()).toHaveLength(2);
    }
  });

  it('which includes switching off what an offered tool added', async () => {
    const { writes, run } = await start();
    const few = await run({ tools: ['add_offer', 'undo_change'] });
    const { change_id: added } = await few.data('add_offer', { name: 'Gym', url: 'https://example.com' });
    const { change_id: off } = await few.data('undo_change', { change_id: added });
    expect(writes()).toHaveLength(2);
    const refused = await few.refusal('undo_change', { change_id: off });
    expect(refused).toMatch(/cannot be undone|edit_offer, which is not/);
    expect(writes()).toEqual([]);
  });
});
