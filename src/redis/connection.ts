import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, createCluster } from '@redis/client';
import { within } from '../api/deadline.ts';
import { Failure, type Outcome } from '../api/failure.ts';

/** A command that takes longer is taken for one that is never answered, in milliseconds. */
const commandTimeoutMs = 3000;

/** How often a Redis that is away is looked for, in milliseconds. */
const lookEveryMs = 250;

/** How long a start waits for Redis before it goes on without, in milliseconds. */
const maxStartMs = 3000;

/** A command of Redis: the key that it is about, which says where in a cluster it belongs, and its words. */
export type Run = (key: string, words: readonly string[]) => Promise<unknown>;

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
 * One Redis, or a cluster. It is there or away, which each command finds out; once it is away, it is looked for until it is
 * back. Nothing is queued meanwhile, so nothing comes late.
 */
export class Connection {
  readonly #link: Link;
  readonly #probe: string;
  readonly #log: (line: string) => void;
  readonly #returns: ((run: Run) => Promise<void>)[] = [];
  #reason: string | undefined = 'it was not reached yet';
  #lostAt = Number.NEGATIVE_INFINITY;
  #returnedAt = Number.NEGATIVE_INFINITY;
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

  /** Why it cannot be used; undefined if it can. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** When it was last lost, by `performance.now`; minus infinity if it never was. */
  get lostAt(): number {
    return this.#lostAt;
  }

  /** When it last came back. */
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
   * @throws RedisAway if it is away, also if that is only found out now
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

  #ask(key: string, words: readonly string[]): Promise<unknown> {
    return within(commandTimeoutMs, (deadline) => {
      const late = new Promise<never>((_, reject) => {
        // A thread that was busy reads what has come before it calls it late.
        deadline.onEnd(() => setImmediate(() => setImmediate(() => reject(new Error('it does not answer')))));
      });
      return Promise.race([this.#link.send(key, words), late]);
    });
  }

  #lose(error: unknown): RedisAway {
    const reason = reasonOf(error);
    if (this.#reason === undefined) {
      this.#reason = reason;
      this.#lostAt = performance.now();
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
        if (this.#lostAt > this.#returnedAt) {
          this.#returnedAt = performance.now();
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

/** What Redis does as one step, with its keys and what is given. */
type Script = (run: Run, keys: readonly string[], given: readonly (string | number)[]) => Promise<unknown>;

/** In every script `now` is the time of Redis, in milliseconds: the clocks of replicas differ. */
const clock = "local time = redis.call('TIME')\nlocal now = time[1] * 1000 + math.floor(time[2] / 1000)\n";

/**
 * A script in Lua, sent whole each time: it is short, and a Redis that was started anew knows none by its hash.
 *
 * @param lua finds its keys in KEYS and what is given in ARGV
 */
export function script(lua: string): Script {
  return (run, keys, given) =>
    run(keys[0] ?? '', ['EVAL', clock + lua, String(keys.length), ...keys, ...given.map(String)]);
}

/** The way to Redis. Commands that cannot be sent fail at once. */
interface Link {
  /** @param key decides which node of a cluster is asked */
  send(key: string, words: readonly string[]): Promise<unknown>;
  close(): void;
}

/** How long a connection may take, and after which pause it is tried again, in milliseconds. */
const connectTimeout = 2000;
const reconnectAfterMs = 250;

const common = {
  disableOfflineQueue: true,
  maintNotifications: 'disabled' as const,
  socket: { connectTimeout, reconnectStrategy: () => reconnectAfterMs },
};

/** Each command has a deadline already. */
const options = { timeout: 0 };

/**
 * @param urls `redis://` or `rediss://`; several are nodes of a cluster, whose others are found through them
 * @param onBroken told when the connection to one server breaks; it is made again by itself, maybe to one that was started anew
 */
function openLink(urls: readonly string[], onBroken: (error: unknown) => void): Link {
  const [first = ''] = urls;
  return urls.length > 1 ? toCluster(urls) : toServer(first, onBroken);
}

function toServer(url: string, onBroken: (error: unknown) => void): Link {
  const client = createClient({ ...common, url });
  let broken: unknown;
  client.on('error', (error) => {
    broken = error;
    onBroken(error);
  });
  client.connect().catch(() => undefined);
  return {
    send: async (_, words) => {
      // Why there is no connection says more than that there is none.
      if (!client.isReady && broken !== undefined) throw broken;
      return client.sendCommand([...words], options);
    },
    close: () => client.destroy(),
  };
}

function toCluster(urls: readonly string[]): Link {
  const { protocol, username, password } = new URL(urls[0] ?? '');
  const socket = { ...common.socket, ...(protocol === 'rediss:' ? { tls: true as const } : {}) };
  const account = {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
  const cluster = createCluster({
    rootNodes: urls.map((url) => ({ url })),
    defaults: { ...common, ...account, socket },
  });
  // It does not tell whether the node is concerned that is asked; the next command does.
  cluster.on('error', () => undefined);
  // Unlike the connection to one server, it gives up where no node answers, and is asked again with the next command.
  let connecting: Promise<unknown> | undefined;
  const connected = async () => {
    connecting ??= cluster.connect().catch((error: unknown) => {
      connecting = undefined;
      throw error;
    });
    await connecting;
  };
  return {
    send: async (key, words) => {
      await connected();
      return cluster.sendCommand(key, false, [...words], options);
    },
    close: () => cluster.destroy(),
  };
}
