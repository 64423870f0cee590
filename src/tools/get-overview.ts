import { z } from 'zod';
import { endpointNamed } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import * as is from '../api/parameters.ts';
import { findBrokenRule } from '../api/rules.ts';
import { Table } from '../api/table.ts';
import { askMany, type Outcome } from './ask-many.ts';
import { addFigures, type Figures, pastKeptForMs, readCampaignFigures } from './campaign-figures.ts';
import { type ListedCampaign, listCampaigns, nearestTo } from './campaigns.ts';
import { type CallContext, defineTool } from './define-tool.ts';
import { lengthInDays, type Period, periodNames, resolvePeriod, shiftDays } from './period.ts';
import { tablesOutput } from './present/outputs.ts';
import { presentTables } from './present/tables.ts';
import { viewArguments } from './view-arguments.ts';

const stats = endpointNamed('get_stats');

const usualPeriod: Period = 'last_7_days';

/** Every campaign's result in one table. It only reads. */
export const getOverview = defineTool({
  name: 'get_overview',
  title: 'All campaigns at a glance',
  description:
    'How the whole account is doing, in one call: a row for each campaign or traffic source with views, clicks, conversions, cost, revenue, profit, ROI, CPA and EPV, ' +
    'what changed against the period of the same length before, and totals. Use it first for "how are we doing", "what loses money", "what got worse"; get_stats then looks into one campaign. ' +
    `Without dates: ${usualPeriod}. Rows are sorted by cost, 25 of them unless limit says otherwise.`,
  access: 'read',
  input: z.strictObject({
    by: is.oneOf(['campaign', 'traffic_source'], 'A row for each; default campaign').default('campaign'),
    period: is.oneOf(periodNames, `Instead of dates, today included; default ${usualPeriod}`).optional(),
    start_date: is.date('First day, YYYY-MM-DD').optional(),
    end_date: is.date('Last day, YYYY-MM-DD').optional(),
    timezone: is.timeZone("Named time zone of the days; default the tracker's own").optional(),
    compare_to: is
      .oneOf(['previous', 'none'], 'previous (default): the period of the same length before; none: half the requests')
      .default('previous'),
    status: is.oneOf(['all', 'active', 'inactive'], 'Which campaigns; default all').default('all'),
    campaign_ids: z.array(is.id('Campaign ID')).min(1).max(500).describe('Only these campaigns').optional(),
    ...viewArguments,
    sort_by: viewArguments.sort_by.unwrap().default('Cost'),
  }),
  output: tablesOutput,
  run: async (given, context) => {
    const broken = findBrokenRule(stats.rules, given, (argument) => argument);
    if (broken) throw new Failure(`get_overview was not called: ${broken}`);
    const hasDates = given.start_date !== undefined || given.end_date !== undefined;
    const query = resolvePeriod(
      { ...given, period: hasDates ? given.period : (given.period ?? usualPeriod) },
      context.timeZone,
      context.now(),
    );
    const start = query.start_date ?? query.end_date;
    const end = query.end_date ?? query.start_date;
    if (start === undefined || end === undefined) throw new TypeError('a period has dates');
    const zone = given.timezone;
    const now = { start_date: start, end_date: end, timezone: zone };
    const length = lengthInDays(start, end);
    const before = { start_date: shiftDays(start, -length), end_date: shiftDays(start, -1), timezone: zone };
    const spans = given.compare_to === 'previous' ? [now, before] : [now];

    const campaigns = await chooseCampaigns(given.status, given.campaign_ids, context);
    const questions = spans.flatMap((days) => campaigns.map((campaign) => ({ campaign, days })));
    const outcomes = await askMany(
      questions,
      ({ campaign, days }) => readCampaignFigures(campaign.id, days, context),
      context,
      'reports read',
    );
    const results = campaigns.map((campaign, index) => ({
      campaign,
      now: outcomes[index],
      before: outcomes[index + campaigns.length],
    }));
    const read = results.flatMap(({ campaign, now, before }): Row[] =>
      now?.kind === 'answer' && (before === undefined || before.kind === 'answer')
        ? [{ campaign, now: now.value, before: before?.value }]
        : [],
    );
    const [failure] = outcomes.flatMap((outcome) => (outcome.kind === 'failure' ? [outcome.failure] : []));
    if (read.length === 0 && failure) throw failure;
    const rows = given.by === 'campaign' ? read : bySource(read);
    const columns = [
      ...(given.by === 'campaign' ? campaignColumns : sourceColumns),
      ...figureColumns,
      ...(given.compare_to === 'previous' ? changeColumns : []),
    ];
    const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
    const table = Table.fromRows(`${given.by}s`, columns.map(({ name }) => name), cells);
    return presentTables(
      { kind: 'tables', tables: [table], notices: [] },
      query,
      { ...given, sums: changeColumns.filter(({ isSum }) => isSum).map(({ name }) => name) },
      [
        ...(given.compare_to === 'previous' ? [`Before: ${before.start_date} to ${before.end_date}.`] : []),
        ...(rows.some(hasEmptyRatio) ? ['ROI, CPA and EPV are empty where there was no cost, conversion or view.'] : []),
        ...unreadNotices(results),
        ...pastNotice,
      ],
      () => false,
    );
  },
});

