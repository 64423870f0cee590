/** What an offer's sales are since some moment: another amount each, or counted more often. */

import type { TroubleKind } from '../../answer/troubles.ts';
import { changeOfPayout, isOneAmount } from '../change/sales.ts';
import { sum } from '../statistics/history.ts';
import { type CampaignHistory, type History, offerInCountry, type Sale, splitPair } from './campaign-history.ts';
import { type Detector, type Look, lookAtValues, perDay, well } from './looks.ts';

interface Amount {
  /** Whether more or less of it is the trouble. */
  readonly direction: 1 | -1;
  /** The names of its figures before and after. */
  readonly figures: readonly [before: string, after: string];
  /** Undefined of a sale that does not show it. */
  readonly of: (sale: Sale) => number | undefined;
  /** Whether countries have their own. */
  readonly isByCountry: boolean;
}

const payoutOf = ({ conversions, revenue }: Sale) => (conversions === 1 ? revenue : undefined);

const payout = { figures: ['payout_before', 'payout'], of: payoutOf, isByCountry: true } as const;

/** What a sale pays, and how many conversions of one visit it counts as. */
export const amounts = {
  payout_fell: { direction: -1, ...payout },
  payout_rose: { direction: 1, ...payout },
  sales_counted_twice: {
    ...{ direction: 1, figures: ['conversions_before', 'conversions_of_sale'] },
    of: ({ conversions }) => conversions,
    isByCountry: false,
  },
} as const satisfies Partial<Record<TroubleKind, Amount>>;

export type AmountKind = keyof typeof amounts;

const lastDays = 3;

/**
 * Whether the sales of an offer are of a new amount. A sale has the amount of when it comes in, or of when its visit came: the order that
 * shows a change better is the one that counts.
 */
export function newAmountOf(kind: AmountKind, all: readonly Sale[], histories: readonly History[]): Look[] {
  const { direction, figures, of }: Amount = amounts[kind];
  const sales = all.filter((sale) => of(sale) !== undefined);
  const areAlike = isOneAmount(sales, of);
  const changeBy = (ageOf: (sale: Sale) => number) =>
    areAlike
      ? undefined
      : changeOfPayout(
          sales.map((sale) => ({ when: -ageOf(sale), revenue: of(sale) ?? 0, country: sale.offerInCountry })),
        );
  const changes = [changeBy(({ age, soldAge = age }) => soldAge), changeBy(({ age }) => age)];
  const [change] = changes.filter((one) => one !== undefined).toSorted((one, other) => one.chance - other.chance);
  // It is over once the amount moved back, or nobody is sent there any more.
  const isGone = histories.every((history) => history.sum(0, lastDays).views === 0);
  if (isGone || (change && (change.after - change.before) * direction <= 0)) return [{ ...well, chance: 0 }];
  if (!change) return [];
  const { chance, since, before, after } = change;
  const meanOf = (amount: number) => {
    const same = sales.filter((sale) => of(sale) === amount);
    return sum(same.map(({ revenue }) => revenue)) / same.length;
  };
  const salesPerDay = perDay(sales.filter(({ age }) => age < lastDays * 24).length, lastDays);
  return [
    {
      ...{ chance, age: -since, moneyPerDay: Math.max((meanOf(after) - meanOf(before)) * direction, 0) * salesPerDay },
      figures: { [figures[0]]: before, [figures[1]]: after },
    },
  ];
}

/** Offers whose sales are of a new amount, in some countries if they have no common one. */
export const newAmounts =
  (kind: AmountKind): Detector =>
  (campaign) => {
    const ofOffers = lookAtValues(campaign, ['offer'], (history, offer) =>
      newAmountOf(kind, salesOf(campaign, offer), [history]),
    );
    if (!amounts[kind].isByCountry) return ofOffers;
    const looked = new Set(ofOffers.map(({ value }) => value));
    const ofCountries = lookAtValues(campaign, [offerInCountry.name], (history, pair) =>
      looked.has(splitPair(pair)[0])
        ? []
        : newAmountOf(
            kind,
            campaign.sales.filter((sale) => sale.offerInCountry === pair),
            [history],
          ),
    );
    return [...ofOffers, ...ofCountries];
  };

export const salesOf = ({ sales }: CampaignHistory, offer: string): readonly Sale[] =>
  sales.filter((sale) => sale.offer === offer);
