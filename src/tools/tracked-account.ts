import { mapCoded, sameInAll, valueAt } from '../analysis/coded.ts';
import { indexOfColumn, numberIn } from '../analysis/columns/columns.ts';
import { KeptTexts } from '../analysis/columns/kept-texts.ts';
import { timesIn } from '../analysis/columns/times.ts';
import { moneyColumn, readablePayouts } from '../analysis/payouts.ts';
import { countMoney, type Money } from '../analysis/sale-status.ts';
import {
  findTrackingFaults,
  isPlainId,
  isUnlisted,
  parametersOf,
  type Token,
  type TrackedAccount,
  type TrackedCampaign,
  type TrackedSale,
  type TrackedVisits,
} from '../analysis/tracking-faults.ts';
import { columnOf, readButPlain, readerOf, visitTimes } from '../analysis/visit-dimensions.ts';
import { amountsIn, missingFigures, readAll, readFigures } from '../analysis/visit-groups.ts';
import type { TrackingNeed } from '../answer/tracking-faults.ts';
import type { Pace } from '../api/running-call.ts';
import { withRests } from '../api/steps.ts';
import type { Table } from '../api/table.ts';
import { rawCell, rawText } from '../api/text/tracker-text.ts';
import { type TokenSlot, tokenSlots } from '../api/token-slots.ts';
import { fieldNamed, namesOf, thingsOf } from '../api/vocabulary.ts';
import { yesOrNo } from '../api/yes-no.ts';
import type { TrackedRead } from './account/checked-visits.ts';
import { attempt } from './asking.ts';
import { campaignsIn, type ListedCampaign } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';
import { tokensByCampaign } from './tokens.ts';

const { url: linkNames } = thingsOf('listed');

/** What was read of an account, and the search for faults in it. */
export type TrackedLists = Awaited<ReturnType<typeof readTracking>>;

/** Reads what tracking is judged by out of lists. Only the traffic sources are asked for. */
export async function readTracking(
  listed: readonly ListedCampaign[],
  { lists: read, isWhole, others }: Omit<TrackedRead, 'notices'>,
  { conversions, money }: { readonly conversions: readonly Table[]; readonly money: Money },
  context: CallContext,
  pace: Pace,
) {
  const { answer, failure } = await attempt(() => tokensByCampaign(listed, context), context);
  const byListed = new Map(
    listed.map((campaign) => [campaign, trackedCampaign(campaign, answer?.get(campaign) ?? [])]),
  );
  const lists = await Promise.all(read.map((list) => trackedVisits(list, byListed, money, pace)));
  const sales: TrackedSale[] = [];
  for (const table of conversions) {
    await pace.rest();
    sales.push(...trackedSales(table, byListed, money));
  }
  await pace.rest();
  const lacks = lacksOf(
    read.map(({ table }) => table),
    lists,
  );
  const campaigns = [...byListed.values()];
  const usual = others && { lists: lists.slice(0, others.lists.length), since: others.span.start };
  const known = { campaigns, lists, sales, lacks, isWhole, ...(usual ? { usual } : {}) };
  return {
    ...{ campaigns, failure, sales, lacks, lists },
    faults: (days: TrackedAccount['days'], until?: number) =>
      findTrackingFaults({ ...known, days, ...(until === undefined ? {} : { until }) }, pace),
  };
}

type ByListed = ReadonlyMap<ListedCampaign, TrackedCampaign>;

function trackedCampaign(campaign: ListedCampaign, tokens: readonly Token[]): TrackedCampaign {
  const field = (names: readonly string[]) => fieldNamed(campaign.fields, names);
  const link = rawCell(field(linkNames));
  return {
    id: rawText(campaign.id),
    name: rawText(campaign.name),
    source: rawCell(campaign.source),
    active: campaign.active,
    bid: numberIn(field(namesOf('option', 'bid'))),
    passesSubidToOffer: yesOrNo(field(namesOf('option', 'pass_subid_to_offer'))),
    link,
    tokens: inOrderOfLink(tokens, link),
  };
}

/** The tokens with the parameters of the link that have their placeholders, in the order of the link. */
function inOrderOfLink(tokens: readonly Token[], link: string | null): Token[] {
  const pairs = parametersOf(link);
  const places = tokens.map((token) => {
    const index = pairs.findIndex(([name, value]) =>
      token.parameter === null
        ? value === token.placeholder && value !== ''
        : name === encodeURIComponent(token.parameter),
    );
    return { token: { ...token, parameter: token.parameter ?? pairs[index]?.[0] ?? null }, index };
  });
  return places.sort((one, other) => one.index - other.index).map(({ token }) => token);
}

const visitSlots = tokenSlots.filter((slot) => slot !== 'Cost');
const dimensionOf: Partial<Record<string, string>> = { Keyword: 'keyword', AdValue: 'ad' };
const nameOf = (slot: string) => dimensionOf[slot] ?? slot;
const subidNames = namesOf('visitor', 'visitor');

