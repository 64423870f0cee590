import type { Readable } from '../store/database.ts';
import { readUserAgent } from '../traffic/http.ts';

/** Who visits the sample tracker, and when. */

/** The weight of each hour of the day, from midnight: quiet nights, a lunch hour, a long evening. */
export const hourWeights = [
  22, 14, 10, 8, 8, 12, 22, 36, 48, 54, 56, 58, 62, 58, 54, 54, 56, 60, 66, 74, 80, 78, 60, 38,
] as const;
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

const device = (weight: number, user_agent: string) => ({ weight, user_agent, ...readUserAgent(user_agent) });
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
];
const robotUserAgent = `Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/118.0.0.0 Safari/537.36`;

const ofPeople = { robots: false };
/** Robots have one user agent and one hosting company. */
const ofRobots = { robots: true, weight: 1 };

export const origins = [
  ...places.flatMap(({ weight, ...place }) => {
    const isps = networks[place.country] ?? [];
    return isps.map((isp) => ({ ...ofPeople, ...place, isp, weight: weight / isps.length }));
  }),
  { ...ofRobots, country: 'US', region: 'Virginia', city: 'Ashburn', isp: 'Quickrack Hosting' },
];

export const equipment = [
  ...devices.map((one) => ({ ...ofPeople, ...one })),
  { ...ofRobots, ...device(1, robotUserAgent) },
];
