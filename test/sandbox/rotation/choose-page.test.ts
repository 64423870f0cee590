import { describe, expect, test } from 'vitest';
import { campaignTypeNames } from '../../../src/api/campaign-types.ts';
import type { Campaign, CampaignPage, Choice } from '../../../src/sandbox/rotation/choose-page.ts';
import { chooseArrival, chooseNext } from '../../../src/sandbox/rotation/choose-page.ts';
import { seededRandom } from '../../../src/sandbox/rotation/random.ts';
import { landing, makeCampaign, offer, thanks } from '../traffic/fixtures.ts';

const random = seededRandom(2);
const draws = 4000;

/** Counts how often each page is chosen; key 0 counts choices that lead nowhere. */
function countPages(choose: () => Choice): Record<number, number> {
  const counts: Record<number, number> = {};
  for (let draw = 0; draw < draws; draw++) {
    const choice = choose();
    const key = choice.kind === 'page' ? choice.page.pageId : 0;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

const arrivals = (campaign: Campaign, keptPath?: number) => countPages(() => chooseArrival(campaign, random, keptPath));
const clicks = (campaign: Campaign, from: CampaignPage, path = 1, optionGroup?: number) =>
  countPages(() => chooseNext(campaign, from, path, random, optionGroup));

/** Chi-square against the shares. The limit is exceeded by chance once in 1000; the seed is fixed. */
function expectSplit(counts: Record<number, number>, shares: Record<number, number>) {
  expect(Object.keys(counts)).toEqual(Object.keys(shares));
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  const distances = Object.entries(shares).map(([page, share]) => {
    const expected = (draws * share) / total;
    return ((counts[Number(page)] ?? 0) - expected) ** 2 / expected;
  });
  expect(distances.reduce((sum, distance) => sum + distance, 0)).toBeLessThan(16.27);
}

const only = (page: number) => ({ [page]: draws });

describe('shares', () => {
  const closed = landing(3, { share: 50, active: false });
  test.each([
    ['are weights, with any sum', 'Landing Page Sequence', [80, 40], [], { 1: 2, 2: 1 }],
    ['of an inactive page go to the active pages', 'Landing Page Sequence', [30, 10], [closed], { 1: 3, 2: 1 }],
    ['can be fractions of a percent', 'Multiple Option', [0.5, 1.5], [], { 1: 1, 2: 3 }],
  ] as const)('%s', (_, type, shares, more, split) => {
    const pages = shares.map((share, index) => landing(index + 1, { share }));
    expectSplit(arrivals(makeCampaign(type, [...more, ...pages])), split);
  });

  test.each(campaignTypeNames)('a page with share 0 gets no visitor: %s', (type) => {
    const campaign = makeCampaign(type, [landing(1, { share: 0 }), landing(2), offer(3, { share: 0 }), offer(4)]);
    expect(arrivals(campaign)).not.toHaveProperty('1');
    expect(arrivals(campaign)).not.toHaveProperty('3');
    expect(clicks(campaign, landing(2))).toEqual(only(4));
  });

  test.each(campaignTypeNames)('without an active page the reason names the campaign: %s', (type) => {
    const campaign = makeCampaign(type, [landing(1, { active: false }), offer(2, { share: 0 })]);
    const nowhere = { kind: 'nowhere', reason: expect.stringMatching(/campaign 7/i) };
    expect(chooseArrival(campaign, random)).toEqual(nowhere);
    expect(chooseNext(campaign, landing(1), 1, random)).toEqual(nowhere);
    expect(chooseArrival(makeCampaign(type, []), random)).toEqual(nowhere);
  });
});

describe('a Landing Page Sequence', () => {
  const levels = [landing(1), landing(2, { level: 2 }), landing(3, { level: 3, share: 0 }), landing(4, { level: 4 })];
  const offers = [offer(5, { path: 2, share: 75 }), offer(6, { path: 2, share: 25 }), offer(7, { path: 3 })];
  const campaign = makeCampaign('Landing Page Sequence', [...levels, ...offers]);

  test('starts at level 1, and goes on to the next level that has a page', () => {
    expect(arrivals(campaign)).toEqual(only(1));
    expect(clicks(campaign, landing(1))).toEqual(only(2));
    expect(clicks(campaign, landing(2, { level: 2 }))).toEqual(only(4));
  });

  test('ends at the offers of one option group: the clicked one, or the first', () => {
    const last = landing(4, { level: 4 });
    expectSplit(clicks(campaign, last), { 5: 3, 6: 1 });
    expect(clicks(campaign, last, 1, 3)).toEqual(only(7));
  });

  test('goes straight to an option group that is clicked before the last level', () => {
    expect(clicks(campaign, landing(1), 1, 3)).toEqual(only(7));
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

  test('draws the path evenly, independent of its shares; a path without landing pages leads to its offers', () => {
    expectSplit(arrivals(campaign), { 1: 1, 3: 1, 6: 1 });
    expect(chooseArrival(campaign, () => 0.5)).toMatchObject({ page: { pageId: 3 }, path: 2 });
  });

  test('keeps a visitor on its path', () => {
    expect(arrivals(campaign, 2)).toEqual(only(3));
    expectSplit(clicks(campaign, landing(3, { path: 2 }), 2), { 4: 60, 5: 40 });
  });

  test('gives a visitor a new path if the path is closed', () => {
    expect(Object.keys(arrivals(campaign, 4))).toEqual(['1', '3', '6']);
  });
});

test('a Multiple Option campaign sends each option to a separate group of offers', () => {
  const campaign = makeCampaign('Multiple Option', [landing(1), offer(2, { path: 1 }), offer(3, { path: 2 })]);
  expect(clicks(campaign, landing(1), 1, 1)).toEqual(only(2));
  expect(clicks(campaign, landing(1), 1, 2)).toEqual(only(3));
  expect(clicks(campaign, landing(1), 1, 9)).toEqual(only(0));
});

test('a direct link splits arrivals between its offers and landing pages by share', () => {
  const pages = [landing(1, { share: 30 }), offer(2, { share: 50 }), offer(3, { share: 20 })];
  const campaign = makeCampaign('Direct Link and Landing Page', pages);
  expectSplit(arrivals(campaign), { 1: 30, 2: 50, 3: 20 });
  expectSplit(clicks(campaign, landing(1)), { 2: 5, 3: 2 });
});

test('lead capture leads from the landing page to the thank-you page, and from there to an offer', () => {
  const campaign = makeCampaign('Lead Capture', [landing(1), thanks(2), offer(3)]);
  expect(arrivals(campaign)).toEqual(only(1));
  expect(clicks(campaign, landing(1))).toEqual(only(2));
  expect(clicks(campaign, thanks(2))).toEqual(only(3));
});
