import type { Finding as Found, Kind, Suspicion } from '../analysis/account-review.ts';
import { isoDay } from '../analysis/columns/times.ts';
import { fromOutside, mention, quoted, rawText } from '../api/text/tracker-text.ts';
import { extraSlots } from '../api/token-slots.ts';
import type { ListedCampaign } from './campaigns.ts';
import type { CallContext, JsonRecord } from './define-tool.ts';
import { dayInWords } from './period.ts';
import { type TokenLabels, tokenLabels } from './tokens.ts';

/** Something that needs a person. Money is in the currency of the tracker. */
export interface Finding {
  /** The same for the same finding, whenever it is made. */
  readonly key: string;
  readonly kind: string;
  /** 0 is the whole account. */
  readonly campaign_id: number;
  /** In words, with the campaign's name; what the tracker wrote is in quotation marks. */
  readonly what: string;
  /** When it began, in the zone of the tracker, to the hour: `Sun 22 Nov 14:00`. */
  readonly since: string;
  readonly money_a_day: number;
  /** How likely chance alone makes it: `under 1 in 100,000`; `no chance` if it is no matter of chance. */
  readonly by_chance: string;
  readonly next: { readonly tool: string; readonly arguments: JsonRecord };
}

/** How a kind of finding is said, and the one call that shows more of it. */
interface KindWords {
  /** `{visits}` stands for a figure, `{what}` for the page, offer or placement that it is about. */
  readonly said: string;
  readonly next: (about: About) => { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> };
}

/** What a finding is about. */
interface About {
  readonly campaign_id: number;
  readonly dimension: string;
  /** The day on which it began, YYYY-MM-DD. */
  readonly since: string;
}

const breakdown =
  (...by: string[]): KindWords['next'] =>
  ({ campaign_id }) => ({
    tool: 'get_breakdown',
    arguments: { campaign_id, by, period: 'last_14_days' },
  });

const compare =
  (kind: 'offer' | 'landing'): KindWords['next'] =>
  ({ campaign_id }) => ({
    tool: 'compare_pages',
    arguments: { campaign_id, kind },
  });

const words: Readonly<Record<Kind, KindWords>> = {
  account_dark: {
    said: '{campaigns} of {with_traffic} campaigns with traffic went dark at once: {visits} visits in the last hours; usual are {usual_visits}',
    next: () => ({ tool: 'get_breakdown', arguments: { by: ['traffic_source', 'day'], period: 'last_7_days' } }),
  },
  campaign_dark: { said: 'got {visits} visits in {hours} hours; usual are {usual_visits}', next: breakdown('day') },
  sales_stopped: {
    said: '{what} clicks go on, sales stopped: {sales}, {expected_sales} expected',
    next: ({ campaign_id, since }) => ({ tool: 'explain_change', arguments: { campaign_id, start_date: since } }),
  },
  page_without_clicks: {
    said: '{what} {visits} visits, {clicks} clicks in {hours} hours, {expected_clicks} expected',
    next: ({ campaign_id }) => ({
      tool: 'get_breakdown',
      arguments: { campaign_id, by: ['landing_page', 'day'], period: 'last_7_days' },
    }),
  },
  loses_money: {
    said: 'cost {cost} and earned {revenue} in {days} days, by {sales} sales',
    next: breakdown('landing_page', 'offer'),
  },
  burning_placement: {
    said: '{what} cost {cost} and earned {revenue} in {days} days ({clicks} clicks, {sales} sales)',
    next: ({ campaign_id, dimension }) => breakdown(dimension)({ campaign_id, dimension, since: '' }),
  },
  clicks_of_no_people: {
    said: '{what} {clicks} of {visits} visits click, {sales} buy, {expected_sales} expected: robots look like that',
    next: ({ campaign_id, dimension }) => breakdown(dimension, 'hour')({ campaign_id, dimension, since: '' }),
  },
  payout_fell: { said: '{what} pays {payout} a sale instead of {payout_before}', next: compare('offer') },
  cost_missing: {
    said: 'no cost for {visits} visits in 24 hours; usual are {usual_cost_a_day} a day, so profit looks too high',
    next: breakdown('day'),
  },
  page_behind: {
    said: '{what} sells less than other pages and still gets traffic: {sales} sales of {visits} visits, {expected_sales} expected',
    next: (about) => compare(about.dimension === 'offer' ? 'offer' : 'landing')(about),
  },
  changed_elsewhere: {
    said: '{what} gets {percent_of_visits}% of the visits instead of {percent_before}%, and this server changed nothing',
    next: ({ campaign_id }) => ({
      tool: 'get_stats',
      arguments: { campaign_id, reports: ['landing'], period: 'today' },
    }),
  },
  decisive_sale: {
    said: 'one sale of {amount} decides the week: without it revenue is {revenue_without} and profit {profit_without}',
    next: compare('offer'),
  },
};

