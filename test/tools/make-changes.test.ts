import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Guard } from '../../src/guard/guard.ts';
import type { Holder } from '../../src/guard/holder.ts';
import { readAuditLog } from '../../src/guard/read-audit-log.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { FromSchema } from '../../src/tools/json-schema.ts';
import type { madeOutput } from '../../src/tools/make-changes.ts';
import type { ListedChanges } from '../support/answers.ts';
import { openTrail } from '../support/audit-trail.ts';
import { type Break, startBreakingWay } from '../support/breaking-way.ts';
import { closeAfterTests } from '../support/closing.ts';
import { askedPerson, type ConnectOptions, connect, contextFor, textOf } from '../support/connect.ts';
import { newFolder } from '../support/folders.ts';

type Made = FromSchema<typeof madeOutput>;

const now = () => new Date('2026-05-06T12:00:00Z');
const sandbox = await startSandbox({ now, apiKey: 'set of changes' });
closeAfterTests(() => sandbox.close());
const way = await startBreakingWay(sandbox.url);

/** A client of the embedded tracker, whose campaigns have these bids. */
async function start(options: ConnectOptions = {}) {
  const server = await connect({ url: way.url, apiKey: sandbox.apiKey, now, ...options });
  const bids = async () => {
    const { tables } = await server.data<{ tables: { rows: unknown[][] }[] }>('list_campaigns', {
      columns: ['ID', 'Bid'],
      sort_by: 'ID',
      sort_order: 'asc',
      limit: 3,
    });
    return tables[0]?.rows.map(([, bid]) => bid);
  };
  return { ...server, bids };
}

const setBid = (campaign_id: unknown, bid: unknown) => ({ tool: 'edit_campaign', arguments: { campaign_id, bid } });
const three = [setBid(1, 0.5), setBid('Travel insurance, display', '0.2'), setBid(3, 0.3)];

beforeEach(async () => {
  const { call } = await start();
  await call('make_changes', { writes: [setBid(1, 0.35), setBid(2, 0.12), setBid(3, 0.05)] });
  way.writes();
});

describe('a set of changes', () => {
  it('shows old and new values in a dry run, and sends nothing', async () => {
    const { call } = await start();
    const result = await call('make_changes', { writes: three, dry_run: true });
    const made = result.structuredContent as Made;
    expect(made).toMatchObject({ dry_run: true, done: false, change_id: null });
    expect(made.steps).toMatchObject([
      { write: 1, tool: 'edit_campaign', arguments: { bid: 0.5 }, before: { bid: 0.35 }, outcome: 'not sent' },
      { write: 2, arguments: { campaign_id: 2, bid: 0.2 }, before: { bid: 0.12 } },
      { write: 3, arguments: { bid: 0.3 }, before: { bid: 0.05 } },
    ]);
    expect(textOf(result)).toContain('2. edit_campaign campaign_id 2: bid 0.12 -> 0.2 (not sent)');
    expect(way.writes()).toEqual([]);
  });

  it('is sent in order, and each write is a change of the set', async () => {
    const { data, bids } = await start();
    const made = await data<Made>('make_changes', { writes: three });
    expect(way.writes().map(({ campaignid, bid }) => `${campaignid}=${bid}`)).toEqual(['1=0.5', '2=0.2', '3=0.3']);
    expect(await bids()).toEqual([0.5, 0.2, 0.3]);
    const { changes } = await data<ListedChanges>('list_changes');
    expect(changes.map(({ change_id }) => change_id)).toEqual(
      made.steps.map(({ change_id }) => change_id).toReversed(),
    );
    expect(new Set([made.change_id, ...changes.map(({ change_id }) => change_id)]).size).toBe(4);
  });

  it('sends only what differs, so a repeated call sends nothing', async () => {
    const { call } = await start();
    await call('make_changes', { writes: three.slice(1) });
    way.writes();
    const made = (await call('make_changes', { writes: three })).structuredContent as Made;
    expect(made.steps.map(({ outcome }) => outcome)).toEqual(['ok', 'already so', 'already so']);
    expect(way.writes()).toHaveLength(1);
    expect(textOf(await call('make_changes', { writes: three }))).toContain('the tracker already has these values');
    expect(way.writes()).toEqual([]);
  });

  it('is read again when it is sent, each list once, and says which values the tracker has', async () => {
    const { data } = await start();
    const share = { tool: 'edit_campaign_page', arguments: { campaign_id: 1, page_id: 3, share: 7 } };
    const { notices, change_id } = await data<Made>('make_changes', { writes: [...three, share] });
    expect(notices).toContain('Read again: the tracker has the values of all writes now.');
    await data('undo_change', { change_id });
  });

  it('is named in the audit log with each of its requests', async () => {
    const path = join(await newFolder(), 'audit.jsonl');
    const { data } = await start({ policy: { auditTrail: openTrail(path) } });
    const made = await data<Made>('make_changes', { writes: three });
    const { writes } = await readAuditLog(path);
    expect(writes.map(({ set, change, act }) => ({ set, change, act }))).toEqual(
      made.steps.map(({ change_id: change }, index) => ({
        set: { id: made.change_id, number: index + 1, of: 3 },
        ...{ change, act: 'edit_campaign' },
      })),
    );
  });

  it.each<[Break, RegExp, unknown[]]>([
    ['status 500', /Outcome unknown|refused|500/, [0.5, 0.12, 0.05]],
    ['lost before', /Outcome unknown/, [0.5, 0.12, 0.05]],
    ['lost after', /Outcome unknown/, [0.5, 0.2, 0.05]],
  ])(
    'whose second write ends with %s stops, and tells what was done and what was not sent',
    async (how, said, after) => {
      const { refusal, data, bids } = await start();
      void way.breakAt(2, how);
      const message = await refusal('make_changes', { writes: three });
      expect(message).toMatch(/stopped at write 2 edit_campaign campaign_id 2 \(change [\da-f]{12}\)/);
      expect(message).toMatch(said);
      expect(message).toMatch(
        /Done: 1 edit_campaign campaign_id 1 \(change [\da-f]{12}\)\. Not sent: 3 edit_campaign campaign_id 3\./,
      );
      expect(way.writes()).toHaveLength(2);
      expect(await bids()).toEqual(after);
      const { changes } = await data<ListedChanges>('list_changes');
      expect(changes.map(({ state }) => state.split(' of set')[0])).toEqual([
        'outcome unknown, write 2 of 3',
        'done, write 1 of 3',
      ]);
    },
  );
});

