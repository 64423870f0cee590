import * as z from 'zod';
import type { NotJudged } from '../analysis/account-review.ts';
import { groups } from '../answer/findings.ts';
import type { HeldInReview } from '../answer/held-in-review.ts';
import { moneyStates } from '../answer/money-notes.ts';
import { dimensions } from '../api/dimensions.ts';
import * as is from '../api/parameters.ts';
import type { FromSchema } from './json-schema.ts';
import { comparisons, type Period, periodNames } from './period.ts';
import { item, query, tablesOutput } from './present/outputs.ts';
import { viewArguments } from './present/where.ts';
import type { BlockList } from './review-findings.ts';

/** The tools over all campaigns as agents see them. What they do is in files of their own, which `catalogue.ts` names. */

/** The state of money that figures count; one argument of all tools that have it. */
export const moneyArgument = is
  .oneOf([...moneyStates], 'Default booked; paid: without pending sales; expected: with their likely worth')
  .optional();

/** The days of a breakdown, and of a check of tracking, if none are named. */
export const usualPeriod: Period = 'last_7_days';

const sums = z.record(z.string(), z.number());

/** What explain_change returns. Money is in the currency of the tracker. */
export const explanationOutput = () =>
  z.object({
    query,
    summary: z.string(),
    before: sums,
    after: sums,
    change: z.number(),
    /** The normal difference between two such spans: 19 of 20 are smaller. */
    usual_change: z.number(),
    /** Their effects add up to the change. */
    factors: z.array(
      z.object({
        factor: z.string(),
        before: z.union([z.number(), z.null()]),
        after: z.union([z.number(), z.null()]),
        effect: z.number(),
      }),
    ),
    /** Their changes and that of the other visits add up to the change. */
    causes: z.array(
      z.object({
        what: z.string(),
        /** Dimension and value of each group: its visits are those in all of them. */
        where: z.record(z.string(), z.string()),
        /** The placement that nearly all visits of a provider or user agent are from, by its dimension. */
        placement: z.record(z.string(), z.string()).optional(),
        /** The factor that moved, the first one if several did. */
        factor: z.string(),
        change: z.number(),
        /** The part of its change that what is told of it carries. */
        carried: z.number(),
        since: z.union([z.string(), z.null()]),
        /** The last day of it, if it is over. */
        until: z.string().optional(),
        /** The same of a day since then, where the span began earlier. */
        a_day: z.number().optional(),
        is_sure: z.boolean(),
      }),
    ),
    other_visits: z.number(),
    /** The causes, then the values that moved most compared with the rest: a name and a number for each further column. */
    values: z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.union([z.string(), z.number()]))) }),
    changes: z.array(z.string()),
    notices: z.array(z.string()),
  });

export const explainInput = () =>
  z.strictObject({
    campaign_id: is.campaignOrAll().default(0),
    period: is.oneOf(periodNames, 'Instead of dates').optional(),
    start_date: is.date('First day of the later span').optional(),
    end_date: is.date('Its last day; default today').optional(),
    compare_to: is
      .oneOf(
        ['same_weekdays', 'previous'],
        'same_weekdays (default): a week or weeks before; previous: the days right before',
      )
      .default('same_weekdays'),
    compare_start: is.date('Instead: first day of the earlier span').optional(),
    compare_end: is.date('Its last day').optional(),
    money: moneyArgument,
  });

/** Explains why profit changed between two spans of days. It only reads. */
export const explainChange = {
  name: 'explain_change',
  title: 'Why profit changed',
  description:
    'For "why is profit down" or up: how much visits, cost a visit, clicks, sales and payouts carry of it, to the cent; ' +
    'which page, offer, placement, token, device, country, hour did it and since when; what chance moves anyway; what this server changed. ' +
    'For figures alone use get_overview. Without days: the last 7 whole ones against the 7 before.',
  access: 'read' as const,
  input: explainInput,
  output: explanationOutput,
};

const values = z.record(z.string(), z.string());

const finding = () =>
  z.object({
    id: z.string(),
    kind: z.string(),
    group: z.enum(groups),
    campaign_id: z.number(),
    campaign: z.string().optional(),
    campaigns: z.array(z.number()).optional(),
    dimension: z.string().optional(),
    value: z.string().optional(),
    within: values.optional(),
    same_visits: values.optional(),
    placement: values.optional(),
    what: z.string(),
    since: z.string(),
    began: z.string(),
    money_a_day: z.number(),
    /** `figure`, `before` and `after`. */
    changed: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    /** A fault of tracking: `code`, `affected`, `of`, `money` and `use`. */
    tracking: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    by_chance: z.string().optional(),
    is_new: z.boolean(),
    /** Found in the days that were asked about, and over since. */
    is_over: z.boolean().optional(),
    next: z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }),
  });

/** What review_account returns. Money is in the currency of the tracker. */
export const reviewOutput = () =>
  z.object({
    query,
    as_of: z.string(),
    findings: z.array(finding()),
    more: z.number(),
    /** What can be blocked at the traffic source because of these findings. */
    to_block: z.array(item<BlockList>()).optional(),
    /** What networks hold of sales, what that is worth, and the sales that wait for longer than usual. */
    held_money: item<HeldInReview>().optional(),
    /** How many campaigns, campaigns_without_visits, visits, days and looks. */
    looked: z.record(z.string(), z.number()),
    /** Kinds that could not be looked for in some campaigns, and what most of them lack. */
    not_judged: z.array(item<NotJudged>()),
    could_not_see: z.array(z.string()),
    notices: z.array(z.string()),
  });

export type AccountReview = FromSchema<typeof reviewOutput>;

