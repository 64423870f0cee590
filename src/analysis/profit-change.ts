import { type Causes, findCauses, findMovers, type Mover } from './change/causes.ts';
import { type DecisiveSale, findDecisiveSale, type UsualMove, usualMove } from './change/chance.ts';
import { type FactorEffect, factorEffects } from './change/factors.ts';
import { codeVisits } from './change/group-sums.ts';
import { findMixes, type Mix } from './change/mix.ts';
import { findPayoutChanges, type PayoutChange } from './change/payouts.ts';
import { type SpanSums, type SpanVisits, sumVisits } from './change/span-visits.ts';

export type { Cause, Group, Mover } from './change/causes.ts';
export type { DecisiveSale } from './change/chance.ts';
export { type Factor, type FactorEffect, profitOf, toCents } from './change/factors.ts';
export { codeVisits } from './change/group-sums.ts';
export { findMixes, type Mix } from './change/mix.ts';
export { type PayoutChange, payoutChangeOf } from './change/payouts.ts';
export type { SpanSums, SpanVisit, SpanVisits } from './change/span-visits.ts';

/** All that the visits of two spans say of how profit changed between them. */
export interface ProfitChange extends Causes {
  readonly whole: SpanSums;
  /** What each factor of profit carries of the change. */
  readonly factors: readonly FactorEffect[];
  readonly usual: UsualMove;
  readonly movers: readonly Mover[];
  readonly mixes: readonly Mix[];
  readonly payouts: readonly PayoutChange[];
  readonly decisive: DecisiveSale | undefined;
}

/** More values would not be read. */
const maxMovers = 8;

/** @param days the days of both spans, those without a visit too */
export function explainProfit(visits: SpanVisits, days: Parameters<typeof usualMove>[1]): ProfitChange {
  const whole = sumVisits(visits.rows);
  const coded = codeVisits(visits);
  const payouts = findPayoutChanges(visits);
  return {
    whole,
    factors: factorEffects(whole.before, whole.after),
    ...findCauses(visits, coded, payouts),
    usual: usualMove(visits, days),
    movers: findMovers(coded, maxMovers),
    mixes: findMixes(coded),
    payouts,
    decisive: findDecisiveSale(visits),
  };
}
