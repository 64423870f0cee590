import { keyOfFinding } from '../analysis/account-review.ts';
import {
  type Approval,
  areApprovedAsBefore,
  expectApprovals,
  type FallenApproval,
  fallenBy,
} from '../analysis/approvals.ts';
import { isoMinute } from '../analysis/columns/times.ts';
import { repeatedVisits } from '../analysis/repeated-visits.ts';
import { wereSalesDue } from '../analysis/sales-gap.ts';
import { groupBy, sum } from '../analysis/statistics/history.ts';
import { type HeldInReview, sayApproval, sayLostSales } from '../answer/held-in-review.ts';
import { sayChance } from '../answer/troubles.ts';
import type { Pace } from '../api/running-call.ts';
import type { Table } from '../api/table.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { fromOutside, rawText, shown } from '../api/text/tracker-text.ts';
import { approvalsOf, isLate } from './account/held-money.ts';
import { type IsMeant, type ListedSale, ListedSales, type LostGap, lostSalesIn } from './account/listed-sales.ts';
import type { ListedCampaign } from './campaigns.ts';
import { shiftDays } from './period.ts';
import { beganAt, type Finding, findingAs, onlyOf } from './review-findings.ts';

/** More of them are a talk, not a list. */
const maxLate = 20;

/**
 * What networks hold of the sales of some weeks, and those that approve clearly less than before, or an offer of a campaign alone, if
 * the tracker lists statuses; and a time of the last days in which sales were lost.
 * @param isMeant of which campaigns sales count
 * @param asOf today, YYYY-MM-DD
 * @param clicksOf when visits clicked, of some offers or of any; undefined if not all sales were read
 */
export async function heldInReview(
  conversions: readonly Table[],
  campaigns: readonly ListedCampaign[],
  isMeant: IsMeant | undefined,
  asOf: string,
  clicksOf: ClicksOf | undefined,
  pace: Pace,
): Promise<{ readonly held: HeldInReview | undefined; readonly findings: readonly Finding[] }> {
  const listed = new ListedSales(campaigns);
  for (const table of conversions) {
    await pace.rest();
    // A list that is joined with something else has each sale more than once.
    listed.add(table.withoutRows(repeatedVisits(table).same), isMeant);
  }
  await pace.rest();
  const lost = clicksOf ? lostSales(listed.all, asOf, clicksOf) : [];
  await pace.rest();
  const pending = listed.all.filter(({ held }) => held?.standing === 'pending');
  if (!listed.hasStatuses) return { held: undefined, findings: lost };
  const { approvals, stated, ageOf } = approvalsOf(listed, asOf);
  await pace.rest();
  const waiting = pending.map((sale) => ({ ...sale, age: ageOf(sale), amount: sale.value }));
  const late = waiting.filter(isLate(approvals)).toSorted((one, other) => other.age - one.age);
  const { amount, low, high } = expectApprovals(waiting, approvals);
  const held = {
    pending: sumOf(waiting),
    expected: { amount: Math.round(amount), low: Math.round(low), high: Math.round(high) },
    ...(late.length > 0 ? { late: late.slice(0, maxLate).map((sale) => lateSale(sale)) } : {}),
    ...(late.length > maxLate ? { more_late: late.length - maxLate } : {}),
  };
  await pace.rest();
  return {
    held: pending.length === 0 ? undefined : held,
    findings: [...fallenAlone(stated, approvals).map((fall) => findingOf(fall, asOf)), ...lost],
  };
}

type Stated = ReturnType<typeof approvalsOf>['stated'][number];

/** Sales of which less is approved: those of a network, or of an offer in a campaign. */
interface FallenSales extends FallenApproval {
  readonly sales: readonly Stated[];
  /** Undefined if all of the network's are. */
  readonly offer: string | undefined;
}

/** What fell and lasts: a network, or its offers alone where its other sales are approved as before. */
function fallenAlone(stated: readonly Stated[], approvals: ReadonlyMap<string | null, Approval>): FallenSales[] {
  const offerOf = ({ campaign, offer }: Stated) =>
    campaign && offer !== null ? JSON.stringify([rawText(campaign.id), offer]) : null;
  const offers = fallenBy(stated, offerOf);
  const byOffer = groupBy(stated, offerOf);
  const fallenOffers = [...offers].flatMap(([key, fall]) => {
    const sales = byOffer.get(key) ?? [];
    return fall.isOver ? [] : [{ ...fall, sales, offer: sales[0]?.offer ?? '', network: sales[0]?.network }];
  });
  const fallenNetworks = [...approvals].flatMap(([network, { fall }]) => {
    if (!fall || fall.isOver) return [];
    const sales = stated.filter((sale) => sale.network === network);
    const rest = sales.filter((sale) => !offers.has(offerOf(sale) ?? ''));
    const isOfOffers = 0 < rest.length && rest.length < sales.length && areApprovedAsBefore(rest, fall.age);
    return isOfOffers ? [] : [{ ...fall, sales, offer: undefined, network }];
  });
  const told = new Set(fallenNetworks.map(({ network }) => network));
  return [...fallenNetworks, ...fallenOffers.filter(({ network }) => !told.has(network ?? ''))];
}

