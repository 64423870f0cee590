import { beforeEach, describe, expect, it } from 'vitest';
import type { ChangeOutcome } from '../../src/answer/outcomes.ts';
import { Changes } from '../../src/guard/changes.ts';
import { Guard } from '../../src/guard/guard.ts';
import { newOutcomes } from '../../src/tools/list-changes.ts';
import { apiKey, startTracker } from '../sandbox/support/tracker.ts';
import { connect, contextFor, textOf } from '../support/connect.ts';
import { withoutStatuses } from '../support/without-statuses.ts';

/** The visitors of an offer on each of some days: how many, how many of them buy, what for, and how many days later. */
interface Visitors {
  readonly offer: number;
  readonly days: readonly [first: string, last: string];
  readonly visits: number;
  readonly sales: number;
  readonly pays?: number;
  readonly daysLate?: number;
  /** Whether every second sale is rejected. */
  readonly areRejected?: boolean;
  /** Whether every second one comes without a landing page. */
  readonly areMixed?: boolean;
}

const before = ['2026-05-06', '2026-05-20'] as const;
const after = ['2026-05-21', '2026-06-04'] as const;
const changed = '2026-05-20T14:00:00Z';
const closed = '2026-06-18T12:00:00Z';

/** Of 40 visitors a day, offer 1 gets so many before and after, and offer 2 the others; every second and every fourth buys. */
function split(visitsBefore: number, visitsAfter: number, daysLate = 0): Visitors[] {
  return [
    { offer: 1, days: before, visits: visitsBefore, sales: visitsBefore / 2, daysLate },
    { offer: 2, days: before, visits: 40 - visitsBefore, sales: (40 - visitsBefore) / 4, daysLate },
    { offer: 1, days: after, visits: visitsAfter, sales: visitsAfter / 2, daysLate },
    { offer: 2, days: after, visits: 40 - visitsAfter, sales: (40 - visitsAfter) / 4, daysLate },
  ].filter(({ visits }) => visits > 0);
}

/** Its payout rises from 20 to 30, while all offers sell half as much after the change. */
const payoutRaised: readonly Visitors[] = [
  { offer: 1, days: before, visits: 20, sales: 10 },
  { offer: 2, days: before, visits: 20, sales: 10 },
  { offer: 1, days: after, visits: 20, sales: 5, pays: 30 },
  { offer: 2, days: after, visits: 20, sales: 5 },
];

/** Each has a campaign of its own. */
const stories = {
  paid: split(20, 32),
  cost: split(20, 8),
  open: split(20, 32),
  late: split(20, 32, 9),
  off: split(20, 40),
  twice: split(20, 32),
  ignored: split(20, 20),
  payout: payoutRaised,
  elsewhere: split(20, 32),
  gone: split(20, 32),
  moved: split(20, 32),
  poor: split(20, 32).map((visitors) => ({ ...visitors, sales: 0 })),
  namesakes: split(20, 32),
  set: split(20, 32),
  bid: split(20, 20),
  tried: split(20, 20),
  triedOff: split(20, 20),
  reviewed: split(20, 32),
  reviewedPoor: split(20, 32).map((visitors) => ({ ...visitors, sales: 0 })),
  rejected: split(20, 32).map((visitors) => ({ ...visitors, areRejected: visitors.offer === 1 })),
  mixed: split(20, 32).map((visitors) => ({ ...visitors, areMixed: true })),
  mixedElsewhere: split(20, 32).map(({ visits, sales, ...visitors }) => {
    return { ...visitors, visits: 4 * visits, sales: 4 * sales, areMixed: true };
  }),
  rare: [
    ...split(20, 32),
    { offer: 2, days: ['2026-03-20', '2026-03-20'], visits: 1, sales: 1, pays: 200_000 },
  ] as Visitors[],
  quiet: split(20, 20),
  mixedAllLand: split(20, 32),
  twoServers: split(20, 32).flatMap(({ days: [first, last], ...visitors }): Visitors[] =>
    first < '2026-05-21'
      ? [{ ...visitors, days: [first, last] }]
      : [
          { ...visitors, days: [first, '2026-05-28'] },
          { ...visitors, visits: 20, sales: visitors.offer === 1 ? 10 : 5, days: ['2026-05-29', last] },
        ],
  ),
  mixedTried: split(20, 32).map((visitors) => ({ ...visitors, areMixed: true })),
  /** Too few sales before and after each change, but not together. */
  tuned: [20, 32, 20].flatMap((first, index): Visitors[] => {
    const from = Date.parse('2026-05-06') + index * 5 * 86_400_000;
    const days = [from, from + 4 * 86_400_000].map((day) => new Date(day).toISOString().slice(0, 10));
    return [
      { offer: 1, days: days as [string, string], visits: 10 * first, sales: first / 32 },
      { offer: 2, days: days as [string, string], visits: 10 * (40 - first), sales: 1 },
    ];
  }),
  fewSince: split(20, 32).map((visitors) =>
    visitors.days === after ? { ...visitors, sales: visitors.offer === 1 ? 1 : 0 } : visitors,
  ),
} as const;

