import * as z from 'zod';
import { valueAt } from '../analysis/coded.ts';
import { indexOfColumn, numberIn } from '../analysis/columns/columns.ts';
import { moneyInWords } from '../analysis/columns/formats.ts';
import { timesIn } from '../analysis/columns/times.ts';
import { moneyColumn, payoutsIn } from '../analysis/listed-conversions.ts';
import {
  findTrackingFaults,
  type Token,
  type TrackedCampaign,
  type TrackedSale,
  type TrackedVisits,
} from '../analysis/tracking-faults.ts';
import { amountsIn, missingFigures, type Reading, readAll, readerOf, visitTimes } from '../analysis/visit-groups.ts';
import { sayNotice, type Unworded } from '../answer/notes.ts';
import { sayChange, sayFault, type TrackingFault } from '../answer/tracking-faults.ts';
import { Failure } from '../api/failure.ts';
import * as is from '../api/parameters.ts';
import { countInWords } from '../api/rules.ts';
import type { Table } from '../api/table.ts';
import { foldedName } from '../api/text/names.ts';
import { fromOutside, rawCell, rawText, shown } from '../api/text/tracker-text.ts';
import { type TokenSlot, tokenSlots } from '../api/token-slots.ts';
import { fieldNamed, namesOf, thingsOf } from '../api/vocabulary.ts';
import { yesOrNo } from '../api/yes-no.ts';
import { readAccountVisits, type VisitList } from './account/account-visits.ts';
import { missingIn, readVisitsInSlices, type Span, wholeSalesOptions } from './account/read-visits.ts';
import { attempt } from './asking.ts';
import { campaignsIn, type ListedCampaign, listCampaigns } from './campaigns.ts';
import { type CallContext, defineTool } from './define-tool.ts';
import { type Period, periodNames, settleDays, shiftDays, zoneNote } from './period.ts';
import { strangersText } from './present/cells.ts';
import { query } from './present/outputs.ts';
import { tokensByCampaign } from './tokens.ts';

const usualPeriod: Period = 'last_7_days';

/** So many days before the period show what was usual. */
const daysBefore = 7;

const finding = z.object({
  code: z.string(),
  campaign_id: z.number().optional(),
  source: z.string().optional(),
  token: z.string().optional(),
  page: z.string().optional(),
  affected: z.number(),
  of: z.number(),
  money: z.number(),
  since: z.string(),
  example: z.string().nullable(),
  what: z.string(),
  change: z.object({ at: z.string(), what: z.string(), use: z.string().optional(), link: z.string().optional() }),
});

const trackingOutput = z.object({
  query,
  findings: z.array(finding),
  more: z.number(),
  looked_at: z.string(),
  could_not_see: z.array(z.string()),
  notices: z.array(z.string()),
});

/** More are seldom read; those of one campaign or source can be asked for. */
const maxFindings = 20;

/** Why figures are wrong. It only reads. */
export const checkTracking = defineTool({
  name: 'check_tracking',
  title: 'What is wrong with tracking',
  description:
    'Why figures are wrong: macros that arrive empty or as themselves, cut links, wrong subIDs, tokens, costs, sales without a visit or twice. ' +
    `Each with visits, money, since when and what to use instead. Without dates: ${usualPeriod}.`,
  access: 'read',
  input: z.strictObject({
    campaign_id: is.campaign().optional(),
    source: is.text('Only this traffic source').optional(),
    period: is.oneOf(periodNames, 'Instead of dates').optional(),
    start_date: is.date('YYYY-MM-DD').optional(),
    end_date: is.date('Last day').optional(),
  }),
  output: trackingOutput,
  run: async (given, context) => {
    const { query, start, end } = settleDays('check_tracking', given, usualPeriod, context);
    const span = { start: shiftDays(start, -daysBefore), end };
    const listing = listCampaigns(context.client, context.signal);
    const [account, sold, tokens] = await Promise.all([
      readAccountVisits({ span, listing, needsCampaigns: true, needsSales: false }, context),
      readSaleLists(span, context),
      listing.then((all) => attempt(() => tokensByCampaign(all, context), context)),
    ]);
    const campaigns = new Map(
      account.campaigns.map((campaign) => [campaign, trackedCampaign(campaign, tokens.answer?.get(campaign) ?? [])]),
    );
    const isAsked = askedCampaigns(given, [...campaigns.values()]);
    const trackedOf = (listed: ListedCampaign | undefined) => listed && campaigns.get(listed);
    const lists = await Promise.all(account.lists.map((list) => trackedVisits(list, trackedOf)));
    const sales = sold.tables.flatMap((table) => trackedSales(table, [...campaigns.keys()], trackedOf));
    const days = { read: span.start, first: start, last: end };
    const faults = await findTrackingFaults({ lists, sales, isWhole: account.isWhole, days });
    const findings = faults.filter(isAsked).map(shownFinding);
    const tables = account.lists.map(({ table }) => table);
    const visits = lists.reduce((sum, { rowCount }) => sum + rowCount, 0);
    const { currency } = context;
    return {
      parts: [{ count: Math.min(maxFindings, findings.length), min: Math.min(1, findings.length) }],
      render: ([count = 0]) => {
        const structured = {
          query: { ...query, ...(currency === undefined ? {} : { currency }) },
          findings: findings.slice(0, count),
          more: findings.length - count,
          looked_at: `${countInWords(visits, 'visit')} since ${span.start} and ${countInWords(sales.length, 'sale')} until ${end}, in ${countInWords(campaigns.size, 'campaign')}; links and tokens as the tracker lists them`,
          could_not_see: unseen(tables, lists, campaigns, sold, tokens.failure),
          notices: [...(account.isWhole ? [] : account.notices), ...zoneNote(query, context), strangersText],
        };
        return { structured, text: renderFindings(structured, currency) };
      },
    };
  },
});

