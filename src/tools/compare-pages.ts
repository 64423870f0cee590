import { z } from 'zod';
import { type PageRow, payoutsByPage, readPageRows } from '../analysis/page-rows.ts';
import type { Comparison, Requirement } from '../analysis/statistics/compare-pages.ts';
import { assumptions } from '../analysis/statistics/evidence.ts';
import { endpointNamed } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import * as is from '../api/parameters.ts';
import type { Table } from '../api/replies.ts';
import { findBrokenRule, joinWords } from '../api/rules.ts';
import type { Arguments, CallContext, Tool, ToolResult } from './define-tool.ts';
import { periodNames, resolvePeriod } from './period.ts';
import { cleanCell } from './present/cells.ts';

const stats = endpointNamed('get_stats');
const conversionList = endpointNamed('list_conversions');

/** Two weeks even out the days of the week, and are recent enough to act on. */
const usualPeriod = 'last_14_days';

/** Fewer say nothing about shares, whatever the odds are. */
const leastConversions = 5;

/** What a leader has to show, by what may be missing. */
const requirements: Readonly<Record<Requirement, string>> = {
  evidence: 'enough conversions of each page',
  probability: 'a 95% probability to be best',
  loss: 'an expected loss of at most 1% of its earnings',
  'sure lead': 'a lead that holds however often it is looked at',
};

const kinds = { offer: 'offers', landing: 'landing pages' } as const;

const output = z.object({
  query: z.record(z.string(), z.unknown()),
  kind: z.string(),
  decision: z.object({
    kind: z.enum(['leader', 'no decision yet']),
    page_id: z.union([z.string(), z.null()]),
    name: z.string(),
    text: z.string(),
    views_needed: z.union([z.number(), z.null()]).optional(),
  }),
  pages: z.array(
    z.object({
      page_id: z.union([z.string(), z.null()]),
      name: z.string(),
      share: z.union([z.number(), z.null()]),
      views: z.number(),
      conversions: z.number(),
      revenue: z.number(),
      epv: z.number(),
      epv_low: z.number(),
      epv_high: z.number(),
      rate: z.number(),
      rate_low: z.number(),
      rate_high: z.number(),
      probability_best: z.number(),
      expected_loss: z.number(),
      recommended_share: z.number(),
    }),
  ),
  calls: z.array(z.object({ tool: z.string(), arguments: z.record(z.string(), z.number()) })),
  notices: z.array(z.string()),
});

type Result = z.infer<typeof output>;

/** Which of a campaign's pages earns more, and what to do about it. It only reads. */
export const comparePagesTool: Tool = {
  name: 'compare_pages',
  title: 'Compare offers or landing pages',
  description:
    'Which of a campaign’s offers or landing pages earns more per view, and how certain that is: earnings per view (epv) and conversion rate in percent with 95% credible intervals, the probability to be best, ' +
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
  output,
  run: compare,
};

async function compare(given: Arguments, context: CallContext): Promise<ToolResult> {
  const broken = findBrokenRule(stats.rules, given, (argument) => argument);
  if (broken) throw new Failure(`compare_pages was not called: ${broken}`);
  const hasDates = given['start_date'] !== undefined || given['end_date'] !== undefined;
  const asked = hasDates || given['period'] !== undefined ? given : { ...given, period: usualPeriod };
  const query = resolvePeriod(asked, context.timeZone, context.now());
  const kind = query['kind'] as keyof typeof kinds;
  const { pages, notices } = choosePages(readPageRows(await readReport(kind, query, context)), kind, query['group']);
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
  const structured = output.parse(present(query, kind, pages, comparison, notices));
  return { structured, text: renderText(structured) };
}

async function readReport(kind: keyof typeof kinds, query: Arguments, { client, signal }: CallContext): Promise<Table> {
  const parameters = { camp: String(query['campaign_id']), report: kind, ...datesOf(query) };
  const { reply } = await client.read(stats, parameters, { signal, reports: [kind] });
  const table = reply.kind === 'tables' ? reply.tables.find(({ name }) => name === kind) : undefined;
  if (table && table.rows.length > 0) return table;
  throw new Failure(
    `The tracker returned no ${kinds[kind]} for campaign ${query['campaign_id']} in this period.`,
    'Try a longer period.',
  );
}

/** How much payouts vary shows only in single conversions; a tracker that lists none costs certainty, not the comparison. */
async function readPayouts(
  kind: keyof typeof kinds,
  query: Arguments,
  { client, signal }: CallContext,
): Promise<ReadonlyMap<string, readonly number[]>> {
  try {
    const { reply } = await client.read(
      conversionList,
      { camp: String(query['campaign_id']), ...datesOf(query) },
      { signal },
    );
    const [table] = reply.kind === 'tables' ? reply.tables : [];
    return table ? payoutsByPage(table, kind) : new Map();
  } catch (error) {
    if (!(error instanceof Failure) || signal?.aborted) throw error;
    return new Map();
  }
}

function datesOf({ start_date, end_date }: Arguments): Record<string, string> {
  return {
    ...(start_date === undefined ? {} : { start: String(start_date) }),
    ...(end_date === undefined ? {} : { end: String(end_date) }),
  };
}

/**
 * Only pages that compete for the same traffic can be compared: active ones with a share, of one path, level or option group.
 *
 * @throws Failure where fewer than two are left
 */
