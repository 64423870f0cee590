import { expect, test } from 'vitest';
import { startBreakingWay } from '../support/breaking-way.ts';
import { newFolder } from '../support/folders.ts';
import { startKeepingTracker } from '../support/keeping-tracker.ts';
import { untilGone } from '../support/processes.ts';
import { startClient } from './support/clients.ts';
import { stateIn } from './support/run-cli.ts';

interface Answered {
  readonly change_id: string;
  readonly changes: readonly { readonly tool: string; readonly state: string; readonly set?: string }[];
}

/** A tracker, and servers over stdio that keep one change log. */
async function start() {
  const { tracker, campaign, offers } = await startKeepingTracker();
  const way = await startBreakingWay(tracker.url);
  const environment = { TRACKER_URL: way.url, TRACKER_API_KEY: 'key of sets', ...stateIn(await newFolder()) };
  const run = async () => {
    const { call, transport } = await startClient(environment);
    const data = async (name: string, given = {}) => {
      const { structuredContent, content, isError } = await call(name, given);
      if (isError) throw new Error(JSON.stringify(content));
      return structuredContent as unknown as Answered;
    };
    /** Calls a tool, and kills the server once a request is carried out and not answered. */
    const killDuring = async (at: number, name: string, given: object) => {
      const hung = way.breakAt(at, 'hangs');
      const called = call(name, { ...given }).catch(String);
      await hung;
      const pid = transport.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      await untilGone(pid);
      await called;
      return way.writes();
    };
    return { data, killDuring };
  };
  const values = () => [campaign.Bid, campaign.EngageRate, ...offers.map(({ Share }) => Share)];
  return { run, way, values };
}

const rotation = [
  { page_id: 3, share: 10 },
  { page_id: 4, share: 70 },
];
const writes = [
  { tool: 'edit_campaign', arguments: { campaign_id: 1, bid: 0.5 } },
  { tool: 'set_shares', arguments: { campaign_id: 1, shares: rotation } },
  { tool: 'edit_campaign', arguments: { campaign_id: 1, engage_rate: 30 } },
];

test('a server killed in a set leaves a log of what it began, and the next takes that back, and no more', async () => {
  const { run, way, values } = await start();
  const first = await run();
  expect(await first.killDuring(2, 'make_changes', { writes })).toHaveLength(2);
  const second = await run();
  const { changes } = await second.data('list_changes');
  const set = changes[0]?.set ?? '';
  expect(changes.map(({ tool, state }) => [tool, state])).toEqual([
    ['set_shares', `partly done (outcome unknown, not sent), write 2 of 3 of set ${set}`],
    ['edit_campaign', `done, write 1 of 3 of set ${set}`],
  ]);
  await second.data('undo_change', { change_id: set });
  expect(way.writes()).toHaveLength(2);
  expect(values()).toEqual(['0.1', '40', '40', '40', '20']);
});

test('a server killed in the undo of a set has not undone what it did not send, and the next does', async () => {
  const { run, way, values } = await start();
  const first = await run();
  const { change_id } = await first.data('make_changes', { writes });
  way.writes();
  // The options and one page of two; the second request was carried out.
  expect(await first.killDuring(2, 'undo_change', { change_id })).toHaveLength(2);
  const second = await run();
  await second.data('undo_change', { change_id });
  expect(way.writes()).toHaveLength(2);
  expect(values()).toEqual(['0.1', '40', '40', '40', '20']);
});

test('the set that was cut off goes on with the same call, which sends only the rest', async () => {
  const { run, way, values } = await start();
  await (await run()).killDuring(3, 'make_changes', { writes });
  await (await run()).data('make_changes', { writes });
  expect(way.writes()).toHaveLength(1);
  expect(values()).toEqual(['0.5', '30', '10', '70', '20']);
});
