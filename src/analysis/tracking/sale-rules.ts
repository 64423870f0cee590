import { isDouble } from '../../answer/change-notes.ts';
import { hourMs } from '../../api/durations.ts';
import { groupBy, sum } from '../statistics/history.ts';
import { clickNumberOf } from '../visit-story.ts';
import { changeIn, countOn, type DayCounts, shareOf, sumOf } from './counts.ts';
import { few, type Looked, type PaidAmounts, paidAmounts, type Rule, type Sign } from './rules.ts';
import { type SubidFault, type SubidForm, subidFault, subidFaults } from './subids.ts';
import type { KnownVisits, TrackedSale } from './tracked.ts';

type CampaignSales = readonly TrackedSale[];

/** One or two sales may have been put in by hand; so few may have other reasons to pay twice as much. */
const [minSales, minPart, minPaid] = [3, 0.02, 5];

/** The part of the sales that are doubled by a postback that comes twice. */
const minDoubled = 0.75;

/** Clocks of servers differ by less. */
const minEarlierMs = 60_000;

/** Sales that their visits contradict, and offers that pay twice. */
export const saleRules: readonly Rule<CampaignSales>[] = [
  ...subidFaults.map((code) => ruleOf(code, (own, { form }) => own.filter((sale) => wrongSubid(sale, form) === code))),
  ruleOf(
    'sale_without_visit',
    (own, { form, visits }) => own.filter((sale) => visits && !wrongSubid(sale, form) && lacksVisit(sale, visits)),
    (sale, { visits }) => !visits || shouldHaveVisit(sale, visits),
  ),
  ruleOf('sale_twice', repeatedIn),
  ruleOf('sale_before_visit', (own) => {
    const earlyBy = ({ at, visitedAt }: TrackedSale) => (at !== null && visitedAt !== null ? visitedAt - at : 0);
    const bad = own.filter((sale) => earlyBy(sale) > minEarlierMs);
    const times = bad.map(({ at }) => at ?? 0);
    // The hour that clocks repeat when summer ends.
    const isRepeated = Math.max(...times) - Math.min(...times) < hourMs && bad.every((sale) => earlyBy(sale) < hourMs);
    return isRepeated ? [] : bad;
  }),
  { code: 'payout_doubled', at: 'network', min: minPaid, find: doubledPayouts },
];

/** @param isJudged the others are neither bad nor good */
function ruleOf(
  code: Rule['code'],
  badOf: (own: CampaignSales, looked: Looked) => CampaignSales,
  isJudged: (sale: TrackedSale, looked: Looked) => boolean = () => true,
): Rule<CampaignSales> {
  return {
    ...{ code, at: 'network', min: minSales },
    find: (own, looked) => {
      const { first, dayOf } = looked;
      const bad = new Set(badOf(own, looked));
      const days: DayCounts = [];
      for (const sale of own) if (isJudged(sale, looked)) countOn(days, dayOf(sale), bad.has(sale), sale.revenue);
      const asked = sumOf(days, first);
      const [example] = [...bad].filter((sale) => dayOf(sale) >= first);
      if (!example || asked.bad < minPart * asked.of) return [];
      return [{ days, example: example.subid ?? example.transaction }];
    },
  };
}

function wrongSubid({ subid, campaign }: TrackedSale, form: SubidForm | undefined): SubidFault | undefined {
  return form && subid && campaign ? subidFault(subid, campaign.id, form) : undefined;
}

/** Whether the visit of a sale should have been read and was not. */
export const lacksVisit = (sale: TrackedSale, visits: KnownVisits): boolean =>
  shouldHaveVisit(sale, visits) && !hasVisit(sale, visits);

const hasVisit = ({ subid }: TrackedSale, { subids }: KnownVisits) =>
  subid !== null && (subids.has(subid) || subids.has(clickNumberOf(subid)));

/** Whether the visit of a sale is one of those that were read, or should be. */
function shouldHaveVisit(sale: TrackedSale, visits: KnownVisits): boolean {
  const { subid, visitDay } = sale;
  const { clicks, days } = visits;
  if (subid === null || hasVisit(sale, visits)) return true;
  if (visitDay !== null) return visitDay >= days[0] && visitDay <= days[1];
  const click = Number(clickNumberOf(subid));
  return Number.isNaN(click) || (click > clicks[0] && click < clicks[1]);
}

/**
 * Sales that repeat one of the same visitor and amount. A transaction of its own makes it another sale, unless nearly all of the offer's
 * buyers have such a one within minutes since the first of them: then each postback gets a transaction of its own.
 */
function repeatedIn(sales: readonly TrackedSale[]): TrackedSale[] {
  const known = sales.filter(({ subid, transaction }) => subid !== null || transaction !== null);
  const alike = groupBy(known, ({ subid, amount, transaction }) => JSON.stringify([subid, transaction, amount]));
  const byOffer = groupBy(known, ({ offer }) => offer);
  return [
    ...new Set([
      ...[...alike.values()].flatMap((some) => some.toSorted(earliestFirst).slice(1)),
      ...[...byOffer.values()].flatMap(countedTwiceIn),
    ]),
  ];
}

