import { createHash, randomUUID } from 'node:crypto';
import { keptForMs, maxKeptBytes } from '../client/kept-answers.ts';
import type { AnswerStore } from '../client/replicas/replicated-answers.ts';
import type { Connection, Run } from './connection.ts';
import type { Names } from './names.ts';
import { script } from './script.ts';

/**
 * Keeps an answer unless all were dropped since it was asked for; old ones make room, and the oldest where there is none. What
 * they take together is counted as they come and go: to add it up each time would hold Redis up longer with each that is kept.
 */
const keep = script(`
  local answers, times, bytes, generation = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
  local question, answer, asked = ARGV[1], ARGV[2], ARGV[3]
  if (redis.call('GET', generation) or '') ~= asked then return 0 end
  local total = tonumber(redis.call('GET', bytes)) or 0
  local function drop(dropped)
    total = total - redis.call('HSTRLEN', answers, dropped)
    redis.call('HDEL', answers, dropped)
    redis.call('ZREM', times, dropped)
  end
  drop(question)
  redis.call('HSET', answers, question, answer)
  redis.call('ZADD', times, now, question)
  total = total + #answer
  while true do
    local oldest = redis.call('ZRANGE', times, 0, 0, 'WITHSCORES')
    if not oldest[1] or (tonumber(oldest[2]) >= now - ${keptForMs} and total <= ${maxKeptBytes}) then break end
    drop(oldest[1])
  end
  redis.call('SET', bytes, total)
  for index = 1, 3 do redis.call('PEXPIRE', KEYS[index], ${keptForMs}) end
  return 1
`);

/** @returns the answer, where it is not too old */
const find = script(`
  local kept = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]))
  if not kept or kept < now - ${keptForMs} then return false end
  return redis.call('HGET', KEYS[1], ARGV[1])
`);

/** Drops all, and says so to those who have some of them at hand. */
const drop = script(`
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  redis.call('SET', KEYS[4], ARGV[1])
  return 1
`);

/** Ahead of an answer stands when it came, in milliseconds since the epoch, as a number of 8 bytes. */
const timeBytes = 8;

/** The answers that replicas keep together: 64 MB, for a minute each. */
export class SharedAnswers implements AnswerStore {
  readonly #connection: Connection;
  readonly #keys: readonly [answers: string, times: string, bytes: string, generation: string];
  /** Whether all are to be dropped as soon as Redis is back. */
  #isClearDue = false;

  constructor(connection: Connection, { account }: Names) {
    this.#connection = connection;
    this.#keys = [`${account}:kept`, `${account}:kept-times`, `${account}:kept-bytes`, `${account}:generation`];
    connection.onFound(async (run) => {
      if (this.#isClearDue) await this.#drop(run);
    });
  }

  async generation(): Promise<string | undefined> {
    const [, , , key] = this.#keys;
    return this.#try(async (run) => textOf(await run(key, ['GET', key])));
  }

  async find(question: string): Promise<{ bytes: Uint8Array; at: number } | undefined> {
    const found = await this.#try((run) => find(run, this.#keys, [hashOf(question)]));
    if (!Buffer.isBuffer(found) || found.length < timeBytes) return undefined;
    return { at: found.readDoubleBE(0), bytes: found.subarray(timeBytes) };
  }

  async keep(
    question: string,
    { bytes, at }: { readonly bytes: Uint8Array; readonly at: number },
    generation: string,
  ): Promise<void> {
    const time = Buffer.alloc(timeBytes);
    time.writeDoubleBE(at);
    await this.#try((run) => keep(run, this.#keys, [hashOf(question), Buffer.concat([time, bytes]), generation]));
  }

  async clear(): Promise<void> {
    this.#isClearDue = true;
    await this.#try((run) => this.#drop(run));
  }

  async #drop(run: Run): Promise<void> {
    await drop(run, this.#keys, [randomUUID()]);
    this.#isClearDue = false;
  }

  /** @returns undefined where Redis is away */
  async #try<Result>(ask: (run: Run) => Promise<Result>): Promise<Result | undefined> {
    if (!this.#connection.isThere) return undefined;
    return ask(this.#connection.run).catch(() => undefined);
  }
}

/** Questions can be long, and name subIDs. */
function hashOf(question: string): string {
  return createHash('sha256').update(question).digest('base64url');
}

function textOf(reply: unknown): string {
  return Buffer.isBuffer(reply) ? reply.toString() : '';
}
