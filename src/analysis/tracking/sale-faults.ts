import type { TrackingFault } from '../../answer/tracking-faults.ts';
import { groupBy } from '../statistics/history.ts';
import { clickNumberOf } from '../visit-story.ts';
import type { TrackedCampaign } from './gathered.ts';
import { type SubidForm, subidFault } from './subids.ts';
import { named } from './token-faults.ts';

/** A conversion as the tracker lists it. */
export interface TrackedSale {
  readonly campaign: TrackedCampaign | undefined;
  readonly subid: string | null;
  readonly offer: string | null;
  readonly revenue: number;
  /** The offer's payout, if the list has it beside the revenue. */
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
  readonly subids: ReadonlySet<string>;
  /** The numbers of the first and the last ClickID. */
  readonly clicks: readonly [first: number, last: number];
  readonly days: readonly [first: string, last: string];
}

/** The days that were asked for; sales of days before show what an offer paid. */
interface Asked {
  readonly first: string;
  readonly form: SubidForm | undefined;
}

/** One or two sales may have been put in by hand. */
const minSales = 3;
const minPart = 0.02;

/** Clocks of servers differ by less. */
const minEarlierMs = 60_000;

interface Check {
  readonly code: TrackingFault['code'];
  readonly isBad: (sale: TrackedSale) => boolean;
}

/** Sales that their visits contradict, by campaign, and offers that pay twice. */
export function saleFaults(
  sales: readonly TrackedSale[],
  visits: KnownVisits | undefined,
  { first, form }: Asked,
): TrackingFault[] {
  const asked = sales.filter(({ day }) => day === null || day >= first);
  const twice = repeated(asked);
  const wrong = new Map(
    asked.flatMap((sale) => {
      const fault = form && sale.subid && sale.campaign ? subidFault(sale.subid, sale.campaign.id, form) : undefined;
      return fault ? [[sale, fault] as const] : [];
    }),
  );
  const checks: readonly Check[] = [
    ...(['cut_subid', 'doubled_subid', 'other_campaigns_subid'] as const).map((code) => ({
      code,
      isBad: (sale: TrackedSale) => wrong.get(sale) === code,
    })),
    {
      code: 'sale_without_visit',
      isBad: (sale) => visits !== undefined && !wrong.has(sale) && lacksVisit(sale, visits),
    },
    { code: 'sale_twice', isBad: (sale) => twice.has(sale) },
    {
      code: 'sale_before_visit',
      isBad: ({ at, visitedAt }) => at !== null && visitedAt !== null && visitedAt - at > minEarlierMs,
    },
  ];
  const byCampaign = groupBy(asked, ({ campaign }) => campaign);
  return [
    ...checks.flatMap(({ code, isBad }) =>
      [...byCampaign.values()].flatMap((own): TrackingFault[] => {
        const bad = own.filter(isBad);
        if (bad.length < minSales || bad.length < minPart * own.length) return [];
        return [{ code, ...countSales(bad, own), example: exampleOf(bad[0]) }];
      }),
    ),
    ...doubledPayouts(sales, first),
  ];
}

function countSales(bad: readonly TrackedSale[], own: readonly TrackedSale[]) {
  const days = [bad, own].map((some) => some.flatMap(({ day }) => day ?? []).toSorted()[0] ?? '');
  const [since = '', first] = days;
  const campaign = own[0]?.campaign;
  return {
    ...{ campaign: campaign && named(campaign), source: campaign?.source ?? undefined },
    ...{ visits: bad.length, of: own.length, counts: 'sale' as const, at: 'network' as const },
    money: bad.reduce((sum, { revenue }) => sum + revenue, 0),
    ...{ since, isOlder: since === first },
  };
}

/** With fewer sales an offer has no usual payout. */
const minPaid = 5;

/** Offers that pay exactly twice what the tracker has as their payout, what they paid before, or what they pay in other campaigns. */
function doubledPayouts(sales: readonly TrackedSale[], first: string): TrackingFault[] {
  const paid = sales.filter(({ offer, revenue }) => offer !== null && revenue > 0);
  return [...groupBy(paid, ({ offer }) => offer).values()].flatMap((ofOffer) =>
    [...groupBy(ofOffer, ({ campaign }) => campaign).values()].flatMap((own): TrackingFault[] => {
      const others = [...groupBy(ofOffer, ({ campaign }) => campaign).values()].filter((some) => some !== own);
      const [doubled, single] = payoutOf(own, others.length > 1 ? others.flat() : []);
      const bad = own.filter(({ day, revenue }) => (day ?? first) >= first && isAmount(revenue, doubled));
      const [since = ''] = bad.flatMap(({ day }) => day ?? []).toSorted();
      const after = own.filter(({ day }) => (day ?? since) >= since);
      if (bad.length < minPaid || bad.length < 0.75 * after.length) return [];
      const asked = own.filter(({ day }) => (day ?? first) >= first);
      const money = { money: (bad.length * doubled) / 2, example: String(doubled), use: String(single) };
      return [{ code: 'payout_doubled', ...countSales(bad, asked), ...money, page: own[0]?.offer ?? undefined }];
    }),
  );
}

/** The largest amount of an offer, and its payout if that is half of it: by the list, or by enough sales; NaN if it is not. */
function payoutOf(own: readonly TrackedSale[], elsewhere: readonly TrackedSale[]): [doubled: number, single: number] {
  const most = Math.max(...own.map(({ revenue }) => revenue));
  const isHalf = (amount: number) => isAmount(2 * amount, most);
  const listed = own.flatMap(({ payout }) => payout ?? []);
  const isListed = listed.length > 0 && listed.every(isHalf);
  const isUsual = own.filter(({ revenue }) => isHalf(revenue)).length >= minPaid;
  const isElsewhere = elsewhere.length >= minPaid && elsewhere.every(({ revenue }) => isHalf(revenue));
  return isListed || isUsual || isElsewhere ? [most, most / 2] : [Number.NaN, Number.NaN];
}

const isAmount = (one: number, other: number) => Math.abs(one - other) < 0.005;

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
