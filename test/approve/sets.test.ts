import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proposalText } from '../../src/answer/proposals.ts';
import type { FromSchema } from '../../src/tools/json-schema.ts';
import type { madeOutput } from '../../src/tools/make-changes.ts';
import { startApproving } from '../support/approving.ts';
import { startBreakingWay } from '../support/breaking-way.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';

type Made = FromSchema<typeof madeOutput>;

const writes = [
  { tool: 'edit_campaign', arguments: { campaign_id: 1, bid: 0.5 } },
  {
    tool: 'set_shares',
    arguments: {
      campaign_id: 1,
      shares: [
        { page_id: 3, share: 10 },
        { page_id: 4, share: 70 },
      ],
    },
  },
  { tool: 'add_offer', arguments: { name: 'Swim', url: 'https://swim.example.com' } },
];

/** A server whose writes wait, a tracker behind a way that can break, and a person. */
async function start(options: Partial<Parameters<typeof startApproving>[0]> = {}) {
  const { tracker, campaign, offers } = await startKeepingTracker();
  const way = await startBreakingWay(tracker.url);
  const server = await startApproving({ url: way.url, ...options });
  const values = () => [campaign.Bid, ...offers.map(({ Share }) => Share)];
  return { ...server, way, campaign, values };
}

describe('a set that waits for a person', () => {
  it('is one proposal that shows every request and each effect, and is sent in order once approved', async () => {
    const { propose, setup, decided, way, values, data } = await start();
    const { proposal_id: id, steps, effect } = await propose('make_changes', { writes });
    expect(steps.map(({ tool, before }) => [tool, before])).toEqual([
      ['edit_campaign', { bid: 0.1 }],
      ['edit_campaign_page', { share: 40 }],
      ['edit_campaign_page', { share: 40 }],
      ['add_offer', {}],
    ]);
    expect(effect.join('\n')).toMatch(/Campaign 1 “Search”:.*“Home gym” \(offer\): share 40 -> 70/s);
    const text = proposalText(await setup.proposals().get(id));
    for (const part of ['bid: 0.1 -> 0.5', 'share: 40 -> 10', 'share: 40 -> 70', 'Swim', 'tool: make_changes'])
      expect(text).toContain(part);
    expect(way.writes()).toEqual([]);
    const { state, change_id } = await decided(id);
    expect(state).toBe('done');
    expect(way.writes()).toHaveLength(4);
    expect(values()).toEqual(['0.5', '10', '70', '20']);
    const { changes } = await data<{ changes: { tool: string; state: string; set: string }[] }>('list_changes');
    expect(changes.map(({ tool, set }) => [tool, set])).toEqual([
      ['add_offer', change_id],
      ['set_shares', change_id],
      ['edit_campaign', change_id],
    ]);
    for (const { state: said } of changes) expect(said).toContain('approved by ann');
  });

  it('is not sent if one of its values has changed, or if a person says no', async () => {
    const { propose, decided, way, campaign } = await start();
    const first = await propose('make_changes', { writes });
    expect(await decided(first.proposal_id, 'no')).toMatchObject({ state: 'rejected' });
    const second = await propose('make_changes', { writes });
    campaign.Bid = '0.7';
    expect(await decided(second.proposal_id)).toMatchObject({ state: 'stale', change_id: null });
    expect(way.writes()).toEqual([]);
  });

  it('that stops in the middle says how far it got, and is not sent again', async () => {
    const { propose, decided, look, way, values } = await start();
    const { proposal_id: id } = await propose('make_changes', { writes });
    void way.breakAt(2, 'lost after');
    const ended = await decided(id);
    expect(ended).toMatchObject({ state: 'stopped', change_id: expect.stringMatching(/^[\da-f]{12}$/) });
    expect(ended.message).toMatch(/After 1 of 4 writes: Outcome unknown/);
    await look();
    expect(way.writes()).toHaveLength(2);
    expect(values()).toEqual(['0.5', '40', '70', '20']);
  });

  it('is undone by one proposal too, which names the changes, also if they set one value twice', async () => {
    const { propose, decided, way, values, setup } = await start();
    const done = await propose('make_changes', { writes: writes.slice(0, 2) });
    const { change_id: set } = await decided(done.proposal_id);
    const later = await propose('edit_campaign', { campaign_id: 1, bid: 0.6 });
    const { change_id: bid } = await decided(later.proposal_id);
    way.writes();
    const { proposal_id: id } = await propose('undo_change', { changes: [set, bid] });
    const text = proposalText(await setup.proposals().get(id));
    expect(text).toMatch(new RegExp(`tool: undo_change, which undoes change ${bid}, [\\da-f]{12} and [\\da-f]{12}`));
    expect(text).toMatch(/bid: 0\.6 -> 0\.5.*bid: 0\.5 -> 0\.1/s);
    expect(await decided(id)).toMatchObject({ state: 'done' });
    expect(way.writes().map((sent) => sent['bid'] ?? sent['share'])).toEqual(['0.5', '40', '40', '0.1']);
    expect(values()).toEqual(['0.1', '40', '40', '20']);
  });

  it('cannot be split otherwise in its file: the signature is over the writes of the set as well', async () => {
    const { propose, setup, look, stateOf, way } = await start();
    const { proposal_id: id } = await propose('make_changes', { writes });
    await setup.decide(id);
    const file = join(setup.directory, `${id}.proposal.json`);
    const stored = JSON.parse(await readFile(file, 'utf8'));
    expect(stored.parts).toEqual([
      { tool: 'edit_campaign', steps: 1 },
      { tool: 'set_shares', steps: 2 },
      { tool: 'add_offer', steps: 1 },
    ]);
    stored.parts = [{ tool: 'set_shares', steps: 4 }];
    await writeFile(file, JSON.stringify(stored));
    await look();
    expect(way.writes()).toEqual([]);
    await expect(stateOf(id)).rejects.toThrow('There is no proposal');
  });

  it('counts what a day may send when it is sent', async () => {
    const { propose, decided, data, way } = await start({ policy: { limits: { maxChanges: 4 } } });
    const one = await propose('edit_campaign', { campaign_id: 1, engage_rate: 30 });
    const set = await propose('make_changes', { writes });
    expect(await decided(one.proposal_id)).toMatchObject({ state: 'done' });
    const ended = await decided(set.proposal_id);
    expect(ended).toMatchObject({ state: 'stopped' });
    expect(ended.message).toMatch(/Nothing was sent.*1 was sent today.*TRACKER_MAX_CHANGES/);
    expect(way.writes()).toHaveLength(1);
    const dry = await data<Made>('make_changes', { writes: writes.slice(0, 2), dry_run: true });
    expect(dry.dry_run).toBe(true);
  });
});
