import type { Finding } from '../analysis/account-review.ts';
import { valueAt } from '../analysis/coded.ts';
import { dimensionsOfRobots, placementCarrying } from '../analysis/placements.ts';
import { groupBy } from '../analysis/statistics/history.ts';
import type { Reading } from '../analysis/visit-dimensions.ts';
import { hourMs } from '../api/durations.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { type CampaignVisits, reviewed } from './reviewed-visits.ts';

/** A list of a finding's campaign, with the rows of the finding's time. */
export interface ListOfFinding extends Pick<CampaignVisits, 'campaign' | 'rows' | 'moments' | 'amounts'> {
  readonly readingOf: (dimension?: string) => Reading | undefined;
}

export function listsOf(
  { campaign, age }: Pick<Finding, 'campaign' | 'age'>,
  visits: readonly CampaignVisits[],
  clock: number,
): ListOfFinding[] {
  const own = visits.filter((list) => rawText(list.campaign.id) === campaign);
  return own.map(({ campaign: listed, rows, moments, readings, amounts }) => {
    const from = clock - age * hourMs;
    const isIn = (row: number) => {
      const moment = moments[row] ?? Number.NaN;
      return moment >= from && moment <= clock;
    };
    const readingOf = (dimension = '') => readings[reviewed.indexOf(dimension)];
    return { campaign: listed, rows: rows.filter(isIn), moments, amounts, readingOf };
  });
}

/** The placement that robots of a provider or user agent are from, by its dimension. */
export function placementOfRobots(
  finding: Finding,
  placement: string,
  visits: readonly CampaignVisits[],
  clock: number,
): string | undefined {
  const { kind, dimension, value } = finding;
  if (kind !== 'clicks_of_no_people' || !dimensionsOfRobots.has(dimension)) return undefined;
  const [own, others] = [new Map<string, number>(), new Map<string, number>()];
  for (const { rows, readingOf } of listsOf(finding, visits, clock)) {
    const [values, placements] = [readingOf(dimension), readingOf(placement)];
    if (!values || !placements) continue;
    for (const row of rows) {
      const counts = valueAt(values, row) === value ? own : others;
      const from = valueAt(placements, row) ?? '';
      counts.set(from, (counts.get(from) ?? 0) + 1);
    }
  }
  return placementCarrying(own, others) || undefined;
}

/** Robots of two values are one cause if they share this part of the visits of the smaller one. */
const minShared = 0.5;

/** Whether two findings are about one value: it may click in vain, and burn money. */
const isAbout = (one: Finding, other: Finding) => one.dimension === other.dimension && one.value === other.value;

const isOfRobots = ({ kind }: Finding) => kind === 'clicks_of_no_people';

/** What a value sells of what is expected: the one that has the fewest people among its robots comes first. */
const soldPart = ({ figures }: Finding) => (figures['sales'] ?? 0) / Math.max(figures['expected_sales'] ?? 0, 1);

/**
 * Findings of robots whose visits are largely the same, such as those of a provider and of a user agent, as one each, with what burns
 * money by them. Those among people are of another value.
 */
export function joinRobots(findings: readonly Finding[], visits: readonly CampaignVisits[], clock: number): Finding[] {
  const withRobots = new Set(findings.filter(isOfRobots).map(({ campaign }) => campaign));
  const robots = groupBy(
    findings
      .filter((finding) => isOfRobots(finding) || finding.kind === 'burning_placement')
      .filter(({ campaign }) => withRobots.has(campaign))
      .toSorted((one, other) => Number(isOfRobots(other)) - Number(isOfRobots(one)) || soldPart(one) - soldPart(other)),
    ({ campaign }) => campaign,
  );
  const joined = new Map<Finding, Finding | undefined>();
  for (const own of robots.values()) {
    const shared = own.length > 1 ? sharedVisits(own, visits, clock) : () => 0;
    const kept: Finding[] = [];
    for (const finding of own) {
      const isAlike = (one: Finding) => !isOfRobots(finding) || one.isAmongPeople === finding.isAmongPeople;
      const whole = kept.find((one) => isAlike(one) && shared(one, finding) >= minShared);
      if (!whole && isOfRobots(finding)) kept.push(finding);
      const { alike = [], ...first } = (whole && joined.get(whole)) ?? finding;
      const isNew = (one: Finding) => ![first, ...alike].some((other) => isAbout(one, other));
      const more = [finding, ...(finding.alike ?? [])].filter(isNew);
      if (whole) joined.set(whole, { ...first, alike: [...alike, ...more] });
      joined.set(finding, whole ? undefined : finding);
    }
  }
  return findings.flatMap((finding) => (joined.has(finding) ? (joined.get(finding) ?? []) : finding));
}

/** The part of the visits of the smaller of two findings that both have. */
function sharedVisits(
  findings: readonly Finding[],
  visits: readonly CampaignVisits[],
  clock: number,
): (one: Finding, other: Finding) => number {
  const [oldest] = findings.toSorted((one, other) => other.age - one.age);
  const counts = findings.map(() => findings.map(() => 0));
  for (const { rows, readingOf } of oldest ? listsOf(oldest, visits, clock) : []) {
    const read = findings.map(({ dimension, value }) => ({ reading: readingOf(dimension), value }));
    for (const row of rows) {
      const has = read.map(({ reading, value }) => reading !== undefined && valueAt(reading, row) === value);
      for (const [index, both] of counts.entries())
        for (const other of both.keys()) both[other] = (both[other] ?? 0) + Number(has[index] && has[other]);
    }
  }
  const count = (one: Finding, other: Finding) => counts[findings.indexOf(one)]?.[findings.indexOf(other)] ?? 0;
  return (one, other) => count(one, other) / Math.max(Math.min(count(one, one), count(other, other)), 1);
}
