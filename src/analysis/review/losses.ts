import { sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type CampaignHistory, reviewedDays } from './campaign-history.ts';
import {
  type Account,
  chanceOfAtMost,
  leastLikely,
  minExpected,
  nothing,
  type PartByAge,
  perDay,
  ratio,
  type Suspicion,
  scatterOver,
} from './looks.ts';

/** Cost that does not come back, or is missing. */

/** Costs more than it would if it paid for itself and had bad luck. */
function chanceOfLoss(sums: GroupFigures, days: number, meanRevenue: number, part: number): number | undefined {
  const expected = ratio(sums.cost, meanRevenue) * part;
  if (meanRevenue === 0 || expected < minExpected || sums.revenue >= sums.cost * part) return undefined;
  return chanceOfAtMost(sums.revenue / meanRevenue, expected, scatterOver(days));
}

/** What is in of the sales of some days, each taken to sell as much. */
function partInOfDays(partIn: PartByAge, days: number): number {
  return sum(Array.from({ length: days }, (_, age) => partIn(age))) / days;
}

/** The days over which a campaign may lose money. */
const lossDays = [2, 7] as const;

export function lostMoney(campaign: CampaignHistory, partIn: PartByAge, { anyPayout }: Account): Suspicion[] {
  const all = campaign.sum(0);
  if (all.cost === 0) return [];
  // The payout of a campaign without a sale is not known; the highest is that of bad luck.
  const meanRevenue = ratio(all.revenue, all.conversions) || anyPayout;
  return leastLikely(
    lossDays.map((days): Suspicion => {
      const own = campaign.sum(0, days);
      const chance = chanceOfLoss(own, days, meanRevenue, partInOfDays(partIn, days));
      if (chance === undefined) return { ...nothing, kind: 'loses_money' };
      return {
        kind: 'loses_money',
        chance,
        age: days * 24,
        moneyPerDay: perDay(own.cost - own.revenue, days),
        figures: { cost: own.cost, revenue: own.revenue, sales: own.conversions, days },
      };
    }),
  );
}

const notPlacements: ReadonlySet<string> = new Set(['landing_page', 'offer', 'isp']);

/** The days over which a placement may burn. */
const burningDays = [2, reviewedDays] as const;

/** A placement or keyword that loses money itself, and sells less than the campaign does. */
export function burningPlacements(campaign: CampaignHistory, partIn: PartByAge): Suspicion[] {
  const all = campaign.sum(0);
  const meanRevenue = ratio(all.revenue, all.conversions);
  if (meanRevenue === 0) return [];
  return [...campaign.groups]
    .filter(([dimension]) => !notPlacements.has(dimension))
    .flatMap(([dimension, values]) =>
      [...values].flatMap(([value, history]) =>
        leastLikely(
          burningDays.map((days): Suspicion | undefined => {
            const [own, whole] = [history.sum(0, days), campaign.sum(0, days)];
            if (own.cost / meanRevenue < minExpected) return undefined;
            const loss = chanceOfLoss(own, days, meanRevenue, partInOfDays(partIn, days));
            if (loss === undefined) return { ...nothing, kind: 'burning_placement' };
            const rest = {
              views: whole.views - own.views,
              conversions: whole.conversions - own.conversions,
              profit: whole.revenue - own.revenue - (whole.cost - own.cost),
            };
            const expected = (own.views * rest.conversions) / Math.max(rest.views, 1);
            // Where all lose, that which sells as much as others is not the trouble.
            const alike = rest.profit > 0 ? 0 : chanceOfAtMost(own.conversions, expected, scatterOver(days));
            return {
              kind: 'burning_placement',
              dimension,
              value,
              chance: Math.max(loss, alike),
              age: Math.min(days * 24, history.firstVisit),
              moneyPerDay: perDay(own.cost - own.revenue, Math.max(Math.min(days, history.pastDays), 1)),
              figures: { cost: own.cost, revenue: own.revenue, clicks: own.clicks, sales: own.conversions, days },
            };
          }),
        ),
      ),
    );
}

export function missingCost(campaign: CampaignHistory): Suspicion[] {
  const [now, past] = [campaign.sum(0, 1), campaign.days.slice(1, campaign.pastDays + 1)];
  const hadCost = past.filter(({ views, cost }) => views > 0 && cost > 0).length;
  if (now.views < 20 || now.cost > 0 || hadCost < 3 || hadCost < past.length * 0.8) return [];
  const sums = campaign.sum(1);
  return [
    {
      kind: 'cost_missing',
      chance: 0,
      age: 24,
      moneyPerDay: perDay(sums.cost, campaign.pastDays),
      figures: { visits: now.views, usual_cost_a_day: perDay(sums.cost, campaign.pastDays) },
    },
  ];
}
