import { valueAt } from '../../analysis/coded.ts';
import {
  type BookedSale,
  type Cause,
  carriedTogether,
  explainProfit,
  type SalesToCome,
  type VisitColumns,
} from '../../analysis/profit-change.ts';
import type { Money } from '../../analysis/sale-status.ts';
import { wereSalesDue } from '../../analysis/sales-gap.ts';
import type { SoldOf } from '../../analysis/timed-sales.ts';
import { describeStep } from '../../answer/changes.ts';
import type { Note } from '../../answer/notes.ts';
import type { ShareChange } from '../../answer/profit-change.ts';
import { dayMs, hourMs } from '../../api/durations.ts';
import { Failure } from '../../api/failure.ts';
import { expectRejections } from '../account/held-money.ts';
import { expectLateSales, type LateSales, lateSalesNote, readLateSales } from '../account/late-sales.ts';
import { ListedSales, type LostGap, lostSalesIn } from '../account/listed-sales.ts';
import { moneyOf } from '../account/money-of-call.ts';
import { isWithin, type Span } from '../account/read-visits.ts';
import { isLongAgo, type SaleLists } from '../account/sale-lists.ts';
import type { explainInput } from '../account-tools.ts';
import { paceOf } from '../asking.ts';
import { campaignNames, campaignNamesById, listCampaignsIfOffered, visited } from '../campaigns.ts';
import type { Answer, CallContext } from '../define-tool.ts';
import type { FromSchema } from '../json-schema.ts';
import {
  type Days,
  lengthInDays,
  listDays,
  type Period,
  resolvePeriod,
  shiftDays,
  today,
  zoneNote,
} from '../period.ts';
import { presentStep } from '../present/change-steps.ts';
import { presentExplanation } from './present.ts';
import { readSpanVisits, type Spans } from './read-span-visits.ts';

/** Explains why profit changed between two spans of days. */
export async function run(given: Readonly<FromSchema<typeof explainInput>>, context: CallContext): Promise<Answer> {
  const { asked, ...spans } = resolveSpans(given, context);
  const { before, after } = spans;
  const { visits, hasCost, days, isWhole, basis, money, readLists, lateSales } = await readChange(
    given,
    spans,
    context,
  );
  const sales = await listedSales(given.campaign_id, after, readLists, context);
  const names = await namesOfLate(given.campaign_id, lateSales, context);
  const pace = paceOf(context);
  const toCome = toComeIn(lateSales, after, names);
  await pace.rest();
  const listed = paidIn(sales);
  await pace.rest();
  const change = await explainProfit(visits, days, pace, {
    listed,
    undecided: undecidedIn(sales, spans, money),
    toCome,
    areExpected: money.state === 'expected',
  });
  return presentExplanation({
    query: {
      campaign_id: given.campaign_id,
      start_date: after.start,
      end_date: after.end,
      compare_start: before.start,
      compare_end: before.end,
      ...(given.money ? { money: given.money } : {}),
    },
    spans,
    isWhole,
    expectedRevenue: expectLateSales(lateSales, after)?.revenue,
    toReject: money.state === 'booked' ? expectRejections(sales, after, today(context.timeZone, context.now())) : 0,
    leftOut: basis
      .filter((note) => 'code' in note && note.code === 'held-revenue')
      .find((held) => held.money === 'paid')?.pending,
    lost: lateSales.gap === undefined ? lostIn(sales, spans, visits) : undefined,
    currency: context.currency,
    measure: hasCost ? 'Profit' : 'Revenue',
    ...change,
    toComeOf: lateRevenueOf(given.campaign_id, lateSales, after, names),
    isInactive: await inactiveIn(given.campaign_id, change.causes, context),
    ...(await changesBetween(given.campaign_id, spans, context)),
    notices: [
      ...lengthNote(asked, before),
      ...(change.isCut ? [{ code: 'time-over', campaigns: [] } as const] : []),
      ...lateSalesNote(lateSales, after, false, context),
      ...basis,
      ...zoneNote({ start_date: after.start }, context),
    ],
  });
}

/** What explains a change. The lists of visits, which are large, are let go once they are read. */
async function readChange(given: Readonly<FromSchema<typeof explainInput>>, spans: Spans, context: CallContext) {
  const { before, after } = spans;
  const question = { campaigns: [given.campaign_id], span: after, since: before.start };
  const { money, readLists } = await moneyOf('explain_change', given, question, context);
  const reading = readSpanVisits(given.campaign_id, spans, money, context);
  const readTraffic = async () => (await reading).readTraffic();
  const [{ readTraffic: _, ...read }, lateSales] = await Promise.all([
    reading,
    readLateSales(after, readLists, context, readTraffic),
  ]);
  return { ...read, money, readLists, lateSales };
}

