import { at, groupBy } from '../../analysis/statistics/history.ts';
import { marksInCell } from '../../answer/marks.ts';
import type { Note, Notice } from '../../answer/notes.ts';
import { Failure } from '../../api/failure.ts';
import { Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import type { overviewInput } from '../account-tools.ts';
import { namedCampaign } from '../campaigns.ts';
import { type Answer, type CallContext, mapAnswer, type Query } from '../define-tool.ts';
import type { FromSchema } from '../json-schema.ts';
import { queryNamesNote } from '../notices.ts';
import { addFigures } from '../past-figures.ts';
import { checkDays, describeDays } from '../period.ts';
import { presentTables } from '../present/tables.ts';
import { indexOfColumn, type View } from '../present/view.ts';
import { rowsThatMatch } from '../present/where.ts';
import { nameForQuery } from '../query-report.ts';
import { campaignColumnNamed, splitConditions } from './choose-campaigns.ts';
import {
  type Column,
  changeColumns,
  changesInView,
  emptyRatioNote,
  figureColumns,
  heldColumns,
  heldColumnsOf,
  ofNow,
  shownDigits,
} from './figures.ts';
import { areVisitsCountedTwice, cuts, partsOf, type Row } from './overview-rows.ts';
import { type Account, type AccountQuestion, readAccount } from './read-account.ts';

export async function run(given: Readonly<FromSchema<typeof overviewInput>>, context: CallContext): Promise<Answer> {
  const account = await readAccount(given, context);
  return presentRows(account, given, context);
}

/** The same for the campaigns of several trackers. */
export async function runForAll(
  given: Readonly<FromSchema<typeof overviewInput>>,
  contexts: readonly CallContext[],
): Promise<Answer> {
  checkDays('get_overview', given);
  if (given.campaign_ids) {
    throw new Failure('campaign_ids belong to one tracker.', 'Name the tracker, or leave campaign_ids out.');
  }
  const [any] = contexts;
  const progressOf = sharedProgress(any?.onProgress);
  const outcomes = await Promise.all(
    contexts.map(async (context) => {
      const { trackerName: name = '', signal } = context;
      try {
        return { name, account: await readAccount(given, { ...context, onProgress: progressOf(name) }) };
      } catch (failure) {
        if (!(failure instanceof Failure) || signal?.aborted) throw failure;
        return { name, failure };
      }
    }),
  );
  const read = outcomes.flatMap(({ name, account }) => (account ? [{ name, account }] : []));
  const failed = outcomes.flatMap(({ name, failure }) => (failure ? [{ name, failure }] : []));
  const [first] = failed;
  if (read.length === 0 && first)
    throw new Failure(`No tracker could be read. ${first.name}: ${first.failure.message}`);
  const rows = read.flatMap(({ account }) => account.rows);
  const queries = read.map(({ account }) => account.query);
  const isSameDays = queries.every((query) => JSON.stringify(query) === JSON.stringify(queries[0]));
  const notices: Notice[] = [
    ...(isSameDays
      ? []
      : read.flatMap(({ name, account }) =>
          describeDays(account.query).map((days) => ({
            of: { tracker: name },
            notice: { code: 'days' as const, days },
          })),
        )),
    ...read.flatMap(({ name, account }) => account.notices.map((notice) => ({ of: { tracker: name }, notice }))),
    ...failed.map(
      ({ name, failure }) => ({ code: 'tracker-unread', tracker: name, failure: failure.message }) as const,
    ),
  ];
  const isWhole = failed.length === 0 && read.every(({ account }) => account.isWhole);
  const query = isSameDays ? (queries[0] ?? given) : given;
  const isCompared = read.some(({ account }) => account.isCompared);
  const comparedTo = isSameDays ? read[0]?.account.comparedTo : undefined;
  return presentRows({ query, rows, notices, isWhole, isCompared, comparedTo }, given, any, true);
}

type Given = AccountQuestion & Omit<View, 'currency'>;

function presentRows(
  { query, rows, notices, isWhole, isCompared, comparedTo }: Omit<Account<Given>, 'query'> & { readonly query: Query },
  given: Given,
  context: CallContext | undefined,
  isOfAllTrackers = false,
): Answer {
  const cut = cuts[given.by];
  const columns = [
    ...(isOfAllTrackers ? trackerColumns : hasOneCurrency(rows) ? [] : [currencyColumn]),
    ...cut.columns,
    ...overviewColumns,
    ...heldColumnsOf(rows.map(({ now }) => now)).map(ofNow),
    ...(isCompared ? changeColumns : []),
    ...(rows.some(({ marks = [] }) => marks.length > 0) ? [marksColumn] : []),
  ];
  const names = columns.map(({ name }) => name);
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const table = Table.fromRows(`${given.by}s`, names, cells);
  const { onFigures: where } = splitConditions(given.where ?? []);
  const conditions = where.flatMap((condition) => {
    const index = indexOfColumn(names, condition.column);
    return index === undefined ? [] : [{ ...condition, index }];
  });
  const shown = [...rowsThatMatch(table, conditions)].flatMap((index) => rows[index] ?? []);
  const isTwice = areVisitsCountedTwice(shown);
  const unsummed = names.filter((name) => isTwice || (!hasOneCurrency(rows) && !countNames.includes(name)));
  const columnNamed = given.by === 'campaign' ? campaignColumnNamed : (name: string) => name;
  const chosen = given.columns?.map(columnNamed);
  const isTrackerChosen = chosen?.some((name) => indexOfColumn(['Tracker'], name) !== undefined);
  const view: View = {
    ...given,
    // Rows of several trackers mean nothing without it.
    columns: chosen && isOfAllTrackers && !isTrackerChosen ? ['Tracker', ...chosen] : chosen,
    where: where.length > 0 ? where : undefined,
    sort_by: columnNamed(given.sort_by ?? (cut.kinds.length > 0 ? 'Revenue' : 'Cost')),
    sums: [...changesInView.sums, ...heldColumns.map(({ name }) => name)],
    unsummed,
    differences: changesInView.differences,
    digits: shownDigits(columns),
    currency: hasOneCurrency(rows) ? rows[0]?.currency : undefined,
  };
  const gap = isWhole ? undefined : ({ lacks: 'campaigns' } as const);
  const named = context
    ? nameForQuery([table], gap, isOfAllTrackers ? { ...context, trackerName: undefined } : context, 'overview')
    : [];
  const allNotices = [
    ...notices,
    ...currencyNotes(rows),
    ...markedNote(rows, given, shown.length < rows.length),
    ...(isTwice ? [{ code: cut.kinds.includes('offer') ? 'counted-at-pages' : 'counted-at-levels' } as const] : []),
    ...(!isTwice && shown.some(hasCostOfOffer) ? [{ code: 'only-offers' } as const] : []),
    ...lackingNotes(shown),
    ...emptyRatioNote(rows.map(({ now }) => now)),
    ...queryNamesNote(named, view),
  ];
  const answer = presentTables({ kind: 'tables', tables: [table], notices: [] }, query, view, allNotices, () => false);
  context?.recentTables?.keep(named);
  return isCompared && comparedTo ? mapAnswer(answer, (result) => ({ ...result, comparedTo })) : answer;
}

/** Names the marked campaigns, if they are added up in rows, or not all rows are shown. */
function markedNote(rows: readonly Row[], { by, limit }: Given, isFiltered: boolean): Note[] {
  if (!cuts[by].keyOf && !isFiltered && rows.length <= limit) return [];
  const marked = rows
    .flatMap((row) => partsOf(row))
    .flatMap(({ campaign, marks = [] }) => {
      const mark = marksInCell(marks);
      return mark === null ? [] : [{ mark, id: rawText(campaign.id) }];
    });
  if (marked.length === 0) return [];
  const groups = [...groupBy(marked, ({ mark }) => mark)];
  return [
    { code: 'marked', marked: groups.map(([mark, ofMark]) => ({ mark, campaigns: ofMark.map(({ id }) => id) })) },
  ];
}

/** Names the campaigns with views that lack a figure of money which others have. */
function lackingNotes(rows: readonly Row[]): Note[] {
  const parts = rows.flatMap(partsOf).filter(({ now }) => (now.views ?? 0) > 0);
  return (['cost', 'revenue'] as const).flatMap((figure): Note[] => {
    const lacking = parts.filter(({ now }) => now[figure] === undefined);
    const campaigns = [...groupBy(lacking, ({ campaign }) => rawText(campaign.id)).values()].map((of) =>
      namedCampaign(at(of, 0).campaign),
    );
    const isKnown = lacking.length < parts.length;
    return campaigns.length > 0 && isKnown ? [{ code: 'figure-lacking', figure, campaigns }] : [];
  });
}

const hasCostOfOffer = ({ page, now }: Row) => page?.kind === 'offer' && (now.cost ?? 0) > 0;

/** The progress of all trackers together; the total grows as each lists its campaigns. */
function sharedProgress(report: CallContext['onProgress']): (name: string) => CallContext['onProgress'] {
  const counts = new Map<string, { readonly done: number; readonly total: number }>();
  const sum = (key: 'done' | 'total') => [...counts.values()].reduce((all, one) => all + one[key], 0);
  return (name) => (done, total, what) => {
    counts.set(name, { done, total: total ?? done });
    report?.(sum('done'), sum('total'), what);
  };
}

const currencyColumn: Column<Row> = { name: 'Currency', cell: ({ currency }) => currency ?? null };

const marksColumn: Column<Row> = { name: 'Marks', cell: ({ marks = [] }) => marksInCell(marks) };

/** The first columns of rows from several trackers, whose currencies may differ. */
const trackerColumns: readonly Column<Row>[] = [
  { name: 'Tracker', cell: ({ tracker }) => tracker ?? null },
  currencyColumn,
];

const countNames: readonly string[] = ['Views', 'Clicks', 'Conversions', 'Views before', 'Conversions before'];

/** The figures that decide about a campaign; the rest is in get_stats. */
const overviewColumns: readonly Column<Row>[] = figureColumns
  .filter(({ name }) => name !== 'CTR' && name !== 'CR')
  .map(ofNow);

/** Rows of one tracker have one currency unless its own campaigns differ; those of several do if all trackers name the same. */
function hasOneCurrency(rows: readonly Row[]): boolean {
  const trackers = new Set(rows.map(({ tracker }) => tracker));
  const currencies = new Set(rows.map(({ currency }) => currency));
  return currencies.size < 2 && (trackers.size < 2 || !currencies.has(undefined));
}

/** The sums of each currency, by tracker if there are several. */
function currencyNotes(rows: readonly Row[]): Note[] {
  if (hasOneCurrency(rows)) return [];
  const groups = groupBy(rows, ({ tracker, currency }) => JSON.stringify([tracker, currency]));
  const sums = [...groups.values()].flatMap((group) => {
    const [first] = group;
    const { cost, revenue, profit } = addFigures(group.map(({ now }) => now));
    const amounts = Object.entries({ cost, revenue, profit }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    return first ? [{ tracker: first.tracker, currency: first.currency, amounts }] : [];
  });
  const isOfTrackers = new Set(rows.map(({ tracker }) => tracker)).size > 1;
  return [{ code: 'currency-sums', over: isOfTrackers ? 'trackers' : 'campaigns', sums }];
}
