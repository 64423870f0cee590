import { createHash, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

/** Where what is shared stands in Redis. Servers of another version that store in another way must not read it: the number goes up. */
const version = 1;

/** The beginnings of the names of keys. */
export interface Names {
  /** What is about the tracker, whoever asks it. */
  readonly tracker: string;
  /** What was answered to, or changed by, those with one API key. */
  readonly account: string;
}

/**
 * The names for one tracker and one API key. All of a tracker's keys are on one node of a cluster, as a script takes several.
 *
 * The key cannot be got back from them: it is hashed slowly, as some are short.
 */
export async function namesFor({ url, apiKey }: { readonly url: string; readonly apiKey: string }): Promise<Names> {
  const place = createHash('sha256').update(url).digest('base64url').slice(0, 16);
  const account = await promisify<string, string, number, Buffer>(scrypt)(apiKey, `tracker-mcp ${url}`, 12);
  const tracker = `{tracker-mcp:${version}:${place}}`;
  return { tracker, account: `${tracker}:${account.toString('base64url')}` };
}
