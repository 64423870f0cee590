import { describe, expect, it } from 'vitest';
import { CampaignHistory, type Kind, reviewAccount } from '../../../src/analysis/account-review.ts';
import { seededRandom } from '../../../src/sandbox/rotation/random.ts';
import { days, quiet, type Rates, simulateVisits } from '../change/visits.ts';

const read = ['landing_page', 'offer', 'keyword', 'isp'];

const usual: Rates = { ...quiet, visits: 700, cost: () => 0.05 };

/** The fourteen days end now; a trouble lasts since the beginning of the last day, or of an earlier one, or since an hour of it. */
function historyOf(trouble: Partial<Rates>, seed: number, first = 13, rates = usual, firstHour = 0): CampaignHistory {
  const { dimensions, rows } = simulateVisits(trouble, seed, rates, first);
  const isBefore = (day: string, hour: number) => day === days[first] && hour < firstHour;
  const hourOf = ({ values }: (typeof rows)[number]) => Number(values[dimensions.indexOf('hour')]);
  const untroubled = simulateVisits({}, seed, rates, first).rows.filter((row) => isBefore(row.day, hourOf(row)));
  const campaign = new CampaignHistory(read);
  for (const row of [...rows.filter((row) => !isBefore(row.day, hourOf(row))), ...untroubled]) {
    const { day, values, ...figures } = row;
    const hour = hourOf(row);
    const cells = read.map((name) => values[dimensions.indexOf(name)] ?? null);
    campaign.add({ age: (days.length - days.indexOf(day)) * 24 - hour - 0.5, values: cells, ...figures });
  }
  return campaign;
}

const allIn = () => 1;

const troubles: [Kind, string | undefined, Partial<Rates>, first?: number][] = [
  ['campaign_dark', undefined, { visits: 0 }],
  ['sales_stopped', undefined, { saleRate: () => 0 }],
  ['sales_stopped', 'Cash', { saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.12) }, 12],
  ['page_without_clicks', 'Quiz', { clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) }],
  ['loses_money', undefined, { cost: () => 0.2 }, 5],
  [
    'burning_placement',
    'burner',
    { keywords: { ...usual.keywords, burner: 40 }, saleRate: ({ keyword }) => (keyword === 'burner' ? 0 : 0.12) },
    6,
  ],
  [
    'clicks_of_no_people',
    'Amazon',
    { clickRate: ({ isp }) => (isp === 'Amazon' ? 0.97 : 0.3), saleRate: ({ isp }) => (isp === 'Amazon' ? 0 : 0.12) },
    11,
  ],
  ['payout_fell', 'Cash', { payout: (offer) => (offer === 'Cash' ? 1.5 : 2.5) }, 11],
  ['cost_missing', undefined, { cost: () => 0 }],
  ['page_behind', 'Story', { clickRate: ({ page }) => (page === 'Story' ? 0.08 : 0.3) }, 0],
  ['changed_elsewhere', 'Quiz', { pages: { Quiz: 4, Story: 30, Video: 30 } }],
];

