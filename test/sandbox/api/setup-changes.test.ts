import { describe, expect, test } from 'vitest';
import { setup } from '../support/fixture.ts';
import { type Arguments, startTracker } from '../support/tracker.ts';

// The tests change different records of the fixture.
const tracker = await startTracker(setup);

const url = 'https://new.example.com/page';
const ok = { Status: 'OK' };

type Id = string | number | undefined;

const stored = async (sql: string, id: Id) => (await tracker.stored(`SELECT ${sql} WHERE id = ${id}`))[0];
const landingPage = (id: Id) => stored('name, url, active, notes FROM landing_pages', id);
const offer = (id: Id) => stored('name, url, active, source, payout, notes FROM offers', id);

async function page(campaign: number, pageId: number) {
  const rows = await tracker.stored(
    `SELECT kind, predefined_id, name, url, active, share, level, path, source, payout FROM campaign_pages
     WHERE campaign_id = ${campaign} AND page_id = ${pageId}`,
  );
  expect(rows.length).toBeLessThan(2);
  return rows[0];
}

describe('adding a predefined record', () => {
  test('returns the ID of a landing page; it is active, without notes, and in no campaign', async () => {
    const before = await tracker.stored('SELECT count(*) AS pages FROM campaign_pages');
    expect(await tracker.ask('lp/add', { name: 'New', url })).toEqual({ Status: 'OK', ID: '3' });
    expect(await landingPage(3)).toEqual({ name: 'New', url, active: true, notes: '' });
    expect(await tracker.stored('SELECT count(*) AS pages FROM campaign_pages')).toEqual(before);
  });

  test('keeps every field of an offer', async () => {
    const kept = { name: 'Full', url, source: 'Summit & Co', payout: '12.345678', notes: 'a\nb' };
    const { ID } = await tracker.ask('offer/add', { ...kept, inactive: 1 });
    expect(await offer(ID)).toEqual({ ...kept, active: false });
  });

  test('makes an active offer without source and payout, one for each request', async () => {
    const first = await tracker.ask('offer/add', { name: 'Plain', url, inactive: 0 });
    expect(await offer(first.ID)).toMatchObject({ active: true, source: null, payout: '0.000000' });
    const second = await tracker.ask('offer/add', { name: 'Plain', url });
    expect(Number(second.ID)).toBe(Number(first.ID) + 1);
  });

  test('gives different IDs to requests at the same time', async () => {
    const add = (_: unknown, index: number) => tracker.ask('lp/add', { name: `Page ${index}`, url });
    const replies = await Promise.all(Array.from({ length: 12 }, add));
    expect(new Set(replies.map(({ ID }) => ID)).size).toBe(12);
  });
});

describe('editing a predefined record', () => {
  test('changes only the given fields of a landing page; an empty text clears the notes', async () => {
    expect(await tracker.ask('lp/edit', { id: 1, name: 'Quiz 2' })).toEqual({ Status: 'OK', ID: '1' });
    expect(await landingPage(1)).toMatchObject({ name: 'Quiz 2', url: 'https://lp.example.com/quiz', notes: 'first' });
    await tracker.ask('lp/edit', { id: 1, inactive: 1 });
    expect(await landingPage(1)).toMatchObject({ name: 'Quiz 2', active: false, notes: 'first' });
    await tracker.ask('lp/edit', { id: 1, inactive: 0, url, notes: '' });
    expect(await landingPage(1)).toEqual({ name: 'Quiz 2', url, active: true, notes: '' });
  });

  test('sets source and payout of an offer, also to 0, but not in the campaigns', async () => {
    const reply = await tracker.ask('offer/edit', { id: 1, name: 'Renamed', source: 'Summit & Co', payout: 0 });
    expect(reply).toEqual({ Status: 'OK', ID: '1' });
    expect(await offer(1)).toMatchObject({ name: 'Renamed', source: 'Summit & Co', payout: '0.000000' });
    const copy = await stored('name, source, payout FROM campaign_pages', 104);
    expect(copy).toEqual({ name: 'Gym', source: 'Harbor', payout: '10.000000' });
  });
});

