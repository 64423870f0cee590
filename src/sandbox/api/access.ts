import { createHash, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../refusal.ts';
import type { Database } from '../store/database.ts';

const next = 'Send the API key of the general settings, where API access must be enabled too.';

/**
 * Lets a request with the right key pass, "Authentication" of the specification.
 *
 * Throws a Refusal when the key is missing or wrong, when none is defined, or while API access is disabled. Which of them it
 * was is not told, except that no key was sent.
 */
export async function requireAccess(database: Database, sentKey: string | undefined): Promise<void> {
  const rows = await database.query(
    "SELECT name, value FROM settings WHERE name IN ('api_key', 'api_enabled') AND value <> ''",
  );
  const settings = new Map(rows.map(({ name, value }) => [name, String(value)]));
  const key = settings.get('api_key');
  if (!sentKey) throw new Refusal('no-key', 'No access: the parameter key is missing.', next);
  const isRight = key !== undefined && areEqual(sentKey, key);
  if (!isRight || settings.get('api_enabled') !== '1') throw new Refusal('no-access', 'No access.', next);
}

/** Compares in a time that tells nothing about where two texts differ. */
function areEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