export const reviewInput = () =>
  z.strictObject({
    campaign_ids: is.ids(is.campaign(), 500, 'Only these campaigns').optional(),
    traffic_source: is.text('Only its campaigns: name or ID').optional(),
    period: is.oneOf(periodNames, 'Of these days; default now').optional(),
    start_date: is.date('YYYY-MM-DD, instead').optional(),
    end_date: is.date('Last day').optional(),
    limit: is.whole(1, 50, 'Most, 1 to 50; default 12').default(12),
  });

/** Reports what needs attention, over all campaigns. It only reads. */
export const reviewAccountTool = {
  name: 'review_account',
  title: 'What needs attention',
  description:
    'For "what needs me today", over all campaigns or some: what costs money (dark campaigns, stopped sales, pages without clicks, losses, bots, lower payouts, changed shares), ' +
    'what not to trust, what could earn more; each with where, since when, money a day, chance and next call. For one fall use explain_change.',
  access: 'read' as const,
  input: reviewInput,
  output: reviewOutput,
};

export const trackingFinding = () =>
  z.object({
    code: z.string(),
    campaign_id: z.number().optional(),
    source: z.string().optional(),
    token: z.string().optional(),
    page: z.string().optional(),
    affected: z.number(),
    of: z.number(),
    money: z.number(),
    money_is: z.string(),
    since: z.string(),
    example: z.string().nullable(),
    what: z.string(),
    change: z.object({ at: z.string(), what: z.string(), use: z.string().optional(), link: z.string().optional() }),
  });

export const trackingOutput = () =>
  z.object({
    query,
    findings: z.array(trackingFinding()),
    more: z.number(),
    looked_at: z.string(),
    could_not_see: z.array(z.string()),
    notices: z.array(z.string()),
  });

export const trackingInput = () =>
  z.strictObject({
    campaign_id: is.campaign().optional(),
    source: is.text('Only this traffic source').optional(),
    period: is.oneOf(periodNames, 'Instead of dates').optional(),
    start_date: is.date('YYYY-MM-DD').optional(),
    end_date: is.date('Last day').optional(),
  });

/** Why figures are wrong. It only reads. */
export const checkTracking = {
  name: 'check_tracking',
  title: 'What is wrong with tracking',
  description:
    'Why figures are wrong: macros that arrive empty or as themselves, cut links, wrong subIDs, tokens, costs, sales without a visit or twice. ' +
    `Each with visits, money, since when and what to use instead. Without dates: ${usualPeriod}.`,
  access: 'read' as const,
  input: trackingInput,
  output: trackingOutput,
};

export const breakdownInput = () =>
  z.strictObject({
    campaign_id: is.campaign('ID or name; default: all campaigns').optional(),
    by: z
      .array(z.string().min(1).max(100))
      .min(1)
      .max(2)
      .describe(
        `One or two of: ${dimensions.join(', ')}, placement (zone, site, feed: as its source calls it), a token’s name or slot (Extra1), a column of the visitor list`,
      ),
    period: is.oneOf(periodNames, `Instead of dates, today included; default ${usualPeriod}`).optional(),
    start_date: is.date('YYYY-MM-DD').optional(),
    end_date: is.date('Last day').optional(),
    money: moneyArgument,
    ...viewArguments,
  });

/** One campaign or all, broken down by one or two dimensions. It only reads. */
export const getBreakdown = {
  name: 'get_breakdown',
  title: 'A campaign or the account by day, country, offer, network, token',
  description:
    'For "when", "where" and "on what" a campaign or the account earns or loses: cut by one or two things (by placement, where Clicks >= 50 and Conversions = 0; where country = DE counts these visits only), from visits. ' +
    `For campaigns alone use get_overview. Without dates: ${usualPeriod}; today is set against yesterday up to now.`,
  access: 'read' as const,
  input: breakdownInput,
  output: tablesOutput,
};

export const overviewInput = () =>
  z.strictObject({
    by: is
      .oneOf(
        ['campaign', 'traffic_source', 'offer', 'landing_page', 'network', 'page'],
        'A row for each; default campaign. network: offer source; page: each page of each campaign, with its share',
      )
      .default('campaign'),
    period: is.oneOf(periodNames, 'Instead of dates, today included').optional(),
    start_date: is.date('YYYY-MM-DD').optional(),
    end_date: is.date('Last day').optional(),
    timezone: is.timeZone("Of the days, e.g. Europe/Berlin; default the tracker's own").optional(),
    compare_to: is
      .oneOf(
        [...comparisons, 'none'],
        'previous: the same length before; week_before, month_before: the same weekdays or dates; none: half the requests, default for pages and offers',
      )
      .optional(),
    status: is.oneOf(['all', 'active', 'inactive'], 'Which campaigns; default all').default('all'),
    money: moneyArgument,
    campaign_ids: is.ids(is.campaign(), 500, 'Only these campaigns').optional(),
    ...viewArguments,
    sort_by: viewArguments.sort_by.unwrap().describe('Default Cost; of pages and offers Revenue').optional(),
  });

/** The figures of all campaigns in one table. It only reads. */
export const getOverview = {
  name: 'get_overview',
  title: 'All campaigns at a glance',
  description:
    'For "how are we doing", "what loses money", "what got worse": a row for each campaign, traffic source, offer, network or page of the account, with its figures, ' +
    'the change against the period before, and totals. Within a campaign use get_breakdown, for why explain_change. ' +
    'Without dates: the last 7 whole days; period today: so far, against yesterday up to now.',
  access: 'read' as const,
  input: overviewInput,
  output: tablesOutput,
};
