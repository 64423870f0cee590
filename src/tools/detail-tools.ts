import * as z from 'zod';
import { dateOrders } from '../analysis/columns/times.ts';
import type { ChangeOutcome } from '../answer/outcomes.ts';
import { classNames } from '../answer/statement-notes.ts';
import * as is from '../api/parameters.ts';
import { decimalMarks } from '../api/tracker-numbers.ts';
import { moneyArgument } from './account-tools.ts';
import type { MadeElsewhere } from './outcomes/change-outcomes.ts';
import { periodNames } from './period.ts';
import { shownSteps } from './present/change-steps.ts';
import { item, query, tablesOutput } from './present/outputs.ts';

/** The tools for pages, visitors, statements and changes as agents see them. What they do is in files of their own, which `catalogue.ts` names. */

const text = z.union([z.string(), z.null()]);

const number = z.union([z.number(), z.null()]);

/** Fields of one kind are not named: every client pays for the schema, and the keys explain themselves. */
const numbers = z.record(z.string(), z.number());

/** A forecast, or why there is none. */
const forecast = z.union([numbers, z.string(), z.null()]);

export const comparisonOutput = () =>
  z.object({
    query: z.record(z.string(), z.unknown()),
    kind: z.string(),
    decision: z.object({
      kind: z.enum(['leader', 'no decision yet']),
      verdict: z.enum(['clear', 'leaning', 'too early']),
      basis: z.enum(['money', 'conversions']),
      page_id: text,
      name: z.string(),
      text: z.string(),
      evidence_percent: z.number(),
      lead: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
      break_even: z.record(z.string(), number).optional(),
      needed: z.record(z.string(), forecast).optional(),
      waiting_cost_per_day: z.number(),
      risk_today_per_day: z.number(),
      since: z.string(),
      days: z.number(),
    }),
    pages: z.array(
      z.object({
        page_id: text,
        name: z.string(),
        share: number,
        recommended_share: z.number(),
        views: z.number(),
        conversions: z.number(),
        revenue: z.number(),
        epv: z.number(),
        epv_low: z.number(),
        epv_high: z.number(),
        rate: z.number(),
        rate_low: z.number(),
        rate_high: z.number(),
        probability_best: number,
        valued_at: z.number().optional(),
        booked_revenue: z.number().optional(),
      }),
    ),
    others: numbers.optional(),
    calls: z.array(z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) })),
    notices: z.array(z.string()),
  });

/** How long a test takes that has not begun. */
export const planOutput = z.record(z.string(), z.union([z.number(), z.string(), z.null()]));

/** What other shares would have earned. */
const triedOutput = z.array(z.record(z.string(), z.unknown()));

/** A comparison, the plan of a test, or shares that are tried. */
const comparisonOrPlan = () =>
  comparisonOutput().partial().extend({ plan: planOutput.optional(), tried: triedOutput.optional() });

export const compareInput = () =>
  z.strictObject({
    campaign_id: is.campaign(),
    kind: is.oneOf(['offer', 'landing'], 'What is compared'),
    period: is.oneOf(periodNames, 'Instead of dates; without any: 14 days, up to 60 while shares stayed').optional(),
    start_date: is.date('YYYY-MM-DD').optional(),
    end_date: is.date('Last day').optional(),
    group: z
      .string()
      .min(1)
      .max(100)
      .describe('Which pages, where they are in several paths, levels or option groups: as the notices name it')
      .optional(),
    money: moneyArgument,
    payouts: z
      .array(z.strictObject({ page_id: is.page(), payout: is.measure('A sale') }))
      .min(1)
      .max(50)
      .describe('What if offers paid this')
      .optional(),
    shares: z
      .array(
        z.strictObject({
          page_id: is.page(),
          share: is.percentage('0 to 100'),
          set: is.ordinal('Default 1').default(1),
        }),
      )
      .min(1)
      .max(50)
      .describe('Only: what these would have earned; several sets are checked on the last third of the days')
      .optional(),
    plan: is.measure('Only, before a test: the days until a lead of so many percent can be seen').optional(),
  });

/** Compares the offers or landing pages of a campaign, and proposes shares. It only reads. */
export const comparePagesTool = {
  name: 'compare_pages',
  title: 'Compare offers or landing pages',
  description:
    'For "which offer or landing page of a campaign earns more, and is that sure": clear (made for daily asking), leaning (today’s odds) or too early; by money if every payout is known, else by conversions, which money must not contradict. ' +
    'Pages as measured (epv; rate: conversions per view in percent) and estimated (_low, _high), what waiting costs, and the call that sets the recommended shares. For all pages use get_overview.',
  access: 'read' as const,
  input: compareInput,
  output: comparisonOrPlan,
};

export const sharedOutput = () =>
  z.object({
    values: z.array(z.record(z.string(), z.union([z.string(), z.number()]))),
    given: z.number(),
    others: z.number(),
    values_tested: z.number(),
    false_findings: z.number(),
  });

const cell = z.union([z.string(), z.null()]);

export const diagnosisOutput = () =>
  z.object({
    query,
    time_zone: z.string(),
    steps: z.array(z.object({ step: z.string(), happened: z.enum(['yes', 'no', 'unknown']), at: cell, detail: cell })),
    visitor: z.record(z.string(), z.string()),
    facts: z.array(z.string()),
    explanations: z.array(z.string()),
    conversions: z.array(z.record(z.string(), cell)),
    later_postback: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    searched: z.string(),
    notices: z.array(z.string()),
  });

