import type { TroubleKind } from '../../answer/troubles.ts';
import { dimensionsOfRobots } from '../placements.ts';
import { groupBy } from '../statistics/history.ts';
import {
  type CampaignHistory,
  type History,
  hoursOfDay,
  type PairOfPage,
  pairNamed,
  pairsOf,
  partsOfVisitors,
  reviewedDays,
  splitPair,
} from './campaign-history.ts';

/** The result of one look at visits. */
export interface Look {
  /** Whether the look found nothing wrong. */
  readonly isWell?: true;
  /** How likely chance alone causes it, 0 to 1; 0 if chance plays no part. */
  readonly chance: number;
  /** Where something may have stopped: how likely nothing at all is by chance, in each span that was looked at. */
  readonly none?: readonly number[];
  /** Whether what it is about earns more than it costs, all the same or at its old price, so that it is not to be blocked. */
  readonly isWorthIt?: true;
  /** Whether it is about robots among people. */
  readonly isAmongPeople?: true;
  /** Whether only nothing at all is trouble, so that it needs no other part of the error budget. */
  readonly isOnlyNone?: true;
  /** Hours since it began. */
  readonly age: number;
  /** By its group: what it costs per day, how wrong profit may be, or what more it could earn. In money, at least 0. */
  readonly moneyPerDay: number;
  readonly figures: Readonly<Record<string, number>>;
}

/** Something that may be wrong with a campaign. */
export interface Suspicion extends Look {
  readonly kind: TroubleKind;
  /** The value of a dimension, such as a landing page; absent if the whole campaign is meant. */
  readonly dimension?: string;
  readonly value?: string;
}

/** A suspicion that chance does not explain. */
export interface Finding extends Suspicion {
  /** The ID of the campaign; undefined for the whole account. */
  readonly campaign: string | undefined;
  /** The IDs of the campaigns whose network or traffic source it is about. */
  readonly campaigns?: readonly string[];
  /** The same in every review that finds the same. */
  readonly key: string;
  /** How much of its data was not read, in days. */
  readonly missing: number;
  /** Findings about other values with the same visits. Any of them may be the cause. */
  readonly alike?: readonly Finding[];
  /** Findings about other values with the same cause. */
  readonly together?: readonly Finding[];
  /** Further findings of its kind in this campaign, which are not listed. */
  readonly others?: readonly Finding[];
}

/** The part of a campaign's sales that are in by now, 0 to 1, by the age of their visits in days; or of the sales of one of its offers. */
export type PartByAge = (days: number, offer?: string) => number;

/** The same for a campaign, by its ID; without one of the whole account. */
export type PartInCampaign = (days: number, campaign?: string, offer?: string) => number;

/** What a detector knows about the rest of the account. */
export interface Account {
  /** The highest average payout of a campaign. */
  readonly maxPayout: number;
  /** The middle one of its sales. */
  readonly usualSale: number;
  /** The visits a day of its middle campaign, and the revenue for each unit of cost. */
  readonly usualVisits: number;
  readonly usualReturn: number;
  /** Whether the visits reach up to now. If not, the last hours cannot be judged. */
  readonly isSeenUntilNow: boolean;
}

/** Looks at a campaign for one kind of trouble. Each look uses a part of the error budget. */
export type Detector = (
  campaign: CampaignHistory,
  partIn: PartByAge,
  account: Account,
) => readonly Omit<Suspicion, 'kind'>[];

const notPlacements: ReadonlySet<string> = new Set([
  ...['landing_page', 'offer', 'isp', hoursOfDay],
  ...partsOfVisitors,
]);

/** Whether a traffic source can sell more or less of the values of a dimension. */
export const isPlacement = (dimension: string): boolean => !notPlacements.has(dimension) && !pairNamed(dimension);

/**
 * The dimensions in which a campaign's visits differ whatever page they see: placements, and parts of the visitors. A user agent is blocked
 * like a placement, but is no place.
 */
