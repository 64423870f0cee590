import { currencyOf } from '../../analysis/columns/formats.ts';
import type { Comparison } from '../../analysis/statistics/compare-pages.ts';
import { type PageSums, sum } from '../../analysis/statistics/history.ts';
import type { Range } from '../../analysis/statistics/posteriors.ts';
import { byLargestRemainder, presentParts, takeFromBehind } from '../../analysis/statistics/shares.ts';
import type { Block } from '../../answer/blocks.ts';
import { chanceInPercent, roundTo } from '../../answer/decision.ts';
import { costsInWords } from '../../answer/in-views.ts';
import type { Note, Unworded } from '../../answer/notes.ts';
import type { Answer, Query } from '../define-tool.ts';
import type { comparisonOutput } from '../detail-tools.ts';
import type { FromSchema } from '../json-schema.ts';
import { daysBlock } from '../period.ts';
import { shortName } from './cells.ts';
import { type Call, type Compared, decide, recommendShares } from './decision.ts';

/** With the arguments of calls as data, which the schema leaves open. */
export type ComparisonResult = Omit<FromSchema<typeof comparisonOutput>, 'calls' | 'query'> & {
  readonly query: Query;
  readonly calls: readonly Call[];
};
export type ShownPage = ComparisonResult['pages'][number];

/** Which page earns more, how certain that is, and the calls that would set the recommended shares. */
export function presentComparison(compared: Compared): Answer {
  const { comparison, currency } = compared;
  // Readers of the data alone need the currency, too.
  const query = currency === undefined ? compared.query : { ...compared.query, currency };
  const [shown, others] = showPages(compared);
  const { calls, notices } = recommendShares(query, shown, comparison);
  const { headline, ...decision } = decide(compared);
  const structured: Unworded<ComparisonResult> = {
    query,
    kind: String(query['kind']),
    decision,
    pages: shown,
    ...(others ? { others } : {}),
    calls,
    notices: [...compared.notices, ...cautions(compared), ...notices],
  };
  return { parts: [], render: () => ({ structured, blocks: blocksOf(structured), headline }) };
}

/** The pages that matter, in the order of the report, and the sum of the others. */
function showPages({
  query,
  pages,
  comparison,
  byConversions,
  valuations,
}: Compared): [shown: ShownPage[], others: ComparisonResult['others']] {
  const { shown, verdict, behind, whyNoChance } = comparison;
  // An amount that is booked has as many decimals as payouts do.
  const inMoney =
    query['money'] === 'expected'
      ? (amount: number) => Number(amount.toFixed(2))
      : (amount: number) => roundTo(amount, 12);
  const indexes = shown.toSorted((one, other) => one - other);
  const listed = indexes.flatMap((index) => pages[index] ?? []);
  const present = presentParts(listed.map(({ share }) => share));
  const split = present ?? presentParts(listed.map(({ views }) => views));
  const chances = chancesInPercent(comparison, indexes);
  const isBehind = indexes.map((index) => behind.includes(index));
  const left = split && behind.length > 0 ? takeFromBehind(split, isBehind) : present;
  const rows = listed.map((page, row): ShownPage => {
    const index = indexes[row] ?? -1;
    const estimate = comparison.pages[index];
    const rate = byConversions.pages[index];
    if (!estimate || !rate) throw new TypeError('a page was not compared');
    const { views, conversions, revenue } = page;
    const valuation = valuations?.get(page);
    // If it is too early, only pages that are surely behind change.
    const recommended = verdict === 'too early' ? (left?.[row] ?? estimate.share) : estimate.share;
    const [epv, conversionRate] = [revenue / views, (conversions / views) * 100];
    const earnings = around(estimate.earnings, epv);
    const rates = around({ low: rate.low * 100, high: rate.high * 100 }, conversionRate);
    return {
      page_id: page.pageId,
      name: shortName(page.name),
      share: page.share,
      recommended_share: recommended ?? 0,
      views,
      conversions,
      revenue: inMoney(revenue),
      epv: roundTo(epv, 4),
      epv_low: roundTo(earnings.low, 4),
      epv_high: roundTo(earnings.high, 4),
      rate: roundTo(conversionRate, 4),
      rate_low: roundTo(rates.low, 4),
      rate_high: roundTo(rates.high, 4),
      probability_best: whyNoChance === undefined ? (chances[row] ?? 0) / 100 : null,
      ...(valuation && { valued_at: valuation.payout, booked_revenue: inMoney(valuation.booked) }),
    };
  });
  const hidden = pages.filter((page) => !listed.includes(page));
  if (hidden.length === 0) return [rows, undefined];
  const sumOf = (measure: keyof PageSums) => roundTo(sum(hidden.map((page) => page[measure])), 12);
  const sums = {
    views: sumOf('views'),
    conversions: sumOf('conversions'),
    revenue: inMoney(sum(hidden.map(({ revenue }) => revenue))),
  };
  const chance = whyNoChance === undefined ? { probability_best: (chances.at(-1) ?? 0) / 100 } : {};
  return [rows, { pages: hidden.length, ...sums, ...chance }];
}

