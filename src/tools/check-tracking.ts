import { booked, ListedStatuses } from '../analysis/sale-status.ts';
import type { Block } from '../answer/blocks.ts';
import { moneyInWords } from '../answer/in-views.ts';
import { type Note, sayNotice, type Unworded } from '../answer/notes.ts';
import { moneyOfFault, sayChange, sayFault, sayLooked, type TrackingFault } from '../answer/tracking-faults.ts';
import { countInWords } from '../api/rules.ts';
import { fromOutside, rawCell, rawText, shown } from '../api/text/tracker-text.ts';
import { readVisitsToCheck, type TrackedRead } from './account/checked-visits.ts';
import { rowsOf } from './account/read-visits.ts';
import { learnedDays, readSaleList, type SaleList } from './account/sale-lists.ts';
import { type trackingFinding, type trackingInput, type trackingOutput, usualPeriod } from './account-tools.ts';
import { paceOf } from './asking.ts';
import { type ListedCampaign, listCampaigns } from './campaigns.ts';
import type { Answer, CallContext } from './define-tool.ts';
import type { FromSchema } from './json-schema.ts';
import { earlier, settleDays, shiftDays, zoneNote } from './period.ts';
import { strangersText } from './present/cells.ts';
import { chooseReviewed } from './review-choice.ts';
import { readTracking, type TrackedLists } from './tracked-account.ts';

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
  const days = { read: span.start, first: start, last: end };
  const [read, sold] = await Promise.all([
    readVisitsToCheck(asked, listed, days, context),
    // What offers paid before shows what they pay twice.
    readSaleList(0, { start: earlier(span.start, shiftDays(end, -learnedDays)), end }, context),
  ]);
  const pace = paceOf(context);
  const money = { ...booked, listed: new ListedStatuses(async () => sold) };
  const tracked = await readTracking(listed, read, { conversions: sold.tables, money }, context, pace);
  const faults = await tracked.faults(days);
  const findings = faults.filter(ofCampaigns(asked)).map(shownFinding);
  const { currency } = context;
  const notSeen = unseen(tracked, read, sold);
  const visitsIn = (some: TrackedRead['lists']) => rowsOf(some.map(({ table }) => table));
  const others = read.others && { ...read.others.span, visits: visitsIn(read.others.lists) };
  const looked = {
    ...{ start, end, daysBefore, campaigns: asked.length, of: listed.length, others },
    ...{
      visits: visitsIn(read.lists) - (others?.visits ?? 0),
      sales: tracked.sales.filter(({ day }) => day === null || day >= span.start).length,
    },
  };
  return {
    parts: [{ count: Math.min(maxFindings, findings.length), min: Math.min(1, findings.length) }],
    render: ([count = 0]) => {
      const structured = {
        query: { ...query, campaign_id: id, source, currency },
        findings: findings.slice(0, count),
        more: findings.length - count,
        looked_at: sayLooked(looked),
        could_not_see: notSeen.map(sayNotice),
        notices: [
          ...(pace.isOver ? [{ code: 'time-over', campaigns: [] } as const] : []),
          ...read.notices.filter(({ code }) => !read.isWhole || code === 'odd-rows'),
          ...zoneNote(query, context),
          strangersText,
        ],
      };
      return { structured, blocks: [...blocksOf(structured, currency), ...notSeen] };
    },
  };
}

/** Whether a fault belongs to some campaigns or to a source of theirs. A sale without a campaign belongs to all. */
function ofCampaigns(asked: readonly ListedCampaign[]): (fault: TrackingFault) => boolean {
  const ids = new Set(asked.map(({ id }) => rawText(id)));
  const sources = new Set(asked.map(({ source }) => rawCell(source)));
  return ({ campaign, source }) => (campaign ? ids.has(campaign.id) : source === undefined || sources.has(source));
}

/** What could not be looked at. */
function unseen(
  { campaigns, failure, lacks, sales }: TrackedLists,
  { others }: TrackedRead,
  { gap }: SaleList,
): Note[] {
  const bare = campaigns.filter(({ tokens }) => tokens.length === 0).length;
  const hasNone = sales.length > 0 && sales.every(({ subid }) => subid === null);
  return [
    ...[...lacks].map((need) => ({ code: 'tracking-lacks', need }) as const),
    ...(others?.failure ? [{ code: 'others-unread', why: others.failure.happened } as const] : []),
    ...(failure ? [{ code: 'sources-unread', why: failure.happened } as const] : []),
    ...(bare > 0 ? [{ code: 'without-tokens', campaigns: bare, of: campaigns.length } as const] : []),
    ...(gap ? [{ code: 'sales-cut', why: gap } as const] : []),
    ...(hasNone ? [{ code: 'sales-without-subids' } as const] : []),
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
      money_is: moneyOfFault(fault),
      since,
      example: text(example ?? undefined) ?? null,
    },
    what: sayFault(fault),
    change: { at, what: sayChange(fault), use: text(fault.use), link: text(fault.link) },
  };
}

const maxTextLength = 500;

const nothingWrong =
  'Nothing wrong was found in links, tokens, subIDs, costs and postbacks as they usually are. What went wrong for some days, such as a cost that is missing or sales that were lost: review_account.';

/** Two lines for a finding, most money first. */
function blocksOf(
  { findings, more, looked_at }: Unworded<FromSchema<typeof trackingOutput>>,
  currency: string | undefined,
): Block[] {
  const lines = findings.flatMap(({ what, money, money_is, change }) => [
    `${what}; ${money_is}: ${moneyInWords(money, currency)}`,
    `  Change at the ${change.at}: ${change.what}`,
  ]);
  return [
    ...(lines.length === 0 ? [nothingWrong] : lines),
    ...(more > 0 ? [`${countInWords(more, 'more finding')}: ask for one campaign_id or source.`] : []),
    `Looked at ${looked_at}.`,
  ];
}
