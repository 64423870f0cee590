import * as z from 'zod';
import {
  type Cause,
  type Factor,
  type FactorEffect,
  type Group,
  type Mix,
  type PayoutChange,
  type ProfitChange,
  profitOf,
  type ShareOfTraffic,
  type SpanSums,
  toCents,
} from '../../analysis/profit-change.ts';
import { decimalsFor, nameValue, sayMove } from '../../answer/change-notes.ts';
import { type Note, type Notice, sayNotice, type Unworded } from '../../answer/notes.ts';
import { dayInWords } from '../../answer/words.ts';
import { amountInWords, joinWords } from '../../api/rules.ts';
import { fromOutside, shown } from '../../api/text/tracker-text.ts';
import type { Answer, JsonRecord, Query } from '../define-tool.ts';
import { strangersText } from '../present/cells.ts';
import { causeInWords, chanceInWords } from '../present/for-views.ts';
import { query } from '../present/outputs.ts';
import { type Spans, spansInWords } from './read-span-visits.ts';

const sums = z.record(z.string(), z.number());

/** What explain_change returns. Money is in the currency of the tracker. */
export const explanationOutput = z.object({
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
      /** The factor that moved. */
      factor: z.string(),
      change: z.number(),
      /** The part of its change that the named factor carries. */
      carried: z.number(),
      since: z.union([z.string(), z.null()]),
      is_sure: z.boolean(),
    }),
  ),
  other_visits: z.number(),
  /** The causes, then the values that moved most compared with the rest: a name and a number for each further column. */
  values: z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.union([z.string(), z.number()]))) }),
  changes: z.array(z.string()),
  notices: z.array(z.string()),
});

export type Explanation = z.infer<typeof explanationOutput>;

/** Everything that is known about a change. */
export interface ExplainedChange extends ProfitChange {
  readonly query: Query;
  readonly spans: Spans;
  /** Whether all visits of the spans were read. */
  readonly isWhole: boolean;
  /** The revenue that late sales of the later span will probably bring; undefined if that is negligible. */
  readonly expectedRevenue: number | undefined;
  readonly currency: string | undefined;
  /** What is explained: revenue if cost is unknown. */
  readonly measure: 'Profit' | 'Revenue';
  readonly changes: readonly string[];
  /** Who changed the share of a page, as the end of a sentence; empty if that is not known. */
  readonly shareChangedBy: string;
  readonly notices: readonly Notice[];
}

/** With fewer sales in both spans, one or two decide the change. */
const minSales = 20;

/** A cause within one campaign and its value over all of them are the same visits where no other campaign has it. */
const haveSameFigures = ([, ...one]: readonly unknown[], [, ...other]: readonly unknown[]) =>
  JSON.stringify(one) === JSON.stringify(other);

