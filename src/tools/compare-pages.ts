import { z } from 'zod';
import { type PageReport, type PageRow, payoutsByPage, readPageRows } from '../analysis/page-rows.ts';
import { endpointNamed } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import * as is from '../api/parameters.ts';
import { findBrokenRule } from '../api/rules.ts';
import type { Table } from '../api/table.ts';
import { type CallContext, defineTool } from './define-tool.ts';
import { type Days, type Period, periodNames, resolvePeriod } from './period.ts';
import { cleanCell } from './present/cells.ts';
import { comparisonOutput, presentComparison } from './present/comparison.ts';

const stats = endpointNamed('get_stats');
const conversionList = endpointNamed('list_conversions');

/** Two weeks even out the days of the week, and are recent enough to act on. */
const usualPeriod: Period = 'last_14_days';

const kinds = { offer: 'offers', landing: 'landing pages' } as const;

/** Which of a campaign's pages earns more, and what to do about it. It only reads. */
export const comparePagesTool = defineTool({
  name: 'compare_pages',
  title: 'Compare offers or landing pages',
  description:
    'Which of a campaign’s offers or landing pages earns more per view, and how certain that is: earnings per view (epv) and conversions per view in percent (rate) with 95% credible intervals, the probability to be best, ' +
    'the expected loss per 1,000 views of choosing each, a recommended share, and the edit_campaign_page calls that would set it. "No decision yet" says how many more views it takes. Shares that changed during the period can mislead it. It recommends and changes nothing.',
  access: 'read',
  input: z.strictObject({
    campaign_id: is.id('Campaign ID, from list_campaigns'),
    kind: is.oneOf(['offer', 'landing'], 'What is compared'),
    period: is.oneOf(periodNames, `Instead of dates; without any: ${usualPeriod}`).optional(),
    start_date: is.date('First day, YYYY-MM-DD').optional(),
    end_date: is.date('Last day, YYYY-MM-DD').optional(),
    group: z
      .string()
      .max(100)
      .describe('Which pages, where they are in several paths, levels or option groups: as the notices name it')
      .optional(),
  }),
  output: comparisonOutput,
  run: async (given, context) => {
    const broken = findBrokenRule(stats.rules, given, (argument) => argument);
    if (broken) throw new Failure(`compare_pages was not called: ${broken}`);
    const hasDates = given.start_date !== undefined || given.end_date !== undefined;
    const asked = hasDates || given.period !== undefined ? given : { ...given, period: usualPeriod };
    const query = resolvePeriod(asked, context.timeZone, context.now());
    const { kind } = query;
    const report = readPageRows(await readReport(kind, query, context));
    const { pages, notices } = choosePages(report.rows, kind, query.group);
    const payouts = await readPayouts(kind, query, context);
    // The distributions take longer to load than a server takes to start.
    const { comparePages } = await import('../analysis/statistics/compare-pages.ts');
    if (pages.every(({ result }) => result.views === 0)) {
      throw new Failure(`None of the ${kinds[kind]} had a view in this period.`, 'Try a longer one.');
    }
    const comparison = comparePages(
      pages.map(({ name, result }) => {
        const known = payouts.get(name);
        return known ? { ...result, payouts: known } : result;
      }),
    );
    return presentComparison(query, kind, pages, comparison, [
      ...notices,
      ...(report.total === undefined
        ? []
        : [`The row ${JSON.stringify(cleanCell(report.total).text)} is the tracker’s own total, and no page.`]),
      ...(pages.some(({ pageId }) => pageId !== null) ? vagueIds(report, kind) : []),
    ]);
  },
});

type Question = Days & { readonly campaign_id: number };

function vagueIds({ vagueIdColumn }: PageReport, kind: keyof typeof kinds): string[] {
  if (vagueIdColumn === undefined) return [];
  const name = JSON.stringify(cleanCell(vagueIdColumn).text);
  return [
    `The report calls the page IDs ${name}, which may be those of predefined ${kinds[kind]} instead: check them in the tracker’s campaign before calling.`,
  ];
}