function choosePages(
  rows: readonly PageRow[],
  kind: keyof typeof kinds,
  asked: unknown,
): { pages: PageRow[]; notices: string[] } {
  const running = rows.filter(({ isActive, share }) => isActive && share !== 0);
  const groups = new Map<string, PageRow[]>();
  for (const row of running) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  const viewsOf = (group: readonly PageRow[]) => group.reduce((sum, { result }) => sum + result.views, 0);
  const comparable = [...groups]
    .filter(([, group]) => group.length > 1)
    .sort(([, one], [, other]) => viewsOf(other) - viewsOf(one));
  const chosen = asked === undefined ? comparable[0] : comparable.find(([name]) => name === asked);
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

function present(
  query: Arguments,
  kind: keyof typeof kinds,
  pages: readonly PageRow[],
  comparison: Comparison,
  notices: readonly string[],
): Result {
  const shown = pages.map((page, index) => {
    const compared = comparison.pages[index];
    if (!compared) throw new TypeError('a page was not compared');
    const { earnings, rate, probabilityBest, expectedLoss, share } = compared;
    const { views, conversions, revenue } = page.result;
    return {
      page_id: page.pageId,
      name: cleanCell(page.name).text ?? '',
      share: page.share,
      views,
      conversions,
      revenue,
      epv: round(earnings.mean, 4),
      epv_low: round(earnings.low, 4),
      epv_high: round(earnings.high, 4),
      rate: round(rate.mean * 100, 2),
      rate_low: round(rate.low * 100, 2),
      rate_high: round(rate.high * 100, 2),
      probability_best: round(probabilityBest, 3),
      expected_loss: round(expectedLoss, 2),
      recommended_share: share,
    };
  });
  const conversions = shown.reduce((sum, page) => sum + page.conversions, 0);
  const isTold = conversions >= leastConversions;
  const calls = isTold ? callsFor(query, shown) : [];
  const hasIds = shown.every(({ page_id }) => page_id !== null);
  return {
    query: { ...query },
    kind,
    decision: decide(shown, comparison),
    pages: shown,
    calls,
    notices: [
      ...notices,
      ...comparison.assumptions.map((assumption) => assumptions[assumption]),
      ...(hasIds ? [] : ['The report shows no page IDs, so no calls can be given.']),
      ...(isTold ? [] : [`Conversions in all: ${conversions}. The shares are better left as they are.`]),
      ...(isTold && hasIds && calls.length === 0 ? ['The shares are as recommended already.'] : []),
      ...(comparison.decision.kind === 'leader'
        ? []
        : ['The recommended shares split the traffic for the test to go on; they are no verdict.']),
      'epv and rate are estimates, drawn towards what all pages earn where a page has little data.',
    ],
  };
}

function decide(shown: Result['pages'], { decision, currency }: Comparison): Result['decision'] {
  const page = shown[decision.page];
  const { page_id = null, name = '', epv = 0 } = page ?? {};
  const unit = currency === 'revenue' ? 'per view' : 'conversions per view';
  if (decision.kind === 'leader') {
    const certainty = Math.floor((page?.probability_best ?? 0) * 100);
    return {
      kind: 'leader',
      page_id,
      name,
      text: `${JSON.stringify(name)} earns most: ${epv} ${unit}, best with ${certainty}% probability.`,
    };
  }
  const { median } = decision.viewsNeeded;
  const views = median === null ? 'more views than can be foreseen' : `about ${roundViews(median)} more views`;
  return {
    kind: 'no decision yet',
    page_id,
    name,
    text: `No decision yet: ${JSON.stringify(name)} is ahead with ${epv} ${unit}, and a decision takes ${views} at the recommended shares. Missing: ${joinWords(
      decision.missing.map((requirement) => requirements[requirement]),
      'and',
    )}.`,
    views_needed: median === null ? null : roundViews(median),
  };
}

/** The writes that set the recommended shares, for the pages whose part of the traffic would change. */
function callsFor({ campaign_id }: Arguments, pages: Result['pages']): Result['calls'] {
  const sum = pages.reduce((total, { share }) => total + (share ?? 0), 0);
  return pages.flatMap(({ page_id, share, recommended_share }) => {
    const isSame =
      share !== null && sum > 0 && Math.abs((share / sum) * 100 - recommended_share) < 1 && Math.abs(sum - 100) < 1;
    if (page_id === null || isSame) return [];
    return [
      {
        tool: 'edit_campaign_page',
        arguments: { campaign_id: Number(campaign_id), page_id: Number(page_id), share: recommended_share },
      },
    ];
  });
}

/** An estimate is no count: two digits say all of it. */
function roundViews(views: number): number {
  return Number(views.toPrecision(2));
}

function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

function renderText({ query, decision, pages, calls, notices }: Result): string {
  const heading =
    'page_id\tname\tshare\tviews\tconversions\trevenue\trate % (95% interval)\tepv (95% interval)\tprobability best\texpected loss per 1000 views\trecommended share';
  const lines = pages.map((page) =>
    [
      page.page_id ?? '',
      page.name,
      page.share ?? '',
      page.views,
      page.conversions,
      page.revenue,
      `${page.rate} (${page.rate_low} to ${page.rate_high})`,
      `${page.epv} (${page.epv_low} to ${page.epv_high})`,
      page.probability_best,
      page.expected_loss,
      page.recommended_share,
    ].join('\t'),
  );
  const steps = calls.map(({ tool, arguments: given }) => `${tool} ${JSON.stringify(given)}`);
  const { start_date, end_date, timezone } = query;
  const days = [
    `${start_date ?? 'the tracker’s current day'} to ${end_date ?? 'the tracker’s current day'}`,
    timezone,
  ].filter(Boolean);
  return [days.join(', days of '), decision.text, '', heading, ...lines, '', ...steps, ...notices].join('\n');
}
