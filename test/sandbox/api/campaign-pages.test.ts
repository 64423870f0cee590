import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setup } from '../support/fixture.ts';
import { startTracker, type Tracker } from '../support/tracker.ts';

let tracker: Tracker;
const start = async () => {
  tracker = await startTracker(setup);
};
const stop = () => tracker.close();

const url = 'https://new.example.com/page';
const ok = { Status: 'OK' };

async function page(campaign: number, pageId: number) {
  const rows = await tracker.stored(
    `SELECT kind, predefined_id, name, url, active, share, level, path, source, payout FROM campaign_pages
     WHERE campaign_id = ${campaign} AND page_id = ${pageId}`,
  );
  expect(rows.length).toBeLessThan(2);
  return rows[0];
}

const everything = () =>
  tracker.stored(
    `SELECT (SELECT list(page ORDER BY id) FROM campaign_pages AS page)::VARCHAR AS pages,
       (SELECT list(page ORDER BY id) FROM landing_pages AS page)::VARCHAR AS landing_pages,
       (SELECT list(offer ORDER BY id) FROM offers AS offer)::VARCHAR AS offers`,
  );

describe('adding to a campaign', () => {
  beforeEach(start);
  afterEach(stop);

  test('an existing landing page copies it, with share 100, level and path 1 and the next page ID', async () => {
    expect(await tracker.ask('lp/addtocamp', { campaignid: 1, id: 2 })).toEqual(ok);
    expect(await page(1, 7)).toEqual({
      ...{ kind: 'landing', predefined_id: 2, name: 'Old page', url: 'https://lp.example.com/old', active: false },
      ...{ share: '100.0000', level: 1, path: 1, source: null, payout: '0.000000' },
    });
  });

  test('an existing offer copies source and payout too', async () => {
    expect(await tracker.ask('offer/addtocamp', { campaignid: 5, id: 1, share: 0 })).toEqual(ok);
    const copy = { kind: 'offer', name: 'Gym', source: 'Harbor', payout: '10.500000', share: '0.0000' };
    expect(await page(5, 3)).toMatchObject(copy);
  });

  test('a new landing page creates the predefined one as well', async () => {
    const form = { campaignid: 1, name: 'New', url, inactive: 1, share: '33.5', pageid: 40, level: 2 };
    expect(await tracker.ask('lp/addtocamp', form)).toEqual(ok);
    const added = { predefined_id: 3, name: 'New', url, active: false, share: '33.5000', level: 2 };
    expect(await page(1, 40)).toMatchObject(added);
    expect(await tracker.stored('SELECT name, url, active, notes FROM landing_pages WHERE id = 3')).toEqual([
      { name: 'New', url, active: false, notes: '' },
    ]);
  });

  test('a new offer creates the predefined one as well', async () => {
    const form = { campaignid: 2, name: 'New', url, source: 'Harbor', payout: 3, path: 2 };
    expect(await tracker.ask('offer/addtocamp', form)).toEqual(ok);
    const added = { predefined_id: 3, active: true, path: 2, source: 'Harbor', payout: '3.000000' };
    expect(await page(2, 3)).toMatchObject(added);
    expect(await tracker.stored('SELECT source, payout FROM offers WHERE id = 3')).toEqual([
      { source: 'Harbor', payout: '3.000000' },
    ]);
  });

  test('the first page of a campaign makes it page 1, and it is in the report at once', async () => {
    await tracker.ask('offer/addtocamp', { campaignid: 4, id: 1, path: 2 });
    const { Reports } = await tracker.ask('stats', { camp: 4, report: 'offer' });
    expect(Reports?.['offer']).toEqual([
      expect.objectContaining({ PageID: '1', Name: 'Gym', Path: '2', Share: '100', Inactive: '0', Views: '0' }),
    ]);
  });
});

describe('adding an invalid page', () => {
  beforeAll(start);
  afterAll(stop);

  test.each([
    ['lp/addtocamp', { id: 1 }, 'required parameter campaignid is missing'],
    ['lp/addtocamp', { campaignid: 99, id: 1 }, 'There is no campaign with ID 99.'],
    ['lp/addtocamp', { campaignid: 1, id: 99 }, 'There is no landing page with ID 99.'],
    ['offer/addtocamp', { campaignid: 1, id: 99 }, 'There is no offer with ID 99.'],
    ['lp/addtocamp', { campaignid: 1 }, 'Give id to add an existing record, or name and url to add a new one'],
    ['lp/addtocamp', { campaignid: 1, name: 'New' }, 'missing: url'],
    ['lp/addtocamp', { campaignid: 1, id: 1, name: 'New', inactive: 0 }, 'name and inactive cannot stand beside id'],
    ['offer/addtocamp', { campaignid: 1, id: 1, payout: 2 }, 'payout cannot stand beside id'],
    ['offer/addtocamp', { campaignid: 1, name: 'New', url, source: 'Nobody' }, 'is not an offer source'],
    ['lp/addtocamp', { campaignid: 1, name: 'New', url: 'nowhere' }, 'url must be a complete URL'],
    ['lp/addtocamp', { campaignid: 1, name: 'New', url, pageid: 3 }, 'Page ID 3 is already in use in campaign 1.'],
    ['lp/addtocamp', { campaignid: 1, id: 1, pageid: 3_000_000_000 }, 'A page ID is at most 2147483647.'],
    ['lp/addtocamp', { campaignid: 1, id: 1, share: 101 }, 'share must be a number from 0 to 100'],
    ['lp/addtocamp', { campaignid: 1, id: 1, share: -1 }, 'share must be a number from 0 to 100'],
    ['lp/addtocamp', { campaignid: 1, id: 1, level: 0 }, 'level must be a whole number from 1'],
  ])('%s %j is refused and changes nothing', async (path, form, message) => {
    const before = await everything();
    expect(await tracker.refusal(path, form)).toContain(message);
    expect(await everything()).toEqual(before);
  });
});

