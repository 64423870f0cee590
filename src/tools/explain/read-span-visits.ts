import type { SpanVisits } from '../../analysis/profit-change.ts';
import { dimensions, lackingIn, type Reading, readerOf, visitsIn } from '../../analysis/visit-groups.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { fromOutside, mention, rawText } from '../../api/text/tracker-text.ts';
import { extraSlots } from '../../api/token-slots.ts';
import { type AccountVisits, readAccountVisits } from '../account/account-visits.ts';
import {
  answers,
  missingIn,
  readVisitsInSlices,
  reasonsOf,
  rowsOf,
  type Span,
  type VisitsRead,
  wholeList,
} from '../account/read-visits.ts';
import { cutsOf } from '../account/visit-cuts.ts';
import { optional } from '../asking.ts';
import { type ListedCampaign, listCampaigns, sharedNames, type Visited } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { lengthInDays } from '../period.ts';
import { labelsByCampaign, type TokenLabels, tokenLabels, tokenNames } from '../tokens.ts';
import { coveredByBoth, type DatedVisit, type Part } from './covered-hours.ts';
import type { Spans } from './spans.ts';
import { spansInWords } from './words.ts';

export interface SpanVisitsRead {
  readonly visits: SpanVisits;
  /** Whether the lists carry what visits cost. */
  readonly hasCost: boolean;
  readonly days: { readonly before: readonly string[]; readonly after: readonly string[] };
  /** Whether all visits of these days could be read. */
  readonly isWhole: boolean;
  /** What it rests on, a sentence each. */
  readonly basis: readonly string[];
}

/** Lists of visits, and what each says of them. */
interface Lists {
  readonly tables: readonly Table[];
  readonly dimensions: readonly { readonly name: string; readonly readerOf: (table: Table) => Reading | undefined }[];
  /** Of which list of its own each row is: that of its campaign, or the only one. */
  readonly partOf: (table: Table) => (row: number) => Part;
  /** The days of which not all visits of a part were read. */
  readonly missingDays: (part: Part) => readonly string[];
  readonly basis: readonly string[];
}

/** What is a part of the spans themselves. */
const untold: ReadonlySet<string> = new Set(['day', 'weekday']);

const usualDimensions = dimensions.filter((name) => !untold.has(name));

/**
 * Reads the visits of two spans from the visitor list, with all dimensions that it carries.
 * @param campaignId 0 is all
 * @throws Failure if the tracker cannot be asked or refuses, or there was no visit
 */
export async function readSpanVisits(campaignId: number, spans: Spans, context: CallContext): Promise<SpanVisitsRead> {
  const read = campaignId === 0 ? readAccount : (parts: readonly Span[]) => readCampaign(campaignId, parts, context);
  const lists = await read(spansToRead(spans), context);
  const carried = lists.dimensions.filter(({ readerOf }) => lists.tables.some((table) => readerOf(table)));
  const visits = lists.tables.flatMap((table) => visitsOf(table, carried, lists, spans));
  const count = rowsOf(lists.tables);
  if (visits.length === 0) {
    const timeless = count > 0 && !lists.tables.some(saysTimes);
    const [then, now] = spansInWords(spans);
    throw new Failure(
      `Neither ${then} nor ${now} has visits${timeless ? ` that can be read: none of ${count} rows says a time` : ''}, so there is no change to explain.`,
      timeless ? 'Look at list_visitors.' : 'Try other days.',
    );
  }
  const lacking = lackingIn(lists.tables);
  if (lacking.includes('revenue')) {
    throw new Failure(
      'The visitor list of this tracker says no revenue that can be read, so a change of profit cannot be explained.',
      'get_overview with these days has the figures of the reports.',
    );
  }
  const { rows, days, notices } = coveredByBoth(visits, lists.missingDays, spans);
  const { before, after, untilHour } = spans;
  return {
    visits: { dimensions: carried.map(({ name }) => name), rows },
    hasCost: !lacking.includes('cost'),
    days,
    isWhole: notices.length === 0,
    basis: [
      ...lists.basis,
      ...(visits.length < count ? [`Of these, ${visits.length} are in the two spans.`] : []),
      ...notices,
      ...lacking.map((figure) => `The visitor list of this tracker says nothing of ${figure}: ${standIns[figure]}.`),
      ...(untilHour === undefined
        ? []
        : [`${after.end} is not over: of it and of ${before.end} the hours before ${untilHour}:00 are compared.`]),
    ],
  };
}

/** What stands in for a figure that the list does not carry. */
const standIns = {
  clicks: 'each visit counts as a click',
  conversions: 'each visit with revenue counts as a sale',
  cost: 'what is said of profit is revenue',
  revenue: '',
} as const;

async function readCampaign(campaignId: number, spans: readonly Span[], context: CallContext): Promise<Lists> {
  const labels = await tokenLabels(campaignId, context);
  const tables: Table[] = [];
  const reads: VisitsRead[] = [];
  const take = (table: Table) => tables.push(table);
  const options = { ...wholeList, proves: true };
  for (const span of spans) {
    reads.push(await readVisitsInSlices(String(campaignId), span, undefined, context, take, options));
  }
  const nameOf = (name: string) => {
    const label = labels.get(name);
    return label === undefined ? name : mention(fromOutside(label));
  };
  return {
    tables,
    dimensions: [...usualDimensions, 'path', ...extraSlots].map((name) => ({
      name: nameOf(name),
      readerOf: readerOf(name),
    })),
    partOf: () => () => undefined,
    missingDays: () => reads.flatMap(missingIn),
    basis: [basisOf(tables, reads)],
  };
}

