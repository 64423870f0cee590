import { indexOfColumn } from '../../analysis/columns/columns.ts';
import { type Pair, readSales, type Sale } from '../../analysis/reconcile/match.ts';
import { clickNumberOf, isEmptyLookup, otherVisitor, readFacts } from '../../analysis/visit-story.ts';
import { within } from '../../api/deadline.ts';
import { endpointNamed } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import { joinWords } from '../../api/rules.ts';
import type { Table } from '../../api/table.ts';
import { fromTracker, mention, rawCell, rawText } from '../../api/text/tracker-text.ts';
import { namesOf } from '../../api/vocabulary.ts';
import { yesOrNo } from '../../api/yes-no.ts';
import { readVisitsInSlices, type Span, type VisitsRead, wholeList } from '../account/read-visits.ts';
import { askMany, optional } from '../asking.ts';
import { listCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { isoDay, shiftDays } from '../period.ts';

/** What the tracker lists of the days of a statement. */
export interface TrackerSide {
  readonly sales: readonly Sale[];
  /** The sign that stands with its amounts. */
  readonly unit: string | undefined;
  readonly requests: number;
  /** What could not be read whole, a sentence each. */
  readonly notices: readonly string[];
}

const maxNamed = 5;

function someDays(days: readonly string[]): string {
  const more = days.length > maxNamed ? ` and ${days.length - maxNamed} more days` : '';
  return `${days.slice(0, maxNamed).join(', ')}${more}`;
}

/**
 * Reads the conversions of some days: of one campaign, or of all, account-wide; campaign by campaign if the tracker refuses that.
 * @throws TrackerFailure if the tracker cannot be asked or refuses both
 */
export async function readTrackerSide(campaignId: number, span: Span, context: CallContext): Promise<TrackerSide> {
  const sales: Sale[] = [];
  let unit: string | undefined;
  const take = (table: Table) => {
    const read = readSales(table);
    for (const sale of read.sales) sales.push(sale);
    unit ??= read.unit;
  };
  const readList = (id: string, own: CallContext) =>
    readVisitsInSlices(id, span, undefined, own, take, {
      ...wholeList,
      list: 'list_conversions',
      columnSet: 'default',
    });
  try {
    const read = await readList(String(campaignId), context);
    return { sales, unit, requests: read.requests, notices: sayGaps(read) };
  } catch (error) {
    const isRefused = error instanceof Failure && error.outcome === 'refused' && campaignId === 0 && sales.length === 0;
    if (!isRefused || context.signal?.aborted) throw error;
    const campaigns = await listCampaigns(context.client, context.signal);
    const ids = campaigns.map(({ id }) => rawText(id)).filter((id) => /^[1-9]\d*$/.test(id));
    const outcomes = await askMany(ids, readList, context, 'campaigns read');
    const answers = outcomes.flatMap((outcome) => (outcome.kind === 'answer' ? [outcome.value] : []));
    if (answers.length === 0) throw error;
    const missing = ids.filter((_, index) => outcomes[index]?.kind !== 'answer');
    const requests = answers.reduce((sum, read) => sum + read.requests, 1);
    return {
      sales,
      unit,
      requests,
      notices: [
        'The tracker refused the conversions of all campaigns at once; they were read campaign by campaign.',
        ...(missing.length === 0
          ? []
          : [
              `Conversions of ${missing.length} campaigns could not be read: ${someDays(missing)}. Lines of theirs look as if the tracker did not have them.`,
            ]),
        ...new Set(answers.flatMap(sayGaps)),
      ],
    };
  }
}

function sayGaps({ cutDays, unreadDays, stoppedBy }: VisitsRead): string[] {
  const why = stoppedBy === 'time' ? 'for lack of time' : 'as that took too many requests';
  const effect = 'Lines of these days look as if the tracker did not have them.';
  return [
    ...(cutDays.length > 0
      ? [
          `The conversion list is cut off by its own maximum on ${someDays(cutDays)}, so that a part of the day is missing. ${effect}`,
        ]
      : []),
    ...(unreadDays.length > 0 ? [`Conversions of ${someDays(unreadDays)} were not read, ${why}. ${effect}`] : []),
  ];
}

/** The IDs of all campaigns; undefined if the tracker does not list them. */
export async function readCampaignIds(context: CallContext): Promise<ReadonlySet<string> | undefined> {
  if (!context.guard.offers(endpointNamed('list_campaigns'))) return undefined;
  const listed = await optional(() => listCampaigns(context.client, context.signal), context);
  return listed && listed.length > 0 ? new Set(listed.map(({ id }) => rawText(id))) : undefined;
}

/** What the tracker knows of visitors who did not convert in it: a sentence by subID. */
export interface KnownVisits {
  readonly about: ReadonlyMap<string, string>;
  readonly notices: readonly string[];
}

/** So few are looked up one by one; of more the visitor list is read. */
const maxLookups = 30;

/** A sale may come so many days after its visit. */
const daysBeforeSale = 30;

/** What is read of the visitor list beside the conversions. */
const visitList = { columnSet: 'default', maxRecords: 50_000, maxSlices: 40 } as const;

/**
 * What the tracker knows of the visits of lines that it has no conversion of; bounded, and left out if there is no time.
 * @param deadline by performance.now
 */
export async function readVisitsOf(
  pairs: readonly Pair[],
  span: Span,
  context: CallContext,
  deadline: number,
): Promise<KnownVisits> {
  const subids = [...new Set(pairs.map(({ subid }) => subid))];
  if (subids.length === 0) return { about: new Map(), notices: [] };
  const offers = (name: 'lookup_subid' | 'list_visitors') => context.guard.offers(endpointNamed(name));
  if (subids.length <= maxLookups && offers('lookup_subid')) return lookUpAll(subids, context, deadline);
  return offers('list_visitors')
    ? findInLists(pairs, subids, span, context, deadline)
    : { about: new Map(), notices: [] };
}

async function lookUpAll(subids: readonly string[], context: CallContext, deadline: number): Promise<KnownVisits> {
  const lookUp = async (subid: string, { client, signal }: CallContext): Promise<string> => {
    try {
      const { groups } = (await client.read('lookup_subid', { subid }, { signal })).reply;
      if (isEmptyLookup(groups)) return unknownVisit;
      const other = otherVisitor(groups, subid);
      return other === undefined
        ? describeVisit(readFacts(groups))
        : `the tracker knows ${mention(other, 100)} instead`;
    } catch (error) {
      if (error instanceof Failure && error.outcome === 'refused') return unknownVisit;
      throw error;
    }
  };
  const outcomes = await askMany(subids, lookUp, context, 'visits looked up', deadline);
  const about = new Map(
    subids.flatMap((subid, index) => {
      const outcome = outcomes[index];
      return outcome?.kind === 'answer' ? [[subid, outcome.value] as const] : [];
    }),
  );
  const missing = subids.length - about.size;
  return {
    about,
    notices: missing === 0 ? [] : [`${missing} visits could not be looked up in time.`],
  };
}

const unknownVisit = 'the tracker knows no such visit';

async function findInLists(
  pairs: readonly Pair[],
  subids: readonly string[],
  span: Span,
  context: CallContext,
  deadline: number,
): Promise<KnownVisits> {
  const times = pairs.flatMap(({ line }) => line?.time ?? []);
  const [first, last] =
    times.length === 0 ? [span.start, span.end] : [isoDay(least(times)), isoDay(-least(times.map((time) => -time)))];
  const days = { start: shiftDays(first, -daysBeforeSale), end: shiftDays(last, 1) };
  const campaigns = [...new Set(subids.map((subid) => subid.split('_')[1] ?? '0'))];
  // One campaign has a shorter list than all; several would be asked for as often.
  const campaign = campaigns.length === 1 ? (campaigns[0] ?? '0') : '0';
  const wanted = new Map(
    subids.map((subid) => [subid.includes('_') ? subid.toLowerCase() : clickNumberOf(subid), subid]),
  );
  const about = new Map<string, string>();
  let visits = 0;
  const take = (table: Table) => {
    visits += table.rowCount;
    const column = indexOfColumn(table, namesOf('conversion', 'visitor')) ?? -1;
    for (let row = 0; row < table.rowCount; row += 1) {
      const id = rawCell(table.text(row, column)) ?? '';
      const found = wanted.get(id.toLowerCase()) ?? wanted.get(clickNumberOf(id));
      if (found === undefined || about.has(found)) continue;
      const fields = table.columns.map((name, index) => [name, table.text(row, index)] as const);
      about.set(found, describeVisit(readFacts([{ name: fromTracker(''), fields }])));
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
  const isWhole = read !== undefined && read.cutDays.length === 0 && read.unreadDays.length === 0;
  if (isWhole) {
    const among = `not among the visits of ${days.start} to ${days.end}`;
    for (const subid of subids) if (!about.has(subid)) about.set(subid, among);
  }
  return {
    about,
    notices: isWhole
      ? []
      : [
          `Of the visits of ${days.start} to ${days.end} only ${visits} could be read: what is not said of a line’s visit is not known.`,
        ],
  };
}

function least(values: readonly number[]): number {
  return values.reduce((min, value) => Math.min(min, value), Number.POSITIVE_INFINITY);
}

/** What a lookup or a row of the visitor list says, in a sentence. */
function describeVisit(facts: ReturnType<typeof readFacts>): string {
  const { arrivedAt, offer, clicked, clickedAt, converted, convertedAt } = facts;
  const isYes = (cell: typeof clicked) => cell !== null && yesOrNo(cell) !== false;
  const went =
    offer !== null
      ? [`was sent to ${mention(offer, 60)}`]
      : isYes(clicked) || isYes(clickedAt)
        ? ['clicked']
        : clicked === null
          ? []
          : ['did not click'];
  const sold =
    convertedAt !== null
      ? `the tracker has the conversion on ${mention(convertedAt, 40)}`
      : isYes(converted)
        ? 'the tracker has a conversion, on another day'
        : 'no conversion';
  return joinWords([`visited${arrivedAt === null ? '' : ` ${mention(arrivedAt, 40)}`}`, ...went, sold], 'and');
}
