import * as z from 'zod';
import {
  dimensions,
  type GroupFigures,
  orderOfDimension,
  readVisits,
  type VisitReader,
} from '../../analysis/visit-groups.ts';
import { endpointNamed } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { findBrokenRule, joinWords } from '../../api/rules.ts';
import { Table } from '../../api/table.ts';
import { nearestName } from '../../api/text/nearest.ts';
import { shownNames } from '../../api/text/tracker-text.ts';
import { show } from '../check-arguments.ts';
import { type CallContext, defineTool } from '../define-tool.ts';
import type { Figures } from '../past-figures.ts';
import { lengthInDays, type Period, periodNames, resolvePeriod, shiftDays } from '../period.ts';
import { withLabels } from '../present/labelled.ts';
import { foldNumbered } from '../present/numbered-names.ts';
import { tablesOutput } from '../present/outputs.ts';
import { presentTables } from '../present/tables.ts';
import { slotLabelled, type TokenLabels, tokenLabels } from '../tokens/token-labels.ts';
import { viewArguments } from '../view-arguments.ts';
import { askMany } from './ask-many.ts';
import { readCampaignFigures } from './campaign-figures.ts';
import { emptyRatioNotice, figureColumns, shownDigits } from './figure-columns.ts';
import { readVisitsInSlices, type Span, type VisitsRead } from './read-visits.ts';

const stats = endpointNamed('get_stats');

const usualPeriod: Period = 'last_7_days';

/** A day is one question to the tracker. */
const maxDays = 92;

/** One campaign, cut by what its visits have in common. It only reads. */
export const getBreakdown = defineTool({
  name: 'get_breakdown',
  title: 'One campaign by day, hour, device, country, token or page',
  description:
    'One campaign cut by one or two things (time, place, device, keyword, token, page): views, clicks, conversions, cost, revenue, profit, CTR, CR, EPV and ROI of each. ' +
    'Use it for "when", "where" and "on what" it earns or loses. It counts visits itself and says how many it could read: fewer than the campaign report counts is a sample. ' +
    `Without dates: ${usualPeriod}.`,
  access: 'read',
  input: z.strictObject({
    campaign_id: is.id('Campaign ID, from list_campaigns'),
    by: z
      .array(z.string().min(1).max(100))
      .min(1)
      .max(2)
      .describe(
        `One or two of: ${dimensions.join(', ')}, a token’s name or slot (Extra1), a column of the visitor list`,
      ),
    period: is.oneOf(periodNames, `Instead of dates, today included; default ${usualPeriod}`).optional(),
    start_date: is.date('First day, YYYY-MM-DD').optional(),
    end_date: is.date('Last day, YYYY-MM-DD').optional(),
    ...viewArguments,
  }),
  output: tablesOutput,
  run: async (given, context) => {
    const broken = findBrokenRule(stats.rules, given, (argument) => argument);
    if (broken) throw new Failure(`get_breakdown was not called: ${broken}`);
    const hasDates = given.start_date !== undefined || given.end_date !== undefined;
    const query = resolvePeriod(
      { ...given, period: hasDates ? given.period : (given.period ?? usualPeriod) },
      context.timeZone,
      context.now(),
    );
    const start = query.start_date ?? query.end_date;
    const end = query.end_date ?? query.start_date;
    if (start === undefined || end === undefined) throw new TypeError('a period has dates');
    const isByDay = given.by.length === 1 && given.by[0]?.trim().toLowerCase() === 'day';
    const { table, notices, labels } = isByDay
      ? await byDay(String(given.campaign_id), { start, end }, context)
      : await byVisits(given.campaign_id, given.by, { start, end }, context);
    const ordered = { ...given, ...(given.sort_by === undefined ? { sort_order: 'asc' as const } : {}) };
    const { currency } = context;
    const view = withLabels([table], { ...ordered, digits: shownDigits(figureColumns), currency }, labels);
    return presentTables({ kind: 'tables', tables: [table], notices: [] }, query, view, notices);
  },
});

interface Breakdown {
  readonly table: Table;
  readonly notices: readonly string[];
  /** What the token slots are called, where a dimension may be one of them. */
  readonly labels: TokenLabels;
}

