import { moneyInWords } from '../../../analysis/columns/formats.ts';
import type { PageRow } from '../../../analysis/page-rows.ts';
import type { SalesToCome } from '../../../analysis/sale-delay.ts';
import type { Comparison } from '../../../analysis/statistics/compare-pages.ts';
import type { Forecast } from '../../../analysis/statistics/evidence.ts';
import { splitShares } from '../../../analysis/statistics/shares.ts';
import type { Lack } from '../../../analysis/statistics/verdict.ts';
import { joinWords } from '../../../api/rules.ts';
import type { Query } from '../../define-tool.ts';
import { listSome, nameSome, shortName } from '../cells.ts';
import {
  breakEvenInWords,
  coarseChance,
  leadInWords,
  neededInWords,
  roundTo,
  saleInWords,
  wholePercent,
  whyNotNeeded,
} from './certainty.ts';
import type { Call, Decision, ShownPage } from './comparison-output.ts';

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
  /** Sales of the last days that are still to come; undefined if the list does not say how late they come. */
  readonly toCome: SalesToCome | undefined;
  /** The code of the currency that money is in, if it is known. */
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
  'agreement of money':
    'money that leads as well by more than chance, since another page may earn more though it converts less',
  'one order in all parts': 'one order in all parts of the traffic: in each of them another page earns more',
  'late sales': 'days that count, whose sales are in and before which shares had not just changed',
};

/** Which page is ahead, how far, how certain that is, and what is still missing. */
export function decide(compared: Compared): Decision {
  const { pages, comparison, since } = compared;
  const { verdict, basis, leader, rival, lead, needed, breakEven, decisiveSale } = comparison;
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
      low: wholePercent(lead.low),
      high: round(lead.high),
      ...(decisiveSale
        ? { decisive_sale: roundTo(decisiveSale.amount, 12), percent_without_it: round(decisiveSale.leadWithout) }
        : {}),
    },
    ...(breakEven
      ? { break_even: { pays_less_percent: round(breakEven.percent), so_far_percent: round(breakEven.soFarPercent) } }
      : {}),
    ...(verdict === 'clear'
      ? {}
      : {
          needed: {
            if_lead_stays: coarse(needed.ifLeadStays) ?? whyNotNeeded(needed) ?? null,
            if_lead_halves: coarse(needed.ifLeadHalves),
          },
        }),
    waiting_cost_per_day: coarseAmount(comparison.waitingCostPerDay),
    risk_today_per_day: coarseAmount(comparison.riskPerDay),
    since,
    days: comparison.dayCount,
  };
  return { ...decision, text: sayDecision(decision, own, compared) };
}

function round(percent: number | null): number | null {
  return percent === null ? null : wholePercent(percent);
}

function sayDecision(
  { verdict, basis, name, lead: { over } }: Omit<Decision, 'text'>,
  { views, conversions, revenue }: PageRow,
  { pages, comparison, currency }: Compared,
): string {
  const { lacks, needed, breakEven, decisiveSale, lead, leader, areChancesKnown } = comparison;
  const chanceOf = (page: number) => comparison.pages[page]?.chance ?? 0;
  const behind = comparison.behind.flatMap((page) => pages[page]?.name ?? []);
  const likelier = pages.filter((_, page) => chanceOf(page) > chanceOf(leader));
  const [verb, measured] =
    basis === 'money'
      ? ['earns', `${moneyInWords(roundTo(revenue / views, 3), currency)} per view`]
      : ['converts', `${roundTo((conversions / views) * 100, 3)} conversions per 100 views`];
  const page = JSON.stringify(name);
  const start = {
    clear: `${page} ${verb} most: ${measured}`,
    leaning: `No decision yet, leaning to ${page}: ${measured}`,
    'too early': `No decision yet: ${page} is ${(lead.percent ?? 0) < 0 ? 'expected to be ahead, though not so far,' : 'ahead'} with ${measured}`,
  };
  if (needed.obstacle === 'no sales') return 'No decision yet: there are no conversions so far.';
  const missing = lacks.map((lack) => lackWords[lack]);
  return [
    ...(areChancesKnown
      ? [
          `${start[verdict]}, best with a chance of ${coarseChance(chanceOf(leader)).words}.`,
          ...(likelier.length > 0
            ? [`By what conversions have paid, more may be earned with ${nameSome(likelier.map((row) => row.name))}.`]
            : []),
          `Against ${JSON.stringify(over)}: ${leadInWords(lead)}.`,
        ]
      : [`${start[verdict]}. Sums of changed shares say nothing of which is best.`]),
    ...(breakEven ? [breakEvenInWords(breakEven)] : []),
    ...(decisiveSale ? [saleInWords(decisiveSale, page, currency)] : []),
    ...(behind.length > 0 ? [`Surely behind, whichever is best: ${nameSome(behind)}.`] : []),
    ...(verdict === 'clear' ? [] : [`Missing: ${joinWords(missing, 'and')}. ${neededInWords(needed)}`]),
  ].join(' ');
}

