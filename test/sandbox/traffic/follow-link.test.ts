import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Database } from '../../../src/sandbox/store/database.ts';
import { landing, makeCampaign, offer } from './fixtures.ts';
import { countRecords, type LiveTracker, startLive } from './live-tracker.ts';

const sequence = makeCampaign('Landing Page Sequence', [landing(1), offer(2)], {
  id: 1,
  passSubidToLandingPage: true,
  tokens: [
    { slot: 'Keyword', parameter: 'kw' },
    { slot: 'Extra3', parameter: 'size' },
    { slot: 'Cost', parameter: 'cost' },
  ],
});
const paths = makeCampaign(
  'Multiple Path',
  [11, 12, 13, 14].map((id) => landing(id, { path: id })),
  { id: 2 },
);
const stopped = makeCampaign('Direct Link and Landing Page', [offer(21)], { id: 3, active: false });
const empty = makeCampaign('Multiple Option', [landing(31, { share: 0 }), offer(32)], { id: 4 });
const split = makeCampaign(
  'Direct Link and Landing Page',
  [offer(41, { share: 80 }), offer(42, { share: 20 }), offer(43, { active: false })],
  { id: 5 },
);

let tracker: LiveTracker;
// 23:59:30 in New York on the evening before the clocks change.
const moment = new Date('2026-03-07T23:59:30.250-05:00');
beforeAll(async () => {
  tracker = await startLive([sequence, paths, stopped, empty, split], { now: () => moment });
});
afterAll(() => tracker.close());

async function visitOf(subid: string) {
  const [row] = await tracker.query(
    `SELECT visit.*, epoch_ms(visit.at)::DOUBLE AS moment FROM visits visit WHERE subid = $subid`,
    { subid },
  );
  return row;
}

describe('a campaign link', () => {
  test('records the visit and its first page before it redirects there', async () => {
    const arrived = await tracker.visit(sequence);
    expect(arrived.status).toBe(302);
    expect(arrived.location).toBe(`https://landing.example.com/1?subid=${arrived.subid}`);
    const visit = await visitOf(arrived.subid);
    expect(visit).toMatchObject({ campaign_id: 1, path: 1, cost: '0.250000', moment: moment.getTime() });
    expect(arrived.subid).toMatch(new RegExp(`^[a-z0-9]{8}_1_0*${visit?.['click_id']}$`));
    expect(
      await tracker.query('SELECT page, from_page FROM steps WHERE click_id = $id', {
        id: Number(visit?.['click_id']),
      }),
    ).toEqual([{ page: 101, from_page: null }]);
  });

  test('keeps the declared tokens and the cost, and drops undeclared parameters', async () => {
    const { subid } = await tracker.visit(sequence, {
      kw: 'köp & sälj 100%',
      size: '',
      cost: '0.017',
      ad: 'x',
      keyword: 'y',
    });
    expect(await visitOf(subid)).toMatchObject({
      keyword: 'köp & sälj 100%',
      ad_value: null,
      extra3: null,
      cost: '0.017000',
    });
  });

  test('keeps where the visitor comes from, and with what', async () => {
    const { subid } = await tracker.visit(
      sequence,
      {},
      {
        'user-agent':
          'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
        'cf-ipcountry': 'DE',
        'x-forwarded-for': '203.0.113.9, 10.0.0.1',
        referer: 'https://www.example.com/search',
      },
    );
    expect(await visitOf(subid)).toMatchObject({
      device: 'Mobile',
      os: 'iOS',
      browser: 'Safari',
      country: 'DE',
      ip: '203.0.113.9',
      referrer: 'https://www.example.com/search',
    });
  });

  test('keeps nothing that is not known', async () => {
    const { subid } = await tracker.visit(
      sequence,
      {},
      { 'user-agent': '?', 'cf-ipcountry': 'XX', 'x-forwarded-for': '<script>' },
    );
    expect(await visitOf(subid)).toMatchObject({
      user_agent: '?',
      device: null,
      os: null,
      browser: null,
      country: null,
      region: null,
      ip: '127.0.0.1',
      referrer: null,
    });
  });

  test('sends visitors by the shares of the active pages', async () => {
    const locations = await Promise.all(Array.from({ length: 500 }, () => tracker.visit(split)));
    const first = locations.filter(({ location }) => location.startsWith('https://offer.example.com/41?')).length;
    const second = locations.filter(({ location }) => location.startsWith('https://offer.example.com/42?')).length;
    expect(first + second).toBe(500);
    // 400 expected, standard deviation 8.9; five of them are exceeded by chance once in two million runs.
    expect(Math.abs(first - 400)).toBeLessThan(45);
    expect(new Set(locations.map(({ subid }) => subid)).size).toBe(500);
  });

  test('keeps a visitor on its path, visit after visit', async () => {
    const first = await tracker.visit(paths);
    const again = await Promise.all(
      Array.from({ length: 20 }, () => tracker.visit(paths, {}, { cookie: first.cookie })),
    );
    const page = (location: string) => location.split('?')[0];
    expect(new Set(again.map(({ location }) => page(location)))).toEqual(new Set([page(first.location)]));
    const strangers = await Promise.all(Array.from({ length: 40 }, () => tracker.visit(paths)));
    expect(new Set(strangers.map(({ location }) => page(location))).size).toBe(4);
  });
});

