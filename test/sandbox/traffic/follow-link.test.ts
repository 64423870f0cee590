import { afterAll, describe, expect, test } from 'vitest';
import { Database } from '../../../src/sandbox/store/database.ts';
import { landing, makeCampaign, offer, tokensOf } from './fixtures.ts';
import { expectTurnedAway, type LiveTracker, startLive } from './live-tracker.ts';

const sequence = makeCampaign('Landing Page Sequence', [landing(1), offer(2)], {
  id: 1,
  passSubidToLandingPage: true,
  tokens: tokensOf({ Keyword: 'kw', Extra3: 'size', Cost: 'cost' }),
});
const pathPages = [11, 12, 13, 14].map((id) => landing(id, { path: id }));
const paths = makeCampaign('Multiple Path', pathPages, { id: 2 });
const stopped = makeCampaign('Direct Link and Landing Page', [offer(21)], { id: 3, active: false });
const empty = makeCampaign('Multiple Option', [landing(31, { share: 0 }), offer(32)], { id: 4 });
const splitPages = [offer(41, { share: 80 }), offer(42, { share: 20 }), offer(43, { active: false })];
const split = makeCampaign('Direct Link and Landing Page', splitPages, { id: 5 });

// 23:59:30 in New York on the evening before the clocks change.
const moment = new Date('2026-03-07T23:59:30.250-05:00');
const tracker = await startLive([sequence, paths, stopped, empty, split], { now: () => moment });
afterAll(() => tracker.close());

async function visitOf(subid: string) {
  const sql = `SELECT visit.*, epoch_ms(visit.at)::DOUBLE AS moment FROM visits visit WHERE subid = $subid`;
  return (await tracker.query(sql, { subid }))[0];
}

const visits = (count: number, ...given: Parameters<LiveTracker['visit']>) =>
  Promise.all(Array.from({ length: count }, () => tracker.visit(...given)));

const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
const referer = 'https://www.example.com/search';
const unknownPlace = { country: null, region: null, referrer: null };