/** Which pages have a level or a path, for each campaign of the fixture. */
const types = [
  { campaign: 1, type: 'Landing Page Sequence', level: true, landingPath: false, offerPath: true },
  { campaign: 2, type: 'Multiple Path', level: false, landingPath: true, offerPath: true },
  { campaign: 3, type: 'Email FollowUp', level: false, landingPath: true, offerPath: true },
  { campaign: 4, type: 'Multiple Option', level: false, landingPath: false, offerPath: true },
  { campaign: 5, type: 'Direct Link and Landing Page', level: false, landingPath: false, offerPath: false },
  { campaign: 6, type: 'Lead Capture', level: false, landingPath: false, offerPath: false },
];

describe('level and path', () => {
  beforeAll(start);
  afterAll(stop);

  test.each(types)(
    'a $type campaign accepts level and path only if it has them, on adding and editing',
    async (traits) => {
      const { campaign, type, level, landingPath, offerPath } = traits;
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
      expect(refusal).toContain(`this is an offer of campaign ${campaign}`);
      expect(await page(campaign, 60)).toMatchObject({ level: level ? 3 : 1, path: landingPath ? 3 : 1 });
      expect(await page(campaign, 61)).toMatchObject({ level: 1, path: offerPath ? 3 : 1 });
      if (!level) {
        const message = await tracker.refusal('campaign/editpage', { campaignid: campaign, pageid: 60, level: 3 });
        expect(message).toContain('level applies only to landing pages of Landing Page Sequence campaigns');
        expect(message).toContain(type);
      }
    },
  );
});

describe('editing a page in a campaign', () => {
  beforeEach(start);
  afterEach(stop);

  test('changes only the given fields, and not the predefined record', async () => {
    const before = await page(1, 4);
    expect(await tracker.ask('campaign/editpage', { campaignid: 1, pageid: 4, share: 80 })).toEqual(ok);
    expect(await page(1, 4)).toEqual({ ...before, share: '80.0000' });
    const changes = { name: 'Gym 2', url, source: 'Summit & Co', path: 3 };
    const form = { campaignid: 1, pageid: 4, ...changes, inactive: 1, payout: '1.25' };
    expect(await tracker.ask('campaign/editpage', form)).toEqual(ok);
    expect(await page(1, 4)).toMatchObject({ ...changes, active: false, payout: '1.250000', share: '80.0000' });
    expect(await tracker.stored('SELECT name, active FROM offers WHERE id = 1')).toEqual([
      { name: 'Gym', active: true },
    ]);
    await tracker.ask('campaign/editpage', { campaignid: 1, pageid: 4, inactive: 0 });
    expect(await page(1, 4)).toMatchObject({ active: true });
  });

  test('does not change the page with the same ID in a different campaign', async () => {
    const before = await page(2, 1);
    await tracker.ask('campaign/editpage', { campaignid: 1, pageid: 1, share: 7 });
    expect(await page(2, 1)).toEqual(before);
  });

  test('newpageid gives the page a new ID and frees the old one', async () => {
    const before = await page(1, 4);
    expect(await tracker.ask('campaign/editpage', { campaignid: 1, pageid: 4, newpageid: 40 })).toEqual(ok);
    expect(await page(1, 40)).toEqual(before);
    expect(await page(1, 4)).toBeUndefined();
    expect(await tracker.ask('campaign/editpage', { campaignid: 1, pageid: 5, newpageid: 4 })).toEqual(ok);
    expect(await tracker.ask('campaign/editpage', { campaignid: 1, pageid: 4, newpageid: 4 })).toEqual(ok);
  });
});

describe('an invalid edit', () => {
  beforeAll(start);
  afterAll(stop);

  test.each([
    [{ pageid: 1, share: 5 }, 'required parameter campaignid is missing'],
    [{ campaignid: 1, share: 5 }, 'required parameter pageid is missing'],
    [
      { campaignid: 1, pageid: 1 },
      'This changes nothing. Give at least one of name, url, inactive, share, level, path, source, payout or newpageid.',
    ],
    [{ campaignid: 99, pageid: 1, share: 5 }, 'There is no campaign with ID 99.'],
    [{ campaignid: 1, pageid: 99, share: 5 }, 'Campaign 1 has no page with ID 99.'],
    [{ campaignid: 1, pageid: 4_000_000_000, share: 5 }, 'Campaign 1 has no page with ID 4000000000.'],
    [{ campaignid: 1, pageid: 1, newpageid: 2 }, 'Page ID 2 is already in use in campaign 1.'],
    [{ campaignid: 1, pageid: 1, share: '50%' }, 'share must be a number from 0 to 100'],
    [{ campaignid: 1, pageid: 1, inactive: 'no' }, 'inactive must be'],
    [{ campaignid: 1, pageid: 1, url: '//lp.example.com' }, 'url must be a complete URL'],
    [{ campaignid: 1, pageid: 1, payout: 5 }, 'source and payout belong to offers; page 1 is a landing page.'],
    [{ campaignid: 6, pageid: 2, source: 'Harbor' }, 'page 2 is a thank-you page.'],
    [{ campaignid: 1, pageid: 4, source: 'Nobody' }, 'is not an offer source'],
    [{ campaignid: 1, pageid: 4, payout: -0.5 }, 'payout must be a number from 0'],
  ])('%j is refused and changes nothing', async (form, message) => {
    const before = await everything();
    expect(await tracker.refusal('campaign/editpage', form)).toContain(message);
    expect(await everything()).toEqual(before);
  });
});