describe('a change of the set-up', () => {
  test.each([
    ['an inactive page gets no visitor any more', 'UPDATE campaign_pages SET active = false WHERE page_id = 41', '42'],
    [
      'shares count anew',
      'UPDATE campaign_pages SET active = true, share = 100 - share WHERE page_id < 43 AND campaign_id = 5',
      '4[12]',
    ],
    [
      'a new page gets its part',
      `UPDATE campaign_pages SET share = 0 WHERE campaign_id = 5;
       INSERT INTO campaign_pages VALUES (999, 5, 9, 'offer', NULL, 'New', 'https://offer.example.com/new', true, 1, 1, 1, NULL, 1)`,
      'new',
    ],
  ])('is in force for the next visitor: %s', async (_, change, pages) => {
    await tracker.visit(split);
    await tracker.database.transaction((writer) => writer.execute(change));
    const arrived = await Promise.all(Array.from({ length: 25 }, () => tracker.visit(split)));
    for (const { location } of arrived) {
      expect(location).toMatch(new RegExp(`^https://offer\\.example\\.com/${pages}\\?subid=`));
    }
  });
});

describe('a link that cannot be followed is turned away, counted, and not recorded', () => {
  const key = sequence.linkKey;
  test.each([
    ['without a campaign', `/base.php?key=${key}`, 400, 'malformed'],
    ['with a campaign that is no ID', `/base.php?c=1%20OR%201&key=${key}`, 400, 'malformed'],
    ['of an unknown campaign', `/base.php?c=99&key=${key}`, 404, 'unknown-campaign'],
    ['without a key', '/base.php?c=1', 403, 'wrong-key'],
    ['with a wrong key', '/base.php?c=1&key=0', 403, 'wrong-key'],
    ['of an inactive campaign', `/base.php?c=3&key=${key}`, 404, 'inactive-campaign'],
    ['of a campaign without an active page', `/base.php?c=4&key=${key}`, 404, 'no-page'],
  ] as const)('%s', async (_, path, status, reason) => {
    const before = { records: await countRecords(tracker), counted: tracker.turnedAway[reason] };
    const response = await tracker.get(path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await response.text()).toMatch(/\w\.\n$/);
    expect(tracker.turnedAway[reason]).toBe(before.counted + 1);
    expect(await countRecords(tracker)).toEqual(before.records);
  });

  test.each(['HEAD', 'POST', 'DELETE'])('asked with %s', async (method) => {
    const before = await countRecords(tracker);
    const response = await tracker.request(`/base.php?c=1&key=${key}`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET');
    expect(await countRecords(tracker)).toEqual(before);
  });
});

test('after a settling all visits are there, with click IDs that go on from the last recorded one', async () => {
  const database = await Database.open();
  await database.transaction((writer) =>
    writer.execute(
      `INSERT INTO visits (click_id, subid, campaign_id, "at", path, cost) VALUES (500, 'a_5_500', 5, now(), 1, 0)`,
    ),
  );
  const live = await startLive([split], { database });
  const arrived = await Promise.all(Array.from({ length: 60 }, () => live.visit(split)));
  const rows = await live.query('SELECT subid, click_id::INTEGER AS click_id FROM visits WHERE click_id > 500');
  expect(new Set(rows.map(({ subid }) => subid))).toEqual(new Set(arrived.map(({ subid }) => subid)));
  expect(rows.map((row) => Number(row['click_id'])).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 60 }, (_, index) => 501 + index),
  );
  await live.close();
});
