import { describe, expect, it } from 'vitest';
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
