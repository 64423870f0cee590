import { indexOfColumn, plainFields } from '../../analysis/columns/columns.ts';
import { isoDay } from '../../analysis/columns/times.ts';
import { campaignIn } from '../../analysis/given-subids.ts';
import { type Pair, readSales, type Sale } from '../../analysis/reconcile/match.ts';
import { clickNumberOf, isEmptyLookup, otherVisitor, readFacts } from '../../analysis/visit-story.ts';
import { distinct, type Note } from '../../answer/notes.ts';
import { within } from '../../api/deadline.ts';
import { endpointNamed } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import { joinWords } from '../../api/rules.ts';
import type { Table } from '../../api/table.ts';
import { fromTracker, mention, rawCell, rawText } from '../../api/text/tracker-text.ts';
import { namesOf } from '../../api/vocabulary.ts';
import { yesOrNo } from '../../api/yes-no.ts';
import { readVisitsInSlices, type Span, type VisitsRead, wholeListOptions } from '../account/read-visits.ts';
import { askMany, optional } from '../asking.ts';
import { listCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { shiftDays } from '../period.ts';

/** What the tracker lists of the days of a statement. */
export interface TrackerSide {
  readonly sales: readonly Sale[];
  /** Those without a subID, which no line can match. */
  readonly unnamed: readonly Sale[];
  /** The currency sign of its amounts. */
  readonly unit: string | undefined;
  /** What could not be read completely. */
  readonly notices: readonly Note[];
}

/**
 * Reads the conversions of some days: of one campaign, or of the account; campaign by campaign if the tracker refuses that.
 * @throws TrackerFailure if the tracker cannot be reached or refuses both
 */
export async function readTrackerSide(campaignId: number, span: Span, context: CallContext): Promise<TrackerSide> {
  const [sales, unnamed]: [Sale[], Sale[]] = [[], []];
  let unit: string | undefined;
  const take = (table: Table) => {
    const read = readSales(table);
    for (const sale of read.sales) sales.push(sale);
    for (const sale of read.unnamed) unnamed.push(sale);
    unit ??= read.unit;
  };
  const options = { ...wholeListOptions, list: 'list_conversions', columnSet: 'default' } as const;
  const readList = (id: string, own: CallContext) => readVisitsInSlices(id, span, undefined, own, take, options);
  try {
    const notices = gapNotes(await readList(String(campaignId), context));
    return { sales, unnamed, unit, notices };
  } catch (error) {
    const isRefused = error instanceof Failure && error.outcome === 'refused' && campaignId === 0 && sales.length === 0;
    if (!isRefused || context.signal?.aborted) throw error;
    const campaigns = await listCampaigns(context.client, context.signal);
    const ids = campaigns.map(({ id }) => rawText(id)).filter((id) => /^[1-9]\d*$/.test(id));
    const outcomes = await askMany(ids, readList, context, 'campaigns read');
    const answers = outcomes.flatMap((outcome) => (outcome.kind === 'answer' ? [outcome.value] : []));
    if (answers.length === 0) throw error;
    const missing = ids.filter((_, index) => outcomes[index]?.kind !== 'answer');
    const notices = distinct([
      { code: 'conversions-refused' },
      ...(missing.length === 0 ? [] : [{ code: 'conversions-of-campaigns-unread', campaigns: missing } as const]),
      ...answers.flatMap(gapNotes),
    ]);
    return { sales, unnamed, unit, notices };
  }
}

function gapNotes({ cutDays, unreadDays, stoppedBy }: VisitsRead): Note[] {
  const isLate = stoppedBy === 'time';
  return [
    ...(cutDays.length > 0 ? [{ code: 'conversions-cut', days: cutDays } as const] : []),
    ...(unreadDays.length > 0 ? [{ code: 'conversions-unread', days: unreadDays, isLate } as const] : []),
  ];
}

/** What the tracker knows of visitors without a listed conversion. */
export interface KnownVisits {
  /** A sentence by subID. */
  readonly about: ReadonlyMap<string, string>;
  /** The subIDs of those that converted all the same. */
  readonly converted: ReadonlySet<string>;
  readonly notices: readonly Note[];
}

/** Max visits to look up one by one; for more, the visitor list is read. */
const maxLookups = 30;

/** How long after its visit a sale may come. */
const daysBeforeSale = 30;

/** How the visitor list is read. */
const visitList = { columnSet: 'default', maxRecords: 50_000, maxSlices: 40 } as const;

/**
 * What the tracker knows of the visits of lines without a conversion; bounded, and left out if there is no time.
 * @param deadline by performance.now
 */
export async function readVisitsOf(
  pairs: readonly Pair[],
  span: Span,
  context: CallContext,
  deadline: number,
): Promise<KnownVisits> {
  const subids = [...new Set(pairs.map(({ subid }) => subid))];
  const offers = (name: 'lookup_subid' | 'list_visitors') =>
    subids.length > 0 && context.guard.offers(endpointNamed(name));
  if (subids.length <= maxLookups && offers('lookup_subid')) return lookUpAll(subids, context, deadline);
  if (offers('list_visitors')) return findInLists(pairs, subids, span, context, deadline);
  return { about: new Map(), converted: new Set(), notices: [] };
}

async function lookUpAll(subids: readonly string[], context: CallContext, deadline: number): Promise<KnownVisits> {
  const converted = new Set<string>();
  const lookUp = async (subid: string, { client, signal }: CallContext): Promise<string> => {
    try {
      const { groups } = (await client.read('lookup_subid', { subid }, { signal })).reply;
      if (isEmptyLookup(groups)) return unknownVisit;
      const other = otherVisitor(groups, subid);
      if (other) return `the tracker knows ${mention(other, 100)} instead`;
      const facts = readFacts(groups);
      if (hasConverted(facts)) converted.add(subid);
      return describeVisit(facts);
    } catch (error) {
      if (error instanceof Failure && error.outcome === 'refused') return unknownVisit;
      throw error;
    }
  };
  const outcomes = await askMany(subids, lookUp, context, 'visits looked up', deadline);
  const answers = outcomes.map((outcome) => (outcome.kind === 'answer' ? outcome.value : undefined));
  const missing = answers.filter((answer) => answer === undefined).length;
  return {
    about: new Map(subids.map((subid, index) => [subid, answers[index] ?? ''])),
    converted,
    notices: missing === 0 ? [] : [{ code: 'visits-not-looked-up', visits: missing }],
  };
}

const unknownVisit = 'the tracker does not know this visit';

async function findInLists(
  pairs: readonly Pair[],
  subids: readonly string[],
  span: Span,
  context: CallContext,
  deadline: number,
): Promise<KnownVisits> {
  const sold = pairs.flatMap(({ line }) => (line?.time === undefined ? [] : isoDay(line.time))).sort();
  const { start: first = span.start, end: last = span.end } = { start: sold[0], end: sold.at(-1) };
  const days = { start: shiftDays(first, -daysBeforeSale), end: shiftDays(last, 1) };
  const campaigns = [...new Set(subids.map((subid) => campaignIn(subid) ?? '0'))];
  // One campaign has a shorter list than the account; several would cost as many requests.
  const campaign = campaigns.length === 1 ? (campaigns[0] ?? '0') : '0';
  const keyOf = (subid: string) => (subid.includes('_') ? subid.toLowerCase() : clickNumberOf(subid));
  const wanted = new Map(subids.map((subid) => [keyOf(subid), subid]));
  const about = new Map<string, string>();
  const converted = new Set<string>();
  let visits = 0;
  const take = (table: Table) => {
    visits += table.rowCount;
    const ids = table.column(indexOfColumn(table, namesOf('conversion', 'visitor')) ?? -1);
    for (const [row, cell] of ids.entries()) {
      const id = rawCell(cell) ?? '';
      const subid = wanted.get(id.toLowerCase()) ?? wanted.get(clickNumberOf(id));
      if (subid === undefined || about.has(subid)) continue;
      const facts = readFacts([{ name: fromTracker(''), fields: plainFields(table, row) }]);
      if (hasConverted(facts)) converted.add(subid);
      about.set(subid, describeVisit(facts));
    }
  };
  const read = await optional(
    () =>
      within(
        deadline - performance.now(),
        ({ signal }) => readVisitsInSlices(campaign, days, undefined, { ...context, signal }, take, visitList),
        context.signal,
      ),
    context,
  );
  if (!read || read.cutDays.length + read.unreadDays.length > 0)
    return { about, converted, notices: [{ code: 'visits-read-in-part', visits, ...days }] };
  for (const subid of subids)
    if (!about.has(subid)) about.set(subid, `not among the visits of ${days.start} to ${days.end}`);
  return { about, converted, notices: [] };
}

type Facts = ReturnType<typeof readFacts>;

const isYes = (cell: Facts['converted']) => cell !== null && yesOrNo(cell) !== false;

const hasConverted = ({ converted, convertedAt }: Facts): boolean => convertedAt !== null || isYes(converted);

/** A lookup or a row of the visitor list, in a sentence. */
function describeVisit({ arrivedAt, offer, clicked, clickedAt, converted, convertedAt }: Facts): string {
  const parts = [`visited${arrivedAt === null ? '' : ` ${mention(arrivedAt, 40)}`}`];
  if (offer !== null) parts.push(`was sent to ${mention(offer, 60)}`);
  else if (isYes(clicked) || isYes(clickedAt)) parts.push('clicked');
  else if (clicked !== null) parts.push('did not click');
  if (convertedAt !== null) parts.push(`the tracker has the conversion on ${mention(convertedAt, 40)}`);
  else parts.push(isYes(converted) ? 'the tracker has a conversion, on another day' : 'no conversion');
  return joinWords(parts, 'and');
}
