/** Detectors of placements and parts of the visitors that are dead: what they did before and the campaign's others still do stopped. */

import type { GroupFigures } from '../visit-groups.ts';
import { type History, stopDays } from './campaign-history.ts';
import {
  type Detector,
  dimensionsOfVisits,
  type Look,
  leastLikely,
  lookAtValues,
  minExpected,
  minExpectedOfStop,
  ofAtMost,
  perDay,
  type Rate,
  ratio,
  scatterOver,
  well,
  wholesIn,
} from './looks.ts';

/** The numbers of days in which a placement may have stopped: most have few sales a day. */
const deadDays = [1, 2, 3, 5, 7] as const;

/** What must happen. With fewer expected than the minimum, a value is not looked at. */
type Step = Rate & { readonly min: number };

/** Some last days of a campaign: how much of each day is in, and what happened in them and before. */
interface StopSpan {
  readonly step: Step;
  readonly days: number;
  readonly parts: readonly number[] | undefined;
  readonly whole: { readonly in: number; readonly now: GroupFigures; readonly past: GroupFigures };
}

/** A value is expected to do what it did, as far as the campaign's others still do. */
const stopsAt =
  (step: Step): Detector =>
  (campaign, partIn) => {
    const { what, of, min } = step;
    if (campaign.sum(0)[what] < min) return [];
    const mostDays = Math.max(...deadDays);
    const parts = what === 'clicks' ? undefined : Array.from({ length: mostDays }, (_, age) => partIn(age));
    const spans = deadDays.map((days) => {
      const isIn = wholesIn(campaign, step, parts, 0, days);
      return { step, days, parts, whole: { in: isIn, now: campaign.sum(0, days), past: campaign.sum(days) } };
    });
    return lookAtValues(campaign, dimensionsOfVisits(campaign), (history) => {
      if (history.sum(0)[what] < min) return [];
      if (history.sum(0, stopDays)[of] === 0) return [{ ...well, chance: 0 }];
      return leastLikely(spans.map((span) => lookForStop(history, span)));
    });
  };

function lookForStop(history: History, { step, days, parts, whole }: StopSpan): Look | undefined {
  const { what, of, min } = step;
  const [recent, past, own] = [history.sum(0, days), history.sum(days), wholesIn(history, step, parts, 0, days)];
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

/** Placements and parts of the visitors whose clicks go on and sell nothing any more. */
export const unsoldValues = stopsAt({ what: 'conversions', of: 'clicks', min: minExpectedOfStop });

/** Placements and parts of the visitors whose visits go on and do not click any more. */
export const unclickedValues = stopsAt({ what: 'clicks', of: 'views', min: minExpected });