describe('reviewAccount', () => {
  it.each(troubles)('finds %s (%s) among quiet campaigns', (kind, value, trouble, first) => {
    for (const seed of [1, 2, 3]) {
      const campaigns = new Map([1, 2, 3].map((id) => [id, historyOf({}, seed * 10 + id)]));
      campaigns.set(4, historyOf(trouble, seed, first));
      const { findings } = reviewAccount(campaigns, allIn);
      expect(
        findings.map((found) => [found.campaign, found.kind, found.value]),
        `seed ${seed}`,
      ).toContainEqual([4, kind, value]);
    }
  });

  it.each<[Kind, string | undefined, Partial<Rates>, firstHour: number]>([
    ['campaign_dark', undefined, { visits: 0 }, 20],
    ['page_without_clicks', 'Quiz', { clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) }, 17],
    ['changed_elsewhere', 'Quiz', { pages: { Story: 30, Video: 30 } }, 20],
    ['payout_fell', 'Cash', { payout: (offer) => (offer === 'Cash' ? 1.5 : 2.5) }, 6],
  ])('finds %s (%s) hours after it began, and since when', (kind, value, trouble, firstHour) => {
    for (const seed of [1, 2, 3]) {
      const campaigns = new Map([[1, historyOf(trouble, seed, 13, usual, firstHour)]]);
      const found = reviewAccount(campaigns, allIn).findings.find((one) => one.kind === kind && one.value === value);
      expect(Math.round(found?.age ?? 0), `seed ${seed}`).toBeLessThanOrEqual(24 - firstHour + 2);
      expect(found?.age, `seed ${seed}`).toBeGreaterThan((24 - firstHour) / 2);
    }
  });

  it('sees a campaign or page that stays dead as well only once it has visits or clicks, or gets no more of them', () => {
    const wellOf = (trouble: Partial<Rates>, first: number) =>
      reviewAccount(new Map([[1, historyOf(trouble, 1, first)]]), allIn).well.map(
        ({ kind, value }) => `${kind} ${value}`,
      );
    const dead: Partial<Rates> = { clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) };
    for (const first of [2, 6, 10, 13]) {
      expect(wellOf({ visits: 0 }, first), `since day ${first}`).not.toContain('campaign_dark undefined');
      expect(wellOf(dead, first), `since day ${first}`).not.toContain('page_without_clicks Quiz');
      expect(wellOf({ saleRate: () => 0 }, first), `since day ${first}`).not.toContain('sales_stopped undefined');
    }
    const well = ['campaign_dark undefined', 'page_without_clicks Quiz', 'sales_stopped undefined'];
    expect(wellOf({}, 13)).toEqual(expect.arrayContaining(well));
    expect(wellOf({ pages: { Story: 30, Video: 30 } }, 12)).toContain('page_without_clicks Quiz');
  });

  it('tells robots by their clicks where a handful of sales is all there is to miss', () => {
    const robots: Partial<Rates> = {
      clickRate: ({ isp }) => (isp === 'Amazon' ? 1 : 0.3),
      saleRate: ({ isp }) => (isp === 'Amazon' ? 0 : 0.06),
    };
    const small = { ...usual, visits: 250, saleRate: () => 0.06 };
    const { findings } = reviewAccount(new Map([[1, historyOf(robots, 1, 13, small)]]), allIn);
    expect(findings.map(({ kind, value }) => [kind, value])).toEqual([['clicks_of_no_people', 'Amazon']]);
  });

  it('says once what a placement and a provider with the same visits both show', () => {
    const campaign = new CampaignHistory(['keyword', 'isp']);
    const add = (age: number, values: string[], clicks: number, conversions: number) =>
      campaign.add({ age, values, clicks, conversions, cost: 0.05, revenue: conversions * 3 });
    for (let index = 0; index < 14 * 240; index += 1)
      add(index / 10, [`site${index % 5}`, `home${index % 7}`], Number(index % 3 === 0), Number(index % 12 === 0));
    for (let index = 0; index < 150; index += 1) add(index / 10, ['bots', 'Farm'], 1, 0);
    const { findings, fading } = reviewAccount(new Map([[1, campaign]]), allIn);
    expect(findings.map(({ kind, value, alike }) => [kind, value, alike?.map((other) => other.value)])).toEqual([
      ['clicks_of_no_people', 'bots', ['Farm']],
    ]);
    expect(fading.map(({ value }) => value)).toContain('Farm');
  });

  it('finds a placement whose cost burns what the others earn, though it sells', () => {
    const dear: Partial<Rates> = { cost: ({ keyword }) => (keyword === 'site0' ? 0.6 : 0.05) };
    const { findings } = reviewAccount(new Map([[1, historyOf(dear, 1, 12)]]), allIn);
    expect(findings.map(({ kind, value }) => [kind, value])).toContainEqual(['burning_placement', 'site0']);
  });

  it('takes no payout that varies from sale to sale for one that fell', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const paid = seededRandom(seed);
      const varied = { ...usual, payout: () => (paid() < 0.8 ? 3 : 1.5) };
      const { findings } = reviewAccount(new Map([[1, historyOf({}, seed, 13, varied)]]), allIn);
      expect(findings, `seed ${seed}`).toEqual([]);
    }
  });

  it('takes campaigns that went dark at once for one finding about the account, and fewer for one each', () => {
    for (const [dark, said] of [
      [4, [[undefined, 'account_dark']]],
      [
        2,
        [
          [1, 'campaign_dark'],
          [2, 'campaign_dark'],
        ],
      ],
    ] as const) {
      const campaigns = new Map([1, 2, 3, 4, 5].map((id) => [id, historyOf(id <= dark ? { visits: 0 } : {}, id)]));
      const { findings, fading } = reviewAccount(campaigns, allIn);
      expect(findings.map(({ campaign, kind }) => [campaign, kind]).sort()).toEqual(said);
      expect(fading.filter(({ kind }) => kind === 'campaign_dark')).toHaveLength(dark === 4 ? 4 : 0);
      if (dark === 4) expect(findings[0]?.figures).toMatchObject({ campaigns: 4, with_traffic: 5 });
    }
  });

  it('takes hours without any visit for another zone if the clock of the tracker is not known', () => {
    const campaigns = new Map([1, 2, 3].map((id) => [id, historyOf({ visits: 0 }, id, 13, usual, 14)]));
    const found = (isClockKnown: boolean) => reviewAccount(campaigns, allIn, () => false, isClockKnown).findings;
    expect(found(false)).toEqual([]);
    expect(found(true).map(({ kind }) => kind)).toEqual(['account_dark']);
  });

  it('says three findings of a kind, and how many more are like them', () => {
    const burners = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, 30]));
    const trouble: Partial<Rates> = {
      keywords: { ...usual.keywords, ...burners },
      saleRate: ({ keyword }) => (keyword in burners ? 0 : 0.12),
    };
    const { findings, fading } = reviewAccount(new Map([[1, historyOf(trouble, 1, 4)]]), allIn);
    const burning = findings.filter(({ kind }) => kind === 'burning_placement');
    expect(burning.map(({ more }) => more)).toEqual([undefined, undefined, 2]);
    expect(fading.filter(({ kind }) => kind === 'burning_placement').length).toBeGreaterThanOrEqual(2);
  });

  it('says once of a campaign whose sales stopped that it earns nothing', () => {
    const { findings, fading } = reviewAccount(new Map([[1, historyOf({ saleRate: () => 0 }, 1, 11)]]), allIn);
    expect(findings.map(({ kind }) => kind)).toEqual(['sales_stopped']);
    expect(fading.map(({ kind }) => kind)).toContain('loses_money');
  });

  it('cannot say of a campaign without sales in an account without sales that it loses money', () => {
    expect(reviewAccount(new Map([[1, historyOf({ saleRate: () => 0 }, 1, 0)]]), allIn).findings).toEqual([]);
  });

  it('finds nothing in quiet campaigns', () => {
    const campaigns = new Map(Array.from({ length: 40 }, (_, id) => [id, historyOf({}, id + 100)]));
    expect(reviewAccount(campaigns, allIn).findings).toEqual([]);
  });

  it('names a sale that makes most of a week', () => {
    const campaign = historyOf({}, 1, 13, { ...usual, visits: 60 });
    campaign.add({
      age: 30,
      clicks: 1,
      conversions: 1,
      cost: 0.05,
      revenue: 500,
      values: [null, 'Cash'],
    });
    const [found] = reviewAccount(new Map([[1, campaign]]), allIn).findings;
    expect(found).toMatchObject({ kind: 'decisive_sale', figures: { amount: 500 } });
  });

  it('does not take late sales for none', () => {
    const campaigns = new Map([[1, historyOf({ saleRate: () => 0 }, 1, 12)]]);
    const stopped = (partIn: (age: number) => number) =>
      reviewAccount(campaigns, partIn).findings.filter(({ kind }) => kind === 'sales_stopped');
    expect(stopped(allIn)).not.toEqual([]);
    expect(stopped((age) => Math.min(0.1 + age * 0.1, 1))).toEqual([]);
  });
});
