import * as z from 'zod';
import {
  type Cause,
  type Factor,
  type PayoutChange,
  type ProfitChange,
  profitOf,
  type SpanSums,
  toCents,
} from '../../analysis/profit-change.ts';
import type { Answer, JsonRecord, Query } from '../define-tool.ts';
import { untrustedTextNotice } from '../present/cells.ts';
import { causeInWords, chanceInWords } from '../present/for-views.ts';
import { query } from '../present/outputs.ts';
import {
  describeCause,
  describeDecisiveSale,
  describeMix,
  describePayout,
  nameFactor,
  nameGroups,
  signed,
} from './words.ts';

const sums = z.record(z.string(), z.number());

/** What explain_change returns. Money is in the currency of the tracker. */
export const explanationOutput = z.object({
  query,
  summary: z.string(),
  before: sums,
  after: sums,
  change: z.number(),
  /** How far two such spans differ though nothing happened, 19 times of 20. */
  usual_change: z.number(),
  /** Add up to the change. */
  factors: z.array(
    z.object({
      factor: z.string(),
      before: z.union([z.number(), z.null()]),
      after: z.union([z.number(), z.null()]),
      effect: z.number(),
    }),
  ),
  /** Add up to the change with what all other visits carry. */
  causes: z.array(
    z.object({
      what: z.string(),
      change: z.number(),
      /** What of it the factor that is named carries. */
      carried: z.number(),
      since: z.union([z.string(), z.null()]),
      is_sure: z.boolean(),
    }),
  ),
  other_visits: z.number(),
  /** The causes, then the values that moved most beside the others: what each is, and a number for each column behind it. */
  values: z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.union([z.string(), z.number()]))) }),
  changes: z.array(z.string()),
  notices: z.array(z.string()),
});

export type Explanation = z.infer<typeof explanationOutput>;

/** All that was found of a change. */
export interface Found extends ProfitChange {
  readonly query: Query;
  readonly currency: string | undefined;
  /** What is explained: revenue if nothing is known of cost. */
  readonly measure: 'Profit' | 'Revenue';
  readonly changes: readonly string[];
  readonly notices: readonly string[];
}

/** With fewer sales in both spans, one or two decide. */
const fewSales = 20;

export function presentExplanation(found: Found): Answer {
  const { whole, factors, rest, movers, usual, mixes, payouts, decisive, changes } = found;
  const causes = found.causes.map((cause) => ({ ...cause, since: payoutOf(cause, payouts)?.since ?? cause.since }));
  const effects = toCents(factors.map(({ effect }) => effect));
  const change = effects.reduce((sum, effect) => sum + effect, 0);
  const rows = [
    ...causes.map((cause) => rowOf(nameGroups(cause.groups), cause)),
    ...movers.map((mover) => rowOf(nameGroups([mover]), mover)),
  ].filter(([what], index, all) => all.findIndex(([other]) => other === what) === index);
  const parts = toCents([...causes, rest].map(changeOf));
  const shownCauses = causes.map((cause, index) => ({
    what: describeCause(cause),
    change: parts[index] ?? 0,
    carried: cents(cause.factors.find(({ factor }) => factor === cause.moved[0])?.effect ?? 0),
    since: cause.since ?? null,
    is_sure: cause.isSure,
  }));
  const structured: Explanation = {
    query: found.currency === undefined ? found.query : { ...found.query, currency: found.currency },
    summary: summarize(found, shownCauses, parts.at(-1) ?? 0),
    before: showSums(whole.before),
    after: showSums(whole.after),
    change: cents(change),
    usual_change: cents(usual.amount),
    factors: factors.map(({ factor, before, after }, index) => ({
      factor,
      before: before === null ? null : exact(factor, before),
      after: after === null ? null : exact(factor, after),
      effect: effects[index] ?? 0,
    })),
    causes: shownCauses,
    other_visits: parts.at(-1) ?? 0,
    values: { columns: ['What', ...valueColumns.map(({ name }) => name)], rows },
    changes: [...changes],
    notices: [
      ...payouts.map(describePayout),
      ...mixes.slice(0, 1).map(describeMix),
      ...(usual.conversions < fewSales
        ? [`${fewSalesInWords(usual.conversions)}, so that little can be concluded.`]
        : []),
      ...(decisive ? [describeDecisiveSale(decisive)] : []),
      ...found.notices,
      untrustedTextNotice,
    ],
  };
  return {
    parts: [{ count: rows.length, min: 0 }],
    render: ([count = 0]) => {
      const shown = { ...structured, values: { ...structured.values, rows: rows.slice(0, count) } };
      return { structured: shown, text: renderText(shown) };
    },
  };
}