/** Of two that are one, it is always the later one that is too many. */
const earliestFirst = (one: TrackedSale, other: TrackedSale) => (one.at ?? 0) - (other.at ?? 0);

/** Of so few buyers, some may have bought two. */
const [minBuyers, minutesApart] = [5, 5];

/** The sales of an offer that come within minutes of one of the same visitor and amount, if nearly all do since the first of them. */
function countedTwiceIn(sales: readonly TrackedSale[]): TrackedSale[] {
  const timed = sales.filter(({ at, subid }) => at !== null && subid !== null);
  const byBuyer = [...groupBy(timed, ({ subid, amount }) => JSON.stringify([subid, amount])).values()];
  const buyers = byBuyer.map((own) => {
    const sorted = own.toSorted(earliestFirst);
    const isSoon = ({ at }: TrackedSale, index: number) =>
      (at ?? 0) - (sorted[index - 1]?.at ?? 0) <= minutesApart * 60_000;
    return { since: sorted[0]?.at ?? 0, repeats: sorted.slice(1).filter((sale, index) => isSoon(sale, index + 1)) };
  });
  const first = Math.min(...buyers.flatMap(({ since, repeats }) => (repeats.length > 0 ? [since] : [])));
  const since = buyers.filter((buyer) => buyer.since >= first);
  const doubled = since.filter(({ repeats }) => repeats.length > 0);
  const isFault = doubled.length >= Math.max(minBuyers, minDoubled * since.length);
  return isFault ? doubled.flatMap(({ repeats }) => repeats) : [];
}

/** How sure it must be that a payout doubled on a day: less where the list or other campaigns show what it should be. */
const [minGain, minGainIfKnown] = [9, 4];

/** Sales at exactly twice what the tracker has as the payout of their offer, what it paid before, or what it pays in other campaigns. */
function doubledPayouts(own: CampaignSales, { paidByOffer, dayOf }: Looked): Sign[] {
  const days: DayCounts = [];
  const doubled: TrackedSale[] = [];
  let areKnown = true;
  const paid = own.filter(({ offer, amount }) => offer !== null && amount > 0);
  for (const ofOffer of groupBy(paid, ({ offer }) => offer).values()) {
    const { payout, isKnown } = payoutOf(ofOffer, paidByOffer);
    const twice = payout === undefined ? [] : ofOffer.filter(({ amount }) => isDouble(payout, amount));
    if (twice.length === 0) continue;
    for (const sale of ofOffer) countOn(days, dayOf(sale), twice.includes(sale), sale.revenue / 2);
    doubled.push(...twice);
    areKnown &&= isKnown;
  }
  const { before, after } = changeIn(days, areKnown ? minGainIfKnown : minGain);
  const isFault = (before.of > 0 || areKnown) && shareOf(before) < few && shareOf(after) >= minDoubled;
  if (doubled.length === 0 || !isFault) return [];
  const paidAt = new Map(doubled.map(({ offer, amount }) => [offer ?? '', amount]));
  const amounts = [...paidAt.values()];
  const use = amounts.map((amount) => amount / 2).join(', ');
  return [{ days, page: [...paidAt.keys()].join(', '), paid: [...paidAt], example: amounts.join(', '), use }];
}

/** What most of so many sales of an offer pay in other campaigns is its payout. */
const [minElsewhere, minAlike] = [6, 0.55];

/** What an offer should pay by the list or by other campaigns; else the least that it often pays in its own one, which is not known. */
function payoutOf(own: readonly TrackedSale[], byOffer: Looked['paidByOffer']) {
  const [one] = own;
  const [listed, ...more] = new Set(own.flatMap(({ payout }) => payout ?? []));
  if (listed !== undefined && more.length === 0) return { payout: listed, isKnown: true };
  const ownPaid = paidAmounts(own);
  const counts = new Map(ownPaid);
  const elsewhere = (byOffer.get(one?.offer ?? null) ?? []).map(
    ([amount, sales]) => [amount, sales - (counts.get(amount) ?? 0)] as const,
  );
  const [usual, [least = 0] = []] = [middleOf(elsewhere), ownPaid[0]];
  const count = (some: PaidAmounts, amount: number) =>
    sum(some.map(([each, sales]) => (isAmount(each, amount) ? sales : 0)));
  const all = sum(elsewhere.map(([, sales]) => sales));
  if (count(elsewhere, usual) >= Math.max(minElsewhere, minAlike * all)) return { payout: usual, isKnown: true };
  return { payout: count(ownPaid, least) >= minSales ? least : undefined, isKnown: false };
}

/** What the middle sale paid. */
function middleOf(paid: PaidAmounts): number {
  let left = Math.floor(sum(paid.map(([, sales]) => sales)) / 2);
  for (const [amount, sales] of paid) {
    if (left < sales) return amount;
    left -= sales;
  }
  return 0;
}

const isAmount = (one: number, other: number) => Math.abs(one - other) < 0.005;
