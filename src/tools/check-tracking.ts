import type { TrackingNeed } from '../analysis/tracking-faults.ts';
import type { Block } from '../answer/blocks.ts';
import { moneyInWords } from '../answer/in-views.ts';
import type { Unworded } from '../answer/notes.ts';
import { sayChange, sayFault, type TrackingFault } from '../answer/tracking-faults.ts';
import { countInWords } from '../api/rules.ts';
import type { Table } from '../api/table.ts';
import { fromOutside, rawCell, rawText, shown } from '../api/text/tracker-text.ts';
import { readAccountVisits } from './account/account-visits.ts';
import { missingIn, readVisitsInSlices, type Span, wholeSalesOptions } from './account/read-visits.ts';
import { Turns } from './account/visits-by-campaign.ts';
import { type trackingFinding, type trackingInput, type trackingOutput, usualPeriod } from './account-tools.ts';
import { attempt, paceOf } from './asking.ts';
import { type ListedCampaign, listCampaigns } from './campaigns.ts';
import type { Answer, CallContext } from './define-tool.ts';
import type { FromSchema } from './json-schema.ts';
import { settleDays, shiftDays, zoneNote } from './period.ts';
import { strangersText } from './present/cells.ts';
import { chooseReviewed } from './review-choice.ts';
import { hasSubids, readTracking, type TrackedLists } from './tracked-account.ts';

/** So many days before the period show what was usual. */
const daysBefore = 7;

/** More are seldom read; those of one campaign or source can be asked for. */
const maxFindings = 20;

/** Says why figures are wrong. */
export async function run(given: Readonly<FromSchema<typeof trackingInput>>, context: CallContext): Promise<Answer> {
  const { campaign_id: id, source, ...period } = given;
  const { query, start, end } = settleDays('check_tracking', period, usualPeriod, context);
  const span = { start: shiftDays(start, -daysBefore), end };
  const listed = await listCampaigns(context.client, context.signal);
  const asked = await chooseReviewed(
    listed,
    { campaign_ids: id === undefined ? undefined : [id], traffic_source: source },
    context,
  );
  const turns = new Turns({ first: asked.map((campaign) => rawText(campaign.id)) });
  const visits = { span, listing: Promise.resolve(listed), needsCampaigns: true, needsSales: false, turns };
  const [read, sold] = await Promise.all([readAccountVisits(visits, context), readSales(span, context)]);
  const pace = paceOf(context);
  const tracked = await readTracking(listed, read, sold.tables, context, pace);
  const faults = await tracked.faults({ read: span.start, first: start, last: end });
  const findings = faults.filter(ofCampaigns(asked)).map(shownFinding);
  const { currency } = context;
  return {
    parts: [{ count: Math.min(maxFindings, findings.length), min: Math.min(1, findings.length) }],
    render: ([count = 0]) => {
      const structured = {
        query: {
          ...query,
          ...(id === undefined ? {} : { campaign_id: id }),
          ...(source === undefined ? {} : { source }),
          ...(currency === undefined ? {} : { currency }),
        },
        findings: findings.slice(0, count),
        more: findings.length - count,
        looked_at: `${countInWords(tracked.visits, 'visit')} since ${span.start} and ${countInWords(tracked.sales.length, 'sale')} until ${end}, in ${countInWords(listed.length, 'campaign')}; links and tokens as the tracker lists them`,
        could_not_see: unseen(tracked, sold),
        notices: [
          ...(pace.isOver ? [{ code: 'time-over', campaigns: [] } as const] : []),
          ...(read.isWhole ? [] : read.notices),
          ...zoneNote(query, context),
          strangersText,
        ],
      };
      return { structured, blocks: blocksOf(structured, currency) };
    },
  };
}

