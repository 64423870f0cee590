import type { TokenSlot } from '../../api/token-slots.ts';
import type { Campaign, CampaignPage } from '../rotation/choose-page.ts';
import { arrive, click, convert } from '../rotation/journey.ts';
import { pickByWeight, pickEvenly, pickWeighted, type Random } from '../rotation/random.ts';
import { type Conversion, moneyFrom, type Origin, type Visit } from '../rotation/records.ts';
import { noRecords, type Records } from '../store/append-records.ts';
import type { Readable } from '../store/database.ts';
import { readUserAgent } from '../traffic/http.ts';
import type { OfferSource } from './setup.ts';
import { reviews, robotClickRate, type TrafficPlan, type Word } from './traffic-plans.ts';

/** State carried over from visitor to visitor. */
export interface Progress {
  lastClickId: number;
  /** How many visitors each offer has had. */
  readonly offerVisitors: Map<number, number>;
}

export interface PlannedCampaign {
  readonly plan: TrafficPlan;
  readonly campaign: Campaign;
  /** The network of an offer, by the ID of its page. */
  readonly networkOf: (pageId: number) => OfferSource | undefined;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;

/** A day has up to this part more or fewer visitors than others of its weekday, and so has each campaign on it. */
const unrest = 0.06;

/**
 * Plays one day of all campaigns, visitors in the order of their arrival. What they do can reach into later days.
 * @param crowd how many come
 */
export function simulateDay(
  campaigns: readonly PlannedCampaign[],
  day: Day,
  progress: Progress,
  random: Random,
  crowd: Random,
): Records {
  const draw = () => 1 + unrest * (2 * crowd() - 1);
  const ofDay = day.weight * draw();
  const arrivals = campaigns
    .filter(({ plan }) => day.daysAgo >= (plan.endedDaysAgo ?? 0))
    .flatMap((campaign) =>
      Array.from({ length: Math.round(campaign.plan.visitsPerDay * ofDay * draw()) }, () => ({
        campaign,
        at: drawMoment(day, random),
      })),
    )
    .sort((a, b) => a.at - b.at);
  const records = noRecords();
  for (const { campaign, at } of arrivals) simulateVisitor(campaign, at, day, progress, random, records);
  return records;
}

/** Plays one visitor until it leaves or converts, and adds what is recorded to `records`. */
function simulateVisitor(
  planned: PlannedCampaign,
  at: number,
  day: Day,
  progress: Progress,
  random: Random,
  records: Records,
): void {
  const { plan, campaign } = planned;
  const brokenPage = plan.broken && day.daysAgo <= plan.broken.sinceDaysAgo ? plan.broken.page : undefined;
  const clickId = ++progress.lastClickId;
  const keyword = pickByWeight(plan.keywords, random);
  const ad = pickByWeight(plan.ads, random);
  const isRobot = keyword.robots || ad.robots;
  const arrival = arrive(
    campaign,
    {
      clickId,
      at,
      parameter: drawLink(planned, keyword, ad, clickId, random),
      origin: isRobot ? drawRobot(random) : drawOrigin(random),
      referrer: pickEvenly(plan.referrers, random) ?? null,
    },
    random,
  );
  if (arrival.kind === 'nowhere') return;
  records.visits.push(arrival.visit);
  records.steps.push(arrival.step);

  let { page } = arrival;
  let moment = at;
  while (page.kind !== 'offer') {
    if (page.pageId === brokenPage) return;
    const interest = (plan.clickRates[page.pageId] ?? 0) * (keyword.clicks ?? 1) * (ad.clicks ?? 1);
    if (random() >= (isRobot ? robotClickRate : interest)) return;
    moment += isRobot ? Math.floor(80 + random() * 800) : Math.floor(2 * secondMs + drawSkewed(28 * secondMs, random));
    const optionGroup = drawOptionGroup(planned, page, random);
    const next = click(campaign, { clickId, at: moment, path: arrival.visit.path, from: page, optionGroup }, random);
    if (next.kind === 'nowhere') return;
    records.steps.push(next.step);
    if (next.subscriber) records.subscribers.push(next.subscriber);
    page = next.page;
  }
  const conversion = drawConversion(planned, day, arrival.visit, page, moment, [keyword, ad], progress, random);
  if (conversion) records.conversions.push(conversion);
}

/** Returns the parameters of the campaign link as the traffic source fills them in. */
function drawLink(
  { plan, campaign }: PlannedCampaign,
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
    const token = campaign.tokens.find((declared) => declared.parameter === parameter);
    if (!token) return null;
    const draw = drawn[token.slot];
    return draw ? draw() : (pickEvenly(plan.tokens?.[token.slot] ?? [], random) ?? null);
  };
}