/** What is estimated has two digits, and nothing below a cent. */
function coarseAmount(amount: number): number {
  return roundTo(Math.round(amount * 100) / 100, 2);
}

/** A forecast is no count: two digits say all of it. */
function coarse(forecast: Forecast | null): Record<string, number> | null {
  if (!forecast) return null;
  const { views, days, low, high } = forecast;
  return { views: roundTo(views, 2), days: roundTo(days, 2), days_low: roundTo(low, 2), days_high: roundTo(high, 2) };
}

/** The calls that would set the recommended shares, or why there are none. */
export function recommendShares(
  { campaign_id, tracker }: Query,
  pages: readonly ShownPage[],
  { verdict, lacks, behind }: Comparison,
): { calls: readonly Call[]; notices: readonly string[] } {
  if (verdict === 'too early' && behind.length === 0) {
    return { calls: [], notices: ['The shares are better left as they are: it is too early to change them.'] };
  }
  const obstacle = whyNoCalls(pages);
  if (obstacle !== undefined) return { calls: [], notices: [obstacle] };
  const present = pages.map(({ share }) => share);
  const recommended = pages.map(({ recommended_share }) => recommended_share);
  const split = splitShares(present, recommended);
  const shares = split ?? recommended;
  const sum = shares.reduce((total, share) => total + share, 0);
  // Less than a hundredth of the traffic is not worth a write.
  if (split?.every((share, index) => Math.abs(share - (present[index] ?? 0)) < sum / 100)) {
    return { calls: [], notices: ['The shares are as recommended already.'] };
  }
  const changed = pages.flatMap(({ page_id }, index) => {
    const share = shares[index] ?? 0;
    return split && share === present[index] ? [] : [{ page_id: Number(page_id), share }];
  });
  const campaign = { ...(tracker === undefined ? {} : { tracker }), campaign_id: Number(campaign_id) };
  return {
    calls: [{ tool: 'set_shares', arguments: { ...campaign, shares: changed } }],
    notices: [
      ...(split && roundTo(sum, 6) !== 100
        ? [
            `With these calls the shares of the compared pages add up to ${roundTo(sum, 6)}, as they do now, so that pages outside the comparison keep their part.`,
          ]
        : []),
      ...(verdict === 'too early'
        ? ['The call only takes from what is surely behind; the other pages keep their split.']
        : lacks.length === 0
          ? []
          : ['The calls follow the odds and leave each page its part; they are no verdict.']),
    ],
  };
}

/** What keeps calls from being given: some of them alone would leave the traffic split in a way nobody recommended. */
function whyNoCalls(pages: readonly ShownPage[]): string | undefined {
  const ids = pages.map(({ page_id }) => page_id);
  const named = (isMeant: (id: string | null) => boolean) =>
    listSome(pages.filter(({ page_id }) => isMeant(page_id)).map(({ name }) => name));
  if (ids.every((id) => id === null)) return 'The report shows no page IDs, so no calls can be given.';
  if (ids.includes(null))
    return `The report shows no page ID of ${named((id) => id === null)}, so no calls can be given.`;
  if (new Set(ids).size < ids.length) return 'Several pages have the same ID in the report, so no calls can be given.';
  const isTooLarge = (id: string | null) => !Number.isSafeInteger(Number(id));
  if (!ids.some(isTooLarge)) return undefined;
  return `The page ID of ${named(isTooLarge)} is larger than programs pass on exactly, so no calls can be given.`;
}
