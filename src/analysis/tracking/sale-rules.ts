import { groupBy } from '../statistics/history.ts';
import { clickNumberOf } from '../visit-story.ts';
import { changeIn, countOn, type DayCounts, shareOf, sumOf } from './counts.ts';
import { few, type Rule, type Sign } from './rules.ts';
import type { TrackedCampaign } from './seen.ts';
import { type SubidFault, type SubidForm, subidFault } from './subids.ts';

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

/** The sales of a campaign. */
export interface CampaignSales {
  readonly sales: readonly TrackedSale[];
  /** By number of days since the first that is read. */
  readonly dayOf: (sale: TrackedSale) => number;
  /** Those of all campaigns. */
  readonly all: readonly TrackedSale[];
  readonly visits: KnownVisits | undefined;
  readonly form: SubidForm | undefined;
}

/** One or two sales may have been put in by hand. */
const [minSales, minPart] = [3, 0.02];

/** With fewer sales an offer has no usual payout. */
const minPaid = 5;

/** Clocks of servers differ by less. */
const minEarlierMs = 60_000;

/** Sales that their visits contradict, and offers that pay twice. */
export const saleRules: readonly Rule<CampaignSales>[] = [
  ...(['cut_subid', 'doubled_subid', 'other_campaigns_subid'] as const).map((code) =>
    ruleOf(code, (own) => own.sales.filter((sale) => wrongSubid(sale, own) === code)),
  ),
  ruleOf('sale_without_visit', (own) =>
    own.sales.filter((sale) => own.visits && !wrongSubid(sale, own) && lacksVisit(sale, own.visits)),
  ),
  ruleOf('sale_twice', ({ sales }) => repeatedIn(sales)),
  ruleOf('sale_before_visit', ({ sales }) =>
    sales.filter(({ at, visitedAt }) => at !== null && visitedAt !== null && visitedAt - at > minEarlierMs),
  ),
  { code: 'payout_doubled', at: 'network', min: minPaid, find: doubledPayouts },
];

function ruleOf(code: Rule['code'], badOf: (own: CampaignSales) => readonly TrackedSale[]): Rule<CampaignSales> {
  return {
    ...{ code, at: 'network', min: minSales },
    find: (own, { first }) => {
      const bad = new Set(badOf(own));
      const days: DayCounts = [];
      for (const sale of own.sales) countOn(days, own.dayOf(sale), bad.has(sale), sale.revenue);
      const asked = sumOf(days, first);
      const [example] = [...bad].filter((sale) => own.dayOf(sale) >= first);
      if (!example || asked.bad < minPart * asked.of) return [];
      return [{ days, example: example.subid ?? example.transaction }];
    },
  };
}

function wrongSubid({ subid, campaign }: TrackedSale, { form }: CampaignSales): SubidFault | undefined {
  return form && subid && campaign ? subidFault(subid, campaign.id, form) : undefined;
}

/** Whether the visit of a sale should have been read and was not. */
function lacksVisit({ subid, visitDay }: TrackedSale, { subids, clicks, days }: KnownVisits): boolean {
  if (subid === null) return true;
  if (subids.has(subid) || subids.has(clickNumberOf(subid))) return false;
  if (visitDay !== null) return visitDay >= days[0] && visitDay <= days[1];
  const click = Number(clickNumberOf(subid));
  return Number.isNaN(click) || (click > clicks[0] && click < clicks[1]);
}

/** Sales that repeat one of the same visitor and amount. A transaction of its own makes it another sale. */
function repeatedIn(sales: readonly TrackedSale[]): TrackedSale[] {
  const seen = new Set<string>();
  return sales.filter(({ subid, revenue, transaction }) => {
    if (subid === null && transaction === null) return false;
    const key = JSON.stringify([subid, transaction, revenue]);
    const isSeen = seen.has(key);
    seen.add(key);
    return isSeen;
  });
}

/** A payout that doubled on a day, where more sales than these would rarely all come before it, or after it, by chance. */
const minGain = 9;

/** Offers that pay exactly twice what the tracker has as their payout, what they paid before, or what they pay in other campaigns. */
function doubledPayouts({ sales, dayOf, all }: CampaignSales): Sign[] {
  const paid = groupBy(
    sales.filter(({ offer, revenue }) => offer !== null && revenue > 0),
    ({ offer }) => offer,
  );
  return [...paid].flatMap(([offer, own]): Sign[] => {
    const doubled = Math.max(...own.map(({ revenue }) => revenue));
    const isHalf = ({ revenue }: Pick<TrackedSale, 'revenue'>) => isAmount(2 * revenue, doubled);
    const days: DayCounts = [];
    for (const sale of own) countOn(days, dayOf(sale), isAmount(sale.revenue, doubled), sale.revenue / 2);
    const { before, after } = changeIn(days, minGain);
    const listed = own.flatMap(({ payout }) => payout ?? []);
    const isListed = listed.length > 0 && listed.every((payout) => isHalf({ revenue: payout }));
    const isNew = before.of >= minPaid && own.filter(isHalf).length >= minPaid && shareOf(before) < few;
    const others = groupBy(
      all.filter((sale) => sale.offer === offer && sale.revenue > 0 && sale.campaign !== own[0]?.campaign),
      ({ campaign }) => campaign,
    );
    const halves = [...others.values()].filter((some) => some.length >= minSales && most(some, isHalf));
    const isElsewhere = before.of === 0 && halves.length > 1 && halves.length > others.size / 2;
    if (!(isListed || isNew || isElsewhere) || shareOf(after) < 0.75) return [];
    return [{ days, page: offer ?? undefined, example: String(doubled), use: String(doubled / 2) }];
  });
}

const most = (sales: readonly TrackedSale[], is: (sale: TrackedSale) => boolean) =>
  sales.filter(is).length > 0.75 * sales.length;

const isAmount = (one: number, other: number) => Math.abs(one - other) < 0.005;
