import { groupBy } from '../statistics/history.ts';
import { clickNumberOf } from '../visit-story.ts';
import { changeIn, countOn, type DayCounts, medianOf, shareOf, sumOf } from './counts.ts';
import { few, type Rule, type Sign } from './rules.ts';
import type { TrackedCampaign } from './seen.ts';
import { type SubidFault, type SubidForm, subidFault, subidFaults } from './subids.ts';

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
  /** The numbers of the first and the last ClickID, if a sale has no other sign of when its visit was. */
  readonly clicks: readonly [first: number, last: number];
  readonly days: readonly [first: string, last: string];
}

/** The sales of a campaign. */
export interface CampaignSales {
  readonly sales: readonly TrackedSale[];
  /** By number of days since the first that is read. */
  readonly dayOf: (sale: TrackedSale) => number;
  /** Those of all campaigns, by offer. */
  readonly byOffer: ReadonlyMap<string | null, readonly TrackedSale[]>;
  readonly visits: KnownVisits | undefined;
  readonly form: SubidForm | undefined;
}

/** One or two sales may have been put in by hand; so few may have other reasons to pay twice as much. */
const [minSales, minPart, minPaid] = [3, 0.02, 5];

/** Clocks of servers differ by less. */
const minEarlierMs = 60_000;

/** Sales that their visits contradict, and offers that pay twice. */
export const saleRules: readonly Rule<CampaignSales>[] = [
  ...subidFaults.map((code) => ruleOf(code, (own) => own.sales.filter((sale) => wrongSubid(sale, own) === code))),
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
  const known = sales.filter(({ subid, transaction }) => subid !== null || transaction !== null);
  const alike = groupBy(known, ({ subid, revenue, transaction }) => JSON.stringify([subid, transaction, revenue]));
  return [...alike.values()].flatMap((some) => some.slice(1));
}

/** How sure it must be that a payout doubled on a day: less where the list or other campaigns show what it should be. */
const [minGain, minGainIfKnown] = [9, 4];

/** The part of the sales that are doubled by a postback that comes twice. */
const minDoubled = 0.75;

/** Sales at exactly twice what the tracker has as the payout of their offer, what it paid before, or what it pays in other campaigns. */
function doubledPayouts({ sales, dayOf, byOffer }: CampaignSales): Sign[] {
  const days: DayCounts = [];
  const doubled: TrackedSale[] = [];
  let areKnown = true;
  const paid = sales.filter(({ offer, revenue }) => offer !== null && revenue > 0);
  for (const own of groupBy(paid, ({ offer }) => offer).values()) {
    const { amount, isKnown } = payoutOf(own, byOffer);
    if (amount === undefined) continue;
    const twice = own.filter(({ revenue }) => isAmount(revenue, 2 * amount));
    for (const sale of own) countOn(days, dayOf(sale), twice.includes(sale), sale.revenue / 2);
    doubled.push(...twice);
    areKnown &&= isKnown || twice.length === 0;
  }
  const { before, after } = changeIn(days, areKnown ? minGainIfKnown : minGain);
  const isFault = (before.of > 0 || areKnown) && shareOf(before) < few && shareOf(after) >= minDoubled;
  const [example] = doubled;
  if (!example || !isFault) return [];
  const page = [...new Set(doubled.flatMap(({ offer }) => offer ?? []))].join(', ');
  return [{ days, page, example: String(example.revenue), use: String(example.revenue / 2) }];
}

/** What most of so many sales of an offer pay in other campaigns is its payout. */
const [minElsewhere, minAlike] = [6, 0.55];

/** What an offer should pay by the list or by other campaigns; else the least that it often pays in its own one, which is not known. */
function payoutOf(own: readonly TrackedSale[], byOffer: CampaignSales['byOffer']) {
  const [one] = own;
  const [listed, ...more] = new Set(own.flatMap(({ payout }) => payout ?? []));
  if (listed !== undefined && more.length === 0) return { amount: listed, isKnown: true };
  const ofOffer = byOffer.get(one?.offer ?? null) ?? [];
  const elsewhere = ofOffer.filter(({ campaign }) => campaign !== one?.campaign);
  const paid = elsewhere.flatMap(({ revenue }) => (revenue > 0 ? [revenue] : []));
  const ownPaid = own.map(({ revenue }) => revenue);
  const [usual, least] = [medianOf(paid), Math.min(...ownPaid)];
  const count = (some: readonly number[], amount: number) => some.filter((each) => isAmount(each, amount)).length;
  if (count(paid, usual) >= Math.max(minElsewhere, minAlike * paid.length)) return { amount: usual, isKnown: true };
  return { amount: count(ownPaid, least) >= minSales ? least : undefined, isKnown: false };
}

const isAmount = (one: number, other: number) => Math.abs(one - other) < 0.005;
