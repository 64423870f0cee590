import { describe, expect, it } from 'vitest';
import type { ListedChanges } from '../../support/answers.ts';
import { startBreakingWay } from '../../support/breaking-way.ts';
import { connect } from '../../support/connect.ts';
import { startKeepingTracker } from '../../support/keeping-tracker.ts';

/** A tracker whose second write loses its answer. */
async function startLosing(when: 'before' | 'after') {
  const { tracker, offers } = await startKeepingTracker();
  const way = await startBreakingWay(tracker.url);
  void way.breakAt(2, `lost ${when}`);
  const writes = () => way.writes().map(({ pageid, share }) => `${pageid}=${share}`);
  const kept = () => offers.map(({ Share }) => Number(Share));
  return { writes, kept, ...(await connect({ url: way.url })) };
}

const shares = Object.entries({ 3: 10, 4: 70, 5: 15 }).map(([id, share]) => ({ page_id: Number(id), share }));
const rotation = { campaign_id: 1, shares };

describe.each(['before', 'after'] as const)('a rotation that loses its second answer %s it was carried out', (when) => {
  it('reports which pages are done, unknown and not sent, and sends nothing twice', async () => {
    const { refusal, data, writes } = await startLosing(when);
    const message = await refusal('set_shares', rotation);
    expect(message).toMatch(/stopped at page 5 to 15: Outcome unknown.*Done: page 4 to 70\. Not sent: page 3 to 10\./s);
    expect(writes()).toEqual(['4=70', '5=15']);
    const { changes } = await data<{ changes: { state: string; steps: { outcome: string }[] }[] }>('list_changes');
    expect(changes[0]?.steps.map(({ outcome }) => outcome)).toEqual(['ok', 'unknown', 'waiting']);
    expect(changes[0]?.state).toBe('partly done (done, outcome unknown, not sent)');
  });

  it('can be undone, as far as anything changed', async () => {
    const { refusal, data, writes, kept } = await startLosing(when);
    const id = /change_id ([\da-f]{12})/.exec(await refusal('set_shares', rotation))?.[1];
    writes();
    await data('undo_change', { change_id: id });
    expect(writes()).toEqual(when === 'after' ? ['5=20', '4=40'] : ['4=40']);
    expect(kept()).toEqual([40, 40, 20]);
  });

  it('continues with the same call, which sends the remaining shares', async () => {
    const { refusal, data, writes, kept } = await startLosing(when);
    await refusal('set_shares', rotation);
    writes();
    await data('set_shares', rotation);
    expect(kept()).toEqual([10, 70, 15]);
    expect(writes()).toEqual(when === 'after' ? ['3=10'] : ['5=15', '3=10']);
  });
});

/** A tracker that answers writes with an error, and keeps what it gets all the same, or not. */
async function startErring(doesKeep = true, status = 200) {
  const { tracker, offers, campaign, keepPage } = await startKeepingTracker();
  const erring = (keep: (sent: Readonly<Record<string, string>>) => unknown) => {
    return (sent: Readonly<Record<string, string>>) => {
      if (doesKeep) keep(sent);
      return { status, body: '{"Status":"Error","Message":"cache not cleared"}' };
    };
  };
  const works = (sent: Readonly<Record<string, string>>) => {
    campaign.Bid = sent['bid'] ?? campaign.Bid;
    return { body: '{"Status":"OK"}' };
  };
  tracker.answer('campaign/editpage', erring(keepPage));
  tracker.answer('campaign/edit', erring(works));
  const repair = () => {
    tracker.answer('campaign/editpage', keepPage);
    tracker.answer('campaign/edit', works);
  };
  const kept = () => [campaign.Bid, ...offers.map(({ Share }) => Share)];
  return { kept, repair, ...(await connect({ url: tracker.url })) };
}

const setBid = { tool: 'edit_campaign', arguments: { campaign_id: 1, bid: 0.25 } };

describe.each([
  ['edit_campaign', setBid.arguments, ['0.25', '40', '40', '20']],
  ['edit_campaign_page', { campaign_id: 1, page_id: 4, share: 70 }, ['0.10', '40', '70', '20']],
  ['set_shares', { campaign_id: 1, shares: [{ page_id: 4, share: 70 }] }, ['0.10', '40', '70', '20']],
  ['make_changes', { writes: [setBid] }, ['0.25', '40', '40', '20']],
] as const)('%s that the tracker answers with an error', (tool, given, after) => {
  it('is told as carried out if the tracker shows the new value, and can be undone', async () => {
    const { refusal, data, kept, repair } = await startErring();
    const said = await refusal(tool, given);
    expect(kept()).toEqual(after);
    expect(said).toContain('Read again: the tracker has these values now.');
    expect(said).toContain('cache not cleared');
    expect(said).not.toContain('Nothing was changed');
    const { changes } = await data<ListedChanges>('list_changes');
    expect(changes[0]?.state).toContain('outcome unknown');
    repair();
    await data('undo_change', { since: '2026-01-01' });
    expect(kept().map(Number)).toEqual([0.1, 40, 40, 20]);
  });

  it('changed nothing if the tracker shows the old value', async () => {
    const { refusal, data } = await startErring(false);
    expect(await refusal(tool, given)).toContain('Nothing was changed.');
    const { changes } = await data<ListedChanges>('list_changes');
    expect(changes[0]?.state).toContain('refused');
  });
});

it.each([
  [true, 'Read again: the tracker has these values now.'],
  [false, 'Read again, the tracker does not show what was set: bid is 0.1.'],
])('a write whose outcome is unknown is read again (carried out: %s)', async (doesKeep, said) => {
  const { refusal } = await startErring(doesKeep, 500);
  const message = await refusal('edit_campaign', setBid.arguments);
  expect(message).toContain('Outcome unknown');
  expect(message).toContain(said);
});
