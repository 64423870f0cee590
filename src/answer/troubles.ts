import { amountInWords, countInWords, joinSome, numberInWords } from '../api/rules.ts';
import { doubledInWords } from './change-notes.ts';
import type { Group } from './findings.ts';
import { type Brought, sayBrought } from './outcomes.ts';
import { dayInWords, nameOf, quote } from './words.ts';

/** The kinds of trouble that a review finds. `{visits}` is replaced by a figure, `{what}` by the page, offer or placement. */
const words = {
  account_dark:
    '{campaigns} of {with_traffic} campaigns with traffic went dark at once: {visits} visits in the last hours, in which {usual_visits} are usual',
  campaign_dark: 'got {visits} visits in {hours}, in which {usual_visits} are usual',
  visits_stopped: '{what} {visits} visits in {hours}, in which {usual_visits} are usual, though those of others go on',
  sales_stopped: '{what} clicks go on, sales stopped: {sales}, {expected_sales} expected',
  page_without_clicks: '{what} {visits} visits, {clicks} clicks in {hours}, {expected_clicks} expected',
  clicks_stopped: '{what} visits go on, clicks stopped: {clicks} of {visits} visits, {expected_clicks} expected',
  clicks_fell:
    '{what} {fewer} of its visits click, and of others no fewer: {clicks} clicks of {visits} visits in {days}, {expected_clicks} expected',
  clicks_declined:
    '{what} fewer of its visits click each day, and of others no fewer: {percent_before}% {days} ago, {percent_that_click}% now',
  click_rate_fell:
    'fewer of its visits click: {clicks} clicks of {visits} visits in {days}, {expected_clicks} expected',
  sales_fell:
    '{what} {fewer} of its clicks sell{others}: {sales} sales of {clicks} clicks in {days}, {expected_sales} expected',
  loses_money: 'cost {cost} and earned {revenue} in {days}, by {sales} sales{rise}',
  burning_placement:
    '{what} cost {cost} and earned {revenue} in {days} ({clicks} clicks, {sales} sales{of_expected}){rise}',
  clicks_of_no_people:
    '{what} {clicks} of {visits} visits click, {sales} buy, {expected_sales} expected: probably bots',
  payout_fell: '{what} pays {payout} a sale instead of {payout_before}',
  payout_rose: '{what} pays {payout} a sale instead of {payout_before}{times}',
  sales_counted_twice:
    '{what} each sale counts as {conversions_of_sale} conversions instead of {conversions_before}: a pixel or postback may fire twice',
  cost_missing:
    '{what} no cost for {visits} visits in {hours}, usually {usual_cost_a_day} a day, so profit looks too high',
  cost_odd:
    'a visit cost {cost_a_visit} instead of {usual_cost_a_visit} for {hours}, and then as before: {visits} visits, {cost} of the {cost_of_days} that the last {days} cost',
  cost_rose:
    '{what} a visit costs {cost_a_visit} instead of {usual_cost_a_visit}: {visits} visits in {days}; visits a day {usual_visits_a_day} before and {visits_a_day} since, profit a day {usual_profit_a_day} and {profit_a_day}',
  visits_grew_unsold:
    '{usual_visits_a_day} visits a day grew to {visits_a_day} and sell no more: {sales} in {days}, {expected_sales} expected',
  page_behind:
    '{what} sells less than other pages and still gets traffic: {sales} sales of {visits} visits, {expected_sales} expected',
  changed_elsewhere:
    '{what} gets {percent_of_visits}% of the visits instead of {percent_before}%, and this server changed nothing{brought}',
  decisive_sale:
    'one sale of {amount} decides the last {days}: without it their revenue is {revenue_without} and profit {profit_without}',
  page_held_back:
    '{what} earns surely more than the others and gets {percent_of_visits}% of the visits: {sales} sales of {visits} visits, {expected_sales} if it were like them',
  placement_held_back:
    '{what} earns surely more than the others and is {percent_of_visits}% of the visits: cost {cost} and earned {revenue} in {days}, by {sales} sales',
  campaign_held_back:
    'cost {cost} and earned {revenue} in {days}, by {sales} sales, with only {visits_a_day} visits a day',
  campaign_capped:
    'costs the same each day, {cost_a_day}{until}, as a daily budget makes it: cost {cost} and earned {revenue} in {days}, by {sales} sales',
} as const;

