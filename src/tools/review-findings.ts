import {
  type Finding as AccountFinding,
  idOfFinding,
  pairNamed,
  reviewedDays,
  type Suspicion,
  splitPair,
} from '../analysis/account-review.ts';
import { isoDay, isoMinute } from '../analysis/columns/times.ts';
import type { Group } from '../answer/findings.ts';
import type { Brought } from '../answer/outcomes.ts';
import {
  changedFigures,
  groupOfTrouble,
  type NamedValue,
  roundFigure,
  sayBeginning,
  sayChance,
  sayTrouble,
  type TroubleKind,
} from '../answer/troubles.ts';
import { hourMs } from '../api/durations.ts';
import { inCents } from '../api/rules.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { fromOutside, rawText, shown } from '../api/text/tracker-text.ts';
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
  /** When it began, to the hour if that is known, in the tracker's zone: `Sun 22 Nov 14:00`, `Sun 22 Nov or earlier`. */
  readonly since: string;
  /** The same as `2026-11-22 14:00`. */
  readonly began: string;
  /** By its group: what it costs, how wrong profit may be, or what more it could earn. */
  readonly money_a_day: number;
  /** The figure that changed: what was usual or expected, and what it is; of moved shares also what was earned more since, with a range. */
  readonly changed?: Readonly<{ figure: string; before: number; after: number }> &
    Partial<ReturnType<typeof earnedMore>>;
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

type Known = Omit<Finding, 'id' | 'missing' | 'toBlock'> & Partial<Pick<Finding, 'missing' | 'toBlock'>>;

export const findingAs = (known: Known): Finding => ({
  ...{ missing: 0, toBlock: [], id: idOfFinding(known.key) },
  ...known,
});

/**
 * @param began as `2026-11-22 14:00`
 * @param known how exactly; of what is older than all that was looked at, the first day of that
 */
export const beganAt = (began: string, known: 'hour' | 'day' | 'day or earlier'): Pick<Finding, 'since' | 'began'> => ({
  since: `${sayBeginning(known === 'hour' ? began : began.slice(0, 10))}${known === 'day or earlier' ? ' or earlier' : ''}`,
  began,
});

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

type Next = Finding['next'];

interface About {
  readonly campaign_id: number;
  readonly dimension: string;
  readonly value: string | undefined;
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
      // What all campaigns share may be nothing but the trouble.
      ...(campaign_id === 0 ? { by: knownOf([dimension, ...by]).slice(0, maxCuts) } : { campaign_id, by }),
      period: 'last_14_days',
    },
  });

const knownOf = (dimensions: readonly string[]) => [...new Set(dimensions)].filter((name) => name !== '');

/** A breakdown has no more dimensions. */
const maxCuts = 2;

/** The days of a value: of all values, the rows do not fit. */
const daysOfValue = (about: About): Next => {
  const { arguments: given, ...next } = breakdown(about.dimension, 'day')(about);
  return { ...next, arguments: { ...given, ...onlyOf(about.dimension, about.value) } };
};

const compare =
  (kind: 'offer' | 'landing'): NextOf =>
  async (about, context) => {
    const { campaign_id } = about;
    return campaign_id > 0 && (await canCompare(campaign_id, kind, context))
      ? { tool: 'compare_pages', arguments: { campaign_id, kind } }
      : breakdown(kind === 'offer' ? 'offer' : 'landing_page')(about);
  };

type NextOf = (about: About, context: CallContext) => Next | Promise<Next>;

const comparePages: NextOf = (about, context) =>
  compare(about.dimension === 'offer' ? 'offer' : 'landing')(about, context);

const explain: NextOf = ({ campaign_id, since }) => ({
  tool: 'explain_change',
  arguments: { campaign_id, start_date: since },
});

const conversions: NextOf = ({ campaign_id }) => ({
  tool: 'list_conversions',
  arguments: { campaign_id, column_set: 'all', period: 'last_7_days' },
});

