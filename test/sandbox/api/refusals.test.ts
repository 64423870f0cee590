import { expect, test } from 'vitest';
import { setup } from '../support/fixture.ts';
import { startTracker } from '../support/tracker.ts';

const tracker = await startTracker(setup);

const url = 'https://new.example.com/page';
const record = { name: 'New', url };
const edited = { campaignid: 1, pageid: 1 };
const nothing = 'This changes nothing. Give at least one of';

const everything = () =>
  tracker.stored(
    `SELECT (SELECT list(row ORDER BY id) FROM campaigns AS row)::VARCHAR AS campaigns,
       (SELECT list(row ORDER BY id) FROM campaign_pages AS row)::VARCHAR AS campaign_pages,
       (SELECT list(row ORDER BY id) FROM landing_pages AS row)::VARCHAR AS landing_pages,
       (SELECT list(row ORDER BY id) FROM offers AS row)::VARCHAR AS offers`,
  );

test.each([
  ['lp/add', { name: '', url }, 'required parameter name is missing'],
  ['lp/add', { name: 'New' }, 'required parameter url is missing'],
  ['lp/add', { name: ' ', url }, 'name must not be empty'],
  ['lp/add', { name: 'New', url: 'ftp://lp.example.com/' }, 'url must be a complete URL that starts with http:// or'],
  ['lp/add', { name: 'New', url: 'lp.example.com' }, 'url must be a complete URL'],
  ['lp/add', { name: 'New', url: 'https://' }, 'url must be a complete URL'],
  ['lp/add', { ...record, inactive: 2 }, 'inactive must be 0 or 1'],
  ['lp/add', { ...record, inactive: 'true' }, 'inactive must be'],
  ['lp/edit', { id: 1 }, `${nothing} name, url, inactive or notes.`],
  ['lp/edit', { id: 1, name: '' }, 'This changes nothing'],
  ['lp/edit', { id: 99, name: 'New' }, 'There is no landing page with ID 99.'],
  ['lp/edit', { id: 999_999_999_999_999, name: 'New' }, 'There is no landing page with ID 999999999999999.'],
  ['lp/edit', { id: '1 OR 1=1', name: 'New' }, 'id must be a whole number from 1'],
  ['lp/edit', { id: 0, name: 'New' }, 'id must be a whole number from 1'],
  ['lp/edit', { id: '1.5', name: 'New' }, 'id must be a whole number from 1'],
  [
    'offer/add',
    { ...record, source: 'Acme' },
    'source "Acme" is not an offer source of this tracker. Configured are Harbor and Summit & Co.',
  ],
  ['offer/add', { ...record, source: 'harbor' }, 'is not an offer source'],
  ['offer/add', { ...record, payout: -1 }, 'payout must be a number from 0'],
  ['offer/add', { ...record, payout: '1,5' }, 'payout must be a number from 0'],
  ['offer/add', { ...record, payout: '1e3' }, 'payout must be a number from 0'],
  ['offer/edit', { id: 1 }, `${nothing} name, url, inactive, source, payout or notes.`],
  ['offer/edit', { id: 99, payout: 1 }, 'There is no offer with ID 99.'],
  ['offer/edit', { id: 1, source: 'Acme' }, 'is not an offer source'],
  ['lp/addtocamp', { campaignid: 99, id: 1 }, 'There is no campaign with ID 99.'],
  ['lp/addtocamp', { campaignid: 1, id: 99 }, 'There is no landing page with ID 99.'],
  ['offer/addtocamp', { campaignid: 1, id: 99 }, 'There is no offer with ID 99.'],
  ['lp/addtocamp', { campaignid: 1 }, 'Give id to add an existing record, or name and url to add a new one'],
  ['lp/addtocamp', { campaignid: 1, name: 'New' }, 'missing: url'],
  ['lp/addtocamp', { campaignid: 1, id: 1, name: 'New', inactive: 0 }, 'name and inactive cannot be combined with id'],
  ['offer/addtocamp', { campaignid: 1, id: 1, payout: 2 }, 'payout cannot be combined with id'],
  ['offer/addtocamp', { campaignid: 1, ...record, source: 'Acme' }, 'is not an offer source'],
  ['lp/addtocamp', { campaignid: 1, ...record, pageid: 3 }, 'Page ID 3 is already in use in campaign 1.'],
  ['lp/addtocamp', { campaignid: 1, id: 1, pageid: 3_000_000_000 }, 'A page ID is at most 2147483647.'],
  ['lp/addtocamp', { campaignid: 1, id: 1, share: 101 }, 'share must be a number from 0 to 100'],
  ['lp/addtocamp', { campaignid: 1, id: 1, share: -1 }, 'share must be a number from 0 to 100'],
  ['lp/addtocamp', { campaignid: 1, id: 1, level: 0 }, 'level must be a whole number from 1'],
  ['campaign/editpage', { campaignid: 1, share: 5 }, 'required parameter pageid is missing'],
  ['campaign/editpage', edited, `${nothing} name, url, inactive, share, level, path, source, payout or newpageid.`],
  ['campaign/editpage', { campaignid: 99, pageid: 1, share: 5 }, 'There is no campaign with ID 99.'],
  ['campaign/editpage', { campaignid: 1, pageid: 99, share: 5 }, 'Campaign 1 has no page with ID 99.'],
  ['campaign/editpage', { campaignid: 1, pageid: 4_000_000_000, share: 5 }, 'has no page with ID 4000000000.'],
  ['campaign/editpage', { ...edited, newpageid: 2 }, 'Page ID 2 is already in use in campaign 1.'],
  ['campaign/editpage', { ...edited, payout: 5 }, 'source and payout belong to offers; page 1 is a landing page.'],
  ['campaign/editpage', { campaignid: 6, pageid: 2, source: 'Harbor' }, 'page 2 is a thank-you page.'],
  ['campaign/editpage', { campaignid: 1, pageid: 4, source: 'Acme' }, 'is not an offer source'],
  ['campaign/edit', { campaignid: 2 }, `${nothing} engage, bid, priority, passsubidlp or passsubidoffer.`],
  ['campaign/edit', { campaignid: 99, bid: 1 }, 'There is no campaign with ID 99.'],
  ['campaign/edit', { campaignid: 'x', bid: 1 }, 'campaignid must be a whole number from 1'],
  ['campaign/edit', { campaignid: 2, bid: -1 }, 'bid must be a number from 0'],
  ['campaign/edit', { campaignid: 2, bid: '$1' }, 'bid must be a number from 0'],
  ['campaign/edit', { campaignid: 2, engage: 'high' }, 'engage must be a number from 0'],
  ['campaign/edit', { campaignid: 2, priority: 1.5 }, 'priority must be a whole number from 0'],
  ['campaign/edit', { campaignid: 2, passsubidlp: 2 }, 'passsubidlp must be 1 or 0'],
  ['campaign/edit', { campaignid: 2, passsubidoffer: 'true' }, 'passsubidoffer must be 1 or 0'],
])('%s %j is refused and changes nothing', async (path, form, message) => {
  const before = await everything();
  expect(await tracker.refusal(path, form)).toContain(message);
  expect(await everything()).toEqual(before);
});
