import type { Reader } from '../store/database.ts';
import { quoted, Refusal } from '../wire.ts';

/** Whole days of one time zone, from the start of `start` to the end of `end`, as the SQL parameters of a report. */
export interface Period extends Record<'zone' | 'start' | 'end', string> {}

interface AskedPeriod {
  readonly start_date?: string;
  readonly end_date?: string;
}

/**
 * Fills in the current day of the zone for a day that was left out.
 *
 * @throws Refusal if the database does not know the zone, or the end is before the start
 */
export async function resolvePeriod(reader: Reader, asked: AskedPeriod, zone: string, now: Date): Promise<Period> {
  const isWhole = asked.start_date !== undefined && asked.end_date !== undefined;
  const sql = "SELECT strftime($now::TIMESTAMPTZ AT TIME ZONE $zone, '%Y-%m-%d') AS today";
  // If no day was left out, only the zone is looked up, and any moment does.
  const [row] = await (isWhole
    ? reader.querySetup(sql, { now: '1970-01-01', zone })
    : reader.query(sql, { now: now.toISOString(), zone })
  ).catch((error: unknown) => {
    if (!/Unknown TimeZone/.test(String(error))) throw error;
    const happened = `timezone ${quoted(zone)} is not a known time zone.`;
    throw new Refusal('invalid', happened, 'Use a name such as Europe/Berlin.');
  });
  const today = String(row?.['today']);
  const { start_date: start = today, end_date: end = today } = asked;
  if (start > end) {
    const next = isWhole ? '' : `A day left out is the current one, ${today}.`;
    throw new Refusal('invalid', `end ${end} is before start ${start}.`, next);
  }
  return { zone, start, end };
}

export async function readSetting(reader: Reader, name: string): Promise<string | undefined> {
  const [row] = await reader.querySetup("SELECT value FROM settings WHERE name = $name AND value <> ''", { name });
  return row ? String(row['value']) : undefined;
}

/** The time zone of the general settings; UTC until one is set. */
export async function readTimeZone(reader: Reader): Promise<string> {
  return (await readSetting(reader, 'time_zone')) ?? 'UTC';
}

/** An SQL condition over a `Period`. The column is not wrapped in a function, so that DuckDB can skip blocks outside. */
export function isWithinPeriod(moment: string): string {
  return `${isNotBeforePeriod(moment)} AND ${moment} < ($end::DATE + 1)::TIMESTAMP AT TIME ZONE $zone`;
}

/** Clicks and subscriptions are never earlier than their visit. */
export function isNotBeforePeriod(moment: string): string {
  return `${moment} >= $start::DATE::TIMESTAMP AT TIME ZONE $zone`;
}

/** SQL: a moment as local time of `$zone`, YYYY-MM-DD HH:MM:SS. */
export const localTime = (moment: string) => `strftime(${moment} AT TIME ZONE $zone, '%Y-%m-%d %H:%M:%S')`;

/** SQL: an amount of money with all its decimals, at least two. */
export const moneyText = (amount: string) => `regexp_replace(${amount}::VARCHAR, '(\\.\\d\\d\\d*?)0+$', '\\1')`;

/** SQL: a decimal without trailing zeros. */
export const shortDecimal = (decimal: string) => `rtrim(rtrim(${decimal}::VARCHAR, '0'), '.')`;

/** SQL: 1 or 0. */
export const flagText = (condition: string) => `(CASE WHEN ${condition} THEN '1' ELSE '0' END)`;
