import {
  type Cause,
  carriedOf,
  type Factor,
  type Group,
  isOfPayout,
  type Mix,
  type ProfitChange,
  profitOf,
  type SpanSums,
  toCents,
} from '../../analysis/profit-change.ts';
import { sum } from '../../analysis/statistics/history.ts';
import type { Block } from '../../answer/blocks.ts';
import type { PayoutChange } from '../../answer/change-notes.ts';
import type { LostSales } from '../../answer/held-in-review.ts';
import type { Note, Notice, Unworded } from '../../answer/notes.ts';
import { describeCause, nameGroups, type ShareChange, sayProfitChange } from '../../answer/profit-change.ts';
import { inCents } from '../../api/rules.ts';
import { fromOutside, shown } from '../../api/text/tracker-text.ts';
import type { explanationOutput } from '../account-tools.ts';
import type { Answer, Query } from '../define-tool.ts';
import type { FromSchema } from '../json-schema.ts';
import { lengthInDays, shiftDays } from '../period.ts';
import { strangersText } from '../present/cells.ts';
import type { Spans } from './read-span-visits.ts';

export type Explanation = FromSchema<typeof explanationOutput>;

/** Everything that is known about a change. */
export interface ExplainedChange extends ProfitChange {
  readonly query: Query;
  readonly spans: Spans;
  /** Whether all visits of the spans were read. */
  readonly isWhole: boolean;
  /** The revenue that late sales of the later span will probably bring; undefined if that is negligible. */
  readonly expectedRevenue: number | undefined;
  /** What networks will probably reject of its pending sales, if these count. */
  readonly toReject: number;
  /** What of its revenue is left out because it is pending; undefined if pending sales count. */
  readonly leftOut: number | undefined;
  /** See `sayProfitChange`. */
  readonly lost: (LostSales & { readonly revenue: number }) | undefined;
  readonly currency: string | undefined;
  /** What is explained: revenue if cost is unknown. */
  readonly measure: 'Profit' | 'Revenue';
  readonly changes: readonly string[];
  readonly shareChange: ShareChange;
  readonly isInactive: (cause: Cause) => boolean;
  /** The revenue that late sales will bring to the visits of a cause; undefined if that is not known. */
  readonly toComeOf: (cause: Cause) => number | undefined;
  readonly notices: readonly Notice[];
}

/** A source that renames a value does so in all of its campaigns. */
const maxReplaced = 3;

/** Whether the money of a cause since it began is other than that of the span, and its own: a missing cost is no gain. */
const hasOwnDays = ({ since, until, share, moved, noneSince, sale }: Cause, start: string) =>
  since !== start &&
  until === undefined &&
  !share &&
  sale === undefined &&
  !(moved[0] === 'cost_per_visit' && noneSince !== undefined);

/** With fewer sales in both spans, one or two decide the change. */
const minSales = 20;

/** A cause within one campaign and its value over all of them are the same visits where no other campaign has it. */
const haveSameFigures = ([, ...one]: readonly unknown[], [, ...other]: readonly unknown[]) =>
  JSON.stringify(one) === JSON.stringify(other);

/** What sales to come will largely make up for is told after what they will not. */
function lateLast<One extends Cause & { readonly toCome: number | undefined }>(causes: readonly One[]): readonly One[] {
  const worthOf = (cause: One) => Math.max(Math.abs(carriedOf(cause)), Math.abs(cause.aDay ?? 0));
  const isLate = (cause: One) => (cause.toCome ?? 0) >= largelyLate * worthOf(cause);
  return causes.toSorted((one, other) => Number(isLate(one)) - Number(isLate(other)));
}

const largelyLate = 0.5;

/** What sure causes lost that late sales will not bring. @param toComeOfAll what these will bring to all visits */
function surelyLostIn(causes: readonly (Cause & { readonly toCome: number | undefined })[], toComeOfAll = 0): number {
  const losses = causes.map((cause) => {
    const { isSure, groups, moved, toCome } = cause;
    const isOfAll = groups.length === 0 && moved.includes('sales_per_click');
    return isSure ? Math.max(-carriedOf(cause) - (toCome ?? (isOfAll ? toComeOfAll : 0)), 0) : 0;
  });
  return sum(losses);
}