/** As they appear in a statement. If one is wrong, its row explains why. */
const givenSubids = () =>
  is.ids(
    z.preprocess((value) => (Number.isSafeInteger(value) ? String(value) : value), z.string().max(4000)),
    100,
    'Instead: up to 100 as they stand in a statement, a row each, and what they share more than other visits',
  );

export const diagnosisInput = () =>
  z.strictObject({
    subid: is.subid('SubID such as ab12cd34_7_00000345, or ClickID such as 00000345').optional(),
    subids: givenSubids().optional(),
  });

/** Tells what happened to a visitor, from a lookup and the conversion list. */
export const diagnoseSubid = {
  name: 'diagnose_subid',
  title: 'What happened to one visitor',
  description:
    'What happened to one visitor, in order: arrived, clicked, reached which offer, converted for how much, when; who it was, what was checked ' +
    'and what may explain a missing step. Use it first for "why did this click not convert?"; lookup_subid gives every field.',
  access: 'read' as const,
  input: diagnosisInput,
  output: () =>
    diagnosisOutput()
      .partial()
      .extend({
        tables: z.array(z.record(z.string(), z.unknown())).optional(),
        shared: sharedOutput().optional(),
      }),
};

const maxCharacters = 1_000_000;

export const maxRows = 20_000;

const column = (describe: string) => z.string().min(1).max(200).describe(describe).optional();

/** The arguments besides the statement itself. */
export const questionInput = () =>
  z.strictObject({
    campaign_id: is.campaignOrAll().default(0),
    start_date: is.date('Default: its days').optional(),
    end_date: is.date('Last day').optional(),
    subid_column: column('Unless found'),
    amount_column: column('Likewise'),
    time_column: column('Likewise'),
    decimal: is.oneOf(decimalMarks, 'Mark').optional(),
    date_order: is.oneOf(dateOrders, 'Of 3/4/26').optional(),
    class: is.oneOf(classNames, 'Pages one').optional(),
    limit: is.whole(1, 500, '1 to 500; default 3 a class, 25 of one').optional(),
    offset: is.whole(0, 1_000_000, 'Default 0').optional(),
  });

const lineObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { message: 'must be a list of objects' },
);

export const reconcileInput = () =>
  z.strictObject({
    statement: z
      .string()
      .min(1)
      .max(maxCharacters)
      .describe('CSV, TSV or semicolons; up to 1 MB')
      .register(is.holdsDocument, {})
      .optional(),
    rows: z
      .array(lineObject.meta({ type: 'object' }))
      .max(maxRows)
      .describe('Or as objects')
      .optional(),
    ...questionInput().shape,
  });

/** Matches a network's statement with the tracker's conversions. It only reads, and keeps nothing of the statement. */
export const reconcileConversions = {
  name: 'reconcile_conversions',
  title: 'Reconcile a statement',
  description:
    'A network’s statement against the conversions of its days, by subID: the gap, count and money of each class, ' +
    'examples, their visits, the shift of clocks.',
  access: 'read' as const,
  input: reconcileInput,
  output: tablesOutput,
};

/** What list_changes returns. */
export const changesOutput = () =>
  z.object({
    changes: z.array(
      z.object({
        change_id: z.string(),
        /** Only in a list of several trackers. */
        tracker: z.string().optional(),
        time: z.string(),
        tool: z.string(),
        state: z.string(),
        /** The ID of the set of make_changes or undo_change that it is of. */
        set: z.string().optional(),
        /** The IDs and names of its campaigns; absent without one, or if the names are not known. */
        campaign: z.string().optional(),
        steps: shownSteps,
        /** The number of steps that the answer had no room for. */
        more_steps: z.number().optional(),
        outcome: item<ChangeOutcome>().optional(),
      }),
    ),
    /** Changes of shares that are not in the log, latest first. */
    elsewhere: z.array(item<MadeElsewhere>()).optional(),
    next_offset: z.union([z.number(), z.null()]),
    notices: z.array(z.string()),
  });

const changesInput = () =>
  z.strictObject({
    limit: is.whole(1, 100, '1 to 100; default 10').default(10),
    offset: is.count('Newer changes to skip; default 0').default(0),
    campaign_id: is.campaign().optional(),
    since: is.date('First day (UTC), YYYY-MM-DD').optional(),
    change_id: is.text('One change or set').optional(),
    outcomes: is.flag('Tells whether they paid; default false').default(false),
  });

/** What this server changed, newest first. */
export const listChanges = {
  name: 'list_changes',
  title: 'What this server changed',
  description:
    'What this server changed, newest first, in earlier runs too: new and old values, outcome, whether undone, and the change_id for undo_change. ' +
    'With outcomes: did it pay? Each change of shares, pages, payouts, URLs and bids with what was earned against what would have been without it, once its days are in; also changes of shares made elsewhere, which are otherwise not in it.',
  access: 'read' as const,
  input: changesInput,
  output: changesOutput,
  outputWithProposals: () => z.object({ proposals: z.array(z.record(z.string(), z.unknown())) }),
};
