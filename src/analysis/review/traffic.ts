import { at, sum } from '../statistics/history.ts';
import { type CampaignHistory, partsOfDay } from './campaign-history.ts';
import {
  type Account,
  chanceOfAtMost,
  leastLikely,
  maxPart,
  minExpected,
  nothing,
  type PartByAge,
  perDay,
  ratio,
  type Suspicion,
  scatterOfCounts,
  scatterOfRates,
  scatterOfVisits,
  scatterOver,
  sinceLast,
} from './looks.ts';

/** Visits and clicks that stopped, moved or are of no people. */

export function wentDark(campaign: CampaignHistory, _: PartByAge, { isSeenUntilNow }: Account): Suspicion[] {
  const { pastDays, lastVisit } = campaign;
  if (pastDays < 3) return [];
  const past = campaign.sum(1);
  return leastLikely(
    partsOfDay.map((hours): Suspicion | undefined => {
      if (hours < 24 && !isSeenUntilNow) return undefined;
      const [now, ...before] = campaign.lastHours(hours).slice(0, pastDays + 1);
      const counts = before.map(({ views }) => views);
      const expected = Math.min(perDay(sum(counts), pastDays), usualOfWeekday(counts));
      if (!now || expected < minExpected) return undefined;
      const { views } = now;
      if (views > expected * maxPart) return { ...nothing, kind: 'campaign_dark' };
      return {
        kind: 'campaign_dark',
        chance: chanceOfAtMost(views, expected, scatterOfCounts(counts, scatterOfVisits)),
        age: sinceLast(views, lastVisit, hours),
        moneyPerDay: Math.max(perDay(past.revenue - past.cost, pastDays), 0),
        figures: { visits: views, usual_visits: expected, hours },
      };
    }),
  );
}

/** The visits on the same day of the weeks before; infinite if there was none. */
function usualOfWeekday(counts: readonly number[]): number {
  const same = counts.filter((_, index) => (index + 1) % 7 === 0);
  return same.length === 0 ? Number.POSITIVE_INFINITY : sum(same) / same.length;
}

export function pagesWithoutClicks(campaign: CampaignHistory): Suspicion[] {
  const whole = campaign.sum(1);
  return [...(campaign.groups.get('landing_page') ?? [])].flatMap(([value, page]) => {
    const about = { kind: 'page_without_clicks', dimension: 'landing_page', value } as const;
    if (at(page.days, 0).views === 0) return [{ ...nothing, ...about, chance: 0 }];
    const past = page.sum(1);
    const usual = past.views >= minExpected ? past : whole;
    return leastLikely(
      partsOfDay.map((hours): Suspicion | undefined => {
        const { views, clicks } = at(page.lastHours(hours), 0);
        const expected = views * ratio(usual.clicks, usual.views);
        if (expected < minExpected) return undefined;
        if (clicks > expected * maxPart) return { ...nothing, ...about };
        return {
          ...about,
          chance: chanceOfAtMost(clicks, expected, scatterOfRates),
          age: sinceLast(clicks, Math.min(page.lastClick, page.firstVisit), hours),
          moneyPerDay: at(page.days, 0).views * ratio(usual.revenue, usual.views),
          figures: { visits: views, clicks, expected_clicks: expected, hours },
        };
      }),
    );
  });
}

/** People do not click this often. */
const robotRate = 0.8;

const robotDays = [1, 3] as const;

export function clicksOfNoPeople(campaign: CampaignHistory): Suspicion[] {
  const all = campaign.sum(0);
  return [...campaign.groups]
    .filter(([dimension]) => dimension !== 'offer')
    .flatMap(([dimension, values]) =>
      [...values].flatMap(([value, history]) =>
        leastLikely(
          robotDays.map((days): Suspicion | undefined => {
            const own = history.sum(0, days);
            const rest = {
              clicks: all.clicks - own.clicks,
              views: all.views - own.views,
              conversions: all.conversions - own.conversions,
            };
            const [rate, usualRate] = [ratio(own.clicks, own.views), ratio(rest.clicks, rest.views)];
            const expected = own.clicks * ratio(rest.conversions, rest.clicks);
            const isRobotic = rate >= robotRate && rate >= 2 * usualRate;
            // So many clicks say it without many sales to miss; but a page may be made so that each visit clicks.
            const isSure = isRobotic && dimension !== 'landing_page' && own.conversions <= expected * maxPart;
            if (expected < (isSure ? minExpectedOfRobots : minExpected)) return undefined;
            if (!isRobotic) return { ...nothing, kind: 'clicks_of_no_people' };
            const ofSales = chanceOfAtMost(own.conversions, expected, scatterOver(days));
            const ofClicks = chanceOfAtMost(own.views - own.clicks, own.views * (1 - usualRate), scatterOfRates);
            return {
              kind: 'clicks_of_no_people',
              dimension,
              value,
              chance: isSure ? Math.min(ofSales, ofClicks) : ofSales,
              age: days * 24,
              moneyPerDay: perDay(own.cost, days),
              figures: { clicks: own.clicks, visits: own.views, sales: own.conversions, expected_sales: expected },
            };
          }),
        ),
      ),
    );
}

/** With fewer sales expected, none says nothing. */
const minExpectedOfRobots = 0.5;

/** Shares of pages wander this much from day to day, beyond chance. */
const shareScatter = 0.1;

/** The traffic of a page went to others at once, as it does if somebody changes shares. */
export function changedElsewhere(campaign: CampaignHistory): Suspicion[] {
  const past = campaign.sum(1);
  if (campaign.pastDays < 3) return [];
  return [...(campaign.groups.get('landing_page') ?? [])].flatMap(([value, page]) => {
    const before = ratio(page.sum(1).views, past.views);
    return leastLikely(
      partsOfDay.map((hours): Suspicion | undefined => {
        const all = at(campaign.lastHours(hours), 0).views;
        const own = at(page.lastHours(hours), 0).views;
        const expected = before * all;
        if (all < 50 || expected < minExpected) return undefined;
        if (own >= expected / 2) return { ...nothing, kind: 'changed_elsewhere' };
        return {
          kind: 'changed_elsewhere',
          dimension: 'landing_page',
          value,
          chance: chanceOfAtMost(own, expected, shareScatter ** 2),
          age: sinceLast(own, page.lastVisit, hours),
          moneyPerDay: 0,
          figures: { percent_of_visits: ratio(own, all) * 100, percent_before: before * 100 },
        };
      }),
    );
  });
}
