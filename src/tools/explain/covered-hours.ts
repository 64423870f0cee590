import type { SpanVisit } from '../../analysis/profit-change.ts';
import { Failure } from '../../api/failure.ts';
import { type ListedCampaign, nameCampaigns } from '../campaigns.ts';
import { listDays, shiftDays } from '../period.ts';
import type { Spans } from './spans.ts';

/** Whose list a visit is of: that of a campaign, or the only one that was asked for. */
export type Part = ListedCampaign | undefined;

export interface DatedVisit extends SpanVisit {
  /** Of its day; NaN if the list does not say. */
  readonly hour: number;
  readonly part: Part;
}

export interface CoveredVisits {
  readonly rows: readonly SpanVisit[];
  /** The days that are compared, those without a visit too. */
  readonly days: { readonly before: readonly string[]; readonly after: readonly string[] };
  /** What was left out, in a sentence; none if nothing was. */
  readonly notices: readonly string[];
}

const maxNamed = 3;

/**
 * The visits of the hours that both spans have. A list that is cut off within a day has its latest visits; the day it is set against
 * is cut to the same hours, or what was not read would look like a change.
 * @param missingDays of a part, those that are not whole
 * @throws Failure if there are no such hours
 */
export function coveredByBoth(
  visits: readonly DatedVisit[],
  missingDays: (part: Part) => readonly string[],
  { before, after }: Spans,
): CoveredVisits {
  const missing = new Map(
    [...new Set(visits.map(({ part }) => part))].map((part) => [part, new Set(missingDays(part))]),
  );
  const oldestHours = new Map<Part, Map<string, number>>([...missing.keys()].map((part) => [part, new Map()]));
  for (const { part, day, hour } of visits) {
    const hours = oldestHours.get(part);
    hours?.set(day, Math.min(hours.get(day) ?? 23, hour));
  }
  // The hour of the oldest visit is cut off itself.
  const firstHour = (part: Part, day: string) =>
    missing.get(part)?.has(day) ? (oldestHours.get(part)?.get(day) ?? 23) + 1 : 0;
  const pairs = listDays(before.start, before.end).map((day, index) => [day, shiftDays(after.start, index)] as const);
  const pairOf = new Map(pairs.flatMap((pair) => pair.map((day) => [day, pair])));
  const covered = visits.filter(({ part, day, hour }) => {
    const from = Math.max(...(pairOf.get(day) ?? []).map((one) => firstHour(part, one)));
    return from === 0 || hour >= from;
  });
  if (covered.length === 0) {
    throw new Failure(
      'The visitor list could not be read whole: of no day are the same hours in it of both spans, so they cannot be compared.',
      'Ask for fewer days, or for one campaign.',
    );
  }
  const coveredDays = new Set(covered.map(({ day }) => day));
  const isWhole = (day: string) => ![...missing.values()].some((days) => days.has(day));
  const compared = pairs.filter((pair) => pair.some((day) => coveredDays.has(day)) || pair.every(isWhole));
  const parts = new Set(covered.map(({ part }) => part));
  const leftOut = [...missing.keys()].flatMap((part) => (part && !parts.has(part) ? [part] : []));
  const names = leftOut.length > 0 ? `; nothing of ${nameCampaigns(leftOut, maxNamed)}` : '';
  return {
    rows: covered,
    days: { before: compared.map(([day]) => day), after: compared.map(([, day]) => day) },
    notices:
      covered.length === visits.length
        ? []
        : [
            `Of days that are not whole only the hours that both spans have are compared: ${covered.length} of ${visits.length} visits${names}.`,
          ],
  };
}