type CampaignNames = ReturnType<typeof campaignNamesById>;

/** The names of an account's campaigns, if sales come late; of one campaign, all sales are its own. */
async function namesOfLate(campaignId: number, { late }: LateSales, context: CallContext): Promise<CampaignNames> {
  const isNeeded = campaignId === 0 && late !== undefined;
  return campaignNamesById(isNeeded ? ((await listCampaignsIfOffered(context)) ?? []) : []);
}

/** What the visits of each day will still sell; undefined if it is not known how late sales come. */
function toComeIn({ late, isMeant }: LateSales, span: Span, names: CampaignNames): readonly SalesToCome[] | undefined {
  if (!late) return undefined;
  return listDays(span.start, span.end).flatMap((day) =>
    late
      .expectEach({ start: day, end: day }, isMeant)
      .filter(({ count }) => count > 0)
      .map(({ of, count, revenue }) => {
        const campaign = names.get(of.campaign) ?? undefined;
        return { day, offer: of.offer, campaign, count, revenue };
      }),
  );
}

/** The sales of a month, as their list has them; none if the span is long ago. */
async function listedSales(
  campaignId: number,
  span: Span,
  readLists: () => Promise<SaleLists>,
  context: CallContext,
): Promise<ListedSales> {
  if (isLongAgo(span, context)) return new ListedSales([]);
  const { tables, isMeant } = await readLists();
  const sales = new ListedSales(campaignId === 0 ? ((await listCampaignsIfOffered(context)) ?? []) : []);
  for (const table of tables) {
    sales.add(table, isMeant);
    await paceOf(context).rest();
  }
  return sales;
}

/** A time in one of the spans in which sales were lost, and what these would have brought to the later one. */
function lostIn({ all }: ListedSales, { before, after }: Spans, visits: VisitColumns) {
  const timeOf = (span: Span) => ({ from: Date.parse(span.start), to: Date.parse(span.end) + dayMs });
  const isIn = ({ from, to }: Pick<LostGap, 'from' | 'to'>, span: Span) =>
    from < timeOf(span).to && to > timeOf(span).from;
  const since = Math.min(Date.parse(before.start), Date.parse(after.start));
  const lost = lostSalesIn(all, since, (gap, offers) => {
    const clicks = clickMoments(visits, offers);
    return [after, before].some((span) => isIn(gap, span) && wereSalesDue(gap, clicks, timeOf(span)));
  });
  const [most] = lost.sort((one, other) => other.worth - one.worth);
  return most && { ...most, revenue: isIn(most, after) ? most.worth : 0 };
}

/**
 * When visits clicked, to the hour, on the tracker's clock as if that were UTC; none if the list has no hours.
 * @param offers those that they reached; by default all
 */
function clickMoments(
  { listed, dimensions, amounts, days, dayCodes }: VisitColumns,
  offers?: ReadonlySet<string>,
): number[] {
  const [hour, offer] = ['hour', 'offer'].map((wanted) => dimensions.find(({ name }) => name === wanted));
  if (!hour) return [];
  const starts = days.map((day) => Date.parse(day));
  const isMeant = (row: number) => !offers || (offer !== undefined && offers.has(valueAt(offer, row) ?? ''));
  const clicked = listed.filter((row) => (amounts.clicks[row] ?? 0) > 0 && isMeant(row));
  return Array.from(clicked, (row) => (starts[dayCodes[row] ?? 0] ?? 0) + Number(valueAt(hour, row)) * hourMs);
}

/** The sales that show what offers pay: one that is rejected pays nothing. */
function paidIn({ all }: ListedSales): BookedSale[] {
  const nameOf = campaignNames([...new Set(all.flatMap(({ campaign }) => campaign ?? []))]);
  return all.flatMap(({ offer, campaign, visited: day, booked, visitor, value: revenue, held }) =>
    day === null || revenue === 0 || held?.standing === 'rejected'
      ? []
      : [{ offer, campaign: campaign ? nameOf(visited(campaign)) : null, day, revenue, visitor, booked }],
  );
}