/** Whether some campaigns have a token in a slot, or the tracker does not show in which. */
const hasToken = (campaigns: readonly TrackedCampaign[], slot: TokenSlot): boolean =>
  campaigns.some(({ tokens }) => tokens.length === 0 || tokens.some((token) => token.slot === slot));

async function trackedVisits(
  { table, visited }: TrackedRead['lists'][number],
  byListed: ByListed,
  money: Money,
  pace: Pace,
): Promise<TrackedVisits> {
  const times = visitTimes(table);
  const campaigns = mapCoded(visited, ({ listed }) => listed && byListed.get(listed));
  // Slots that no token of these campaigns is in need not be read: one may have an own value for each visit.
  const seen = campaigns.values.flatMap((campaign) => campaign ?? []);
  const isUsed = (slot: TokenSlot) => hasToken(seen, slot) || seen.some((campaign) => isUnlisted(slot, campaign));
  // Where no token of any campaign is, only macros count.
  const isForMacros = (slot: TokenSlot) => isUsed(slot) && !hasToken([...byListed.values()], slot);
  const slots = visitSlots.filter((slot) => columnOf(nameOf(slot), table) !== undefined);
  const coded = slots.filter((slot) => isUsed(slot) && !isForMacros(slot));
  const names = ['landing_page', 'offer', ...coded.map(nameOf)];
  const [landingPage, offer, ...ofCoded] = await readAll(table, names.map(readerOf), pace, names);
  const readings = new Map(coded.map((slot, index) => [slot, ofCoded[index]]));
  for (const slot of slots.filter(isForMacros))
    readings.set(slot, await readButPlain(nameOf(slot), table, isPlainId, pace));
  await readFigures(table, pace, money);
  return {
    rowCount: table.rowCount,
    campaigns,
    days: times?.days,
    moments: times?.moments ?? new Float64Array(table.rowCount).fill(Number.NaN),
    slots: new Map(slots.map((slot) => [slot, readings.get(slot) ?? sameInAll(table.rowCount, null)])),
    ...{ subids: await subidsIn(table, pace), landingPage, offer },
    amounts: amountsIn(table, money),
  };
}

async function subidsIn(table: Table, pace: Pace): Promise<TrackedVisits['subids']> {
  const column = subidNames.map((name) => columnOf(name, table)).find((index) => index !== undefined);
  return column === undefined ? undefined : withRests(KeptTexts.of(table, column), pace.rest);
}

/** What some lists of visits do not show. */
function lacksOf(tables: readonly Table[], lists: readonly TrackedVisits[]): ReadonlySet<TrackingNeed> {
  const filled = lists.filter(({ rowCount }) => rowCount > 0);
  const missing = missingFigures(tables);
  return new Set([
    ...(['cost', 'clicks'] as const).filter((figure) => missing.includes(figure)),
    ...(filled.some(({ subids }) => !subids) ? ['subids' as const] : []),
    ...(filled.some(({ slots }) => slots.size === 0) ? ['tokens' as const] : []),
  ]);
}

const saleNames = thingsOf('conversion');
const saleVisitor = namesOf('conversion', 'visitor');

function trackedSales(table: Table, byListed: ByListed, money: Money): TrackedSale[] {
  const [booked, visitTime] = [saleNames.booked, saleNames.visited].map((names) => timesIn(table, names));
  const cellOf = (names: readonly string[]) => {
    const column = indexOfColumn(table, names) ?? -1;
    return (row: number) => rawCell(table.text(row, column))?.trim() || null;
  };
  const [subidOf, offerOf, transactionOf] = [saleVisitor, saleNames.offerName, saleNames.transaction].map(cellOf);
  const campaigns = campaignsIn([...byListed.keys()])(table);
  const payouts = readablePayouts(table);
  const amountOf = (row: number) => payouts?.[row] || 0;
  const { revenue } = countMoney(table, amountOf, money);
  const payoutColumn = indexOfColumn(table, saleNames.payout) ?? -1;
  const isMoney = payoutColumn === moneyColumn(table);
  const fromPayout = (row: number) => (isMoney ? null : table.text(row, payoutColumn));
  return Array.from({ length: table.rowCount }, (_, row) => {
    const listed = valueAt(campaigns, row)?.listed;
    return {
      campaign: listed && byListed.get(listed),
      subid: subidOf?.(row) ?? null,
      offer: offerOf?.(row) ?? null,
      transaction: transactionOf?.(row) ?? null,
      amount: amountOf(row),
      revenue: revenue(row),
      payout: numberIn(fromPayout(row)) ?? null,
      day: booked?.dayOf(row) ?? null,
      at: booked?.momentOf(row) ?? null,
      visitDay: visitTime?.dayOf(row) ?? null,
      visitedAt: visitTime?.momentOf(row) ?? null,
    };
  });
}
