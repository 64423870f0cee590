import * as z from 'zod';
import type { PageRow } from '../../../analysis/page-rows.ts';
import type { Comparison } from '../../../analysis/statistics/compare-pages.ts';
import type { Forecast } from '../../../analysis/statistics/evidence.ts';
import type { Lack } from '../../../analysis/statistics/judge.ts';
import { presentParts } from '../../../analysis/statistics/shares.ts';
import { joinWords } from '../../../api/rules.ts';
import type { Answer, Query } from '../../define-tool.ts';
import { describeDays } from '../../period.ts';
import { currencyOf, moneyInWords } from '../currency.ts';
import { listSome, nameSome, shortName } from '../short-names.ts';
import { breakEvenInWords, coarseChance, costsInWords, leadInWords, neededInWords, roundTo } from './certainty.ts';
import { type Call, recommendShares } from './recommend-shares.ts';

const text = z.union([z.string(), z.null()]);
const number = z.union([z.number(), z.null()]);
/** Fields of one kind are listed without their names: every client pays for the schema, and the values say what they are. */
const numbers = z.record(z.string(), z.number());
const forecast = z.union([numbers, z.null()]);

/** What compare_pages returns. */
export const comparisonOutput = z.object({
  query: z.record(z.string(), z.unknown()),
  kind: z.string(),
  decision: z.object({
    kind: z.enum(['leader', 'no decision yet']),
    verdict: z.enum(['clear', 'leaning', 'too early']),
    basis: z.enum(['money', 'conversions']),
    page_id: text,
    name: z.string(),
    text: z.string(),
    evidence_percent: z.number(),
    lead: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
    break_even: z.record(z.string(), number).optional(),
    needed: z.record(z.string(), forecast).optional(),
    waiting_cost_per_day: z.number(),
    risk_today_per_day: z.number(),
    since: z.string(),
    days: z.number(),
  }),
  pages: z.array(
    z.object({
      page_id: text,
      name: z.string(),
      share: number,
      recommended_share: z.number(),
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
    }),
  ),
  others: numbers.optional(),
  calls: z.array(z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) })),
  notices: z.array(z.string()),
});

/** The schema says of calls that their arguments are some object; here they are data. */
type Result = Omit<z.infer<typeof comparisonOutput>, 'calls' | 'query'> & {
  readonly query: Query;
  readonly calls: readonly Call[];
};
type Decision = Result['decision'];
type ShownPage = Result['pages'][number];

/** What there is to say. */
export interface Compared {
  readonly query: Query;
  /** The first day, YYYY-MM-DD. */
  readonly since: string;
  /** In the order of the comparison's. */
  readonly pages: readonly PageRow[];
  readonly comparison: Comparison;
  /** The same by the count of conversions alone. */
  readonly byConversions: Comparison;
  /** Whether single days would have been needed, and could not be had or did not add up. */
  readonly areDaysMissing: boolean;
  /** The code of the currency that money is in, where it is known. */
  readonly currency: string | undefined;
  /** What else the reader should know, one sentence each. */
  readonly notices: readonly string[];
}

/** What a clear verdict still lacks, in words. */
const lackWords: Readonly<Record<Lack, string>> = {
  evidence: 'a lead too large to be chance, even for one who checks every day',
  days: 'five days with traffic for both',
  'common days': 'days on which all of the pages had traffic',
  'steady shares': 'single days that add up, since shares must have changed within the period',
  'agreement of money': 'money that agrees, since another page converts less and has earned more so far',
};

/** Payouts so unequal that their sum hangs on a few of them: mean square over squared mean. */
const heavySpread = 4;

/** Says which page earns more, how certain that is, and which calls would set the recommended shares. */
export function presentComparison(compared: Compared): Answer {
  const { comparison, currency } = compared;
  // Without it a reader of the data alone would not know.
  const query = currency === undefined ? compared.query : { ...compared.query, currency };
  const [shown, others] = showPages(compared);
  const decision = decide(compared);
  const { calls, notices } = recommendShares(query, shown, comparison);
  const structured: Result = {
    query,
    kind: String(query['kind']),
    decision,
    pages: shown,
    ...(others ? { others } : {}),
    calls,
    notices: [...compared.notices, ...cautions(compared), ...notices],
  };
  return { parts: [], render: () => ({ structured, text: renderText(structured) }) };
}

