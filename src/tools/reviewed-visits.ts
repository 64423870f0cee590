import {
  CampaignHistory,
  joinPair,
  type Pair,
  pairNamed,
  pairs,
  reviewedDays,
  smallIn,
  type Tally,
} from '../analysis/account-review.ts';
import { mapCoded, pairCoded, valueAt } from '../analysis/coded.ts';
import { timesInLongList } from '../analysis/columns/times.ts';
import { rowsByValue } from '../analysis/rows-by-value.ts';
import type { Money } from '../analysis/sale-status.ts';
import { groupBy } from '../analysis/statistics/history.ts';
import { type Reader, type Reading, readerOf, visitTimes } from '../analysis/visit-dimensions.ts';
import { amountsIn, readAll, readFigures, type VisitAmounts } from '../analysis/visit-groups.ts';
import { hourMs } from '../api/durations.ts';
import type { Pace } from '../api/running-call.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { extraSlots } from '../api/token-slots.ts';
import { thingsOf } from '../api/vocabulary.ts';
import type { VisitList } from './account/account-visits.ts';
import type { ListedCampaign } from './campaigns.ts';

const dimensions = ['landing_page', 'offer', 'keyword', 'ad', 'isp', 'user_agent', ...extraSlots];

/** The dimensions of a review, of which the last are made of two. */
export const reviewed = [...dimensions, ...pairs.map(({ name }) => name)];

const { convertedAt } = thingsOf('visitor');

