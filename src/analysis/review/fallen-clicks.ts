import { reviewedDays } from './campaign-history.ts';
import {
  chanceOfAtMost,
  clickDays,
  type Detector,
  leastLikely,
  lookAtValues,
  minExpected,
  perDay,
  ratio,
  scatterOver,
  well,
} from './looks.ts';

/** After so many days too few are left that show what was usual. */
export const fallenClickDays = reviewedDays - 7;

/** Down to this part of the expected clicks, a page is merely worse. */
const maxPartOfClicks = 0.67;

/**
 * Pages that are clicked less than before, though the other pages of the campaign are not: a page that is slow, or broken for some.
 * Visitors are drawn at random, so that all pages have the same ones.
 */
export const fallenClicks: Detector = (campaign) =>
  lookAtValues(campaign, ['landing_page'], (page) =>
    leastLikely(
      clickDays.map((days) => {
        const [all, whole, now, before] = [
          campaign.sum(0, days),
          campaign.sum(days),
          page.sum(0, days),
          page.sum(days),
        ];
        const others = ratio(all.clicks - now.clicks, all.views - now.views);
        const usualOfOthers = ratio(whole.clicks - before.clicks, whole.views - before.views);
        const usual = ratio(before.clicks, before.views);
        // Clicks of all pages fall with other visitors.
        const expected = now.views * usual * Math.min(ratio(others, usualOfOthers), 1);
        if (expected < minExpected) return undefined;
        const { views: visits, clicks } = now;
        if (clicks > expected * maxPartOfClicks) return well;
        const few = 1 / before.clicks + 1 / (all.clicks - now.clicks) + 1 / (whole.clicks - before.clicks);
        return {
          chance: chanceOfAtMost(clicks, expected, scatterOver(days) + few),
          age: days * 24,
          moneyPerDay: perDay((expected - clicks) * ratio(whole.revenue, whole.clicks), days),
          figures: { visits, clicks, expected_clicks: expected, days },
        };
      }),
    ),
  );
