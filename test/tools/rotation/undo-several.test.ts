import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Changes } from '../../../src/guard/changes.ts';
import { Guard } from '../../../src/guard/guard.ts';
import type { FromSchema } from '../../../src/tools/json-schema.ts';
import type { madeOutput } from '../../../src/tools/make-changes.ts';
import type { ListedChanges, Receipt } from '../../support/answers.ts';
import { openTrail } from '../../support/audit-trail.ts';
import { type Break, startBreakingWay } from '../../support/breaking-way.ts';
import { type ConnectOptions, connect, contextFor, textOf } from '../../support/connect.ts';
import { newFolder } from '../../support/folders.ts';
import { startKeepingTracker } from '../../support/keeping-tracker.ts';

type Made = FromSchema<typeof madeOutput>;

/** A server on a clock, and a tracker behind a way that can break. */
async function start(options: ConnectOptions = {}) {
  const { tracker, campaign, offers } = await startKeepingTracker();
  const way = await startBreakingWay(tracker.url);
  const clock = { now: Date.parse('2026-05-06T12:00:00Z') };
  const changes = new Changes(options.policy?.auditTrail, undefined, () => new Date(clock.now));
  const policy = { readOnly: false, limits: {}, confirm: false, ...options.policy };
  const context = { ...contextFor({ url: way.url }), guard: new Guard(policy, undefined, changes) };
  const server = await connect({ ...options, context });
  const bid = async (amount: number) => {
    clock.now += 60_000;
    const { change_id } = await server.data<Receipt>('edit_campaign', { campaign_id: 1, bid: amount });
    return change_id ?? '';
  };
  return { ...server, campaign, offers, way, clock, bid };
}

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
  { tool: 'edit_campaign', arguments: { campaign_id: 1, engage_rate: 30 } },
];

const sharesOf = (offers: readonly { Share: string }[]) => offers.map(({ Share }) => Number(Share));

describe('several changes', () => {
  it('are undone newest first, also if they set the same value, and can be done again as one', async () => {
    const { data, campaign, way, bid } = await start();
    const ids = [await bid(0.2), await bid(0.3), await bid(0.4)];
    way.writes();
    const dry = await data<Made>('undo_change', { changes: ids, dry_run: true });
    expect(dry.steps.map(({ undoes, before, arguments: given }) => [undoes, before['bid'], given['bid']])).toEqual([
      [ids[2], 0.4, 0.3],
      [ids[1], 0.3, 0.2],
      [ids[0], 0.2, 0.1],
    ]);
    expect(way.writes()).toEqual([]);
    const undone = await data<Made>('undo_change', { changes: ids });
    expect(way.writes().map((sent) => sent['bid'])).toEqual(['0.3', '0.2', '0.1']);
    expect(campaign.Bid).toBe('0.1');
    const { changes } = await data<ListedChanges>('list_changes', { limit: 6 });
    expect(changes.filter(({ state }) => state.includes('undone by'))).toHaveLength(3);
    await data('undo_change', { change_id: undone.change_id });
    expect(campaign.Bid).toBe('0.4');
  });

  it('are those since a time, without what was undone since', async () => {
    const { data, refusal, campaign, clock, bid } = await start();
    await bid(0.2);
    const since = new Date(clock.now + 1000).toISOString();
    await bid(0.3);
    const last = await bid(0.4);
    await data('undo_change', { change_id: last });
    const dry = await data<Made>('undo_change', { since, dry_run: true });
    expect(dry.steps.map(({ arguments: given }) => given['bid'])).toEqual([0.2]);
    await data('undo_change', { since: since.slice(0, 19).replace('T', ' ') });
    expect(campaign.Bid).toBe('0.2');
    expect(await refusal('undo_change', { since })).toContain('nothing to undo');
  });

  it('since a time include an undo of something older, which is done again', async () => {
    const { data, campaign, clock, bid } = await start();
    const old = await bid(0.2);
    clock.now += 60_000;
    const since = new Date(clock.now).toISOString();
    await data('undo_change', { change_id: old });
    await data('undo_change', { since });
    expect(campaign.Bid).toBe('0.2');
  });

  it('are refused whole, with the name of every value that somebody changed since', async () => {
    const { data, refusal, campaign, offers, way } = await start();
    const { change_id } = await data<Made>('make_changes', { writes });
    way.writes();
    Object.assign(campaign, { Bid: '0.9' });
    Object.assign(offers[0] ?? {}, { Share: '77' });
    for (const dry_run of [true, false]) {
      const message = await refusal('undo_change', { change_id, dry_run });
      expect(message).toMatch(/bid of edit_campaign campaign_id 1 is 0\.9, but change [\da-f]{12} set it to 0\.5/);
      expect(message).toMatch(
        /share of edit_campaign_page campaign_id 1, page_id 3 is 77, but change [\da-f]{12} set it to 10/,
      );
    }
    expect(way.writes()).toEqual([]);
  });

  it('name the later change of this server that stands in the way, and go with it', async () => {
    const { data, refusal, campaign, bid } = await start();
    const [one, two] = [await bid(0.2), await bid(0.3)];
    const message = await refusal('undo_change', { change_id: one });
    expect(message).toContain(`bid is 0.3, but the change set it to 0.2, and change ${two} to 0.3 since`);
    expect(message).toContain(`Undo ${two} first`);
    await data('undo_change', { changes: [one, two] });
    expect(campaign.Bid).toBe('0.1');
  });

  it.each([
    [{}, /change_id, changes or since, one of the three/],
    [{ change_id: 'a', since: '2026-05-06' }, /one of the three/],
    [{ since: 'yesterday' }, /since must be a time/],
    [{ since: '2026-02-30' }, /since must be a time/],
    [{ since: '2026-02-30T10:00Z' }, /since must be a time/],
    [{ changes: ['nothing'] }, /There is no change "nothing"/],
  ])('are asked for in one way: %j', async (given, message) => {
    const { refusal } = await start();
    expect(await refusal('undo_change', given)).toMatch(message);
  });

  it('are undone by only one of two concurrent calls', async () => {
    const { call, way, bid } = await start();
    const ids = [await bid(0.2), await bid(0.3)];
    way.writes();
    const ends = await Promise.all([ids, ids.toReversed()].map((changes) => call('undo_change', { changes })));
    expect(ends.map(({ isError }) => isError === true).sort()).toEqual([false, true]);
    expect(way.writes()).toHaveLength(2);
  });
});