describe('a campaign link', () => {
  test('records the visit and its first page, and redirects there', async () => {
    const arrived = await tracker.visit(sequence);
    expect(arrived.status).toBe(302);
    expect(arrived.location).toBe(`https://landing.example.com/1?subid=${arrived.subid}`);
    const visit = await visitOf(arrived.subid);
    expect(visit).toMatchObject({ campaign_id: 1, path: 1, cost: '0.250000', moment: moment.getTime() });
    expect(arrived.subid).toMatch(new RegExp(`^[a-z0-9]{8}_1_0*${visit?.['click_id']}$`));
    const sql = 'SELECT page, from_page FROM steps WHERE click_id = $id';
    const steps = await tracker.query(sql, { id: Number(visit?.['click_id']) });
    expect(steps).toEqual([{ page: 101, from_page: null }]);
  });

  test('keeps the declared tokens and the cost, and drops other parameters', async () => {
    const query = { kw: 'köp & sälj 100%', size: '', cost: '0.017', ad: 'x', keyword: 'y' };
    const { subid } = await tracker.visit(sequence, query);
    const kept = { keyword: 'köp & sälj 100%', ad_value: null, extra3: null, cost: '0.017000' };
    expect(await visitOf(subid)).toMatchObject(kept);
  });

  test('takes the last of a repeated parameter: a placeholder of the source before the value', async () => {
    const query = `c=3&c=1&key=wrong&key=${sequence.linkKey}&cost={value}&cost=0.5&kw={keyword}&kw=shoes&size=big&size=`;
    const response = await tracker.get(`/base.php?${query}`);
    const subid = /tracker_subid=(\w+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
    expect(await visitOf(subid)).toMatchObject({ cost: '0.500000', keyword: 'shoes', extra3: null });
  });

  test.each([
    [
      'the address, country, device and referrer of a visitor',
      { 'user-agent': iPhone, 'cf-ipcountry': 'DE', 'x-forwarded-for': '203.0.113.9, 10.0.0.1', referer },
      { device: 'Mobile', os: 'iOS', browser: 'Safari', country: 'DE', ip: '203.0.113.9', referrer: referer },
    ],
    [
      'nothing unknown',
      { 'user-agent': '?', 'cf-ipcountry': 'XX', 'x-forwarded-for': '<script>' },
      { ...{ user_agent: '?', device: null, os: null, browser: null, ip: '127.0.0.1' }, ...unknownPlace },
    ],
  ])('keeps %s', async (_, headers: Record<string, string>, visit) => {
    const { subid } = await tracker.visit(sequence, {}, headers);
    expect(await visitOf(subid)).toMatchObject(visit);
  });

  test('keeps a visitor on its path, visit after visit', async () => {
    const pagesOf = (arrived: Awaited<ReturnType<typeof visits>>) =>
      new Set(arrived.map(({ location }) => location.split('?')[0]));
    const first = await tracker.visit(paths);
    expect(pagesOf(await visits(20, paths, {}, { cookie: first.cookie }))).toEqual(pagesOf([first]));
    expect(pagesOf(await visits(40, paths)).size).toBe(4);
  });

  test.each([
    ['an inactive page', 'UPDATE campaign_pages SET active = false WHERE page_id = 41', '42'],
    ['new shares', `UPDATE campaign_pages SET active = true, share = 100 - share WHERE page_id IN (41, 42)`, '4[12]'],
    [
      'a new page',
      `UPDATE campaign_pages SET share = 0 WHERE campaign_id = 5;
       INSERT INTO campaign_pages VALUES (999, 5, 9, 'offer', NULL, 'New', 'https://offer.example.com/new', true, 1, 1, 1, NULL, 1)`,
      'new',
    ],
  ])('follows a change of the setup from the next visitor on: %s', async (_, change, pages) => {
    await tracker.visit(split);
    await tracker.database.transaction((writer) => writer.execute(change));
    for (const { location } of await visits(25, split)) {
      expect(location).toMatch(new RegExp(`^https://offer\\.example\\.com/${pages}\\?subid=`));
    }
  });
});

describe('a link is turned away, and not recorded,', () => {
  const key = sequence.linkKey;
  test.each([
    ['without a campaign', `/base.php?key=${key}`, 400, /c must be the campaign ID/],
    ['if the campaign is not an ID', `/base.php?c=1%20OR%201&key=${key}`, 400, /c must be the campaign ID/],
    ['if the campaign is unknown', `/base.php?c=99&key=${key}`, 404, /There is no campaign/],
    ['without a key', '/base.php?c=1', 403, /key of the link/],
    ['with a wrong key', '/base.php?c=1&key=0', 403, /key of the link/],
    ['if the campaign is inactive', `/base.php?c=3&key=${key}`, 404, /Campaign 3 is inactive/],
    ['if the campaign has no active page', `/base.php?c=4&key=${key}`, 404, /no active page/],
  ] as const)('%s', async (_, path, status, reason) => {
    await expectTurnedAway(tracker, () => tracker.get(path), status, reason);
  });

  test.each(['POST', 'DELETE'])('if it is sent with %s', async (method) => {
    const send = () => tracker.request(`/base.php?c=1&key=${key}`, { method });
    const response = await expectTurnedAway(tracker, send, 405, /takes GET/);
    expect(response.headers.get('allow')).toBe('GET');
  });

  test('if it is only checked with HEAD', async () => {
    const before = await tracker.query('SELECT count(*) FROM visits');
    const response = await tracker.request(`/base.php?c=1&key=${key}`, { method: 'HEAD' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
    expect(await tracker.query('SELECT count(*) FROM visits')).toEqual(before);
  });
});

test('after a flush all visits are there, and click IDs continue after the last recorded one', async () => {
  const database = await Database.open();
  const visit = `INSERT INTO visits (click_id, subid, campaign_id, "at", path, cost) VALUES (500, 'a_5_500', 5, now(), 1, 0)`;
  await database.transaction((writer) => writer.execute(visit));
  const live = await startLive([split], { database });
  const arrived = await Promise.all(Array.from({ length: 60 }, () => live.visit(split)));
  const sql = 'SELECT subid, click_id::INTEGER AS click_id FROM visits WHERE click_id > 500 ORDER BY click_id';
  const rows = await live.query(sql);
  expect(new Set(rows.map(({ subid }) => subid))).toEqual(new Set(arrived.map(({ subid }) => subid)));
  expect(rows.map(({ click_id }) => click_id)).toEqual(Array.from({ length: 60 }, (_, index) => 501 + index));
  await live.close();
});
