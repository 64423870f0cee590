import { mapCoded, rowsThat, valueAt } from '../../analysis/coded.ts';
import { booked } from '../../analysis/sale-status.ts';
import { visitTimes } from '../../analysis/visit-dimensions.ts';
import { figureIn, readFigures } from '../../analysis/visit-groups.ts';
import type { Note, Notice } from '../../answer/notes.ts';
import type { Coded } from '../../api/cells.ts';
import type { Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { askQuickly, optional, paceOf } from '../asking.ts';
import { type ListedCampaign, namedCampaign, type Visited } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { otherSizes } from '../other-sizes.ts';
import type { Figures } from '../past-figures.ts';
import { earlier, shiftDays, today } from '../period.ts';
import { readCampaignReport } from './figures.ts';
import { isWithin, type Span } from './read-visits.ts';
import { findUnlistedViews } from './unlisted-views.ts';

/** Figures of lists and reports of one campaign are of the same visits if their numbers differ by this part. */
const tolerance = 0.01;

/** The part of a call's time that it may take: few calls need it. */
const maxPart = 0.1;

interface ListOfCampaigns {
  readonly table: Table;
  readonly visited: Coded<Pick<Visited, 'listed'>>;
}

/** What lists show otherwise than reports of the same days. */
interface Compared {
  /** Sums that differ. */
  readonly sums: readonly Notice[];
  /** That lists lack views of the reports. */
  readonly unlisted: readonly Note[];
}

const alike: Compared = { sums: [], unlisted: [] };

/** So many campaigns are asked for their reports where no visit is listed: one that had none proves nothing. */
const askedOfNone = 3;

/**
 * Compares whole lists with the report of a campaign (0 is the one with most visits), as far as the days are over. What a tracker lists
 * otherwise than it reports, such as a cost that some visits lack, is seen in one campaign, and a report of each would take long.
 * @param campaigns those of an account, of which some are asked if no visit is listed
 */
export async function compareWithReports(
  campaignId: number,
  lists: readonly ListOfCampaigns[],
  { start, end }: Span,
  context: CallContext,
  campaigns: readonly ListedCampaign[] = [],
): Promise<Compared> {
  const span = { start, end: earlier(end, shiftDays(today(context.timeZone, context.now()), -1)) };
  if (span.start > span.end) return alike;
  if (lists.every(({ table }) => table.rowCount === 0)) {
    const some = campaigns.filter(({ active }) => active !== false).slice(0, askedOfNone);
    const none = some.map((one) => ({ id: rawText(one.id), campaign: namedCampaign(one), span, count: 0 }));
    return { ...alike, unlisted: await findUnlistedViews(none, context, () => true) };
  }
  const busiest = campaignId === 0 ? busiestIn(lists) : undefined;
  if (campaignId === 0 && !busiest) return alike;
  const id = busiest ? rawText(busiest.id) : String(campaignId);
  const ask = (quick: CallContext) => readCampaignReport(id, { start_date: start, end_date: span.end }, quick);
  const report = await optional(() => askQuickly(context, ask, maxPart), context);
  const views = report?.figures.views ?? 0;
  if (!report || views === 0) return alike;
  const pace = paceOf(context);
  for (const { table } of lists) await readFigures(table, pace, booked);
  const listed = figuresOf(busiest, lists, span);
  const count = listed.views ?? 0;
  const notes = otherSizes(
    { source: 'list_visitors', figures: listed },
    { source: 'campaign', figures: report.figures },
    Math.abs(count - views) <= views * tolerance,
  );
  const campaign = busiest && namedCampaign(busiest);
  return {
    sums: campaign ? notes.map((notice) => ({ of: { campaign }, notice })) : notes,
    unlisted: await findUnlistedViews([{ id, campaign, span, count }], context),
  };
}

function busiestIn(lists: readonly ListOfCampaigns[]): ListedCampaign | undefined {
  const visits = new Map<ListedCampaign, number>();
  for (const { visited } of lists) {
    const counts = new Uint32Array(visited.values.length);
    for (const code of visited.codes) counts[code] = (counts[code] ?? 0) + 1;
    for (const [code, { listed }] of visited.values.entries())
      if (listed) visits.set(listed, (visits.get(listed) ?? 0) + (counts[code] ?? 0));
  }
  return [...visits].sort(([, one], [, other]) => other - one)[0]?.[0];
}

const compared = ['cost', 'revenue', 'conversions'] as const;

/** The figures of some days that all lists have. @param campaign undefined if all visits are of one */
function figuresOf(campaign: ListedCampaign | undefined, lists: readonly ListOfCampaigns[], days: Span): Figures {
  const all = lists.map(({ table, visited }) => {
    const isOwn = mapCoded(visited, ({ listed }) => listed === campaign);
    const times = visitTimes(table);
    const isOfDays = times && mapCoded(times.days, (day) => isWithin(day, days));
    const has = (row: number) => valueAt(isOwn, row) === true && (!isOfDays || valueAt(isOfDays, row) === true);
    return { table, rows: rowsThat(table.rowCount, has) };
  });
  const sums: Figures = { views: all.reduce((sum, { rows }) => sum + rows.length, 0) };
  for (const measure of compared) {
    const columns = all.map(({ table }) => figureIn(table, measure));
    if (columns.includes(undefined)) continue;
    let sum = 0;
    for (const [list, { rows }] of all.entries()) for (const row of rows) sum += columns[list]?.[row] ?? 0;
    sums[measure] = sum;
  }
  return sums;
}