/** Visitors choose an option on the page that leads to the offers: in a sequence, on the last level. */
function drawOptionGroup({ plan, campaign }: PlannedCampaign, page: CampaignPage, random: Random): number | undefined {
  const isLast = campaign.pages.every(({ kind, level }) => kind !== 'landing' || level <= page.level);
  if (!plan.options || !isLast) return undefined;
  const groups = plan.options.map((weight, index) => ({ group: index + 1, weight }));
  return pickWeighted(groups, ({ weight }) => weight, random)?.group;
}

/** A price in dollars with four decimals; null if the traffic source passes no cost. */
function drawCost({ cost }: TrafficPlan, keyword: Word, ad: Word, random: Random): string | null {
  if (!cost) return null;
  const [lowest, highest] = cost;
  return ((lowest + random() * (highest - lowest)) * (keyword.cost ?? 1) * (ad.cost ?? 1)).toFixed(4);
}

/** Decides whether a visitor who reached an offer converts, and what the offer source then reports. */
function drawConversion(
  { plan, networkOf }: PlannedCampaign,
  day: Day,
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
  const at = reachedAt + drawDelay(random);
  const said = statusOf(networkOf(offer.pageId), day.daysAgo - Math.floor((at - day.start) / dayMs), random());
  // The few sales of a story stay.
  const status = converting && said === 'rejected' ? 'approved' : said;
  // Networks report a rejected sale with no payout.
  const revenue = status === 'rejected' ? moneyFrom(0) : paid === undefined ? offer.payout : moneyFrom(paid);
  return convert(
    { clickId: visit.clickId, campaignId: visit.campaignId, offerPage: offer.id, at },
    {
      revenue,
      add: false,
      status,
      transactionId: `T-${Math.floor(random() * 36 ** 6)
        .toString(36)
        .padStart(6, '0')
        .toUpperCase()}`,
      custom: [random() < 0.7 ? 'new customer' : 'returning customer'],
    },
  );
}

/** What the network says today of a sale of some days ago. @param luck from 0 to 1, the same on each day */
function statusOf(network: OfferSource | undefined, daysAgo: number, luck: number): string {
  const { days, rejects } = reviews[network ?? 'In-house'];
  const [shortest, longest] = days;
  // Further digits of the same number: who is rejected waits no longer than others.
  const wait = shortest + Math.floor(((luck * 1000) % 1) * (longest - shortest + 1));
  if (daysAgo < wait) return 'pending';
  const [today, thirtyDaysAgo] = rejects;
  return luck < today + ((thirtyDaysAgo - today) * daysAgo) / 30 ? 'rejected' : 'approved';
}

/** Most conversions come within the hour, one in five after days. */
function drawDelay(random: Random): number {
  const typical = random() < 0.8 ? 14 * minuteMs : 1.4 * dayMs;
  return Math.floor(Math.min(minuteMs + drawSkewed(typical, random), 6 * dayMs));
}

/** A duration around a typical one, but sometimes much longer (log-normal, Box-Muller). */
function drawSkewed(typical: number, random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return typical * Math.exp(0.8 * normal);
}

/** The weight of each hour of the day, from midnight: quiet nights, a lunch hour, a long evening. */
const hourWeights = [
  22, 14, 10, 8, 8, 12, 22, 36, 48, 54, 56, 58, 62, 58, 54, 54, 56, 60, 66, 74, 80, 78, 60, 38,
] as const;
const hours = [...hourWeights.keys()];
/** The weight of each day of the week, from Sunday. */
const weekdayWeights = [0.85, 1.05, 1.08, 1.06, 1.04, 1.02, 0.9];

/** A day of the tracker's time zone, from one local midnight to the next, in milliseconds since 1970. */
export interface Day {
  /** 0 is today. */
  readonly daysAgo: number;
  readonly start: number;
  readonly end: number;
  /** How busy it is; the average of the complete days is 1. */
  readonly weight: number;
}

/** The days up to and including today, oldest first. When the clocks change they have 23 or 25 hours. */
export async function listDays(data: Readable, timeZone: string, now: Date, count: number): Promise<Day[]> {
  const rows = await data.query(
    `WITH days AS (
       SELECT unnest(range($count)) AS days_ago, timezone($zone, $now::TIMESTAMPTZ)::DATE - days_ago::INTEGER AS day
     )
     SELECT days_ago, dayofweek(day) AS weekday, epoch_ms(timezone($zone, day::TIMESTAMP)) AS start_ms,
       epoch_ms(timezone($zone, (day + 1)::TIMESTAMP)) AS end_ms
     FROM days ORDER BY days_ago DESC`,
    { zone: timeZone, now: now.toISOString(), count },
  );
  const weights = rows.map((row) => weekdayWeights[Number(row['weekday'])] ?? 1);
  const average = weights.slice(0, -1).reduce((sum, weight) => sum + weight, 0) / (weights.length - 1);
  return rows.map((row, index) => ({
    daysAgo: Number(row['days_ago']),
    start: Number(row['start_ms']),
    end: Number(row['end_ms']),
    weight: (weights[index] ?? 1) / average,
  }));
}