/** The call that shows more about a finding. */
const nextBy: Readonly<Record<TroubleKind, NextOf>> = {
  account_dark: () => ({ tool: 'get_breakdown', arguments: { by: ['traffic_source', 'day'], period: 'last_7_days' } }),
  campaign_dark: breakdown('day'),
  visits_stopped: daysOfValue,
  sales_stopped: explain,
  page_without_clicks: ({ campaign_id, within = 'day' }) => ({
    tool: 'get_breakdown',
    arguments: { campaign_id, by: ['landing_page', within], period: 'last_7_days' },
  }),
  clicks_stopped: (about, context) => {
    if (about.within) return explain(about, context);
    if (about.value === undefined) return breakdown('landing_page', 'day')(about);
    return about.dimension === 'hour' ? breakdown('hour')(about) : daysOfValue(about);
  },
  clicks_fell: (about) => (about.within ? breakdown(about.dimension, about.within)(about) : daysOfValue(about)),
  clicks_declined: daysOfValue,
  click_rate_fell: explain,
  sales_fell: explain,
  loses_money: breakdown('landing_page', 'offer'),
  burning_placement: (about) => breakdown(about.dimension, ...(about.within ? [about.within] : []))(about),
  clicks_of_no_people: daysOfValue,
  payout_fell: (about, context) =>
    about.within ? breakdown('offer', about.within)(about) : compare('offer')(about, context),
  payout_rose: conversions,
  sales_counted_twice: conversions,
  cost_missing: breakdown('day'),
  cost_odd: breakdown('day'),
  cost_rose: explain,
  visits_grew_unsold: breakdown('traffic_source', 'day'),
  page_behind: comparePages,
  // It has the shares that are set beside those that visitors got.
  changed_elsewhere: comparePages,
  decisive_sale: compare('offer'),
  page_held_back: comparePages,
  placement_held_back: (about) => breakdown(about.dimension)(about),
  campaign_held_back: breakdown('day', 'hour'),
  campaign_capped: breakdown('day', 'hour'),
};

/** What is as old as the last of what there is none of any more: it began after that hour. */
const isKnownByLast: ReadonlySet<TroubleKind> = new Set([
  ...([
    'account_dark',
    'campaign_dark',
    'visits_stopped',
    'sales_stopped',
    'page_without_clicks',
    'clicks_stopped',
  ] as const),
]);

/** What ends if its value is blocked at the traffic source. */
const canBlock: ReadonlySet<TroubleKind> = new Set([
  'cost_rose',
  ...(['burning_placement', 'clicks_of_no_people', 'sales_stopped', 'clicks_stopped'] as const),
]);

/**
 * A finding as of a moment, as it is shown.
 * @param campaigns that it is about; none if it is about the account
 * @param brought what moved shares bring a day
 * @param carriedBy the placement that its visits are from, by the dimension of placements
 */