describe('adding to a campaign', () => {
  test('copies an existing landing page, with share 100, level and path 1 and the next page ID', async () => {
    expect(await tracker.ask('lp/addtocamp', { campaignid: 1, id: 2 })).toEqual(ok);
    expect(await page(1, 7)).toEqual({
      ...{ kind: 'landing', predefined_id: 2, name: 'Old page', url: 'https://lp.example.com/old', active: false },
      ...{ share: '100.0000', level: 1, path: 1, source: null, payout: '0.000000' },
    });
  });

  test('copies source and payout of an existing offer too', async () => {
    const { ID = '' } = await tracker.ask('offer/add', { name: 'Paid', url, source: 'Harbor', payout: '10.5' });
    expect(await tracker.ask('offer/addtocamp', { campaignid: 5, id: ID, share: 0 })).toEqual(ok);
    const copy = { kind: 'offer', name: 'Paid', source: 'Harbor', payout: '10.500000', share: '0.0000' };
    expect(await page(5, 3)).toMatchObject(copy);
  });

  test('creates a predefined landing page for a new one', async () => {
    const form = { campaignid: 1, name: 'New', url, inactive: 1, share: '33', pageid: 40, level: 2 };
    expect(await tracker.ask('lp/addtocamp', form)).toEqual(ok);
    const added = await page(1, 40);
    expect(added).toMatchObject({ name: 'New', url, active: false, share: '33.0000', level: 2 });
    expect(await landingPage(Number(added?.['predefined_id']))).toEqual({ name: 'New', url, active: false, notes: '' });
  });

  test('creates a predefined offer for a new one', async () => {
    const form = { campaignid: 2, name: 'New', url, source: 'Harbor', payout: 3, path: 2 };
    expect(await tracker.ask('offer/addtocamp', form)).toEqual(ok);
    const added = await page(2, 3);
    expect(added).toMatchObject({ active: true, path: 2, source: 'Harbor', payout: '3.000000' });
    expect(await offer(Number(added?.['predefined_id']))).toMatchObject({ source: 'Harbor', payout: '3.000000' });
  });

  test('makes the first page of a campaign page 1, and it is in the report at once', async () => {
    await tracker.ask('offer/addtocamp', { campaignid: 4, id: 2, path: 2 });
    const { Reports } = await tracker.ask('stats', { camp: 4, report: 'offer' });
    expect(Reports?.['offer']).toEqual([
      expect.objectContaining({ PageID: '1', Name: 'Old offer', Path: '2', Share: '100', Inactive: '1', Views: '0' }),
    ]);
  });
});

describe('editing a page in a campaign', () => {
  test('changes only the given fields, and not the predefined record', async () => {
    const [before, record] = [await page(1, 5), await offer(2)];
    const edit = (form: Arguments) => tracker.ask('campaign/editpage', { campaignid: 1, pageid: 5, ...form });
    expect(await edit({ share: 80 })).toEqual(ok);
    expect(await page(1, 5)).toEqual({ ...before, share: '80.0000' });
    const changes = { name: 'Gym 2', url, source: 'Summit & Co', path: 3 };
    expect(await edit({ ...changes, inactive: 1, payout: '1.25' })).toEqual(ok);
    expect(await page(1, 5)).toMatchObject({ ...changes, active: false, payout: '1.250000', share: '80.0000' });
    await edit({ inactive: 0 });
    expect(await page(1, 5)).toMatchObject({ active: true });
    expect(await offer(2)).toEqual(record);
  });

  test('does not change the page with the same ID in a different campaign', async () => {
    const before = await page(2, 1);
    await tracker.ask('campaign/editpage', { campaignid: 1, pageid: 1, share: 7 });
    expect(await page(2, 1)).toEqual(before);
  });

  test('gives the page a new ID with newpageid, and frees the old one', async () => {
    const before = await page(1, 2);
    expect(await tracker.ask('campaign/editpage', { campaignid: 1, pageid: 2, newpageid: 20 })).toEqual(ok);
    expect(await page(1, 20)).toEqual(before);
    expect(await page(1, 2)).toBeUndefined();
    expect(await tracker.ask('campaign/editpage', { campaignid: 1, pageid: 6, newpageid: 2 })).toEqual(ok);
    expect(await tracker.ask('campaign/editpage', { campaignid: 1, pageid: 2, newpageid: 2 })).toEqual(ok);
  });
});

