import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { joinWords } from '../../api/rules.ts';
import { Table } from '../../api/table.ts';
import { fromTracker, rawCell, rawText } from '../../api/text/tracker-text.ts';
import { type ListedCampaign, listCampaigns, nameCampaigns } from '../campaigns.ts';
import { type CallContext, defineTool } from '../define-tool.ts';
import { type Figures, pastKeptForMs } from '../past-figures.ts';
import { lengthInDays, type Period, periodNames, settleDays, shiftDays } from '../period.ts';
import { tablesOutput } from '../present/outputs.ts';
import { presentTables } from '../present/tables.ts';
import { viewArguments } from '../view-arguments.ts';
import { askMany, type Outcome } from './ask-many.ts';
import { addFigures, readCampaignFigures } from './campaign-figures.ts';
import {
  amount,
  count,
  emptyRatioNotice,
  figureColumns,
  money,
  moneyDigits,
  ratio,
  shownDigits,
} from './figure-columns.ts';

const usualPeriod: Period = 'last_7_days';

/** Every campaign's result in one table. It only reads. */
export const getOverview = defineTool({
  name: 'get_overview',
  title: 'All campaigns at a glance',
  description:
    'The whole account in one call: a row for each campaign or traffic source with views, clicks, conversions, cost, revenue, profit, ROI, CPA and EPV, ' +
    'the change against the period before, and totals. Use it first for "how are we doing", "what loses money", "what got worse". A sale counts on the day that the campaign report books it. ' +
    `Without dates: ${usualPeriod}.`,
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
    sort_by: viewArguments.sort_by.unwrap().describe('Column to sort by; default Cost').default('Cost'),
  }),
  output: tablesOutput,
  run: async (given, context) => {
    const { query, start, end } = settleDays('get_overview', given, usualPeriod, context);
    const zone = given.timezone;
    const now = { start_date: start, end_date: end, timezone: zone };
    const length = lengthInDays(start, end);
    const before = { start_date: shiftDays(start, -length), end_date: shiftDays(start, -1), timezone: zone };
    const spans = given.compare_to === 'previous' ? [now, before] : [now];

    const campaigns = await chooseCampaigns(given.status, given.campaign_ids, context);
    const questions = spans.flatMap((days) => campaigns.map((campaign) => ({ campaign, days })));
    const outcomes = await askMany(
      questions,
      ({ campaign, days }) => readCampaignFigures(rawText(campaign.id), days, context),
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
      ...overviewColumns,
      ...(given.compare_to === 'previous' ? changeColumns : []),
    ];
    const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
    const table = Table.fromRows(
      `${given.by}s`,
      columns.map(({ name }) => name),
      cells,
    );
    return presentTables(
      { kind: 'tables', tables: [table], notices: [] },
      query,
      {
        ...given,
        sums: changeColumns.filter(({ isSum }) => isSum).map(({ name }) => name),
        digits: shownDigits(columns),
        currency: context.currency,
      },
      [
        ...(campaigns.length === 0
          ? [`The tracker lists no campaigns${given.status === 'all' ? '' : ` that are ${given.status}`}.`]
          : []),
        ...(given.compare_to === 'previous' ? [`Before: ${before.start_date} to ${before.end_date}.`] : []),
        ...emptyRatioNotice(rows.map(({ now }) => now)),
        ...unreadNotices(results),
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
  readonly digits?: number;
  /** Whether it adds up over rows, where its name does not say so. */
  readonly isSum?: true;
}

const campaignColumns: readonly Column[] = [
  { name: 'ID', cell: ({ campaign }) => rawText(campaign.id) },
  { name: 'Name', cell: ({ campaign }) => rawText(campaign.name) },
  { name: 'Traffic source', cell: ({ campaign }) => rawCell(campaign.source) },
  { name: 'Active', cell: ({ campaign }) => (campaign.active === undefined ? null : campaign.active ? 'yes' : 'no') },
];

const sourceColumns: readonly Column[] = [{ name: 'Traffic source', cell: ({ campaign }) => rawCell(campaign.source) }];

function change({ now, before }: Row, measure: keyof Figures): number | undefined {
  const [last, first] = [now[measure], before?.[measure]];
  return last === undefined || first === undefined ? undefined : last - first;
}

/** Of what figures can tell, what decides about a campaign; the rest is in get_stats. */
const overviewColumns: readonly Column[] = figureColumns
  .filter(({ name }) => name !== 'CTR' && name !== 'CR')
  .map((column) => ({ ...column, cell: ({ now }) => column.cell(now) }));

const changeColumns: readonly Column[] = [
  { name: 'Views before', cell: ({ before }) => count(before?.views), isSum: true },
  { name: 'Conversions before', cell: ({ before }) => count(before?.conversions), isSum: true },
  { name: 'Cost before', cell: ({ before }) => money(before?.cost), digits: moneyDigits, isSum: true },
  { name: 'Revenue before', cell: ({ before }) => money(before?.revenue), digits: moneyDigits, isSum: true },
  { name: 'Revenue change %', cell: (row) => amount(ratio(change(row, 'revenue'), row.before?.revenue, 100)) },
  { name: 'Profit before', cell: ({ before }) => money(before?.profit), digits: moneyDigits, isSum: true },
  { name: 'Profit change', cell: (row) => money(change(row, 'profit')), digits: moneyDigits, isSum: true },
];

/** That many campaigns that failed are told with their reason. */
const maxNamed = 5;

/** Campaigns that share a traffic source, as one row. */
function bySource(rows: readonly Row[]): Row[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const source = rawCell(row.campaign.source) ?? '(none named)';
    groups.set(source, [...(groups.get(source) ?? []), row]);
  }
  return [...groups].map(([source, group]) => ({
    campaign: { id: fromTracker(''), name: fromTracker(''), source: fromTracker(source), active: undefined },
    now: addFigures(group.map(({ now }) => now)),
    before: group.some(({ before }) => before) ? addFigures(group.map(({ before }) => before ?? {})) : undefined,
  }));
}

/** The campaigns that are asked for, by the tracker's own list. */
async function chooseCampaigns(
  status: 'all' | 'active' | 'inactive',
  ids: readonly number[] | undefined,
  { client, signal }: CallContext,
): Promise<readonly ListedCampaign[]> {
  const listed = await listCampaigns(client, signal, status);
  if (!ids) return listed;
  const byId = new Map(listed.map((campaign) => [rawText(campaign.id), campaign]));
  const unknown = ids.filter((id) => !byId.has(String(id)));
  if (unknown.length > 0) {
    throw new Failure(
      `There is no campaign ${joinWords(unknown.map(String), 'or')}${status === 'all' ? '' : ` that is ${status}`}.`,
      `The campaigns are: ${nameCampaigns(listed)}.`,
    );
  }
  return ids.flatMap((id) => byId.get(String(id)) ?? []);
}

interface Result {
  readonly campaign: ListedCampaign;
  readonly now: Outcome<Figures> | undefined;
  readonly before: Outcome<Figures> | undefined;
}

/** A campaign that is missing must be known by name, or the totals mislead. */
function unreadNotices(results: readonly Result[]): string[] {
  const failed = results.flatMap(({ campaign, now, before }) => {
    const failure = [now, before].find((outcome) => outcome?.kind === 'failure');
    return failure?.kind === 'failure' ? [`${nameCampaigns([campaign])} (${failure.failure.message})`] : [];
  });
  const late = results.filter(
    ({ now, before }) =>
      [now, before].some((outcome) => outcome?.kind === 'not-asked') &&
      ![now, before].some((outcome) => outcome?.kind === 'failure'),
  );
  return [
    ...(failed.length > 0
      ? [
          `Not read, and in no total: ${failed.slice(0, maxNamed).join('; ')}${failed.length > maxNamed ? `; and ${failed.length - maxNamed} more` : ''}.`,
        ]
      : []),
    ...(late.length > 0
      ? [
          `There was no time to read ${late.length} of ${results.length} campaigns, which are in no total: ${nameCampaigns(late.map(({ campaign }) => campaign))}. ` +
            `Call again: past days that were read serve for ${pastKeptForMs / 60_000} minutes. Or choose campaigns by status or campaign_ids, compare_to none, or raise TRACKER_TIMEOUT_MS.`,
        ]
      : []),
  ];
}