/** From the campaign report of each day, which every tracker has. */
async function byDay(campaignId: string, span: Span, context: CallContext): Promise<Breakdown> {
  const length = lengthInDays(span.start, span.end);
  if (length > maxDays) {
    throw new Failure(
      `get_breakdown was not called: ${length} days are ${length} questions to the tracker.`,
      `Give ${maxDays} days at most, or split the period.`,
    );
  }
  const days = Array.from({ length }, (_, index) => shiftDays(span.start, index));
  const outcomes = await askMany(
    days,
    (day) => readCampaignFigures(campaignId, { start_date: day, end_date: day }, context),
    context,
    'days read',
  );
  const failed = outcomes.find((outcome) => outcome.kind === 'failure');
  const rows = days.flatMap((day, index) => {
    const outcome = outcomes[index];
    return outcome?.kind === 'answer' ? [{ values: [day], figures: outcome.value }] : [];
  });
  if (rows.length === 0 && failed) throw failed.failure;
  const unread = days.filter((_, index) => outcomes[index]?.kind !== 'answer');
  return {
    table: tableOf(['Day'], rows),
    labels: new Map(),
    notices: [
      'Each day is the campaign report of that day, in the tracker’s own time zone, and a sale is on the day that report books it.',
      ...emptyRatioNotice(rows.map(({ figures }) => figures)),
      ...(unread.length === 0
        ? []
        : [
            `Not read: ${unread.join(', ')}${failed ? ` (${failed.failure.message})` : ', for which the time did not suffice'}. The totals are without them; call again for them.`,
          ]),
    ],
  };
}

/** From the visitor list, counted. */
async function byVisits(
  campaignId: number,
  asked: readonly string[],
  span: Span,
  context: CallContext,
): Promise<Breakdown> {
  const needsLabels = asked.some((name) => !dimensions.includes(name.trim().toLowerCase()));
  const labels: TokenLabels = needsLabels ? await tokenLabels(campaignId, context) : new Map();
  const by = asked.map((name) => slotLabelled(name, labels) ?? name);
  const id = String(campaignId);
  const report = await readCampaignFigures(id, { start_date: span.start, end_date: span.end }, context).catch(
    (error: unknown) => {
      if (!(error instanceof Failure) || context.signal?.aborted) throw error;
      return {} as Figures;
    },
  );
  const groups = new Map<string, { readonly values: (string | null)[]; readonly figures: GroupFigures }>();
  const lacking = new Set<string>();
  const read = await readVisitsInSlices(id, span, report.views, context, (table) => {
    if (table.rowCount === 0) return;
    const visits = readVisits(table, by);
    if ('missing' in visits) throw noColumn(visits.missing, table, labels);
    for (const figure of ['clicks', 'conversions', 'cost', 'revenue'] as const) {
      if (!visits.figures[figure]) lacking.add(figure);
    }
    addVisits(groups, table.rowCount, visits);
  });
  const rows = [...groups.values()].map(({ values, figures }) => ({ values, figures: figuresOf(figures, lacking) }));
  sortGroups(rows, asked);
  const counted = rows.reduce((sum, { figures }) => sum + (figures.views ?? 0), 0);
  return {
    table: tableOf(asked.map(headingOf), rows),
    labels,
    notices: [
      whatItRestsOn(counted, report.views, read),
      'A sale is booked on its visit, whenever it came.',
      ...emptyRatioNotice(rows.map(({ figures }) => figures)),
      ...(lacking.size === 0
        ? []
        : [
            `The visitor list of this tracker says nothing of ${joinWords([...lacking], 'and')}, so that is left out; get_stats may have it.`,
          ]),
    ],
  };
}

function noColumn(name: string, table: Table, labels: TokenLabels): Failure {
  const columns = shownNames(table.columns);
  const near = nearestName(name, [...dimensions, ...labels.values(), ...columns]);
  const tokens = [...labels].map(([slot, label]) => `“${label}” (${slot})`);
  return new Failure(
    `The visitor list of this tracker has no ${show(name)}${near === undefined ? '.' : `; did you mean ${show(near)}?`}`,
    `Its columns are: ${foldNumbered(columns, JSON.stringify).join(', ')}.${tokens.length > 0 ? ` Tokens: ${tokens.join(', ')}.` : ''}`,
  );
}