export const dimensionsOfVisits = ({ groups }: CampaignHistory): string[] => [
  ...[...groups.keys()].filter((name) => isPlacement(name) && !dimensionsOfRobots.has(name)),
  ...partsOfVisitors,
];

/** Whether a value that had visits each day has none any more, though its campaign has: it was blocked, or ended. */
export const hasEnded = (campaign: CampaignHistory, history: History): boolean =>
  history.lastVisit >= 24 && campaign.lastVisit < 24 && perDay(history.sum(1).views, campaign.pastDays) >= minExpected;

/** What visits do, and which of them could: visits click, and clicks sell. */
export interface Rate {
  readonly what: 'clicks' | 'conversions';
  readonly of: 'views' | 'clicks';
}

/**
 * Of how many visits or clicks of some days it is known whether they clicked or sold.
 * @param parts how much of each day is in, by its age; undefined if all is
 */
export function wholesIn(
  history: History,
  { of }: Rate,
  parts: readonly number[] | undefined,
  from: number,
  to: number = reviewedDays,
): number {
  if (!parts) return history.sum(from, to)[of];
  let sum = 0;
  for (let age = from; age < to; age += 1) sum += history.on(age, of) * (parts[age] ?? 0);
  return sum;
}

/** Looks at each value of some dimensions. */
export function lookAtValues(
  { groups }: CampaignHistory,
  dimensions: Iterable<string>,
  lookAt: (history: History, value: string, dimension: string) => readonly Look[],
): Omit<Suspicion, 'kind'>[] {
  const looks: Omit<Suspicion, 'kind'>[] = [];
  for (const dimension of dimensions)
    for (const [value, history] of groups.get(dimension) ?? [])
      for (const look of lookAt(history, value, dimension)) looks.push({ ...look, dimension, value });
  return looks;
}

/**
 * Looks at pages, and at each with a part of its visitors. What nobody can use is the page's trouble, and what one part cannot use is
 * that part's.
 * @param partThatWorks how much of the clicks or sales that are usual the other visitors made in some days, 0 to 1
 */
export function lookAtPages(
  campaign: CampaignHistory,
  dimension: PairOfPage['dimension'],
  lookAtPage: (history: History, page: string) => readonly Look[],
  lookAtPart: (history: History, page: string) => readonly Look[],
  partThatWorks: (page: History, part: History, days: number) => number,
): Omit<Suspicion, 'kind'>[] {
  const pages = lookAtValues(campaign, [dimension], lookAtPage);
  const parts = lookAtValues(campaign, pairsOf(dimension), (part, value) => lookAtPart(part, splitPair(value)[0]));
  const isDead = ({ isWell, chance }: Look) => !isWell && chance <= maxDeadChance;
  const historyOf = ({ dimension: name = '', value = '' }: Omit<Suspicion, 'kind'>) =>
    campaign.groups.get(name)?.get(value);
  const deadParts = groupBy(parts.filter(isDead), ({ value = '' }) => splitPair(value)[0]);
  const isOfParts = new Map(
    pages.filter(isDead).map((page) => {
      const history = historyOf(page);
      const works = (deadParts.get(page.value ?? '') ?? []).some((part) => {
        const ofPart = historyOf(part);
        const days = Math.max(Math.floor(part.age / 24), 1);
        return history && ofPart && partThatWorks(history, ofPart, days) > minPartThatWorks;
      });
      return [page.value ?? '', works];
    }),
  );
  return [
    // It was a look all the same.
    ...pages.map((page) => (isOfParts.get(page.value ?? '') ? { ...page, ...well } : page)),
    ...parts.filter(({ value = '' }) => isOfParts.get(splitPair(value)[0]) !== false),
  ];
}

/** A page that works this well for its other visitors is not dead. */
const minPartThatWorks = 0.5;