/** One row of the overview before it is written. */
interface Row {
  readonly campaign: Pick<ListedCampaign, 'id' | 'name' | 'source' | 'active'>;
  readonly now: Figures;
  readonly before: Figures | undefined;
}

interface Column {
  readonly name: string;
  readonly cell: (row: Row) => string | null;
  /** Whether it adds up over rows, where its name does not say so. */
  readonly isSum?: true;
}

const campaignColumns: readonly Column[] = [
  { name: 'ID', cell: ({ campaign }) => campaign.id },
  { name: 'Name', cell: ({ campaign }) => campaign.name },
  { name: 'Traffic source', cell: ({ campaign }) => campaign.source },
  { name: 'Active', cell: ({ campaign }) => (campaign.active === undefined ? null : campaign.active ? 'yes' : 'no') },
];

const sourceColumns: readonly Column[] = [{ name: 'Traffic source', cell: ({ campaign }) => campaign.source }];

const count = (value: number | undefined) => (value === undefined ? null : String(value));
const money = (value: number | undefined, digits = 2) => (value === undefined ? null : value.toFixed(digits));

/** A ratio over nothing is empty: 0 would be taken for a result. */
const ratio = (part: number | undefined, whole: number | undefined, factor = 1) =>
  part === undefined || whole === undefined || whole === 0 ? undefined : (part / whole) * factor;

/** "Vocabulary and formulas": ROI is in percent of the cost, CPA a cost per conversion, EPV a revenue per view. */
const figureColumns: readonly Column[] = [
  { name: 'Views', cell: ({ now }) => count(now.views) },
  { name: 'Clicks', cell: ({ now }) => count(now.clicks) },
  { name: 'Conversions', cell: ({ now }) => count(now.conversions) },
  { name: 'Cost', cell: ({ now }) => money(now.cost) },
  { name: 'Revenue', cell: ({ now }) => money(now.revenue) },
  { name: 'Profit', cell: ({ now }) => money(now.profit) },
  { name: 'ROI', cell: ({ now }) => money(ratio(now.profit, now.cost, 100)) },
  { name: 'CPA', cell: ({ now }) => money(ratio(now.cost, now.conversions)) },
  { name: 'EPV', cell: ({ now }) => money(ratio(now.revenue, now.views), 4) },
];

function change({ now, before }: Row, measure: keyof Figures): number | undefined {
  const [last, first] = [now[measure], before?.[measure]];
  return last === undefined || first === undefined ? undefined : last - first;
}

const changeColumns: readonly Column[] = [
  { name: 'Views before', cell: ({ before }) => count(before?.views), isSum: true },
  { name: 'Conversions before', cell: ({ before }) => count(before?.conversions), isSum: true },
  { name: 'Cost before', cell: ({ before }) => money(before?.cost), isSum: true },
  { name: 'Revenue before', cell: ({ before }) => money(before?.revenue), isSum: true },
  { name: 'Revenue change %', cell: (row) => money(ratio(change(row, 'revenue'), row.before?.revenue, 100)) },
  { name: 'Profit before', cell: ({ before }) => money(before?.profit), isSum: true },
  { name: 'Profit change', cell: (row) => money(change(row, 'profit')), isSum: true },
];
