import { valueAt } from '../analysis/coded.ts';
import type { Coded } from '../api/table.ts';
import type { ListedCampaign } from './campaigns.ts';

/** The visits that a placement may carry. */
export interface CarriedVisits {
  readonly rows: readonly number[];
  readonly campaignOf: (row: number) => ListedCampaign | undefined;
  readonly momentOf: (row: number) => number;
  /** The value that a finding is about, and the placement, of each visit. */
  readonly values: Coded<string | null | undefined> | undefined;
  readonly placements: Coded<string | null | undefined> | undefined;
}

/** A placement carries a value if it has this part of its visits, and at most the second part of the campaign's others. */
const [minCarried, maxOfOthers] = [0.8, 0.5];

/** The placement that nearly all visits of a campaign with a value are from, in some time; undefined if none stands out. */
export function placementCarrying(
  value: string,
  lists: readonly CarriedVisits[],
  { campaign, from, to }: { readonly campaign: ListedCampaign; readonly from: number; readonly to: number },
): string | undefined {
  const [own, others] = [new Map<string, number>(), new Map<string, number>()];
  const counts = { own: 0, others: 0 };
  for (const { rows, campaignOf, momentOf, values, placements } of lists) {
    if (!values || !placements) continue;
    for (const row of rows) {
      const at = momentOf(row);
      if (at < from || at > to || campaignOf(row) !== campaign) continue;
      const isOwn = valueAt(values, row) === value;
      const placement = valueAt(placements, row) ?? '';
      const counted = isOwn ? own : others;
      counted.set(placement, (counted.get(placement) ?? 0) + 1);
      counts[isOwn ? 'own' : 'others'] += 1;
    }
  }
  const [carrying] = [...own].find(
    ([placement, count]) =>
      placement !== '' &&
      count >= minCarried * counts.own &&
      (others.get(placement) ?? 0) <= maxOfOthers * counts.others,
  ) ?? [undefined];
  return carrying;
}
