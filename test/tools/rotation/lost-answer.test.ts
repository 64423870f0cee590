import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { connect } from '../../support/connect.ts';
import { listening } from '../../support/listening.ts';

/** A tracker that hangs up at the second write, before or after carrying it out. */
async function startHangingUp(when: 'before' | 'after') {
  const shares = new Map(Object.entries({ 3: 40, 4: 40, 5: 20 }));
  const writes: string[] = [];
  const server = createServer(async (request, response) => {
    const given = new URLSearchParams(await text(request));
    const answer = (body: unknown) => response.end(JSON.stringify(body));
    if (request.url?.includes('campaign/list')) return answer([{ ID: '1', Name: 'Search', Type: 'Multiple Path' }]);
    if (request.url?.includes('stats')) {
      const offer = [...shares].map(([PageID, Share]) => ({ PageID, Name: `Page ${PageID}`, Share, Path: 1 }));
      return answer({ Reports: { landing: [], offer } });
    }
    const [pageId, share] = [given.get('pageid') ?? '', Number(given.get('share'))];
    writes.push(`${pageId}=${share}`);
    const isLost = writes.length === 2;
    if (!isLost || when === 'after') shares.set(pageId, share);
    return isLost ? request.socket.destroy() : answer({ Status: 'OK' });
  });
  return { shares, writes, ...(await connect({ url: await listening(server) })) };
}

const shares = Object.entries({ 3: 10, 4: 70, 5: 15 }).map(([id, share]) => ({ page_id: Number(id), share }));
const rotation = { campaign_id: 1, shares };

describe.each(['before', 'after'] as const)('a rotation that loses its second answer %s it was carried out', (when) => {
  it('reports which pages are done, unknown and not sent, and sends nothing twice', async () => {
    const { refusal, data, writes } = await startHangingUp(when);
    const message = await refusal('set_shares', rotation);
    expect(message).toMatch(/stopped at page 5 to 15: Outcome unknown.*Done: page 4 to 70\. Not sent: page 3 to 10\./s);
    expect(writes).toEqual(['4=70', '5=15']);
    const { changes } = await data<{ changes: { state: string; steps: { outcome: string }[] }[] }>('list_changes');
    expect(changes[0]?.steps.map(({ outcome }) => outcome)).toEqual(['ok', 'unknown', 'waiting']);
    expect(changes[0]?.state).toBe('partly done (done, outcome unknown, not sent)');
  });

  it('can be undone, as far as anything changed', async () => {
    const { refusal, data, writes, shares } = await startHangingUp(when);
    const id = /change_id ([\da-f]{12})/.exec(await refusal('set_shares', rotation))?.[1];
    await data('undo_change', { change_id: id });
    expect(writes.slice(2)).toEqual(when === 'after' ? ['5=20', '4=40'] : ['4=40']);
    expect([...shares.values()]).toEqual([40, 40, 20]);
  });

  it('continues with the same call, which sends the remaining shares', async () => {
    const { refusal, data, writes, shares } = await startHangingUp(when);
    await refusal('set_shares', rotation);
    await data('set_shares', rotation);
    expect([...shares.values()]).toEqual([10, 70, 15]);
    expect(writes.slice(2)).toEqual(when === 'after' ? ['3=10'] : ['5=15', '3=10']);
  });
});
