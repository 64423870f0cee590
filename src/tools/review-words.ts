import {
  type Finding as AccountFinding,
  groupOf,
  idOfFinding,
  type Kind,
  pairNamed,
  type Suspicion,
  splitPair,
} from '../analysis/account-review.ts';
import { isoDay } from '../analysis/columns/times.ts';
import { doubledInWords } from '../answer/change-notes.ts';
import type { Group } from '../answer/findings.ts';
import { dayInWords } from '../answer/words.ts';
import { hourMs, minuteMs } from '../api/durations.ts';
import { amountInWords, countInWords, joinSome, numberInWords } from '../api/rules.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { fromOutside, mention, quoted, rawText, shown } from '../api/text/tracker-text.ts';
import { extraSlots } from '../api/token-slots.ts';
import type { ListedCampaign } from './campaigns.ts';
import { canCompare } from './compare/read-pages.ts';
import type { CallContext, JsonRecord } from './define-tool.ts';
import { dimensionOfSlot, type TokenLabels, tokenLabels } from './tokens.ts';

/** Something that needs attention, as it is returned. Money is in the currency of the tracker. */
export interface ShownFinding {
  /** Names it to `review --accept`; the same in every review that finds the same. */
  readonly id: string;
  readonly kind: string;
  readonly group: Group;
  /** 0 is the whole account. */
  readonly campaign_id: number;
  /** Its name; absent for the whole account. */
  readonly campaign?: string;
  /** Of a network or traffic source: the IDs of the campaigns that have it, if they are several. */
  readonly campaigns?: number[];
  /** What it is about; absent for the whole campaign. A token goes by its name. */
  readonly dimension?: string;
  readonly value?: string;
  /** Where that is so, if it is not so everywhere, by dimension: a page on a device. */
  readonly within?: Readonly<Record<string, string>>;
  /** Other values with the same visits, by dimension. Any of them may be the cause. */
  readonly same_visits?: Readonly<Record<string, string>>;
  /** The placement that nearly all visits of a provider or user agent are from, by its dimension. */
  readonly placement?: Readonly<Record<string, string>>;
  /** In words, with the campaign's name; text of the tracker is in quotation marks. */
  readonly what: string;
  /** When it began, to the hour, in the tracker's zone: `Sun 22 Nov 14:00`. */
  readonly since: string;
  /** The same as `2026-11-22 14:00`. */
  readonly began: string;
  /** By its group: what it costs, how wrong profit may be, or what more it could earn. */
  readonly money_a_day: number;
  /** The figure that changed: what was usual or expected, and what it is. */
  readonly changed?: { readonly figure: string; readonly before: number; readonly after: number };
  /** A fault of tracking as check_tracking has it: its code, the visits or sales that it affects, their money, what to use instead. */
  readonly tracking?: Readonly<Record<string, string | number>>;
  /** How likely chance alone causes it: `under 1 in 100,000`; `no chance` if chance plays no part; none of a fault of tracking, which is counted. */
  readonly by_chance?: string;
  readonly next: { readonly tool: string; readonly arguments: JsonRecord };
}

interface Value {
  readonly dimension: string;
  readonly value: string;
}

export interface Finding extends ShownFinding, Pick<AccountFinding, 'key' | 'missing'> {
  /** What can be blocked at the traffic source because of it: values of tokens, as they are written there. */
  readonly toBlock: readonly Value[];
}

export function shownFinding({ key: _, missing: __, toBlock: ___, ...shown }: Finding): ShownFinding {
  return shown;
}

/** Values of a token of a campaign's traffic source, for its list of blocked ones. */
export interface BlockList {
  readonly campaign_id: number;
  readonly dimension: string;
  readonly values: readonly string[];
}

export function blockListsOf(findings: readonly Finding[]): BlockList[] {
  const lists = new Map<string, { campaign_id: number; dimension: string; values: Set<string> }>();
  for (const { campaign_id, toBlock } of findings)
    for (const { dimension, value } of toBlock) {
      const key = JSON.stringify([campaign_id, dimension]);
      const list = lists.get(key) ?? { campaign_id, dimension, values: new Set() };
      lists.set(key, list);
      list.values.add(value);
    }
  return [...lists.values()].map((list) => ({ ...list, values: [...list.values] }));
}

