import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Tracker } from './request.ts';

/** A name for an account, also for its files, by a slow hash, so that its API key cannot be guessed from it. */
export async function accountName({ url, apiKey }: Tracker): Promise<string> {
  const hash = await promisify<string, string, number, Buffer>(scrypt)(apiKey, url, 16);
  return hash.toString('hex');
}
