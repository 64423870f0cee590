import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, type Outcome } from '../api/failure.ts';
import { type Argument, type Link, openLink } from './link.ts';

/** A command that takes longer is taken for one that is never answered, in milliseconds. */
const commandTimeoutMs = 3000;

/** How often a Redis that is away is looked for, in milliseconds. */
const lookEveryMs = 250;

/** How long a start waits for Redis before it goes on without, in milliseconds. */
const maxStartMs = 3000;

/** A command of Redis: the key that it is about, which says where in a cluster it belongs, and its words. */
export type Run = (key: string, words: readonly Argument[]) => Promise<unknown>;

const awayNow = 'Redis, where the replicas of this server keep what they share, cannot be used now';

/** Raised in the place of an answer: Redis cannot be reached, or refuses to work. */
export class RedisAway extends Failure {
  override readonly name = 'RedisAway';
  override readonly outcome: Outcome = 'not-sent';

  constructor(reason: string) {
    super(`${awayNow} (${reason}).`, 'A write needs it, so nothing was sent. Reading works; repeat the write later.');
  }
}

/**
 * One Redis, or a cluster. It is there or away, which whatever is asked of it finds out; once it was away, it is looked for
 * until it is back. Nothing is queued meanwhile, so nothing comes late.
 */
export class Connection {
  readonly #link: Link;
  readonly #probe: string;
  readonly #log: (line: string) => void;
  readonly #returns: ((run: Run) => Promise<void>)[] = [];
  #reason: string | undefined = 'it was not reached yet';
  #lostAt: number | undefined;
  #returnedAt = 0;
  #isClosed = false;

  /**
   * @param urls one, or some nodes of a cluster
   * @param probe a key that is written to see whether Redis works
   * @param log told when Redis is lost and when it is back
   */
  constructor(urls: readonly string[], probe: string, log: (line: string) => void) {
    this.#link = openLink(urls, (error) => void this.#lose(error));
    this.#probe = probe;
    this.#log = log;
  }

  /** Whether it worked when it was last asked. */
  get isThere(): boolean {
    return this.#reason === undefined;
  }

  /** Why it cannot be used; undefined where it can. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** When it went away, in milliseconds since the epoch; undefined as long as it has never been there. */
  get lostAt(): number | undefined {
    return this.#lostAt;
  }

  /** When it came back after it was lost; 0 where it was not lost. */
  get returnedAt(): number {
    return this.#returnedAt;
  }

  /** To be done each time Redis is found, before anything else is asked of it; what throws has it looked for again. */
  onFound(task: (run: Run) => Promise<void>): void {
    this.#returns.push(task);
  }

  /** Looks for Redis; returns once it is there, or soon without it, which is then logged. */
  async open(): Promise<void> {
    const looking = this.#look();
    await Promise.race([looking, sleep(maxStartMs, undefined, { ref: false })]);
    if (this.#reason !== undefined) this.#logAway(this.#reason);
  }

  /**
   * Asks Redis.
   *
   * @throws RedisAway where it is away, also where that is only found out now
   */
  readonly run: Run = async (key, words) => {
    if (this.#reason !== undefined) throw new RedisAway(this.#reason);
    try {
      return await this.#ask(key, words);
    } catch (error) {
      throw this.#lose(error);
    }
  };

  close(): void {
    this.#isClosed = true;
    this.#reason ??= 'this server is ending';
    this.#link.close();
  }

  async #ask(key: string, words: readonly Argument[]): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      // A thread that was busy reads what has come before it calls it late.
      const expire = () => setImmediate(() => setImmediate(() => reject(new Error('it does not answer'))));
      timer = setTimeout(expire, commandTimeoutMs);
    });
    try {
      return await Promise.race([this.#link.send(key, words), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #lose(error: unknown): RedisAway {
    const reason = reasonOf(error);
    if (this.#reason === undefined) {
      this.#reason = reason;
      this.#lostAt = Date.now();
      this.#logAway(reason);
      void this.#look();
    }
    return new RedisAway(reason);
  }

  #logAway(reason: string): void {
    this.#log(`${awayNow} (${reason}). Reads go on; writes are refused until it is back.`);
  }

  async #look(): Promise<void> {
    while (!this.#isClosed) {
      try {
        // A copy that may only be read, or one that is full, answers too.
        await this.#ask(this.#probe, ['SET', this.#probe, '1', 'PX', '1000']);
        for (const task of this.#returns) await task((key, words) => this.#ask(key, words));
        if (this.#lostAt !== undefined) {
          this.#returnedAt = Date.now();
          this.#log('Redis is back.');
        }
        this.#reason = undefined;
        return;
      } catch (error) {
        this.#reason = reasonOf(error);
      }
      await sleep(lookEveryMs, undefined, { ref: false });
    }
  }
}

/** Without an address, which may hold a password. */
function reasonOf(error: unknown): string {
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: '' };
  return code ?? (/:\/\//.test(message) || message === '' ? 'unknown reason' : message);
}