/** How a kind of finding is worded, and the call that shows more about it. */
interface KindWords {
  /** `{visits}` is replaced by a figure, `{what}` by the page, offer or placement. */
  readonly text: string;
  /** The names of the figures before and after, if one changed. */
  readonly changed?: readonly [before: string, after: string];
  /** Whether blocking its value at the traffic source ends it. */
  readonly canBlock?: true;
  readonly next: (about: About, context: CallContext) => Next | Promise<Next>;
}

interface Next {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface About {
  readonly campaign_id: number;
  readonly dimension: string;
  /** The second dimension of a pair. */
  readonly within: string | undefined;
  /** The day on which it began, YYYY-MM-DD. */
  readonly since: string;
}

const breakdown =
  (...by: string[]) =>
  ({ campaign_id, dimension }: About): Next => ({
    tool: 'get_breakdown',
    arguments: {
      ...(campaign_id === 0 ? { by: [...new Set([dimension, ...by])] } : { campaign_id, by }),
      period: 'last_14_days',
    },
  });

const compare =
  (kind: 'offer' | 'landing'): KindWords['next'] =>
  async (about, context) => {
    const { campaign_id } = about;
    return campaign_id > 0 && (await canCompare(campaign_id, kind, context))
      ? { tool: 'compare_pages', arguments: { campaign_id, kind } }
      : breakdown(kind === 'offer' ? 'offer' : 'landing_page')(about);
  };

const words: Readonly<Record<Kind, KindWords>> = {
  account_dark: {
    text: '{campaigns} of {with_traffic} campaigns with traffic went dark at once: {visits} visits in the last hours, usually {usual_visits}',
    changed: ['usual_visits', 'visits'],
    next: () => ({ tool: 'get_breakdown', arguments: { by: ['traffic_source', 'day'], period: 'last_7_days' } }),
  },
  campaign_dark: {
    text: 'got {visits} visits in {hours}, usually {usual_visits}',
    changed: ['usual_visits', 'visits'],
    next: breakdown('day'),
  },
  sales_stopped: {
    text: '{what} clicks go on, sales stopped: {sales}, {expected_sales} expected',
    changed: ['expected_sales', 'sales'],
    next: ({ campaign_id, since }) => ({ tool: 'explain_change', arguments: { campaign_id, start_date: since } }),
  },
  page_without_clicks: {
    text: '{what} {visits} visits, {clicks} clicks in {hours}, {expected_clicks} expected',
    changed: ['expected_clicks', 'clicks'],
    next: ({ campaign_id, within = 'day' }) => ({
      tool: 'get_breakdown',
      arguments: {
        campaign_id,
        by: ['landing_page', within],
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
    canBlock: true,
    next: (about) => breakdown(about.dimension)(about),
  },
  clicks_of_no_people: {
    text: '{what} {clicks} of {visits} visits click, {sales} buy, {expected_sales} expected: probably bots',
    changed: ['expected_sales', 'sales'],
    canBlock: true,
    next: (about) => breakdown(about.dimension, 'hour')(about),
  },
  payout_fell: {
    text: '{what} pays {payout} a sale instead of {payout_before}',
    changed: ['payout_before', 'payout'],
    next: compare('offer'),
  },
  payout_rose: {
    text: '{what} pays {payout} a sale instead of {payout_before}{times}',
    changed: ['payout_before', 'payout'],
    next: ({ campaign_id }) => ({
      tool: 'list_conversions',
      arguments: { campaign_id, column_set: 'all', period: 'last_7_days' },
    }),
  },
  cost_missing: {
    text: '{what} no cost for {visits} visits in {days}, usually {usual_cost_a_day} a day, so profit looks too high',
    changed: ['usual_cost_a_day', 'cost_a_day'],
    next: breakdown('day'),
  },
  page_behind: {
    text: '{what} sells less than other pages and still gets traffic: {sales} sales of {visits} visits, {expected_sales} expected',
    changed: ['expected_sales', 'sales'],
    next: (about, context) => compare(about.dimension === 'offer' ? 'offer' : 'landing')(about, context),
  },
  changed_elsewhere: {
    text: '{what} gets {percent_of_visits}% of the visits instead of {percent_before}%, and this server changed nothing',
    changed: ['percent_before', 'percent_of_visits'],
    next: ({ campaign_id }) => ({ tool: 'list_changes', arguments: { campaign_id, outcomes: true } }),
  },
  decisive_sale: {
    text: 'one sale of {amount} decides the week: without it revenue is {revenue_without} and profit {profit_without}',
    next: compare('offer'),
  },
  page_held_back: {
    text: '{what} earns surely more than the others and gets {percent_of_visits}% of the visits: {sales} sales of {visits} visits, {expected_sales} if it were like them',
    next: (about, context) => compare(about.dimension === 'offer' ? 'offer' : 'landing')(about, context),
  },
  placement_held_back: {
    text: '{what} earns surely more than the others and is {percent_of_visits}% of the visits: cost {cost} and earned {revenue} in {days}, by {sales} sales',
    next: (about) => breakdown(about.dimension)(about),
  },
  campaign_held_back: {
    text: 'cost {cost} and earned {revenue} in {days}, by {sales} sales, with only {visits_a_day} visits a day',
    next: breakdown('day', 'hour'),
  },
};

/**
 * Puts a finding as of a moment into words.
 * @param campaigns that it is about; none if it is about the account
 * @param carriedBy the placement that its visits are from, by the dimension of placements
 */
export async function describeFinding(
  finding: AccountFinding,
  campaigns: readonly ListedCampaign[],
  clock: number,
  carriedBy: (dimension: string) => string | undefined,
  context: CallContext,
): Promise<Finding> {
  const { key, missing, kind, value, figures, age, moneyPerDay, chance, alike = [], others = [] } = finding;
  const campaign = campaigns.length === 1 ? campaigns[0] : undefined;
  const id = campaign ? Number(rawText(campaign.id)) : 0;
  const hasTokens = [finding, ...alike, ...others].some(({ dimension = '' }) => blockable.has(dimension));
  const labels: TokenLabels = hasTokens || kind === 'clicks_of_no_people' ? await tokenLabels(id, context) : new Map();
  const placed = labels.placement === undefined ? undefined : dimensionOfSlot(labels.placement);
  // Other tokens that are keywords or ads are dimensions of their own.
  const tokenOf = (dimension: string) =>
    labels.get(dimension) ?? (dimension === placed ? labels.get(labels.placement ?? '') : undefined);
  const isToken = ({ dimension = '' }: Pick<Suspicion, 'dimension'>) => tokenOf(dimension) !== undefined;
  const labelOf = ({ dimension = '' }: Pick<Suspicion, 'dimension'>) =>
    tokenOf(dimension) ?? dimension.replaceAll('_', ' ');
  const fieldsOf = (dimension: string, value: string): Value => ({
    dimension: tokenOf(dimension) ?? dimension,
    value: shown(fromOutside(value)),
  });
  const valuesOf = ({ dimension, value = '' }: Pick<Suspicion, 'dimension' | 'value'>): Value[] => {
    if (dimension === undefined) return [];
    const pair = pairNamed(dimension);
    if (!pair) return [fieldsOf(dimension, value)];
    const [page, within] = splitPair(value);
    return [fieldsOf(pair.page, page), fieldsOf(pair.within, within)];
  };
  const nameOf = (one: Pick<Suspicion, 'dimension' | 'value'>) => {
    const pair = pairNamed(one.dimension);
    if (pair) {
      const [page, within] = splitPair(one.value ?? '').map((name) => mention(fromOutside(name), 60));
      const where = pair.within === 'country' ? 'in' : 'on';
      return `${pair.page.replace('_', ' ')} ${page} ${where} ${pair.within} ${within}`;
    }
    return `${isToken(one) ? mention(fromOutside(labelOf(one))) : labelOf(one)} ${mention(fromOutside(one.value ?? ''), 60)}`;
  };
  const source = placed === undefined || isPlaced([finding, ...alike], placed) ? undefined : carriedBy(placed);
  const carrying = placed !== undefined && source !== undefined ? [{ dimension: placed, value: source }] : [];
  const isSame = alike.every((one) => one.age === age && JSON.stringify(one.figures) === JSON.stringify(figures));
  const same =
    (alike.length > 0 ? ` (${isSame ? '' : 'largely '}the same visits: ${alike.map(nameOf).join(', ')})` : '') +
    carrying.map((one) => ` (nearly all from ${nameOf(one)})`).join('');
  const text = words[kind].text.replace(/\{(\w+)\}( sales| visits| clicks)?/g, (_, name: string, unit = '') => {
    if (name === 'times') return doubledInWords(figures['payout_before'] ?? 0, figures['payout'] ?? 0);
    if (name === 'what') return (value === undefined ? '' : `${nameOf(finding)}${same}:`) + unit;
    const figure = showFigure(name, figures[name] ?? 0);
    return figure + (figure === '1' ? unit.slice(0, -1) : unit);
  });
  const names = campaigns.map(({ name }) => quoted(name, 60));
  const shared = campaigns.length > 1 ? `; in ${joinSome(names, maxNamed)}` : '';
  const since = Math.max(clock - age * hourMs, 0);
  const [own, within] = valuesOf(finding);
  const [before, after] = words[kind].changed ?? [];
  const toBlock = [finding, ...alike, ...carrying, ...others].filter(
    ({ dimension = '', value = '' }) =>
      // A value that is shown in other characters cannot be blocked by what is shown.
      words[kind].canBlock && blockable.has(dimension) && shown(fromOutside(value)) === value,
  );
  const about = {
    ...{ campaign_id: id, dimension: labelOf(finding), since: isoDay(since) },
    within: pairNamed(finding.dimension)?.within,
  };
  const next = await words[kind].next(about, context);
  return {
    key,
    missing,
    toBlock: toBlock.flatMap(valuesOf),
    id: idOfFinding(key),
    kind,
    group: groupOf(kind),
    campaign_id: id,
    ...(campaign ? { campaign: shown(campaign.name, maxNameLength) } : {}),
    ...(campaigns.length > 1 ? { campaigns: campaigns.map((one) => Number(rawText(one.id))) } : {}),
    ...own,
    ...(within ? { within: byDimension([within]) } : {}),
    ...(alike.length > 0 ? { same_visits: byDimension(alike.flatMap(valuesOf)) } : {}),
    ...(carrying.length > 0 ? { placement: byDimension(carrying.flatMap(valuesOf)) } : {}),
    what: `${campaign ? `${quoted(campaign.name, 60)}: ` : ''}${text.trim()}${shared}${others.length > 0 ? `; and ${others.length} more like it` : ''}`,
    since: `${dayInWords(isoDay(since))} ${clockTime(since).slice(0, 2)}:00`,
    began: `${isoDay(since)} ${clockTime(since).slice(0, 2)}:00`,
    money_a_day: Math.round(moneyPerDay * 100) / 100,
    ...(before && after
      ? {
          changed: {
            figure: after,
            before: roundFigure(before, figures[before] ?? 0),
            after: roundFigure(after, figures[after] ?? 0),
          },
        }
      : {}),
    by_chance: sayChance(chance),
    next: { ...next } as Finding['next'],
  };
}

/** Campaigns that are named in a finding about several. */
const maxNamed = 5;

const isPlaced = (findings: readonly Suspicion[], placement: string) =>
  findings.some(({ dimension }) => dimension === placement);

const byDimension = (values: readonly Value[]) =>
  Object.fromEntries(values.map(({ dimension, value }) => [dimension, value]));

/** The dimensions that traffic sources can block values of. */
const blockable: ReadonlySet<string> = new Set(['keyword', 'ad', ...extraSlots]);

/** Smaller chances make no difference to a reader. */
const minChance = 1e-6;

/** How likely chance alone makes a finding; 0 if that cannot be. */
export const sayChance = (chance: number): string =>
  chance === 0 ? 'no chance' : chance < minChance ? 'under 1 in 1 million' : oneIn(chance);

/** `1 in 50,000` */
const oneIn = (chance: number): string => `1 in ${Number((1 / chance).toPrecision(1)).toLocaleString('en-US')}`;

const money: ReadonlySet<string> = new Set([
  'cost',
  'revenue',
  'cost_a_day',
  'usual_cost_a_day',
  'payout',
  'payout_before',
  'amount',
  'revenue_without',
  'profit_without',
]);

function showFigure(name: string, figure: number): string {
  if (money.has(name)) return amountInWords(figure);
  if (name === 'days') return countInWords(figure, 'day');
  if (name === 'hours') return figure > 24 ? countInWords(figure / 24, 'day') : countInWords(figure, 'hour');
  return numberInWords(roundFigure(name, figure));
}

/** Expected figures are estimates, so they get two digits. */
function roundFigure(name: string, figure: number): number {
  if (money.has(name)) return Math.round(figure * 100) / 100;
  return name.startsWith('expected') ? Number(figure.toPrecision(2)) : Math.round(figure);
}

/** `14:05` of a moment in UTC. */
export function clockTime(moment: number): string {
  const pad = (number: number) => String(number).padStart(2, '0');
  return `${pad(Math.floor(moment / hourMs) % 24)}:${pad(Math.floor(moment / minuteMs) % 60)}`;
}
