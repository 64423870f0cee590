import { type Random, weightedPicker } from '../rotation/random.ts';
import type { Readable } from '../store/database.ts';

interface Hour {
  readonly hour: number;
  readonly weight: number;
}

/** Visits by hour of the day, from midnight on: quiet nights, a lunch hour, a long evening. */
const hourWeights = [
  22, 14, 10, 8, 8, 12, 22, 36, 48, 54, 56, 58, 62, 58, 54, 54, 56, 60, 66, 74, 80, 78, 60, 38,
] as const;
const drawHour = weightedPicker(hourWeights.map((weight, hour) => ({ hour, weight })) as [Hour, ...Hour[]]);
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

/** The days up to and including today, oldest first. They have 23 or 25 hours where the clocks change. */
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
  const { hour } = drawHour(random);
  return Math.floor(day.start + ((hour + random()) / hourWeights.length) * (day.end - day.start));
}