async function readReport(kind: keyof typeof kinds, query: Question, { client, signal }: CallContext): Promise<Table> {
  const parameters = { camp: String(query.campaign_id), report: kind, ...datesOf(query) };
  const { reply } = await client.read(stats, parameters, { signal, reports: [kind] });
  const table = reply.kind === 'tables' ? reply.tables.find(({ name }) => name === kind) : undefined;
  if (table && table.rowCount > 0) return table;
  throw new Failure(
    `The tracker returned no ${kinds[kind]} for campaign ${query.campaign_id} in this period.`,
    'Try a longer period.',
  );
}

/** How much payouts vary shows only in single conversions; a tracker that lists none costs certainty, not the comparison. */
async function readPayouts(
  kind: keyof typeof kinds,
  query: Question,
  { client, signal }: CallContext,
): Promise<ReadonlyMap<string, readonly number[]>> {
  try {
    const { reply } = await client.read(
      conversionList,
      { camp: String(query.campaign_id), ...datesOf(query) },
      { signal },
    );
    const [table] = reply.kind === 'tables' ? reply.tables : [];
    return table ? payoutsByPage(table, kind) : new Map();
  } catch (error) {
    if (!(error instanceof Failure) || signal?.aborted) throw error;
    return new Map();
  }
}

function datesOf({ start_date, end_date }: Days): Record<string, string> {
  return {
    ...(start_date === undefined ? {} : { start: String(start_date) }),
    ...(end_date === undefined ? {} : { end: String(end_date) }),
  };
}

/** The group of a name, whatever its letter case, or of the bare number or name of its path or level where only one fits. */
function groupCalled<Group>(
  asked: string,
  groups: readonly (readonly [name: string, group: Group])[],
): readonly [name: string, group: Group] | undefined {
  const wanted = asked.trim().toLowerCase();
  const whole = groups.filter(([name]) => name.toLowerCase() === wanted);
  const inPart = groups.filter(([name]) =>
    name
      .toLowerCase()
      .split(', ')
      .some((part) => part === wanted || part.replace(/^\S+ /, '') === wanted),
  );
  const fitting = whole.length > 0 ? whole : inPart;
  return fitting.length === 1 ? fitting[0] : undefined;
}

/**
 * Only pages that compete for the same traffic can be compared: active ones with a share, of one path, level or option group.
 *
 * @throws Failure where fewer than two are left
 */
function choosePages(
  rows: readonly PageRow[],
  kind: keyof typeof kinds,
  asked: string | undefined,
): { pages: PageRow[]; notices: string[] } {
  const running = rows.filter(({ isActive, share }) => isActive && share !== 0);
  const groups = new Map<string, PageRow[]>();
  for (const row of running) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  const viewsOf = (group: readonly PageRow[]) => group.reduce((sum, { result }) => sum + result.views, 0);
  const comparable = [...groups]
    .filter(([, group]) => group.length > 1)
    .sort(([, one], [, other]) => viewsOf(other) - viewsOf(one));
  const chosen = asked === undefined ? comparable[0] : groupCalled(asked, comparable);
  const names = comparable.map(([name]) => JSON.stringify(name)).join(', ');
  if (!chosen) {
    throw asked === undefined || comparable.length === 0
      ? new Failure(
          `There is nothing to compare: fewer than two active ${kinds[kind]} with a share compete for the same traffic.`,
          'get_stats shows the pages with their shares.',
        )
      : new Failure(
          `There is no group ${JSON.stringify(asked)} with two active ${kinds[kind]}.`,
          `The groups are: ${names}.`,
        );
  }
  const idle = rows.filter((row) => !running.includes(row)).map(({ name }) => name);
  const notices = [
    ...(comparable.length > 1
      ? [`Compared: ${chosen[0]}. Pages compete within one group; the groups are ${names}.`]
      : []),
    ...(idle.length > 0
      ? [
          `Left out, being inactive or without a share: ${idle.map((name) => JSON.stringify(cleanCell(name).text)).join(', ')}.`,
        ]
      : []),
  ];
  return { pages: chosen[1], notices };
}