export function presentExplanation(explained: ExplainedChange): Answer {
  const {
    currency,
    whole,
    factors,
    rest,
    movers,
    usual,
    mixes,
    payouts,
    counted,
    outstanding,
    replaced,
    updated,
    changes,
  } = explained;
  const causes = lateLast(
    explained.causes.map((cause) => {
      const payout = changeOf(cause, 'revenue_per_sale', payouts);
      const count = changeOf(cause, 'sales_per_click', counted);
      const since = payout?.since ?? count?.since ?? cause.since;
      const isOfDays = since === cause.since;
      return {
        ...cause,
        payout,
        count,
        since,
        until: isOfDays ? cause.until : undefined,
        aDay: isOfDays && hasOwnDays(cause, explained.spans.after.start) ? cause.aDay : undefined,
        isInactive: explained.isInactive(cause),
        toCome: explained.toComeOf(cause),
      };
    }),
  );
  const [before, after] = [showSums(whole.before), showSums(whole.after)];
  const change = inCents((after['profit'] ?? 0) - (before['profit'] ?? 0));
  const effects = toCents(
    factors.map(({ effect }) => effect),
    change,
  );
  const rows = [
    ...causes.map((cause) => rowOf(nameGroups(cause.groups, cause.isOfOthers), cause)),
    ...movers.map((mover) => rowOf(nameGroups([mover]), mover)),
  ].filter((row, index, all) => all.findIndex((other) => haveSameFigures(other, row)) === index);
  const parts = toCents(
    [...causes.map((cause) => cause.others ?? cause), rest].map((part) => profitOf(part.after) - profitOf(part.before)),
    change,
  );
  const { before: earlier, after: later } = explained.spans;
  const unseenBefore = shiftDays(earlier.end, 1) === later.start ? undefined : later.start;
  const shownCauses = causes.map((cause, index) => ({
    what: describeCause(cause, explained.shareChange, unseenBefore),
    where: valuesOf([...cause.groups, ...cause.alike]),
    ...(cause.placement ? { placement: valuesOf([cause.placement]) } : {}),
    factor: cause.moved[0] ?? '',
    change: parts[index] ?? 0,
    carried: inCents(carriedOf(cause)),
    since: cause.since ?? null,
    ...(cause.until === undefined ? {} : { until: cause.until }),
    ...(cause.aDay === undefined ? {} : { a_day: inCents(cause.aDay) }),
    is_sure: cause.isSure,
  }));
  const structured: Unworded<Explanation> = {
    query: currency === undefined ? explained.query : { ...explained.query, currency },
    summary: sayProfitChange({
      ...explained,
      ...{ before, after, change, usual: usual.amount, causes: shownCauses },
      surelyLost: surelyLostIn(causes, explained.expectedRevenue),
      factors: factors.map((factor, index) => ({ ...factor, effect: effects[index] ?? 0 })),
    }),
    before,
    after,
    change,
    usual_change: inCents(usual.amount),
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
      ...weekdaysNote(explained.spans),
      ...payouts.map((payout) => ({ code: 'payout-moved', ...payout }) as const),
      ...counted.map((count) => ({ code: 'sales-counted', ...count }) as const),
      ...replaced.slice(0, maxReplaced).map((values) => ({ code: 'values-replaced', ...values }) as const),
      // A user agent is a version of a browser that is told.
      ...updated
        .filter(({ dimension }, index) => index === 0 || dimension !== 'user_agent')
        .map((versions) => ({ code: 'versions-replaced', ...versions }) as const),
      ...mixes.slice(0, 1).map(mixNote),
      ...(usual.conversions < minSales ? [{ code: 'few-sales', sales: usual.conversions } as const] : []),
      ...(outstanding?.isDecisive
        ? [
            {
              code: 'one-sale-decides',
              ...{ revenue: outstanding.revenue, day: outstanding.day, changeWithout: outstanding.changeWithout },
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
      return { structured: shown, blocks: blocksOf(shown) };
    },
  };
}

const valueColumns = (['views', 'conversions', 'profit'] as const).flatMap((measure) =>
  (['before', 'after'] as const).map((span) => ({ measure, span, name: `${measure} ${span}` })),
);

function rowOf(what: string, sums: SpanSums): (string | number)[] {
  return [what, ...valueColumns.map(({ measure, span }) => showSums(sums[span])[measure] ?? 0)];
}

const roundFactor = (factor: Factor, value: number): number =>
  factor === 'visits' ? value : Number(value.toPrecision(4));

function showSums({ views, clicks, conversions, cost, revenue }: SpanSums['before']): Record<string, number> {
  return {
    views,
    clicks,
    conversions,
    cost: inCents(cost),
    revenue: inCents(revenue),
    profit: inCents(revenue - cost),
  };
}

/** The change of an offer's sales that explains a cause by a factor, if there is one. Both then name the same day. */
function changeOf({ groups, alike, moved }: Cause, factor: Factor, changes: readonly PayoutChange[]) {
  return moved[0] === factor ? changes.find((change) => isOfPayout(change, [...groups, ...alike])) : undefined;
}

function blocksOf({ summary, before, after, factors, values, changes }: Unworded<Explanation>): Block[] {
  const line = (name: string, sums: Explanation['before']) => [
    name,
    ...measures.map((measure) => sums[measure] ?? null),
  ];
  return [
    { is: 'heading', text: summary },
    {
      is: 'table',
      columns: ['', ...measures].map((name) => ({ name })),
      rows: [line('before', before), line('after', after)],
    },
    {
      is: 'table',
      columns: [
        { name: 'factor' },
        ...['before', 'after'].map((name) => ({ name, isMixed: true }) as const),
        { name: 'carries', measure: 'profit', isSigned: true },
      ],
      rows: factors.map(({ factor, before, after, effect }) => [factor, before, after, effect]),
    },
    ...(values.rows.length === 0
      ? []
      : [
          {
            is: 'table' as const,
            title: valuesTitle,
            columns: values.columns.map((name) => ({ name })),
            rows: values.rows,
          },
        ]),
    ...(changes.length === 0 ? [] : ['', 'Changed by this server']),
    ...changes,
    '',
  ];
}

const valuesTitle = 'Values whose profit moved most, often by chance. They overlap, and are no causes by themselves:';

const measures = ['views', 'clicks', 'conversions', 'cost', 'revenue', 'profit'] as const;

const valuesOf = (groups: readonly Group[]): Record<string, string> =>
  Object.fromEntries(groups.map(({ dimension, value }) => [dimension, shown(fromOutside(value ?? ''), 100)]));

/** An average that moves against all its parts, and the part whose size grew most. */
function mixNote({ dimension, isBetterInParts, before, after, parts }: Mix): Note {
  const [grown] = parts.toSorted((a, b) => b.shareAfter - b.shareBefore - (a.shareAfter - a.shareBefore));
  const { value = null, shareBefore = 0, shareAfter = 0 } = grown ?? {};
  return {
    ...{ code: 'mix-shift', dimension, isBetterInParts, before, after },
    grown: grown && { value, shareBefore, shareAfter },
  };
}

/** Weekends have other visits than weekdays: the spans that would have the same weekdays. */
function weekdaysNote({ before, after }: Spans): Note[] {
  const length = lengthInDays(after.start, after.end);
  const beyondWeeks = ({ start }: Spans['after']) =>
    Array.from({ length: length % 7 }, (_, day) => new Date(shiftDays(start, day)).getUTCDay())
      .sort()
      .join();
  if (beyondWeeks(before) === beyondWeeks(after)) return [];
  const start = shiftDays(after.start, -Math.ceil(length / 7) * 7);
  return [{ code: 'other-weekdays', start, end: shiftDays(start, length - 1) }];
}
