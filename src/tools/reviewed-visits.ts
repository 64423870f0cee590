import { CampaignHistory, type History, joinPair, type Pair, pairs, reviewedDays } from '../analysis/account-review.ts';
import { mapCoded, pairCoded, valueAt } from '../analysis/coded.ts';
import { timesInLongList } from '../analysis/columns/times.ts';
import type { Money } from '../analysis/sale-status.ts';
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
import { thingsOf } from '../api/vocabulary.ts';
import type { VisitList } from './account/account-visits.ts';
import type { ListedCampaign } from './campaigns.ts';

const dimensions = ['landing_page', 'offer', 'keyword', 'ad', 'isp', 'user_agent', ...extraSlots];

/** The dimensions of a review, of which the last are made of two. */
export const reviewed = [...dimensions, ...pairs.map(({ name }) => name)];

export const hourMs = 3_600_000;

const { convertedAt } = thingsOf('visitor');

/** The visits of a list whose campaign and time are known. */
export interface TimedVisits {
  /** In their order. */
  readonly rows: readonly number[];
  readonly campaigns: Coded<ListedCampaign | undefined>;
  readonly campaignOf: (row: number) => ListedCampaign | undefined;
  /** On the tracker's clock as if that were UTC. */
  readonly momentOf: (row: number) => number;
  /** When its sale came in; null if the list does not tell. */
  readonly soldAt: (row: number) => number | null;
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

/** What is read of a list, and the networks of its offers. */
const columnNames = [...dimensions, ...pairs.map(({ within }) => within), 'network'];

export async function timedVisits(lists: readonly VisitList[], money: Money, pace: Pace): Promise<TimedVisits[]> {
  const visits: TimedVisits[] = [];
  for (const { table, visited } of lists) {
    const times = visitTimes(table);
    const readings = await readAll(table, readers, pace, columnNames);
    await readFigures(table, pace);
    const soldTimes = await timesInLongList(table, convertedAt, pace);
    const campaigns = mapCoded(visited, ({ listed }) => listed);
    const campaignOf = (row: number) => valueAt(campaigns, row);
    const momentOf = (row: number) => times?.momentOf(row) ?? Number.NaN;
    const isTimed = (row: number) => campaignOf(row) !== undefined && !Number.isNaN(momentOf(row));
    const rows: number[] = [];
    for (let row = 0; row < table.rowCount; row += 1) if (isTimed(row)) rows.push(row);
    const soldAt = (row: number) => soldTimes?.momentOf(row) ?? null;
    visits.push({ rows, campaigns, campaignOf, momentOf, soldAt, readings, amounts: amountsIn(table, money) });
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
  const { rows, campaignOf, momentOf, soldAt, readings, amounts } = list;
  const read = reviewed.flatMap((dimension, index) => {
    const reading = readings[index];
    return reading?.values.some((value) => value != null) ? [{ dimension, reading }] : [];
  });
  const offers = readings[reviewed.indexOf('offer')];
  // Campaign by campaign, each value is looked up by its name once.
  const byCampaign = new Map<ListedCampaign, number[]>();
  for (const [index, row] of rows.entries()) {
    if (index % rowsPerStep === 0) await pace.rest();
    const [campaign, at] = [campaignOf(row), momentOf(row)];
    if (!campaign || at > clock || (clock - at) / hourMs >= reviewedDays * 24) continue;
    const known = byCampaign.get(campaign);
    if (known) known.push(row);
    else byCampaign.set(campaign, [row]);
  }
  const byCode = read.map(({ reading }) => new Array<History | null | undefined>(reading.values.length));
  const ofValues: History[] = [];
  let added = 0;
  for (const [campaign, ofCampaign] of byCampaign) {
    const id = rawText(campaign.id);
    const history = histories.get(id) ?? new CampaignHistory(reviewed);
    histories.set(id, history);
    for (const ofDimension of byCode) ofDimension.fill(undefined);
    for (const row of ofCampaign) {
      added += 1;
      if (added % rowsPerStep === 0) await pace.rest();
      const [conversions, revenue] = [amounts.conversions(row), amounts.revenue(row)];
      const isUnpaid = conversions > 0 && revenue === 0 && (amounts.held?.(row).length ?? 0) > 0;
      const age = (clock - momentOf(row)) / hourMs;
      const sold = conversions > 0 ? soldAt(row) : null;
      const soldAge = sold === null ? undefined : (clock - sold) / hourMs;
      const [clicks, cost] = [amounts.clicks(row), amounts.cost(row)];
      const visit = { age, soldAge, clicks, conversions, cost, revenue, isUnpaid };
      ofValues.length = 0;
      for (const [place, { dimension, reading }] of read.entries()) {
        const code = reading.codes[row] ?? 0;
        const ofDimension = byCode[place] ?? [];
        let own = ofDimension[code];
        if (own === undefined) {
          const value = reading.values[code] ?? null;
          own = value === null ? null : history.historyOf(dimension, value);
          ofDimension[code] = own;
        }
        if (own) ofValues.push(own);
      }
      history.addVisit(visit, ofValues, (offers && valueAt(offers, row)) ?? null);
    }
  }
}

/** Takes a few milliseconds. */
const rowsPerStep = 250;
