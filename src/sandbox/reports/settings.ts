import type { Reader } from '../store/database.ts';

/** The value of one of the general settings; undefined where it was never set or is empty. */
export async function readSetting(reader: Reader, name: string): Promise<string | undefined> {
  const [row] = await reader.query("SELECT value FROM settings WHERE name = $name AND value <> ''", { name });
  return row ? String(row['value']) : undefined;
}

/** The user time zone of the general settings; UTC until one is set. */
export async function readTimeZone(reader: Reader): Promise<string> {
  return (await readSetting(reader, 'time_zone')) ?? 'UTC';
}
