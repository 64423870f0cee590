import {
  type AgedVisits,
  CampaignHistory,
  type History,
  hasNothingIn,
  joinPair,
  offerInCountry,
  type Pair,
  pairs,
  reviewedDays,
  smallIn,
  type Tally,
  traits,
} from '../analysis/account-review.ts';
import { countListed, mapCoded, pairCoded, valueAt } from '../analysis/coded.ts';
import { timesInLongList } from '../analysis/columns/times.ts';
import { rowsByValue } from '../analysis/rows-by-value.ts';
import type { Money } from '../analysis/sale-status.ts';
import { groupBy } from '../analysis/statistics/history.ts';
import { type Reader, type Reading, readerOf, visitTimes } from '../analysis/visit-dimensions.ts';
import { amountsIn, readAll, readFigures, type VisitAmounts } from '../analysis/visit-groups.ts';
import type { Codes } from '../api/cells.ts';
import { hourMs } from '../api/durations.ts';
import type { Pace } from '../api/running-call.ts';
import { type Steps, withRests } from '../api/steps.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { extraSlots } from '../api/token-slots.ts';
import { thingsOf } from '../api/vocabulary.ts';
import type { VisitList } from './account/account-visits.ts';
import type { ListedCampaign } from './campaigns.ts';

const dimensions = ['landing_page', 'offer', 'keyword', 'ad', 'isp', 'user_agent', ...extraSlots, ...traits];

/** The dimensions of a review, of which the last are made of two. */
export const reviewed = [...dimensions, ...pairs.map(({ name }) => name)];

const { convertedAt } = thingsOf('visitor');

/** The values of a dimension, which have the same numbers in all lists. */
interface NumberedValues {
  readonly names: readonly string[];
  /** By the code of a list; -1 for none. */
  readonly ofCode: Int32Array;
}

/** The visits of a campaign in a list that have a time. */
export interface CampaignVisits {
  readonly campaign: ListedCampaign;
  /** In their order. */
  readonly rows: Uint32Array;
  /** Of each row of the list, on the tracker's clock as if that were UTC. */
  readonly moments: Float64Array;
  /** When its sale came in; NaN if the list does not tell. */
  readonly soldMoments: Float64Array;
  /** The dimensions, in their order; undefined if the list lacks one. */
  readonly readings: readonly (Reading | undefined)[];
  readonly numbered: readonly NumberedValues[];
  readonly amounts: VisitAmounts;
}

const readerOfPair =
  ({ dimension, within }: Pair): Reader =>
  (table) => {
    const [values, others] = [dimension, within].map((name) => readerOf(name)(table));
    if (!values || !others) return undefined;
    return pairCoded(values, others, (one, other) => (one == null || other == null ? null : joinPair(one, other)));
  };

const readers = [...dimensions.map(readerOf), ...pairs.map(readerOfPair)];

/** What is read of a list, and the networks of its offers. */
const columnNames = [...dimensions, 'network'];

export async function visitsByCampaign(
  lists: readonly VisitList[],
  money: Money,
  pace: Pace,
): Promise<CampaignVisits[]> {
  const visits: CampaignVisits[] = [];
  const numbering = reviewed.map(() => new Numbering());
  for (const { table, visited } of lists) {
    const times = visitTimes(table);
    const readings = await readAll(table, readers, pace, columnNames);
    await readFigures(table, pace, money);
    const soldTimes = await timesInLongList(table, convertedAt, pace);
    await pace.rest();
    const unknown = new Float64Array();
    const { moments } = times ?? { moments: unknown };
    const numbered = numbering.map((values, place) => values.of(readings[place]));
    await pace.rest();
    const soldMoments = soldTimes?.moments ?? unknown;
    const list = { moments, soldMoments, readings, numbered, amounts: amountsIn(table, money) };
    await pace.rest();
    const campaigns = mapCoded(visited, ({ listed }) => listed);
    for (const [campaign, rows] of rowsByValue(campaigns, areKnown(moments))) visits.push({ ...list, campaign, rows });
    await pace.rest();
  }
  return visits;
}

/** When visits clicked. @param offers those that they were sent to; by default any */
export function clickMoments(visits: readonly CampaignVisits[], offers?: ReadonlySet<string>): number[] {
  const place = dimensions.indexOf('offer');
  return visits.flatMap(({ rows, moments, readings, amounts }) => {
    const reading = readings[place];
    const isMeant = offers && reading && mapCoded(reading, (offer) => offer != null && offers.has(offer));
    if (offers && !isMeant) return [];
    const has = (row: number) => (amounts.clicks[row] ?? 0) > 0 && (!isMeant || valueAt(isMeant, row) === true);
    return Array.from(rows.filter(has), (row) => moments[row] ?? 0);
  });
}