/** The visits of a campaign in a list that have a time. */
export interface CampaignVisits {
  readonly campaign: ListedCampaign;
  /** In their order. */
  readonly rows: Uint32Array;
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

export async function visitsByCampaign(
  lists: readonly VisitList[],
  money: Money,
  pace: Pace,
): Promise<CampaignVisits[]> {
  const visits: CampaignVisits[] = [];
  for (const { table, visited } of lists) {
    const times = visitTimes(table);
    const readings = await readAll(table, readers, pace, columnNames);
    await readFigures(table, pace, money);
    const soldTimes = await timesInLongList(table, convertedAt, pace);
    const momentOf = (row: number) => times?.momentOf(row) ?? Number.NaN;
    const soldAt = (row: number) => soldTimes?.momentOf(row) ?? null;
    const list = { momentOf, soldAt, readings, amounts: amountsIn(table, money) };
    const campaigns = mapCoded(visited, ({ listed }) => listed);
    for (const [campaign, rows] of rowsByValue(campaigns, (row) => !Number.isNaN(momentOf(row))))
      visits.push({ ...list, campaign, rows });
    await pace.rest();
  }
  return visits;
}

/** The visits of a campaign in a list that count as of a moment, and their figures in their order. */
interface CountedVisits extends CampaignVisits {
  readonly ages: Float64Array;
  readonly clicks: Float64Array;
  readonly sales: Float64Array;
  readonly costs: Float64Array;
  readonly revenues: Float64Array;
}

function countedAt({ rows: all, ...list }: CampaignVisits, clock: number): CountedVisits {
  const { momentOf, amounts } = list;
  const ageOf = (row: number) => (clock - momentOf(row)) / hourMs;
  const rows = all.filter((row) => momentOf(row) <= clock && ageOf(row) < reviewedDays * 24);
  const numbers = (read: (row: number) => number) => {
    const found = new Float64Array(rows.length);
    for (let index = 0; index < rows.length; index += 1) found[index] = read(rows[index] ?? 0);
    return found;
  };
  return {
    ...list,
    rows,
    ages: numbers(ageOf),
    clicks: numbers(amounts.clicks),
    sales: numbers(amounts.conversions),
    costs: numbers(amounts.cost),
    revenues: numbers(amounts.revenue),
  };
}

/** The visits of each campaign up to a moment, by its ID. */
export async function historiesAt(
  visits: readonly CampaignVisits[],
  clock: number,
  pace: Pace,
): Promise<Map<string, CampaignHistory>> {
  const histories = new Map<string, CampaignHistory>();
  for (const [{ id }, all] of groupBy(visits, ({ campaign }) => campaign)) {
    const counted = all.map((one) => countedAt(one, clock)).filter(({ rows }) => rows.length > 0);
    if (counted.length === 0) continue;
    const history = new CampaignHistory(reviewed);
    histories.set(rawText(id), history);
    for (const one of counted) {
      await pace.rest();
      addWhole(history, one, clock);
    }
    const isSmall = smallIn(history);
    for (const dimension of reviewed) {
      await pace.rest();
      addValues(history, dimension, counted, isPage(dimension) ? () => false : isSmall);
    }
  }
  return histories;
}

const isPage = (dimension: string) => dimension === 'landing_page' || dimension === 'offer' || pairNamed(dimension);

/** Adds visits to the sums and sales of their campaign. */
function addWhole(
  history: CampaignHistory,
  { rows, soldAt, readings, amounts, ages, clicks, sales, costs, revenues }: CountedVisits,
  clock: number,
): void {
  const offers = readings[reviewed.indexOf('offer')];
  for (let index = 0; index < rows.length; index += 1) {
    const [row = 0, age = 0, conversions = 0, revenue = 0] = [rows[index], ages[index], sales[index], revenues[index]];
    history.add(age, clicks[index] ?? 0, conversions, costs[index] ?? 0, revenue);
    // What a rejected sale paid is no payout.
    if (conversions <= 0 || (revenue === 0 && (amounts.held?.(row).length ?? 0) > 0)) continue;
    const sold = soldAt(row);
    const soldAge = sold === null ? undefined : (clock - sold) / hourMs;
    history.sales.push({ age, soldAge, conversions, revenue, offer: (offers && valueAt(offers, row)) ?? null });
  }
}

/** Adds visits to the histories of their values. Which are small is known once all of their visits are counted. */
function addValues(
  campaign: CampaignHistory,
  dimension: string,
  counted: readonly CountedVisits[],
  isSmall: (value: Tally) => boolean,
): void {
  const place = reviewed.indexOf(dimension);
  const tallies = new Map<string, Tally>();
  const byRow = counted.map((visits) => tallyRows(visits, visits.readings[place], tallies));
  for (const [value, tally] of tallies)
    tally.history = isSmall(tally) ? campaign.smallOf(dimension) : campaign.historyOf(dimension, value);
  for (const [part, { ages, clicks, sales, costs, revenues }] of counted.entries()) {
    const ofRows = byRow[part] ?? [];
    for (let index = 0; index < ofRows.length; index += 1) {
      const history = ofRows[index]?.history;
      history?.add(ages[index] ?? 0, clicks[index] ?? 0, sales[index] ?? 0, costs[index] ?? 0, revenues[index] ?? 0);
    }
  }
}

/** Counts the visits of each value; returns that of each visit. */
function tallyRows(
  { rows, clicks, sales, costs, revenues }: CountedVisits,
  reading: Reading | undefined,
  tallies: Map<string, Tally>,
): readonly (Tally | undefined)[] {
  if (!reading) return [];
  const byRow = new Array<Tally | undefined>(rows.length);
  for (let index = 0; index < rows.length; index += 1) {
    const code = reading.codes[rows[index] ?? 0] ?? 0;
    let tally = tallyByCode[code];
    if (!tally) {
      const value = reading.values[code] ?? null;
      if (value === null) continue;
      tally = tallies.get(value) ?? { views: 0, clicks: 0, sales: 0, cost: 0 };
      tallies.set(value, tally);
      tallyByCode[code] = tally;
    }
    byRow[index] = tally;
    tally.views += 1;
    tally.clicks += clicks[index] ?? 0;
    tally.sales += (sales[index] ?? 0) + Number(revenues[index] !== 0);
    tally.cost += costs[index] ?? 0;
  }
  for (const row of rows) tallyByCode[reading.codes[row] ?? 0] = undefined;
  return byRow;
}

/** Used by one step at a time, since a list for each campaign would be long. */
const tallyByCode: (Tally | undefined)[] = [];
