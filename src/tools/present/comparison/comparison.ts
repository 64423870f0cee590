import { currencyOf } from '../../../analysis/columns/formats.ts';
import { type PageSums, sum } from '../../../analysis/statistics/history.ts';
import type { Range } from '../../../analysis/statistics/posteriors.ts';
import { presentParts, takeFromBehind } from '../../../analysis/statistics/shares.ts';
import type { Answer } from '../../define-tool.ts';
import { describeDays } from '../../period.ts';
import { listSome, nameSome, shortName } from '../names.ts';
import { coarseChance, costsInWords, roundTo } from './certainty.ts';
import type { ComparisonResult, ShownPage } from './comparison-output.ts';
import { type Compared, decide, recommendShares } from './decide.ts';

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
  const structured: ComparisonResult = {
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
function showPages({
  pages,
  comparison,
  byConversions,
}: Compared): [shown: ShownPage[], others: ComparisonResult['others']] {
  const { shown, verdict, behind, areChancesKnown } = comparison;
  const places = shown.toSorted((one, other) => one - other);
  const listed = places.flatMap((place) => pages[place] ?? []);
  const present = presentParts(listed.map(({ share }) => share));
  const isBehind = places.map((place) => behind.includes(place));
  const split = present ?? presentParts(listed.map(({ views }) => views));
  const left = split && behind.length > 0 ? takeFromBehind(split, isBehind) : present;
  const rows = places.map((place, index): ShownPage => {
    const page = pages[place];
    const estimate = comparison.pages[place];
    const rate = byConversions.pages[place];
    if (!page || !estimate || !rate) throw new TypeError('a page was not compared');
    const { views, conversions, revenue } = page;
    // Too early to change anything but for pages that are surely behind: what is recommended is what there is.
    const kept = left?.[index] ?? estimate.share;
    const [epv, conversionRate] = [revenue / views, (conversions / views) * 100];
    const { low, high } = around(estimate.earnings, epv);
    const rates = around({ low: rate.low * 100, high: rate.high * 100 }, conversionRate);
    return {
      page_id: page.pageId,
      name: shortName(page.name),
      share: page.share,
      recommended_share: (verdict === 'too early' ? kept : estimate.share) ?? 0,
      views,
      conversions,
      revenue: roundTo(revenue, 12),
      epv: roundTo(epv, 4),
      epv_low: roundTo(low, 4),
      epv_high: roundTo(high, 4),
      rate: roundTo(conversionRate, 4),
      rate_low: roundTo(rates.low, 4),
      rate_high: roundTo(rates.high, 4),
      probability_best: areChancesKnown ? coarseChance(estimate.chance).value : null,
    };
  });
  const hidden = pages.filter((page) => !listed.includes(page));
  if (hidden.length === 0) return [rows, undefined];
  const sumOf = (measure: keyof PageSums) => roundTo(sum(hidden.map((page) => page[measure])), 12);
  const sums = { views: sumOf('views'), conversions: sumOf('conversions'), revenue: sumOf('revenue') };
  return [rows, { pages: hidden.length, ...sums }];
}

/** A range that holds what was measured, too: pages with little data are drawn towards the others, past it at times. */
function around({ low, high }: Range, measured: number): Range {
  return { low: Math.min(low, measured), high: Math.max(high, measured) };
}

/** What is easily read wrong, one sentence each. */
function cautions(compared: Compared): string[] {
  const { pages, comparison, byConversions, areDaysMissing, since } = compared;
  const { basis, verdict, breakEven, spread, leftOut } = comparison;
  const losing = pages.filter(({ revenue }) => revenue < 0).map(({ name }) => name);
  const unless = (isUnsaid: boolean, sentence: string) => (isUnsaid ? [] : [sentence]);
  const other = pages[byConversions.leader];
  return [
    ...unless(
      basis === 'money',
      breakEven
        ? 'Compared by conversions: the single payouts of some page are not known, so it is not known how much of its revenue is luck.'
        : 'No revenue is recorded, so pages are compared by conversions.',
    ),
    ...unless(
      basis === 'conversions' || spread <= 1.001,
      'Payouts vary: a page whose rare, large ones have not come yet looks poorer than it is.',
    ),
    ...(basis === 'money' && spread > heavySpread && verdict !== 'clear' && other
      ? [
          `So much do payouts vary that money alone may take longer to decide than anybody waits. By conversions ${JSON.stringify(shortName(other.name))} is ahead (${byConversions.verdict}).`,
        ]
      : []),
    ...unless(
      !areDaysMissing,
      'Single days could not be read, or their sums are not those of the period: it is judged by its sums, and shares that changed while the traffic itself changed mislead it.',
    ),
    ...(leftOut.changed.length > 0
      ? [`Left out, since shares had just changed: ${listSome(leftOut.changed)}. Change shares once a week at most.`]
      : []),
    ...lateSales(compared),
    ...unseenPeople(compared),
    ...(losing.length > 0 ? [`A negative revenue, as chargebacks bring about: ${nameSome(losing)}.`] : []),
    ...unless(
      verdict === 'clear',
      `Ask again with start_date ${since}: a first day that moves along makes wrong verdicts likelier.`,
    ),
    'views, conversions, revenue, epv and rate are measured. What ends in _low and _high, chances, costs and what a verdict needs are estimated, pages with little data drawn towards the others.',
  ];
}

/** How late sales come, and what is not in yet. */
function lateSales({ toCome, comparison }: Compared): string[] {
  if (!toCome || toCome.days === 0) return [];
  const { days, part, count } = toCome;
  const { late } = comparison.leftOut;
  return [
    `Sales come late: 95% are in by ${days === 1 ? 'the day' : `${days} days`} after the visit, so that about ${Math.round(part * 100)}% of those from the last ${days === 1 ? 'day' : `${days} days`} (${count} sales) are still to come.`,
    ...(late.length > 0
      ? [
          `${late.length === 1 ? 'That day is' : `The last ${late.length} days are`} measured, and left out of the verdict.`,
        ]
      : []),
  ];
}

/** Clicks per view that differ by this much may be views that are no people's. */
const suspectClicks = 0.1;

/** By so many standard errors. */
const sureClicks = 4;

/** Views of a page that hardly click, though those who click buy as anybody does, may not be people. */
function unseenPeople({ pages, comparison: { leader, rival } }: Compared): string[] {
  const [own, other] = [pages[leader], pages[rival]];
  const assumed =
    'Assumed: every view is a person, since robots look like people who do not buy, and luck of one page rarely lasts for days.';
  if (!own?.clicks || !other?.clicks) return [assumed];
  const [few, many] = [own, other].sort((one, two) => (one.clicks ?? 0) / one.views - (two.clicks ?? 0) / two.views);
  if (!few?.clicks || !many?.clicks) return [assumed];
  const [low, high] = [few.clicks / few.views, many.clicks / many.views];
  const error = Math.sqrt((low * (1 - low)) / few.views + (high * (1 - high)) / many.views);
  if (!(low < high * (1 - suspectClicks) && high - low > sureClicks * error)) return [assumed];
  const percent = (part: number) => `${roundTo(part * 100, 2)}%`;
  return [
    assumed,
    `Of the views of ${JSON.stringify(shortName(few.name))} ${percent(low)} click, of those of ${JSON.stringify(shortName(many.name))} ${percent(high)}; of their clicks ${percent(few.conversions / few.clicks)} and ${percent(many.conversions / many.clicks)} convert. Robots on the first would look like that.`,
  ];
}

function renderText({ query, decision, pages, others, calls, notices }: ComparisonResult): string {
  const currency = currencyOf(query);
  const money = (name: string) => (currency === undefined ? name : `${name} (${currency})`);
  const isEarly = decision.verdict === 'too early' && calls.length === 0;
  const measured = pages.map(({ page_id, name, share, views, conversions, revenue, epv, rate }) =>
    [page_id ?? '', name, share ?? '', views, conversions, revenue, epv, rate].join('\t'),
  );
  const estimated = pages.map((page) =>
    [
      page.name,
      `${page.epv_low} to ${page.epv_high}`,
      `${page.rate_low} to ${page.rate_high}`,
      page.probability_best === null ? 'unknown' : coarseChance(page.probability_best).words,
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
    ...(others
      ? [
          `\t${others['pages']} other pages, all behind these\t\t${others['views']}\t${others['conversions']}\t${others['revenue']}`,
        ]
      : []),
    '',
    'Estimated, with 95% intervals',
    `name\t${money('epv')}\tconversions per view in percent\tchance to be best${isEarly ? '' : '\trecommended share'}`,
    ...estimated,
    '',
    ...calls.map(({ tool, arguments: given }) => `${tool} ${JSON.stringify(given)}`),
    ...notices,
  ].join('\n');
}
