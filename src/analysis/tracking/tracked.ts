import type { Coded } from '../../api/cells.ts';
import type { Pace } from '../../api/running-call.ts';
import type { TokenSlot } from '../../api/token-slots.ts';
import type { KeptTexts } from '../columns/kept-texts.ts';
import { rowsByValue } from '../rows-by-value.ts';
import { daysFrom } from '../sale-delay.ts';
import type { Reading } from '../visit-dimensions.ts';
import type { VisitAmounts } from '../visit-groups.ts';
import type { Token } from './macros.ts';

/** A campaign as the tracker lists it. */
export interface TrackedCampaign {
  readonly id: string;
  readonly name: string;
  readonly source: string | null;
  /** Undefined if the list does not tell, as below. */
  readonly active: boolean | undefined;
  readonly bid: number | undefined;
  readonly passesSubidToOffer: boolean | undefined;
  readonly link: string | null;
  /** The tokens of its source in the order of its link; empty if the tracker shows none. */
  readonly tokens: readonly Token[];
}

/** A conversion as the tracker lists it. */
export interface TrackedSale {
  readonly campaign: TrackedCampaign | undefined;
  readonly subid: string | null;
  readonly offer: string | null;
  readonly amount: number;
  /** The part of the amount that counts: nothing of a rejected sale. */
  readonly revenue: number;
  /** The offer's payout, if the list has it beside the amount. */
  readonly payout: number | null;
  readonly transaction: string | null;
  /** Days as YYYY-MM-DD, and moments on the tracker's clock. */
  readonly day: string | null;
  readonly at: number | null;
  readonly visitDay: string | null;
  readonly visitedAt: number | null;
}

/** The visits that were read, to look for those of sales. */
export interface KnownVisits {
  /** Of the subIDs of sales, those that a visit has. */
  readonly subids: ReadonlySet<string>;
  /** The numbers of the first and the last ClickID, if the day of some sale's visit is not known. */
  readonly clicks: readonly [first: number, last: number];
  readonly days: readonly [first: string, last: string];
}

export interface TrackedVisits {
  readonly rowCount: number;
  readonly campaigns: Coded<TrackedCampaign | undefined>;
  readonly days: Coded<string | null> | undefined;
  /** Of each visit; NaN if it has no time of day. */
  readonly moments: Float64Array;
  /** By slot, without those that the list lacks. */
  readonly slots: ReadonlyMap<TokenSlot, Reading>;
  /** Undefined if the list has no subIDs. They are not coded: each visit has its own. */
  readonly subids: Pick<KeptTexts, 'at'> | undefined;
  readonly landingPage: Reading | undefined;
  readonly offer: Reading | undefined;
  readonly amounts: VisitAmounts;
}

/** The visits that count. */
export interface Span {
  /** The first day that was read. */
  readonly read: string;
  /** The moment of the last visit. */
  readonly until: number;
  /** Once it is over, no further visits are looked at. */
  readonly pace: Pace;
}

/** The visits of a campaign in a list, as far as they count. */
export interface CountedVisits {
  readonly list: TrackedVisits;
  readonly campaign: TrackedCampaign;
  /** In their order. */
  readonly rows: Uint32Array;
  /** The day of each row since the first that was read. */
  readonly days: Int32Array;
  /** The moment of the latest one. */
  readonly latest: number;
}

/** The visits that count, list by list, and each campaign's where its first one is. Other calls run in between. */
export async function countVisits(
  lists: readonly TrackedVisits[],
  { read, until, pace }: Span,
): Promise<CountedVisits[]> {
  const counted: CountedVisits[] = [];
  for (const list of lists) {
    await pace.rest();
    if (pace.isOver) break;
    if (!list.days) continue;
    const days = daysSince(read, list.days);
    await pace.rest();
    const isCounted = areCounted(days, list.moments, until);
    await pace.rest();
    for (const [campaign, rows] of rowsByValue(list.campaigns, isCounted))
      counted.push({ list, campaign, rows, days, latest: latestOf(rows, list.moments) });
  }
  return counted;
}

function daysSince(first: string, { codes, values }: Coded<string | null>): Int32Array {
  const byCode = values.map((day) => (day === null ? -1 : daysFrom(first, day)));
  const days = new Int32Array(codes.length);
  for (let row = 0; row < days.length; row += 1) days[row] = byCode[codes[row] ?? 0] ?? -1;
  return days;
}

function areCounted(days: Int32Array, moments: Float64Array, until: number): Uint8Array {
  const counted = new Uint8Array(days.length);
  for (let row = 0; row < days.length; row += 1)
    counted[row] = Number((days[row] ?? -1) >= 0 && !((moments[row] ?? 0) > until));
  return counted;
}

function latestOf(rows: Uint32Array, moments: Float64Array): number {
  let latest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < rows.length; index += 1) {
    const moment = moments[rows[index] ?? 0] ?? Number.NaN;
    if (moment > latest) latest = moment;
  }
  return latest;
}
