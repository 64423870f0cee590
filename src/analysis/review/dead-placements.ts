/** Detectors of placements that are dead: what they did before and the campaign's others still do stopped. */

import type { TroubleKind } from '../../answer/troubles.ts';
import { sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type History, stopDays } from './campaign-history.ts';
import {
  type Detector,
  isPlacement,
  type Look,
  leastLikely,
  lookAtValues,
  minExpected,
  minExpectedOfStop,
  ofAtMost,
  perDay,
  placementsIn,
  ratio,
  type Suspicion,
  scatterOver,
  well,
} from './looks.ts';

/** The numbers of days in which a placement may have stopped: most have few sales a day. */
const deadDays = [1, 2, 3, 5, 7] as const;

interface Step {
  /** What must happen, and of what. */
  readonly what: 'conversions' | 'clicks';
  readonly of: 'clicks' | 'views';
  /** With fewer expected, a placement is not looked at. */
  readonly min: number;
}

/** Some last days of a campaign: how much of each day is in, and what happened in them and before. */
interface StopSpan {
  readonly step: Step;
  readonly days: number;
  readonly parts: readonly number[];
  readonly whole: { readonly in: number; readonly now: GroupFigures; readonly past: GroupFigures };
}

/** What is in of the wholes of the last days. */
const inOf = (history: History, { what, of }: Step, days: number, parts: readonly number[]): number =>
  what === 'clicks'
    ? history.sum(0, days)[of]
    : sum(parts.slice(0, days).map((part, age) => history.sum(age, age + 1)[of] * part));

/** A placement is expected to do what it did, as far as the campaign's others still do. */
const stopsAt =
  (step: Step): Detector =>
  (campaign, partIn) => {
    const { what, of, min } = step;
    if (campaign.sum(0)[what] < min) return [];
    const areIn = what === 'clicks' ? () => 1 : partIn;
    const parts = Array.from({ length: Math.max(...deadDays) }, (_, age) => areIn(age));
    const spans = deadDays.map((days) => {
      const whole = { in: inOf(campaign, step, days, parts), now: campaign.sum(0, days), past: campaign.sum(days) };
      return { step, days, parts, whole };
    });
    return lookAtValues(campaign, placementsIn(campaign), (history) => {
      if (history.sum(0)[what] < min) return [];
      if (history.sum(0, stopDays)[of] === 0) return [{ ...well, chance: 0 }];
      return leastLikely(spans.map((span) => lookForStop(history, span)));
    });
  };

function lookForStop(history: History, { step, days, parts, whole }: StopSpan): Look | undefined {
  const { what, of, min } = step;
  const [recent, past, own] = [history.sum(0, days), history.sum(days), inOf(history, step, days, parts)];
  const rest = whole.now[what] - recent[what];
  const usualRest = (whole.in - own) * ratio(whole.past[what] - past[what], whole.past[of] - past[of]);
  const expected = own * ratio(past[what], past[of]) * Math.min(ratio(rest, usualRest), 1);
  if (expected < min) return undefined;
  const scatter = scatterOver(days) + 1 / past[what] + 1 / rest;
  const chances = { ...ofAtMost(0, expected, scatter), isOnlyNone: true } as const;
  if (recent[what] > 0) return { ...well, ...chances, chance: 1 };
  const figures = { visits: recent.views, clicks: recent.clicks, sales: recent.conversions };
  return {
    ...chances,
    age: what === 'clicks' ? history.lastClick : history.lastSale,
    moneyPerDay: perDay(recent.views, days) * ratio(past.revenue, past.views),
    figures: { ...figures, [what === 'clicks' ? 'expected_clicks' : 'expected_sales']: expected },
  };
}

/** Placements whose clicks go on and sell nothing any more. */
export const unsoldPlacements = stopsAt({ what: 'conversions', of: 'clicks', min: minExpectedOfStop });

/** Placements whose visits go on and do not click any more. */
export const unclickedPlacements = stopsAt({ what: 'clicks', of: 'views', min: minExpected });

const stops: ReadonlySet<TroubleKind> = new Set(['sales_stopped', 'page_without_clicks', 'clicks_stopped']);
const falls: ReadonlySet<TroubleKind> = new Set([...stops, 'clicks_fell']);
const others: ReadonlySet<TroubleKind> = new Set(['burning_placement', 'clicks_of_no_people', 'clicks_stopped']);

/** Leaves out a placement that fell or died in a campaign with a dead page or offer, and one of which something else is told. */
export function withoutExplained<Finding extends Suspicion & { readonly campaign: string | undefined }>(
  findings: readonly Finding[],
): readonly Finding[] {
  const isOfPlacement = ({ dimension }: Suspicion) => dimension !== undefined && isPlacement(dimension);
  const explains = (other: Finding, { kind, campaign, dimension, value }: Finding) =>
    other.campaign === campaign &&
    ((stops.has(other.kind) && !isOfPlacement(other)) ||
      (kind === 'clicks_fell' && other.kind === 'clicks_of_no_people') ||
      (others.has(other.kind) && other.kind !== kind && other.dimension === dimension && other.value === value));
  return findings.filter(
    (finding) =>
      !falls.has(finding.kind) || !isOfPlacement(finding) || !findings.some((other) => explains(other, finding)),
  );
}
