import * as z from 'zod';
import { explainProfit, type SpanVisit, type SpanVisits } from '../../analysis/profit-change.ts';
import * as is from '../../api/parameters.ts';
import { inPercent, type PartIn, partInOfSpan, readPartIn, worthSaying } from '../account/late-sales.ts';
import { defineTool } from '../define-tool.ts';
import { periodNames, zoneNotice } from '../period.ts';
import { changesBetween } from './changes-between.ts';
import { explanationOutput, presentExplanation } from './present.ts';
import { readSpanVisits } from './read-span-visits.ts';
import { type Spans, settleSpans } from './spans.ts';

/** Why profit changed between two spans of days. It only reads. */
export const explainChange = defineTool({
  name: 'explain_change',
  title: 'Why profit changed',
  description:
    'Why profit moved between two spans of days: how much visits, cost a visit, clicks, sales and payouts carry of it (Shapley values, adding up to the cent); ' +
    'which page, offer, placement, token, device, country, hour did it and since when; what moves by chance anyway; what this server changed. ' +
    'Use it for "why is profit down". Without days: the last 7 whole ones against the 7 before.',
  access: 'read',
  input: z.strictObject({
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
  }),
  output: explanationOutput,
  run: async (given, context) => {
    const spans = settleSpans(given, context);
    const [{ visits, hasCost, days, isWhole, basis }, partIn] = await Promise.all([
      readSpanVisits(given.campaign_id, spans, context),
      readPartIn(given.campaign_id, spans.after, context),
    ]);
    const late = lateSales(visits, spans, partIn);
    return presentExplanation({
      query: {
        campaign_id: given.campaign_id,
        start_date: spans.after.start,
        end_date: spans.after.end,
        compare_start: spans.before.start,
        compare_end: spans.before.end,
      },
      spans,
      isWhole,
      toCome: late?.revenue,
      currency: context.currency,
      measure: hasCost ? 'Profit' : 'Revenue',
      ...explainProfit(visits, days),
      changes: await changesBetween(given.campaign_id, spans, context),
      notices: [...(late ? [late.notice] : []), ...basis, ...zoneNotice({ start_date: spans.after.start }, context)],
    });
  },
});

/** What is still to come of the later span, in money and in words; undefined where that is not worth a word. */
function lateSales(
  { rows }: SpanVisits,
  { after }: Spans,
  partIn: PartIn | undefined,
): { readonly revenue: number; readonly notice: string } | undefined {
  const known = partIn && partInOfSpan(partIn, after);
  if (!known || known.part >= worthSaying) return undefined;
  const sold = rows.filter(({ isAfter, conversions }) => isAfter && conversions > 0);
  const toCome = (of: (visit: SpanVisit) => number) =>
    sold.reduce((sum, visit) => sum + of(visit) * (1 / Math.max(partIn(visit.day).part, minPart) - 1), 0);
  const [sales, revenue] = [Math.round(toCome(({ conversions }) => conversions)), toCome(({ revenue }) => revenue)];
  if (sales === 0) return undefined;
  const notice = `Sales come late: about ${inPercent(known)} of those from the later days are in by now. About ${sales} more ${sales === 1 ? 'sale' : 'sales'} and ${revenue.toFixed(2)} of revenue are expected, and in no figure.`;
  return { revenue, notice };
}

/** A day of which hardly anything is in says nothing of what is to come. */
const minPart = 0.1;
