import { CampaignHistory, type History, joinPair, type Pair, pairs, reviewedDays } from '../analysis/account-review.ts';
import { mapCoded, pairCoded, rowsThat, valueAt } from '../analysis/coded.ts';
import { timesInLongList } from '../analysis/columns/times.ts';
import type { Money } from '../analysis/sale-status.ts';
import { type Reader, type Reading, readerOf, visitTimes } from '../analysis/visit-dimensions.ts';
import { amountsIn, readAll, readFigures, type VisitAmounts } from '../analysis/visit-groups.ts';
import { hourMs } from '../api/durations.ts';
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

const { convertedAt } = thingsOf('visitor');

/** The visits of a list whose campaign and time are known. */
export interface TimedVisits {
  /** In their order. */
  readonly rows: Uint32Array;
  readonly campaigns: Coded<ListedCampaign | undefined>;
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
    await readFigures(table, pace, money);
    const soldTimes = await timesInLongList(table, convertedAt, pace);
    const campaigns = mapCoded(visited, ({ listed }) => listed);
    const momentOf = (row: number) => times?.momentOf(row) ?? Number.NaN;
    const isTimed = (row: number) => valueAt(campaigns, row) !== undefined && !Number.isNaN(momentOf(row));
    const rows = rowsThat(table.rowCount, isTimed);
    const soldAt = (row: number) => soldTimes?.momentOf(row) ?? null;
    visits.push({ rows, campaigns, momentOf, soldAt, readings, amounts: amountsIn(table, money) });
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
  const read = reviewed.flatMap((dimension, index) => {
    const reading = list.readings[index];
    return reading?.values.some((value) => value != null) ? [{ dimension, reading }] : [];
  });
  await pace.rest();
  // Campaign by campaign, each value is looked up by its name once.
  const byCampaign = rowsByCampaign(list, clock);
  const byCode = read.map(({ reading }) => new Array<History | null | undefined>(reading.values.length));
  for (const [campaign, rows] of byCampaign) {
    const id = rawText(campaign.id);
    const history = histories.get(id) ?? new CampaignHistory(reviewed);
    histories.set(id, history);
    for (const ofDimension of byCode) ofDimension.fill(undefined);
    for (let start = 0; start < rows.length; start += rowsPerStep) {
      await pace.rest();
      addRows(history, rows.slice(start, start + rowsPerStep), list, clock, read, byCode);
    }
  }
}

function rowsByCampaign({ rows, campaigns, momentOf }: TimedVisits, clock: number) {
  const byCampaign = new Map<ListedCampaign, number[]>();
  for (const row of rows) {
    const campaign = valueAt(campaigns, row);
    const at = momentOf(row);
    if (!campaign || at > clock || (clock - at) / hourMs >= reviewedDays * 24) continue;
    const known = byCampaign.get(campaign);
    if (known) known.push(row);
    else byCampaign.set(campaign, [row]);
  }
  return byCampaign;
}

/** @param byCode the histories of each dimension by the codes of its values; null for an empty one */
function addRows(
  history: CampaignHistory,
  rows: readonly number[],
  { momentOf, soldAt, readings, amounts }: TimedVisits,
  clock: number,
  read: readonly { readonly dimension: string; readonly reading: Reading }[],
  byCode: readonly (History | null | undefined)[][],
): void {
  const offers = readings[reviewed.indexOf('offer')];
  const ofValues: History[] = [];
  for (const row of rows) {
    const conversions = amounts.conversions(row);
    const revenue = amounts.revenue(row);
    const isUnpaid = conversions > 0 && revenue === 0 && (amounts.held?.(row).length ?? 0) > 0;
    const age = (clock - momentOf(row)) / hourMs;
    const sold = conversions > 0 ? soldAt(row) : null;
    const soldAge = sold === null ? undefined : (clock - sold) / hourMs;
    const [clicks, cost] = [amounts.clicks(row), amounts.cost(row)];
    const visit = { age, soldAge, clicks, conversions, cost, revenue, isUnpaid };
    ofValues.length = 0;
    for (let place = 0; place < read.length; place += 1) {
      const { dimension, reading } = read[place] as (typeof read)[number];
      const ofDimension = byCode[place] as (typeof byCode)[number];
      const code = reading.codes[row] ?? 0;
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

/** Takes a few milliseconds. */
const rowsPerStep = 1000;
