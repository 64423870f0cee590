import {
  type Finding as AccountFinding,
  type Kind,
  pageOnDevice,
  type Suspicion,
  splitPageAndDevice,
} from '../analysis/account-review.ts';
import { isoDay } from '../analysis/columns/times.ts';
import { countInWords } from '../api/rules.ts';
import { fromOutside, mention, quoted, rawText } from '../api/text/tracker-text.ts';
import { extraSlots } from '../api/token-slots.ts';
import type { ListedCampaign } from './campaigns.ts';
import { canCompare } from './compare/read-pages.ts';
import type { CallContext, JsonRecord } from './define-tool.ts';
import { dayInWords } from './period.ts';
import { doubledInWords } from './present/for-views.ts';
import { type TokenLabels, tokenLabels } from './tokens.ts';

/** Something that needs a person, as it is returned. Money is in the currency of the tracker. */
export interface ShownFinding {
  readonly kind: string;
  /** 0 is the whole account. */
  readonly campaign_id: number;
  /** In words, with the campaign's name; text of the tracker is in quotation marks. */
  readonly what: string;
  /** When it began, to the hour, in the tracker's zone: `Sun 22 Nov 14:00`. */
  readonly since: string;
  readonly money_a_day: number;
  /** How likely chance alone causes it: `under 1 in 100,000`; `no chance` if chance plays no part. */
  readonly by_chance: string;
  readonly next: { readonly tool: string; readonly arguments: JsonRecord };
}

export interface Finding extends ShownFinding, Pick<AccountFinding, 'key' | 'missing'> {}

export function shownFinding({ key: _, missing: __, ...shown }: Finding): ShownFinding {
  return shown;
}

/** How a kind of finding is worded, and the call that shows more about it. */
interface KindWords {
  /** `{visits}` is replaced by a figure, `{what}` by the page, offer or placement. */
  readonly text: string;
  readonly next: (about: About, context: CallContext) => Next | Promise<Next>;
}

