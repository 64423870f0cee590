import { valueAt } from '../../analysis/coded.ts';
import { indexOfColumn } from '../../analysis/columns/columns.ts';
import { timesIn } from '../../analysis/columns/times.ts';
import { UnreadFailure } from '../../analysis/columns/unread.ts';
import { payoutsIn } from '../../analysis/listed-conversions.ts';
import type { Mark } from '../../answer/marks.ts';
import type { Table } from '../../api/table.ts';
import { rawCell } from '../../api/text/tracker-text.ts';
import { namesOf, thingsOf } from '../../api/vocabulary.ts';
import { campaignsIn, type ListedCampaign } from '../campaigns.ts';
import type { Figures } from '../past-figures.ts';
import type { Span } from './read-visits.ts';

/** With fewer sales, one of usual size is half of the revenue. */
const minSales = 3;

/** A sale is more than this part of the revenue. */
const mostPart = 0.5;

interface Seen {
  largest: number;
  twice: number;
  readonly keys: Set<string>;
}

const { booked: bookedNames, visited: visitedNames } = thingsOf('conversion');
const visitorNames = namesOf('conversion', 'visitor');

/** Figures of campaigns that mislead, from conversion lists that are read anyway. */
export class SaleMarks {
  readonly #span: Span;
  readonly #campaignOf: ReturnType<typeof campaignsIn>;
  readonly #seen = new Map<ListedCampaign, Seen>();

  constructor(campaigns: readonly ListedCampaign[], span: Span) {
    this.#span = span;
    this.#campaignOf = campaignsIn(campaigns);
  }

  /** Adds the sales of the days by the day of the sale or of its visit. A list whose payouts cannot be read adds none. */
  add(table: Table): void {
    const values = readablePayouts(table);
    if (!values) return;
    const [booked, visited] = [bookedNames, visitedNames].map((names) => timesIn(table, names));
    const visitor = indexOfColumn(table, visitorNames) ?? -1;
    const campaignOf = this.#campaignOf(table);
    for (let row = 0; row < table.rowCount; row += 1) {
      const days = [booked?.dayOf(row), visited?.dayOf(row)];
      const campaign = valueAt(campaignOf, row)?.listed;
      if (!campaign || !days.some((day) => day != null && day >= this.#span.start && day <= this.#span.end)) continue;
      const value = values[row] || 0;
      const seen = this.#seen.get(campaign) ?? { largest: 0, twice: 0, keys: new Set() };
      this.#seen.set(campaign, seen);
      seen.largest = Math.max(seen.largest, value);
      const key = JSON.stringify([rawCell(table.text(row, visitor)) ?? row, value]);
      if (seen.keys.has(key)) seen.twice += 1;
      seen.keys.add(key);
    }
  }

  marksOf(campaign: ListedCampaign, now: Figures, before: Figures | undefined): readonly Mark[] {
    const { largest = 0, twice = 0 } = this.#seen.get(campaign) ?? {};
    const { revenue = 0, conversions = 0, views = 0, cost } = now;
    const isDecisive = conversions >= minSales && revenue > 0 && largest > revenue * mostPart && largest <= revenue;
    return [
      ...(isDecisive ? [{ code: 'one sale', percent: Math.round((largest / revenue) * 100) } as const] : []),
      ...(twice > 0 ? [{ code: 'sales twice', count: twice } as const] : []),
      ...(cost === 0 && views > 0 && (before?.cost ?? 0) > 0 ? [{ code: 'no cost' } as const] : []),
    ];
  }
}

function readablePayouts(table: Table): Float64Array | undefined {
  try {
    return payoutsIn(table);
  } catch (failure) {
    if (failure instanceof UnreadFailure) return undefined;
    throw failure;
  }
}
