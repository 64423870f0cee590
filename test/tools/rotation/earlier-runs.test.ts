import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ListedChanges } from '../../support/answers.ts';
import { openTrail } from '../../support/audit-trail.ts';
import { connect, textOf } from '../../support/connect.ts';
import { newFolder } from '../../support/folders.ts';
import { startKeepingTracker } from '../../support/keeping-tracker.ts';

const folder = await newFolder();
const { tracker, campaign } = await startKeepingTracker();

/** @param identity the tracker's identity in the trail; none for an embedded tracker */
const trailOf = (log: string, identity: readonly [] | readonly [string] = [tracker.url]) =>
  openTrail(join(folder, log), { tracker: identity[0] });

/** A run of a server with a log. */
const run = (...given: Parameters<typeof trailOf>) =>
  connect({ url: tracker.url, policy: { auditTrail: trailOf(...given) } });

/** The changes that a new run with a log lists. */
const listed = async (log: string, given = {}) => (await run(log)).data<ListedChanges>('list_changes', given);

/** The first line of an edit. */
const firstLine = (bid: number, change = 'c0ffee') => ({
  ...{ tool: 'edit_campaign', arguments: { campaign_id: 1, bid }, sent: {}, client: 'test' },
  ...{ change, act: 'edit_campaign', before: { bid: 0.1 } },
});

describe('a change of an earlier run', () => {
  it('is listed with the values before, and can be undone', async () => {
    const first = await run('undone.jsonl');
    const { change_id: id } = await first.data('edit_campaign', { campaign_id: 1, bid: 0.5 });
    const second = await run('undone.jsonl');
    expect(textOf(await second.call('list_changes'))).toContain('edit_campaign campaign_id 1: bid 0.1 -> 0.5 (ok)');
    const { change_id: undo } = await second.data('undo_change', { change_id: id });
    expect(campaign.Bid).toBe('0.1');
    const third = await run('undone.jsonl');
    expect(await third.refusal('undo_change', { change_id: id })).toContain(`already undone, by change ${undo}`);
    const { changes } = await third.data<ListedChanges>('list_changes');
    expect(changes.map(({ change_id, state }) => [change_id, state])).toEqual([
      [undo, `done, undoes ${id}`],
      [id, `done, undone by ${undo}`],
    ]);
  });

  it('of a different or an embedded tracker is not listed', async () => {
    const other = await run('others.jsonl', ['https://other.example']);
    await other.data('edit_campaign', { campaign_id: 1, bid: 0.6 });
    const embedded = await run('others.jsonl', []);
    await embedded.data('edit_campaign', { campaign_id: 1, bid: 0.7 });
    expect((await listed('others.jsonl')).changes).toEqual([]);
  });

  it('is found among unreadable lines, which are counted', async () => {
    const first = await run('torn.jsonl');
    await first.data('edit_campaign', { campaign_id: 1, bid: 0.8 });
    await appendFile(join(folder, 'torn.jsonl'), '{"time":"x","oper\n');
    const { changes, notices } = await listed('torn.jsonl');
    expect(changes).toHaveLength(1);
    expect(notices).toEqual(['Lines of the audit log that could not be read: 1.']);
  });

  it('is found in a log that begins with a byte order mark', async () => {
    const file = join(folder, 'marked.jsonl');
    await (await run('marked.jsonl')).data('edit_campaign', { campaign_id: 1, bid: 0.8 });
    await writeFile(file, `\ufeff${await readFile(file, 'utf8')}`);
    const { changes, notices } = await listed('marked.jsonl');
    expect([changes.length, notices]).toEqual([1, []]);
  });

  it('is found in a rotated log', async () => {
    const first = await run('rotated.jsonl');
    const { change_id: id } = await first.data('edit_campaign', { campaign_id: 1, bid: 0.4 });
    await rename(join(folder, 'rotated.jsonl'), join(folder, 'rotated.jsonl.1'));
    const second = await run('rotated.jsonl');
    const { changes } = await second.data<ListedChanges>('list_changes');
    expect(changes).toMatchObject([{ change_id: id, state: 'done' }]);
    await second.data('undo_change', { change_id: id });
    expect(campaign.Bid).toBe('0.8');
  });

  it('in a manipulated log is shown without invisible characters', async () => {
    const hidden = 'a\u001b[31m\u009b31m\u202e';
    const about = { time: hidden, run: 'r', operation: 'o', tracker: tracker.url, tool: hidden, client: hidden };
    const more = { change: 'c0ffee', act: hidden, approver: hidden, proposal: hidden, undoes: hidden };
    const begin = { event: 'begin', ...about, ...more, arguments: { [hidden]: hidden }, before: { [hidden]: hidden } };
    const end = { event: 'end', operation: 'o', outcome: hidden, id: hidden };
    await writeFile(join(folder, 'odd.jsonl'), [begin, end].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const result = await (await run('odd.jsonl')).call('list_changes');
    expect(textOf(result)).toContain('c0ffee  a  a:');
    expect(JSON.stringify(result.structuredContent) + textOf(result)).not.toMatch(/[\u001b\u009b\u202e]|u001b|31m/);
  });

  it('without its second line has an unknown outcome', async () => {
    await trailOf('killed.jsonl').begin(firstLine(0.9));
    expect((await listed('killed.jsonl')).changes).toMatchObject([{ change_id: 'c0ffee', state: 'outcome unknown' }]);
  });

  it('is not undone if two changes have its ID', async () => {
    const trail = trailOf('twice.jsonl');
    for (const bid of [0.5, 0.6]) {
      const end = await trail.begin(firstLine(bid));
      await end({ outcome: 'ok', id: null });
    }
    tracker.taken();
    const { refusal, data } = await run('twice.jsonl');
    expect(await refusal('undo_change', { change_id: 'c0ffee' })).toContain('2 changes have the ID c0ffee');
    expect(tracker.writes()).toEqual([]);
    const { changes } = await data<ListedChanges>('list_changes');
    expect(changes.map(({ change_id }) => change_id)).toEqual(['c0ffee', 'c0ffee']);
  });

  it('is kept if it is among the last 500', async () => {
    const trail = trailOf('many.jsonl');
    for (let index = 0; index < 510; index += 1) await trail.begin(firstLine(1, index.toString(16).padStart(6, '0')));
    const { changes, notices } = await listed('many.jsonl', { limit: 1 });
    expect(changes[0]?.change_id).toBe('0001fd');
    expect(notices).toContain('Not shown: 499 older changes; call again with offset 1.');
  });
});