/** Tokens of more names than these would take long and say little. */
const maxTokens = 20;

async function readAccount(spans: readonly Span[], context: CallContext): Promise<Lists> {
  const deadline = performance.now() + context.client.timeoutMs;
  const listing = optional(() => listCampaigns(context.client, context.signal), context).then((list) => list ?? []);
  const labelled = optional(async () => labelsByCampaign(await listing, context), context);
  const reads: AccountVisits[] = [];
  for (const span of spans) {
    const asked = { span, listing, needsCampaigns: true, needsSales: false, deadline };
    reads.push(await readAccountVisits(asked, context));
  }
  const lists = reads.flatMap((read) => read.lists);
  const labels = (await labelled) ?? new Map<ListedCampaign, TokenLabels>();
  const campaignOf = new Map(lists.map((list) => [list.table, list.campaignOf]));
  const find = (table: Table): ((row: number) => Visited) => campaignOf.get(table) ?? (() => nowhere);
  const nameOf = campaignNames(await listing);
  const tokens = tokenNames(labels.values());
  // Paths of two campaigns have nothing in common.
  const others = usualDimensions.filter((name) => name !== 'campaign' && name !== 'path');
  const named = [...others, ...tokens.slice(0, maxTokens)].map((name) => {
    // A token is another slot in each campaign, and a traffic source is that of the campaign if the list does not name it.
    const [cut] = cutsOf({ asked: [name], labels, sales: undefined }, find);
    const readerOf = (table: Table) => {
      const read = cut?.readerOf(table);
      return read && ((row: number) => read(row) ?? null);
    };
    return { name: tokens.includes(name) ? mention(fromOutside(name)) : name, readerOf };
  });
  const campaign = {
    name: 'campaign',
    readerOf: (table: Table) => {
      const found = find(table);
      return (row: number) => nameOf(found(row));
    },
  };
  return {
    tables: lists.map(({ table }) => table),
    dimensions: [campaign, ...named],
    partOf: (table) => {
      const found = find(table);
      return (row) => found(row).listed;
    },
    missingDays: (campaign) => (campaign ? reads.flatMap((read) => read.missingDays(campaign)) : []),
    basis: [
      ...new Set(reads.flatMap(({ notices }) => notices)),
      'A sale counts on the day of its visit.',
      ...(tokens.length > maxTokens
        ? [`Of ${tokens.length} tokens the ${maxTokens} of most campaigns are looked at.`]
        : []),
    ],
  };
}

const nowhere: Visited = { id: null, name: null, listed: undefined };

/** The name of a campaign, with its ID if others have that name. */
function campaignNames(campaigns: readonly ListedCampaign[]): (campaign: Visited) => string | null {
  const isShared = sharedNames(campaigns);
  return ({ id, name, listed }) => {
    if (!listed) return name ?? id;
    return isShared.has(rawText(listed.name)) ? `${name} (ID ${id})` : name;
  };
}

function saysTimes(table: Table): boolean {
  const day = readerOf('day')(table);
  return (
    day !== undefined && Array.from({ length: table.rowCount }, (_, row) => day(row)).some((read) => read !== null)
  );
}

/** Spans that are near each other are one question. */
function spansToRead({ before, after }: Spans): readonly Span[] {
  const [first, last] = before.start < after.start ? [before, after] : [after, before];
  const between = lengthInDays(first.end, last.start) - 2;
  return between <= lengthInDays(first.start, first.end) ? [{ start: first.start, end: last.end }] : [first, last];
}

function visitsOf(
  table: Table,
  carried: Lists['dimensions'],
  lists: Lists,
  { before, after, untilHour }: Spans,
): DatedVisit[] {
  const [dayOf, hourOf] = [readerOf('day')(table), readerOf('hour')(table)];
  const readings = carried.map((dimension) => dimension.readerOf(table));
  const partOf = lists.partOf(table);
  return visitsIn(table, readings, (row) => {
    const day = dayOf?.(row) ?? null;
    if (day === null) return undefined;
    const isAfter = day >= after.start && day <= after.end;
    if (!isAfter && !(day >= before.start && day <= before.end)) return undefined;
    const isLast = day === (isAfter ? after.end : before.end);
    const hour = Number(hourOf?.(row) ?? Number.NaN);
    if (isLast && untilHour !== undefined && hour >= untilHour) return undefined;
    return { isAfter, day, hour, part: partOf(row) };
  });
}

function basisOf(tables: readonly Table[], reads: readonly VisitsRead[]): string {
  const requests = reads.reduce((sum, read) => sum + read.requests, 0);
  const gaps = reads.flatMap((read) => reasonsOf(read) || []).map((reasons) => ` It is not whole: ${reasons}.`);
  return `Counted from ${rowsOf(tables)} visits of the visitor list, in ${answers(requests)}; a sale counts on the day of its visit.${gaps.join('')}`;
}
