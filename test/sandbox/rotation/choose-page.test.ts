import { describe, expect, test } from 'vitest';
import { campaignTypeNames } from '../../../src/api/campaign-types.ts';
import { chooseArrival, chooseNext } from '../../../src/sandbox/rotation/choose-page.ts';
import { seededRandom } from '../../../src/sandbox/rotation/random.ts';
import { countPages, landing, makeCampaign, offer, thanks } from '../traffic/fixtures.ts';

const random = seededRandom(2);
const draws = 4000;

/** Chi-square against the shares. The limit is exceeded by chance once in 1000; the seed is fixed. */
function expectSplit(counts: Record<number, number>, shares: Record<number, number>) {
  expect(Object.keys(counts)).toEqual(Object.keys(shares));
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  let distance = 0;
  for (const [page, share] of Object.entries(shares)) {
    const expected = (draws * share) / total;
    distance += ((counts[Number(page)] ?? 0) - expected) ** 2 / expected;
  }
  expect(distance).toBeLessThan(16.27);
}

describe('shares', () => {
  test('are weights, whatever their sum', () => {
    const campaign = makeCampaign('Landing Page Sequence', [landing(1, { share: 80 }), landing(2, { share: 40 })]);
    expectSplit(
      countPages(draws, () => chooseArrival(campaign, random)),
      { 1: 2, 2: 1 },
    );
  });

  test('of an inactive page go to the active ones', () => {
    const pages = [landing(1, { share: 50, active: false }), landing(2, { share: 30 }), landing(3, { share: 10 })];
    expectSplit(
      countPages(draws, () => chooseArrival(makeCampaign('Landing Page Sequence', pages), random)),
      { 2: 3, 3: 1 },
    );
  });

  test('can be fractions of a percent', () => {
    const campaign = makeCampaign('Multiple Option', [landing(1, { share: 0.5 }), landing(2, { share: 1.5 })]);
    expectSplit(
      countPages(draws, () => chooseArrival(campaign, random)),
      { 1: 1, 2: 3 },
    );
  });

  test.each(campaignTypeNames)('a page with share 0 gets no visitor: %s', (type) => {
    const pages = [landing(1, { share: 0 }), landing(2), offer(3, { share: 0 }), offer(4)];
    const campaign = makeCampaign(type, pages);
    const arrivals = countPages(500, () => chooseArrival(campaign, random));
    const clicks = countPages(500, () => chooseNext(campaign, landing(2), 1, random));
    expect({ ...arrivals, ...clicks }).not.toHaveProperty('1');
    expect({ ...arrivals, ...clicks }).not.toHaveProperty('3');
    expect(clicks).toEqual({ 4: 500 });
  });

  test.each(campaignTypeNames)('without an active page the reason names the campaign: %s', (type) => {
    const campaign = makeCampaign(type, [landing(1, { active: false }), offer(2, { share: 0 })]);
    const reason = expect.stringContaining('campaign 7');
    expect(chooseArrival(campaign, random)).toMatchObject({ kind: 'nowhere' });
    expect(chooseNext(campaign, landing(1), 1, random)).toEqual({ kind: 'nowhere', reason });
    expect(chooseArrival(makeCampaign(type, []), random)).toMatchObject({ kind: 'nowhere' });
  });
});