type Story = keyof typeof stories;
const idOf = (story: Story) => Object.keys(stories).indexOf(story) + 1;

let lastClick = 0;

/** A campaign with a landing page and three offers, whose shares are 50, 50 and 0; its rows begin at ten times its ID. */
function campaignOf(story: Story): string[] {
  const id = idOf(story);
  const pages = [100, 50, 50, 0].map((share, page) => {
    const [kind, name] = page === 0 ? ['landing', 'Page'] : ['offer', `Offer ${story === 'namesakes' ? 0 : page}`];
    return `(${id * 10 + page}, ${id}, ${page + 1}, '${kind}', NULL, '${name}', 'https://x.example/${page}', true, ${share}, 1, 1, NULL, 20)`;
  });
  return [
    `INSERT INTO campaigns VALUES (${id}, '${story}', '${story.startsWith('mixed') ? 'Direct Link and Landing Page' : 'Landing Page Sequence'}', '${'0'.repeat(32)}', 1, true, 0, 0.1, 0, true, true)`,
    `INSERT INTO campaign_pages VALUES ${pages.join(', ')}`,
    ...stories[story].flatMap((visitors) => visitorsOf(id, visitors)),
  ];
}

function visitorsOf(id: number, visitors: Visitors) {
  const {
    offer,
    days: [first, last],
    visits,
    sales,
    pays = 20,
    daysLate = 0,
    areRejected,
    areMixed = false,
  } = visitors;
  const seesLanding = areMixed ? 'number % 2 = 1' : 'true';
  const status = areRejected ? "CASE number % 2 WHEN 0 THEN 'approved' ELSE 'rejected' END" : 'NULL';
  const days = `range(DATE '${first}', DATE '${last}' + 1, INTERVAL 1 DAY) days(day)`;
  const dayCount = (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
  const rows = `(SELECT ${lastClick} + row_number() OVER (ORDER BY day, number) AS click, number, day + INTERVAL 12 HOUR + number * INTERVAL 1 SECOND AS moment FROM range(${visits}) numbers(number), ${days})`;
  lastClick += visits * dayCount;
  const [landing, page] = [id * 10, id * 10 + offer];
  return [
    `INSERT INTO visits (click_id, subid, campaign_id, "at", path, cost) SELECT click, 'a_' || click, ${id}, moment, 1, 0.1 FROM ${rows}`,
    `INSERT INTO steps SELECT click, ${id}, moment, ${landing}, NULL FROM ${rows} WHERE ${seesLanding}`,
    `INSERT INTO steps SELECT click, ${id}, moment + INTERVAL 1 SECOND, ${page}, if(${seesLanding}, ${landing}, NULL) FROM ${rows}`,
    `INSERT INTO conversions (click_id, campaign_id, "at", offer_page, revenue, status) SELECT click, ${id}, moment + INTERVAL ${daysLate} DAY + INTERVAL 1 MINUTE, ${page}, ${pays}, ${status} FROM ${rows} WHERE number < ${sales}`,
  ];
}

let now = new Date(changed);
const names = Object.keys(stories) as Story[];
const campaigns = new Map(names.map((story) => [story, campaignOf(story)]));
const startAccount = (chosen: readonly Story[]) =>
  startTracker([`SET TimeZone = 'UTC'`, ...chosen.flatMap((story) => campaigns.get(story) ?? [])], { now: () => now });

/** A server with a log of its own. */
async function newServer(url = tracker.url) {
  const changes = new Changes(undefined, undefined, () => now);
  const guard = new Guard({ readOnly: false, limits: {}, confirm: false }, undefined, changes);
  const context = { ...contextFor({ url, apiKey, now: () => now, timeoutMs: 30_000 }), guard };
  const ofCall = { ...context, caller: 'a test', ask: async () => 'unavailable' as const };
  return { ...(await connect({ context })), ofCall };
}

async function newAccount(chosen: readonly Story[]) {
  const tracker = await startAccount(chosen);
  return { chosen, tracker, server: await newServer(tracker.url) };
}

const tracker = await startAccount(names);
const whole = { chosen: names, tracker, server: await newServer() };

/** The stories of which tests ask over all campaigns, or without one. */
const toldAmongAll: readonly Story[] = ['paid', 'elsewhere', 'mixedAllLand', 'bid', 'set'];

/** The others stand in smaller accounts, too: what is told of one campaign reads the sales of all. */
const others = names.filter((story) => !toldAmongAll.includes(story));
const parts = await Promise.all(
  [0, 8, 16].map((first) => newAccount(others.slice(first, first === 16 ? undefined : first + 8))),
);
const accountOf = (story: Story | undefined) =>
  parts.find(({ chosen }) => chosen.some((one) => one === story)) ?? whole;

interface Given {
  readonly campaign_id?: number;
  readonly writes?: readonly { readonly arguments: { readonly campaign_id: number } }[];
}

const serverOf = ({ campaign_id: id, writes: [write] = [] }: Given = {}) =>
  accountOf(names[(id ?? write?.arguments.campaign_id ?? 0) - 1]).server;
const data = <Data>(name: string, given?: Given & Readonly<Record<string, unknown>>) =>
  serverOf(given).data<Data>(name, given);
const call = (name: string, given: Given & Readonly<Record<string, unknown>>) => serverOf(given).call(name, given);
const refusal = (name: string, given: Given & Readonly<Record<string, unknown>>) =>
  serverOf(given).refusal(name, given);

interface ListedOutcomes {
  readonly changes: readonly { readonly change_id: string; readonly outcome?: ChangeOutcome }[];
  readonly elsewhere?: readonly {
    readonly day: string;
    readonly campaign_id: number;
    readonly pages: readonly { readonly before: number; readonly after: number }[];
    readonly outcome: ChangeOutcome;
  }[];
}

const at = (time: string) => {
  now = new Date(time);
};

async function outcomesOf(story: Story, time = closed, given: object = {}) {
  at(time);
  const listed = await data<ListedOutcomes>('list_changes', { outcomes: true, campaign_id: idOf(story), ...given });
  return { ...listed, outcome: listed.changes[0]?.outcome };
}

async function setShares(story: Story, ...shares: readonly number[]): Promise<string> {
  const asked = shares.map((share, index) => ({ page_id: index + 2, share }));
  return (await data<{ change_id: string }>('set_shares', { campaign_id: idOf(story), shares: asked })).change_id;
}

beforeEach(() => at(changed));

describe('a change of shares', () => {
  it('paid if its visitors earned more than the old shares would have earned with them', async () => {
    await setShares('paid', 80, 20);
    const { outcome } = await outcomesOf('paid');
    expect(outcome).toMatchObject({ state: 'paid', start: '2026-05-21', end: '2026-06-03' });
    // 14 days of 40 visitors: 18 sales of 20 a day, and 15 if each offer had half of them.
    expect(outcome).toMatchObject({ earned: 14 * 18 * 20, without_it: 14 * 15 * 20, difference: 14 * 3 * 20 });
    expect(outcome?.low).toBeGreaterThan(0);
    expect(outcome?.high).toBeGreaterThan(outcome?.difference ?? 0);
    const text = textOf(await call('list_changes', { outcomes: true, campaign_id: idOf('paid') }));
    expect(text.split('\n').filter((line) => line.includes('+840.00'))).toHaveLength(1);
  });

  it('is told among all weeks later, when only its campaign is read for its days', async () => {
    const late = '2026-06-30T12:00:00Z';
    const { outcome } = await outcomesOf('paid', late, { campaign_id: undefined });
    expect(outcome).toMatchObject({ state: 'paid', difference: 840 });
    expect((await outcomesOf('paid', late)).outcome).toEqual(outcome);
  });

  it('cost money if they earned less', async () => {
    await setShares('cost', 20, 80);
    const { outcome } = await outcomesOf('cost');
    expect(outcome).toMatchObject({ state: 'cost', difference: -14 * 3 * 20 });
    expect(outcome?.high).toBeLessThan(0);
  });

  it('counts no rejected sales, also where only the conversion list has their statuses', async () => {
    const proxy = await withoutStatuses(accountOf('rejected').tracker.url, (path) => path === 'visitorstats');
    const server = await newServer(proxy.url);
    const campaign_id = idOf('rejected');
    const shares = [80, 20].map((share, index) => ({ page_id: index + 2, share }));
    await server.data('set_shares', { campaign_id, shares });
    for (const time of [closed, '2026-07-20T12:00:00Z']) {
      at(time);
      const { changes } = await server.data<ListedOutcomes>('list_changes', { outcomes: true, campaign_id });
      // A quarter of the visitors of both offers buys.
      expect(changes[0]?.outcome).toMatchObject({ earned: 14 * 10 * 20, without_it: 14 * 10 * 20, difference: 0 });
    }
  });

  it('has no outcome before its days and their sales are in, and then the same on each day', async () => {
    await setShares('open', 80, 20);
    await setShares('late', 80, 20);
    expect((await outcomesOf('open', '2026-06-03T23:00:00Z')).outcome).toMatchObject({
      ...{ state: 'open', why: 'days-to-come', start: '2026-05-21', end: '2026-06-03' },
    });
    // Its sales come nine days after their visits.
    const { outcome } = await outcomesOf('late', '2026-06-07T12:00:00Z');
    expect(outcome).toMatchObject({ state: 'open', why: 'sales-to-come', so_far: '2026-06-03' });
    const first = (await outcomesOf('late', '2026-06-18T12:00:00Z')).outcome;
    expect(first).toMatchObject({ state: 'paid', difference: 840 });
    expect((await outcomesOf('late', '2026-06-25T12:00:00Z')).outcome).toEqual(first);
  });

  it('has figures of its days so far, which are no verdict', async () => {
    await setShares('open', 80, 20);
    const { outcome } = await outcomesOf('open', '2026-05-31T12:00:00Z');
    expect(outcome).toMatchObject({ state: 'open', why: 'days-to-come', end: '2026-06-03', so_far: '2026-05-30' });
    expect(outcome?.difference).toBe(600);
    expect(outcome?.low).toBeLessThan(600);
    const text = textOf(await call('list_changes', { outcomes: true, campaign_id: idOf('open') }));
    expect(text).toMatch(
      /no outcome yet: its days are not over: from 2026-05-21 to 2026-06-03; so far, until 2026-05-30 and not final: \+600\.00 .*\(90%: .* to .*\)/,
    );
    expect((await outcomesOf('open', '2026-05-21T12:00:00Z')).outcome?.so_far).toBeUndefined();
    at('2026-05-22T12:00:00Z');
    const early = textOf(await call('list_changes', { outcomes: true, campaign_id: idOf('open') }));
    expect(early).toContain(
      'from 2026-05-21 to 2026-06-03; so far, until 2026-05-21: too few visitors on a page since',
    );
  });

  it('cannot be told if a page has no visitors since', async () => {
    await data('edit_campaign_page', { campaign_id: idOf('off'), page_id: 3, active: false });
    const { outcome } = await outcomesOf('off');
    expect(outcome).toMatchObject({ state: 'unknown', why: 'page-without-visitors' });
    expect(outcome?.page).toContain('Offer 2');
  });

  it('cannot be told if another one followed on the same day, which can', async () => {
    await setShares('twice', 30, 70);
    at('2026-05-20T18:00:00Z');
    await setShares('twice', 80, 20);
    const { changes } = await outcomesOf('twice');
    expect(changes.map(({ outcome }) => [outcome?.state, outcome?.why])).toEqual([
      ['paid', undefined],
      ['unknown', 'overtaken'],
    ]);
    // 252 sales, and 182 if the first offer had 30% of the visitors.
    expect(changes[0]?.outcome).toMatchObject({ earned: 5040, without_it: 3640 });
  });

  it('cannot be told if the visitors were not split by it', async () => {
    await setShares('ignored', 80, 20);
    expect((await outcomesOf('ignored')).outcome).toMatchObject({ state: 'unknown', why: 'off-shares' });
  });

  it('cannot be told without sales, with two pages of one name, or if a page is in another group or gone', async () => {
    await setShares('poor', 80, 20);
    await setShares('namesakes', 80, 20);
    await setShares('moved', 80, 20);
    await setShares('gone', 80, 20);
    at('2026-06-10T12:00:00Z');
    await data('edit_campaign_page', { campaign_id: idOf('moved'), page_id: 3, path: 2 });
    await data('edit_campaign_page', { campaign_id: idOf('gone'), page_id: 3, new_page_id: 9 });
    const whys = ['poor', 'namesakes', 'moved', 'gone'] as const;
    const told = [];
    for (const story of whys) told.push((await outcomesOf(story)).changes.at(-1)?.outcome?.why);
    expect(told).toEqual(['few-sales', 'one-name', 'other-groups', 'page-gone']);
  });

  it('cannot be told if a single sale decides, which may have come months before', async () => {
    await setShares('rare', 80, 20);
    const { outcome } = await outcomesOf('rare');
    expect(outcome).toMatchObject({ state: 'unknown', why: 'one-sale-decides' });
  });

  it('is told where landing pages and offers compete, and visitors of landing pages go on to these offers', async () => {
    const write = (page_id: number, share: number) => ({
      ...{ tool: 'edit_campaign_page', arguments: { campaign_id: idOf('mixed'), page_id, share } },
    });
    await data('make_changes', { writes: [write(2, 80), write(3, 20)] });
    const { outcome } = await outcomesOf('mixed');
    expect(outcome).toMatchObject({ state: 'paid', earned: 5040, without_it: 4200, difference: 840 });
    const { elsewhere = [] } = await outcomesOf('mixedElsewhere');
    expect(elsewhere).toMatchObject([{ day: '2026-05-21', outcome: { state: 'paid', difference: 4 * 840 } }]);
    expect(elsewhere[0]?.pages.map((page) => [page.before, page.after])).toEqual([
      [50, 50],
      [25, 40],
      [25, 10],
      [0, 0],
    ]);
  });

  it('is told under the new name of a page', async () => {
    await data('edit_campaign_page', { campaign_id: idOf('paid'), page_id: 2, name: 'Renamed' });
    const { changes } = await outcomesOf('paid');
    expect(changes.map(({ outcome }) => outcome?.difference)).toEqual([undefined, 840]);
  });

  it('is told with the other writes of its set, and alone by its ID', async () => {
    const write = (page_id: number, share: number) => ({
      ...{ tool: 'edit_campaign_page', arguments: { campaign_id: idOf('set'), page_id, share } },
    });
    await data('make_changes', { writes: [write(2, 80), write(3, 20)] });
    const { changes } = await outcomesOf('set');
    expect(changes.map(({ outcome }) => outcome?.difference)).toEqual([840, 840]);
    // Long after, it is too old to be told with others.
    const [{ change_id } = { change_id: '' }] = changes;
    at('2026-10-01T12:00:00Z');
    const old = await data<ListedOutcomes>('list_changes', { outcomes: true, campaign_id: idOf('set') });
    expect(old.changes.map(({ outcome }) => outcome?.why)).toEqual(['long-ago', 'long-ago']);
    const alone = await data<ListedOutcomes>('list_changes', { outcomes: true, change_id });
    expect(alone.changes.map(({ outcome }) => outcome?.difference)).toEqual([840]);
  });
});

describe('outcomes for a review', () => {
  it('are told once, when the days of a change and their sales are in', async () => {
    const server = await newServer(accountOf('reviewed').tracker.url);
    const shares = [80, 20].map((share, index) => ({ page_id: index + 2, share }));
    const given = (story: Story) => ({ campaign_id: idOf(story), shares });
    const { change_id } = await server.data<{ change_id: string }>('set_shares', given('reviewed'));
    await server.data('set_shares', given('reviewedPoor'));
    at('2026-05-30T12:00:00Z');
    expect(await newOutcomes([], server.ofCall)).toEqual({ outcomes: [], told: [] });
    at(closed);
    const { outcomes, told } = await newOutcomes([], server.ofCall);
    expect(outcomes).toMatchObject([{ change_id, tool: 'set_shares', outcome: { state: 'paid', difference: 840 } }]);
    // What cannot be told is no news, and is not asked about again.
    expect(told).toHaveLength(2);
    expect(await newOutcomes(told, server.ofCall)).toEqual({ outcomes: [], told });
  });
});

describe('a change of shares that was made elsewhere', () => {
  it('ends the days of one in the log, such as one that another server made', async () => {
    await setShares('twoServers', 80, 20);
    at('2026-05-28T20:00:00Z');
    const shares = [
      { page_id: 2, share: 50 },
      { page_id: 3, share: 50 },
    ];
    const other = await newServer(accountOf('twoServers').tracker.url);
    await other.data('set_shares', { campaign_id: idOf('twoServers'), shares });
    const { outcome, elsewhere } = await outcomesOf('twoServers');
    expect(outcome).toMatchObject({ state: 'paid', start: '2026-05-21', end: '2026-05-28', difference: 8 * 3 * 20 });
    expect(elsewhere).toMatchObject([{ day: '2026-05-29', outcome: { state: 'cost', start: '2026-05-30' } }]);
  });

  it('is found by its visits, with its outcome, in a campaign and over all', async () => {
    for (const given of [{}, { campaign_id: undefined }]) {
      const { elsewhere = [] } = await outcomesOf('elsewhere', closed, given);
      const own = elsewhere.filter((one) => one.campaign_id === idOf('elsewhere'));
      expect(own).toMatchObject([
        {
          day: '2026-05-21',
          outcome: { state: 'paid', start: '2026-05-22', end: '2026-06-04', difference: 840 },
        },
      ]);
      expect(own[0]?.pages.map((page) => [page.before, page.after])).toEqual([
        [50, 80],
        [50, 20],
        [0, 0],
      ]);
    }
  });

  it('is found where offers may be linked directly, and all visitors come through landing pages', async () => {
    for (const given of [{}, { campaign_id: undefined, since: '2026-05-15' }]) {
      const { elsewhere = [] } = await outcomesOf('mixedAllLand', closed, given);
      const own = elsewhere.filter((one) => one.campaign_id === idOf('mixedAllLand'));
      expect(own).toMatchObject([{ day: '2026-05-21', outcome: { state: 'paid', difference: 840 } }]);
      expect(own[0]?.pages[0]).toMatchObject({ before: 50, after: 80 });
    }
  });

  it('is said not to be there, where and since when it was looked for', async () => {
    at(closed);
    const { call: ask } = await newServer();
    const said = async (given: Readonly<Record<string, unknown>>) => textOf(await ask('list_changes', given));
    expect(await said({ outcomes: true, campaign_id: idOf('quiet') })).toBe(
      'No changes by this server yet.\nChanges of shares made elsewhere since 2026-05-17 were looked for in the visits of 1 campaign: there are none.',
    );
    expect(await said({ outcomes: true, campaign_id: idOf('namesakes'), since: '2026-06-01' })).toContain(
      'since 2026-06-01 could not be looked for in campaigns whose lists of visits are not whole or do not tell pages apart',
    );
    expect(await said({ outcomes: true, since: '2026-06-01' })).toContain('in the visits of 28 campaigns, not in 1 ');
    expect(await said({})).toContain('With outcomes true, changes of shares made elsewhere are looked for, too.');
  });
});

describe('a change that is estimated', () => {
  it('of a payout is compared with the other pages over the same days', async () => {
    await data('edit_campaign_page', { campaign_id: idOf('payout'), page_id: 2, payout: 30 });
    const { outcome } = await outcomesOf('payout');
    // 14 days of 5 sales of 30; without it they would have sold half as much as before, as the other offer did.
    expect(outcome).toMatchObject({ state: 'paid', earned: 2100, without_it: 1400, estimate_by: 'other pages' });
  });

  it('of a bid is compared with the other campaigns', async () => {
    await data('edit_campaign', { campaign_id: idOf('bid'), bid: 0.2 });
    const { outcome } = await outcomesOf('bid');
    expect(outcome).toMatchObject({ estimate_by: 'other campaigns' });
    expect(outcome?.earned).toBe(14 * (15 * 20 - 40 * 0.1));
  });

  it('cannot be told if it changed with the shares', async () => {
    await data('edit_campaign_page', { campaign_id: idOf('tried'), page_id: 2, payout: 30, share: 70 });
    expect((await outcomesOf('tried')).outcome).toMatchObject({ state: 'unknown', why: 'changed-with-it' });
  });
});

describe('shares that are tried', () => {
  const days = { start_date: '2026-05-06', end_date: '2026-05-20' };
  const question = { campaign_id: idOf('tried'), kind: 'offer', ...days };
  interface Tried {
    readonly tried: readonly Readonly<Record<string, unknown>>[];
  }

  it('would have earned what their visitors bring, with a range', async () => {
    const shares = [
      { page_id: 2, share: 80 },
      { page_id: 3, share: 20 },
    ];
    const { tried } = await data<Tried>('compare_pages', { ...question, shares });
    expect(tried).toMatchObject([{ earned: 15 * 15 * 20, would_have_earned: 15 * 18 * 20, difference: 15 * 3 * 20 }]);
    const [{ would_low, would_high, difference_low } = {}] = tried;
    expect(Number(would_low)).toBeLessThan(5400);
    expect(Number(would_high)).toBeGreaterThan(5400);
    expect(Number(difference_low)).toBeGreaterThan(0);
  });

  it('are checked on the last third of the days if they are the best of several', async () => {
    const shares = [
      { page_id: 2, share: 0, set: 1 },
      { page_id: 3, share: 0, set: 2 },
    ];
    const { tried } = await data<Tried>('compare_pages', { ...question, shares });
    expect(tried).toMatchObject([
      { set: 1, start: '2026-05-06', end: '2026-05-15', would_have_earned: 10 * 10 * 20 },
      { set: 2, would_have_earned: 10 * 20 * 20, checked: { start: '2026-05-16', would_have_earned: 5 * 20 * 20 } },
    ]);
    expect(tried[0]?.['checked']).toBeUndefined();
  });

  it('are told of the sets that can be, with what the others lack', async () => {
    const shares = [
      { page_id: 2, share: 80, set: 1 },
      { page_id: 4, share: 50, set: 2 },
      { page_id: 3, share: 80, set: 3 },
    ];
    const answer = await data<Tried & { readonly notices: readonly string[] }>('compare_pages', {
      ...question,
      shares,
    });
    expect(answer.tried.map(({ set }) => set)).toEqual([1, 3]);
    expect(answer.tried.filter(({ checked }) => checked)).toHaveLength(1);
    expect(answer.notices[0]).toMatch(/^What the shares of set 2 would have earned cannot be told: .* It is .*Offer 3/);
  });

  it('are refused where a page had no visitors', async () => {
    const shares = [{ page_id: 4, share: 50 }];
    expect(await refusal('compare_pages', { ...question, shares })).toContain('Offer 3');
    expect(await refusal('compare_pages', { ...question, shares, plan: 20 })).toContain('shares are tried alone');
  });

  const ask = (story: Story, first: number, second: number) => {
    at(closed);
    const shares = [
      { page_id: 2, share: first },
      { page_id: 3, share: second },
    ];
    return { campaign_id: idOf(story), kind: 'offer', start_date: '2026-05-06', end_date: '2026-06-01', shares };
  };

  it('say what is lacking, and how many days would do', async () => {
    const few = { ...ask('fewSince', 80, 20), start_date: '2026-05-22' };
    expect(await refusal('compare_pages', few)).toMatch(/There are 11, and 12 are needed: about 12 days like these/);
    const none = await refusal('compare_pages', { ...question, shares: [{ page_id: 4, share: 50 }] });
    expect(none).toContain('Set it a share first');
  });

  it('are told without a check of the best of several where the last third has too few sales', async () => {
    const shares = [
      { page_id: 2, share: 80, set: 1 },
      { page_id: 2, share: 60, set: 2 },
    ];
    at(closed);
    const { tried, notices } = await data<Tried & { readonly notices: readonly string[] }>('compare_pages', {
      ...{ ...question, campaign_id: idOf('tuned'), shares },
    });
    expect(tried.map(({ start, end }) => [start, end])).toEqual(Array(2).fill(['2026-05-06', '2026-05-20']));
    expect(tried[0]?.['checked']).toBeUndefined();
    expect(notices.join(' ')).toContain('The best of several sets is partly luck');
  });

  it('may be of a page that was switched off since', async () => {
    await data('edit_campaign_page', { campaign_id: idOf('triedOff'), page_id: 3, active: false });
    const shares = [
      { page_id: 2, share: 80 },
      { page_id: 3, share: 20 },
    ];
    const { tried } = await data<Tried>('compare_pages', { ...question, campaign_id: idOf('triedOff'), shares });
    expect(tried).toMatchObject([{ difference: 15 * 3 * 20 }]);
  });

  it('are of landing pages and offers together where these compete for visitors', async () => {
    const asked = { ...question, campaign_id: idOf('mixedTried') };
    // Of 40 visitors a day 20 come by the landing page; of offer 1 every second buys, of offer 2 every fourth.
    const shares = [
      { page_id: 1, share: 0 },
      { page_id: 2, share: 100 },
      { page_id: 3, share: 0 },
    ];
    const { tried } = await data<Tried>('compare_pages', { ...asked, shares });
    expect(tried).toMatchObject([{ would_have_earned: 15 * 40 * 0.5 * 20 }]);
  });

  describe('over a change of shares', () => {
    it('are told of all days together where each side has too few', async () => {
      at(closed);
      const shares = [
        { page_id: 2, share: 65 },
        { page_id: 3, share: 35 },
      ];
      const asked = { campaign_id: idOf('tuned'), kind: 'offer', start_date: '2026-05-06', end_date: '2026-05-20' };
      const told = await data<Tried & { readonly notices: readonly string[] }>('compare_pages', { ...asked, shares });
      expect(told.tried).toMatchObject([{ start: '2026-05-06', end: '2026-05-20' }]);
      expect(told.notices.join(' ')).toContain('Shares changed on 2026-05-11');
    });

    const firstTried = async (given: object) =>
      (await data<Tried & { readonly notices: readonly string[] }>('compare_pages', { ...given })).tried[0];

    it('are told of the days since, so that going back is answered', async () => {
      expect(await firstTried(ask('elsewhere', 50, 50))).toMatchObject({
        ...{ start: '2026-05-22', end: '2026-06-01', difference: -11 * 3 * 20 },
      });
      const { notices } = await data<{ readonly notices: readonly string[] }>(
        'compare_pages',
        ask('elsewhere', 50, 50),
      );
      expect(notices.join(' ')).toContain('Shares changed on 2026-05-21');
    });

    it('are told of the days before if those since are too few, or had these shares already', async () => {
      const before = { start: '2026-05-06', end: '2026-05-20', difference: 15 * 3 * 20 };
      expect(await firstTried(ask('elsewhere', 80, 20))).toMatchObject(before);
      expect(await firstTried(ask('fewSince', 80, 20))).toMatchObject(before);
    });

    it('are refused once if neither can be told, with what can', async () => {
      const refused = await refusal('compare_pages', ask('fewSince', 50, 50));
      expect(refused).toContain('too few sales');
      expect(refused).toContain('Shares changed on 2026-05-21, and these were set on the other days');
      expect(refused).not.toContain('Ask for more days');
    });
  });
});
