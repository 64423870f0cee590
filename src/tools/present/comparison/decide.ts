import type { PageRow } from '../../../analysis/page-rows.ts';
import type { Comparison } from '../../../analysis/statistics/compare-pages.ts';
import type { Forecast } from '../../../analysis/statistics/evidence.ts';
import type { Lack } from '../../../analysis/statistics/judge.ts';
import { joinWords } from '../../../api/rules.ts';
import type { Query } from '../../define-tool.ts';
import { moneyInWords } from '../currency.ts';
import { shortName } from '../names.ts';
import { breakEvenInWords, coarseChance, leadInWords, neededInWords, roundTo } from './certainty.ts';
import type { Decision } from './comparison-output.ts';

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

/** Which page is ahead, how far, how certain that is, and what is still missing. */
export function decide({ pages, comparison, since, currency }: Compared): Decision {
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

/** What is estimated has two digits, and nothing below a cent. */
function coarseAmount(amount: number): number {
  return roundTo(Math.round(amount * 100) / 100, 2);
}

/** A forecast is no count: two digits say all of it. */
function coarse(forecast: Forecast | null): { views: number; days: number } | null {
  return forecast && { views: roundTo(forecast.views, 2), days: forecast.days };
}