export type TroubleKind = keyof typeof words;

/** The figures before and after, where one changed. */
export const changedFigures: Readonly<Partial<Record<TroubleKind, readonly [before: string, after: string]>>> = {
  account_dark: ['usual_visits', 'visits'],
  campaign_dark: ['usual_visits', 'visits'],
  visits_stopped: ['usual_visits', 'visits'],
  sales_stopped: ['expected_sales', 'sales'],
  page_without_clicks: ['expected_clicks', 'clicks'],
  clicks_stopped: ['expected_clicks', 'clicks'],
  clicks_fell: ['expected_clicks', 'clicks'],
  clicks_declined: ['percent_before', 'percent_that_click'],
  click_rate_fell: ['expected_clicks', 'clicks'],
  sales_fell: ['expected_sales', 'sales'],
  clicks_of_no_people: ['expected_sales', 'sales'],
  payout_fell: ['payout_before', 'payout'],
  payout_rose: ['payout_before', 'payout'],
  sales_counted_twice: ['conversions_before', 'conversions_of_sale'],
  cost_missing: ['usual_cost_a_day', 'cost_a_day'],
  loses_money: ['usual_cost_a_visit', 'cost_a_visit'],
  burning_placement: ['usual_cost_a_visit', 'cost_a_visit'],
  cost_odd: ['usual_cost_a_visit', 'cost_a_visit'],
  cost_rose: ['usual_cost_a_visit', 'cost_a_visit'],
  visits_grew_unsold: ['expected_sales', 'sales'],
  page_behind: ['expected_sales', 'sales'],
  changed_elsewhere: ['percent_before', 'percent_of_visits'],
};

const doubtful: ReadonlySet<TroubleKind> = new Set([
  'payout_rose',
  'sales_counted_twice',
  'cost_missing',
  'cost_odd',
  'decisive_sale',
]);

const opportunities: ReadonlySet<TroubleKind> = new Set([
  'page_held_back',
  'placement_held_back',
  'campaign_held_back',
  'campaign_capped',
]);

export const groupOfTrouble = (kind: TroubleKind): Group =>
  opportunities.has(kind) ? 'opportunity' : doubtful.has(kind) ? 'doubtful' : 'costs';

/** What a finding is about: a value of a dimension, which may be a token with a name of its own, within one of another. */
export interface NamedValue {
  readonly dimension: string;
  readonly isToken: boolean;
  readonly value: string;
  readonly within?: { readonly dimension: string; readonly value: string } | undefined;
}

/** `landing page “Quiz” on device “Phone”` */
function sayValue({ dimension, isToken, value, within }: NamedValue): string {
  if (dimension === 'hour') return `in hours ${value}`;
  const name = `${isToken ? nameOf(dimension) : dimension} ${nameOf(value, 60)}`;
  if (within?.dimension === 'hour') return `${name} in hours ${within.value}`;
  return within
    ? `${name} ${within.dimension === 'country' ? 'in' : 'on'} ${within.dimension} ${nameOf(within.value, 60)}`
    : name;
}

interface Found {
  readonly kind: TroubleKind;
  readonly figures: Readonly<Record<string, number>>;
  /** Undefined if it is about a whole campaign. */
  readonly what: NamedValue | undefined;
  /** Other values with the same visits, or largely so. */
  readonly alike: readonly NamedValue[];
  readonly isSame: boolean;
  /** Other values with the same cause. */
  readonly together: readonly (Pick<Found, 'figures'> & { readonly what: NamedValue })[];
  /** The placement that nearly all its visits are from. */
  readonly placement: NamedValue | undefined;
  /** The names of its campaigns; none if it is about the account. */
  readonly campaigns: readonly string[];
  /** How many others are like it. */
  readonly others: number;
  /** What moved shares bring. */
  readonly brought: Brought | undefined;
}

/** Campaigns that are named in a finding about several. */
const maxNamed = 5;

