import { z } from 'zod';
import type { PageRow } from '../../analysis/page-rows.ts';
import type { Comparison, Requirement } from '../../analysis/statistics/compare-pages.ts';
import { assumptions } from '../../analysis/statistics/evidence.ts';
import { splitShares } from '../../analysis/statistics/shares.ts';
import { joinWords } from '../../api/rules.ts';
import { maxNameLength } from '../../api/text/clean-text.ts';
import { shown as shownText } from '../../api/text/tracker-text.ts';
import type { Answer, Query } from '../define-tool.ts';
import { describeDays } from '../period.ts';
import { query } from './outputs.ts';

/** Fewer say nothing about shares, whatever the odds are. */
const minConversions = 5;

/** What a leader has to show, by what may be missing. */
const requirements: Readonly<Record<Requirement, string>> = {
  evidence: 'enough conversions of each page',
  probability: 'a 95% probability to be best',
  loss: 'an expected loss of at most 1% of its earnings',
  'sure lead': 'a lead too large to be chance, even for one who checks every day',
};

/** What compare_pages returns. */
export const comparisonOutput = z.object({
  query,
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

type Result = z.infer<typeof comparisonOutput>;

/**
 * Says which page earns more, how certain that is, and which calls would set the recommended shares.
 *
 * @param pages in the order of the comparison's
 * @param notices what else the reader should know, one sentence each
 */
export function presentComparison(
  query: Query,
  kind: string,
  pages: readonly PageRow[],
  comparison: Comparison,
  notices: readonly string[],
): Answer {
  const shown = pages.map((page, index) => {
    const compared = comparison.pages[index];
    if (!compared) throw new TypeError('a page was not compared');
    const { earnings, rate, probabilityBest, expectedLoss, share } = compared;
    const { views, conversions } = page.result;
    return {
      page_id: page.pageId,
      name: shownText(page.name, maxNameLength),
      share: page.share,
      views,
      conversions,
      revenue: page.revenue,
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
  const isTold = conversions >= minConversions;
  const obstacle = whyNoCalls(shown);
  const calls = isTold && obstacle === undefined ? callsFor(query, shown) : [];
  const negative = shown.filter(({ revenue }) => revenue < 0);
  return {
    parts: [{ count: shown.length, min: 1 }],
    render: ([count = 0]) => {
      const isWhole = count === shown.length;
      const structured: Result = {
        query,
        kind,
        decision: decide(shown, comparison),
        pages: shown.slice(0, count),
        // Some of them alone would leave the traffic split in a way nobody recommended.
        calls: isWhole ? calls : [],
        notices: [
          ...notices,
          ...(isWhole
            ? []
            : [`${shown.length - count} more pages, and the calls, did not fit into one answer: compare a group.`]),
          ...comparison.assumptions.map((assumption) => assumptions[assumption]),
          ...negative.slice(0, count).map(({ name }) => negativeRevenue(name)),
          ...(obstacle === undefined ? [] : [obstacle]),
          ...(isTold ? [] : [`Conversions in all: ${conversions}. The shares are better left as they are.`]),
          ...(isTold && obstacle === undefined && calls.length === 0 ? ['The shares are as recommended already.'] : []),
          ...sumOfShares(shown, calls),
          ...(comparison.decision.kind === 'leader'
            ? []
            : ['The recommended shares split the traffic for the test to go on; they are no verdict.']),
          'epv and rate (conversions per view in percent) are estimates, drawn towards what all pages earn where a page has little data.',
        ],
      };
      return { structured, text: renderText(structured) };
    },
  };
}

function decide(shown: Result['pages'], { decision, currency }: Comparison): Result['decision'] {
  const page = shown[decision.page];
  const { page_id = null, name = '', epv = 0 } = page ?? {};
  const unit = currency === 'revenue' ? 'per view' : 'conversions per view';
  if (decision.kind === 'leader') {
    const percentage = Math.floor((page?.probability_best ?? 0) * 100);
    // Rounding makes it 100; nothing that was drawn is certain.
    const certainty = percentage < 100 ? `${percentage}%` : 'more than 99.9%';
    return {
      kind: 'leader',
      page_id,
      name,
      text: `${JSON.stringify(name)} earns most: ${epv} ${unit}, best with ${certainty} probability.`,
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

function negativeRevenue(name: string): string {
  return `${JSON.stringify(name)} has a negative revenue, as chargebacks bring about: it is compared as 0.`;
}

/** What keeps calls from being given: some of them alone would leave the traffic split in a way nobody recommended. */
function whyNoCalls(pages: Result['pages']): string | undefined {
  const without = pages.filter(({ page_id }) => page_id === null).map(({ name }) => JSON.stringify(name));
  if (without.length === pages.length) return 'The report shows no page IDs, so no calls can be given.';
  if (without.length > 0)
    return `The report shows no page ID of ${joinWords(without, 'and')}, so no calls can be given.`;
  const ids = new Set(pages.map(({ page_id }) => page_id));
  return ids.size < pages.length
    ? 'Several pages have the same ID in the report, so no calls can be given.'
    : undefined;
}

/** The writes that set the recommended shares. */
function callsFor({ campaign_id }: Query, pages: Result['pages']): Result['calls'] {
  const recommended = pages.map(({ recommended_share }) => recommended_share);
  const present = pages.map(({ share }) => share);
  const split = splitShares(present, recommended);
  const shares = split ?? recommended;
  const sum = shares.reduce((total, share) => total + share, 0);
  // Less than a hundredth of the traffic is not worth a write.
  const isSame = split?.every((share, index) => Math.abs(share - (present[index] ?? 0)) < sum / 100);
  if (isSame) return [];
  return pages.flatMap(({ page_id }, index) => {
    const share = shares[index] ?? 0;
    if (split && share === present[index]) return [];
    return [
      {
        tool: 'edit_campaign_page',
        arguments: { campaign_id: Number(campaign_id), page_id: Number(page_id), share },
      },
    ];
  });
}

/** Shares that do not make up 100 need a word: the rest is not lost. */
function sumOfShares(pages: Result['pages'], calls: Result['calls']): string[] {
  if (calls.length === 0) return [];
  const called = new Map(calls.map(({ arguments: { page_id = 0, share = 0 } }) => [page_id, share]));
  const sum = round(
    pages.reduce((total, page) => total + (called.get(Number(page.page_id)) ?? page.share ?? 0), 0),
    2,
  );
  if (sum === 100) return [];
  return [
    `With these calls the shares of the compared pages add up to ${sum}, as they do now, so that pages outside the comparison keep their part.`,
  ];
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
    'page_id\tname\tshare\tviews\tconversions\trevenue\tconversions per view in percent (95% interval)\tepv (95% interval)\tprobability best\texpected loss per 1000 views\trecommended share';
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
  return [...describeDays(query), decision.text, '', heading, ...lines, '', ...steps, ...notices].join('\n');
}