function areKnown(moments: Float64Array): Uint8Array {
  const known = new Uint8Array(moments.length);
  for (let row = 0; row < known.length; row += 1) known[row] = Number(!Number.isNaN(moments[row]));
  return known;
}

/** Numbers the values of a dimension, each once for all lists. */
class Numbering {
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(reading: Reading | undefined): NumberedValues {
    const ofCode = Int32Array.from(reading?.values ?? [], (value) => {
      if (value == null) return -1;
      const known = this.#numbers.get(value);
      if (known !== undefined) return known;
      this.#numbers.set(value, this.#names.length);
      return this.#names.push(value) - 1;
    });
    return { names: this.#names, ofCode };
  }
}

/** Takes a few milliseconds. */
const rowsPerStep = 4000;

/** A list of a campaign, with the rows that count as of a moment. */
type CountedList = Pick<CampaignVisits, 'rows' | 'readings' | 'numbered'>;

/** The visits of a campaign, and where they are in the columns. */
interface CountedCampaign {
  readonly history: CampaignHistory;
  readonly lists: readonly CountedList[];
  readonly from: number;
  readonly to: number;
}

/** The visits of each campaign up to a moment, by its ID. */
export async function historiesAt(
  visits: readonly CampaignVisits[],
  clock: number,
  pace: Pace,
): Promise<Map<string, CampaignHistory>> {
  const histories = new Map<string, CampaignHistory>();
  const counted: CountedCampaign[] = [];
  const valueCounts = reviewed.map((_, place) =>
    maxOf(visits.map(({ numbered }) => numbered[place]?.names.length ?? 0)),
  );
  const columns = new ReviewColumns(countListed(visits), maxOf(valueCounts));
  for (const [{ id }, all] of groupBy(visits, ({ campaign }) => campaign)) {
    const history = new CampaignHistory(reviewed, (clock / hourMs) % 24);
    const lists = all.map((list) => ({ ...list, rows: rowsUntil(clock, list) }));
    const from = columns.count;
    for (const list of lists)
      for (let first = 0; first < list.rows.length; first += rowsPerStep) {
        await pace.rest();
        columns.addWhole(history, list, list.rows.subarray(first, first + rowsPerStep), clock);
      }
    if (columns.count === from) continue;
    histories.set(rawText(id), history);
    counted.push({ history, lists, from, to: columns.count });
  }
  // One dimension of all campaigns after the other: its codes fit into the caches of a processor.
  for (const [place, dimension] of reviewed.entries()) {
    if (valueCounts[place] === 0) continue;
    for (const campaign of counted)
      if (!hasNothingIn(campaign.history, dimension)) await withRests(columns.addValues(campaign, place), pace.rest);
  }
  return histories;
}

const maxOf = (numbers: readonly number[]) => numbers.reduce((most, one) => Math.max(most, one), 0);

function rowsUntil(clock: number, { rows, moments }: CampaignVisits): Uint32Array {
  const chosen = new Uint32Array(rows.length);
  let count = 0;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    const age = (clock - (moments[row] ?? Number.NaN)) / hourMs;
    if (!(age >= 0 && age < reviewedDays * 24)) continue;
    chosen[count] = row;
    count += 1;
  }
  return chosen.subarray(0, count);
}

/** The visits of one campaign after the other: their figures in one column each, and the sums of the values of a dimension in one campaign. */
class ReviewColumns {
  count = 0;
  readonly #visits: Readonly<Record<keyof AgedVisits, Float64Array>>;
  /** By visit, the number of its value. */
  readonly #numbers: Int32Array;
  /** By the number of a value. */
  readonly #tallies: Float64Array;
  readonly #histories: (History | undefined)[] = [];

  constructor(visits: number, values: number) {
    const column = () => new Float64Array(visits);
    this.#visits = { age: column(), clicks: column(), conversions: column(), cost: column(), revenue: column() };
    this.#numbers = new Int32Array(visits);
    this.#tallies = new Float64Array(values * tallyWidth);
  }

