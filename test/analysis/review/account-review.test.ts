import { describe, expect, it } from 'vitest';
import {
  CampaignHistory,
  joinPair,
  offerInCountry,
  type ReviewData,
  reviewAccount,
  type Suspicion,
  splitPair,
} from '../../../src/analysis/account-review.ts';
import type { TroubleKind } from '../../../src/answer/troubles.ts';
import { seededRandom } from '../../../src/sandbox/rotation/random.ts';
import { addListed, days, quiet, type Rates, simulateVisits, type Traits } from '../change/visits.ts';

const dimensionsRead = ['landing_page', 'offer', 'keyword', 'isp', 'device', 'os', 'country'];

const usual: Rates = { ...quiet, visits: 700, cost: () => 0.05 };

/** The fourteen days end now. A trouble begins with the last day, or on an earlier one or at an hour of it, and lasts. */
function historyOf(trouble: Partial<Rates>, seed: number, first = 13, rates = usual, firstHour = 0): CampaignHistory {
  const { dimensions, rows } = simulateVisits(trouble, seed, rates, first);
  const isBefore = (day: string, hour: number) => day === days[first] && hour < firstHour;
  const [placeOfHour, places] = [dimensions.indexOf('hour'), dimensionsRead.map((name) => dimensions.indexOf(name))];
  const hourOf = ({ values }: (typeof rows)[number]) => Number(values[placeOfHour]);
  const untroubled =
    firstHour === 0 ? [] : simulateVisits({}, seed, rates, first).rows.filter((row) => isBefore(row.day, hourOf(row)));
  const campaign = new CampaignHistory(dimensionsRead);
  for (const row of [...rows.filter((row) => !isBefore(row.day, hourOf(row))), ...untroubled]) {
    // By name: to copy all but some of the fields of a visit takes longer than to simulate it.
    const { clicks, conversions, cost, revenue } = row;
    const values = places.map((place) => row.values[place] ?? null);
    const age = (days.length - days.indexOf(row.day)) * 24 - hourOf(row) - 0.5;
    addListed(campaign, { age, values, clicks, conversions, cost, revenue });
  }
  return campaign;
}

type Row = ReturnType<typeof simulateVisits>['rows'][number];

/** The same fourteen days with visits that were edited. */
function edited(
  trouble: Partial<Rates>,
  seed: number,
  first: number,
  edit: (row: Row, read: (dimension: string) => string | null | undefined) => Row,
): CampaignHistory {
  const { dimensions, rows } = simulateVisits(trouble, seed, usual, first);
  const campaign = new CampaignHistory(dimensionsRead);
  for (const row of rows) {
    const { day, values, ...figures } = edit(row, (name) => row.values[dimensions.indexOf(name)]);
    const age = (days.length - days.indexOf(day)) * 24 - Number(values[dimensions.indexOf('hour')]) - 0.5;
    addListed(campaign, {
      ...figures,
      age,
      values: dimensionsRead.map((name) => values[dimensions.indexOf(name)] ?? null),
    });
  }
  return campaign;
}

/** Reviews campaigns with the IDs 1, 2, ... */
const review = (histories: readonly CampaignHistory[], data: Partial<ReviewData> = {}) =>
  reviewAccount({
    campaigns: new Map(histories.map((history, index) => [String(index + 1), history])),
    partIn: () => 1,
    ...data,
  });

const keyOf = (kind: TroubleKind, dimension = '', value = '', campaign = '1') =>
  JSON.stringify([campaign, kind, dimension, value]);

const troubles: [TroubleKind, string | undefined, Partial<Rates>, first?: number][] = [
  ['campaign_dark', undefined, { visits: 0 }],
  ['visits_stopped', 'DE', { countries: { US: 50, GB: 20, FR: 15 }, visits: 600 }, 11],
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
  [
    'clicks_of_no_people',
    'Amazon',
    { clickRate: ({ isp }) => (isp === 'Amazon' ? 0.6 : 0.3), saleRate: ({ isp }) => (isp === 'Amazon' ? 0 : 0.12) },
    11,
  ],
  ['payout_fell', 'Cash', { payout: (offer) => (offer === 'Cash' ? 1.5 : 2.5) }, 11],
  ['payout_rose', 'Cash', { payout: (offer) => (offer === 'Cash' ? 6 : 2.5) }, 11],
  ['sales_counted_twice', 'Cash', { countOf: (offer) => (offer === 'Cash' ? 2 : 1) }, 11],
  ['cost_missing', undefined, { cost: () => 0 }],
  ['cost_missing', undefined, { cost: () => 0 }, 10],
  ['cost_rose', undefined, { cost: () => 0.075 }, 8],
  ['cost_rose', 'site0', { cost: ({ keyword }) => (keyword === 'site0' ? 0.25 : 0.05), saleRate: () => 0.25 }, 9],
  ['clicks_fell', 'Quiz', { clickRate: ({ page }) => (page === 'Quiz' ? 0.09 : 0.3) }, 7],
  ['click_rate_fell', undefined, { clickRate: () => 0.15 }, 7],
  ['sales_fell', undefined, { saleRate: () => 0.05 }, 7],
  [
    'clicks_of_no_people',
    'junk',
    { keywords: { ...usual.keywords, junk: 40 }, clickRate: ({ keyword }) => (keyword === 'junk' ? 0.01 : 0.3) },
    12,
  ],
  ['visits_grew_unsold', undefined, { visits: 1500, saleRate: () => 0.056 }, 7],
  ['page_behind', 'Story', { clickRate: ({ page }) => (page === 'Story' ? 0.08 : 0.3) }, 0],
  ['changed_elsewhere', 'Quiz', { pages: { Quiz: 4, Story: 30, Video: 30 } }],
];

const robots: Partial<Rates> = {
  clickRate: ({ isp }) => (isp === 'Amazon' ? 0.97 : 0.3),
  saleRate: ({ isp }) => (isp === 'Amazon' ? 0 : 0.05),
};

const deadPage: Partial<Rates> = { clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) };