/** A moment of a day; busy hours are more likely. */
function drawMoment(day: Day, random: Random): number {
  const hour = pickWeighted(hours, (hour) => hourWeights[hour] ?? 0, random) ?? 0;
  return Math.floor(day.start + ((hour + random()) / hourWeights.length) * (day.end - day.start));
}

const places = [
  { country: 'US', region: 'California', city: 'Los Angeles', weight: 15 },
  { country: 'US', region: 'Texas', city: 'Austin', weight: 11 },
  { country: 'US', region: 'New York', city: 'New York', weight: 12 },
  { country: 'US', region: 'Florida', city: 'Miami', weight: 9 },
  { country: 'US', region: 'Illinois', city: 'Chicago', weight: 7 },
  { country: 'US', region: 'Ohio', city: 'Columbus', weight: 6 },
  { country: 'CA', region: 'Ontario', city: 'Toronto', weight: 9 },
  { country: 'CA', region: 'Quebec', city: 'Montréal', weight: 4 },
  { country: 'GB', region: 'England', city: 'London', weight: 10 },
  { country: 'GB', region: 'Scotland', city: 'Edinburgh', weight: 3 },
  { country: 'AU', region: 'New South Wales', city: 'Sydney', weight: 6 },
  { country: 'DE', region: 'Bavaria', city: 'München', weight: 4 },
  { country: 'IE', region: 'Leinster', city: 'Dublin', weight: 2 },
  { country: 'NZ', region: 'Auckland', city: 'Auckland', weight: 2 },
] as const;

const networks: Readonly<Record<string, readonly string[]>> = {
  US: ['Blue River Cable', 'Granite Fiber', 'Prairie Mobile'],
  CA: ['Maple Telecom', 'Northern Line Mobile'],
  GB: ['Harbour Broadband', 'Crown Cellular'],
  AU: ['Southern Reef Net'],
  DE: ['Alpenblick Netz'],
  IE: ['Emerald Broadband'],
  NZ: ['Kauri Online'],
};

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const appleWebKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64';
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X)';
const android = 'Mozilla/5.0 (Linux; Android 10; K)';

const device = (weight: number, userAgent: string) => ({ weight, userAgent, ...readUserAgent(userAgent) });
const devices = [
  device(20, `${windows}) ${webKit} Chrome/131.0.0.0 Safari/537.36`),
  device(7, `${windows}) ${webKit} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`),
  device(4, `${windows}; rv:133.0) Gecko/20100101 Firefox/133.0`),
  device(6, `${mac} ${appleWebKit} Version/18.1 Safari/605.1.15`),
  device(4, `${mac} ${webKit} Chrome/131.0.0.0 Safari/537.36`),
  device(2, `Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/131.0.0.0 Safari/537.36`),
  device(22, `${iPhone} ${appleWebKit} Version/18.1 Mobile/15E148 Safari/604.1`),
  device(3, `${iPhone} ${appleWebKit} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`),
  device(20, `${android} ${webKit} Chrome/131.0.0.0 Mobile Safari/537.36`),
  device(6, `${android} ${webKit} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`),
  device(1, 'Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0'),
  device(4, `Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) ${appleWebKit} Version/18.1 Mobile/15E148 Safari/604.1`),
  device(1, `Mozilla/5.0 (Linux; Android 13; SM-X200) ${webKit} Chrome/131.0.0.0 Safari/537.36`),
] as const;
const robotUserAgent = `Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/118.0.0.0 Safari/537.36`;

const robot: Omit<Origin, 'ip'> = {
  country: 'US',
  region: 'Virginia',
  city: 'Ashburn',
  isp: 'Quickrack Hosting',
  userAgent: robotUserAgent,
  ...readUserAgent(robotUserAgent),
};

function drawOrigin(random: Random): Origin {
  const { country, region, city } = pickByWeight(places, random);
  const { weight: _, ...equipment } = pickByWeight(devices, random);
  const isp = pickEvenly(networks[country] ?? [], random) ?? null;
  return { ip: drawAddress(random), country, region, city, isp, ...equipment };
}

/** Robots have one user agent and one hosting company. */
function drawRobot(random: Random): Origin {
  return { ip: `203.0.113.${Math.floor(random() * 64)}`, ...robot };
}

/** Addresses come from the ranges reserved for documentation (RFC 5737, RFC 3849): no sample visitor is a real one. */
function drawAddress(random: Random): string {
  const host = Math.floor(random() * 254) + 1;
  const kind = random();
  if (kind < 0.12) return `2001:db8:${Math.floor(random() * 65536).toString(16)}::${host.toString(16)}`;
  return kind < 0.6 ? `192.0.2.${host}` : `198.51.100.${host}`;
}
