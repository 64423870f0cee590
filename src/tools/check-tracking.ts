import type * as z from 'zod';
import { sameInAll } from '../analysis/coded.ts';
import { moneyInWords } from '../analysis/columns/formats.ts';
import { findTrackingFaults, type TrackingNeed } from '../analysis/tracking-faults.ts';
import { type Note, sayNotice, type Unworded } from '../answer/notes.ts';
import { sayChange, sayFault, type TrackingFault } from '../answer/tracking-faults.ts';
import { Failure } from '../api/failure.ts';
import { countInWords } from '../api/rules.ts';
import type { Table } from '../api/table.ts';
import { foldedName } from '../api/text/names.ts';
import { fromOutside, rawCell, rawText, shown } from '../api/text/tracker-text.ts';
import { readAccountVisits, type VisitList } from './account/account-visits.ts';
import {
  listRead,
  missingIn,
  readVisitsInSlices,
  type Span,
  wholeListOptions,
  wholeSalesOptions,
} from './account/read-visits.ts';
import { type trackingFinding, type trackingInput, type trackingOutput, usualPeriod } from './account-tools.ts';
import { attempt, paceOf } from './asking.ts';
import { type ListedCampaign, listCampaigns, visited } from './campaigns.ts';
import type { Answer, CallContext } from './define-tool.ts';
import { settleDays, shiftDays, zoneNote } from './period.ts';
import { strangersText } from './present/cells.ts';
import {
  hasSubids,
  lacksOf,
  type TrackedCampaigns,
  trackedCampaigns,
  trackedSales,
  trackedVisits,
} from './tracked-account.ts';

/** So many days before the period show what was usual. */
const daysBefore = 7;

/** More are seldom read; those of one campaign or source can be asked for. */
const maxFindings = 20;

/** Says why figures are wrong. */
export async function run(given: Readonly<z.output<typeof trackingInput>>, context: CallContext): Promise<Answer> {
  const { query, start, end } = settleDays('check_tracking', given, usualPeriod, context);
  const span = { start: shiftDays(start, -daysBefore), end };
  const listed = await listCampaigns(context.client, context.signal);
  const asked = askedCampaigns(given, listed);
  const [campaigns, read] = await Promise.all([
    trackedCampaigns(listed, context),
    readLists(asked, listed, span, context),
  ]);
  const tables = read.visits.map(({ table }) => table);
  const pace = paceOf(context);
  const lists = await Promise.all(read.visits.map((list) => trackedVisits(list, campaigns, pace)));
  const sales = read.sales.flatMap(({ tables: sold, only }) =>
    sold.flatMap((table) => trackedSales(table, campaigns, only)),
  );
  const lacks = lacksOf(tables, lists);
  const days = { read: span.start, first: start, last: end };
  const account = { campaigns: campaigns.all, lists, sales, lacks, isWhole: read.isWhole, days };
  const isAsked = ofCampaigns(asked);
  const findings = (await findTrackingFaults(account, pace)).filter(isAsked).map(shownFinding);
  const visits = lists.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const cut = pace.isOver ? [{ code: 'time-over', campaigns: [] } as const] : [];
  const { currency } = context;
  return {
    parts: [{ count: Math.min(maxFindings, findings.length), min: Math.min(1, findings.length) }],
    render: ([count = 0]) => {
      const structured = {
        query: { ...query, ...(currency === undefined ? {} : { currency }) },
        findings: findings.slice(0, count),
        more: findings.length - count,
        looked_at: `${countInWords(visits, 'visit')} since ${span.start} and ${countInWords(sales.length, 'sale')} until ${end}, in ${countInWords((read.isPart ? asked : listed).length, 'campaign')}; links and tokens as the tracker lists them`,
        could_not_see: unseen(asked, campaigns, lacks, read),
        notices: [...cut, ...read.notices, ...zoneNote(query, context), strangersText],
      };
      return { structured, text: renderFindings(structured, currency) };
    },
  };
}

/** The campaigns that are asked about. */
function askedCampaigns(
  { campaign_id: id, source }: { readonly campaign_id?: number | undefined; readonly source?: string | undefined },
  listed: readonly ListedCampaign[],
): readonly ListedCampaign[] {
  const sourceOf = (campaign: ListedCampaign) => foldedName(rawCell(campaign.source) ?? '');
  const asked = listed.filter(
    (campaign) =>
      (id === undefined || rawText(campaign.id) === String(id)) &&
      (source === undefined || sourceOf(campaign) === foldedName(source)),
  );
  if (asked.length > 0 || (id === undefined && source === undefined)) return asked;
  const names = [...new Set(listed.flatMap((campaign) => rawCell(campaign.source) ?? []))];
  const sources = names.slice(0, maxFindings).map((name) => shown(fromOutside(name), 60));
  const what = id === undefined ? 'no campaign' : `no campaign ${id}`;
  throw new Failure(
    `check_tracking was not called: ${source === undefined ? `there is ${what}` : `${what} has the traffic source ${JSON.stringify(source)}`}.`,
    `The sources of campaigns are: ${sources.join(', ')}.`,
  );
}