describe.each<Break>(['status 500', 'lost before', 'lost after'])(
  'a set whose undo ends with %s in the middle',
  (how) => {
    it('says what was undone, and the same call undoes the rest, nothing twice', async () => {
      const { data, refusal, campaign, offers, way } = await start();
      const { change_id, steps } = await data<Made>('make_changes', { writes });
      way.writes();
      void way.breakAt(3, how);
      const message = await refusal('undo_change', { change_id });
      expect(message).toMatch(/^undo_change stopped after 2 of 4 writes/);
      expect(message).toContain(`Undone: ${steps.at(-1)?.change_id}.`);
      const [first] = way.writes();
      expect(first).toMatchObject({ engage: '40' });
      await data('undo_change', { change_id });
      const rest = way.writes();
      expect(rest).toHaveLength(how === 'lost after' ? 1 : 2);
      expect([campaign.Bid, campaign.EngageRate, ...sharesOf(offers)]).toEqual(['0.1', '40', 40, 40, 20]);
    });
  },
);

it('a set of an earlier run is undone whole, from the audit log', async () => {
  const path = join(await newFolder(), 'audit.jsonl');
  const open = () => openTrail(path, { tracker: 'the same' });
  const first = await start({ policy: { auditTrail: open() } });
  const { change_id } = await first.data<Made>('make_changes', { writes });
  const context = contextFor({ url: first.way.url, policy: { auditTrail: open() } });
  const second = await connect({ context });
  const text = textOf(await second.call('undo_change', { change_id }));
  expect(text).toMatch(/done, change [\da-f]{12}/);
  expect([first.campaign.Bid, first.campaign.EngageRate, ...sharesOf(first.offers)]).toEqual(['0.1', '40', 40, 40, 20]);
});

it('a rotation that an undo of an earlier run took back in part is not counted as undone', async () => {
  const path = join(await newFolder(), 'audit.jsonl');
  const open = () => openTrail(path, { tracker: 'the same' });
  const first = await start({ policy: { auditTrail: open() } });
  const { change_id } = await first.data<Made>('make_changes', { writes: writes.slice(1, 2) });
  first.way.writes();
  void first.way.breakAt(2, 'lost before');
  await first.refusal('undo_change', { change_id });
  const second = await connect({ context: contextFor({ url: first.way.url, policy: { auditTrail: open() } }) });
  first.way.writes();
  await second.data('undo_change', { change_id });
  expect(first.way.writes()).toHaveLength(1);
  expect(sharesOf(first.offers)).toEqual([40, 40, 20]);
});

describe.each<Break>(['status 500', 'lost before', 'lost after'])('wherever an answer is %s', (how) => {
  // The set and its undo each send four requests.
  const places = [1, 2, 3, 4].flatMap((one) => [1, 2, 3, 4].map((other) => [one, other] as const));

  it.each(places)(
    'at %i of a set, and at %i of its undo, both end as if nothing had broken, and send nothing twice',
    async (atSet, atUndo) => {
      const { call, data, campaign, offers, way } = await start();
      const values = () => [Number(campaign.Bid), Number(campaign.EngageRate), ...sharesOf(offers)];
      const before = values();
      void way.breakAt(atSet, how);
      const broken = await call('make_changes', { writes });
      const [id] = /[\da-f]{12}(?=: list_changes)/.exec(textOf(broken)) ?? [];
      expect([broken.isError, id]).toEqual([true, expect.any(String)]);
      void way.breakAt(0, how);
      const { change_id: rest } = await data<Made>('make_changes', { writes });
      expect(values()).toEqual([0.5, 30, 10, 70, 20]);
      expect(way.writes()).toHaveLength(how === 'lost after' ? 4 : 5);
      const changes = [id, rest].filter((one) => one);
      void way.breakAt(atUndo, how);
      expect(await call('undo_change', { changes })).toMatchObject({ isError: true });
      void way.breakAt(0, how);
      // All may be undone already, by the request whose answer was lost.
      await call('undo_change', { changes });
      expect(values()).toEqual(before);
      expect(way.writes()).toHaveLength(how === 'lost after' ? 4 : 5);
    },
  );
});