/** Whether a fault belongs to some campaigns or to a source of theirs. A sale without a campaign belongs to all. */
function ofCampaigns(asked: readonly ListedCampaign[]): (fault: TrackingFault) => boolean {
  const ids = new Set(asked.map(({ id }) => rawText(id)));
  const sources = new Set(asked.map(({ source }) => rawCell(source)));
  return ({ campaign, source }) => (campaign ? ids.has(campaign.id) : source === undefined || sources.has(source));
}

/** The conversions of some days, and why their list is not whole; undefined if it is. */
async function readSales(span: Span, context: CallContext) {
  const tables: Table[] = [];
  const options = { ...wholeSalesOptions, quick: true };
  const take = (table: Table) => tables.push(table);
  const read = () => readVisitsInSlices('0', span, undefined, { ...context, onProgress: undefined }, take, options);
  const { answer, failure } = await attempt(read, context);
  return {
    tables,
    gap: failure?.happened ?? (answer && missingIn(answer).length > 0 ? 'it is cut off' : undefined),
  };
}

const lackInWords: Readonly<Record<TrackingNeed, string>> = {
  cost: 'The visitor list has no cost: cost that is missing or wrong is not seen.',
  clicks: 'The visitor list has no clicks: clicks that do not arrive are not seen.',
  subids: 'The visitor list has no subIDs: wrong ones are not seen.',
  tokens: 'The visitor list has no tokens: macros are not seen.',
};

/** What could not be looked at, a sentence each. */
function unseen(
  { campaigns, failure, lacks }: TrackedLists,
  { tables, gap }: { readonly tables: readonly Table[]; readonly gap: string | undefined },
): string[] {
  const withoutTokens = campaigns.filter(({ tokens }) => tokens.length === 0).length;
  return [
    ...Object.entries(lackInWords).flatMap(([need, text]) => (lacks.has(need as TrackingNeed) ? [text] : [])),
    ...(failure ? [`The traffic sources could not be read (${failure.happened}).`] : []),
    ...(withoutTokens > 0
      ? [
          `The tracker shows no tokens of ${withoutTokens} of ${countInWords(campaigns.length, 'campaign')}: what their links should carry is not known.`,
        ]
      : []),
    ...(gap === undefined ? [] : [`The conversion list is not whole (${gap}): some sales are not seen.`]),
    ...(tables.every((table) => table.rowCount === 0 || hasSubids(table))
      ? []
      : ['The conversion list has no subIDs: sales without a visit are not seen.']),
  ];
}

function shownFinding(fault: TrackingFault): FromSchema<typeof trackingFinding> {
  const text = (value: string | undefined) =>
    value === undefined ? undefined : shown(fromOutside(value), maxTextLength);
  const { code, campaign, example, since, visits, of, money, at } = fault;
  const id = Number(campaign?.id);
  return {
    code,
    campaign_id: Number.isSafeInteger(id) && id > 0 ? id : undefined,
    ...{ source: text(fault.source), token: text(fault.token), page: text(fault.page) },
    ...{
      affected: visits,
      of,
      money: Math.round(money * 100) / 100,
      since,
      example: text(example ?? undefined) ?? null,
    },
    what: sayFault(fault),
    change: { at, what: sayChange(fault), use: text(fault.use), link: text(fault.link) },
  };
}

const maxTextLength = 500;

/** Two lines for a finding, most money first. */
function blocksOf(
  { findings, more, looked_at, could_not_see }: Unworded<FromSchema<typeof trackingOutput>>,
  currency: string | undefined,
): Block[] {
  const lines = findings.flatMap(({ what, money, change }) => [
    `${what}; cost and revenue ${moneyInWords(money, currency)}`,
    `  Change at the ${change.at}: ${change.what}`,
  ]);
  return [
    ...(lines.length === 0 ? ['Nothing wrong was found.'] : lines),
    ...(more > 0 ? [`${countInWords(more, 'more finding')}: ask for one campaign_id or source.`] : []),
    `Looked at ${looked_at}.`,
    ...could_not_see,
  ];
}