  /** Adds visits to these columns, and to the sums and sales of their campaign. */
  addWhole(
    history: CampaignHistory,
    { moments, soldMoments, readings, amounts }: CampaignVisits,
    rows: Uint32Array,
    clock: number,
  ): void {
    const [offers, offersInCountries] = ['offer', offerInCountry.name].map((name) => readings[reviewed.indexOf(name)]);
    const visits = this.#visits;
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      const visit = this.count;
      this.count += 1;
      const age = (clock - (moments[row] ?? Number.NaN)) / hourMs;
      const conversions = amounts.conversions[row] ?? 0;
      const revenue = amounts.revenue[row] ?? 0;
      visits.age[visit] = age;
      visits.clicks[visit] = amounts.clicks[row] ?? 0;
      visits.conversions[visit] = conversions;
      visits.cost[visit] = amounts.cost[row] ?? 0;
      visits.revenue[visit] = revenue;
      history.add(visits, visit);
      // What a rejected sale paid is no payout.
      if (conversions <= 0 || (revenue === 0 && (amounts.held?.of(row).length ?? 0) > 0)) continue;
      const sold = soldMoments[row] ?? Number.NaN;
      const soldAge = Number.isNaN(sold) ? undefined : (clock - sold) / hourMs;
      history.sales.push({
        ...{ age, soldAge, conversions, revenue, offer: (offers && valueAt(offers, row)) ?? null },
        offerInCountry: offersInCountries && valueAt(offersInCountries, row),
      });
    }
  }

  /** Adds the visits to the histories of their values. Which are small is known once all of their visits are counted. */
  *addValues(campaign: CountedCampaign, place: number): Steps<void> {
    yield;
    const { history, lists, to } = campaign;
    const dimension = reviewed[place] ?? '';
    const names = lists[0]?.numbered[place]?.names ?? [];
    const isSmall = smallIn(history, dimension);
    this.#numberVisits(place, campaign);
    const found: number[] = [];
    for (let { from } = campaign; from < to; from += rowsPerStep) {
      yield;
      this.#tally(from, Math.min(from + rowsPerStep, to), found);
    }
    for (const number of found) {
      this.#histories[number] = isSmall(this.#tallyOf(number))
        ? history.smallOf(dimension)
        : history.historyOf(dimension, names[number] ?? '');
    }
    for (let { from } = campaign; from < to; from += rowsPerStep) {
      yield;
      this.#addSome(from, Math.min(from + rowsPerStep, to));
    }
    for (const number of found) {
      this.#histories[number] = undefined;
      this.#tallies.fill(0, number * tallyWidth, (number + 1) * tallyWidth);
    }
  }

  #addSome(from: number, to: number): void {
    for (let visit = from; visit < to; visit += 1) {
      const number = this.#numbers[visit] ?? -1;
      if (number >= 0) this.#histories[number]?.add(this.#visits, visit);
    }
  }

  #tallyOf(number: number): Tally {
    const [tallies, start] = [this.#tallies, number * tallyWidth];
    return {
      views: tallies[start] ?? 0,
      clicks: tallies[start + 1] ?? 0,
      sales: tallies[start + 2] ?? 0,
      cost: tallies[start + 3] ?? 0,
    };
  }

  /** Finds the value of each visit. */
  #numberVisits(place: number, { lists, from }: CountedCampaign): void {
    let visit = from;
    for (const { rows, readings, numbered } of lists) {
      const [codes, ofCode] = [readings[place]?.codes, numbered[place]?.ofCode];
      const numbers = this.#numbers.subarray(visit, visit + rows.length);
      if (codes && ofCode) numberRows(numbers, rows, codes, ofCode);
      else numbers.fill(-1);
      visit += rows.length;
    }
  }

  /** Counts the visits of each value. @param found gets the numbers of the values */
  #tally(from: number, to: number, found: number[]): void {
    const [numbers, tallies] = [this.#numbers, this.#tallies];
    const { clicks, conversions, cost, revenue } = this.#visits;
    for (let visit = from; visit < to; visit += 1) {
      const number = numbers[visit] ?? -1;
      if (number < 0) continue;
      const start = number * tallyWidth;
      if (tallies[start] === 0) found.push(number);
      tallies[start] = (tallies[start] ?? 0) + 1;
      tallies[start + 1] = (tallies[start + 1] ?? 0) + (clicks[visit] ?? 0);
      tallies[start + 2] = (tallies[start + 2] ?? 0) + (conversions[visit] || Number(revenue[visit] !== 0));
      tallies[start + 3] = (tallies[start + 3] ?? 0) + (cost[visit] ?? 0);
    }
  }
}

/** Apart from what is made of the numbers: codes are of several types, for each of which V8 compiles the loop again. */
function numberRows(numbers: Int32Array, rows: Uint32Array, codes: Codes, ofCode: Int32Array): void {
  for (let index = 0; index < rows.length; index += 1) numbers[index] = ofCode[codes[rows[index] ?? 0] ?? 0] ?? -1;
}

/** The places of a tally: views, clicks, sales and cost. */
const tallyWidth = 4;
