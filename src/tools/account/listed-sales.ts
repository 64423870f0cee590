import { valueAt } from '../../analysis/coded.ts';
import { indexOfColumn } from '../../analysis/columns/columns.ts';
import { timesIn } from '../../analysis/columns/times.ts';
import { readablePayouts } from '../../analysis/payouts.ts';
import { booked, countMoney, type HeldSale, type Money } from '../../analysis/sale-status.ts';
import { areHeldBack, type SalesGap, salesGapIn } from '../../analysis/sales-gap.ts';
import { groupBy, sum } from '../../analysis/statistics/history.ts';
import { payoutChangeOf } from '../../analysis/valued-sales.ts';
import { isDouble } from '../../answer/change-notes.ts';
import type { Mark } from '../../answer/marks.ts';
import type { Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { namesOf, thingsOf } from '../../api/vocabulary.ts';
import { campaignsIn, type ListedCampaign } from '../campaigns.ts';
import { carriesCost } from '../notices.ts';
import type { Figures } from '../past-figures.ts';
import { isWithin, type Span } from './read-visits.ts';

export interface ListedSale {
  readonly campaign: ListedCampaign | undefined;
  readonly offer: string | null;
  readonly landing: string | null;
  readonly network: string | null;
  /** The day of the sale and that of its visit, YYYY-MM-DD; null if the list does not show it. */
  readonly booked: string | null;
  readonly visited: string | null;
  /** When it and its visit came in, on the tracker's clock as if that were UTC; null without a time of day. */
  readonly bookedAt: number | null;
  readonly visitedAt: number | null;
  /** A subID; the row if there is none. */
  readonly visitor: string | number;
  readonly value: number;
  /** Undefined if it is paid, or its status is not known. */
  readonly held: HeldSale | undefined;
}

/** Whether a campaign is meant, by its ID, or by its name if the list has no IDs; empty if the list has neither. */
export type IsMeant = (campaign: string) => boolean;

export function isOneOf(campaigns: readonly ListedCampaign[]): IsMeant {
  const names = new Set(campaigns.flatMap(({ id, name }) => [rawText(id), rawText(name)]));
  return (campaign) => campaign === '' || names.has(campaign);
}

/** The sales of the account from conversion lists that are read anyway. */
export class ListedSales {
  readonly all: ListedSale[] = [];
  hasStatuses = false;
  readonly #campaignsIn: ReturnType<typeof campaignsIn>;
  readonly #money: Money;

  /** @param money which revenue counts */
  constructor(campaigns: readonly ListedCampaign[], money: Money = booked) {
    this.#campaignsIn = campaignsIn(campaigns);
    this.#money = money;
  }

  /**
   * A list whose payouts cannot be read adds none.
   * @param isMeant the campaigns whose sales are added
   */
  add(table: Table, isMeant: IsMeant = () => true): void {
    const values = readablePayouts(table);
    if (!values) return;
    const worthOf = (row: number) => values[row] || 0;
    const { held } = countMoney(table, worthOf, this.#money);
    if (held) this.hasStatuses = true;
    const { booked: bookedNames, visited, offerName, landingName } = thingsOf('conversion');
    const [bookings, visits] = [bookedNames, visited].map((names) => timesIn(table, names));
    const [visitor = -1, offer = -1, landing = -1, network = -1] = [
      namesOf('conversion', 'visitor'),
      offerName,
      landingName,
      thingsOf('dimension').network,
    ].map((names) => indexOfColumn(table, names) ?? -1);
    const campaignOf = this.#campaignsIn(table);
    for (let row = 0; row < table.rowCount; row += 1) {
      const campaign = valueAt(campaignOf, row);
      if (!isMeant(campaign?.id ?? campaign?.name ?? '')) continue;
      this.all.push({
        campaign: campaign?.listed,
        offer: rawCell(table.text(row, offer)),
        landing: rawCell(table.text(row, landing)),
        network: rawCell(table.text(row, network)),
        booked: bookings?.dayOf(row) ?? null,
        visited: visits?.dayOf(row) ?? null,
        bookedAt: bookings?.momentOf(row) ?? null,
        visitedAt: visits?.momentOf(row) ?? null,
        visitor: rawCell(table.text(row, visitor)) ?? row,
        value: worthOf(row),
        held: held?.of(row)[0],
      });
    }
  }
}

/** A time in which no sale came in: of one network, or of all if it names none. */
export type LostGap = SalesGap & { readonly worth: number; readonly network?: string };

/**
 * The times without a sale that no others are like and that end after a moment: of all networks, else of each.
 * @param wereDue whether clicks went on that should have sold: of some offers, or of all
 */
export function lostSalesIn(
  all: readonly ListedSale[],
  since: number,
  wereDue: (gap: SalesGap, offers?: ReadonlySet<string>) => boolean,
): LostGap[] {
  const gap = salesGapOf(all, since);
  if (gap) return wereDue(gap) ? [gap] : [];
  return [...groupBy(all, ({ network }) => network)].flatMap(([network, own]) => {
    const gapOfOne = network === null || own.length === all.length ? undefined : salesGapOf(own, since);
    const offers = new Set(own.flatMap(({ offer }) => offer ?? []));
    return gapOfOne && network !== null && wereDue(gapOfOne, offers) ? [{ ...gapOfOne, network }] : [];
  });
}

/** The time without a sale that no other of theirs is like, if it ends after a moment, and what its sales would have brought. */
function salesGapOf(sales: readonly ListedSale[], since: number): LostGap | undefined {
  const moments = sales.flatMap(({ bookedAt }) => bookedAt ?? []);
  const gap = salesGapIn(moments, since);
  if (!gap || areHeldBack(gap, sales)) return undefined;
  return { ...gap, worth: (sum(sales.map(({ value }) => value)) / sales.length) * gap.expected };
}

/** With fewer sales, one of usual size is half of the revenue; one this many times the usual size of the account is not usual. */
const [minSales, timesUsual] = [3, 5];

/** With fewer visits, none may have a cost by chance. */
const minViews = 10;

/** A sale is more than this part of the revenue. */
const mostPart = 0.5;

/** Of so many views, cost per view does not halve by itself. */
const minCosted = 50;

/** The change of the cost per view, if it fell by half or more; in percent. */
function fallOfCost(now: Figures, before: Figures | undefined): number | undefined {
  if (!(now.cost && before?.cost) || Math.min(now.views ?? 0, before.views ?? 0) < minCosted) return undefined;
  const part = now.cost / (now.views ?? 0) / (before.cost / (before.views ?? 0));
  return part > 0.5 ? undefined : Math.round((part - 1) * 100);
}

/** Whether an offer pays exactly twice as much as before, on some day up to the last one. */
function paysDouble(sales: readonly ListedSale[], { end }: Span): boolean {
  const paid = sales.flatMap(({ offer, booked: day, value }) =>
    day !== null && day <= end && value > 0 ? [{ offer, day, revenue: value }] : [],
  );
  return [...groupBy(paid, ({ offer }) => offer).values()].some((own) => {
    const change = payoutChangeOf(own);
    return change !== undefined && isDouble(change.before, change.after);
  });
}

/**
 * Finds figures of campaigns that mislead, by the sales of some days: by the day of the sale or of its visit.
 * @param darkSince since when a campaign gets no visits
 */
export function findMarks(
  { all }: ListedSales,
  span: Span,
  darkSince: (campaign: ListedCampaign) => string | undefined,
): (campaign: ListedCampaign, now: Figures, before: Figures | undefined) => readonly Mark[] {
  const byCampaign = groupBy(all, ({ campaign }) => campaign);
  const found = new Map<ListedCampaign, { largest: number; twice: number; readonly keys: Set<string> }>();
  for (const { campaign, booked, visited, visitor, value } of all) {
    if (!campaign || !(isWithin(booked, span) || isWithin(visited, span))) continue;
    const seen = found.get(campaign) ?? { largest: 0, twice: 0, keys: new Set() };
    found.set(campaign, seen);
    seen.largest = Math.max(seen.largest, value);
    const key = JSON.stringify([visitor, value]);
    if (seen.keys.has(key)) seen.twice += 1;
    seen.keys.add(key);
  }
  const values = all.map(({ value }) => value).filter((value) => value > 0);
  const usual = values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
  return (campaign, now, before) => {
    const { largest = 0, twice = 0 } = found.get(campaign) ?? {};
    const { revenue = 0, conversions = 0, views = 0, cost } = now;
    const isUsual = conversions < minSales && largest < usual * timesUsual;
    const isDecisive = !isUsual && revenue > 0 && largest > revenue * mostPart && largest <= revenue;
    const costMoved = fallOfCost(now, before);
    const since = darkSince(campaign);
    const shouldCost = (before?.cost ?? 0) > 0 || (views >= minViews && carriesCost(campaign) === true);
    return [
      ...(isDecisive ? [{ code: 'one sale', percent: Math.round((largest / revenue) * 100) } as const] : []),
      ...(twice > 0 ? [{ code: 'sales twice', count: twice } as const] : []),
      ...(revenue > 0 && paysDouble(byCampaign.get(campaign) ?? [], span) ? [{ code: 'pays double' } as const] : []),
      ...(costMoved === undefined ? [] : [{ code: 'cost per view', percent: costMoved } as const]),
      ...(since === undefined || views === 0 ? [] : [{ code: 'no visits', since } as const]),
      ...(cost === 0 && views > 0 && shouldCost ? [{ code: 'no cost' } as const] : []),
    ];
  };
}