/** Whether a fault belongs to some campaigns or to a source of theirs. A sale without a campaign belongs to all. */
function ofCampaigns(asked: readonly ListedCampaign[]): (fault: TrackingFault) => boolean {
  const [ids, sources] = [
    new Set(asked.map(({ id }) => rawText(id))),
    new Set(asked.map(({ source }) => rawCell(source))),
  ];
  return ({ campaign, source }) => (campaign ? ids.has(campaign.id) : source === undefined || sources.has(source));
}

interface ReadLists {
  readonly visits: readonly Pick<VisitList, 'table' | 'visited'>[];
  readonly sales: readonly SaleLists[];
  /** Whether all visits were read, of the account or of the campaigns asked about. */
  readonly isWhole: boolean;
  readonly isPart: boolean;
  readonly notices: readonly Note[];
}

/** So many campaigns are read one by one. The list of all has more of them in one answer. */
const maxApart = 4;

async function readLists(
  asked: readonly ListedCampaign[],
  listed: readonly ListedCampaign[],
  span: Span,
  context: CallContext,
): Promise<ReadLists> {
  if (asked.length < listed.length && asked.length <= maxApart) {
    const [read, sales] = await Promise.all([
      Promise.all(asked.map((campaign) => readApart(campaign, span, context))),
      Promise.all(asked.map((campaign) => readSaleLists(span, context, campaign))),
    ]);
    const cut = read.flatMap(({ read: one }) => (missingIn(one).length === 0 ? [] : [listRead(one)]));
    return {
      visits: read.flatMap(({ visits }) => visits),
      sales,
      isWhole: cut.length === 0,
      isPart: true,
      notices: cut.map((one) => ({ code: 'visits-not-whole', ...one }) as const),
    };
  }
  const question = { span, listing: Promise.resolve(listed), needsCampaigns: true, needsSales: false };
  const [account, sales] = await Promise.all([readAccountVisits(question, context), readSaleLists(span, context)]);
  const { lists: visits, isWhole, notices } = account;
  return { visits, sales: [sales], isWhole, isPart: false, notices: isWhole ? [] : notices };
}

async function readApart(campaign: ListedCampaign, span: Span, context: CallContext) {
  const visits: Pick<VisitList, 'table' | 'visited'>[] = [];
  const take = (table: Table) => visits.push({ table, visited: sameInAll(table.rowCount, visited(campaign)) });
  const options = { ...wholeListOptions, proves: true };
  const read = await readVisitsInSlices(rawText(campaign.id), span, undefined, context, take, options);
  return { visits, read };
}

interface SaleLists {
  readonly tables: readonly Table[];
  /** Why they are not whole; undefined if they are. */
  readonly gap: string | undefined;
  readonly only: ListedCampaign | undefined;
}

async function readSaleLists(span: Span, context: CallContext, only?: ListedCampaign): Promise<SaleLists> {
  const tables: Table[] = [];
  const options = { ...wholeSalesOptions, quick: true };
  const quiet = { ...context, onProgress: undefined };
  const take = (table: Table) => tables.push(table);
  const id = only ? rawText(only.id) : '0';
  const { answer, failure } = await attempt(
    () => readVisitsInSlices(id, span, undefined, quiet, take, options),
    context,
  );
  const gap = failure?.happened ?? (answer && missingIn(answer).length > 0 ? 'it is cut off' : undefined);
  return { tables, gap, only };
}

const lackInWords: Readonly<Record<TrackingNeed, string>> = {
  cost: 'The visitor list has no cost: cost that is missing or wrong is not seen.',
  clicks: 'The visitor list has no clicks: clicks that do not arrive are not seen.',
  subids: 'The visitor list has no subIDs: wrong ones are not seen.',
  tokens: 'The visitor list has no tokens: macros are not seen.',
};

/** What could not be looked at, a sentence each. */
function unseen(
  asked: readonly ListedCampaign[],
  { byListed, failure }: TrackedCampaigns,
  lacks: ReadonlySet<TrackingNeed>,
  { sales, isPart }: ReadLists,
): string[] {
  const campaigns = isPart ? asked : [...byListed.keys()];
  const withoutTokens = campaigns.filter((campaign) => byListed.get(campaign)?.tokens.length === 0).length;
  const gap = sales.find((list) => list.gap !== undefined)?.gap;
  const sold = sales.flatMap(({ tables }) => tables).filter(({ rowCount }) => rowCount > 0);
  return [
    ...Object.entries(lackInWords).flatMap(([need, text]) => (lacks.has(need as TrackingNeed) ? [text] : [])),
    ...(failure ? [`The traffic sources could not be read (${failure.happened}).`] : []),
    ...(withoutTokens > 0
      ? [
          `The tracker shows no tokens of ${withoutTokens} of ${countInWords(campaigns.length, 'campaign')}: what their links should carry is not known.`,
        ]
      : []),
    ...(isPart ? ['Other campaigns were not read: what only a comparison with them shows is not seen.'] : []),
    ...(gap === undefined ? [] : [`The conversion list is not whole (${gap}): some sales are not seen.`]),
    ...(sold.every(hasSubids) ? [] : ['The conversion list has no subIDs: sales without a visit are not seen.']),
  ];
}

function shownFinding(fault: TrackingFault): z.infer<typeof trackingFinding> {
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