describe('a set with a mistake is refused, and nothing is sent', () => {
  it.each([
    [
      'an unknown tool',
      [{ tool: 'get_stats', arguments: { campaign_id: 1 } }],
      /writes\[0\]\.tool is "get_stats".*set_shares/,
    ],
    ['a set in a set', [{ tool: 'make_changes', arguments: { writes: three } }], /tool is "make_changes"/],
    [
      'an unknown argument',
      [setBid(1, 0.5), { tool: 'edit_campaign', arguments: { campaign_id: 2, bit: 1 } }],
      /Write 2: .*no argument "bit"/,
    ],
    ['a value that cannot be', [setBid(1, 0.5), setBid(2, 'lots')], /Write 2: edit_campaign was not called: bid/],
    [
      'nothing to change',
      [{ tool: 'edit_campaign', arguments: { campaign_id: 2 } }],
      /Write 1: edit_campaign was not called/,
    ],
    [
      'the key of the tracker',
      [setBid(1, 0.5), { tool: 'add_offer', arguments: { name: sandbox.apiKey, url: 'https://x.example' } }],
      /holds the API key/,
    ],
    [
      'two mistakes',
      [setBid(1, 'lots'), setBid(2, 0.5), setBid(3, -1)],
      /Write 1: .*bid must be.*Write 3: .*bid must be/,
    ],
    [
      'a dry run inside',
      [{ tool: 'edit_campaign', arguments: { campaign_id: 1, bid: 1, dry_run: true } }],
      /dry_run belongs beside writes/,
    ],
    ['a name that fits no campaign', [setBid('Nobody', 0.5)], /Write 1: .*"Nobody" matches no campaign/],
    ['a value set twice', [setBid(1, 0.5), setBid('1', 0.6)], /Writes 1 and 2 set the same value/],
  ])('%s', async (_, writes, message) => {
    const { refusal } = await start();
    expect(await refusal('make_changes', { writes })).toMatch(message);
    expect(way.writes()).toEqual([]);
  });
});

