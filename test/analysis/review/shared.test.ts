import { describe, expect, it } from 'vitest';
import { CampaignHistory, reviewAccount } from '../../../src/analysis/account-review.ts';
import { addListed, days, quiet, type Rates, simulateVisits } from '../change/visits.ts';

const dimensionsRead = ['landing_page', 'offer', 'country'];

/** The fourteen days end now, and a trouble begins with one of them. */
function historyOf(trouble: Partial<Rates>, seed: number, visits: number, first = 12): CampaignHistory {
  const { dimensions, rows } = simulateVisits(trouble, seed, { ...quiet, visits }, first);
  const campaign = new CampaignHistory(dimensionsRead);
  for (const { day, values, ...figures } of rows) {
    const hour = Number(values[dimensions.indexOf('hour')]);
    const cells = dimensionsRead.map((name) => values[dimensions.indexOf(name)] ?? null);
    addListed(campaign, { age: (days.length - days.indexOf(day)) * 24 - hour - 0.5, values: cells, ...figures });
  }
  return campaign;
}

const networkOf = (_campaign: string, offer: string) => (offer === 'Cash' ? 'Harbor' : 'Meadow');
const sourceOf = () => 'Push';
const deadOffer: Partial<Rates> = { saleRate: ({ offer }) => (offer === 'Cash' ? 0 : 0.12) };

async function found(histories: readonly CampaignHistory[]) {
  const campaigns = new Map(histories.map((history, index) => [String(index + 1), history]));
  const { findings } = await reviewAccount({ campaigns, partIn: () => 1, networkOf, sourceOf });
  return findings.map(({ kind, campaign, campaigns: ids, dimension, value }) => {
    return [kind, ids?.join() ?? campaign, dimension, value].filter((part) => part !== undefined).join(' ');
  });
}

describe('what campaigns have in common', () => {
  it('finds a network that reports no sales by the sales that all campaigns miss, too few in each to tell', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const dead = [0, 1, 2, 3].map((index) => historyOf(deadOffer, seed * 10 + index, 100));
      expect(await found(dead)).toEqual(['sales_stopped 1,2,3,4 network Harbor']);
    }
  });

  it('names a network in place of its offers, and an offer alone if the others of its network sell', async () => {
    for (const seed of [1, 2, 3]) {
      const dead = [0, 1, 2].map((index) => historyOf(deadOffer, seed * 10 + index, 900));
      expect(await found(dead)).toEqual(['sales_stopped 1,2,3 network Harbor']);
      const others = [1, 2].map((index) => historyOf({}, seed * 10 + index, 900));
      expect(await found([historyOf(deadOffer, seed * 10, 900), ...others])).toEqual(['sales_stopped 1 offer Cash']);
    }
  });

  it('tells once that the whole account sells nothing any more, or clicks no more, and a campaign alone if the others go on', async () => {
    for (const [trouble, kind] of [
      [{ saleRate: () => 0 }, 'sales_stopped'],
      [{ clickRate: () => 0 }, 'clicks_stopped'],
    ] as const) {
      for (const seed of [1, 2, 3]) {
        const of = (rates: Partial<Rates>, index: number) => historyOf(rates, seed * 10 + index, 900);
        // The last sells too little to show it alone.
        const small = historyOf(trouble, seed * 10 + 2, 60);
        expect(await found([of(trouble, 0), of(trouble, 1), small])).toEqual([`${kind} 1,2,3`]);
        expect(await found([of(trouble, 0), of({}, 1), of({}, 2)])).toEqual([`${kind} 1`]);
        const two = await found([of(trouble, 0), of(trouble, 1), of({}, 2)]);
        expect(two.toSorted()).toEqual([`${kind} 1`, `${kind} 2`]);
      }
    }
  });

  it('calls no network silent because clicks moved to a campaign that sells less', async () => {
    const worse = (visits: number): Partial<Rates> => ({ saleRate: () => 0.004, visits });
    const campaigns = [historyOf({ visits: 20 }, 1, 400, 11), historyOf(worse(4000), 2, 100, 0)];
    expect((await found(campaigns)).filter((one) => one.startsWith('sales_stopped'))).toEqual([]);
  });

  it('names a source once whose campaigns all lack their cost, and a campaign alone if the others have it', async () => {
    const free: Partial<Rates> = { cost: () => 0 };
    const of = (...troubles: Partial<Rates>[]) =>
      found(troubles.map((trouble, index) => historyOf(trouble, index + 1, 300)));
    expect(await of(free, free, free)).toEqual(['cost_missing 1,2,3 traffic_source Push']);
    expect(await of(free, {}, {})).toEqual(['cost_missing 1']);
    expect(await of(free, free, {})).toEqual(['cost_missing 2', 'cost_missing 1']);
  });

  it('finds a payout that doubled by three sales of three campaigns, and names the campaign that it is of if it is one', async () => {
    const campaignOf = (seed: number, doubled: number) => {
      const campaign = historyOf({ saleRate: () => 0 }, seed, 50, 0);
      const sell = (age: number, soldAge: number, revenue: number) =>
        addListed(campaign, { age, soldAge, clicks: 1, conversions: 1, cost: 0, revenue, values: [null, 'Cash'] });
      for (let sale = 0; sale < 14; sale += 1) sell(30 + sale * 20, 29 + sale * 20, 3);
      // Its visit is older than that of others that paid the usual amount.
      for (let sale = 0; sale < doubled; sale += 1) sell(35 + sale * 20, 5 - sale, 6);
      return campaign;
    };
    const of = async (...doubled: number[]) =>
      (await found(doubled.map((count, index) => campaignOf(index + 1, count)))).filter((one) =>
        one.includes('payout'),
      );
    expect(await of(1, 1, 1)).toEqual(['payout_rose 1,2,3 offer Cash']);
    expect(await of(3, 0, 0)).toEqual(['payout_rose 1 offer Cash']);
    expect(await of(1, 0, 0)).toEqual([]);
    expect(await of(0, 0, 0)).toEqual([]);
  });
});
