import {
  CampaignHistory,
  type Finding,
  inHours,
  joinPair,
  pairs,
  splitPair,
} from '../../src/analysis/account-review.ts';
import { addListed } from '../analysis/change/visits.ts';
import { type Dimension, dimensions, type Visit } from './simulated-visits.ts';
import type { Trouble } from './trouble-kinds.ts';

/** Simulated visits as review_account has them. */

/** The dimensions of review_account that these visits have, besides pairs. */
const reviewed = ['landing_page', 'offer', 'keyword', 'isp', 'device', 'browser', 'country'] as const;
const reviewedPairs = pairs.flatMap(({ within, ...pair }) =>
  within === 'os' || within === 'hour' ? [] : [{ ...pair, within }],
);

const placeOf = (name: Dimension) => dimensions.indexOf(name);
const places = reviewed.map(placeOf);
const pairPlaces = reviewedPairs.map(({ dimension, within }) => [placeOf(dimension), placeOf(within)] as const);

const reviewedValues = new Map<readonly string[], readonly (string | null)[]>();

function reviewedOf(values: readonly string[]): readonly (string | null)[] {
  const picked = reviewedValues.get(values) ?? [
    ...places.map((place) => values[place] || null),
    ...pairPlaces.map(([first, within]) => (values[first] ? joinPair(values[first], values[within] ?? '') : null)),
  ];
  reviewedValues.set(values, picked);
  return picked;
}

/** What is known of some visits at an hour. */
export function historyAt(visits: readonly Visit[], clock: number): CampaignHistory {
  const history = new CampaignHistory([...reviewed, ...reviewedPairs.map(({ name }) => name)], clock % 24);
  for (const { at, values, clicks, cost, sales, revenue, soldAt } of visits) {
    if (at > clock) break;
    const sold = soldAt <= clock ? { conversions: sales, revenue } : { conversions: 0, revenue: 0 };
    addListed(history, { age: clock - at, soldAge: clock - soldAt, values: reviewedOf(values), clicks, cost, ...sold });
  }
  return history;
}

export const byId = (histories: readonly CampaignHistory[]) =>
  new Map(histories.map((history, id) => [String(id), history]));

/** Whether a finding of a campaign is about a trouble: its kind and where it is. Of two values that are no pair of a review, either will do. */
export function isFindingOf({ kind, orKind, of, within }: Trouble, finding: Finding, campaign: string): boolean {
  if (finding.campaign !== campaign || (finding.kind !== kind && finding.kind !== orKind)) return false;
  const values = [of, within].flatMap((trait) => (trait ? trait[1] : []));
  const pair = [...pairs, ...Object.values(inHours)].find(
    ({ dimension, within: part }) => dimension === of?.[0] && part === within?.[0],
  );
  if (values.length === 0) return finding.value === undefined;
  if (!pair) return values.some((value) => value === finding.value);
  const [page, part] = splitPair(finding.value ?? '');
  // The hours of a cap come out a little different.
  return finding.dimension === pair.name && page === of?.[1] && (pair.within === 'hour' || part === within?.[1]);
}