/** Whether a fault belongs to what was asked. A sale without a campaign belongs to all. */
function askedCampaigns(
  { campaign_id: id, source }: { readonly campaign_id?: number | undefined; readonly source?: string | undefined },
  campaigns: readonly TrackedCampaign[],
): (fault: TrackingFault) => boolean {
  const plain = source === undefined ? undefined : foldedName(source);
  const names = [...new Set(campaigns.flatMap((campaign) => campaign.source ?? []))];
  const asked = names.filter((name) => plain === undefined || foldedName(name) === plain);
  if (plain !== undefined && asked.length === 0) {
    throw new Failure(
      `check_tracking was not called: no campaign has the traffic source ${JSON.stringify(source)}.`,
      `The sources of campaigns are: ${names
        .slice(0, 20)
        .map((name) => shown(fromOutside(name), 60))
        .join(', ')}.`,
    );
  }
  const sourceOfAsked = campaigns.find((campaign) => campaign.id === String(id))?.source;
  return (fault) =>
    (id === undefined || (fault.campaign?.id ?? String(id)) === String(id)) &&
    (id === undefined || fault.source === undefined || fault.source === sourceOfAsked) &&
    (plain === undefined || fault.source === undefined || asked.includes(fault.source));
}

const { url: linkNames } = thingsOf('listed');

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
  const pairs = (link ?? '')
    .split(/[?&]/)
    .slice(1)
    .map((pair) => pair.split('=', 2));
  const places = tokens.map((token) => {
    const index = pairs.findIndex(([name = '', value]) =>
      token.parameter === null
        ? value === token.placeholder && value !== ''
        : name === encodeURIComponent(token.parameter),
    );
    return { token: { ...token, parameter: token.parameter ?? pairs[index]?.[0] ?? null }, index };
  });
  return places.sort((one, other) => one.index - other.index).map(({ token }) => token);
}

type TrackedOf = (listed: ListedCampaign | undefined) => TrackedCampaign | undefined;

const visitSlots = tokenSlots.filter((slot) => slot !== 'Cost');
const slotNames: Partial<Record<TokenSlot, string>> = { Keyword: 'keyword', AdValue: 'ad' };

async function trackedVisits({ table, visited }: VisitList, trackedOf: TrackedOf): Promise<TrackedVisits> {
  const times = visitTimes(table);
  const names = [...visitSlots.map((slot) => slotNames[slot] ?? slot), 'landing_page', 'offer'];
  const readings = await readAll(table, names.map(readerOf));
  const readSubid = namesOf('visitor', 'visitor').map((name) => readerOf(name)(table));
  return {
    rowCount: table.rowCount,
    campaignOf: (row) => trackedOf(valueAt(visited, row)?.listed),
    dayOf: (row) => times?.dayOf(row) ?? null,
    momentOf: (row) => times?.momentOf(row) ?? null,
    slots: new Map(
      visitSlots.flatMap((slot, index) => {
        const reading = readings[index];
        return reading ? [[slot, reading] as const] : [];
      }),
    ),
    subid: readSubid.find((reading): reading is Reading => reading !== undefined),
    landingPage: readings.at(-2),
    offer: readings.at(-1),
    amounts: amountsIn(table),
  };
}

interface SaleLists {
  readonly tables: readonly Table[];
  /** Why they are not whole; undefined if they are. */
  readonly gap: string | undefined;
}

async function readSaleLists(span: Span, context: CallContext): Promise<SaleLists> {
  const tables: Table[] = [];
  const options = { ...wholeSalesOptions, quick: true };
  const quiet = { ...context, onProgress: undefined };
  const take = (table: Table) => tables.push(table);
  const { answer, failure } = await attempt(
    () => readVisitsInSlices('0', span, undefined, quiet, take, options),
    context,
  );
  return { tables, gap: failure?.happened ?? (answer && missingIn(answer).length > 0 ? 'it is cut off' : undefined) };
}

