import type { Kind } from '../analysis/account-review.ts';

/** How a kind of finding is said, and the one call that shows more of it. */
export interface KindWords {
  /** `{visits}` stands for a figure, `{what}` for the page, offer or placement that it is about. */
  readonly said: string;
  readonly next: (about: About) => { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> };
}

/** What a finding is about. */
export interface About {
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

export const words: Readonly<Record<Kind, KindWords>> = {
  account_dark: {
    said: '{campaigns} of {with_traffic} campaigns with traffic went dark at once: {visits} visits in 24 hours; usual are {usual_visits_a_day}',
    next: () => ({ tool: 'get_breakdown', arguments: { by: ['traffic_source', 'day'], period: 'last_7_days' } }),
  },
  campaign_dark: { said: 'got {visits} visits in 24 hours; usual are {usual_visits_a_day}', next: breakdown('day') },
  sales_stopped: {
    said: '{what} clicks go on, sales stopped: {sales}, {expected_sales} expected',
    next: ({ campaign_id, since }) => ({ tool: 'explain_change', arguments: { campaign_id, start_date: since } }),
  },
  page_without_clicks: {
    said: '{what} {visits} visits, {clicks} clicks in 24 hours, {expected_clicks} expected',
    next: ({ campaign_id }) => ({
      tool: 'get_breakdown',
      arguments: { campaign_id, by: ['landing_page', 'day'], period: 'last_7_days' },
    }),
  },
  loses_money: {
    said: 'cost {cost} and earned {revenue} in 7 days, by {sales} sales',
    next: breakdown('landing_page', 'offer'),
  },
  burning_placement: {
    said: '{what} cost {cost} and earned {revenue} in 15 days ({clicks} clicks, {sales} sales)',
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