describe('reviewAccount', () => {
  it('gives a part of the account that part of the error budget, so that what is no finding of the whole is none of a part', async () => {
    const campaigns = [historyOf({ visits: 0 }, 1)];
    const [whole] = (await review(campaigns)).findings;
    expect(whole?.kind).toBe('campaign_dark');
    const part = (whole?.chance ?? 0) / 2;
    expect((await review(campaigns, { part })).findings).toEqual([]);
  });

  it('says since when cost is missing, and that it is well again only once visits cost something', async () => {
    const key = keyOf('cost_missing');
    for (const [first, hour, hours] of [
      [13, 20, 3],
      [13, 10, 12],
      [13, 0, 24],
      [11, 0, 72],
      [9, 15, 96],
    ] as const) {
      const { findings, isOver } = await review([historyOf({ cost: () => 0 }, 1, first, usual, hour)]);
      const finding = findings.find(({ kind }) => kind === 'cost_missing');
      // The whole days without cost or, within the last one, some hours, and the time of the last visit with one.
      expect(finding?.figures).toMatchObject({ hours });
      expect(Math.abs((finding?.age ?? 0) - (14 - first) * 24 + hour)).toBeLessThanOrEqual(1);
      expect(isOver(key, 0)).toBe(false);
    }
    // After so long, nothing shows any more that it should cost something.
    const long = await review([historyOf({ cost: () => 0 }, 1, 0)]);
    expect(long.isOver(key, 0)).toBe(false);
    expect((await review([historyOf({}, 1)])).isOver(key, 0)).toBe(true);
  });

  it('names the campaigns that no time was left for, and calls nothing of them over', async () => {
    const campaigns = new Map([1, 2].map((seed) => [String(seed), historyOf({}, seed)]));
    let rests = 0;
    const pace = {
      rest: async () => {
        rests += 1;
      },
      get isOver() {
        return rests > 0;
      },
    };
    const { unlooked, isOver } = await reviewAccount({ campaigns, partIn: () => 1 }, pace);
    expect(unlooked).toEqual(['2']);
    const [first, second, account] = ['1', '2', '0'].map((campaign) =>
      isOver(keyOf('loses_money', '', '', campaign), 0),
    );
    expect({ first, second, account }).toEqual({ first: true, second: false, account: false });
  });

  /** A campaign with a trouble in some hours of each day, of its last days. */
  function troubledIn(
    isTroubled: (hour: number) => boolean,
    trouble: Partial<Rates>,
    usual: Rates,
    seed: number,
    hourOfNow = 24,
  ) {
    const [calm, cut] = [{}, trouble].map((one) => simulateVisits(one, seed, usual, 9));
    const hourOf = ({ values }: { values: readonly (string | null)[] }) =>
      Number(values[cut?.dimensions.indexOf('hour') ?? 0]);
    const isCut = (row: { day: string; values: readonly (string | null)[] }) =>
      isTroubled(hourOf(row)) && row.day >= (days[9] ?? '');
    const rows = [...(calm?.rows.filter((row) => !isCut(row)) ?? []), ...(cut?.rows.filter(isCut) ?? [])];
    const campaign = new CampaignHistory(dimensionsRead, hourOfNow % 24);
    for (const { day, values, ...figures } of rows) {
      const cells = dimensionsRead.map((name) => values[calm?.dimensions.indexOf(name) ?? 0] ?? null);
      const age = (days.length - 1 - days.indexOf(day)) * 24 + hourOfNow - hourOf({ values }) - 0.5;
      if (age > 0) addListed(campaign, { age, values: cells, ...figures });
    }
    return campaign;
  }

  it.each([
    ['an offer', 'Cash', usual],
    ['a campaign', undefined, { ...usual, visits: 250 }],
  ] as const)(
    'finds %s that sells nothing from an hour of each day on, those hours and since when',
    async (_, capped, usual) => {
      const trouble: Partial<Rates> = { saleRate: ({ offer }) => (offer === (capped ?? offer) ? 0 : 0.12) };
      const [dimension, value, name] = capped ? ['offer_on_hour', 'Cash\n12-23', 'Cash'] : ['hour', '12-23', ''];
      for (const seed of [1, 2, 3]) {
        const { findings, isOver } = await review([troubledIn((hour) => hour >= 12, trouble, usual, seed)]);
        expect(findings.map(({ kind, dimension, value, age }) => [kind, dimension, value, age])).toEqual([
          ['sales_stopped', dimension, value, 4 * 24 + 12],
        ]);
        expect(isOver(keyOf('sales_stopped', dimension, name), 0)).toBe(false);
      }
      expect((await review([historyOf({}, 1)])).isOver(keyOf('sales_stopped', dimension, name), 0)).toBe(true);
    },
  );

  const atNight = (hour: number) => hour < 6;
  const aroundMidnight = (hour: number) => hour >= 20 || hour < 4;

  it('finds since when an offer is capped in the hours that it is capped in, and before them', async () => {
    const trouble: Partial<Rates> = { saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.12) };
    const agesAt = async (hourOfNow: number) => {
      const campaign = troubledIn((hour) => hour >= 12, trouble, usual, 1, hourOfNow);
      return (await review([campaign])).findings.map(({ kind, age }) => [kind, age]);
    };
    for (const hour of [10, 16, 22]) expect(await agesAt(hour)).toEqual([['sales_stopped', 4 * 24 + 12 - (24 - hour)]]);
  });

  const onNightPage: Partial<Rates> = { clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) };
  const onClosedOffer: Partial<Rates> = { saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.12) };

  it.each<[string, TroubleKind, string, string, (hour: number) => boolean, Partial<Rates>]>([
    ['a page that is down at night', 'page_without_clicks', 'landing_page_on_hour', 'Quiz\n00', atNight, onNightPage],
    ['a campaign without clicks at night', 'clicks_stopped', 'hour', '00', atNight, { clickRate: () => 0 }],
    ['an offer closed around midnight', 'sales_stopped', 'offer_on_hour', 'Cash\n20', aroundMidnight, onClosedOffer],
  ])('finds %s, and those hours', async (_, kind, dimension, value, isTroubled, trouble) => {
    for (const seed of [1, 2, 3]) {
      const { findings } = await review([troubledIn(isTroubled, trouble, { ...usual, visits: 700 }, seed)]);
      expect(findings).toMatchObject([
        { kind, dimension, value: expect.stringMatching(new RegExp(`^${value}-0[345]$`)) },
      ]);
    }
  });

  it.each([
    [27, 0.75, 0.2],
    [65, 0.5, 0.12],
  ])(
    'finds shares of offers that changed elsewhere days ago where a day of %i clicks does not show it',
    async (clicksADay, before, after) => {
      for (const seed of [1, 2, 3]) {
        const [calm, moved] = [false, true].map((isMoved) => {
          const campaign = new CampaignHistory(['landing_page', 'offer']);
          const random = seededRandom(seed);
          for (let hour = 0; hour < 14 * 24; hour += (0.3 * 24) / clicksADay) {
            const share = isMoved && hour < 6 * 24 ? after : before;
            const offer = random() > 0.3 ? null : random() < share ? 'Cash' : 'Gift';
            const clicks = Number(offer !== null);
            addListed(campaign, { age: hour, values: ['Quiz', offer], clicks, conversions: 0, cost: 0, revenue: 0 });
          }
          return campaign;
        });
        const { findings } = await review([historyOf({}, seed), moved ?? historyOf({}, 1)]);
        expect(findings).toMatchObject([{ campaign: '2', kind: 'changed_elsewhere', value: 'Cash' }]);
        expect(findings[0]?.age).toBeCloseTo(6 * 24, -2);
        expect((await review([calm ?? historyOf({}, 1)])).findings).toEqual([]);
      }
    },
  );

  it('tells once that several offers of a campaign pay exactly double, with the money of all', async () => {
    const paid = (twice: readonly string[]) =>
      review([historyOf({ payout: (offer) => usual.payout(offer) * (twice.includes(offer) ? 2 : 1) }, 1, 11)]);
    const [both, cash, gift] = await Promise.all([paid(['Cash', 'Gift']), paid(['Cash']), paid(['Gift'])]);
    const moneyOf = ({ findings }: typeof both) => findings.map(({ moneyPerDay }) => moneyPerDay);
    expect(both.findings).toMatchObject([{ kind: 'payout_rose', together: [{ kind: 'payout_rose' }] }]);
    const [sum = 0] = moneyOf(both);
    expect(sum).toBeCloseTo((moneyOf(cash)[0] ?? 0) + (moneyOf(gift)[0] ?? 0));
  });

  it('tells once that the sales of several offers count twice, with the money that they seem to bring, and that it is over', async () => {
    const counted = (times: number) => review([historyOf({ countOf: () => times }, 1, 11)]);
    const { findings, isOver } = await counted(2);
    expect(findings).toMatchObject([
      {
        kind: 'sales_counted_twice',
        figures: { conversions_before: 1, conversions_of_sale: 2 },
        together: [{ kind: 'sales_counted_twice' }],
      },
    ]);
    const [finding] = findings;
    expect(Math.abs((finding?.age ?? 0) - 3 * 24)).toBeLessThan(12);
    // 700 visits, of which 0.3 click and of those 0.12 buy, for 2.75.
    const [money, seeming] = [finding?.moneyPerDay ?? 0, 700 * 0.3 * 0.12 * 2.75];
    expect(Math.abs(money / seeming - 1)).toBeLessThan(0.3);
    const offer = finding?.value ?? '';
    expect(isOver(keyOf('sales_counted_twice', 'offer', offer), 0)).toBe(false);
    const back = historyOf({ countOf: () => 1 }, 1, 10, { ...usual, countOf: () => 2 });
    expect((await review([back])).isOver(keyOf('sales_counted_twice', 'offer', offer), 0)).toBe(true);
  });

  it('says of a loss that a visit costs more, and since when it does if it still earns', async () => {
    const cost = (price: number) => review([historyOf({ cost: () => price }, 1, 8)]);
    const [loss, ...others] = (await cost(0.2)).findings;
    expect(others).toEqual([]);
    expect(loss).toMatchObject({
      kind: 'loses_money',
      figures: { usual_cost_a_visit: expect.closeTo(0.05), cost_a_visit: expect.closeTo(0.2) },
    });
    const { findings, isOver } = await cost(0.075);
    const [rise] = findings;
    expect(rise).toMatchObject({
      kind: 'cost_rose',
      age: 6 * 24,
      figures: { usual_cost_a_visit: expect.closeTo(0.05), days: 6 },
    });
    expect(isOver(keyOf('cost_rose'), 0)).toBe(false);
    expect((await cost(0.05)).isOver(keyOf('cost_rose'), 0)).toBe(true);
  });

  it('tells a placement that burns money once, with what its visits cost more, and not as a loss of the campaign', async () => {
    const dear = (saleRate: number): Partial<Rates> => ({
      cost: ({ keyword }) => (keyword === 'site0' ? 1.5 : 0.05),
      saleRate: ({ keyword }) => (keyword === 'site0' ? saleRate : 0.12),
    });
    for (const seed of [1, 2, 3]) {
      const { findings } = await review([historyOf(dear(0), seed, 9)]);
      // What earned before it got dearer is to be bought at the old price, not blocked.
      const [selling] = (await review([historyOf(dear(0.4), seed, 9)])).findings;
      expect([findings[0]?.isWorthIt, selling?.isWorthIt]).toEqual([undefined, true]);
      expect(selling?.figures['earned_before_rise']).toBeGreaterThan(0);
      expect(findings, `seed ${seed}`).toMatchObject([
        {
          ...{ kind: 'burning_placement', value: 'site0' },
          figures: { usual_cost_a_visit: expect.closeTo(0.05), cost_a_visit: expect.closeTo(1.5) },
        },
      ]);
    }
  });

  it('tells a loss that comes of an offer that sells nothing once, as that', async () => {
    const dead = { cost: () => 0.09, saleRate: ({ offer }: { offer: string }) => (offer === 'Cash' ? 0 : 0.12) };
    for (const seed of [1, 2, 3]) {
      const { findings } = await review([historyOf(dead, seed, 7, { ...usual, visits: 2000, cost: () => 0.09 })]);
      expect(findings, `seed ${seed}`).toMatchObject([{ kind: 'sales_stopped', value: 'Cash' }]);
    }
  });

  it('tells an offer that stopped selling while sales come late once, and no hours of it', async () => {
    const dead = { saleRate: ({ offer }: { offer: string }) => (offer === 'Cash' ? 0 : 0.12) };
    const partIn = (age: number) => [0.1, 0.4, 0.8, 0.95][age] ?? 1;
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { findings } = await review([historyOf(dead, seed, 10, { ...usual, visits: 1500 }, 9)], { partIn });
      const told = findings.map(({ kind, dimension }) => [kind, dimension]);
      expect(told, `seed ${seed}`).toEqual([['sales_stopped', 'offer']]);
    }
  });

  it('tells a campaign that stopped selling once, and no offer or hours of it', async () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { findings } = await review([historyOf({ saleRate: () => 0 }, seed, 11, { ...usual, visits: 450 })]);
      const told = findings.map(({ kind, dimension }) => [kind, dimension]);
      expect(told, `seed ${seed}`).toEqual([['sales_stopped', undefined]]);
    }
  });

  it('tells a page or campaign without clicks once, whatever hours of it are dead longer by chance', async () => {
    const hours = { ...usual, visits: 1500 };
    for (const seed of [1, 2, 3, 4]) {
      const page = await review([historyOf(deadPage, seed, 11, hours, 1)]);
      const whole = await review([historyOf({ clickRate: () => 0 }, seed, 11, hours, 1)]);
      const told = [page, whole].map(({ findings }) => findings.map(({ kind, dimension }) => [kind, dimension]));
      expect(told, `seed ${seed}`).toEqual([
        [['page_without_clicks', 'landing_page']],
        [['clicks_stopped', undefined]],
      ]);
    }
  });

  it('does not call an offer behind that sells half as often for twice the money', async () => {
    const offers: Partial<Rates> = {
      saleRate: ({ offer }) => (offer === 'Cash' ? 0.06 : 0.12),
      payout: (offer) => (offer === 'Cash' ? 16 : 8),
    };
    for (const seed of [1, 2, 3, 4, 5]) {
      const { findings } = await review([historyOf(offers, seed, 0, { ...usual, visits: 2000 })]);
      expect(findings.filter(({ kind }) => kind === 'page_behind')).toEqual([]);
    }
  });

  it.each<[string, Partial<Rates>]>([
    ['that sell as before', { visits: 1500 }],
    ['of robots, which are the finding', { visits: 1500, ...robots }],
    ['that cost nothing', { visits: 1500, saleRate: () => 0.056, cost: () => 0.01 }],
  ])('does not say that visits grew in vain where they are some %s', async (_, trouble) => {
    for (const seed of [1, 2, 3]) {
      const { findings } = await review([historyOf(trouble, seed, 7)]);
      expect(
        findings.filter(({ kind }) => kind === 'visits_grew_unsold'),
        `seed ${seed}`,
      ).toEqual([]);
    }
  });

  it.each(troubles)('finds %s (%s) among quiet campaigns', async (kind, value, trouble, first) => {
    for (const seed of [1, 2, 3]) {
      const quietCampaigns = [1, 2, 3].map((id) => historyOf({}, seed * 10 + id));
      const { findings } = await review([...quietCampaigns, historyOf(trouble, seed, first)]);
      const found = findings.map((finding) => [finding.campaign, finding.kind, finding.value]);
      expect(found, `seed ${seed}`).toContainEqual(['4', kind, value]);
    }
  });

  describe('what an offer pays in each country', () => {
    const payouts: Record<string, number> = { US: 6, GB: 4, DE: 2, FR: 1.5 };
    const byCountry =
      (most: number) =>
      (_: string, country = '') =>
        Math.min(payouts[country] ?? 0, most);
    const rates = { ...usual, payout: byCountry(6), visits: 1500 };
    const paid = (trouble: Partial<Rates>, seed: number, before = rates) => {
      const { dimensions, rows } = simulateVisits(trouble, seed, before, 11);
      const history = new CampaignHistory(['offer', offerInCountry.name]);
      for (const { day, values, ...figures } of rows) {
        const [offer, country] = ['offer', 'country'].map((name) => values[dimensions.indexOf(name)] ?? null);
        const pair = offer && country ? joinPair(offer, country) : null;
        addListed(history, {
          age: (days.length - days.indexOf(day)) * 24 - 12,
          values: [offer ?? null, pair],
          ...figures,
        });
      }
      return history;
    };
    const payoutsOf = (findings: readonly Suspicion[]) =>
      findings
        .filter(({ kind }) => kind.startsWith('payout'))
        .map(({ kind, value, figures }) => ({ kind, value, figures }));

    it('is found where it fell', async () => {
      for (const seed of [1, 2, 3]) {
        const { findings } = await review([paid({ payout: byCountry(3) }, seed)]);
        const [first, ...others] = payoutsOf(findings);
        expect(first, `seed ${seed}`).toMatchObject({ kind: 'payout_fell', figures: { payout: 3 } });
        expect([first, ...others].map((one) => splitPair(one?.value ?? '')[1])).not.toContain('DE');
      }
    });

    it('is no other payout where visitors of other countries come', async () => {
      const mostlyUs = { ...rates, countries: { US: 94, GB: 2, DE: 2, FR: 2 } };
      for (const seed of [1, 2, 3]) {
        const { findings } = await review([paid({ countries: { US: 2, GB: 2, DE: 94, FR: 2 } }, seed, mostlyUs)]);
        expect(payoutsOf(findings), `seed ${seed}`).toEqual([]);
      }
    });
  });

  it.each<[TroubleKind, string | undefined, Partial<Rates>, firstHour: number]>([
    ['campaign_dark', undefined, { visits: 0 }, 20],
    ['page_without_clicks', 'Quiz', deadPage, 17],
    ['changed_elsewhere', 'Quiz', { pages: { Story: 30, Video: 30 } }, 20],
    ['payout_fell', 'Cash', { payout: (offer) => (offer === 'Cash' ? 1.5 : 2.5) }, 6],
  ])('finds %s (%s) hours after it began, and when it began', async (kind, value, trouble, firstHour) => {
    for (const seed of [1, 2, 3]) {
      const { findings } = await review([historyOf(trouble, seed, 13, usual, firstHour)]);
      const found = findings.find((finding) => finding.kind === kind && finding.value === value);
      expect(Math.round(found?.age ?? 0), `seed ${seed}`).toBeLessThanOrEqual(24 - firstHour + 2);
      expect(found?.age, `seed ${seed}`).toBeGreaterThan((24 - firstHour) / 2);
    }
  });

  it('treats a dead campaign, page or offer as recovered only once it has visits, clicks or sales, or gets no more traffic', async () => {
    const keys = {
      dark: keyOf('campaign_dark'),
      page: keyOf('page_without_clicks', 'landing_page', 'Quiz'),
      sales: keyOf('sales_stopped'),
    };
    const dead = { dark: { visits: 0 }, page: deadPage, sales: { saleRate: () => 0 } };
    for (const first of [2, 6, 10, 13]) {
      for (const [name, key] of Object.entries(keys) as [keyof typeof keys, string][]) {
        const { isOver } = await review([historyOf(dead[name], 1, first)]);
        expect(isOver(key, 0), `${key} since day ${first}`).toBe(false);
      }
    }
    const quietReview = await review([historyOf({}, 1)]);
    for (const key of Object.values(keys)) expect(quietReview.isOver(key, 0), key).toBe(true);
    expect((await review([historyOf({ pages: { Story: 30, Video: 30 } }, 1, 12)])).isOver(keys.page, 0)).toBe(true);
  });

  it.each<[string, string, Partial<Rates>]>([
    ['a payout that stays low', keyOf('payout_fell', 'offer', 'Cash'), { payout: (o) => (o === 'Cash' ? 1.5 : 2.5) }],
    [
      'shares that stay changed',
      keyOf('changed_elsewhere', 'landing_page', 'Quiz'),
      { pages: { Quiz: 4, Story: 30, Video: 30 } },
    ],
    ['a loss that lasts', keyOf('loses_money'), { cost: () => 0.13 }],
  ])('does not treat %s as over, however long it lasts', async (_, key, trouble) => {
    for (const first of [12, 9, 6, 3]) {
      const { isOver } = await review([historyOf(trouble, 1, first)]);
      expect(isOver(key, 0, (14 - first) * 24), `since day ${first}`).toBe(false);
    }
    const { isOver } = await review([historyOf(trouble, 1, 0)]);
    expect(isOver(key, 0, 20 * 24)).toBe(false);
  });

  it('treats a payout and shares as over once they are back', async () => {
    // The whole history had the trouble, and the last days have it no more.
    const back = historyOf({}, 1, 10, { ...usual, payout: (offer) => (offer === 'Cash' ? 1.5 : 2.5) });
    const paid = historyOf({ payout: usual.payout }, 1, 10, { ...usual, payout: (o) => (o === 'Cash' ? 1.5 : 2.5) });
    const key = keyOf('payout_fell', 'offer', 'Cash');
    expect((await review([back])).isOver(key, 0)).toBe(false);
    expect((await review([paid])).isOver(key, 0)).toBe(true);
    const shares = { ...usual, pages: { Quiz: 4, Story: 30, Video: 30 } };
    const shared = historyOf({ pages: usual.pages }, 1, 10, shares);
    expect((await review([shared])).isOver(keyOf('changed_elsewhere', 'landing_page', 'Quiz'), 0, 48)).toBe(true);
  });

  it('treats a finding as over only if as much of its data was read as before', async () => {
    const unread = { days: new Map([['1', 3]]), figures: 0, areSalesUnread: true };
    const { isOver } = await review([historyOf({}, 1)], { unread });
    const [page, sales] = [keyOf('page_behind', 'offer', 'Cash'), keyOf('loses_money')];
    expect([isOver(page, 2), isOver(page, 3)]).toEqual([false, true]);
    expect([isOver(sales, 3), isOver(sales, 40)]).toEqual([false, true]);
  });

  it('recognizes robots by their clicks if only a handful of sales is missing', async () => {
    const robots: Partial<Rates> = {
      clickRate: ({ isp }) => (isp === 'Amazon' ? 1 : 0.3),
      saleRate: ({ isp }) => (isp === 'Amazon' ? 0 : 0.06),
    };
    const small = { ...usual, visits: 250, saleRate: () => 0.06 };
    const { findings } = await review([historyOf(robots, 1, 13, small)]);
    expect(findings.map(({ kind, value }) => [kind, value])).toEqual([['clicks_of_no_people', 'Amazon']]);
  });

  it.each<[TroubleKind, Partial<Rates>]>([
    ['loses_money', { cost: () => 0.3 }],
    ['burning_placement', { cost: ({ keyword }) => (keyword === 'site0' ? 0.9 : 0.05) }],
    ['campaign_dark', { visits: 0 }],
    ['page_without_clicks', deadPage],
  ])('gives %s the time and the figures of the trouble, not of the days that show it', async (kind, trouble) => {
    for (const days of [2, 3, 4]) {
      const { findings } = await review([historyOf(trouble, 1, 14 - days)]);
      const found = findings.find((finding) => finding.kind === kind);
      expect(Math.round((found?.age ?? 0) / 24), `${days} days`).toBe(days);
      const { days: told, hours } = found?.figures ?? {};
      expect(told ?? (hours ?? 0) / 24).toBe(days);
    }
  });

  it('says since when the clicks are those of no people, by day', async () => {
    const robots: Partial<Rates> = {
      clickRate: ({ isp }) => (isp === 'Amazon' ? 0.64 : 0.3),
      saleRate: ({ isp }) => (isp === 'Amazon' ? 0 : 0.12),
    };
    for (const first of [12, 10, 8]) {
      const { findings } = await review([historyOf(robots, 1, first)]);
      expect(findings.find(({ kind }) => kind === 'clicks_of_no_people')).toMatchObject({ age: (14 - first) * 24 });
    }
  });

  it('does not take people for robots who click more than what robots in their campaign leave of its clicks', async () => {
    const [junk, carrier] = ['junk', 'Vodafone'];
    const trouble: Partial<Rates> = {
      keywords: { ...usual.keywords, [junk]: 120 },
      clickRate: ({ keyword }) => (keyword === junk ? 0.005 : 0.3),
      saleRate: ({ isp }) => (isp === carrier ? 0.02 : 0.12),
    };
    for (const seed of [1, 2, 3]) {
      const campaign = edited(trouble, seed, 7, (row, read) =>
        read('keyword') === junk
          ? { ...row, values: row.values.map((value) => (value === read('isp') ? 'Farm' : value)) }
          : row,
      );
      const { findings } = await review([campaign]);
      const robots = findings.filter(({ kind }) => kind === 'clicks_of_no_people');
      expect(robots.map(({ value, alike = [] }) => [value, ...alike.map((one) => one.value)])).toEqual([
        [junk, 'Farm'],
      ]);
    }
  });

  it('names the placement that robots of a provider are in, among its people, and none whose people click more and buy as much', async () => {
    const rates = { ...usual, visits: 2500, keywords: { ...usual.keywords, site0: 40 } };
    const isFarm = ({ isp, keyword }: Traits) => isp === 'Comcast' && keyword === 'site0';
    const farm: Partial<Rates> = {
      clickRate: (visit) => (isFarm(visit) ? 0.97 : 0.3),
      saleRate: (visit) => (isFarm(visit) ? 0 : 0.12),
    };
    const curious: Partial<Rates> = {
      clickRate: ({ keyword }) => (keyword === 'site0' ? 0.54 : 0.3),
      saleRate: ({ keyword }) => (keyword === 'site0' ? 0.07 : 0.12),
    };
    for (const seed of [1, 2, 3]) {
      const robotsIn = async (trouble: Partial<Rates>) => {
        const { findings } = await review([historyOf(trouble, seed, 7, rates)]);
        return findings.flatMap(({ kind, value }) => (kind === 'clicks_of_no_people' ? value : []));
      };
      expect(await robotsIn(farm), `seed ${seed}`).toEqual(['site0']);
      expect(await robotsIn(curious), `seed ${seed}`).toEqual([]);
    }
  });

  it('finds that the shares of offers were changed elsewhere, and not where a dead page moved them', async () => {
    const campaign = (offersOfLastDay: readonly string[], isQuizDead = false, movedDays = 1) => {
      const history = new CampaignHistory(['landing_page', 'offer']);
      for (let index = 0; index < 14 * 480; index += 1) {
        const age = index / 20;
        const page = index % 2 === 0 ? 'Quiz' : 'Story';
        const offers = age < 24 * movedDays ? offersOfLastDay : ['Cash', 'Gift'];
        const hasClicked = index % 4 < 2 && !(isQuizDead && age < 24 && page === 'Quiz');
        const offer = isQuizDead ? (page === 'Quiz' ? 'Cash' : 'Gift') : (offers[(index >> 2) % offers.length] ?? null);
        const figures = { clicks: Number(hasClicked), conversions: 0, cost: 0.01, revenue: 0 };
        addListed(history, { age, values: [page, hasClicked ? offer : null], ...figures });
      }
      return history;
    };
    for (const movedDays of [1, 4]) {
      const { findings } = await review([
        campaign(['Gift', 'Gift', 'Gift', 'Gift', 'Gift', 'Gift', 'Cash'], false, movedDays),
      ]);
      expect(findings).toMatchObject([
        { kind: 'changed_elsewhere', dimension: 'offer', value: 'Cash', age: movedDays * 24 },
      ]);
      expect(findings[0]?.figures['percent_before']).toBeCloseTo(50);
    }
    expect((await review([campaign(['Cash', 'Gift'])])).findings).toEqual([]);
    const dead = await review([campaign(['Cash', 'Gift'], true)]);
    expect(dead.findings.map(({ kind, value }) => [kind, value])).toEqual([['page_without_clicks', 'Quiz']]);
  });

  it('joins the findings about a placement and a provider with the same visits', async () => {
    const campaign = new CampaignHistory(['keyword', 'isp']);
    const add = (age: number, values: string[], clicks: number, conversions: number) =>
      addListed(campaign, { age, values, clicks, conversions, cost: 0.05, revenue: conversions * 3 });
    for (let index = 0; index < 14 * 240; index += 1)
      add(index / 10, [`site${index % 5}`, `home${index % 7}`], Number(index % 3 === 0), Number(index % 12 === 0));
    for (let index = 0; index < 150; index += 1) add(index / 10, ['bots', 'Farm'], 1, 0);
    const { findings, isOver } = await review([campaign]);
    expect(findings.map(({ kind, value, alike }) => [kind, value, alike?.map((finding) => finding.value)])).toEqual([
      ['clicks_of_no_people', 'bots', ['Farm']],
    ]);
    expect(isOver(keyOf('clicks_of_no_people', 'isp', 'Farm'), 0)).toBe(false);
  });

  it.each([14, 2])('divides what a placement burned in %i days by these days', async (burningDays) => {
    const campaign = new CampaignHistory(['keyword']);
    const add = (age: number, keyword: string, conversions: number, cost: number) =>
      addListed(campaign, { age, values: [keyword], clicks: 1, conversions, cost, revenue: conversions * 3 });
    for (let index = 0; index < 14 * 240; index += 1)
      add(index / 10, `word${index % 5}`, Number(index % 12 === 0), 0.05);
    for (let index = 0; index < burningDays * 24; index += 1) add(index, 'burner', 0, 2);
    const { findings } = await review([campaign]);
    const burner = findings.find(({ kind, value }) => kind === 'burning_placement' && value === 'burner');
    expect(burner?.moneyPerDay).toBeCloseTo(48);
  });

  it('finds a placement that costs more than the others earn, even if it sells', async () => {
    const dear: Partial<Rates> = { cost: ({ keyword }) => (keyword === 'site0' ? 0.6 : 0.05) };
    const { findings } = await review([historyOf(dear, 1, 12)]);
    expect(findings.map(({ kind, value }) => [kind, value])).toContainEqual(['burning_placement', 'site0']);
  });

  it('finds a placement that sells far less than the others and loses, though its loss alone may be chance', async () => {
    const poor: Rates = { ...usual, visits: 2500, saleRate: ({ keyword }) => (keyword === 'site2' ? 0.05 : 0.12) };
    for (const seed of [1, 2, 3]) {
      const { findings } = await review([historyOf({}, seed, 13, poor)]);
      expect(findings.map(({ kind, value }) => [kind, value])).toEqual([['burning_placement', 'site2']]);
      const { figures = {}, moneyPerDay } = findings[0] ?? {};
      expect(moneyPerDay).toBeCloseTo(((figures['cost'] ?? 0) - (figures['revenue'] ?? 0)) / 14, 6);
    }
  });

  it('finds no placement that burned money and sends nobody any more, and says that it is over', async () => {
    const burner: Rates = {
      ...usual,
      keywords: { ...usual.keywords, burner: 80 },
      saleRate: ({ keyword }) => (keyword === 'burner' ? 0 : 0.12),
    };
    const key = keyOf('burning_placement', 'keyword', 'burner');
    const before = await review([historyOf({}, 1, 13, burner)]);
    expect([before.findings.map(({ value }) => value), before.isOver(key, 0)]).toEqual([['burner'], false]);
    const { findings, isOver } = await review([historyOf({ keywords: usual.keywords }, 1, 13, burner)]);
    expect([findings, isOver(key, 0)]).toEqual([[], true]);
  });

  it('finds no page that some could hardly click and can again, and says that it is over', async () => {
    const brokenUntil = (last: number) =>
      edited({}, 1, 13, (row, read) => {
        const isBroken = row.day >= (days[10] ?? '') && row.day <= (days[last] ?? '');
        const isUnclicked =
          read('landing_page') === 'Quiz' && read('device') === 'Phone' && Number(read('hour')) % 8 > 0;
        return isBroken && isUnclicked ? { ...row, clicks: 0, conversions: 0, revenue: 0 } : row;
      });
    const { findings } = await review([brokenUntil(13)]);
    const { key = '' } = findings.find(({ kind }) => kind === 'clicks_fell') ?? {};
    expect(findings.map((finding) => finding.key)).toContain(key);
    const later = await review([brokenUntil(12)]);
    expect([later.findings, later.isOver(key, 0)]).toEqual([[], true]);
  });

  /** What is clicked less and less of one keyword or page: from all to `last` of its clicks. */
  const tiring = (dimension: string, value: string, seed: number, last: (day: number) => number) => {
    let clicks = 0;
    return edited({ visits: 1800, keywords: { ...usual.keywords, site0: 60 } }, seed, 0, (row, read) => {
      if (read(dimension) !== value || row.clicks === 0) return row;
      clicks += 1;
      const kept = last(days.indexOf(row.day));
      return (clicks * 0.618) % 1 < kept ? row : { ...row, clicks: 0, conversions: 0, revenue: 0 };
    });
  };
  const eachDay = (day: number) => 0.94 ** day;

  it.each([
    ['landing_page', 'Story'],
    ['keyword', 'site0'],
  ])('finds a %s that fewer click each day, once, with its rates', async (dimension, value) => {
    for (const seed of [1, 2, 3]) {
      const { findings } = await review([tiring(dimension, value, seed, eachDay)]);
      const found = findings.filter(({ value: own }) => own === value);
      expect(found.map(({ kind }) => kind)).toEqual(['clicks_declined']);
      const { percent_before: before = 0, percent_that_click: now = 0 } = found[0]?.figures ?? {};
      expect([before > 25, now < 18, (found[0]?.moneyPerDay ?? 0) > 0]).toEqual([true, true, true]);
    }
  });

  it('takes no page that fell at once, and none whose visitors click less on all pages, for one that fewer click each day', async () => {
    const kindsOf = async (campaign: CampaignHistory) => (await review([campaign])).findings.map(({ kind }) => kind);
    for (const seed of [1, 2, 3]) {
      const fell = await kindsOf(tiring('landing_page', 'Story', seed, (day) => (day < 8 ? 1 : 0.4)));
      expect(fell).not.toContain('clicks_declined');
      const all = edited({}, seed, 0, (row) =>
        Number(row.values[7]) / 24 < 0.94 ** days.indexOf(row.day)
          ? row
          : { ...row, clicks: 0, conversions: 0, revenue: 0 },
      );
      expect(await kindsOf(all)).not.toContain('clicks_declined');
    }
  });

  it('finds a new country that costs and sells nothing, and none that always did', async () => {
    const poor: Partial<Rates> = {
      countries: { ...usual.countries, IN: 60 },
      saleRate: ({ country }) => (country === 'IN' ? 0 : 0.12),
    };
    const found = async (first: number) =>
      (await review([historyOf(poor, 1, first)])).findings.map(({ kind, value }) => [kind, value]);
    for (const first of [12, 11, 10]) expect(await found(first), `day ${first}`).toEqual([['burning_placement', 'IN']]);
    expect(await found(0)).toEqual([]);
  });

  it('does not take payouts that vary from sale to sale for fallen ones', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const paid = seededRandom(seed);
      const varied = { ...usual, payout: () => (paid() < 0.8 ? 3 : 1.5) };
      expect((await review([historyOf({}, seed, 13, varied)])).findings, `seed ${seed}`).toEqual([]);
    }
  });

  it.each([
    ['one finding if most campaigns', 4, ['undefined account_dark']],
    ['one finding each if few campaigns', 2, ['1 campaign_dark', '2 campaign_dark']],
  ])('makes %s go dark at once', async (_, dark, expected) => {
    const campaigns = [1, 2, 3, 4, 5].map((id) => historyOf(id <= dark ? { visits: 0 } : {}, id));
    const { findings, isOver } = await review(campaigns);
    expect(findings.map(({ campaign, kind }) => `${campaign} ${kind}`).sort()).toEqual(expected);
    const darkIds = ['1', '2', '3', '4', '5'].filter((id) => !isOver(keyOf('campaign_dark', '', '', id), 0));
    expect(darkIds).toHaveLength(dark);
    if (dark === 4) expect(findings[0]?.figures).toMatchObject({ campaigns: 4, with_traffic: 5 });
  });

  it('does not report hours without visits if they may be due to the zone of the tracker', async () => {
    const campaigns = [1, 2, 3].map((id) => historyOf({ visits: 0 }, id, 13, usual, 14));
    const kindsFound = async (isClockKnown: boolean) =>
      (await review(campaigns, { isClockKnown })).findings.map(({ kind }) => kind);
    expect(await kindsFound(false)).toEqual([]);
    expect(await kindsFound(true)).toEqual(['account_dark']);
  });

  it('lists three findings of a kind and the number of others, which are not over', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const burners = Object.fromEntries(names.map((name) => [name, 30]));
    const trouble: Partial<Rates> = {
      keywords: { ...usual.keywords, ...burners },
      saleRate: ({ keyword }) => (keyword in burners ? 0 : 0.12),
    };
    const { findings, isOver } = await review([historyOf(trouble, 1, 4)]);
    const burning = findings.filter(({ kind }) => kind === 'burning_placement');
    expect(burning.map(({ others }) => others?.length)).toEqual([undefined, undefined, 2]);
    expect(names.filter((name) => isOver(keyOf('burning_placement', 'keyword', name), 0))).toEqual([]);
  });

  it('does not report a loss of a campaign whose sales stopped, and does not treat it as over', async () => {
    const { findings, isOver } = await review([historyOf({ saleRate: () => 0 }, 1, 11)]);
    expect(findings.map(({ kind }) => kind)).toEqual(['sales_stopped']);
    expect(isOver(keyOf('loses_money'), 0)).toBe(false);
  });

  it.each([10, 11])(
    'tells a page without clicks once: not as a page behind, nor as a loss, from day %i on',
    async (first) => {
      const thin = { ...usual, cost: () => 0.09 };
      const keys = [keyOf('page_behind', 'landing_page', 'Quiz'), keyOf('loses_money')];
      for (const seed of [1, 2, 3, 4]) {
        const { findings, isOver } = await review([historyOf(deadPage, seed, first, thin)]);
        expect(findings.map(({ kind, value }) => [kind, value])).toEqual([['page_without_clicks', 'Quiz']]);
        expect(keys.map((key) => isOver(key, 0))).toContain(false);
      }
    },
  );

  it.each<[string, TroubleKind, Partial<Rates>]>([
    ['a loss', 'loses_money', { cost: () => 0.3 }],
    ['another page behind', 'page_behind', { saleRate: ({ page }) => (page === 'Story' ? 0 : 0.12) }],
  ])('tells %s beside a page without clicks that does not explain it', async (_, kind, trouble) => {
    const { findings } = await review([historyOf({ ...deadPage, ...trouble }, 1, 8)]);
    expect(findings.map((finding) => finding.kind).sort()).toEqual([kind, 'page_without_clicks'].sort());
  });

  it('cannot judge the losses of a campaign if the whole account has no sales', async () => {
    expect((await review([historyOf({ saleRate: () => 0 }, 1, 0)])).findings).toEqual([]);
  });

  it('finds nothing in quiet campaigns', async () => {
    const { findings } = await review(Array.from({ length: 40 }, (_, id) => historyOf({}, id + 100)));
    expect(findings).toEqual([]);
  });

  it('names a sale that makes most of a week', async () => {
    const campaign = historyOf({}, 1, 13, { ...usual, visits: 60 });
    addListed(campaign, { age: 30, clicks: 1, conversions: 1, cost: 0.05, revenue: 500, values: [null, 'Cash'] });
    const [found] = (await review([campaign])).findings;
    expect(found).toMatchObject({ kind: 'decisive_sale', moneyPerDay: 0, figures: { amount: 500 } });
  });

  it('names one sale among few that is many times the usual of the account', async () => {
    const lucky = async (revenue: number) => {
      const campaign = new CampaignHistory(dimensionsRead);
      for (const [age, paid] of [
        [30, revenue],
        [80, 3],
        [200, 2.5],
      ] as const)
        addListed(campaign, { age, clicks: 1, conversions: 1, cost: 0.05, revenue: paid, values: [null, 'Cash'] });
      return (await review([historyOf({}, 1), campaign])).findings.filter(({ kind }) => kind === 'decisive_sale');
    };
    expect(await lucky(950)).toMatchObject([{ campaign: '2', figures: { amount: 950 } }]);
    expect(await lucky(12)).toEqual([]);
  });

  const better = (value: string, times: number): Partial<Rates> => ({
    saleRate: ({ keyword, page }) => 0.12 * (keyword === value || page === value ? times : 1),
  });

  it.each<[TroubleKind, string, Partial<Rates>]>([
    ['placement_held_back', 'site3', better('site3', 4)],
    ['page_held_back', 'Story', { ...better('Story', 3), pages: { Quiz: 45, Story: 10, Video: 45 } }],
  ])('finds what surely earns more and is held back, once: %s', async (kind, value, rates) => {
    for (const seed of [1, 2, 3]) {
      const campaigns = [historyOf({}, seed + 10), historyOf({}, seed, 13, { ...usual, ...rates })];
      const { findings } = await review(campaigns);
      expect(findings.map((one) => [one.campaign, one.kind, one.value])).toEqual([['2', kind, value]]);
      expect(findings[0]?.moneyPerDay).toBeGreaterThan(0);
    }
  });

  it('finds a small campaign that returns far more than the others, and no large one', async () => {
    const rich = { ...usual, saleRate: () => 0.5, visits: 200 };
    const found = async (visits: number) => {
      const others = [11, 12, 13].map((seed) => historyOf({}, seed));
      const { findings } = await review([...others, historyOf({}, 1, 13, { ...rich, visits })]);
      return findings.map((one) => [one.campaign, one.kind]);
    };
    expect(await found(200)).toEqual([['4', 'campaign_held_back']]);
    expect(await found(700)).toEqual([]);
  });

  /** A campaign of which only the first visits of each day come, up to a number of them. */
  const cappedAt = (most: (day: number) => number, seed: number, rates: Rates): CampaignHistory => {
    const { dimensions, rows } = simulateVisits({}, seed, rates, 13);
    const hourOf = ({ values }: Row) => Number(values[dimensions.indexOf('hour')]);
    const campaign = new CampaignHistory(dimensionsRead);
    for (const [index, day] of days.entries()) {
      const ofDay = rows.filter((row) => row.day === day).toSorted((one, other) => hourOf(one) - hourOf(other));
      for (const row of ofDay.slice(0, most(index))) {
        const values = dimensionsRead.map((name) => row.values[dimensions.indexOf(name)] ?? null);
        addListed(campaign, { ...row, values, age: (days.length - index) * 24 - hourOf(row) - 0.5 });
      }
    }
    return campaign;
  };

  it('finds a campaign that earns and costs the same each day, by the hour at which its budget ends', async () => {
    const rich = { ...usual, visits: 800, saleRate: () => 0.2 };
    const found = async (most: (day: number) => number, rates: Rates = rich) => {
      const { findings } = await review([cappedAt(most, 1, rates), historyOf({}, 11), historyOf({}, 12)]);
      return findings.map(({ campaign, kind, figures }) => [campaign, kind, figures['last_hour']]);
    };
    expect(await found(() => 400)).toEqual([['1', 'campaign_capped', expect.closeTo(12, -0.7)]]);
    // Since a week, by another budget than before.
    expect(await found((day) => (day < 5 ? 300 : 500))).toEqual([['1', 'campaign_capped', expect.any(Number)]]);
    expect(await found(() => 5000)).toEqual([]);
    expect(await found(() => 400, usual)).toEqual([['1', 'campaign_capped', expect.any(Number)]]);
    expect(await found(() => 400, { ...usual, saleRate: () => 0.07 })).toEqual([]);
    // Neither is a price for a day, whoever comes.
    const { rows } = simulateVisits({}, 1, usual, 13);
    const visitsOf = days.map((day) => rows.filter((row) => row.day === day).length);
    const priced = edited({}, 1, 13, (row) => ({ ...row, cost: 20 / (visitsOf[days.indexOf(row.day)] ?? 1) }));
    expect((await review([priced])).findings).toEqual([]);
  });

  const dead = { sales_stopped: 'saleRate', clicks_stopped: 'clickRate' } as const;

  it.each(['sales_stopped', 'clicks_stopped'] as const)(
    'finds a placement that alone has %s, since when, and not where a page is dead too',
    async (kind) => {
      const rate = dead[kind] === 'saleRate' ? 0.12 : 0.3;
      const ofSite = { [dead[kind]]: ({ keyword }: Traits) => (keyword === 'site2' ? 0 : rate) };
      for (const seed of [1, 2, 3]) {
        const quietCampaigns = [1, 2, 3].map((id) => historyOf({}, seed * 10 + id));
        const { findings } = await review([...quietCampaigns, historyOf(ofSite, seed, 11, { ...usual, visits: 1400 })]);
        expect(findings.map((one) => [one.campaign, one.kind, one.dimension, one.value])).toEqual([
          ['4', kind, 'keyword', 'site2'],
        ]);
        // Since its last sale, which may be some time before.
        expect(findings[0]?.age).toBeGreaterThanOrEqual(3 * 24);
        expect(findings[0]?.age).toBeLessThan(4.5 * 24);
      }
      const deadToo = { clickRate: ({ keyword, page }: Traits) => (keyword === 'site2' || page === 'Quiz' ? 0 : 0.3) };
      const { findings } = await review([historyOf(deadToo, 1, 11)]);
      expect(findings.map((one) => [one.kind, one.value])).toEqual([['page_without_clicks', 'Quiz']]);
    },
  );

  it('waits for late sales, and for more than a few days, before it calls something better', async () => {
    const campaign = historyOf({}, 1, 13, { ...usual, ...better('site3', 4) });
    const keysFound = async (partIn: (age: number) => number) =>
      (await review([campaign], { partIn })).findings.map(({ kind }) => kind);
    expect(await keysFound((age) => (age < 5 ? 0.5 : 1))).toContain('placement_held_back');
    expect(await keysFound((age) => (age < 12 ? 0.9 : 1))).not.toContain('placement_held_back');
  });

  it('does not call pages better because another one is broken', async () => {
    for (const first of [4, 8]) {
      const { findings } = await review([historyOf(deadPage, 1, first)]);
      expect(findings.map(({ kind }) => kind)).toEqual(['page_without_clicks']);
    }
  });

  /** Visits whose cost is another one for some hours. */
  const withOddCost = (cost: number, seed: number, [from, to]: readonly [number, number], day = 10) =>
    edited({}, seed, 14, (row, read) => {
      const hour = Number(read('hour'));
      return row.day === days[day] && hour >= from && hour <= to ? { ...row, cost } : row;
    });

  it('says for which hours visits cost far more or less, once that is over', async () => {
    for (const [cost, first, last] of [
      [0.5, 0, 23],
      [0.5, 9, 14],
      [5, 20, 23],
      [0, 0, 23],
      [0.005, 6, 18],
    ] as const) {
      const { findings } = await review([withOddCost(cost, 1, [first, last])]);
      expect(findings).toMatchObject([
        {
          ...{ kind: 'cost_odd', chance: 0, age: 4 * 24 - first },
          figures: {
            cost_a_visit: expect.closeTo(cost, 6),
            usual_cost_a_visit: expect.closeTo(0.05, 6),
            hours: last - first + 1,
          },
        },
      ]);
    }
  });

  it('takes no loss of a wrong cost for one of visits that are not worth theirs', async () => {
    const wrong = withOddCost(2, 1, [0, 23], 12);
    expect((await review([wrong])).findings.map(({ kind }) => kind)).toEqual(['cost_odd']);
    const loses = historyOf({ cost: () => 0.2 }, 1, 5);
    expect((await review([loses])).findings.map(({ kind }) => kind)).toContain('loses_money');
  });

  it('does not call a cost odd that moves from hour to hour, is small, or goes on', async () => {
    const random = seededRandom(5);
    const rates = { ...usual, cost: () => 0.02 * Math.exp(1.2 * random()) };
    const charged = new Set<string>();
    const isOfDaily = ({ day }: Row, read: (dimension: string) => string | null | undefined) => {
      const isFirst = !charged.has(day) && Number(read('hour')) === 9 + (days.indexOf(day) % 3);
      if (isFirst) charged.add(day);
      return isFirst;
    };
    for (const campaign of [
      historyOf({}, 1, 14, rates),
      withOddCost(0.1, 1, [0, 23]),
      withOddCost(0.5, 1, [0, 23], 3),
      historyOf({ cost: () => 0.5 }, 1, 13),
      // One visit of a day has what all cost.
      edited({}, 1, 14, (row, read) => ({ ...row, cost: 0, ...(isOfDaily(row, read) ? { cost: 35 } : {}) })),
    ])
      expect((await review([campaign])).findings.map(({ kind }) => kind)).not.toContain('cost_odd');
  });

  it('tells what costs first, then what is doubtful, then what could earn more, each with most money first', async () => {
    const lucky = historyOf({}, 1, 13, { ...usual, visits: 60 });
    addListed(lucky, { age: 30, clicks: 1, conversions: 1, cost: 0.05, revenue: 5000, values: [null, 'Cash'] });
    const { findings } = await review([
      lucky,
      historyOf({}, 2, 13, { ...usual, ...better('site3', 4) }),
      historyOf({ cost: () => 0 }, 3),
      historyOf(deadPage, 4),
      historyOf({ saleRate: () => 0 }, 5, 11),
    ]);
    expect(findings.map(({ kind }) => kind)).toEqual([
      ...['sales_stopped', 'page_without_clicks'],
      ...['cost_missing', 'decisive_sale', 'placement_held_back'],
    ]);
  });

  it('counts what a campaign or country earned by the days before it went dark', async () => {
    for (const first of [12, 10, 8]) {
      const days = 14 - first;
      const campaign = historyOf({ visits: 0 }, 1, first);
      const { revenue, cost } = campaign.sum(days);
      const [dark] = (await review([campaign])).findings;
      expect(dark).toMatchObject({ kind: 'campaign_dark', figures: { hours: days * 24 } });
      expect(Math.abs((dark?.moneyPerDay ?? 0) / ((revenue - cost) / first) - 1)).toBeLessThan(0.15);
    }
  });

  it('says nothing of a country that lost money and gets no visits any more', async () => {
    const rates = { ...usual, cost: ({ country }: Traits) => (country === 'DE' ? 0.3 : 0.05) };
    const { findings } = await review([historyOf({ countries: { US: 50, GB: 20, FR: 15 } }, 1, 11, rates)]);
    expect(findings.map(({ kind }) => kind)).not.toContain('visits_stopped');
  });

  it('does not take late sales for missing ones', async () => {
    const campaign = historyOf({ saleRate: () => 0 }, 1, 12);
    const stopped = async (partIn: (age: number) => number) =>
      (await review([campaign], { partIn })).findings.filter(({ kind }) => kind === 'sales_stopped');
    expect(await stopped(() => 1)).not.toEqual([]);
    expect(await stopped((age) => Math.min(0.1 + age * 0.1, 1))).toEqual([]);
  });

  it('waits for the late sales of a campaign or network as long as its own take', async () => {
    const histories = [1, 2].map((seed) => historyOf({ saleRate: () => 0 }, seed, 12));
    const partIn = (age: number, campaign?: string) => (campaign === '1' ? Math.min(0.1 + age * 0.1, 1) : 1);
    const stopped = async (data: Partial<ReviewData>) => {
      const { findings } = await review(histories, data);
      return findings
        .filter(({ kind }) => kind === 'sales_stopped')
        .map(({ campaign, campaigns }) => campaigns ?? campaign);
    };
    expect(await stopped({ partIn })).toEqual(['2']);
    const networkOf = () => 'Harbor';
    expect(await stopped({ networkOf })).toEqual([['1', '2']]);
    expect(await stopped({ networkOf, partIn: (age) => partIn(age, '1') })).toEqual([]);
  });

  it.each([1, 2, 3])('names a page whose share moved long ago, and the day: seed %s', async (seed) => {
    const small = { ...usual, visits: 80, pages: { Quiz: 75, Story: 25 } };
    const { findings } = await review([historyOf({ pages: { Quiz: 20, Story: 80 } }, seed, 3, small)]);
    const moved = findings.find(({ kind }) => kind === 'changed_elsewhere');
    expect([moved?.value, moved?.age]).toEqual(['Quiz', 11 * 24]);
  });
});
