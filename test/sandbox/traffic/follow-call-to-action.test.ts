import { afterAll, describe, expect, test } from 'vitest';
import { landing, makeCampaign, offer, thanks } from './fixtures.ts';
import { expectTurnedAway, startLive } from './live-tracker.ts';

const sequence = makeCampaign(
  'Landing Page Sequence',
  [landing(1), landing(2, { level: 2 }), offer(3, { path: 1 }), offer(4, { path: 2 }), offer(5, { share: 0, path: 3 })],
  { id: 1, passSubidToLandingPage: true },
);
const leads = makeCampaign('Lead Capture', [landing(11), thanks(12), offer(13)], { id: 2 });
const paths = makeCampaign(
  'Multiple Path',
  [landing(21, { path: 1 }), offer(22, { path: 1 }), landing(23, { path: 2 }), offer(24, { path: 2 })],
  { id: 3 },
);
const stopping = makeCampaign('Landing Page Sequence', [landing(31), offer(32)], { id: 4 });

const tracker = await startLive([sequence, leads, paths, stopping]);
afterAll(() => tracker.close());

/** Each step of a visitor, as [from page, to page]. */
async function stepsOf(subid: string): Promise<unknown[]> {
  const steps = 'SELECT page, from_page FROM steps JOIN visits USING (click_id) WHERE subid = $subid';
  const rows = await tracker.query(`${steps} ORDER BY steps."at", steps.rowid`, { subid });
  return rows.map((row) => [row['from_page'], row['page']]);
}

const locationOf = (response: Response) => response.headers.get('location')?.split('?')[0];
const arrival = [null, 101];
const toLevel2 = [101, 102];
const toOffer = [102, 103];

describe('a click on a call to action', () => {
  test('leads level by level to an offer of the first option group, and every step is recorded', async () => {
    const { subid } = await tracker.visit(sequence);
    const second = await tracker.get(`/base2.php?id=1&subid=${subid}`);
    expect(second.status).toBe(302);
    expect(second.headers.get('location')).toBe(`https://landing.example.com/2?subid=${subid}`);
    const last = await tracker.get(`/base2.php?id=2&subid=${subid}`);
    expect(last.headers.get('location')).toBe(`https://offer.example.com/3?subid=${subid}`);
    expect(await stepsOf(subid)).toEqual([arrival, toLevel2, toOffer]);
  });

  test('leads to the option group of the offer in the link', async () => {
    const { subid } = await tracker.visit(sequence);
    expect(locationOf(await tracker.get(`/base2.php?id=4&subid=${subid}`))).toBe('https://offer.example.com/4');
    expect(await stepsOf(subid)).toEqual([arrival, [101, 104]]);
  });

  test('recognises the visitor by cookie, but a subid in the link wins', async () => {
    const [{ subid }, { cookie }] = [await tracker.visit(sequence), await tracker.visit(leads)];
    const byCookie = await tracker.get('/base2.php', { cookie });
    expect(locationOf(byCookie)).toBe('https://thankyou.example.com/12');
    const byLink = await tracker.get(`/base2.php?subid=${subid}`, { cookie });
    expect(locationOf(byLink)).toBe('https://landing.example.com/2');
  });

  test('subscribes the visitor in a campaign that captures leads', async () => {
    const { subid, cookie } = await tracker.visit(leads);
    await tracker.get('/base2.php?id=11', { cookie });
    expect(locationOf(await tracker.get('/base2.php?id=12', { cookie }))).toBe('https://offer.example.com/13');
    const sql = 'SELECT thank_you_page FROM subscribers JOIN visits USING (click_id) WHERE subid = $subid';
    expect(await tracker.query(sql, { subid })).toEqual([{ thank_you_page: 112 }]);
  });

  test('keeps the visitor on its path', async () => {
    for (let visitor = 0; visitor < 8; visitor++) {
      const { subid, location } = await tracker.visit(paths);
      const arrivedAt = Number(/\d+$/.exec(location)?.[0]);
      const next = await tracker.get(`/base2.php?id=${arrivedAt}&subid=${subid}`);
      expect(locationOf(next)).toBe(`https://offer.example.com/${arrivedAt + 1}`);
    }
  });

  test('on a page that the visitor was never sent to counts for the page it is on', async () => {
    const { subid } = await tracker.visit(sequence);
    await tracker.get(`/base2.php?id=2&subid=${subid}`);
    expect(await stepsOf(subid)).toEqual([arrival, toLevel2]);
  });

  test('on an earlier page leads on from there again', async () => {
    const { subid } = await tracker.visit(sequence);
    for (const id of [1, 2, 1, 2, 2]) await tracker.get(`/base2.php?id=${id}&subid=${subid}`);
    expect(await stepsOf(subid)).toEqual([arrival, toLevel2, toOffer, toLevel2, toOffer, toOffer]);
  });

  test('is followed after a restart, from what was recorded', async () => {
    const { subid } = await tracker.visit(sequence);
    await tracker.get(`/base2.php?id=1&subid=${subid}`);
    await tracker.restart();
    const requests = [1, 2].map(() => tracker.get(`/base2.php?subid=${subid}`));
    for (const response of await Promise.all(requests))
      expect(locationOf(response)).toBe('https://offer.example.com/3');
    expect((await stepsOf(subid)).slice(2)).toEqual([toOffer, toOffer]);
  });
});

describe('a click is turned away, and not recorded,', () => {
  test.each([
    ['without a visitor', () => 'id=1', 400, /neither a subid nor a cookie/],
    ['if the page is not an ID', (subid) => `id=one&subid=${subid}`, 400, /id must be a page ID/],
    ['if the campaign has no such page', (subid) => `id=77&subid=${subid}`, 404, /has no page 77/],
    ['if the option group has no active offer', (subid) => `id=5&subid=${subid}`, 404, /no active page/],
    ['for an unknown click', () => 'id=1&subid=abcdefgh_1_99999999', 404, /No visitor/],
    ['for half a subid', (subid) => `subid=${subid.split('_')[2]}`, 404, /No visitor/],
    [
      'for a guessed subid',
      (subid) => `subid=${subid.replace(/^./, (c) => (c === 'x' ? 'y' : 'x'))}`,
      404,
      /No visitor/,
    ],
    ['for a subid of a different campaign', (subid) => `subid=${subid.replace('_1_', '_2_')}`, 404, /No visitor/],
  ] as [string, (subid: string) => string, number, RegExp][])('%s', async (_, query, status, reason) => {
    const { subid } = await tracker.visit(sequence);
    await expectTurnedAway(tracker, () => tracker.get(`/base2.php?${query(subid)}`), status, reason);
  });

  test('in a campaign that became inactive', async () => {
    const { subid } = await tracker.visit(stopping);
    await tracker.database.transaction((writer) => writer.execute('UPDATE campaigns SET active = false WHERE id = 4'));
    await expectTurnedAway(tracker, () => tracker.get(`/base2.php?subid=${subid}`), 404, /Campaign 4 is inactive/);
  });
});