/** Where so many sales are pending, too few are rejected yet to say that fewer are. */
const manyPending = 0.2;

/** The offers of whose later sales many are pending, unless more of these are rejected all the same. */
function undecidedIn({ all }: ListedSales, { before, after }: Spans, money: Money): ReadonlySet<string> {
  const counts = new Map<string, Record<'earlier' | 'rejectedEarlier' | 'later' | 'rejected' | 'pending', number>>();
  for (const { offer, visited: day, booked, held } of all) {
    const isLater = isWithin(day ?? booked, after);
    if (offer === null || !(isLater || isWithin(day ?? booked, before))) continue;
    const count = counts.get(offer) ?? { earlier: 0, rejectedEarlier: 0, later: 0, rejected: 0, pending: 0 };
    counts.set(offer, count);
    count[isLater ? 'later' : 'earlier'] += 1;
    if (held?.standing === 'rejected') count[isLater ? 'rejected' : 'rejectedEarlier'] += 1;
    if (isLater && held?.standing === 'pending') count.pending += 1;
  }
  return new Set(
    [...counts].flatMap(([offer, { earlier, rejectedEarlier, later, rejected, pending }]) => {
      // Where pending sales are left out, they look like rejected ones.
      const rejectsMore = money.state === 'booked' && rejected * earlier > rejectedEarlier * later;
      return pending > later * manyPending && !rejectsMore ? offer : [];
    }),
  );
}

type SpansQuestion = Days & {
  readonly period?: Period | undefined;
  readonly compare_to: 'same_weekdays' | 'previous';
  readonly compare_start?: string | undefined;
  readonly compare_end?: string | undefined;
};

const defaultDays = 7;

/** Max days of both spans together: the visits that one call reads. */
const maxDays = 92;

/**
 * The two spans that a question compares, and the earlier one as it was asked for.
 * @throws Failure if they overlap, end before they start, are too long or in the future
 */
