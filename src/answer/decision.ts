import { countInWords } from '../api/rules.ts';
import { moneyInWords } from './in-views.ts';
import { maxWait, timeInWords } from './page-notes.ts';
import { inQuotes, listSome } from './words.ts';

type ComparedPage = {
  readonly name: string;
  readonly views: number;
  readonly conversions: number;
  readonly revenue: number;
  /** The chance to be the best page. */
  readonly chance: number;
};

type MoreViews = { readonly views: number; readonly days: number; readonly low: number; readonly high: number };

/** Which page is ahead, how certain that is, and what is missing. */
type Decision = {
  readonly verdict: 'clear' | 'leaning' | 'too early';
  readonly basis: 'money' | 'conversions';
  readonly currency: string | undefined;
  readonly page: ComparedPage;
  /** The page that the lead is over, and the one against which the evidence is weakest. */
  readonly over: ComparedPage;
  readonly hardest: ComparedPage;
  /** Pages with a better chance than the one ahead, and those that are certainly not the best. */
  readonly likelier: readonly string[];
  readonly behind: readonly string[];
  /** In percent. */
  readonly lead: { readonly percent: number | null; readonly low: number | null; readonly high: number | null };
  readonly lacks: readonly Lack[];
  readonly whyNoChance: 'steady shares' | 'few conversions' | undefined;
  readonly needed: {
    readonly ifLeadStays: MoreViews | null;
    readonly ifLeadHalves: MoreViews | null;
    readonly obstacle: Obstacle | undefined;
  };
  readonly breakEven: { readonly percent: number; readonly soFarPercent: number | null } | undefined;
  readonly decisiveSale: { readonly amount: number; readonly leadWithout: number | null } | undefined;
  /** The days that the verdict uses, and those that it leaves out. */
  readonly dayCount: number;
  readonly daysLeftOut: number;
};

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
function likelihood(chance: number): string {
  return chances.find(({ from }) => chance >= from)?.words ?? 'less than 1 in 100';
}

/** A cell of a table of chances, which are whole percentages over 100 that add up to 1: never 0% or 100%. */
export function chanceInPercent(chance: number | null): string {
  if (chance === null) return 'unknown';
  return chance <= 0 ? '<1%' : chance >= 1 ? '>99%' : `${Math.round(chance * 100)}%`;
}

type Lack = keyof typeof lackWords;

const lackWords = {
  evidence: 'a lead too large to be chance',
  days: 'five days with traffic for both',
  'common days': 'days on which all pages had traffic',
  'steady shares': 'single days that add up, because shares must have changed within the period',
  'agreement of money': 'a lead in money too, by more than chance, because a page that converts less may earn more',
  'one order in all parts': 'the same leader in all parts of the traffic: in each part a different page earns more',
  'late sales': 'days whose sales are all in, and that do not follow a change of shares',
} as const;

/** Why it is not known what a verdict takes. */
type Obstacle = keyof typeof obstacleWords;

export const obstacleWords = {
  'steady shares': 'shares changed, so the sums do not show the lead',
  'common days': 'the pages have not had traffic on the same day',
  'no sales': 'there are no conversions yet',
  'no lead': 'so far no page is ahead of the other',
  'money behind': 'so far a page that converts less earns more',
  'small lead': 'a lead this small cannot be told from chance',
} as const;

/** The decision as a text, and for a headline its verdict, with the name as it is, and the sentences after it. */
export function sayDecision(decision: Decision) {
  const { verdict, basis, lacks, needed, breakEven, decisiveSale, lead, whyNoChance, currency } = decision;
  const { page, over, hardest, likelier, behind } = decision;
  if (needed.obstacle === 'no sales') return decided(() => noDecision, 'there are no conversions so far.');
  // What is decided comes first.
  const isOpen = verdict !== 'clear' && behind.length > 0;
  const [verb, measured] =
    basis === 'money'
      ? ['earns', `${moneyInWords(roundTo(page.revenue / page.views, 3), currency)} per view`]
      : ['converts', `${roundTo((page.conversions / page.views) * 100, 3)} conversions per 100 views`];
  const name = inQuotes(page.name);
  const ahead = (lead.percent ?? 0) < 0 ? 'expected to be ahead, though not so far,' : 'ahead';
  const start = verdict === 'too early' ? `${name} is ${ahead} with ${measured}` : measured;
  const stillNear = hardest === over ? '' : ` over ${inQuotes(hardest.name)}`;
  const reasons = [
    ...(whyNoChance === 'steady shares'
      ? [`${start}. Shares changed, so the sums do not show which is best.`]
      : whyNoChance === 'few conversions'
        ? [`${start}, from ${countInWords(page.conversions, 'conversion')}: too few for a percentage or a chance.`]
        : [
            `${start}, best with a chance of ${likelihood(page.chance)}.`,
            ...(likelier.length > 0 ? [`By the payouts so far, more may be earned with ${listSome(likelier)}.`] : []),
            `Against ${inQuotes(over.name)}: ${sayLead(decision)}.`,
          ]),
    ...(breakEven ? [sayBreakEven(breakEven)] : []),
    ...(decisiveSale ? [saySale(decisiveSale, name, currency)] : []),
    ...(behind.length > 0 && !isOpen ? [`Certainly not the best: ${listSome(behind)}.`] : []),
    ...(verdict === 'clear'
      ? []
      : [`Missing: ${lacks.map((lack) => lackWords[lack]).join('; ')}. ${sayNeeded(needed, stillNear)}`]),
  ];
  const none = isOpen
    ? `${listSome(behind)} ${behind.length === 1 ? 'is' : 'are'} certainly not the best. ${noDecision} between the others`
    : noDecision;
  return decided((name) => verdicts[verdict]({ name, verb, none }), reasons.join(' '));

  function decided(say: (page: string) => string, reason: string) {
    return { text: `${say(inQuotes(page.name))}: ${reason}`, headline: { verdict: say(page.name), reason } };
  }
}