/** The pages that matter, in the order of the report, and a sum of the others. */
function showPages({ pages, comparison, byConversions }: Compared): [shown: ShownPage[], others: Result['others']] {
  const { shown, verdict } = comparison;
  const places = shown.toSorted((one, other) => one - other);
  const listed = places.flatMap((place) => pages[place] ?? []);
  const present = presentParts(listed.map(({ share }) => share));
  const rows = places.map((place, index): ShownPage => {
    const page = pages[place];
    const estimate = comparison.pages[place];
    const rate = byConversions.pages[place];
    if (!page || !estimate || !rate) throw new TypeError('a page was not compared');
    const { views, conversions, revenue } = page;
    // Too early to change anything: what is recommended is what there is.
    const kept = present?.[index] ?? estimate.share;
    return {
      page_id: page.pageId,
      name: shortName(page.name),
      share: page.share,
      recommended_share: (verdict === 'too early' ? kept : estimate.share) ?? 0,
      views,
      conversions,
      revenue: roundTo(revenue, 12),
      epv: roundTo(revenue / views, 4),
      epv_low: roundTo(estimate.earnings.low, 4),
      epv_high: roundTo(estimate.earnings.high, 4),
      rate: roundTo((conversions / views) * 100, 4),
      rate_low: roundTo(rate.low * 100, 4),
      rate_high: roundTo(rate.high * 100, 4),
      probability_best: coarseChance(estimate.chance).value,
    };
  });
  const hidden = pages.filter((page) => !listed.includes(page));
  if (hidden.length === 0) return [rows, undefined];
  const sumOf = (measure: 'views' | 'conversions' | 'revenue') =>
    roundTo(
      hidden.reduce((sum, page) => sum + page[measure], 0),
      12,
    );
  const sums = { views: sumOf('views'), conversions: sumOf('conversions'), revenue: sumOf('revenue') };
  return [rows, { pages: hidden.length, ...sums }];
}

function decide({ pages, comparison, since, currency }: Compared): Decision {
  const { verdict, basis, leader, rival, lead, needed, breakEven } = comparison;
  const own = pages[leader];
  const over = pages[rival];
  if (!own || !over) throw new TypeError('a page was not compared');
  const decision: Omit<Decision, 'text'> = {
    kind: verdict === 'clear' ? 'leader' : 'no decision yet',
    verdict,
    basis,
    page_id: own.pageId,
    name: shortName(own.name),
    evidence_percent: Math.floor(comparison.evidencePercent),
    lead: {
      over: shortName(over.name),
      over_page_id: over.pageId,
      percent: round(lead.percent),
      low: Math.round(lead.low),
      high: round(lead.high),
    },
    ...(breakEven
      ? { break_even: { pays_less_percent: round(breakEven.percent), so_far_percent: round(breakEven.soFarPercent) } }
      : {}),
    ...(verdict === 'clear'
      ? {}
      : { needed: { if_lead_stays: coarse(needed.ifLeadStays), if_lead_halves: coarse(needed.ifLeadHalves) } }),
    waiting_cost_per_day: coarseAmount(comparison.waitingCostPerDay),
    risk_today_per_day: coarseAmount(comparison.riskPerDay),
    since,
    days: comparison.dayCount,
  };
  return { ...decision, text: sayDecision(decision, own, over, comparison, currency) };
}

function round(percent: number | null): number | null {
  return percent === null ? null : Math.round(percent);
}

function sayDecision(
  { verdict, basis, name }: Omit<Decision, 'text'>,
  { views, conversions, revenue }: PageRow,
  over: PageRow,
  { lacks, needed, breakEven, lead, pages, leader }: Comparison,
  currency: string | undefined,
): string {
  const [verb, measured] =
    basis === 'money'
      ? ['earns', `${moneyInWords(roundTo(revenue / views, 4), currency)} per view`]
      : ['converts', `${roundTo((conversions / views) * 100, 3)} conversions per 100 views`];
  const page = JSON.stringify(name);
  const start = {
    clear: `${page} ${verb} most: ${measured}`,
    leaning: `No decision yet, leaning to ${page}: ${measured}`,
    'too early': `No decision yet: ${page} is ahead with ${measured}`,
  };
  const missing = joinWords(
    lacks.map((lack) => lackWords[lack]),
    'and',
  );
  return [
    `${start[verdict]}, best with a chance of ${coarseChance(pages[leader]?.chance ?? 0).words}.`,
    `Against ${JSON.stringify(shortName(over.name))}: ${leadInWords(lead)}.`,
    ...(breakEven ? [breakEvenInWords(breakEven)] : []),
    ...(verdict === 'clear' ? [] : [`Missing: ${missing}. ${neededInWords(needed)}`]),
  ].join(' ');
}