export async function describeFinding(
  finding: AccountFinding,
  campaigns: readonly ListedCampaign[],
  clock: number,
  carriedBy: (dimension: string) => string | undefined,
  brought: Brought | undefined,
  context: CallContext,
): Promise<Finding> {
  const {
    key,
    missing,
    kind,
    value,
    figures,
    age,
    moneyPerDay,
    chance,
    alike = [],
    together = [],
    others = [],
    isWorthIt = false,
  } = finding;
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
    const [first, within] = splitPair(value);
    return [fieldsOf(pair.dimension, first), fieldsOf(pair.within, within)];
  };
  const named = (one: Pick<Suspicion, 'dimension' | 'value'>): NamedValue => {
    const pair = pairNamed(one.dimension);
    if (!pair) return { dimension: labelOf(one), isToken: isToken(one), value: one.value ?? '' };
    const [first, within] = splitPair(one.value ?? '');
    return {
      ...{ dimension: pair.dimension.replace('_', ' '), isToken: false, value: first },
      within: { dimension: pair.within, value: within },
    };
  };
  const source = placed === undefined || isPlaced([finding, ...alike], placed) ? undefined : carriedBy(placed);
  const carrying = placed !== undefined && source !== undefined ? [{ dimension: placed, value: source }] : [];
  const isSame = alike.every((one) => one.age === age && JSON.stringify(one.figures) === JSON.stringify(figures));
  const [before, after] = changedFigures[kind] ?? [];
  const isLastSeen = isKnownByLast.has(kind) && after && figures[after] === 0 && exactnessOf(age) === 'hour';
  const since = Math.max(clock - age * hourMs, 0) + (isLastSeen ? hourMs - 1 : 0);
  const [own, within] = valuesOf(finding);
  const toBlock = [finding, ...alike, ...carrying, ...others].filter(
    ({ dimension = '', value = '' }) =>
      // A value that is shown in other characters cannot be blocked by what is shown.
      canBlock.has(kind) && !isWorthIt && blockable.has(dimension) && isShownAsIs(value),
  );
  const figureOf = (name: string) => roundFigure(name, figures[name] ?? 0);
  const about = {
    ...{ campaign_id: id, dimension: own?.dimension ?? '', value: finding.value, since: isoDay(since) },
    within: pairNamed(finding.dimension)?.within,
  };
  return findingAs({
    ...{ key, missing, toBlock: toBlock.flatMap(valuesOf), kind, group: groupOfTrouble(kind), campaign_id: id },
    ...(campaign ? { campaign: shown(campaign.name, maxNameLength) } : {}),
    ...(campaigns.length > 1 ? { campaigns: campaigns.map((one) => Number(rawText(one.id))) } : {}),
    ...own,
    ...(within ? { within: byDimension([within]) } : {}),
    ...(alike.length > 0 ? { same_visits: byDimension(alike.flatMap(valuesOf)) } : {}),
    ...(carrying.length > 0 ? { placement: byDimension(carrying.flatMap(valuesOf)) } : {}),
    what: sayTrouble({
      together: together.map((one) => ({ what: named(one), figures: one.figures })),
      ...{
        kind,
        figures,
        isSame,
        alike: alike.map(named),
        placement: carrying.map(named)[0],
        others: others.length,
        brought,
      },
      what: value === undefined ? undefined : named(finding),
      campaigns: campaigns.map(({ name }) => rawText(name)),
    }),
    ...beganAt(`${isoMinute(since).slice(0, -2)}00`, exactnessOf(age)),
    money_a_day: inCents(brought ? surelyLost(brought) : moneyPerDay),
    ...(before && after && figures[after] !== undefined
      ? { changed: { figure: after, before: figureOf(before), after: figureOf(after), ...earnedMore(brought) } }
      : {}),
    by_chance: sayChance(chance),
    next: await nextBy[kind](about, context),
  });
}

/** Of an age in hours: what is so on the first of the days looked at may have been so before. */
const exactnessOf = (age: number) =>
  age > (reviewedDays - 1) * 24 ? 'day or earlier' : age % 24 === 0 ? 'day' : 'hour';

const isShownAsIs = (value: string): boolean => value !== '' && shown(fromOutside(value)) === value;

/** The condition of a call on a value; none on one that is shown in other characters. */
export const onlyOf = (dimension: string, value: string | null = '') =>
  value !== null && isShownAsIs(value) ? { where: [{ column: dimension, op: '=', value }] } : {};

/** A loss that may be none has no amount. */
const surelyLost = (brought: Brought) => ('why' in brought || brought.high >= 0 ? 0 : -brought.difference);

const earnedMore = (brought: Brought | undefined) =>
  brought && !('why' in brought)
    ? { earned_more_a_day: inCents(brought.difference), low: inCents(brought.low), high: inCents(brought.high) }
    : {};

const isPlaced = (findings: readonly Suspicion[], placement: string) =>
  findings.some(({ dimension }) => dimension === placement);

const byDimension = (values: readonly Value[]) =>
  Object.fromEntries(values.map(({ dimension, value }) => [dimension, value]));

/** The dimensions that traffic sources can block values of. */
const blockable: ReadonlySet<string> = new Set(['keyword', 'ad', ...extraSlots]);
