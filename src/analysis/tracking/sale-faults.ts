import type { TrackingFault } from '../../answer/tracking-faults.ts';
import { groupBy } from '../statistics/history.ts';
import { clickNumberOf } from '../visit-story.ts';
import type { TrackedCampaign } from './gathered.ts';
import { named } from './token-faults.ts';

/** A conversion as the tracker lists it. */
export interface TrackedSale {
  readonly campaign: TrackedCampaign | undefined;
  readonly subid: string | null;
  readonly offer: string | null;
  readonly revenue: number;
  readonly transaction: string | null;
  /** Days as YYYY-MM-DD, and moments on the tracker's clock. */
  readonly day: string | null;
  readonly at: number | null;
  readonly visitDay: string | null;
  readonly visitedAt: number | null;
}

/** The visits that were read, to look for those of sales. */
export interface KnownVisits {
  readonly subids: ReadonlySet<string>;
  /** The numbers of the first and the last ClickID. */
  readonly clicks: readonly [first: number, last: number];
  readonly days: readonly [first: string, last: string];
}

/** One or two sales may have been put in by hand. */
const minSales = 3;
const minPart = 0.02;

/** Clocks of servers differ by less. */
const minEarlierMs = 60_000;

interface Check {
  readonly code: 'sale_without_visit' | 'sale_twice' | 'sale_before_visit';
  readonly isBad: (sale: TrackedSale) => boolean;
}

/** Sales that their visits contradict, by campaign. */
export function saleFaults(sales: readonly TrackedSale[], visits: KnownVisits | undefined): TrackingFault[] {
  const twice = repeated(sales);
  const checks: readonly Check[] = [
    { code: 'sale_without_visit', isBad: (sale) => visits !== undefined && lacksVisit(sale, visits) },
    { code: 'sale_twice', isBad: (sale) => twice.has(sale) },
    {
      code: 'sale_before_visit',
      isBad: ({ at, visitedAt }) => at !== null && visitedAt !== null && visitedAt - at > minEarlierMs,
    },
  ];
  const byCampaign = groupBy(sales, ({ campaign }) => campaign);
  return checks.flatMap(({ code, isBad }) =>
    [...byCampaign].flatMap(([campaign, own]): TrackingFault[] => {
      const bad = own.filter(isBad);
      if (bad.length < minSales || bad.length < minPart * own.length) return [];
      const days = bad.flatMap(({ day }) => day ?? []).sort();
      const [first = ''] = own.flatMap(({ day }) => day ?? []).sort();
      return [
        {
          ...{ code, campaign: campaign ? named(campaign) : undefined, source: campaign?.source ?? undefined },
          ...{ visits: bad.length, of: own.length, counts: 'sale' as const },
          money: bad.reduce((sum, { revenue }) => sum + revenue, 0),
          ...{ since: days[0] ?? '', isOlder: days[0] === first, example: exampleOf(bad[0]), at: 'network' as const },
        },
      ];
    }),
  );
}

const exampleOf = (sale: TrackedSale | undefined) => sale?.subid ?? sale?.transaction ?? null;

/** Whether the visit of a sale should have been read and was not. */
function lacksVisit({ subid, visitDay }: TrackedSale, { subids, clicks, days }: KnownVisits): boolean {
  if (subid === null) return true;
  if (subids.has(subid) || subids.has(clickNumberOf(subid))) return false;
  if (visitDay !== null) return visitDay >= days[0] && visitDay <= days[1];
  const click = Number(clickNumberOf(subid));
  return Number.isNaN(click) || (click > clicks[0] && click < clicks[1]);
}

/** Sales that repeat one of the same visitor and amount. A transaction of its own makes it another sale. */
function repeated(sales: readonly TrackedSale[]): ReadonlySet<TrackedSale> {
  const seen = new Set<string>();
  return new Set(
    sales.filter(({ campaign, subid, revenue, transaction }) => {
      if (subid === null && transaction === null) return false;
      const key = JSON.stringify([campaign?.id, subid, transaction, revenue]);
      const isSeen = seen.has(key);
      seen.add(key);
      return isSeen;
    }),
  );
}
