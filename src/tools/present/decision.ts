import type { PageRow } from '../../analysis/page-rows.ts';
import type { SalesToCome } from '../../analysis/sale-delay.ts';
import type { BreakEven, DecisiveSale } from '../../analysis/statistics/basis.ts';
import type { Comparison, Obstacle } from '../../analysis/statistics/compare-pages.ts';
import type { Forecast } from '../../analysis/statistics/evidence.ts';
import { sum } from '../../analysis/statistics/history.ts';
import { splitShares } from '../../analysis/statistics/shares.ts';
import type { Lack } from '../../analysis/statistics/verdict.ts';
import type { Valuation } from '../../analysis/valued-sales.ts';
import { moneyInWords } from '../../answer/in-views.ts';
import type { Note, NoteOf, Notice } from '../../answer/notes.ts';
import { maxWait, timeInWords } from '../../answer/page-notes.ts';
import { countInWords } from '../../api/rules.ts';
import type { JsonRecord, Query } from '../define-tool.ts';
import { nameSome, shortName } from './cells.ts';
import type { Headline } from './for-views.ts';

export interface Compared {
  readonly query: Query;
  /** The first day, YYYY-MM-DD. */
  readonly since: string;
  /** In the order of the comparison's pages. */
  readonly pages: readonly PageRow[];
  readonly comparison: Comparison;
  /** The same by the number of conversions alone. */
  readonly byConversions: Comparison;
  /** Whether single days were needed, and could not be read or did not add up. */
  readonly areDaysMissing: boolean;
  /** Undefined if the list does not show how late sales come. */
  readonly toCome: SalesToCome | undefined;
  /** Pages whose sales are valued at another payout than they had. */
  readonly valuations?: ReadonlyMap<PageRow, Valuation>;
  /** The currency code of money, if known. */
  readonly currency: string | undefined;
  readonly notices: readonly Notice[];
}

/** Chances in everyday words; `from` is the lower bound of each. */
const chances: readonly { readonly from: number; readonly words: string }[] = [
  { from: 0.99, words: 'more than 99 in 100' },
  { from: 0.97, words: 'about 49 in 50' },
  { from: 0.925, words: 'about 19 in 20' },
  { from: 0.85, words: 'about 9 in 10' },
  { from: 0.775, words: 'about 4 in 5' },
  { from: 0.71, words: 'about 3 in 4' },
  { from: 0.58, words: 'about 2 in 3' },
  { from: 0.42, words: 'about 1 in 2' },
  { from: 0.29, words: 'about 1 in 3' },
  { from: 0.225, words: 'about 1 in 4' },
  { from: 0.15, words: 'about 1 in 5' },
  { from: 0.075, words: 'about 1 in 10' },
  { from: 0.03, words: 'about 1 in 20' },
  { from: 0.01, words: 'about 1 in 50' },
];

/** The words for a chance of 0 to 1: 0.798 is “about 4 in 5”. */
function chanceInWords(chance: number): string {
  return chances.find(({ from }) => chance >= from)?.words ?? 'less than 1 in 100';
}

/** A cell of a table of chances, which are whole percentages over 100 that add up to 1: never 0% or 100%. */
export function chanceInPercent(chance: number | null): string {
  if (chance === null) return 'unknown';
  return chance <= 0 ? '<1%' : chance >= 1 ? '>99%' : `${Math.round(chance * 100)}%`;
}

const lackWords: Readonly<Record<Lack, string>> = {
  evidence: 'a lead too large to be chance',
  days: 'five days with traffic for both',
  'common days': 'days on which all pages had traffic',
  'steady shares': 'single days that add up, because shares must have changed within the period',
  'agreement of money': 'a lead in money too, by more than chance, because a page that converts less may earn more',
  'one order in all parts': 'the same leader in all parts of the traffic: in each part a different page earns more',
  'late sales': 'days whose sales are all in, and that do not follow a change of shares',
};

const obstacleWords: Readonly<Record<Obstacle, string>> = {
  'steady shares': 'shares changed, so the sums do not show the lead',
  'common days': 'the pages have not had traffic on the same day',
  'no sales': 'there are no conversions yet',
  'no lead': 'so far no page is ahead of the other',
  'money behind': 'so far a page that converts less earns more',
  'small lead': 'a lead this small cannot be told from chance',
};

