import type { TokenSlot } from '../../api/token-slots.ts';
import type { CampaignPage } from '../rotation/choose-page.ts';
import { arrive, click, convert } from '../rotation/journey.ts';
import type { Random } from '../rotation/random.ts';
import { type Conversion, moneyFrom, type Records, type Visit } from '../rotation/records.ts';
import { type Day, drawMoment, drawOrigin, drawRobot, pickEvenly } from './audience.ts';
import { type PlannedCampaign, robotClickRate, type TrafficPlan, type Word } from './traffic-plans.ts';

/** What goes on from visitor to visitor: the last click ID given, and how many visitors each offer has had. */
export interface Progress {
  lastClickId: number;
  readonly offerVisitors: Map<number, number>;
}

export type Journeys = { readonly [Table in keyof Records]-?: NonNullable<Records[Table]>[number][] };

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** Plays one visitor from its arrival to where it turns away or converts, and adds what is recorded to `journeys`. */
function simulateVisitor(
  planned: PlannedCampaign,
  { at, daysAgo }: { readonly at: number; readonly daysAgo: number },
  progress: Progress,
  random: Random,
  journeys: Journeys,
): void {
  const { plan, campaign } = planned;
  const brokenPage = plan.broken && daysAgo <= plan.broken.sinceDaysAgo ? plan.broken.page : undefined;
  const clickId = ++progress.lastClickId;
  const keyword = planned.drawKeyword(random);
  const ad = planned.drawAd(random);
  const robot = keyword.robots || ad.robots;
  const arrival = arrive(
    campaign,
    {
      clickId,
      at,
      parameter: drawLink(planned, keyword, ad, clickId, random),
      origin: robot ? drawRobot(random) : drawOrigin(random),
      referrer: pickEvenly(plan.referrers, random) ?? null,
    },
    random,
  );
  if (arrival.kind === 'nowhere') return;
  journeys.visits.push(arrival.visit);
  journeys.steps.push(arrival.step);

  let { page } = arrival;
  let moment = at;
  while (page.kind !== 'offer') {
    if (page.pageId === brokenPage) return;
    const interest = (plan.clickRates[page.pageId] ?? 0) * (keyword.clicks ?? 1) * (ad.clicks ?? 1);
    if (random() >= (robot ? robotClickRate : interest)) return;
    moment += robot ? Math.floor(80 + random() * 800) : Math.floor(2 * second + drawSkewed(28 * second, random));
    const optionGroup = page.level === planned.lastLevel ? planned.drawOptionGroup?.(random) : undefined;
    const next = click(campaign, { clickId, at: moment, path: arrival.visit.path, from: page, optionGroup }, random);
    if (next.kind === 'nowhere') return;
    journeys.steps.push(next.step);
    if (next.subscriber) journeys.subscribers.push(next.subscriber);
    page = next.page;
  }
  const conversion = drawConversion(planned, arrival.visit, page, moment, [keyword, ad], progress, random);
  if (conversion) journeys.conversions.push(conversion);
}

/** The parameters of the campaign link as the traffic source would fill them in. */
function drawLink(
  { plan, tokenValues }: PlannedCampaign,
  keyword: Word,
  ad: Word,
  clickId: number,
  random: Random,
): (parameter: string) => string | null {
  const drawn: Partial<Record<TokenSlot, () => string | null>> = {
    Keyword: () => keyword.text,
    AdValue: () => ad.text,
    Cost: () => drawCost(plan, keyword, ad, random),
    ExternalID: () => `x${(clickId * 7919 + 100_003).toString(36)}`,
  };
  return (parameter) => {
    const token = tokenValues.get(parameter);
    if (!token) return null;
    const draw = drawn[token.slot];
    return draw ? draw() : (pickEvenly(token.values, random) ?? null);
  };
}

/** A price in dollars with four decimals, null if the traffic source passes none. */
function drawCost({ cost }: TrafficPlan, keyword: Word, ad: Word, random: Random): string | null {
  if (!cost) return null;
  const [lowest, highest] = cost;
  return ((lowest + random() * (highest - lowest)) * (keyword.cost ?? 1) * (ad.cost ?? 1)).toFixed(4);
}

/** Whether a visitor who reached an offer converts there, and what the offer source then reports. */
function drawConversion(
  { plan }: PlannedCampaign,
  visit: Visit,
  offer: CampaignPage,
  reachedAt: number,
  words: readonly Word[],
  progress: Progress,
  random: Random,
): Conversion | undefined {
  const visitors = (progress.offerVisitors.get(offer.id) ?? 0) + 1;
  progress.offerVisitors.set(offer.id, visitors);
  const { rate = 0, converting, pays } = plan.offers[offer.pageId] ?? {};
  const mayConvert = words.every((word) => word.converts !== false);
  if (!(converting ? converting(visitors) : mayConvert && random() < rate)) return undefined;
  const paid = pays && pickEvenly(pays, random);
  return convert(
    { clickId: visit.clickId, campaignId: visit.campaignId, offerPage: offer.id, at: reachedAt + drawDelay(random) },
    {
      revenue: paid === undefined ? offer.payout : moneyFrom(paid),
      add: false,
      status: random() < 0.85 ? 'approved' : 'pending',
      transactionId: `T-${Math.floor(random() * 36 ** 6)
        .toString(36)
        .padStart(6, '0')
        .toUpperCase()}`,
      custom: [random() < 0.7 ? 'new customer' : 'returning customer'],
    },
  );
}

/** Most conversions come within the hour, one in five only after days. */
function drawDelay(random: Random): number {
  const typical = random() < 0.8 ? 14 * minute : 1.4 * day;
  return Math.floor(Math.min(minute + drawSkewed(typical, random), 6 * day));
}

/** A duration around a typical one, never negative, now and then several times as long (log-normal, Box-Muller). */
function drawSkewed(typical: number, random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return typical * Math.exp(0.8 * normal);
}

/** Plays one day of all campaigns, its visitors in the order of their arrival; what they do may reach into later days. */
export function simulateDay(
  campaigns: readonly PlannedCampaign[],
  day: Day,
  progress: Progress,
  random: Random,
): Journeys {
  const arrivals = campaigns
    .filter(({ plan }) => day.daysAgo >= (plan.endedDaysAgo ?? 0))
    .flatMap((campaign) =>
      Array.from({ length: Math.round(campaign.plan.visitsPerDay * day.weight) }, () => ({
        campaign,
        at: drawMoment(day, random),
      })),
    )
    .sort((a, b) => a.at - b.at);
  const journeys: Journeys = { visits: [], steps: [], subscribers: [], conversions: [] };
  for (const { campaign, at } of arrivals)
    simulateVisitor(campaign, { at, daysAgo: day.daysAgo }, progress, random, journeys);
  return journeys;
}
