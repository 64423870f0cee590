import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { Table } from '../../api/table.ts';
import { type Answer, type CallContext, defineTool, type Query } from '../define-tool.ts';
import { checkDays, describeDays, periodNames } from '../period.ts';
import { tablesOutput } from '../present/outputs.ts';
import { presentTables } from '../present/tables.ts';
import type { View } from '../present/view.ts';
import { viewArguments } from '../view-arguments.ts';
import { emptyRatioNotice, shownDigits } from './figure-columns.ts';
import {
  campaignColumns,
  changeColumns,
  countNames,
  overviewColumns,
  type Row,
  sourceColumns,
  trackerColumns,
} from './overview-columns.ts';
import { currencyNotices, hasOneCurrency } from './overview-currencies.ts';
import { type Account, type AccountQuestion, readAccount, usualPeriod } from './read-account.ts';

/** Every campaign's result in one table. It only reads. */
export const getOverview = defineTool({
  name: 'get_overview',
  title: 'All campaigns at a glance',
  description:
    'The whole account in one call: a row for each campaign or traffic source with views, clicks, conversions, cost, revenue, profit, ROI, CPA, EPV, ' +
    'the change against the period before, and totals. Use it first for "how are we doing", "what loses money", "what got worse". ' +
    `Without dates: ${usualPeriod}.`,
  access: 'read',
  input: z.strictObject({
    by: is.oneOf(['campaign', 'traffic_source'], 'A row for each; default campaign').default('campaign'),
    period: is.oneOf(periodNames, `Instead of dates, today included; default ${usualPeriod}`).optional(),
    start_date: is.date('YYYY-MM-DD').optional(),
    end_date: is.date('Last day').optional(),
    timezone: is.timeZone("Of the days, e.g. Europe/Berlin; default the tracker's own").optional(),
    compare_to: is
      .oneOf(['previous', 'none'], 'previous (default): the period of the same length before; none: half the requests')
      .default('previous'),
    status: is.oneOf(['all', 'active', 'inactive'], 'Which campaigns; default all').default('all'),
    campaign_ids: z.array(is.id('Campaign ID')).min(1).max(500).describe('Only these campaigns').optional(),
    ...viewArguments,
    sort_by: viewArguments.sort_by.unwrap().describe('Default Cost').default('Cost'),
  }),
  output: tablesOutput,
  run: async (given, context) => {
    const { query, rows, notices } = await readAccount(given, context);
    return presentRows(rows, given, query, notices);
  },
  runForAll: async (given, contexts) => {
    checkDays('get_overview', given);
    if (given.campaign_ids) {
      throw new Failure('campaign_ids are those of one tracker.', 'Name the tracker, or leave campaign_ids out.');
    }
    const progressOf = sharedProgress(contexts[0]?.onProgress);
    const outcomes = await Promise.all(
      contexts.map((context) => readOne(given, { ...context, onProgress: progressOf(context.trackerName) })),
    );
    const read = outcomes.filter((outcome) => 'account' in outcome);
    const failed = outcomes.filter((outcome) => 'failure' in outcome);
    const [first] = failed;
    if (read.length === 0 && first)
      throw new Failure(`No tracker could be read. ${first.name}: ${first.failure.message}`);
    const rows = read.flatMap(({ account }) => account.rows);
    const queries = read.map(({ account }) => account.query);
    const isSameDays = queries.every((query) => JSON.stringify(query) === JSON.stringify(queries[0]));
    const notices = [
      ...(isSameDays
        ? []
        : read.flatMap(({ name, account }) => describeDays(account.query).map((days) => `${name}: ${days}.`))),
      ...read.flatMap(({ name, account }) => account.notices.map((notice) => `${name}: ${notice}`)),
      ...failed.map(
        ({ name, failure }) => `Not read, and in no row and no total: the tracker ${name} (${failure.message})`,
      ),
      ...currencyNotices(read.map(({ account }) => account)),
    ];
    return presentRows(rows, given, isSameDays ? (queries[0] ?? given) : given, notices, contexts);
  },
});

type Given = AccountQuestion & Omit<View, 'currency'>;

/** @param trackers where the rows are those of several */
function presentRows(
  rows: readonly Row[],
  given: Given,
  query: Query,
  notices: readonly string[],
  trackers: readonly CallContext[] = [],
): Answer {
  const columns = [
    ...(trackers.length > 0 ? trackerColumns : []),
    ...(given.by === 'campaign' ? campaignColumns : sourceColumns),
    ...overviewColumns,
    ...(given.compare_to === 'previous' ? changeColumns : []),
  ];
  const names = columns.map(({ name }) => name);
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const table = Table.fromRows(`${given.by}s`, names, cells);
  return presentTables(
    { kind: 'tables', tables: [table], notices: [] },
    query,
    {
      ...given,
      sums: changeColumns.filter(({ isSum }) => isSum).map(({ name }) => name),
      ...(hasOneCurrency(rows) ? {} : { unsummed: names.filter((name) => !countNames.includes(name)) }),
      digits: shownDigits(columns),
      currency: hasOneCurrency(rows) ? rows[0]?.currency : undefined,
    },
    [...notices, ...emptyRatioNotice(rows.map(({ now }) => now))],
    () => false,
  );
}

type Outcome<Question extends AccountQuestion> =
  | { readonly name: string; readonly account: Account<Question> }
  | { readonly name: string; readonly failure: Failure };

/** A tracker that cannot be read costs the others nothing. */
async function readOne<Question extends AccountQuestion>(
  given: Question,
  context: CallContext,
): Promise<Outcome<Question>> {
  const { trackerName: name = '', signal } = context;
  try {
    return { name, account: await readAccount(given, context) };
  } catch (failure) {
    if (!(failure instanceof Failure) || signal?.aborted) throw failure;
    return { name, failure };
  }
}

/** One count over all trackers; what there is in all grows as each has listed its campaigns. */
function sharedProgress(report: CallContext['onProgress']): (name: string | undefined) => CallContext['onProgress'] {
  const counts = new Map<string | undefined, { readonly done: number; readonly total: number }>();
  const sum = (of: 'done' | 'total') => [...counts.values()].reduce((all, one) => all + one[of], 0);
  return (name) => (done, total, what) => {
    counts.set(name, { done, total: total ?? done });
    report?.(sum('done'), sum('total'), what);
  };
}
