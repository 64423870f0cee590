import type { Finding } from '../analysis/account-review.ts';
import { valueAt } from '../analysis/coded.ts';
import { groupBy } from '../analysis/statistics/history.ts';
import { hourMs } from '../api/durations.ts';
import type { Coded } from '../api/table.ts';
import { rawText } from '../api/text/tracker-text.ts';
import type { ListedCampaign } from './campaigns.ts';
import { reviewed, type TimedVisits } from './reviewed-visits.ts';

/** The visits that a placement may carry. */
export interface CarriedVisits {
  readonly rows: Uint32Array;
  readonly campaigns: Coded<ListedCampaign | undefined>;
  readonly momentOf: (row: number) => number;
  /** The value that a finding is about, and the placement, of each visit. */
  readonly values: Coded<string | null | undefined> | undefined;
  readonly placements: Coded<string | null | undefined> | undefined;
}

/** A placement carries a value if it has this part of its visits, and at most the second part of the campaign's others. */
const [minCarried, maxOfOthers] = [0.8, 0.5];

/** The placement that nearly all visits of a campaign with a value are from, in some time; undefined if none stands out. */
export function placementCarrying(
  value: string,
  lists: readonly CarriedVisits[],
  { campaign, from, to }: { readonly campaign: ListedCampaign; readonly from: number; readonly to: number },
): string | undefined {
  const [own, others] = [new Map<string, number>(), new Map<string, number>()];
  const counts = { own: 0, others: 0 };
  for (const { rows, campaigns, momentOf, values, placements } of lists) {
    if (!values || !placements) continue;
    for (const row of rows) {
      const at = momentOf(row);
      if (at < from || at > to || valueAt(campaigns, row) !== campaign) continue;
      const isOwn = valueAt(values, row) === value;
      const placement = valueAt(placements, row) ?? '';
      const counted = isOwn ? own : others;
      counted.set(placement, (counted.get(placement) ?? 0) + 1);
      counts[isOwn ? 'own' : 'others'] += 1;
    }
  }
  const [carrying] = [...own].find(
    ([placement, count]) =>
      placement !== '' &&
      count >= minCarried * counts.own &&
      (others.get(placement) ?? 0) <= maxOfOthers * counts.others,
  ) ?? [undefined];
  return carrying;
}

/** Robots of two values are one cause if they share this part of the visits of the smaller one. */
const minShared = 0.5;

/** Findings of robots whose visits are largely the same, such as those of a provider and of a user agent, as one each. */
export function joinRobots(findings: readonly Finding[], lists: readonly TimedVisits[], clock: number): Finding[] {
  const robots = groupBy(
    findings.filter(({ kind }) => kind === 'clicks_of_no_people'),
    ({ campaign }) => campaign,
  );
  const joined = new Map<Finding, Finding | undefined>();
  for (const [campaign, own] of robots) {
    const shared = own.length > 1 ? sharedVisits(own, lists, campaign, clock) : () => 0;
    const kept: Finding[] = [];
    for (const finding of own) {
      const whole = kept.find((one) => shared(one, finding) >= minShared);
      if (!whole) kept.push(finding);
      const { alike = [], ...first } = (whole && joined.get(whole)) ?? finding;
      if (whole) joined.set(whole, { ...first, alike: [...alike, finding, ...(finding.alike ?? [])] });
      joined.set(finding, whole ? undefined : finding);
    }
  }
  return findings.flatMap((finding) => (joined.has(finding) ? (joined.get(finding) ?? []) : finding));
}

/** The part of the visits of the smaller of two findings that both have. */
function sharedVisits(
  findings: readonly Finding[],
  lists: readonly TimedVisits[],
  campaign: string | undefined,
  clock: number,
): (one: Finding, other: Finding) => number {
  const from = clock - Math.max(...findings.map(({ age }) => age)) * hourMs;
  const counts = findings.map(() => findings.map(() => 0));
  for (const { rows, campaigns, momentOf, readings } of lists) {
    const read = findings.map(({ dimension = '', value }) => ({
      reading: readings[reviewed.indexOf(dimension)],
      value,
    }));
    for (const row of rows) {
      const [listed, at] = [valueAt(campaigns, row), momentOf(row)];
      if (!listed || at < from || at > clock || rawText(listed.id) !== campaign) continue;
      const has = read.map(({ reading, value }) => reading !== undefined && valueAt(reading, row) === value);
      for (const [index, both] of counts.entries())
        for (const other of both.keys()) both[other] = (both[other] ?? 0) + Number(has[index] && has[other]);
    }
  }
  const count = (one: Finding, other: Finding) => counts[findings.indexOf(one)]?.[findings.indexOf(other)] ?? 0;
  return (one, other) => count(one, other) / Math.max(Math.min(count(one, one), count(other, other)), 1);
}