/** The chances to be best of the shown pages in whole percent. With the last one, of all other pages, they add up to 100. */
function chancesInPercent({ pages }: Comparison, shown: readonly number[]): readonly number[] {
  const chanceOf = (index: number) => pages[index]?.chance ?? 0;
  const others = sum(pages.map((_, index) => (shown.includes(index) ? 0 : chanceOf(index))));
  const all = [...shown.map(chanceOf), others];
  return byLargestRemainder(
    all.map((chance) => chance * 100),
    100,
  );
}

/** A range that includes the measured value: the shrunk estimate of a page with little data may miss it. */
function around({ low, high }: Range, measured: number): Range {
  return { low: Math.min(low, measured), high: Math.max(high, measured) };
}

/** Payouts above this spread (mean square over squared mean) depend on a few large ones. */
const heavySpread = 4;

/** What is easily misread. */
function cautions(compared: Compared): Note[] {
  const { pages, comparison, byConversions, areDaysMissing, since } = compared;
  const { basis, verdict, spread, leftOut } = comparison;
  const losing = pages.filter(({ revenue }) => revenue < 0).map(({ name }) => shortName(name));
  const isMoney = basis === 'money';
  const other = pages[byConversions.leader];
  const hasRevenue = pages.some(({ revenue }) => revenue !== 0);
  const isVague = isMoney && spread > heavySpread && verdict !== 'clear';
  const all: (Note | false | undefined)[] = [
    !isMoney && { code: 'compared-by-conversions', hasRevenue },
    isMoney && spread > 1.001 && { code: 'payouts-vary' },
    isVague &&
      other && {
        ...{ code: 'payouts-vary-much', leader: shortName(other.name), verdict: byConversions.verdict },
      },
    areDaysMissing && { code: 'judged-by-sums' },
    leftOut.changed.length > 0 && { code: 'days-of-changed-shares', days: leftOut.changed },
    ...lateSales(compared),
    { code: 'every-view-a-person' },
    fewClicks(compared),
    losing.length > 0 && { code: 'negative-revenue', pages: losing },
    verdict !== 'clear' && { code: 'ask-since', since },
    { code: 'measured-and-estimated' },
  ];
  return all.filter((note) => note !== false && note !== undefined);
}

/** How late sales come, and how many are still to come. */
function lateSales({ toCome, comparison }: Compared): Note[] {
  if (!toCome || toCome.days === 0) return [];
  const late = comparison.leftOut.late.length;
  return [
    { code: 'sales-to-come', ...toCome },
    ...(late > 0 ? [{ code: 'late-days-left-out', days: late } as const] : []),
  ];
}

/** Clicks per view that differ by this part, and by this many standard errors, may come from robots; pages differ by less. */
const suspectClicks = 0.25;
const sureClicks = 4;

function fewClicks({ pages, comparison: { leader, runnerUp } }: Compared): Note | undefined {
  const clicked = [pages[leader], pages[runnerUp]].flatMap((page) =>
    page?.clicks ? [{ ...page, clicks: page.clicks, rate: page.clicks / page.views }] : [],
  );
  const [few, many] = clicked.sort((one, other) => one.rate - other.rate);
  if (!few || !many) return undefined;
  const error = Math.sqrt(sum([few, many].map(({ rate, views }) => (rate * (1 - rate)) / views)));
  if (!(few.rate < many.rate * (1 - suspectClicks) && many.rate - few.rate > sureClicks * error)) return undefined;
  const of = ({ name, rate, conversions, clicks }: typeof few) => ({
    ...{ name: shortName(name), clicks: rate, sales: conversions / clicks },
  });
  return { code: 'few-clicks', few: of(few), many: of(many) };
}

function blocksOf({ query, decision, pages, others, calls }: Unworded<ComparisonResult>): Block[] {
  const unit = currencyOf(query);
  const isEarly = decision.verdict === 'too early' && calls.length === 0;
  const rate = { name: 'conversions per view in percent', short: 'CR', measure: 'CR' };
  const measured = pages.map(({ page_id, name, share, views, conversions, revenue, epv, rate }) => [
    ...[page_id, name, share, views, conversions, revenue, epv, rate],
  ]);
  const sums = others && [
    ...[null, `${others['pages']} other pages, all behind these`, null],
    ...[others['views'] ?? null, others['conversions'] ?? null, others['revenue'] ?? null],
  ];
  return [
    ...daysBlock(query),
    { is: 'heading', text: decision.text },
    costsInWords(decision, unit),
    {
      is: 'table',
      title: 'Measured',
      columns: [
        ...['page_id', 'name', 'share', 'views', 'conversions'].map((name) => ({ name })),
        ...['revenue', 'epv'].map((name) => ({ name, unit })),
        rate,
      ],
      rows: sums ? [...measured, sums] : measured,
    },
    {
      is: 'table',
      title: 'Estimated, with 95% intervals',
      columns: [
        ...[{ name: 'name' }, { name: 'epv', unit }, rate, { name: 'chance to be best', short: 'best' }],
        ...(isEarly ? [] : [{ name: 'recommended share', short: 'recommended' }]),
      ],
      rows: pages.map((page) => [
        ...[page.name, `${page.epv_low} to ${page.epv_high}`, `${page.rate_low} to ${page.rate_high}`],
        ...[chanceInPercent(page.probability_best), ...(isEarly ? [] : [page.recommended_share])],
      ]),
    },
    '',
    ...calls.map((call) => ({ is: 'call' as const, ...call })),
  ];
}