describe('what a set does', () => {
  it('is asked once, with old and new values and the effect of each campaign', async () => {
    const { person, questions } = askedPerson();
    const { data, bids } = await start({ policy: { confirm: true }, person });
    const writes = [
      ...three.slice(0, 2),
      { tool: 'edit_campaign_page', arguments: { campaign_id: 1, page_id: 3, share: 70 } },
      { tool: 'edit_campaign_page', arguments: { campaign_id: 1, page_id: 4, share: 10 } },
      { tool: 'set_shares', arguments: { campaign_id: 2, shares: [{ page_id: 2, percent: 30 }] } },
    ];
    const { change_id } = await data<Made>('make_changes', { writes });
    expect(questions).toHaveLength(1);
    const [question = ''] = questions;
    const [first = '', second = ''] = question.split('Campaign 2 ');
    expect(first).toMatch(/Make 5 changes with \d+ requests.*Campaign 1 “Home fitness, search”:/s);
    expect(first).toMatch(
      /1\. Edit campaign options: bid: 0\.35 -> 0\.5\n3\. .*page id: 3 \(“.+”\), share: 40 -> 70\n4\. .*share: 40 -> 10/,
    );
    // Both together, in one list.
    expect(first.match(/FitTrack coaching” \(offer\)/g)).toHaveLength(1);
    expect(first).toMatch(/FitTrack coaching” \(offer\): share 40 -> 70, 40% -> 70% of the traffic/);
    expect(second).toMatch(/^“Travel insurance, display”:\n2\. Edit campaign options: bid: 0\.12 -> 0\.2/);
    expect(second).toMatch(/TripSafe annual” \(offer\): share .*-> 30% of the traffic/);
    await data('undo_change', { change_id });
    expect(questions).toHaveLength(2);
    expect(await bids()).toEqual([0.35, 0.12, 0.05]);
  });

  it('is not sent if the person declines, or the client cannot ask', async () => {
    const { person } = askedPerson({ action: 'decline' });
    for (const options of [{ person }, {}]) {
      const { refusal } = await start({ policy: { confirm: true }, ...options });
      expect(await refusal('make_changes', { writes: three })).toContain('agreement was declined or unavailable');
    }
    expect(way.writes()).toEqual([]);
  });

  it('is not asked about if it is too long for a person to check', async () => {
    const { person, questions } = askedPerson();
    const { refusal, data } = await start({ policy: { confirm: true }, person });
    const writes = Array.from({ length: 20 }, (_, index) => ({
      tool: 'add_offer',
      arguments: { name: `Offer ${index}`, url: `https://x.example/${index}?${'x'.repeat(3000)}` },
    }));
    expect(await refusal('make_changes', { writes })).toMatch(/too long for a person to check.*Change less at once/);
    expect(questions).toEqual([]);
    const made = await data<Made>('make_changes', { writes, dry_run: true });
    expect(made.steps).toHaveLength(20);
    expect(JSON.stringify(made).length).toBeLessThan(40_000);
    expect(way.writes()).toEqual([]);
  });

  it('is told with the ID of what it added, which is switched off again', async () => {
    const { data, call } = await start();
    const added = { name: 'Swim', url: 'https://swim.example.com' };
    const writes = [{ tool: 'add_offer', arguments: added }, setBid(1, 0.5)];
    const made = (await call('make_changes', { writes })).structuredContent as Made;
    expect(made.steps[0]?.id).toMatch(/^\d+$/);
    way.writes();
    await data('undo_change', { change_id: made.change_id });
    expect(way.writes()).toMatchObject([{ bid: '0.35' }, { id: made.steps[0]?.id, inactive: '1' }]);
  });

  it('finds the ID of each page that it adds to one campaign', async () => {
    const { data } = await start();
    const add = (name: string) => ({
      tool: 'add_offer_to_campaign',
      arguments: { campaign_id: 1, name, url: `https://${name}.example.com`, share: 1 },
    });
    const made = await data<Made>('make_changes', { writes: [add('one'), add('two')] });
    const [one, two] = made.steps.map(({ id }) => id);
    expect(one).toMatch(/^\d+$/);
    expect(two).toMatch(/^\d+$/);
    expect(one).not.toBe(two);
    way.writes();
    await data('undo_change', { change_id: made.change_id });
    expect(way.writes().map(({ pageid }) => pageid)).toEqual([two, one]);
  });
});