export function presentExplanation(explained: ExplainedChange): Answer {
  const { currency, whole, factors, rest, movers, usual, mixes, payouts, decisive, changes } = explained;
  const causes = explained.causes.map((cause) => ({ ...cause, since: payoutOf(cause, payouts)?.since ?? cause.since }));
  const [before, after] = [showSums(whole.before), showSums(whole.after)];
  const change = cents((after['profit'] ?? 0) - (before['profit'] ?? 0));
  const effects = toCents(
    factors.map(({ effect }) => effect),
    change,
  );
  const rows = [
    ...causes.map((cause) => rowOf(nameGroups(cause.groups), cause)),
    ...movers.map((mover) => rowOf(nameGroups([mover]), mover)),
  ].filter((row, index, all) => all.findIndex((other) => haveSameFigures(other, row)) === index);
  const parts = toCents(
    [...causes, rest].map(({ before, after }) => profitOf(after) - profitOf(before)),
    change,
  );
  const shownCauses = causes.map((cause, index) => ({
    what: describeCause(cause, explained.shareChangedBy),
    where: valuesOf(cause.groups),
    ...(cause.placement ? { placement: valuesOf([cause.placement]) } : {}),
    factor: cause.moved[0] ?? '',
    change: parts[index] ?? 0,
    carried: cents(cause.factors.find(({ factor }) => factor === cause.moved[0])?.effect ?? 0),
    since: cause.since ?? null,
    is_sure: cause.isSure,
  }));
  const structured: Unworded<Explanation> = {
    query: currency === undefined ? explained.query : { ...explained.query, currency },
    summary: summarize(explained, { before, after, change, effects, causes: shownCauses, rest: parts.at(-1) ?? 0 }),
    before,
    after,
    change,
    usual_change: cents(usual.amount),
    factors: factors.map(({ factor, before, after }, index) => ({
      factor,
      before: before === null ? null : roundFactor(factor, before),
      after: after === null ? null : roundFactor(factor, after),
      effect: effects[index] ?? 0,
    })),
    causes: shownCauses,
    other_visits: parts.at(-1) ?? 0,
    values: { columns: ['What', ...valueColumns.map(({ name }) => name)], rows },
    changes: [...changes],
    notices: [
      ...payouts.map(
        ({ offer, before, after, since }) => ({ code: 'payout-moved', offer, before, after, since }) as const,
      ),
      ...mixes.slice(0, 1).map(mixNote),
      ...(usual.conversions < minSales ? [{ code: 'few-sales', sales: usual.conversions } as const] : []),
      ...(decisive
        ? [
            {
              code: 'one-sale-decides',
              ...{ revenue: decisive.revenue, day: decisive.day, changeWithout: decisive.changeWithout },
            } as const,
          ]
        : []),
      ...explained.notices,
      strangersText,
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

const cents = (amount: number): number => Math.round(amount * 100) / 100 || 0;

const roundFactor = (factor: Factor, value: number): number =>
  factor === 'visits' ? value : Number(value.toPrecision(4));

function showSums({ views, clicks, conversions, cost, revenue }: SpanSums['before']): Record<string, number> {
  return { views, clicks, conversions, cost: cents(cost), revenue: cents(revenue), profit: cents(revenue - cost) };
}

/** The change of payout that explains a cause, if there is one. Both then name the same day. */
function payoutOf({ groups, alike, moved }: Cause, payouts: readonly PayoutChange[]): PayoutChange | undefined {
  if (moved[0] !== 'revenue_per_sale') return undefined;
  const offers = [...groups, ...alike].filter(({ dimension }) => dimension === 'offer').map(({ value }) => value);
  return payouts.find(({ offer }) => offers.includes(offer));
}

interface ShownNumbers extends Pick<Explanation, 'before' | 'after' | 'change' | 'causes'> {
  /** The effect of each factor. */
  readonly effects: readonly number[];
  /** The change of all other visits. */
  readonly rest: number;
}

/**
 * `Profit of Mon 16 Nov to Sun 22 Nov fell by 90.00 USD against Mon 9 Nov to Sun 15 Nov (120.00 to 30.00): -58.00 because landing
 * page “Quiz” stopped getting visits (420 before) since Tue 17 Nov; -32.00 from everything else, which ...`
 */
function summarize(
  { measure, factors, restFactors, usual, currency, spans, isWhole, expectedRevenue }: ExplainedChange,
  { before, after, change, effects, causes, rest }: ShownNumbers,
): string {
  const unit = currency === undefined ? '' : ` ${currency}`;
  const [then, now] = spansInWords(spans);
  const values = `${amountInWords(before['profit'] ?? 0)} to ${amountInWords(after['profit'] ?? 0)}`;
  const subject = isWhole ? measure : `In the part of the visits that could be read, ${measure.toLowerCase()}`;
  const head = `${subject} of ${now} ${sayMove(change, unit)} against ${then} (${values})`;
  const empty = before['views'] === 0 ? 'earlier' : after['views'] === 0 ? 'later' : undefined;
  if (empty) return `${head}. There were no visits in the ${empty} days, so nothing can be compared.`;
  const hasSureCause = causes.some(({ is_sure }) => is_sure);
  const lateWords = expectedRevenue === undefined ? '' : `expected to bring ${amountInWords(expectedRevenue)} more`;
  // What is only not in yet is no loss, so it is said first where it may be the larger part.
  const isLateFirst = change < 0 && (expectedRevenue ?? 0) >= -change * minLatePart;
  const late = lateWords === '' || isLateFirst ? '' : ` Late sales are ${lateWords}.`;
  const first = isLateFirst ? `Late sales may explain this: they are ${lateWords}. ` : '';
  const end = `${chanceInWords(change, usual.amount, hasSureCause)}${late}`;
  if (causes.length === 0) {
    const main = mainOf(factors, change);
    const effect = main && effects[factors.indexOf(main)];
    const most = main && effect ? `; the main factor, ${signed(effect)}, is that it ${describeFactor(main)}` : '';
    return `${first}${head}. No single part of the traffic explains this${most}. ${end}`;
  }
  const main = mainOf(restFactors, rest);
  const reasons = causes.map((cause) => causeInWords(cause, signed));
  const told = change === 0 ? 0 : Math.round((1 - rest / change) * 100);
  const part = told > 0 && told < 50 ? `${told}% of it: ` : '';
  const others = `${signed(rest)} from everything else${main ? `, which ${describeFactor(main)}` : ''}`;
  return `${first}${head}: ${part}${[...reasons, others].join('; ')}. ${end}`;
}

/** Late sales that would make up for this part of a loss are said first. */
const minLatePart = 0.5;

/** The factor with the largest effect in the direction of a change. */
function mainOf(factors: readonly FactorEffect[], change: number): FactorEffect | undefined {
  const [main] = factors.toSorted((one, other) => (other.effect - one.effect) * Math.sign(change));
  return main && main.effect * change > 0 ? main : undefined;
}

function renderText({ summary, before, after, factors, values, changes, notices }: Unworded<Explanation>): string {
  const line = (name: string, sums: JsonRecord) => [name, ...measures.map((measure) => sums[measure])].join('\t');
  return [
    summary,
    '',
    ['', ...measures].join('\t'),
    line('before', before),
    line('after', after),
    '',
    'factor\tbefore\tafter\tcarries',
    ...factors.map(
      ({ factor, before, after, effect }) => `${factor}\t${before ?? ''}\t${after ?? ''}\t${signed(effect)}`,
    ),
    ...(values.rows.length === 0
      ? []
      : ['', valuesTitle, values.columns.join('\t'), ...values.rows.map((row) => row.join('\t'))]),
    ...(changes.length === 0 ? [] : ['', 'Changed by this server']),
    ...changes,
    '',
    ...notices.map(sayNotice),
  ].join('\n');
}

const valuesTitle = 'Values that moved differently from the rest. They overlap, and are not causes by themselves:';

const measures = ['views', 'clicks', 'conversions', 'cost', 'revenue', 'profit'] as const;

/** An amount of money with its sign: -58.00, +12.50. */
function signed(amount: number): string {
  return `${amount < 0 ? '-' : '+'}${amountInWords(Math.abs(amount))}`;
}

/** `device Phone of landing page “Quiz”` */
function nameGroups(groups: readonly Group[]): string {
  return groups
    .toReversed()
    .map(({ dimension, value }) => nameValue(dimension, value))
    .join(' of ');
}

const valuesOf = (groups: readonly Group[]): Record<string, string> =>
  Object.fromEntries(groups.map(({ dimension, value }) => [dimension, shown(fromOutside(value ?? ''), 100)]));

/** Enough names of the same visits. */
const maxAlike = 2;

/** `landing page “Quiz” stopped getting visits (420 before) since Tue 17 Nov` */
function describeCause(
  { groups, alike, factors, moved, since, noneSince, isSure, share, placement, sale }: Cause,
  byWhom: string,
): string {
  if (sale !== undefined)
    return `${nameGroups(groups)} had one sale of ${amountInWords(sale)} on ${dayInWords(since ?? '')}`;
  const first = factors.find(({ factor }) => factor === moved[0]);
  const named = alike.slice(0, maxAlike).map((group) => nameGroups([group]));
  const more = alike.length > maxAlike ? [`${alike.length - maxAlike} more`] : [];
  const same = alike.length === 0 ? '' : ` (the same visits: ${joinWords([...named, ...more], 'and')})`;
  const what = share ? describeShare(share) : first ? describeFactor(first) : 'moved';
  const isAll = first?.after === 0;
  const when = since === undefined || (noneSince === since && !isAll) ? '' : ` since ${dayInWords(since)}`;
  const none = noneSince === undefined || isAll ? '' : `, none since ${dayInWords(noneSince)}`;
  const who = share ? byWhom : '';
  const isNamed = [...groups, ...alike].some(({ dimension }) => dimension === placement?.dimension);
  const place = placement && !isNamed ? ` (nearly all from ${nameGroups([placement])}, which can be blocked)` : '';
  return `${nameGroups(groups)}${same}${place} ${what}${when}${none}${who}${isSure ? '' : ' (small numbers: this may be chance)'}`;
}

/** `got 19% of the traffic instead of 75%` */
function describeShare({ before, after }: ShareOfTraffic): string {
  const percent = (part: number) => `${part > 0 && part < 1 ? '<1' : Math.round(part)}%`;
  return `got ${percent(after)} of the traffic instead of ${percent(before)}`;
}

const factorWords: Readonly<Record<Factor, readonly [none: string, less: string, more: string]>> = {
  visits: ['stopped getting visits', 'got fewer visits', 'got more visits'],
  cost_per_visit: ['no longer costs anything', 'cost less per visit', 'cost more per visit'],
  clicks_per_visit: ['stopped getting clicks', 'had fewer of its visits click', 'had more of its visits click'],
  sales_per_click: ['stopped selling', 'sold to fewer of its clicks', 'sold to more of its clicks'],
  revenue_per_sale: ['no longer pays', 'paid less per sale', 'paid more per sale'],
};

/** `got fewer visits (420 to 130)`, `paid less per sale (3.00 to 1.50)`, `stopped getting clicks (42.2% before)` */
function describeFactor({ factor, before, after }: FactorEffect): string {
  const [none, less, more] = factorWords[factor];
  if (before === null) return more;
  if (after === null) return none;
  const [scale, unit, minDecimals] = unitOf(factor);
  const decimals = Math.max(decimalsFor(before * scale, after * scale, 3), minDecimals);
  const show = (value: number) => (factor === 'visits' ? String(value) : `${(value * scale).toFixed(decimals)}${unit}`);
  if (after === 0) return `${none} (${show(before)} before)`;
  return `${after < before ? less : more} (${show(before)} to ${show(after)})`;
}

/** Shares are shown in percent. */
function unitOf(factor: Factor): readonly [scale: number, unit: string, minDecimals: number] {
  return factor === 'clicks_per_visit' || factor === 'sales_per_click' ? [100, '%', 1] : [1, '', 2];
}

/** An average that moves against all its parts, and the part whose size grew most. */
function mixNote({ dimension, isBetterInParts, before, after, parts }: Mix): Note {
  const [grown] = parts.toSorted((a, b) => b.shareAfter - b.shareBefore - (a.shareAfter - a.shareBefore));
  const { value = null, shareBefore = 0, shareAfter = 0 } = grown ?? {};
  return {
    ...{ code: 'mix-shift', dimension, isBetterInParts, before, after },
    grown: grown && { value, shareBefore, shareAfter },
  };
}
