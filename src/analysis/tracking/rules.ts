import type { TrackingFault, TrackingNeed } from '../../answer/tracking-faults.ts';
import { groupBy } from '../statistics/history.ts';
import { changeIn, type DayCounts, isBeyondChance, shareOf, sumOf, together } from './counts.ts';
import type { SeenCampaign } from './seen.ts';
import type { SubidForm } from './subids.ts';
import type { KnownVisits, TrackedCampaign, TrackedSale } from './tracked.ts';

type Details = 'token' | 'parameter' | 'page' | 'example' | 'factor' | 'isPartial' | 'other' | 'paid' | 'use' | 'link';

/** What shows a fault: the visits or sales with it among all, and what is told of it. */
export interface Sign extends Partial<Pick<TrackingFault, Details>> {
  readonly days: DayCounts;
}

/** The number of sales by what they paid, the least first. */
export type PaidAmounts = readonly (readonly [amount: number, sales: number])[];

export function paidAmounts(sales: readonly TrackedSale[]): PaidAmounts {
  const counts = new Map<number, number>();
  for (const { amount } of sales) if (amount > 0) counts.set(amount, (counts.get(amount) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => one - other);
}

/** What a visit of each campaign usually costs. */
export class UsualCosts {
  readonly #all: readonly number[];
  readonly #bySource: ReadonlyMap<string | null, readonly number[]>;
  readonly #own: ReadonlyMap<SeenCampaign, number>;

  /** @param own by campaign; 0 if nothing */
  constructor(own: ReadonlyMap<SeenCampaign, number>) {
    this.#own = own;
    const all = [...own.keys()];
    const sorted = (some: readonly SeenCampaign[]) =>
      some.flatMap((seen) => this.#own.get(seen) || []).sort((one, other) => one - other);
    this.#all = sorted(all);
    const bySource = groupBy(all, ({ campaign }) => campaign.source);
    this.#bySource = new Map([...bySource].map(([source, some]) => [source, sorted(some)]));
  }

  /** What the others usually cost, the least first: of the same source, and of the account. */
  of(seen: SeenCampaign): Readonly<Record<'ofSource' | 'ofAccount', readonly number[]>> {
    const own = this.#own.get(seen) ?? 0;
    const others = (some: readonly number[] = []) => (own > 0 ? some.toSpliced(some.indexOf(own), 1) : some);
    return { ofSource: others(this.#bySource.get(seen.campaign.source)), ofAccount: others(this.#all) };
  }
}

/** What is known of the account when a campaign is looked at. */
export interface Looked {
  /** The first day that was asked for; days before show what was usual. */
  readonly first: number;
  readonly all: readonly SeenCampaign[];
  /** All that the tracker lists. */
  readonly campaigns: readonly TrackedCampaign[];
  readonly usualCosts: UsualCosts;
  /** How nearly all subIDs are written; undefined if visits have none. */
  readonly form: SubidForm | undefined;
  /** The sales and the visits that reached an offer, of all campaigns. */
  readonly offers: Readonly<Record<'sales' | 'reached', number>>;
  /** How many sales of an offer paid which amounts, above 0. */
  readonly paidByOffer: ReadonlyMap<string | null, PaidAmounts>;
  /** By number of days since the first that is read. */
  readonly dayOf: (sale: TrackedSale) => number;
  /** The moments of the latest sale and the latest visit. */
  readonly lastSale: number;
  readonly lastVisit: number;
  /** Undefined if not all were read. */
  readonly visits: KnownVisits | undefined;
}

/** A kind of fault: how it is found in what was seen of a campaign. */
export interface Rule<Seen = SeenCampaign> extends Pick<TrackingFault, 'code' | 'at'> {
  readonly needs?: TrackingNeed;
  /** Fewer visits or sales show no fault. */
  readonly min: number;
  /** Whether it is one fault of a source if all of its campaigns have it. */
  readonly isOfSource?: true;
  readonly find: (seen: Seen, looked: Looked) => readonly Sign[];
}

/** Fewer visits show no fault; fewer than the second not even one that no visit should have; with fewer than the third it is not known what a campaign's visits are like. */
export const [minVisits, minSure, minKnown] = [10, 5, 50];

/** Test clicks, previews and robots leave a macro here and there. */
export const usualOdd = 0.02;

/** What most visits must have, where it may be right; and what hardly any has. */
export const [most, few] = [0.8, 0.1];

/** The other campaigns of the same source. */
export const alike = (seen: SeenCampaign, { all }: Looked): readonly SeenCampaign[] =>
  all.filter((one) => one !== seen && one.campaign.source === seen.campaign.source);

/** Whether the share of bad visits rose by so much on a day, and not by chance; or was always large where that of others is small. */
export function isUnusual(
  days: DayCounts,
  readOthers: () => readonly DayCounts[],
  minRise: number,
  maxOthers = few,
): boolean {
  const { before, after } = changeIn(days);
  if (before.of >= minVisits)
    return shareOf(after) - shareOf(before) >= minRise && isBeyondChance(after, Math.max(shareOf(before), usualOdd));
  if (before.of > 0 || shareOf(after) < most) return false;
  const others = readOthers();
  if (others.some((one) => shareOf(sumOf(one)) >= 0.5)) return false;
  const known = sumOf(together(others));
  return known.of >= Math.min(after.of, minKnown) && shareOf(known) < maxOthers;
}