/** The same for the same finding, whenever it is made: its campaign, 0 is all, its kind and what it is about. */
export function keyOf({ campaign, kind, dimension = '', value = '' }: Found<ListedCampaign>): string {
  return JSON.stringify([campaign ? rawText(campaign.id) : '0', kind, dimension, value]);
}

const keyForm = /^\["(\d+)","(\w+)"/;

/** What a key says: the ID of the campaign, 0 is all, and the kind; both empty if it is no such key. */
export function readKey(key: string): { readonly id: string; readonly kind: string } {
  const [, id = '', kind = ''] = keyForm.exec(key) ?? [];
  return { id, kind };
}

/** Says what was found as of a moment, in words. */
export async function describeFinding(
  found: Found<ListedCampaign>,
  clock: number,
  context: CallContext,
): Promise<Finding> {
  const { kind, campaign, value, figures, age, moneyPerDay, chance, alike = [], more = 0 } = found;
  const id = campaign ? Number(rawText(campaign.id)) : 0;
  const isSlot = (one: Suspicion) => extraSlots.some((slot) => slot === one.dimension);
  const labels: TokenLabels = [found, ...alike].some(isSlot) ? await tokenLabels(id, context) : new Map();
  const labelOf = ({ dimension = '' }: Suspicion) => labels.get(dimension) ?? dimension.replaceAll('_', ' ');
  const nameOf = (one: Suspicion) =>
    `${isSlot(one) ? mention(fromOutside(labelOf(one))) : labelOf(one)} ${mention(fromOutside(one.value ?? ''), 60)}`;
  const same = alike.length > 0 ? ` (the same visits: ${alike.map(nameOf).join(', ')})` : '';
  const said = words[kind].said.replace(/\{(\w+)\}( sales| visits| clicks)?/g, (_, name: string, unit = '') => {
    if (name === 'what') return (value === undefined ? '' : `${nameOf(found)}${same}:`) + unit;
    const figure = showFigure(name, figures[name] ?? 0);
    return figure + (figure === '1' ? unit.slice(0, -1) : unit);
  });
  const since = Math.max(clock - age * 3_600_000, 0);
  return {
    key: keyOf(found),
    kind,
    campaign_id: id,
    what: `${campaign ? `${quoted(campaign.name, 60)}: ` : ''}${said.trim()}${more > 0 ? `; and ${more} more like it` : ''}`,
    since: `${dayInWords(isoDay(since))} ${clockTime(since).slice(0, 2)}:00`,
    money_a_day: Math.round(moneyPerDay * 100) / 100,
    by_chance: chance === 0 ? 'no chance' : chance < minChance ? 'under 1 in 1 million' : oneIn(chance),
    next: {
      ...words[kind].next({ campaign_id: id, dimension: labelOf(found), since: isoDay(since) }),
    } as Finding['next'],
  };
}

/** Less likely is all the same to a reader. */
const minChance = 1e-6;

/** `1 in 50,000` */
const oneIn = (chance: number): string => `1 in ${Number((1 / chance).toPrecision(1)).toLocaleString('en-US')}`;

const money: ReadonlySet<string> = new Set([
  ...['cost', 'revenue', 'usual_cost_a_day', 'payout', 'payout_before', 'amount', 'revenue_without', 'profit_without'],
]);

/** What is expected is an estimate: two digits of it are enough. */
function showFigure(name: string, figure: number): string {
  if (money.has(name)) return figure.toFixed(2);
  return String(name.startsWith('expected') ? Number(figure.toPrecision(2)) : Math.round(figure));
}

/** `14:05` of a moment in UTC. */
export function clockTime(moment: number): string {
  const pad = (number: number) => String(number).padStart(2, '0');
  return `${pad(Math.floor(moment / 3_600_000) % 24)}:${pad(Math.floor(moment / 60_000) % 60)}`;
}