test.each([
  ['Landing Page Sequence', 1, { level: true, landingPath: false, offerPath: true }],
  ['Multiple Path', 2, { level: false, landingPath: true, offerPath: true }],
  ['Email FollowUp', 3, { level: false, landingPath: true, offerPath: true }],
  ['Multiple Option', 4, { level: false, landingPath: false, offerPath: true }],
  ['Direct Link and Landing Page', 5, { level: false, landingPath: false, offerPath: false }],
  ['Lead Capture', 6, { level: false, landingPath: false, offerPath: false }],
])('a %s campaign accepts level and path only for pages that have them', async (type, campaign, traits) => {
  const { level, landingPath, offerPath } = traits;
  const isDone = async (path: string, form: Record<string, number>) =>
    (await tracker.ask(path, { campaignid: campaign, ...form })).Status === 'OK';
  expect(await isDone('lp/addtocamp', { id: 1, pageid: 50, level: 2 })).toBe(level);
  expect(await isDone('lp/addtocamp', { id: 1, pageid: 51, path: 2 })).toBe(landingPath);
  expect(await isDone('offer/addtocamp', { id: 1, pageid: 52, path: 2 })).toBe(offerPath);
  await tracker.ask('lp/addtocamp', { campaignid: campaign, id: 1, pageid: 60 });
  await tracker.ask('offer/addtocamp', { campaignid: campaign, id: 1, pageid: 61 });
  expect(await isDone('campaign/editpage', { pageid: 60, level: 3 })).toBe(level);
  expect(await isDone('campaign/editpage', { pageid: 60, path: 3 })).toBe(landingPath);
  expect(await isDone('campaign/editpage', { pageid: 61, path: 3 })).toBe(offerPath);
  const refusal = await tracker.refusal('campaign/editpage', { campaignid: campaign, pageid: 61, level: 3 });
  expect(refusal).toContain('level applies only to landing pages of Landing Page Sequence campaigns');
  expect(refusal).toContain(`this is an offer of campaign ${campaign}, ${type}`);
  expect(await page(campaign, 60)).toMatchObject({ level: level ? 3 : 1, path: landingPath ? 3 : 1 });
  expect(await page(campaign, 61)).toMatchObject({ level: 1, path: offerPath ? 3 : 1 });
});

test('every option of a campaign can be set without changing the others', async () => {
  const options = async () => {
    const { Rows } = await tracker.ask('campaign/list');
    const { Bid, EngageRate, Priority, PassSubIdLp, PassSubIdOffer } = Rows?.find(({ ID }) => ID === '1') ?? {};
    return { Bid, EngageRate, Priority, PassSubIdLp, PassSubIdOffer };
  };
  const steps: [Record<string, number | string>, Record<string, string>][] = [
    [{ bid: '0.123456' }, { Bid: '0.123456' }],
    [{ engage: 0 }, { EngageRate: '0' }],
    [{ priority: 10 }, { Priority: '10' }],
    [{ passsubidlp: 0 }, { PassSubIdLp: '0' }],
    [{ passsubidoffer: 1 }, { PassSubIdOffer: '1' }],
    [
      { bid: 100, passsubidlp: 1 },
      { Bid: '100', PassSubIdLp: '1' },
    ],
  ];
  let expected = await options();
  for (const [form, change] of steps) {
    expect(await tracker.ask('campaign/edit', { campaignid: 1, ...form })).toEqual(ok);
    expected = { ...expected, ...change };
    expect(await options()).toEqual(expected);
  }
});
