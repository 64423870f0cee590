import { createHash } from 'node:crypto';
import type { Connection } from './connection.ts';
import type { Names } from './names.ts';
import { script } from './script.ts';

const count = script(`
  local requests = redis.call('INCR', KEYS[1])
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return {requests, redis.call('PTTL', KEYS[1])}
`);

/** What callers ask of all replicas. */
export class SharedCounts {
  readonly #connection: Connection;
  readonly #account: string;

  constructor(connection: Connection, { account }: Names) {
    this.#connection = connection;
    this.#account = account;
  }

  /**
   * Counts a request of a caller within a time that begins with its first.
   *
   * @returns undefined where Redis is away
   */
  async count(caller: string, windowMs: number): Promise<{ requests: number; leftMs: number } | undefined> {
    if (!this.#connection.isThere) return undefined;
    const key = `${this.#account}:calls:${createHash('sha256').update(caller).digest('base64url')}`;
    try {
      const [requests = 0, leftMs = 0] = (await count(this.#connection.run, [key], [windowMs])) as readonly number[];
      return { requests, leftMs };
    } catch {
      return undefined;
    }
  }
}
