/** What a review could not look at for lack of visits, figures or values, and why. */

import type { TroubleKind } from '../../answer/troubles.ts';
import { groupBy } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import type { CampaignHistory } from './campaign-history.ts';
import { minDaysOfDecline } from './declines.ts';
import { isPlacement, minExpected } from './looks.ts';

type Lack =
  | `no_${'clicks' | 'cost' | 'sales' | 'landing_pages' | 'offers' | 'placements'}`
  | `too_few_${'days' | 'visits' | 'sales'}`;

/** What is looked for: a daily cap is found as sales that stop in some hours. */
export type Judged = Exclude<TroubleKind, 'account_dark'> | 'daily_cap';

/** Kinds of findings that could not be looked for in so many campaigns, and what most of these lack. */
export interface NotJudged {
  readonly why: Lack;
  readonly campaigns: number;
  readonly kinds: readonly Judged[];
}

interface Needs {
  /** Of all that is looked for in a campaign. */
  readonly figures?: readonly ('clicks' | 'cost' | 'conversions')[];
  readonly values?: 'landing_pages' | 'offers' | 'placements';
  /** Days before the last 24 hours. */
  readonly days?: number;
  /** Sales from which on it is found wherever it is: its detector is silent if nothing is wrong. */
  readonly sales?: number;
}

const money = ['cost', 'conversions'] as const;

const needsOf: Readonly<Record<Judged, Needs>> = {
  campaign_dark: { days: 3 },
  visits_stopped: { figures: money, days: 3, sales: 0 },
  sales_stopped: { figures: ['clicks', 'conversions'], days: 5 },
  daily_cap: { figures: ['clicks', 'conversions'], days: 4, sales: 2 * minExpected },
  page_without_clicks: { figures: ['clicks'], values: 'landing_pages' },
  clicks_stopped: { figures: ['clicks'], values: 'placements' },
  clicks_fell: { figures: ['clicks'], values: 'landing_pages' },
  clicks_declined: { figures: ['clicks'], values: 'placements', days: minDaysOfDecline - 1 },
  click_rate_fell: { figures: ['clicks'], days: 3, sales: 0 },
  sales_fell: { figures: ['clicks', 'conversions'], days: 3, sales: 2 * minExpected },
  loses_money: { figures: money },
  burning_placement: { figures: money, values: 'placements' },
  clicks_of_no_people: { figures: ['clicks', 'conversions'] },
  payout_fell: { figures: ['conversions'], values: 'offers', sales: minExpected },
  payout_rose: { figures: ['conversions'], values: 'offers', sales: minExpected },
  sales_counted_twice: { figures: ['conversions'], values: 'offers', sales: minExpected },
  cost_missing: { figures: ['cost'], days: 3, sales: 0 },
  cost_odd: { figures: ['cost'], days: 5 },
  cost_rose: { figures: ['cost'], days: 3 },
  visits_grew_unsold: { figures: money, days: 3 },
  page_behind: { figures: ['conversions'], values: 'landing_pages' },
  changed_elsewhere: { values: 'landing_pages', days: 3 },
  decisive_sale: { figures: ['conversions'], sales: 2 },
  page_held_back: { figures: money, values: 'landing_pages', days: 5, sales: 2 * minExpected },
  placement_held_back: { figures: money, values: 'placements', days: 5, sales: 2 * minExpected },
  campaign_held_back: { figures: money, days: 5, sales: 2 * minExpected },
  campaign_capped: { figures: money, days: 8, sales: 2 * minExpected },
};

const dimensionOf = { landing_pages: 'landing_page', offers: 'offer' } as const;

function hasValues({ groups, small }: CampaignHistory, values: 'landing_pages' | 'offers' | 'placements'): boolean {
  if (values !== 'placements') return (groups.get(dimensionOf[values])?.size ?? 0) > 0;
  return [...groups].some(
    ([dimension, histories]) => isPlacement(dimension) && (histories.size > 0 || small.has(dimension)),
  );
}

/** What a campaign lacks; undefined if nothing. */
function lackOf(
  history: CampaignHistory,
  sums: GroupFigures,
  { figures = [], values, days = 0, sales }: Needs,
): Lack | undefined {
  const missing = figures.find((figure) => sums[figure] === 0);
  if (missing !== undefined) return missing === 'conversions' ? 'no_sales' : `no_${missing}`;
  if (values !== undefined && !hasValues(history, values)) return `no_${values}`;
  if (history.pastDays < days) return 'too_few_days';
  if (sales === undefined) return 'too_few_visits';
  return sums.conversions < sales ? 'too_few_sales' : undefined;
}

/** @param isJudged whether a look at a campaign had enough to look at */
export function findNotJudged(
  campaigns: ReadonlyMap<string, CampaignHistory>,
  isJudged: (kind: Judged, campaign: string) => boolean,
): NotJudged[] {
  const all = [...campaigns].map(([id, history]) => ({ id, history, sums: history.sum(0) }));
  const byKind = (Object.entries(needsOf) as [keyof typeof needsOf, Needs][]).flatMap(([kind, needs]) => {
    const lacks = all.flatMap(({ id, history, sums }) =>
      isJudged(kind, id) ? [] : (lackOf(history, sums, needs) ?? []),
    );
    const [most] = [...groupBy(lacks, (lack) => lack)].sort(([, one], [, other]) => other.length - one.length);
    return most ? [{ kind, why: most[0], campaigns: lacks.length }] : [];
  });
  return [...groupBy(byKind, ({ why, campaigns: count }) => `${why} ${count}`).values()].flatMap((alike) => {
    const kinds = alike.map(({ kind }) => kind);
    return alike.slice(0, 1).map(({ why, campaigns: count }) => ({ why, campaigns: count, kinds }));
  });
}