const saleNames = thingsOf('conversion');
const saleVisitor = namesOf('conversion', 'visitor');

function trackedSales(table: Table, campaigns: readonly ListedCampaign[], trackedOf: TrackedOf): TrackedSale[] {
  const [booked, visited] = [saleNames.booked, saleNames.visited].map((names) => timesIn(table, names));
  const cellOf = (names: readonly string[]) => {
    const column = indexOfColumn(table, names) ?? -1;
    return (row: number) => rawCell(table.text(row, column))?.trim() || null;
  };
  const [subidOf, offerOf, transactionOf] = [saleVisitor, saleNames.offerName, saleNames.transaction].map(cellOf);
  const campaignOf = campaignsIn(campaigns)(table);
  const amounts = payoutsIn(table);
  const payoutColumn = indexOfColumn(table, saleNames.payout) ?? -1;
  const fromPayout = (row: number) => (payoutColumn === moneyColumn(table) ? null : table.text(row, payoutColumn));
  return Array.from({ length: table.rowCount }, (_, row) => ({
    campaign: trackedOf(valueAt(campaignOf, row)?.listed),
    subid: subidOf?.(row) ?? null,
    offer: offerOf?.(row) ?? null,
    transaction: transactionOf?.(row) ?? null,
    revenue: amounts?.[row] || 0,
    payout: numberIn(fromPayout(row)) ?? null,
    day: booked?.dayOf(row) ?? null,
    at: booked?.momentOf(row) ?? null,
    visitDay: visited?.dayOf(row) ?? null,
    visitedAt: visited?.momentOf(row) ?? null,
  }));
}

/** What could not be looked at, a sentence each. */
function unseen(
  tables: readonly Table[],
  lists: readonly TrackedVisits[],
  campaigns: ReadonlyMap<ListedCampaign, TrackedCampaign>,
  sold: SaleLists,
  failure: Failure | undefined,
): string[] {
  const filled = lists.filter(({ rowCount }) => rowCount > 0);
  const missing = missingFigures(tables);
  const withoutTokens = [...campaigns.values()].filter(({ tokens }) => tokens.length === 0).length;
  const sales = sold.tables.filter(({ rowCount }) => rowCount > 0);
  return [
    ...(missing.includes('cost') ? ['The visitor list has no cost: cost that is missing or wrong is not seen.'] : []),
    ...(missing.includes('clicks') ? ['The visitor list has no clicks: clicks that do not arrive are not seen.'] : []),
    ...(filled.some(({ subid }) => !subid) ? ['The visitor list has no subIDs: wrong ones are not seen.'] : []),
    ...(filled.some(({ slots }) => slots.size === 0) ? ['The visitor list has no tokens: macros are not seen.'] : []),
    ...(failure ? [`The traffic sources could not be read (${failure.happened}).`] : []),
    ...(withoutTokens > 0
      ? [
          `The tracker shows no tokens of ${withoutTokens} of ${campaigns.size} campaigns: what their links should carry is not known.`,
        ]
      : []),
    ...(sold.gap === undefined ? [] : [`The conversion list is not whole (${sold.gap}): some sales are not seen.`]),
    ...(sales.some((table) => indexOfColumn(table, saleVisitor) === undefined)
      ? ['The conversion list has no subIDs: sales without a visit are not seen.']
      : []),
  ];
}

function shownFinding(fault: TrackingFault): z.infer<typeof finding> {
  const text = (value: string | undefined) =>
    value === undefined ? undefined : shown(fromOutside(value), maxTextLength);
  const { code, campaign, example, since, visits, of, money, at } = fault;
  const id = Number(campaign?.id);
  return {
    code,
    ...(Number.isSafeInteger(id) && id > 0 ? { campaign_id: id } : {}),
    ...defined({ source: text(fault.source), token: text(fault.token), page: text(fault.page) }),
    ...{ affected: visits, of, money: Math.round(money * 100) / 100, since },
    example: example === null ? null : shown(fromOutside(example), maxTextLength),
    what: sayFault(fault),
    change: { at, what: sayChange(fault), ...defined({ use: text(fault.use), link: text(fault.link) }) },
  };
}

const maxTextLength = 500;

const defined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };

/** Two lines for a finding, most money first. */
function renderFindings(
  { findings, more, looked_at, could_not_see, notices }: Unworded<z.infer<typeof trackingOutput>>,
  currency: string | undefined,
): string {
  const lines = findings.flatMap(({ what, money, change }) => [
    `${what}; cost and revenue ${moneyInWords(money, currency)}`,
    `  Change at the ${change.at}: ${change.what}`,
  ]);
  return [
    ...(lines.length === 0 ? ['Nothing wrong was found.'] : lines),
    ...(more > 0 ? [`${countInWords(more, 'more finding')}: ask for one campaign_id or source.`] : []),
    `Looked at ${looked_at}.`,
    ...could_not_see,
    ...notices.map(sayNotice),
  ].join('\n');
}