/** Which page is ahead, how far, how certain that is, and what is still missing; its headline is for views. */
export function decide(compared: Compared) {
  const { pages, comparison, since } = compared;
  const { verdict, basis, leader, runnerUp, weakest, lead, needed, breakEven, decisiveSale } = comparison;
  const page = pages[leader];
  const over = pages[runnerUp];
  const hardest = pages[weakest];
  if (!page || !over || !hardest) throw new TypeError('a page was not compared');
  const obstacle = needed.obstacle && obstacleWords[needed.obstacle];
  return {
    kind: verdict === 'clear' ? ('leader' as const) : ('no decision yet' as const),
    verdict,
    basis,
    page_id: page.pageId,
    name: shortName(page.name),
    ...describeDecision(compared, page, over, hardest, obstacle),
    evidence_percent: Math.floor(comparison.evidencePercent),
    lead: {
      over: shortName(over.name),
      over_page_id: over.pageId,
      percent: roundPercent(lead.percent),
      low: roundPercent(lead.low),
      high: roundPercent(lead.high),
      ...(decisiveSale
        ? {
            decisive_sale: roundTo(decisiveSale.amount, 12),
            percent_without_it: roundPercent(decisiveSale.leadWithout),
          }
        : {}),
    },
    ...(breakEven
      ? {
          break_even: {
            pays_less_percent: roundPercent(breakEven.percent),
            so_far_percent: roundPercent(breakEven.soFarPercent),
          },
        }
      : {}),
    ...(verdict === 'clear'
      ? {}
      : {
          needed: {
            if_lead_stays: presentForecast(needed.ifLeadStays) ?? obstacle ?? null,
            if_lead_halves: presentForecast(needed.ifLeadHalves),
            ...(hardest === over ? {} : { over: shortName(hardest.name) }),
          },
        }),
    waiting_cost_per_day: roundAmount(comparison.waitingCostPerDay),
    risk_today_per_day: roundAmount(comparison.riskPerDay),
    since,
    days: comparison.dayCount,
  };
}

function describeDecision(
  { pages, comparison, currency }: Compared,
  page: PageRow,
  over: PageRow,
  hardest: PageRow,
  obstacle: string | undefined,
): { text: string; headline: Headline } {
  const { verdict, basis, lacks, needed, breakEven, decisiveSale, lead, leader, whyNoChance } = comparison;
  const { views, conversions, revenue } = page;
  if (needed.obstacle === 'no sales') return decided(() => 'No decision yet', ['there are no conversions so far.']);
  const chanceOf = (page: number) => comparison.pages[page]?.chance ?? 0;
  const behind = comparison.behind.flatMap((page) => pages[page]?.name ?? []);
  const likelier = pages.filter((_, page) => chanceOf(page) > chanceOf(leader)).map((row) => row.name);
  const [verb, measured] =
    basis === 'money'
      ? ['earns', `${moneyInWords(roundTo(revenue / views, 3), currency)} per view`]
      : ['converts', `${roundTo((conversions / views) * 100, 3)} conversions per 100 views`];
  const name = JSON.stringify(shortName(page.name));
  const verdictOn = {
    clear: (page: string) => `${page} ${verb} most`,
    leaning: (page: string) => `No decision yet, leaning to ${page}`,
    'too early': () => 'No decision yet',
  }[verdict];
  const ahead = (lead.percent ?? 0) < 0 ? 'expected to be ahead, though not so far,' : 'ahead';
  const start = verdict === 'too early' ? `${name} is ${ahead} with ${measured}` : measured;
  const stillNear = hardest === over ? '' : ` over ${JSON.stringify(shortName(hardest.name))}`;
  const missing = lacks.map((lack) => lackWords[lack]);
  return decided(verdictOn, [
    ...(whyNoChance === 'steady shares'
      ? [`${start}. Shares changed, so the sums do not show which is best.`]
      : whyNoChance === 'few conversions'
        ? [`${start}, from ${countInWords(conversions, 'conversion')}: too few for a percentage or a chance.`]
        : [
            `${start}, best with a chance of ${chanceInWords(chanceOf(leader))}.`,
            ...(likelier.length > 0 ? [`By the payouts so far, more may be earned with ${nameSome(likelier)}.`] : []),
            `Against ${JSON.stringify(shortName(over.name))}: ${describeLead(comparison, page, over)}.`,
          ]),
    ...(breakEven ? [describeBreakEven(breakEven)] : []),
    ...(decisiveSale ? [describeSale(decisiveSale, name, currency)] : []),
    ...(behind.length > 0 ? [`Certainly not the best: ${nameSome(behind)}.`] : []),
    ...(verdict === 'clear' ? [] : [`Missing: ${missing.join('; ')}. ${describeNeeded(needed, stillNear, obstacle)}`]),
  ]);

  function decided(verdictOn: (page: string) => string, reasons: readonly string[]) {
    const [name, reason] = [shortName(page.name), reasons.join(' ')];
    return { text: `${verdictOn(JSON.stringify(name))}: ${reason}`, headline: { verdict: verdictOn(name), reason } };
  }
}

