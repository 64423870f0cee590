import { mapCoded, sameInAll } from '../../analysis/coded.ts';
import type { Paid } from '../../analysis/effects.ts';
import { PageDays } from '../../analysis/page-days.ts';
import type { MeasuredPage } from '../../analysis/page-rows.ts';
import type { Money } from '../../analysis/sale-status.ts';
import { groupBy, sum } from '../../analysis/statistics/history.ts';
import type { MoneyState } from '../../answer/money-notes.ts';
import type { Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { readAccountVisits } from '../account/account-visits.ts';
import { type LateSales, readLateSales } from '../account/late-sales.ts';
import { ListedSales } from '../account/listed-sales.ts';
import { moneyOf } from '../account/money-of-call.ts';
import {
  isWithin,
  missingIn,
  newLimits,
  readVisitsInSlices,
  type Span,
  wholeListOptions,
} from '../account/read-visits.ts';
import { trafficInAccount, trafficInCampaign } from '../account/visited-days.ts';
import { optional, paceOf } from '../asking.ts';
import { type ListedCampaign, listCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { listDays, shiftDays } from '../period.ts';
import { readPages } from '../rotation/campaign-pages.ts';
import { mayComeDirectly } from '../rotation/pool.ts';

export interface OutcomeBasis {
  readonly days: PageDays;
  readonly campaigns: ReadonlyMap<string, ListedCampaign>;
  /** The days that were not all read, of a campaign. */
  readonly missing: (campaign: string) => readonly string[];
  readonly late: LateSales;
  /** The sales in the conversion list of a campaign, or of offers of it, of the last 90 days before a day. */
  readonly soldBefore: (end: string, campaign: string, offers: ReadonlySet<string> | undefined) => Paid;
  /** The pages of a campaign in the reports of the days. */
  readonly pagesOf: (campaign: string) => Promise<readonly MeasuredPage[] | undefined>;
  /** The campaigns with visits, those with most first. */
  readonly busiest: () => readonly string[];
}

/** Large sales may be rare: they are looked for among those of so many days, some of which are before those of the visits. */
const [soldDays, soldBeforeDays] = [90, 62];

/**
 * Reads the visits of some days, and how late their sales come.
 * @param campaign its ID; undefined is all
 * @param asked which revenue counts
 * @throws Failure if no visits can be read
 */
export async function readOutcomeBasis(
  campaign: string | undefined,
  span: Span,
  context: CallContext,
  { tool, ...given }: { readonly tool: string; readonly money?: MoneyState | undefined } = { tool: 'list_changes' },
): Promise<OutcomeBasis> {
  const listing = listCampaigns(context.client, context.signal);
  // It may fail before it is needed.
  const listed = optional(() => listing, context);
  const asked = { campaigns: [Number(campaign ?? 0)], span, since: shiftDays(span.start, -soldBeforeDays) };
  const { money, readLists } = await moneyOf(tool, given, asked, context);
  const reading =
    campaign === undefined ? readAll(span, listing, money, context) : readOne(campaign, span, money, context);
  const [late, { days, missing }] = await Promise.all([
    readLateSales(span, readLists, context, async () => (await reading).readTraffic()),
    reading,
  ]);
  const campaigns = new Map((await listed)?.map((one) => [rawText(one.id), one]));
  const { tables, isMeant, campaign: only } = await readLists();
  const sold = new ListedSales([...campaigns.values()], money);
  for (const table of tables) sold.add(table, isMeant);
  const byCampaign = groupBy(sold.all, (sale) => only ?? (sale.campaign && rawText(sale.campaign.id)));
  const soldBefore: OutcomeBasis['soldBefore'] = (end, id, offers) => {
    const days = { start: shiftDays(end, 1 - soldDays), end };
    const own = (byCampaign.get(id) ?? []).filter(
      ({ visited, booked, offer }) => isWithin(visited ?? booked, days) && (!offers || offers.has(offer ?? '')),
    );
    const values = own.map(({ value }) => value);
    return { sales: values.length, revenue: sum(values), squares: sum(values.map((value) => value ** 2)) };
  };
  const reports = new Map<string, ReturnType<OutcomeBasis['pagesOf']>>();
  const pagesOf = (id: string) => {
    const report = reports.get(id) ?? optional(() => readPages(Number(id), context, { reuse: true }, span), context);
    reports.set(id, report);
    return report;
  };
  const all = listDays(span.start, span.end);
  const busiest = () =>
    [...campaigns.keys()]
      .map((id) => ({ id, ...days.sample(id, 'all', '', all) }))
      .filter(({ visits }) => visits > 0)
      .sort((one, other) => other.visits - one.visits)
      .map(({ id }) => id);
  return { days, missing, late, soldBefore, campaigns, pagesOf, busiest };
}

async function readOne(campaign: string, span: Span, money: Money, context: CallContext) {
  const days = new PageDays((id) => id === campaign);
  const tables: Table[] = [];
  const options = { ...wholeListOptions, reuse: true, proves: true, limits: newLimits(context) };
  const read = await readVisitsInSlices(
    campaign,
    span,
    undefined,
    context,
    (table) => {
      tables.push(table);
      return days.add(table, sameInAll(table.rowCount, campaign), paceOf(context), money);
    },
    options,
  );
  return {
    days,
    missing: () => (days.isCut ? listDays(span.start, span.end) : missingIn(read)),
    readTraffic: () => trafficInCampaign(campaign, tables, [read], [span], context),
  };
}

async function readAll(span: Span, listing: Promise<readonly ListedCampaign[]>, money: Money, context: CallContext) {
  const visits = await readAccountVisits({ span, listing, needsCampaigns: true, needsSales: false }, context);
  const byId = new Map(visits.campaigns.map((campaign) => [rawText(campaign.id), campaign]));
  const days = new PageDays((id) => mayComeDirectly(byId.get(id)));
  for (const { table, visited } of visits.lists)
    await days.add(
      table,
      mapCoded(visited, ({ listed, id }) => (listed ? rawText(listed.id) : (id ?? undefined))),
      paceOf(context),
      money,
    );
  const missing = (id: string) => {
    const listed = byId.get(id);
    if (days.isCut) return listDays(span.start, span.end);
    return listed ? visits.missingDays(listed) : [];
  };
  return { days, missing, readTraffic: () => trafficInAccount([visits], [span], context) };
}