/** A page whose trouble has a chance this small may have it everywhere. */
export const maxDeadChance = 0.05;

/** The minimum scatter of visits and of rates from day to day, beyond chance. */
export const [scatterOfVisits, scatterOfRates] = [0.09, 0.02];

/** With a lower expected count, a day cannot be judged. */
export const minExpected = 8;

/** The same for what may have stopped, since none at all is tested exactly. */
export const minExpectedOfStop = 4;

/** The numbers of days up to now over which clicks are judged. */
export const clickDays = [1, 3, 7] as const;

/** With fewer expected sales, their absence proves nothing. */
export const minExpectedOfRobots = 0.5;

/** A count above this part of the expected one is not a breakdown. */
export const maxPart = 0.2;

export const perDay = (amount: number, days: number) => (days === 0 ? 0 : amount / days);
export const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Whether a look found nothing at all of what it counts. */
export const isOfNone = ({ chance, none = [] }: Look): boolean => none.includes(chance);

/** The result of a look that found nothing wrong. With a chance of 0, nothing was left to look at, and it does not count as a look. */
export const well: Look = { isWell: true, chance: 1, age: 0, moneyPerDay: 0, figures: {} };

/**
 * Picks the look that is least likely by chance, of several looks at the same thing over spans that all end now. Any of them may be
 * wrong by chance, so the chance is multiplied by their number. That there was nothing at all is one event, however many spans show it.
 * @param looks undefined if there is too little to look at
 */
export function leastLikely(looks: readonly (Look | undefined)[]): Look[] {
  // Most values are too small to be looked at.
  if (looks.every((look) => look === undefined)) return [];
  const judged = looks
    .filter((look) => look !== undefined)
    .map((look, _, { length }) => (isOfNone(look) ? look : { ...look, chance: Math.min(look.chance * length, 1) }));
  const [first] = judged.toSorted((one, other) => one.chance - other.chance);
  const none = judged.flatMap((look) => look.none ?? []);
  return first ? [none.length === 0 ? first : { ...first, none }] : [];
}

/**
 * Looks at many values that use one part of the error budget together: each may be wrong as many times more seldom. What is well counts
 * once.
 */
export function asOneLook<Some extends Look>(looks: readonly Some[]): Some[] {
  const first = looks.find(({ isWell }) => isWell);
  return looks.map((look) => {
    if (!look.isWell) return { ...look, chance: Math.min(look.chance * looks.length, 1) };
    return look === first ? look : { ...look, chance: 0 };
  });
}

/** Hours since something stopped: since the last one, or the hours that were looked at if there still are a few. */
export const sinceLast = (count: number, last: number, hours: number) => (count === 0 ? last : hours);

/** Rates scatter less over several days, because a lucky day is followed by others. */
export const scatterOver = (days: number) => scatterOfRates / Math.min(days, 3);

/**
 * The probability of a count this small, 0 to 1, if counts scatter more than by chance: Poisson with a gamma-distributed mean
 * (negative binomial), whose variance is mean + scatter * mean ** 2.
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

/** How likely a count this small is, and how likely none at all. */
export const ofAtMost = (count: number, mean: number, scatter: number): Required<Pick<Look, 'chance' | 'none'>> => ({
  chance: chanceOfAtMost(count, mean, scatter),
  none: [chanceOfAtMost(0, mean, scatter)],
});

/** The probability of a count this large, 0 to 1, of the same counts. */
export function chanceOfAtLeast(count: number, mean: number, scatter: number): number {
  return count <= 0 ? 1 : Math.max(1 - chanceOfAtMost(count - 1, mean, scatter), 0);
}

/** How much more than by chance the counts of similar days scatter: (variance - mean) / mean ** 2, at least `min`. */
export function scatterOfCounts(counts: readonly number[], min: number): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  if (counts.length < 3 || mean === 0) return min;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1);
  return Math.max((variance - mean) / mean ** 2, min);
}