const valueColumns = (['views', 'conversions', 'profit'] as const).flatMap((measure) =>
  (['before', 'after'] as const).map((span) => ({ measure, span, name: `${measure} ${span}` })),
);

function rowOf(what: string, sums: SpanSums): (string | number)[] {
  return [what, ...valueColumns.map(({ measure, span }) => showSums(sums[span])[measure] ?? 0)];
}

function changeOf({ before, after }: SpanSums): number {
  return profitOf(after) - profitOf(before);
}

function fewSalesInWords(count: number): string {
  if (count === 0) return 'There were no sales in either span';
  return `Only ${count} ${count === 1 ? 'sale' : 'sales'} in both spans: single ones decide`;
}

const cents = (amount: number): number => Math.round(amount * 100) / 100 || 0;

const exact = (factor: Factor, value: number): number => (factor === 'visits' ? value : Number(value.toPrecision(4)));

function showSums({ views, clicks, conversions, cost, revenue }: SpanSums['before']): Record<string, number> {
  return { views, clicks, conversions, cost: cents(cost), revenue: cents(revenue), profit: cents(revenue - cost) };
}

/** The payout that a cause is about, if it is one: the same day is then said of both. */
function payoutOf({ groups, alike, moved }: Cause, payouts: readonly PayoutChange[]): PayoutChange | undefined {
  if (moved[0] !== 'revenue_per_sale') return undefined;
  const offers = [...groups, ...alike].filter(({ dimension }) => dimension === 'offer').map(({ value }) => value);
  return payouts.find(({ offer }) => offers.includes(offer));
}

/** `Profit fell by 90.00 USD (120.00 to 30.00): -58.00 because landing page “Quiz” got no more visits since Tue 17 Nov; ...` */
function summarize(
  { measure, whole, restFactors, usual, currency }: Found,
  causes: Explanation['causes'],
  otherVisits: number,
): string {
  const [before, after] = [profitOf(whole.before), profitOf(whole.after)];
  const change = after - before;
  const unit = currency === undefined ? '' : ` ${currency}`;
  const direction = change < 0 ? 'fell' : 'rose';
  const head = `${measure} ${direction} by ${Math.abs(change).toFixed(2)}${unit} (${before.toFixed(2)} to ${after.toFixed(2)})`;
  const reasons = causes.map((cause) => causeInWords(cause, signed));
  const [largest] = restFactors;
  const others = causes.length === 0 ? 'all visits alike' : 'all other visits';
  const ofRest = largest && Math.abs(largest.effect) >= 0.01 ? `, mostly ${nameFactor(largest)}` : '';
  const all = [...reasons, `${signed(otherVisits)} from ${others}${ofRest}`];
  const hasSure = causes.some(({ is_sure }) => is_sure);
  return `${head}: ${all.join('; ')}. ${chanceInWords(change, usual.amount, hasSure)}`;
}

function renderText({ summary, before, after, factors, values, changes, notices }: Explanation): string {
  const line = (name: string, sums: JsonRecord) => [name, ...measures.map((measure) => sums[measure])].join('\t');
  return [
    summary,
    '',
    ['', ...measures].join('\t'),
    line('before', before),
    line('after', after),
    '',
    ...factors.map(
      ({ factor, before, after, effect }) => `${factor}\t${before ?? ''}\t${after ?? ''}\t${signed(effect)}`,
    ),
    ...(values.rows.length === 0 ? [] : ['', values.columns.join('\t'), ...values.rows.map((row) => row.join('\t'))]),
    ...(changes.length === 0 ? [] : ['', 'Changed by this server']),
    ...changes,
    '',
    ...notices,
  ].join('\n');
}

const measures = ['views', 'clicks', 'conversions', 'cost', 'revenue', 'profit'] as const;
