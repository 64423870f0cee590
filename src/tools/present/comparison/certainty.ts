import { moneyInWords } from '../../../analysis/columns/formats.ts';
import type { BreakEven, DecisiveSale } from '../../../analysis/statistics/basis.ts';
import type { Comparison, Obstacle } from '../../../analysis/statistics/compare-pages.ts';
import type { Decision } from './comparison-output.ts';

/** A chance as exactly as it is known. */
export interface CoarseChance {
  readonly value: number;
  /** Such as “about 4 in 5”. */
  readonly words: string;
}

/** Chances as people say them: from one on it is called so. */
const chances: readonly (CoarseChance & { readonly from: number })[] = [
  { from: 0.99, value: 0.99, words: 'more than 99 in 100' },
  { from: 0.97, value: 0.98, words: 'about 49 in 50' },
  { from: 0.925, value: 0.95, words: 'about 19 in 20' },
  { from: 0.85, value: 0.9, words: 'about 9 in 10' },
  { from: 0.775, value: 0.8, words: 'about 4 in 5' },
  { from: 0.71, value: 0.75, words: 'about 3 in 4' },
  { from: 0.58, value: 0.67, words: 'about 2 in 3' },
  { from: 0.42, value: 0.5, words: 'about 1 in 2' },
  { from: 0.29, value: 0.33, words: 'about 1 in 3' },
  { from: 0.225, value: 0.25, words: 'about 1 in 4' },
  { from: 0.15, value: 0.2, words: 'about 1 in 5' },
  { from: 0.075, value: 0.1, words: 'about 1 in 10' },
  { from: 0.03, value: 0.05, words: 'about 1 in 20' },
  { from: 0.01, value: 0.02, words: 'about 1 in 50' },
];

/** What a chance of 0 to 1 is called: 0.798 is “about 4 in 5”. */
export function coarseChance(chance: number): CoarseChance {
  return chances.find(({ from }) => chance >= from) ?? { value: 0, words: 'less than 1 in 100' };
}

/** A lead in percent, and the range that it may lie in. */
export function leadInWords({ percent, low, high }: Comparison['lead']): string {
  const soFar = percent === null ? '' : `${moreOrLess(percent)} so far, `;
  if (high !== null) return `${soFar}between ${moreOrLess(low)} and ${moreOrLess(high)}`;
  return `${soFar}${low > 0 ? `${moreOrLess(low)} at least` : `anything from ${moreOrLess(low)} upwards`}`;
}

/** What money says where conversions decide. */
export function breakEvenInWords({ percent, soFarPercent }: BreakEven): string {
  if (percent <= 0) return 'It does not convert more than that page, whatever either pays.';
  const soFar = soFarPercent === null ? '' : `; so far they pay ${moreOrLess(soFarPercent)}`;
  return `It also earns more unless its conversions pay ${Math.round(percent)}% less${soFar}.`;
}

/** Why it cannot be said what a verdict takes. */
const obstacles: Readonly<Record<Obstacle, string>> = {
  'steady shares': 'sums of changed shares say nothing of the lead',
  'common days': 'the pages have not had traffic on the same day',
  'no sales': 'there are no conversions yet',
  'no lead': 'so far no page is ahead of the other',
  'money behind': 'so far another page earns more though it converts less',
  'small lead': 'a lead this small is never told from chance',
};

/** Undefined if it can be said. */
export function whyNotNeeded({ obstacle }: Comparison['needed']): string | undefined {
  return obstacle && obstacles[obstacle];
}

/** What to wait for, or why that is not known. */
export function neededInWords(needed: Comparison['needed']): string {
  const { ifLeadStays: stays, ifLeadHalves: halves } = needed;
  if (!stays) return `What it takes cannot be said: ${whyNotNeeded(needed)}.`;
  const [low, high] = [stays.low, stays.high].map(inTime);
  const range = low === high ? '' : `; 8 in 10 such cases take between ${low} and ${high}`;
  const later = halves ? `, ${inTime(halves.days)} if it halves` : '';
  return `Wait for about ${roundTo(stays.views, 2)} more views (${inTime(stays.days)} at today’s traffic${range}) if the lead stays${later}.`;
}

const daysOfYear = 365;

/** A forecast is no count: two digits say all of it. */
function inTime(days: number): string {
  if (days >= 2 * daysOfYear) return `${roundTo(days / daysOfYear, 2)} years`;
  return days === 1 ? '1 day' : `${roundTo(days, 2)} days`;
}

/** A sale without which the lead would not be half of what it is. */
export function saleInWords({ amount, leadWithout }: DecisiveSale, page: string, currency: string | undefined): string {
  const sale = `One sale of ${moneyInWords(amount, currency)} makes this lead`;
  return leadWithout === null
    ? `${sale}: it is most of what ${page} has earned.`
    : `${sale}: without it, ${page} has earned ${moreOrLess(leadWithout)} per view.`;
}

/** What it costs to wait, and what not to. */
export function costsInWords(
  {
    basis,
    name,
    waiting_cost_per_day,
    risk_today_per_day,
  }: Pick<Decision, 'basis' | 'name' | 'waiting_cost_per_day' | 'risk_today_per_day'>,
  currency: string | undefined,
): string {
  const amount = (value: number) => (basis === 'money' ? moneyInWords(value, currency) : `${value} conversions`);
  const page = JSON.stringify(name);
  return `Estimated: today’s split gives away ${amount(waiting_cost_per_day)} a day against ${page} alone; all traffic to ${page} would risk ${amount(risk_today_per_day)} a day, since another may be better.`;
}

function moreOrLess(percent: number): string {
  return `${Math.abs(wholePercent(percent))}% ${percent < 0 ? 'less' : 'more'}`;
}

/** A percentage without decimals, but for one so small that it would look like none. */
export function wholePercent(percent: number): number {
  return Math.abs(percent) < 1 ? Math.round(percent * 10) / 10 : Math.round(percent);
}

/** A number to so many digits. */
export function roundTo(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
