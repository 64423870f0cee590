import { expect, test } from 'vitest';
import { Database } from '../../../src/sandbox/store/database.ts';
import { loadCampaigns } from '../../../src/sandbox/store/load-campaigns.ts';
import { landing, makeCampaign, money, offer } from '../traffic/fixtures.ts';
import { insertCampaign } from '../traffic/live-tracker.ts';

test('the setup of a campaign is read completely, its pages in the order they were added', async () => {
  const offerPage = offer(1, { id: 12, active: false, share: 33.3333, path: 2, payout: money('9.99') });
  const full = makeCampaign('Multiple Path', [offerPage, landing(2, { id: 11, level: 3, payout: 0n })], {
    id: 3,
    bid: money('0.123456'),
    passSubidToLandingPage: true,
    passSubidToOffer: false,
    tokens: [{ slot: 'Keyword', parameter: 'kw' }],
  });
  const empty = makeCampaign('Multiple Option', [], { id: 4, linkKey: 'def', active: false, bid: 0n });
  const database = await Database.open();
  for (const campaign of [full, empty]) await insertCampaign(database, campaign);
  const campaigns = await loadCampaigns(database);
  await database.close();
  expect(campaigns.get(3)).toEqual({ ...full, pages: full.pages.toReversed() });
  expect(campaigns.get(4)).toEqual(empty);
});
