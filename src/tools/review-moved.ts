import { type Finding, type PartInCampaign, reviewedDays } from '../analysis/account-review.ts';
import { valueAt } from '../analysis/coded.ts';
import { type MoneyOfMove, MovedVisits } from '../analysis/moved-money.ts';
import { hourMs } from '../api/durations.ts';
import { listsOf } from './review-placements.ts';
import type { CampaignVisits } from './reviewed-visits.ts';
import { isOnePool } from './rotation/pool.ts';

/** What shares that were changed elsewhere brought a day since; undefined of other findings. */
export function moneyOfMove(
  { kind, campaign, dimension, age }: Finding,
  visits: readonly CampaignVisits[],
  clock: number,
  partIn: PartInCampaign,
): MoneyOfMove | { readonly why: 'several-kinds' } | undefined {
  if (kind !== 'changed_elsewhere') return undefined;
  const moved = new MovedVisits(age, (days) => partIn(days, campaign));
  const arrivals = { all: 0, direct: 0 };
  const lists = listsOf({ campaign, age: reviewedDays * 24 }, visits, clock);
  for (const { rows, moments, readingOf, amounts } of lists) {
    const [landings, offers] = [readingOf('landing_page'), readingOf('offer')];
    for (const row of rows) {
      const landing = landings && valueAt(landings, row);
      const offer = offers && valueAt(offers, row);
      arrivals.all += Number(landing != null || offer != null);
      arrivals.direct += Number(landing == null && offer != null);
      const page = dimension === 'offer' ? offer : landing;
      const hours = (clock - (moments[row] ?? Number.NaN)) / hourMs;
      if (page != null) moved.add(page, hours, amounts.conversions[row] ?? 0, amounts.revenue[row] ?? 0);
    }
  }
  return isOnePool(lists[0]?.campaign, arrivals) ? { why: 'several-kinds' } : moved.perDay();
}
