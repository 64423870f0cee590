import { quoted, Refusal } from '../refusal.ts';
import type { Reader } from '../store/database.ts';

/** Whole days of one time zone: from the beginning of `start` to the end of `end`. Its fields are SQL parameters. */
export interface Period extends Record<'zone' | 'start' | 'end', string> {}

interface AskedPeriod {
  readonly start_date?: string;
  readonly end_date?: string;
}

/** A condition over `$start`, `$end` and `$zone`. The column stands bare, so that DuckDB can skip the blocks outside. */
export function isWithinPeriod(moment: string): string {
  return `${isNotBeforePeriod(moment)} AND ${moment} < ($end::DATE + 1)::TIMESTAMP AT TIME ZONE $zone`;
}

/** What visitors do is never earlier than their visit. */
export function isNotBeforePeriod(moment: string): string {
  return `${moment} >= $start::DATE::TIMESTAMP AT TIME ZONE $zone`;
}

/** Either day left out is the current day of the zone. Throws a Refusal if the end is before the start. */
export async function resolvePeriod(reader: Reader, asked: AskedPeriod, zone: string, now: Date): Promise<Period> {
  const [row] = await reader.query("SELECT strftime($now::TIMESTAMPTZ AT TIME ZONE $zone, '%Y-%m-%d') AS today", {
    now: now.toISOString(),
    zone,
  });
  const today = String(row?.['today']);
  const { start_date: start = today, end_date: end = today } = asked;
  if (start > end) {
    throw new Refusal(
      'invalid',
      `end ${end} is before start ${start}.`,
      `A day left out is the current one, ${today}.`,
    );
  }
  return { zone, start, end };
}

let zoneNames: ReadonlyMap<string, string> | undefined;

/** DuckDB's name of a time zone, from any letter case. Throws a Refusal if there is none. */
export async function requireTimeZone(reader: Reader, name: string): Promise<string> {
  // The list belongs to DuckDB, not to a database, and takes longer to read than most reports.
  zoneNames ??= await readZoneNames(reader);
  const known = zoneNames.get(name.toLowerCase());
  if (known) return known;
  throw new Refusal(
    'invalid',
    `timezone ${quoted(name)} is not a known time zone.`,
    'Use a name such as Europe/Berlin.',
  );
}

async function readZoneNames(reader: Reader): Promise<ReadonlyMap<string, string>> {
  const rows = await reader.query('SELECT name FROM pg_timezone_names()');
  return new Map(rows.map(({ name }) => [String(name).toLowerCase(), String(name)]));
}

export async function readSetting(reader: Reader, name: string): Promise<string | undefined> {
  const [row] = await reader.query("SELECT value FROM settings WHERE name = $name AND value <> ''", { name });
  return row ? String(row['value']) : undefined;
}

/** The user time zone of the general settings; UTC until one is set. */
export async function readTimeZone(reader: Reader): Promise<string> {
  return (await readSetting(reader, 'time_zone')) ?? 'UTC';
}

/** A moment as local time of `$zone`, YYYY-MM-DD HH:MM:SS. */
export const localTime = (moment: string) => `strftime(${moment} AT TIME ZONE $zone, '%Y-%m-%d %H:%M:%S')`;

/** An amount of money with as many decimals as it has, two at least. */
export const moneyText = (amount: string) => `regexp_replace(${amount}::VARCHAR, '(\\.\\d\\d\\d*?)0+$', '\\1')`;

export const shortDecimal = (decimal: string) => `rtrim(rtrim(${decimal}::VARCHAR, '0'), '.')`;

export const flagText = (condition: string) => `(CASE WHEN ${condition} THEN '1' ELSE '0' END)`;