/** What a review found, with the name of the campaign. */
export function sayTrouble(found: Found): string {
  const { kind, figures, what, alike, isSame, together, placement, campaigns, others, brought } = found;
  const same =
    (alike.length > 0 ? ` (${isSame ? '' : 'largely '}the same visits: ${alike.map(sayValue).join(', ')})` : '') +
    (placement ? ` (nearly all from ${sayValue(placement)})` : '');
  const text = words[kind].replace(/\{(\w+)\}( sales| visits| clicks)?/g, (_, name: string, unit = '') => {
    if (name === 'times') return doubledInWords(figures['payout_before'] ?? 0, figures['payout'] ?? 0);
    if (name === 'fewer') return figures[changedFigures[kind]?.[1] ?? ''] === 0 ? 'none' : 'fewer';
    if (name === 'rise') return sayRise(figures);
    if (name === 'of_expected')
      return 'expected_sales' in figures ? `, ${showFigure('expected_sales', figures['expected_sales'])} expected` : '';
    if (name === 'until') return figures['last_hour'] === 23 ? '' : ` by ${(figures['last_hour'] ?? 0) + 1}:00`;
    if (name === 'others') return what ? ', and of others no fewer' : '';
    if (name === 'brought') return brought ? `; ${sayBrought(brought)}` : '';
    if (name === 'what') return (what ? `${sayValue(what)}${same}:` : '') + unit;
    const figure = showFigure(name, figures[name] ?? 0);
    return figure + (figure === '1' ? unit.slice(0, -1) : unit);
  });
  const [before = '', after = ''] = changedFigures[kind] ?? [];
  const alsoSo = together.map(
    ({ what: other, figures: own }) =>
      `; so does ${sayValue(other)}, ${showFigure(after, own[after] ?? 0)} instead of ${showFigure(before, own[before] ?? 0)}`,
  );
  const names = campaigns.map((name) => quote(name, 60));
  const [head, shared] =
    names.length > 1 ? ['', `; in ${joinSome(names, maxNamed)}`] : [names.map((name) => `${name}: `).join(''), ''];
  return `${head}${text.trim()}${alsoSo.join('')}${shared}${others > 0 ? `; and ${others} more like it` : ''}`;
}

/** What a visit costs, if that rose, and what it would have earned at the old price. */
function sayRise(figures: Found['figures']): string {
  const { cost_a_visit: now, usual_cost_a_visit: before, earned_before_rise: earned = 0 } = figures;
  if (now === undefined || before === undefined) return '';
  const [price, usual] = [now, before].map((cost) => showFigure('cost_a_visit', cost));
  const atUsual = earned > 0 ? `, at which it would have earned ${showFigure('earned_before_rise', earned)}` : '';
  return `; a visit costs ${price} instead of ${usual}${atUsual}`;
}

const money: ReadonlySet<string> = new Set([
  'cost',
  'revenue',
  'cost_a_day',
  'cost_of_days',
  'profit_a_day',
  'usual_profit_a_day',
  'usual_cost_a_day',
  'payout',
  'payout_before',
  'amount',
  'revenue_without',
  'profit_without',
  'earned_before_rise',
]);

/** Amounts of less than a cent count. */
const ofVisits: ReadonlySet<string> = new Set(['cost_a_visit', 'usual_cost_a_visit']);

function showFigure(name: string, figure: number): string {
  // What a visit costs may be less than a cent.
  if (money.has(name) || (ofVisits.has(name) && figure >= 0.1)) return amountInWords(figure);
  if (name === 'days') return countInWords(figure, 'day');
  if (name === 'hours')
    return figure > 24 && figure % 24 === 0 ? countInWords(figure / 24, 'day') : countInWords(figure, 'hour');
  return numberInWords(roundFigure(name, figure));
}

/** Expected figures are estimates, so they get two digits. */
export function roundFigure(name: string, figure: number): number {
  if (money.has(name)) return Math.round(figure * 100) / 100;
  if (ofVisits.has(name)) return Number(figure.toPrecision(3));
  return name.startsWith('expected') ? Number(figure.toPrecision(2)) : Math.round(figure);
}

/** `Sun 22 Nov 14:00` of `2026-11-22 14:00` */
export const sayBeginning = (began: string): string => `${dayInWords(began.slice(0, 10))}${began.slice(10)}`;

/** Smaller chances make no difference to a reader. */
const minChance = 1e-6;

/** How likely chance alone makes a finding; 0 if that cannot be. */
export const sayChance = (chance: number): string =>
  chance === 0 ? 'no chance' : chance < minChance ? 'under 1 in 1 million' : oneIn(chance);

/** `1 in 50,000` */
const oneIn = (chance: number): string => `1 in ${Number((1 / chance).toPrecision(1)).toLocaleString('en-US')}`;