function addVisits(
  groups: Map<string, { readonly values: (string | null)[]; readonly figures: GroupFigures }>,
  rowCount: number,
  { values, figures }: VisitReader,
): void {
  for (let row = 0; row < rowCount; row += 1) {
    const own = values(row);
    const key = JSON.stringify(own);
    let group = groups.get(key);
    if (!group) {
      group = { values: own, figures: { views: 0, clicks: 0, conversions: 0, cost: 0, revenue: 0 } };
      groups.set(key, group);
    }
    group.figures.views += 1;
    group.figures.clicks += figures.clicks?.(row) ?? 0;
    group.figures.conversions += figures.conversions?.(row) ?? 0;
    group.figures.cost += figures.cost?.(row) ?? 0;
    group.figures.revenue += figures.revenue?.(row) ?? 0;
  }
}

/** What the list does not carry is absent, and not 0. */
function figuresOf(figures: GroupFigures, lacking: ReadonlySet<string>): Figures {
  const known = Object.fromEntries(Object.entries(figures).filter(([name]) => !lacking.has(name))) as Figures;
  const { cost, revenue } = known;
  return cost === undefined || revenue === undefined ? known : { ...known, profit: revenue - cost };
}

interface Row {
  readonly values: readonly (string | null)[];
  readonly figures: Figures;
}

/** Times in their own order; everything else by what it cost, or by its views where nothing did. */
function sortGroups(rows: Row[], by: readonly string[]): void {
  const orders = by.map((name) => orderOfDimension(name.trim().toLowerCase()));
  const hasCost = rows.some(({ figures }) => (figures.cost ?? 0) > 0);
  const weight = ({ figures }: Row) => (hasCost ? figures.cost : figures.views) ?? 0;
  rows.sort((one, other) => {
    for (const [index, order] of orders.entries()) {
      const difference = order?.(one.values[index] ?? '', other.values[index] ?? '') ?? 0;
      if (difference !== 0) return difference;
    }
    return weight(other) - weight(one);
  });
}

function tableOf(headings: readonly string[], rows: readonly Row[]): Table {
  const cells = rows.map(({ values, figures }) => [...values, ...figureColumns.map(({ cell }) => cell(figures))]);
  return Table.fromRows('breakdown', [...headings, ...figureColumns.map(({ name }) => name)], cells);
}

/** `landing_page` as a heading: "Landing page". */
function headingOf(name: string): string {
  const words = name.trim().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function whatItRestsOn(
  counted: number,
  views: number | undefined,
  { requests, cutDays, unreadDays }: VisitsRead,
): string {
  const asked = requests === 1 ? 'one answer' : `${requests} answers`;
  const base = `Counted from ${counted} visits of the visitor list, in ${asked}`;
  const gaps = [
    ...(cutDays.length > 0
      ? [
          `the list is cut off by its own maximum on ${listed(cutDays)}, so that only the latest visits of each are in it`,
        ]
      : []),
    ...(unreadDays.length > 0 ? [`there was no time to read ${listed(unreadDays)}: ask for fewer days at a time`] : []),
  ];
  if (views === undefined) return `${base}; the campaign report, which would say whether that is all, gave no views.`;
  if (counted === views) return `${base}: all ${views} views of the campaign report.`;
  const part = views === 0 ? '' : ` (${Math.round((counted / views) * 1000) / 10}%)`;
  const reason = gaps.length === 0 ? '' : ` Why: ${gaps.join('; ')}.`;
  return counted < views
    ? `A sample: ${base.charAt(0).toLowerCase()}${base.slice(1)}, where the campaign report counts ${views} views${part}. Compare the ratios, not the sums.${reason}`
    : `${base}; the campaign report counts ${views} views, ${counted - views} fewer: the two count visits differently.${reason}`;
}

/** That many days help to choose another period. */
const maxListed = 5;

function listed(days: readonly string[]): string {
  const more = days.length > maxListed ? ` and ${days.length - maxListed} more days` : '';
  return `${days.slice(0, maxListed).join(', ')}${more}`;
}