interface Next {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface About {
  readonly campaign_id: number;
  readonly dimension: string;
  /** The day on which it began, YYYY-MM-DD. */
  readonly since: string;
}

const breakdown =
  (...by: string[]) =>
  ({ campaign_id }: About): Next => ({
    tool: 'get_breakdown',
    arguments: { campaign_id, by, period: 'last_14_days' },
  });

const compare =
  (kind: 'offer' | 'landing'): KindWords['next'] =>
  async (about, context) => {
    const { campaign_id } = about;
    return (await canCompare(campaign_id, kind, context))
      ? { tool: 'compare_pages', arguments: { campaign_id, kind } }
      : breakdown(kind === 'offer' ? 'offer' : 'landing_page')(about);
  };

const words: Readonly<Record<Kind, KindWords>> = {
  account_dark: {
    text: '{campaigns} of {with_traffic} campaigns with traffic went dark at once: {visits} visits in the last hours, usually {usual_visits}',
    next: () => ({ tool: 'get_breakdown', arguments: { by: ['traffic_source', 'day'], period: 'last_7_days' } }),
  },
  campaign_dark: { text: 'got {visits} visits in {hours} hours, usually {usual_visits}', next: breakdown('day') },
  sales_stopped: {
    text: '{what} clicks go on, sales stopped: {sales}, {expected_sales} expected',
    next: ({ campaign_id, since }) => ({ tool: 'explain_change', arguments: { campaign_id, start_date: since } }),
  },
  page_without_clicks: {
    text: '{what} {visits} visits, {clicks} clicks in {hours} hours, {expected_clicks} expected',
    next: ({ campaign_id, dimension }) => ({
      tool: 'get_breakdown',
      arguments: {
        campaign_id,
        by: ['landing_page', dimension === 'landing page' ? 'day' : 'device'],
        period: 'last_7_days',
      },
    }),
  },
  loses_money: {
    text: 'cost {cost} and earned {revenue} in {days}, by {sales} sales',
    next: breakdown('landing_page', 'offer'),
  },
  burning_placement: {
    text: '{what} cost {cost} and earned {revenue} in {days} ({clicks} clicks, {sales} sales)',
    next: (about) => breakdown(about.dimension)(about),
  },
  clicks_of_no_people: {
    text: '{what} {clicks} of {visits} visits click, {sales} buy, {expected_sales} expected: probably robots',
    next: (about) => breakdown(about.dimension, 'hour')(about),
  },
  payout_fell: { text: '{what} pays {payout} a sale instead of {payout_before}', next: compare('offer') },
  payout_rose: {
    text: '{what} pays {payout} a sale instead of {payout_before}{times}',
    next: ({ campaign_id }) => ({
      tool: 'list_conversions',
      arguments: { campaign_id, column_set: 'all', period: 'last_7_days' },
    }),
  },
  cost_missing: {
    text: 'no cost for {visits} visits in {days}, usually {usual_cost_a_day} a day, so profit looks too high',
    next: breakdown('day'),
  },
  page_behind: {
    text: '{what} sells less than other pages and still gets traffic: {sales} sales of {visits} visits, {expected_sales} expected',
    next: (about, context) => compare(about.dimension === 'offer' ? 'offer' : 'landing')(about, context),
  },
  changed_elsewhere: {
    text: '{what} gets {percent_of_visits}% of the visits instead of {percent_before}%, and this server changed nothing',
    next: ({ campaign_id }) => ({
      tool: 'get_stats',
      arguments: { campaign_id, reports: ['landing'], period: 'today' },
    }),
  },
  decisive_sale: {
    text: 'one sale of {amount} decides the week: without it revenue is {revenue_without} and profit {profit_without}',
    next: compare('offer'),
  },
};

/** Puts a finding as of a moment into words. */
export async function describeFinding(
  finding: AccountFinding,
  campaign: ListedCampaign | undefined,
  clock: number,
  context: CallContext,
): Promise<Finding> {
  const { key, missing, kind, value, figures, age, moneyPerDay, chance, alike = [], more = 0 } = finding;
  const id = campaign ? Number(rawText(campaign.id)) : 0;
  const isToken = ({ dimension }: Suspicion) => extraSlots.some((slot) => slot === dimension);
  const labels: TokenLabels = [finding, ...alike].some(isToken) ? await tokenLabels(id, context) : new Map();
  const labelOf = ({ dimension = '' }: Suspicion) => labels.get(dimension) ?? dimension.replaceAll('_', ' ');
  const nameOf = (one: Suspicion) => {
    if (one.dimension === pageOnDevice) {
      const [page, device] = splitPageAndDevice(one.value ?? '').map((name) => mention(fromOutside(name), 60));
      return `landing page ${page} on device ${device}`;
    }
    return `${isToken(one) ? mention(fromOutside(labelOf(one))) : labelOf(one)} ${mention(fromOutside(one.value ?? ''), 60)}`;
  };
  const same = alike.length > 0 ? ` (the same visits: ${alike.map(nameOf).join(', ')})` : '';
  const text = words[kind].text.replace(/\{(\w+)\}( sales| visits| clicks)?/g, (_, name: string, unit = '') => {
    if (name === 'times') return doubledInWords(figures['payout_before'] ?? 0, figures['payout'] ?? 0);
    if (name === 'what') return (value === undefined ? '' : `${nameOf(finding)}${same}:`) + unit;
    const figure = showFigure(name, figures[name] ?? 0);
    return figure + (figure === '1' ? unit.slice(0, -1) : unit);
  });
  const since = Math.max(clock - age * 3_600_000, 0);
  const about = { campaign_id: id, dimension: labelOf(finding), since: isoDay(since) };
  const next = await words[kind].next(about, context);
  return {
    key,
    missing,
    kind,
    campaign_id: id,
    what: `${campaign ? `${quoted(campaign.name, 60)}: ` : ''}${text.trim()}${more > 0 ? `; and ${more} more like it` : ''}`,
    since: `${dayInWords(isoDay(since))} ${clockTime(since).slice(0, 2)}:00`,
    money_a_day: Math.round(moneyPerDay * 100) / 100,
    by_chance: chance === 0 ? 'no chance' : chance < minChance ? 'under 1 in 1 million' : oneIn(chance),
    next: { ...next } as Finding['next'],
  };
}

/** Smaller chances make no difference to a reader. */
const minChance = 1e-6;

/** `1 in 50,000` */
const oneIn = (chance: number): string => `1 in ${Number((1 / chance).toPrecision(1)).toLocaleString('en-US')}`;

const money: ReadonlySet<string> = new Set([
  'cost',
  'revenue',
  'usual_cost_a_day',
  'payout',
  'payout_before',
  'amount',
  'revenue_without',
  'profit_without',
]);

/** Expected figures are estimates, so they get two digits. */
function showFigure(name: string, figure: number): string {
  if (money.has(name)) return figure.toFixed(2);
  if (name === 'days') return countInWords(figure, 'day');
  return String(name.startsWith('expected') ? Number(figure.toPrecision(2)) : Math.round(figure));
}

/** `14:05` of a moment in UTC. */
export function clockTime(moment: number): string {
  const pad = (number: number) => String(number).padStart(2, '0');
  return `${pad(Math.floor(moment / 3_600_000) % 24)}:${pad(Math.floor(moment / 60_000) % 60)}`;
}