describe('a Landing Page Sequence', () => {
  const levels = [landing(1), landing(2, { level: 2 }), landing(3, { level: 3, share: 0 }), landing(4, { level: 4 })];
  const campaign = makeCampaign('Landing Page Sequence', [
    ...levels,
    offer(5, { path: 2, share: 75 }),
    offer(6, { path: 2, share: 25 }),
    offer(7, { path: 3 }),
  ]);

  test('starts at level 1', () => {
    expect(countPages(300, () => chooseArrival(campaign, random))).toEqual({ 1: 300 });
  });

  test('goes on to the next level that has a page', () => {
    expect(chooseNext(campaign, landing(1), 1, random)).toMatchObject({ page: { pageId: 2 } });
    expect(chooseNext(campaign, landing(2, { level: 2 }), 1, random)).toMatchObject({ page: { pageId: 4 } });
  });

  test('ends at the offers of one option group: the clicked one, or the first', () => {
    const last = landing(4, { level: 4 });
    expectSplit(
      countPages(draws, () => chooseNext(campaign, last, 1, random)),
      { 5: 3, 6: 1 },
    );
    expect(countPages(300, () => chooseNext(campaign, last, 1, random, 3))).toEqual({ 7: 300 });
  });

  test('goes straight to an option group that is clicked before the last level', () => {
    expect(countPages(300, () => chooseNext(campaign, landing(1), 1, random, 3))).toEqual({ 7: 300 });
  });
});

describe.each(['Multiple Path', 'Email FollowUp'] as const)('%s', (type) => {
  const campaign = makeCampaign(type, [
    landing(1, { path: 1 }),
    offer(2, { path: 1 }),
    landing(3, { path: 2, share: 10 }),
    offer(4, { path: 2, share: 60 }),
    offer(5, { path: 2, share: 40 }),
    offer(6, { path: 3 }),
    landing(7, { path: 4, active: false }),
    offer(8, { path: 4 }),
  ]);

  test('draws the path evenly, whatever the shares in it; a path without landing pages leads to its offers', () => {
    expectSplit(
      countPages(draws, () => chooseArrival(campaign, random)),
      { 1: 1, 3: 1, 6: 1 },
    );
  });

  test('keeps a visitor on its path', () => {
    expect(countPages(300, () => chooseArrival(campaign, random, 2))).toEqual({ 3: 300 });
    expectSplit(
      countPages(draws, () => chooseNext(campaign, landing(3, { path: 2 }), 2, random)),
      { 4: 60, 5: 40 },
    );
  });

  test('gives a visitor a new path if its own is closed', () => {
    expect(Object.keys(countPages(300, () => chooseArrival(campaign, random, 4)))).toEqual(['1', '3', '6']);
  });

  test('returns the path that was drawn', () => {
    const choice = chooseArrival(campaign, () => 0.5);
    expect(choice).toMatchObject({ page: { pageId: 3 }, path: 2 });
  });
});

test('a Multiple Option campaign sends each option to its own group of offers', () => {
  const campaign = makeCampaign('Multiple Option', [landing(1), offer(2, { path: 1 }), offer(3, { path: 2 })]);
  expect(countPages(300, () => chooseNext(campaign, landing(1), 1, random, 1))).toEqual({ 2: 300 });
  expect(countPages(300, () => chooseNext(campaign, landing(1), 1, random, 2))).toEqual({ 3: 300 });
  expect(chooseNext(campaign, landing(1), 1, random, 9)).toMatchObject({ kind: 'nowhere' });
});

test('a direct link splits arrivals between its offers and landing pages by share', () => {
  const pages = [landing(1, { share: 30 }), offer(2, { share: 50 }), offer(3, { share: 20 })];
  const campaign = makeCampaign('Direct Link and Landing Page', pages);
  expectSplit(
    countPages(draws, () => chooseArrival(campaign, random)),
    { 1: 30, 2: 50, 3: 20 },
  );
  expectSplit(
    countPages(draws, () => chooseNext(campaign, landing(1), 1, random)),
    { 2: 5, 3: 2 },
  );
});

test('lead capture leads from the landing page to the thank-you page, and from there to an offer', () => {
  const campaign = makeCampaign('Lead Capture', [landing(1), thanks(2), offer(3)]);
  expect(countPages(300, () => chooseArrival(campaign, random))).toEqual({ 1: 300 });
  expect(countPages(300, () => chooseNext(campaign, landing(1), 1, random))).toEqual({ 2: 300 });
  expect(countPages(300, () => chooseNext(campaign, thanks(2), 1, random))).toEqual({ 3: 300 });
});