const noDecision = 'No decision yet';

/** What a verdict is made of: the name of a page, what it does most, and that there is no decision. */
type VerdictWords = Readonly<Record<'name' | 'verb' | 'none', string>>;

const verdicts = {
  clear: ({ name, verb }: VerdictWords) => `${name} ${verb} most`,
  leaning: ({ name, none }: VerdictWords) => `${none}, leaning to ${name}`,
  'too early': ({ none }: VerdictWords) => none,
} as const;

/** The lead and its range; a clear verdict shows that the range holds under daily looks. */
function sayLead(decision: Decision): string {
  const { percent, low, high } = decision.lead;
  const soFar = percent === null ? [] : [`${moreOrLess(percent)} ${sayUsedDays(decision)}`];
  const range = low === null ? [] : [sayRange(low, high)];
  return `${[...soFar, ...range].join(', ')}${decision.verdict === 'clear' ? '' : ', however often you ask'}`;
}

function sayRange(low: number, high: number | null): string {
  if (high !== null) return `between ${moreOrLess(low)} and ${moreOrLess(high)}`;
  return low > 0 ? `${moreOrLess(low)} at least` : `anything from ${moreOrLess(low)} upwards`;
}

/** The days of the lead, with the lead as measured on all days, if some are left out of the verdict. */
function sayUsedDays({ basis, dayCount, daysLeftOut, lacks, page, over }: Decision): string {
  if (daysLeftOut === 0 || lacks.includes('late sales')) return 'so far';
  const worth = ({ views, conversions, revenue }: ComparedPage) => (basis === 'money' ? revenue : conversions) / views;
  const measured = (worth(page) / worth(over) - 1) * 100;
  const onAll = Number.isFinite(measured) ? ` (${moreOrLess(measured)} on all ${dayCount + daysLeftOut})` : '';
  return `on the ${countInWords(dayCount, 'day')} that the verdict uses${onAll}`;
}

/** What a lead in conversions means in money. */
function sayBreakEven({ percent, soFarPercent }: NonNullable<Decision['breakEven']>): string {
  if (percent <= 0) return 'It does not convert more than that page, whatever either pays.';
  const soFar = soFarPercent === null ? '' : `; so far they pay ${moreOrLess(soFarPercent)}`;
  return `It also earns more unless its conversions pay ${Math.round(percent)}% less${soFar}.`;
}

function saySale(
  { amount, leadWithout }: NonNullable<Decision['decisiveSale']>,
  page: string,
  currency: string | undefined,
): string {
  const sale = `One sale of ${moneyInWords(amount, currency)} makes this lead`;
  return leadWithout === null
    ? `${sale}: it is most of what ${page} has earned.`
    : `${sale}: without it, ${page} has earned ${moreOrLess(leadWithout)} per view.`;
}

/** @param over which page the lead is over, if that is not the runner-up */
function sayNeeded({ ifLeadStays: stays, ifLeadHalves: halves, obstacle }: Decision['needed'], over: string): string {
  if (!stays) return `What it takes is unknown: ${obstacle && obstacleWords[obstacle]}.`;
  if (stays.days > maxWait) return `No verdict can come ${tooLong}, even if the lead${over} stays.`;
  const [low, high] = [stays.low, stays.high].map(timeInWords);
  const range = low === high ? '' : `; 8 in 10 such cases take between ${low} and ${high}`;
  const later = halves ? `, ${timeInWords(halves.days)} if it halves` : '';
  return `Wait for about ${roundTo(stays.views, 2)} more views (${timeInWords(stays.days)} at today’s traffic${range}) if the lead${over} stays${later}.`;
}

export const tooLong = 'within a year at today’s traffic';

function moreOrLess(percent: number): string {
  return `${Math.abs(roundPercent(percent))}% ${percent < 0 ? 'less' : 'more'}`;
}

/** Without decimals, unless the percentage is so small that it would look like 0. */
export function roundPercent<Percent extends number | null>(
  percent: Percent,
): Percent extends number ? number : number | null;
export function roundPercent(percent: number | null): number | null {
  if (percent === null) return null;
  return Math.abs(percent) < 1 ? Math.round(percent * 10) / 10 : Math.round(percent);
}

export function roundTo(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
