import { afterAll, describe, expect, test } from 'vitest';
import { landing, makeCampaign, offer, thanks } from './fixtures.ts';
import { countRecords, startLive } from './live-tracker.ts';

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

/** The pages a visitor was sent to, each with the page it came from. */
async function stepsOf(subid: string): Promise<unknown[]> {
  const rows = await tracker.query(
    `SELECT page, from_page FROM steps JOIN visits USING (click_id) WHERE subid = $subid ORDER BY steps."at", steps.rowid`,
    { subid },
  );
  return rows.map((row) => [row['from_page'], row['page']]);
}

const locationOf = (response: Response) => response.headers.get('location')?.split('?')[0];

describe('a click on a call to action', () => {
  test('leads level by level to the offer of the option group, and every step is recorded', async () => {
    const { subid } = await tracker.visit(sequence);
    const second = await tracker.get(`/base2.php?id=1&subid=${subid}`);
    expect(second.status).toBe(302);
    expect(second.headers.get('location')).toBe(`https://landing.example.com/2?subid=${subid}`);
    const last = await tracker.get(`/base2.php?id=2&subid=${subid}`);
    expect(last.headers.get('location')).toBe(`https://offer.example.com/3?subid=${subid}`);
    expect(await stepsOf(subid)).toEqual([
      [null, 101],
      [101, 102],
      [102, 103],
    ]);
  });

  test('leads to the option group of the offer that it names', async () => {
    const { subid } = await tracker.visit(sequence);
    expect(locationOf(await tracker.get(`/base2.php?id=4&subid=${subid}`))).toBe('https://offer.example.com/4');
    expect(await stepsOf(subid)).toEqual([
      [null, 101],
      [101, 104],
    ]);
  });

  test('knows the visitor by cookie, and a subid in the link comes first', async () => {
    const [one, two] = [await tracker.visit(sequence), await tracker.visit(leads)];
    const byCookie = await tracker.get('/base2.php', { cookie: two.cookie });
    expect(locationOf(byCookie)).toBe('https://thankyou.example.com/12');
    const byLink = await tracker.get(`/base2.php?subid=${one.subid}`, { cookie: two.cookie });
    expect(locationOf(byLink)).toBe('https://landing.example.com/2');
  });

  test('subscribes where the campaign captures leads', async () => {
    const { subid, cookie } = await tracker.visit(leads);
    await tracker.get('/base2.php?id=11', { cookie });
    expect(locationOf(await tracker.get('/base2.php?id=12', { cookie }))).toBe('https://offer.example.com/13');
    expect(
      await tracker.query('SELECT thank_you_page FROM subscribers JOIN visits USING (click_id) WHERE subid = $subid', {
        subid,
      }),
    ).toEqual([{ thank_you_page: 112 }]);
  });

  test('stays on the path of the visitor', async () => {
    for (let visitor = 0; visitor < 8; visitor++) {
      const { subid, location } = await tracker.visit(paths);
      const arrivedAt = Number(/\d+$/.exec(location)?.[0]);
      const next = await tracker.get(`/base2.php?id=${arrivedAt}&subid=${subid}`);
      expect(locationOf(next)).toBe(`https://offer.example.com/${arrivedAt + 1}`);
    }
  });

  test('counts for the page the visitor is on, not for one it was never sent to', async () => {
    const { subid } = await tracker.visit(sequence);
    await tracker.get(`/base2.php?id=2&subid=${subid}`);
    expect(await stepsOf(subid)).toEqual([
      [null, 101],
      [101, 102],
    ]);
  });

  test('may be repeated: back on an earlier page, the visitor is sent on from there again', async () => {
    const { subid } = await tracker.visit(sequence);
    for (const id of [1, 2, 1, 2, 2]) await tracker.get(`/base2.php?id=${id}&subid=${subid}`);
    const again = [
      [101, 102],
      [102, 103],
    ];
    expect(await stepsOf(subid)).toEqual([[null, 101], ...again, ...again, [102, 103]]);
  });

  test('is understood after a restart, by what was recorded', async () => {
    const { subid } = await tracker.visit(sequence);
    await tracker.get(`/base2.php?id=1&subid=${subid}`);
    await tracker.restart();
    const requests = [`/base2.php?subid=${subid}`, `/base2.php?subid=${subid}`].map((path) => tracker.get(path));
    for (const response of await Promise.all(requests)) {
      expect(locationOf(response)).toBe('https://offer.example.com/3');
    }
    expect((await stepsOf(subid)).slice(2)).toEqual([
      [102, 103],
      [102, 103],
    ]);
  });
});

describe('a click that cannot be followed is turned away, counted, and not recorded', () => {
  test.each([
    ['from nobody', () => '/base2.php?id=1', 400, 'malformed'],
    ['with a page that is no ID', (subid: string) => `/base2.php?id=one&subid=${subid}`, 400, 'malformed'],
    ['with a page the campaign has not', (subid: string) => `/base2.php?id=77&subid=${subid}`, 404, 'unknown-page'],
    ['to an option group without an active offer', (subid: string) => `/base2.php?id=5&subid=${subid}`, 404, 'no-page'],
    ['from an unknown click', () => '/base2.php?id=1&subid=abcdefgh_1_99999999', 404, 'unknown-subid'],
    ['from half a subid', (subid: string) => `/base2.php?subid=${subid.split('_')[2]}`, 404, 'unknown-subid'],
    [
      'from a guessed subid',
      (subid: string) => `/base2.php?subid=${subid.startsWith('x') ? 'y' : 'x'}${subid.slice(1)}`,
      404,
      'unknown-subid',
    ],
    [
      'from another campaign',
      (subid: string) => `/base2.php?subid=${subid.replace('_1_', '_2_')}`,
      404,
      'unknown-subid',
    ],
  ] as const)('%s', async (_, path, status, reason) => {
    const { subid } = await tracker.visit(sequence);

    const before = { records: await countRecords(tracker), counted: tracker.turnedAway[reason] };
    const response = await tracker.get(path(subid));
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(/\w\.\n$/);
    expect(tracker.turnedAway[reason]).toBe(before.counted + 1);
    expect(await countRecords(tracker)).toEqual(before.records);
  });

  test('in a campaign that became inactive', async () => {
    const { subid } = await tracker.visit(stopping);
    await tracker.database.transaction((writer) => writer.execute('UPDATE campaigns SET active = false WHERE id = 4'));
    expect((await tracker.get(`/base2.php?subid=${subid}`)).status).toBe(404);
  });
});
