import type { CampaignHistory } from './campaign-history.ts';

/** What may need a person. */
export type Kind =
  | 'account_dark'
  | 'campaign_dark'
  | 'sales_stopped'
  | 'page_without_clicks'
  | 'loses_money'
  | 'burning_placement'
  | 'clicks_of_no_people'
  | 'payout_fell'
  | 'cost_missing'
  | 'page_behind'
  | 'changed_elsewhere'
  | 'decisive_sale';

/** Something that may be wrong with a campaign. */
export interface Suspicion {
  readonly kind: Kind;
  /** Of what in the campaign: the value of a dimension; absent if it is the whole campaign. */
  readonly dimension?: string;
  readonly value?: string;
  /** Whether nothing is wrong: a look that did not find it. */
  readonly isWell?: true;
  /** How likely chance alone makes it, 0 to 1; 0 if it is no matter of chance. */
  readonly chance: number;
  /** Hours since it began. */
  readonly age: number;
  /** What it costs a day, in money, at least 0. */
  readonly moneyPerDay: number;
  /** The figures it rests on. */
  readonly figures: Readonly<Record<string, number>>;
}

/** How much of the sales of visits so many days old is in by now, 0 to 1. */
export type PartByAge = (days: number) => number;

/** What a campaign is looked at beside. */
export interface Account {
  /** The highest of all campaigns. */
  readonly anyPayout: number;
  /** Whether the list reaches until now; else its last hours say nothing. */
  readonly isSeenUntilNow: boolean;
}

/** Looks at a campaign for a kind of trouble; each look costs a part of the budget of errors. */
export type Detector = (campaign: CampaignHistory, partIn: PartByAge, account: Account) => readonly Suspicion[];

/** Days differ at least so much, beyond chance. */
export const [scatterOfVisits, scatterOfRates] = [0.09, 0.02];

/** With fewer expected, nothing can be said of a day. */
export const minExpected = 8;

/** A count that is at least this part of what is expected is no breakdown. */
export const maxPart = 0.2;

export const perDay = (amount: number, days: number) => (days === 0 ? 0 : amount / days);
export const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

/** A look that found all well, which counts as a look; with a chance of 0 there was nothing to look at any more. */
export const nothing = { isWell: true, chance: 1, age: 0, moneyPerDay: 0, figures: {} } as const;

/**
 * Of several looks at the same thing, that which chance explains least; each may be the one that is wrong.
 * @param looks undefined where there is too little to look at
 */
export function leastLikely(looks: readonly (Suspicion | undefined)[]): Suspicion[] {
  const known = looks.filter((look) => look !== undefined);
  const [least] = known.toSorted((one, other) => one.chance - other.chance);
  return least ? [{ ...least, chance: Math.min(least.chance * known.length, 1) }] : [];
}

/** Since when there was none of something: since the last one, or if there still are a few since the hours that were looked at. */
export const sinceLast = (count: number, last: number, hours: number) => (count === 0 ? last : hours);

/** Luck of a day does not last: rates of several days scatter less. */
export const scatterOver = (days: number) => scatterOfRates / Math.min(days, 3);

/**
 * How likely so small a count is, 0 to 1, of counts that scatter more than chance: Poisson with a mean that varies as a gamma variable
 * does (negative binomial), whose variance is mean + scatter * mean ** 2.
 */
export function chanceOfAtMost(count: number, mean: number, scatter: number): number {
  if (mean <= 0) return 1;
  let term = Math.exp(-Math.log1p(scatter * mean) / scatter);
  let sum = term;
  for (let index = 0; index < Math.floor(count) && sum < 1; index += 1) {
    term *= ((1 / scatter + index) / (index + 1)) * ((scatter * mean) / (1 + scatter * mean));
    sum += term;
  }
  return Math.min(sum, 1);
}

/** How much more than chance the counts of equal days scatter: (variance - mean) / mean ** 2, at least `least`. */
export function scatterOfCounts(counts: readonly number[], least: number): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  if (counts.length < 3 || mean === 0) return least;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1);
  return Math.max((variance - mean) / mean ** 2, least);
}
