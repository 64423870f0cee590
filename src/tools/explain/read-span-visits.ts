import type { SpanVisit, SpanVisits } from '../../analysis/profit-change.ts';
import { dimensions, type Reading, readerOf, visitsIn } from '../../analysis/visit-groups.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { fromOutside, mention, rawText } from '../../api/text/tracker-text.ts';
import { extraSlots } from '../../api/token-slots.ts';
import { readAccountVisits, type VisitList } from '../account/account-visits.ts';
import { answers, listed } from '../account/break-down-visits.ts';
import { sharedNames, type Visited } from '../account/campaign-of-row.ts';
import { readVisitsInSlices, rowsOf, type Span, type VisitsRead, wholeList } from '../account/read-visits.ts';
import { cutsOf } from '../account/visit-cuts.ts';
import { missingIn } from '../account/visits-by-campaign.ts';
import { optional } from '../asking.ts';
import { type ListedCampaign, listCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { lengthInDays, listDays } from '../period.ts';
import { labelsByCampaign, type TokenLabels, tokenLabels, tokenNames } from '../tokens.ts';
import type { Spans } from './spans.ts';

export interface SpanVisitsRead {
  readonly visits: SpanVisits;
  readonly days: { readonly before: readonly string[]; readonly after: readonly string[] };
  /** What it rests on, a sentence each. */
  readonly basis: readonly string[];
}

/** Lists of visits, and what each says of them. */
interface Lists {
  readonly tables: readonly Table[];
  readonly dimensions: readonly { readonly name: string; readonly readerOf: (table: Table) => Reading | undefined }[];
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
  const rows = lists.tables.flatMap((table) => visitsOf(table, carried, spans));
  if (rows.length === 0) {
    const read = rowsOf(lists.tables);
    const timeless =
      read > 0 && !lists.tables.some(saysTimes) ? ` that can be read: none of ${read} rows says a time` : '';
    throw new Failure(
      `There were no visits in either span${timeless}, so there is no change to explain.`,
      timeless === '' ? 'Try other days.' : 'Look at list_visitors.',
    );
  }
  const { before, after, untilHour } = spans;
  return {
    visits: { dimensions: carried.map(({ name }) => name), rows },
    days: { before: listDays(before.start, before.end), after: listDays(after.start, after.end) },
    basis: [
      ...lists.basis,
      ...[before, after].flatMap((span) =>
        rows.some(({ isAfter }) => isAfter === (span === after))
          ? []
          : [`No visit is listed from ${span.start} to ${span.end}, so that there is nothing to compare with.`],
      ),
      ...(untilHour === undefined
        ? []
        : [`${after.end} is not over: of it and of ${before.end} the hours before ${untilHour}:00 are compared.`]),
    ],
  };
}

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
    basis: basisOf(tables, reads),
  };
}

/** Tokens of more names than these would take long and say little. */
const maxTokens = 20;

async function readAccount(spans: readonly Span[], context: CallContext): Promise<Lists> {
  const deadline = performance.now() + context.client.timeoutMs;
  const listing = optional(() => listCampaigns(context.client, context.signal), context).then((list) => list ?? []);
  const labelled = optional(async () => labelsByCampaign(await listing, context), context);
  const lists: VisitList[] = [];
  const basis = new Set<string>();
  for (const span of spans) {
    const asked = { span, listing, needsCampaigns: true, needsSales: false, deadline };
    const read = await readAccountVisits(asked, context);
    lists.push(...read.lists);
    for (const notice of read.notices) basis.add(notice);
  }
  const labels = (await labelled) ?? new Map<ListedCampaign, TokenLabels>();
  const campaignOf = new Map(lists.map((list) => [list.table, list.campaignOf]));
  const find = (table: Table): ((row: number) => Visited) => campaignOf.get(table) ?? (() => nowhere);
  const nameOf = campaignNames(await listing);
  const tokens = tokenNames(labels.values());
  const others = usualDimensions.filter((name) => name !== 'campaign');
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
    basis: [
      ...basis,
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

function visitsOf(table: Table, carried: Lists['dimensions'], { before, after, untilHour }: Spans): SpanVisit[] {
  const [dayOf, hourOf] = [readerOf('day')(table), readerOf('hour')(table)];
  const readings = carried.map((dimension) => dimension.readerOf(table));
  return visitsIn(table, readings, (row) => {
    const day = dayOf?.(row) ?? null;
    if (day === null) return undefined;
    const isAfter = day >= after.start && day <= after.end;
    if (!isAfter && !(day >= before.start && day <= before.end)) return undefined;
    const isLast = day === (isAfter ? after.end : before.end);
    if (isLast && untilHour !== undefined && Number(hourOf?.(row)) >= untilHour) return undefined;
    return { isAfter, day };
  });
}

function basisOf(tables: readonly Table[], reads: readonly VisitsRead[]): string[] {
  const requests = reads.reduce((sum, read) => sum + read.requests, 0);
  const missing = reads.flatMap(missingIn).sort();
  const base = `Counted from ${rowsOf(tables)} visits of the visitor list, in ${answers(requests)}`;
  return [
    `${base}; a sale counts on the day of its visit.`,
    ...(missing.length > 0
      ? [
          `A sample: the list is not whole on ${listed(missing)}, so that sums and what they carry are not those of the spans.`,
        ]
      : []),
  ];
}
