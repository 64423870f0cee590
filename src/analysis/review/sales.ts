import { changeOfPayout } from '../change/payouts.ts';
import { sum } from '../statistics/history.ts';
import type { GroupFigures } from '../visit-groups.ts';
import { type CampaignHistory, type History, type PartOfDay, reviewedDays } from './campaign-history.ts';
import {
  chanceOfAtMost,
  leastLikely,
  maxPart,
  minExpected,
  nothing,
  type PartByAge,
  perDay,
  ratio,
  type Suspicion,
  scatterOfRates,
  scatterOver,
  sinceLast,
} from './looks.ts';

/** Sales that stopped, pay less, come from one alone, or are fewer than those of other pages. */

/** The hours over which sales may have stopped. */
const stops = [12, 24, 48, 72] as const;

const stopDays = 3;

/** Clicks go on and sales do not, of the campaign or of one of its offers. */
export function soldNoMore(campaign: CampaignHistory, partIn: PartByAge): Suspicion[] {
  const offers = [...(campaign.groups.get('offer') ?? [])];
  const whole = stopOf(campaign, campaign, partIn);
  if (whole.some(({ chance }) => chance < maxGuess)) return whole;
  return [
    ...whole,
    ...offers.flatMap(([value, history]): Suspicion[] => {
      const about = { kind: 'sales_stopped', dimension: 'offer', value } as const;
      if (history.sum(0, stopDays).clicks === 0) return [{ ...nothing, ...about, chance: 0 }];
      return stopOf(history, campaign, partIn).map((stop) => ({ ...stop, ...about }));
    }),
  ];
}

/** From here on a campaign's own finding stands for those of its parts. */
const maxGuess = 1e-3;

function stopOf(history: History, { pastDays }: CampaignHistory, partIn: PartByAge): Suspicion[] {
  const past = history.sum(stopDays);
  const days = pastDays - stopDays + 1;
  const rate = ratio(past.conversions, past.clicks);
  if (days < 3 || past.conversions < minExpected) return [];
  return leastLikely(
    stops.map((hours): Suspicion | undefined => {
      const isWithinDay = hours === 12;
      const recent = isWithinDay ? history.lastHours(hours).slice(0, 1) : history.days.slice(0, hours / 24);
      const clicks = recent.map((day, age) => day.clicks * (isWithinDay ? partInOfHours(partIn, hours) : partIn(age)));
      const expected = sum(clicks) * rate;
      const conversions = sum(recent.map((day) => day.conversions));
      if (expected < minExpected) return undefined;
      if (conversions > expected * maxPart) return { ...nothing, kind: 'sales_stopped' };
      return {
        kind: 'sales_stopped',
        chance: chanceOfAtMost(conversions, expected, scatterOfRates),
        age: sinceLast(conversions, history.lastSale, hours),
        moneyPerDay: perDay(past.revenue, days),
        figures: { sales: conversions, expected_sales: expected },
      };
    }),
  );
}

/** What is at least in of the sales of the last hours of a day, by what is in of the whole: those that are not may all be of them. */
function partInOfHours(partIn: PartByAge, hours: PartOfDay): number {
  return Math.max(1 - (24 / hours) * (1 - partIn(0)), 0);
}

const payoutDays = 3;

export function fallenPayouts(campaign: CampaignHistory): Suspicion[] {
  return [...(campaign.groups.get('offer') ?? [])].flatMap(([value, history]): Suspicion[] => {
    const sales = campaign.sales.filter(({ offer, conversions }) => offer === value && conversions === 1);
    const change = changeOfPayout(sales.map(({ age, revenue }) => ({ when: -age, revenue })));
    if (!change || change.after >= change.before) return [];
    return [
      {
        kind: 'payout_fell',
        dimension: 'offer',
        value,
        chance: change.chance,
        age: -change.since,
        moneyPerDay: (change.before - change.after) * perDay(history.sum(0, payoutDays).conversions, payoutDays),
        figures: { payout: change.after, payout_before: change.before },
      },
    ];
  });
}

/** The days over which a page may be behind; offers whose sales come late seem to be for some days. */
const behindDays = { landing_page: [3, reviewedDays], offer: [reviewedDays] } as const;

/** A page that sells and earns less than the other pages of the campaign, by more than luck, and still gets traffic. */
export function pagesBehind(campaign: CampaignHistory): Suspicion[] {
  return (['offer', 'landing_page'] as const).flatMap((dimension) => {
    const pages = [...(campaign.groups.get(dimension) ?? [])].filter(([, page]) => page.sum(0, 1).views > 0);
    if (pages.length < 2) return [];
    return pages.flatMap(([value, page]) =>
      leastLikely(
        behindDays[dimension].map((days): Suspicion | undefined => {
          const own = page.sum(0, days);
          const others = pages.filter(([other]) => other !== value).map(([, other]) => other.sum(0, days));
          const sumOf = (measure: keyof GroupFigures) => sum(others.map((other) => other[measure]));
          const rest = { views: sumOf('views'), conversions: sumOf('conversions'), revenue: sumOf('revenue') };
          const expected = own.views * ratio(rest.conversions, rest.views);
          if (expected < minExpected) return undefined;
          const behind = ratio(rest.revenue, rest.views) - ratio(own.revenue, own.views);
          if (behind <= 0 || own.conversions > expected) return { ...nothing, kind: 'page_behind' };
          return {
            kind: 'page_behind',
            dimension,
            value,
            // What the others sell is not known exactly either.
            chance: chanceOfAtMost(own.conversions, expected, scatterOver(days) + 1 / rest.conversions),
            age: Math.min(days * 24, page.firstVisit),
            moneyPerDay: behind * page.sum(0, 1).views,
            figures: {
              visits: own.views,
              sales: own.conversions,
              expected_sales: expected,
            },
          };
        }),
      ),
    );
  });
}

/** The days of which one sale may be the most. */
const decidedDays = 7;

export function decisiveSales(campaign: CampaignHistory): Suspicion[] {
  const week = campaign.sales.filter(({ age }) => age < decidedDays * 24);
  const [largest, ...others] = week.toSorted((one, other) => other.revenue - one.revenue);
  const [, second] = campaign.sales.toSorted((one, other) => other.revenue - one.revenue);
  const middle = others[Math.floor(others.length / 2)];
  const whole = campaign.sum(0, decidedDays);
  if (
    !largest ||
    !middle ||
    others.length < 4 ||
    largest.revenue < 5 * middle.revenue ||
    largest.revenue < 3 * (second?.revenue ?? 0) ||
    largest.revenue < whole.revenue / 2
  )
    return [];
  return [
    {
      kind: 'decisive_sale',
      chance: 0,
      age: largest.age,
      moneyPerDay: perDay(largest.revenue, decidedDays),
      figures: {
        amount: largest.revenue,
        revenue_without: whole.revenue - largest.revenue,
        profit_without: whole.revenue - largest.revenue - whole.cost,
      },
    },
  ];
}