/** What was lost before this many days is no news. */
const lostDays = 7;

type ClicksOf = (offers?: ReadonlySet<string>) => readonly number[];

function lostSales(all: readonly ListedSale[], asOf: string, clicksOf: ClicksOf): Finding[] {
  const since = Date.parse(shiftDays(asOf, -lostDays));
  return lostSalesIn(all, since, (gap, offers) => wereSalesDue(gap, clicksOf(offers))).map(lostFinding);
}

function lostFinding(gap: LostGap): Finding {
  const { network } = gap;
  return findingAs({
    key: keyOfFinding(undefined, 'sales_lost', ...(network === undefined ? [] : ['network', network])),
    ...{ kind: 'sales_lost', group: 'doubtful', campaign_id: 0 },
    ...(network === undefined ? {} : { dimension: 'network', value: textOf(network) }),
    what: sayLostSales(gap),
    ...beganAt(isoMinute(gap.from), 'hour'),
    money_a_day: Math.round((gap.worth * 100) / lostDays) / 100,
    changed: { figure: 'sales', before: Math.round(gap.expected), after: 0 },
    by_chance: sayChance(gap.chance),
    next: {
      tool: 'get_breakdown',
      arguments: {
        by: ['network', 'day'],
        ...(network === undefined ? {} : onlyOf('network', network)),
        period: 'last_14_days',
      },
    },
  });
}

/** The days of sales that a review reads, from which approvals are learned. */
export const heldDays = 60;

const textOf = (text: string) => shown(fromOutside(text), maxNameLength);
const sumOf = (sales: readonly { readonly value: number }[]) =>
  Math.round(sum(sales.map(({ value }) => value)) * 100) / 100;

/** A sale as the network's manager needs it. */
const lateSale = ({
  network,
  campaign,
  offer,
  visitor,
  booked,
  value,
  age,
}: ListedSale & { readonly age: number }) => ({
  network: textOf(network ?? ''),
  ...(campaign ? { campaign_id: Number(rawText(campaign.id)) } : {}),
  ...(offer === null ? {} : { offer: textOf(offer) }),
  ...(typeof visitor === 'string' ? { subid: textOf(visitor) } : {}),
  ...{ booked: booked ?? '', days: age, amount: value },
});

/** What is sold a day since an age, paid or not, by what a sale pays. */
function soldPerDay(sales: readonly Stated[], age: number): number {
  const paid = sales.flatMap(({ value }) => (value > 0 ? value : []));
  const since = sales.filter((sale) => sale.age < age);
  return paid.length === 0 ? 0 : ((sum(paid) / paid.length) * since.length) / age;
}

function findingOf({ sales, offer, share, earlier, chance, age }: FallenSales, asOf: string): Finding {
  const [{ network = '', campaign } = {}] = sales;
  const own = offer === undefined ? undefined : campaign;
  const id = own ? Number(rawText(own.id)) : 0;
  const [dimension, value] = [own ? 'offer' : 'network', textOf(own ? (offer ?? '') : (network ?? ''))];
  const key = keyOfFinding(own ? String(id) : undefined, 'approvals_fell', dimension, value);
  const name = own && shown(own.name, maxNameLength);
  return findingAs({
    ...{ key, kind: 'approvals_fell', group: 'costs', campaign_id: id },
    ...(name === undefined ? {} : { campaign: name }),
    ...{ dimension, value, what: sayApproval({ campaign: name, value, share, earlier }) },
    ...beganAt(`${shiftDays(asOf, 1 - age)} 00:00`, 'day'),
    money_a_day: Math.round((earlier - share) * soldPerDay(sales, age) * 100) / 100,
    changed: { figure: 'approved_percent', before: Math.round(earlier * 100), after: Math.round(share * 100) },
    by_chance: sayChance(chance),
    next: {
      tool: 'get_breakdown',
      arguments: {
        ...(own ? { campaign_id: id } : {}),
        by: [dimension, 'day'],
        ...onlyOf(dimension, own ? offer : network),
        ...{ money: 'expected', period: 'last_14_days' },
      },
    },
  });
}
