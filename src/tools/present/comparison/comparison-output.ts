import * as z from 'zod';
import type { JsonRecord, Query } from '../../define-tool.ts';

/** A call of a tool that a comparison proposes. */
export type Call = Readonly<{ tool: string; arguments: JsonRecord }>;

const text = z.union([z.string(), z.null()]);
const number = z.union([z.number(), z.null()]);
/** Fields of one kind are listed without their names: every client pays for the schema, and the values say what they are. */
const numbers = z.record(z.string(), z.number());
/** Or why there is none. */
const forecast = z.union([numbers, z.string(), z.null()]);

/** What compare_pages returns. */
export const comparisonOutput = z.object({
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
    }),
  ),
  others: numbers.optional(),
  calls: z.array(z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) })),
  notices: z.array(z.string()),
});

/** The schema says of calls that their arguments are some object; here they are data. */
export type ComparisonResult = Omit<z.infer<typeof comparisonOutput>, 'calls' | 'query'> & {
  readonly query: Query;
  readonly calls: readonly Call[];
};
export type Decision = ComparisonResult['decision'];
export type ShownPage = ComparisonResult['pages'][number];
