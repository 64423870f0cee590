import { expect, test } from 'vitest';
import { Database } from '../../../src/sandbox/store/database.ts';
import { loadCampaigns } from '../../../src/sandbox/traffic/load-campaigns.ts';

test('the set-up of a campaign is read whole, its pages in the order they were added', async () => {
  const database = await Database.open();
  await database.transaction((writer) =>
    writer.execute(`
      INSERT INTO traffic_source_tokens VALUES (2, 'Keyword', 'Keyword', 'kw', '{kw}');
      INSERT INTO campaigns VALUES (3, 'A', 'Multiple Path', 'abc', 2, true, 0, 0.123456, 0, true, false),
        (4, 'B', 'Multiple Option', 'def', 5, false, 0, 0, 0, false, false);
      INSERT INTO campaign_pages VALUES
        (12, 3, 1, 'offer', NULL, 'O', 'https://example.com/o', false, 33.3333, 1, 2, NULL, 9.99),
        (11, 3, 2, 'landing', NULL, 'L', 'https://example.com/l', true, 100, 1, 1, NULL, 0);
    `),
  );
  const campaigns = await loadCampaigns(database);
  await database.close();
  expect(campaigns.get(3)).toEqual({
    id: 3,
    type: 'Multiple Path',
    linkKey: 'abc',
    active: true,
    bid: 123_456n,
    passSubidToLandingPage: true,
    passSubidToOffer: false,
    tokens: [{ slot: 'Keyword', parameter: 'kw' }],
    pages: [
      {
        id: 11,
        pageId: 2,
        kind: 'landing',
        url: 'https://example.com/l',
        active: true,
        share: 100,
        level: 1,
        path: 1,
        payout: 0n,
      },
      {
        id: 12,
        pageId: 1,
        kind: 'offer',
        url: 'https://example.com/o',
        active: false,
        share: 33.3333,
        level: 1,
        path: 2,
        payout: 9_990_000n,
      },
    ],
  });
  expect(campaigns.get(4)).toMatchObject({ active: false, tokens: [], pages: [] });
});