describe('a set is refused as each of its writes would be', () => {
  it.each<[string, ConnectOptions['policy'], RegExp]>([
    ['a limit on bids', { limits: { maxBid: 0.4 } }, /edit_campaign was refused.*TRACKER_MAX_BID/],
    ['a limit on campaigns', { limits: { campaigns: [1, 3] } }, /only campaigns 1, 3 may be changed/],
    [
      'a list of tools without one',
      { tools: ['make_changes', 'set_shares', 'list_campaigns'] },
      /edit_campaign is not offered.*TRACKER_TOOLS/,
    ],
    ['the number of requests', { limits: { maxChanges: 2 } }, /3 requests.*TRACKER_MAX_CHANGES/],
    ['a list of tools without sets', { tools: ['edit_campaign'] }, /make_changes/],
  ])('by %s', async (_, policy, message) => {
    const { client } = await start({ policy: policy ?? {} });
    for (const dry_run of [true, false]) {
      const result = await client
        .callTool({ name: 'make_changes', arguments: { writes: three, dry_run } })
        .catch(String);
      expect(typeof result === 'string' ? result : JSON.stringify(result.content)).toMatch(message);
    }
    expect(way.writes()).toEqual([]);
  });

  it('and is not listed on a server that only reads', async () => {
    const { listed } = await start({ policy: { readOnly: true } });
    expect(listed.map(({ name }) => name)).not.toContain('make_changes');
  });

  it('and so is one whose writes need the traffic as it is before', async () => {
    const { refusal } = await start();
    const shares = { tool: 'set_shares', arguments: { campaign_id: 1, shares: [{ page_id: 3, percent: 60 }] } };
    const off = { tool: 'edit_campaign_page', arguments: { campaign_id: 1, page_id: 4, active: false } };
    expect(await refusal('make_changes', { writes: [off, shares] })).toMatch(
      /Writes 1 and 2 move the traffic of campaign 1/,
    );
    const moved = { tool: 'edit_campaign_page', arguments: { campaign_id: 1, page_id: 4, new_page_id: 44 } };
    const later = { tool: 'edit_campaign_page', arguments: { campaign_id: 1, page_id: 4, share: 3 } };
    expect(await refusal('make_changes', { writes: [moved, later] })).toMatch(/Writes 1 and 2/);
    expect(way.writes()).toEqual([]);
  });
});

describe('a caller with a token', () => {
  const holder = { access: 'write', tools: undefined, trackers: undefined, limits: {} } as const;
  const policy = { readOnly: false, limits: {}, confirm: false };
  const guard = new Guard(policy);
  const startFor = (ofHolder: Partial<Holder> & Pick<Holder, 'name'>) => {
    const context = contextFor({ url: way.url, apiKey: sandbox.apiKey, now });
    return start({ context: { ...context, guard: guard.heldBy({ ...holder, ...ofHolder }) } });
  };

  it.each<[string, Partial<Holder>, RegExp]>([
    ['that only reads', { access: 'read' }, /token of ann may only read/],
    ['for other tools', { tools: ['make_changes', 'list_campaigns'] }, /edit_campaign is not offered.*token of ann/],
    [
      'for other campaigns',
      { limits: { campaigns: [1, 2] } },
      /only campaigns 1, 2 may be changed \(the token of ann\)/,
    ],
    [
      'that only proposes',
      { access: 'propose' },
      /agreement was declined or unavailable.*token of ann may only propose/,
    ],
  ])('%s cannot send a set either', async (_, ofHolder, message) => {
    const { client } = await startFor({ name: 'ann', ...ofHolder });
    const result = await client.callTool({ name: 'make_changes', arguments: { writes: three } }).catch(String);
    expect(typeof result === 'string' ? result : JSON.stringify(result.content)).toMatch(message);
    expect(way.writes()).toEqual([]);
  });

  it('undoes what was made with it since a time, and not what others made', async () => {
    const [bob, cid] = [await startFor({ name: 'bob' }), await startFor({ name: 'cid' })];
    const since = new Date(Date.now() - 1000).toISOString();
    await bob.data('make_changes', { writes: [setBid(1, 0.5), setBid(2, 0.2)] });
    await cid.data('make_changes', { writes: [setBid(3, 0.3)] });
    await bob.data('undo_change', { since });
    expect(await bob.bids()).toEqual([0.35, 0.12, 0.3]);
  });
});

it('a rotation of a set that stops half way says which of its pages are done, and what to send', async () => {
  const { refusal } = await start();
  const shares = [
    { page_id: 2, percent: 20 },
    { page_id: 3, percent: 80 },
  ];
  void way.breakAt(3, 'lost before');
  const writes = [setBid(1, 0.5), { tool: 'set_shares', arguments: { campaign_id: 2, shares } }, setBid(3, 0.3)];
  const message = await refusal('make_changes', { writes });
  expect(message).toMatch(
    /stopped at write 2 set_shares campaign_id 2 \(change [\da-f]{12}\): set_shares stopped at page \d/,
  );
  expect(message).toMatch(/Done: page \d to .* with shares \[.*\], not with percent/s);
  expect(message).toMatch(/Done: 1 edit_campaign campaign_id 1 .*Not sent: 3 edit_campaign campaign_id 3\./s);
  expect(way.writes()).toHaveLength(3);
});
