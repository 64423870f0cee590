import { campaignTypeNames, traitsOf } from '../../api/campaign-types.ts';
import { isNotBeforePeriod, isWithinPeriod } from './period.ts';

/**
 * The fragments of SQL that the stats reports share. They use the parameters `$campaign`, `$start`, `$end` and `$zone`.
 *
 * Every figure belongs to the day of its visit: clicks and conversions that follow later count where the visit counts, so
 * that a report agrees with itself.
 */

/** The visits of the campaign and period. */
export const isVisitInScope = (visits: string) =>
  `${visits}.campaign_id = $campaign AND ${isWithinPeriod(`${visits}."at"`)}`;

/** The steps that can belong to them, which a join with the visits makes exact. */
export const isStepInReach = (steps: string) =>
  `${steps}.campaign_id = $campaign AND ${isNotBeforePeriod(`${steps}."at"`)}`;

/** The conversions that can belong to them. */
export const isConversionInReach = (conversions: string) => `${conversions}.campaign_id = $campaign`;

export const pagesOfKind = (kind: string) =>
  `(SELECT id FROM campaign_pages WHERE campaign_id = $campaign AND kind = '${kind}')`;

const directLinkTypes = campaignTypeNames.filter((type) => traitsOf(type).isDirectLink).map((type) => `'${type}'`);

/** A step that is a click: on a page's call to action, or, in a direct-link campaign, straight from the ad to an offer. */
export const isClick = (steps: string) => `(${steps}.from_page IS NOT NULL OR ${steps}.page IN (
  SELECT page.id FROM campaign_pages AS page JOIN campaigns AS campaign ON campaign.id = page.campaign_id
  WHERE page.kind = 'offer' AND campaign.type IN (${directLinkTypes.join(', ')})))`;

/**
 * For each of some visits: the landing page it came to first and the offer it was sent to last, as `campaign_pages.id`, and
 * when it first clicked.
 *
 * @param condition which steps, as a condition on `step`
 */
export const journeysOf = (condition: string) => `(
  SELECT step.click_id,
    min_by(step.page, step."at") FILTER (page.kind = 'landing') AS landing_page,
    max_by(step.page, step."at") FILTER (page.kind = 'offer') AS offer_page,
    min(step."at") FILTER (${isClick('step')}) AS first_click
  FROM steps AS step JOIN campaign_pages AS page ON page.id = step.page
  WHERE ${condition}
  GROUP BY step.click_id
)`;
