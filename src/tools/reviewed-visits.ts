import { CampaignHistory, type History, joinPair, type Pair, pairs, reviewedDays } from '../analysis/account-review.ts';
import { mapCoded, pairCoded, valueAt } from '../analysis/coded.ts';
import {
  amountsIn,
  type Reader,
  type Reading,
  readAll,
  readerOf,
  readFigures,
  type VisitAmounts,
  visitTimes,
} from '../analysis/visit-groups.ts';
import type { Pace } from '../api/running-call.ts';
import type { Coded } from '../api/table.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { extraSlots } from '../api/token-slots.ts';
import type { VisitList } from './account/account-visits.ts';
import type { ListedCampaign } from './campaigns.ts';

const dimensions = ['landing_page', 'offer', 'keyword', 'ad', 'isp', 'user_agent', ...extraSlots];

/** The dimensions of a review, of which the last are made of two. */
export const reviewed = [...dimensions, ...pairs.map(({ name }) => name)];

export const hourMs = 3_600_000;

/** The visits of a list whose campaign and time are known. */
export interface TimedVisits {
  /** In their order. */
  readonly rows: readonly number[];
  readonly campaigns: Coded<ListedCampaign | undefined>;
  readonly campaignOf: (row: number) => ListedCampaign | undefined;
  /** On the tracker's clock as if that were UTC. */
  readonly momentOf: (row: number) => number;
  /** The dimensions, in their order; undefined if the list lacks one. */
  readonly readings: readonly (Reading | undefined)[];
  readonly amounts: VisitAmounts;
}

const readerOfPair =
  ({ page, within }: Pair): Reader =>
  (table) => {
    const [pages, others] = [page, within].map((name) => readerOf(name)(table));
    if (!pages || !others) return undefined;
    return pairCoded(pages, others, (one, other) => (one == null || other == null ? null : joinPair(one, other)));
  };

const readers = [...dimensions.map(readerOf), ...pairs.map(readerOfPair)];

export async function timedVisits(lists: readonly VisitList[], pace: Pace): Promise<TimedVisits[]> {
  const visits: TimedVisits[] = [];
  for (const { table, visited } of lists) {
    const times = visitTimes(table);
    const readings = await readAll(table, readers, pace, [...dimensions, ...pairs.map(({ within }) => within)]);
    await readFigures(table, pace);
    const campaigns = mapCoded(visited, ({ listed }) => listed);
    const campaignOf = (row: number) => valueAt(campaigns, row);
    const momentOf = (row: number) => times?.momentOf(row) ?? Number.NaN;
    const isTimed = (row: number) => campaignOf(row) !== undefined && !Number.isNaN(momentOf(row));
    const rows = Array.from({ length: table.rowCount }, (_, row) => row).filter(isTimed);
    visits.push({ rows, campaigns, campaignOf, momentOf, readings, amounts: amountsIn(table) });
    await pace.rest();
  }
  return visits;
}

/** Adds the visits of a list, up to a moment, to the histories of their campaigns by ID. */
export async function addVisits(
  histories: Map<string, CampaignHistory>,
  list: TimedVisits,
  clock: number,
  pace: Pace,
): Promise<void> {
  const { rows, campaigns, campaignOf, momentOf, readings, amounts } = list;
  // Histories by campaign and value together: names are looked up once each.
  const read: { dimension: string; ofCampaigns: Coded<string | null>; known: History[] }[] = [];
  for (const [index, dimension] of reviewed.entries()) {
    const reading = readings[index];
    if (!reading?.values.some((value) => value != null)) continue;
    read.push({ dimension, ofCampaigns: pairCoded(campaigns, reading, (_, value) => value ?? null), known: [] });
    await pace.rest();
  }
  const offers = readings[reviewed.indexOf('offer')];
  const ofValues: History[] = [];
  for (const [index, row] of rows.entries()) {
    if (index % rowsPerStep === 0) await pace.rest();
    const [campaign, at] = [campaignOf(row), momentOf(row)];
    const age = (clock - at) / hourMs;
    if (!campaign || at > clock || age >= reviewedDays * 24) continue;
    const id = rawText(campaign.id);
    const history = histories.get(id) ?? new CampaignHistory(reviewed);
    histories.set(id, history);
    const [conversions, revenue] = [amounts.conversions(row), amounts.revenue(row)];
    const isUnpaid = conversions > 0 && revenue === 0 && amounts.held?.(row) !== undefined;
    const visit = { age, clicks: amounts.clicks(row), conversions, cost: amounts.cost(row), revenue, isUnpaid };
    ofValues.length = 0;
    for (const { dimension, ofCampaigns, known } of read) {
      const code = ofCampaigns.codes[row] ?? 0;
      const value = ofCampaigns.values[code] ?? null;
      if (value === null) continue;
      known[code] ??= history.historyOf(dimension, value);
      ofValues.push(known[code]);
    }
    history.addVisit(visit, ofValues, (offers && valueAt(offers, row)) ?? null);
  }
}

/** Takes a few milliseconds. */
const rowsPerStep = 250;