/** The lead and its range; a clear verdict shows that the range holds under daily looks. */
function describeLead(comparison: Comparison, page: PageRow, over: PageRow): string {
  const { percent, low, high } = comparison.lead;
  const soFar = percent === null ? [] : [`${moreOrLess(percent)} ${describeUsedDays(comparison, page, over)}`];
  const range = low === null ? [] : [describeRange(low, high)];
  return `${[...soFar, ...range].join(', ')}${comparison.verdict === 'clear' ? '' : ', however often you ask'}`;
}

function describeRange(low: number, high: number | null): string {
  if (high !== null) return `between ${moreOrLess(low)} and ${moreOrLess(high)}`;
  return low > 0 ? `${moreOrLess(low)} at least` : `anything from ${moreOrLess(low)} upwards`;
}

/** The days of the lead, with the lead as measured on all days, if some are left out of the verdict. */
function describeUsedDays({ basis, dayCount, leftOut, lacks }: Comparison, page: PageRow, over: PageRow): string {
  const leftOutCount = new Set([...leftOut.changed, ...leftOut.late]).size;
  if (leftOutCount === 0 || lacks.includes('late sales')) return 'so far';
  const worth = ({ views, conversions, revenue }: PageRow) => (basis === 'money' ? revenue : conversions) / views;
  const measured = (worth(page) / worth(over) - 1) * 100;
  const onAll = Number.isFinite(measured) ? ` (${moreOrLess(measured)} on all ${dayCount + leftOutCount})` : '';
  return `on the ${countInWords(dayCount, 'day')} that the verdict uses${onAll}`;
}

/** What a lead in conversions means in money. */
function describeBreakEven({ percent, soFarPercent }: BreakEven): string {
  if (percent <= 0) return 'It does not convert more than that page, whatever either pays.';
  const soFar = soFarPercent === null ? '' : `; so far they pay ${moreOrLess(soFarPercent)}`;
  return `It also earns more unless its conversions pay ${Math.round(percent)}% less${soFar}.`;
}

function describeSale({ amount, leadWithout }: DecisiveSale, page: string, currency: string | undefined): string {
  const sale = `One sale of ${moneyInWords(amount, currency)} makes this lead`;
  return leadWithout === null
    ? `${sale}: it is most of what ${page} has earned.`
    : `${sale}: without it, ${page} has earned ${moreOrLess(leadWithout)} per view.`;
}

/** @param over which page the lead is over, if that is not the runner-up */
function describeNeeded(
  { ifLeadStays: stays, ifLeadHalves: halves }: Comparison['needed'],
  over: string,
  obstacle?: string,
): string {
  if (!stays) return `What it takes is unknown: ${obstacle}.`;
  if (stays.days > maxWait) return `No verdict can come ${tooLong}, even if the lead${over} stays.`;
  const [low, high] = [stays.low, stays.high].map(timeInWords);
  const range = low === high ? '' : `; 8 in 10 such cases take between ${low} and ${high}`;
  const later = halves ? `, ${timeInWords(halves.days)} if it halves` : '';
  return `Wait for about ${roundTo(stays.views, 2)} more views (${timeInWords(stays.days)} at today’s traffic${range}) if the lead${over} stays${later}.`;
}

