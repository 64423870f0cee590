import { pickWeighted, type Random, weightedPicker } from '../rotation/random.ts';
import type { Origin } from '../rotation/records.ts';
import type { Readable } from '../store/database.ts';
import { readUserAgent } from '../traffic/visitor-request.ts';

/**
 * Who visits: places with their networks, devices, referrers. Addresses come from the ranges reserved for documentation
 * (RFC 5737, RFC 3849), so that no sample visitor is anybody's.
 */
const drawPlace = weightedPicker([
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
]);

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

const drawDevice = weightedPicker([
  { userAgent: `${windows}) ${webKit} Chrome/131.0.0.0 Safari/537.36`, weight: 20 },
  { userAgent: `${windows}) ${webKit} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`, weight: 7 },
  { userAgent: `${windows}; rv:133.0) Gecko/20100101 Firefox/133.0`, weight: 4 },
  { userAgent: `${mac} ${appleWebKit} Version/18.1 Safari/605.1.15`, weight: 6 },
  { userAgent: `${mac} ${webKit} Chrome/131.0.0.0 Safari/537.36`, weight: 4 },
  { userAgent: `Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/131.0.0.0 Safari/537.36`, weight: 2 },
  { userAgent: `${iPhone} ${appleWebKit} Version/18.1 Mobile/15E148 Safari/604.1`, weight: 22 },
  { userAgent: `${iPhone} ${appleWebKit} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`, weight: 3 },
  { userAgent: `${android} ${webKit} Chrome/131.0.0.0 Mobile Safari/537.36`, weight: 20 },
  { userAgent: `${android} ${webKit} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`, weight: 6 },
  { userAgent: 'Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0', weight: 1 },
  {
    userAgent: `Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) ${appleWebKit} Version/18.1 Mobile/15E148 Safari/604.1`,
    weight: 4,
  },
  { userAgent: `Mozilla/5.0 (Linux; Android 13; SM-X200) ${webKit} Chrome/131.0.0.0 Safari/537.36`, weight: 1 },
]);
const robotUserAgent = `Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/118.0.0.0 Safari/537.36`;

const robot: Omit<Origin, 'ip'> = {
  country: 'US',
  region: 'Virginia',
  city: 'Ashburn',
  isp: 'Quickrack Hosting',
  userAgent: robotUserAgent,
  ...readUserAgent(robotUserAgent),
};

export function drawOrigin(random: Random): Origin {
  const { country, region, city } = drawPlace(random);
  const { userAgent } = drawDevice(random);
  const isp = pickEvenly(networks[country] ?? [], random) ?? null;
  return { ip: drawAddress(random), country, region, city, isp, userAgent, ...readUserAgent(userAgent) };
}

/** A program that clicks: one user agent, one hosting company. */
export function drawRobot(random: Random): Origin {
  return { ip: `203.0.113.${Math.floor(random() * 64)}`, ...robot };
}

export function pickEvenly<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

function drawAddress(random: Random): string {
  const host = Math.floor(random() * 254) + 1;
  const kind = random();
  if (kind < 0.12) return `2001:db8:${Math.floor(random() * 65536).toString(16)}::${host.toString(16)}`;
  return kind < 0.6 ? `192.0.2.${host}` : `198.51.100.${host}`;
}

/** Visits by hour of the day, from midnight on: quiet nights, a lunch hour, a long evening. */
const hourWeights = [
  22, 14, 10, 8, 8, 12, 22, 36, 48, 54, 56, 58, 62, 58, 54, 54, 56, 60, 66, 74, 80, 78, 60, 38,
] as const;
const hours = [...hourWeights.keys()];
/** Visits by day of the week, from Sunday on. */
const weekdayWeights = [0.85, 1.05, 1.08, 1.06, 1.04, 1.02, 0.9];

/** A day of the tracker's time zone, from one local midnight to the next, in milliseconds since 1970. */
export interface Day {
  /** 0 is today. */
  readonly daysAgo: number;
  readonly start: number;
  readonly end: number;
  /** How busy it is; 1 on average over the complete days. */
  readonly weight: number;
}

/** The days up to and including today, oldest first. They have 23 or 25 hours when the clocks change. */
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

/** A moment of a day, busy hours more likely. */
export function drawMoment(day: Day, random: Random): number {
  const hour = pickWeighted(hours, (hour) => hourWeights[hour] ?? 0, random) ?? 0;
  return Math.floor(day.start + ((hour + random()) / hourWeights.length) * (day.end - day.start));
}