/** What is easily read wrong, one sentence each. */
function cautions({ pages, comparison, byConversions, areDaysMissing, since }: Compared): string[] {
  const { basis, verdict, breakEven, spread, leftOut } = comparison;
  const losing = pages.filter(({ revenue }) => revenue < 0).map(({ name }) => name);
  const other = pages[byConversions.leader];
  return [
    ...(basis === 'conversions' && !breakEven ? ['No revenue is recorded, so pages are compared by conversions.'] : []),
    ...(breakEven
      ? [
          'Compared by conversions: the single payouts of some page are not known, so that nobody can tell how much of its revenue is luck.',
        ]
      : []),
    ...(basis === 'money' && spread > 1.001
      ? ['Payouts vary: a page whose rare, large ones have not come yet looks poorer than it is.']
      : []),
    ...(basis === 'money' && spread > heavySpread && verdict !== 'clear' && other
      ? [
          `So much do payouts vary that money alone may take longer to decide than anybody waits. By conversions ${JSON.stringify(shortName(other.name))} is ahead (${byConversions.verdict}).`,
        ]
      : []),
    ...(areDaysMissing
      ? [
          'Single days could not be read, or their sums are not those of the period: it is judged by its sums, and shares that changed while the traffic itself changed mislead it.',
        ]
      : []),
    ...(leftOut.length > 0
      ? [`Left out, since shares had just changed: ${listSome(leftOut)}. Change shares once a week at most.`]
      : []),
    ...(losing.length > 0 ? [`A negative revenue, as chargebacks bring about: ${nameSome(losing)}.`] : []),
    ...(verdict === 'clear'
      ? []
      : [`Ask again with start_date ${since}: a first day that moves along makes wrong verdicts likelier.`]),
    'views, conversions, revenue, epv and rate are measured. What ends in _low and _high, chances, costs and what a verdict needs are estimated, pages with little data drawn towards the others.',
  ];
}

/** What is estimated has two digits, and nothing below a cent. */
function coarseAmount(amount: number): number {
  return roundTo(Math.round(amount * 100) / 100, 2);
}

/** A forecast is no count: two digits say all of it. */
function coarse(forecast: Forecast | null): { views: number; days: number } | null {
  return forecast && { views: roundTo(forecast.views, 2), days: forecast.days };
}

function renderText({ query, decision, pages, others, calls, notices }: Result): string {
  const currency = currencyOf(query);
  const money = (name: string) => (currency === undefined ? name : `${name} (${currency})`);
  const isEarly = decision.verdict === 'too early';
  const measured = pages.map((page) =>
    [
      page.page_id ?? '',
      page.name,
      page.share ?? '',
      page.views,
      page.conversions,
      page.revenue,
      page.epv,
      page.rate,
    ].join('\t'),
  );
  const estimated = pages.map((page) =>
    [
      page.name,
      `${page.epv_low} to ${page.epv_high}`,
      `${page.rate_low} to ${page.rate_high}`,
      coarseChance(page.probability_best).words,
      ...(isEarly ? [] : [page.recommended_share]),
    ].join('\t'),
  );
  return [
    ...describeDays(query),
    decision.text,
    costsInWords(decision, currency),
    '',
    'Measured',
    `page_id\tname\tshare\tviews\tconversions\t${money('revenue')}\t${money('epv')}\tconversions per view in percent`,
    ...measured,
    ...(others ? [sumLine(others)] : []),
    '',
    'Estimated, with 95% intervals',
    `name\t${money('epv')}\tconversions per view in percent\tchance to be best${isEarly ? '' : '\trecommended share'}`,
    ...estimated,
    '',
    ...calls.map(({ tool, arguments: given }) => `${tool} ${JSON.stringify(given)}`),
    ...notices,
  ].join('\n');
}

function sumLine({ pages, views, conversions, revenue }: Readonly<Record<string, number>>): string {
  return `\t${pages} other pages, all behind these\t\t${views}\t${conversions}\t${revenue}`;
}