const tooLong = 'within a year at today’s traffic';

function moreOrLess(percent: number): string {
  return `${Math.abs(roundPercent(percent))}% ${percent < 0 ? 'less' : 'more'}`;
}

/** Without decimals, unless the percentage is so small that it would look like 0. */
function roundPercent<Percent extends number | null>(percent: Percent): Percent extends number ? number : number | null;
function roundPercent(percent: number | null): number | null {
  if (percent === null) return null;
  return Math.abs(percent) < 1 ? Math.round(percent * 10) / 10 : Math.round(percent);
}

/** An estimate has two digits, and no fractions of a cent. */
function roundAmount(amount: number): number {
  return roundTo(Math.round(amount * 100) / 100, 2);
}

export function presentForecast(forecast: Forecast | null): Record<string, number> | string | null {
  if (!forecast) return null;
  if (forecast.days > maxWait) return `not ${tooLong}`;
  const { views, days, low, high } = forecast;
  return { views: roundTo(views, 2), days: roundTo(days, 2), days_low: roundTo(low, 2), days_high: roundTo(high, 2) };
}

export function roundTo(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

export type Call = Readonly<{ tool: string; arguments: JsonRecord }>;

interface RecommendedPage {
  readonly page_id: string | null;
  readonly name: string;
  readonly share: number | null;
  readonly recommended_share: number;
}

/** The calls that would set the recommended shares, or why there are none. */
export function recommendShares(
  { campaign_id, tracker }: Query,
  pages: readonly RecommendedPage[],
  { verdict, lacks, behind }: Comparison,
): { calls: readonly Call[]; notices: readonly Note[] } {
  const none = (note: Note) => ({ calls: [], notices: [note] });
  if (verdict === 'too early' && behind.length === 0) return none({ code: 'leave-shares', because: 'too early' });
  const obstacle = whyNoCalls(pages);
  if (obstacle) return none(obstacle);
  const present = pages.map(({ share }) => share);
  const recommended = pages.map(({ recommended_share }) => recommended_share);
  const split = splitShares(present, recommended);
  const shares = split ?? recommended;
  const total = sum(shares);
  // A change of less than a hundredth of the traffic is not worth a write.
  if (split?.every((share, index) => Math.abs(share - (present[index] ?? 0)) < total / 100))
    return none({ code: 'leave-shares', because: verdict === 'leaning' ? 'less than a percent' : 'as recommended' });
  const changed = pages.flatMap(({ page_id }, index) => {
    const share = shares[index] ?? 0;
    return split && share === present[index] ? [] : [{ page_id: Number(page_id), share }];
  });
  const campaign = { ...(tracker === undefined ? {} : { tracker }), campaign_id: Number(campaign_id) };
  const rounded = roundTo(total, 6);
  return {
    calls: [{ tool: 'set_shares', arguments: { ...campaign, shares: changed } }],
    notices: [
      ...(split && rounded !== 100 ? [{ code: 'shares-add-up', total: rounded } as const] : []),
      ...(verdict === 'too early' ? [{ code: 'call-leaves-split' } as const] : []),
      ...(verdict !== 'too early' && lacks.length > 0 ? [{ code: 'call-is-no-verdict' } as const] : []),
    ],
  };
}

/** Why no calls can be given. Calls for only some of the pages would split the traffic in a way that is not recommended. */
function whyNoCalls(pages: readonly RecommendedPage[]): Note | undefined {
  const ids = pages.map(({ page_id }) => page_id);
  const because = (why: NoteOf<'no-calls'>['because'], isMeant: (id: string | null) => boolean = () => false): Note => {
    const meant = pages.filter(({ page_id }) => isMeant(page_id)).map(({ name }) => name);
    return { code: 'no-calls', because: why, pages: meant };
  };
  if (ids.every((id) => id === null)) return because('no IDs');
  if (ids.includes(null)) return because('an ID is missing', (id) => id === null);
  if (new Set(ids).size < ids.length) return because('same ID');
  const isTooLarge = (id: string | null) => !Number.isSafeInteger(Number(id));
  return ids.some(isTooLarge) ? because('ID too large', isTooLarge) : undefined;
}