function resolveSpans(given: SpansQuestion, context: CallContext): Spans & { readonly asked: Span } {
  const { timeZone, now } = context;
  const day = today(timeZone, now());
  const after = laterSpan(given, context, day);
  checkSpan(after, day);
  const asked = earlierSpan(given, after);
  checkSpan(asked, day);
  const before = asLongAs(after, asked);
  checkSpan(before, day);
  const length = lengthInDays(after.start, after.end);
  if (before.end >= after.start && after.end >= before.start)
    refuse(
      `${before.start} to ${before.end} and ${after.start} to ${after.end} overlap.`,
      'Give spans that share no day.',
    );
  if (length * 2 > maxDays) refuse(`${length} days are too many.`, `Compare ${maxDays / 2} at most.`);
  const hour = Number(new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' }).format(now()));
  return { asked, before, after, untilHour: after.end === day ? hour : undefined };
}

/** As many days as another span has, up to the last that is asked for; of a longer one those with the same weekdays, if it has them. */
function asLongAs({ start, end }: Span, asked: Span): Span {
  const [length, of] = [lengthInDays(start, end), lengthInDays(asked.start, asked.end)];
  if (of < length && asked.start > end) return { start: asked.start, end: shiftDays(asked.start, length - 1) };
  const sinceWeekday = (((lengthInDays(end, asked.end) - 1) % 7) + 7) % 7;
  const last = of >= length + sinceWeekday ? shiftDays(asked.end, -sinceWeekday) : asked.end;
  return { start: shiftDays(last, 1 - length), end: last };
}

const lengthNote = (asked: Span, { start, end }: Span): Note[] =>
  asked.start === start && asked.end === end ? [] : [{ code: 'as-many-days', asked, start, end }];

function checkSpan({ start, end }: Span, day: string): void {
  const future = [start, end].find((named) => named > day);
  if (future !== undefined) refuse(`${future} is in the future: today is ${day}.`, 'Give days up to today.');
  if (start > end) refuse(`${start} comes after ${end}.`, 'Give the earlier day first.');
}

function laterSpan(given: SpansQuestion, context: CallContext, day: string): Span {
  if (given.period === undefined && given.start_date === undefined && given.end_date === undefined) {
    const end = shiftDays(day, -1);
    return { start: shiftDays(end, 1 - defaultDays), end };
  }
  const { start_date: start, end_date: end } = resolvePeriod(given, context);
  // "Since Tuesday" means until now.
  return { start: start ?? end ?? day, end: end ?? day };
}

function earlierSpan({ compare_to, compare_start, compare_end }: SpansQuestion, { start, end }: Span): Span {
  const length = lengthInDays(start, end);
  if (compare_start !== undefined)
    return { start: compare_start, end: compare_end ?? shiftDays(compare_start, length - 1) };
  if (compare_end !== undefined) return { start: shiftDays(compare_end, 1 - length), end: compare_end };
  const back = compare_to === 'previous' ? length : Math.ceil(length / 7) * 7;
  return { start: shiftDays(start, -back), end: shiftDays(end, -back) };
}

function refuse(what: string, next: string): never {
  throw new Failure(`explain_change was not called: ${what}`, next);
}

/** The campaigns without visits that are inactive now, by name: they are dark on purpose. */
async function inactiveIn(
  campaignId: number,
  causes: readonly Cause[],
  context: CallContext,
): Promise<(cause: Cause) => boolean> {
  const listed = causes.some(isDark) ? ((await listCampaignsIfOffered(context)) ?? []) : [];
  const nameOf = campaignNames(listed);
  const inactive = listed.filter(({ active }) => active === false).map(visited);
  const names = inactive.filter(({ id }) => campaignId === 0 || Number(id) === campaignId).map(nameOf);
  // Of one campaign, all visits are its own.
  return (cause) =>
    isDark(cause) && (campaignId === 0 ? names.includes(cause.groups[0]?.value ?? '') : names.length > 0);
}

/** The revenue that late sales will bring to visits that sold to fewer of their clicks; undefined if sales do not show which are of them. */
function lateRevenueOf(
  campaignId: number,
  lateSales: LateSales,
  span: Span,
  names: CampaignNames,
): (cause: Cause) => number | undefined {
  return ({ groups, moved, factors }) => {
    // Of all visits that were asked about, it is told anyway.
    const isOfAll = campaignId !== 0 && groups.every(({ dimension }) => dimension === 'campaign');
    const hasFallen = moved[0] === 'sales_per_click' && carriedTogether(factors, ['sales_per_click']) < 0;
    if (!hasFallen || groups.length === 0 || isOfAll) return undefined;
    const isOf = (of: SoldOf) =>
      groups.every(({ dimension, value }) =>
        dimension === 'campaign'
          ? (names.get(of.campaign) ?? value) === value
          : dimension === 'network' || dimension === 'offer'
            ? of[dimension] === value
            : false,
      );
    const expected = lateSales.late?.expectParts(span, (of) => (isOf(of) ? 'its' : undefined), lateSales.isMeant);
    return expected?.parts[0]?.revenue;
  };
}

/** Whether a cause is a campaign that got no visits any more. */
const isDark = ({ groups, moved, noneSince }: Cause) =>
  moved[0] === 'visits' && noneSince !== undefined && groups.every(({ dimension }) => dimension === 'campaign');

const maxChanges = 5;

/** Writes that change how traffic is shared. */
const sharingTools: ReadonlySet<string> = new Set([
  'set_shares',
  'edit_campaign_page',
  'add_landing_page_to_campaign',
  'add_offer_to_campaign',
  'undo_change',
]);

/** What this server changed from the first day of both spans to the last: one line per change, the newest first. */
async function changesBetween(
  campaignId: number,
  { before, after }: Spans,
  { guard, currency }: CallContext,
): Promise<{ readonly changes: readonly string[]; readonly shareChange: ShareChange }> {
  const { changes } = await guard.changes.read();
  const writes = changes.toReversed().flatMap((change) => {
    const day = change.time.slice(0, 10);
    if (day < before.start || day > after.end) return [];
    return change.steps
      .filter(
        ({ arguments: given, outcome }) =>
          outcome !== 'waiting' && (campaignId === 0 || Number(given['campaign_id'] ?? campaignId) === campaignId),
      )
      .map((step) => ({ change, step }));
  });
  const lines = writes.map(
    ({ change: { id, time }, step }) => `${time} ${describeStep(presentStep(step, currency))}, change ${id}`,
  );
  const more = lines.length - maxChanges;
  const own = writes.find(({ step }) => sharingTools.has(step.tool));
  return {
    changes: [...lines.slice(0, maxChanges), ...(more > 0 ? [`and ${more} more writes: list_changes has them`] : [])],
    // Over an account, a write of another campaign would be taken for that of this one.
    shareChange: campaignId === 0 && own ? undefined : (own?.change.id ?? null),
  };
}
