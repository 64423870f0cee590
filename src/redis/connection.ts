import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, createCluster } from '@redis/client';
import { within } from '../api/deadline.ts';
import { Failure, type Outcome } from '../api/failure.ts';

/** In milliseconds: for one command, between looks for a Redis that is away, and until a start goes on without it. */
const [commandTimeoutMs, lookEveryMs, maxStartMs] = [3000, 250, 3000];

/** A command of Redis: the key that it is about, which says where in a cluster it belongs, and its words. */
export type Run = (key: string, words: readonly string[]) => Promise<unknown>;

const awayNow = 'Redis, where the replicas of this server keep what they share, cannot be used now';

export class RedisAway extends Failure {
  override readonly name = 'RedisAway';
  override readonly outcome: Outcome = 'not-sent';

  constructor(reason: string) {
    super(`${awayNow} (${reason}).`, 'A write needs it, so nothing was sent. Reading works; repeat the write later.');
  }
}

/**
 * One Redis, or a cluster. Each command finds out whether it is there; once it is away, it is looked for until it is back.
 * Nothing is queued meanwhile, so nothing comes late.
 */
export class Connection {
  readonly #link: Link;
  readonly #probe: string;
  readonly #log: (line: string) => void;
  readonly #onFound: ((run: Run) => Promise<void>)[] = [];
  #away: string | undefined = 'it was not reached yet';
  /** Far back if it was never lost. */
  #changedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** @param probe a key that is written to see whether Redis works */
  constructor(urls: readonly string[], probe: string, log: (line: string) => void) {
    this.#link = urls.length > 1 ? toCluster(urls) : toServer(urls[0] ?? '', (error) => void this.#lose(error));
    this.#probe = probe;
    this.#log = log;
  }

  /** Why it cannot be used; undefined if it could when it was last asked. */
  get away(): string | undefined {
    return this.#away;
  }

  /** How long it has been back, or away, in milliseconds; infinite if it was never lost. */
  get sinceChangeMs(): number {
    return performance.now() - this.#changedAt;
  }

  /** @throws RedisAway if it cannot be used */
  require(): void {
    if (this.#away !== undefined) throw new RedisAway(this.#away);
  }

  /** To be done each time Redis is found, before anything else is asked of it; what throws has it looked for again. */
  onFound(task: (run: Run) => Promise<void>): void {
    this.#onFound.push(task);
  }

  /** Looks for Redis; returns once it is there, or soon without it, which is then logged. */
  async open(): Promise<void> {
    await Promise.race([this.#look(), sleep(maxStartMs, undefined, { ref: false })]);
    if (this.#away !== undefined) this.#logAway(this.#away);
  }

  /** @throws RedisAway if it is away, also if that is only found out now */
  readonly run: Run = async (key, words) => {
    this.require();
    try {
      return await this.#ask(key, words);
    } catch (error) {
      throw this.#lose(error);
    }
  };

  close(): void {
    this.#isClosed = true;
    this.#away ??= 'this server is ending';
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
    if (this.#away === undefined) {
      this.#away = reason;
      this.#changedAt = performance.now();
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
        for (const task of this.#onFound) await task((key, words) => this.#ask(key, words));
        this.#away = undefined;
        if (this.sinceChangeMs === Number.POSITIVE_INFINITY) return;
        this.#changedAt = performance.now();
        this.#log('Redis is back.');
        return;
      } catch (error) {
        this.#away = reasonOf(error);
      }
      await sleep(lookEveryMs, undefined, { ref: false });
    }
  }
}

/** Without an address, which may hold a password. */
function reasonOf(error: unknown): string {
  const { code, message }: { code?: string; message: string } = error instanceof Error ? error : { message: '' };
  return code ?? (message === '' || message.includes('://') ? 'unknown reason' : message);
}

/** In every script `now` is the time of Redis, in milliseconds: the clocks of replicas differ. */
const clock = "local time = redis.call('TIME')\nlocal now = time[1] * 1000 + math.floor(time[2] / 1000)\n";

/** A script in Lua, sent whole each time: it is short, and a Redis that was started anew knows none by its hash. */
export function script(lua: string) {
  return (run: Run, keys: readonly string[], given: readonly (string | number)[]): Promise<unknown> =>
    run(keys[0] ?? '', ['EVAL', clock + lua, String(keys.length), ...keys, ...given.map(String)]);
}

/** The way to Redis. Commands that cannot be sent fail at once. */
interface Link {
  readonly send: Run;
  readonly close: () => void;
}

const common = {
  disableOfflineQueue: true,
  maintNotifications: 'disabled' as const,
  socket: { connectTimeout: 2000, reconnectStrategy: () => lookEveryMs },
};

/** Each command has a deadline already. */
const options = { timeout: 0 };

/** @param onBroken called when the connection breaks; it is made again by itself, maybe to a Redis that was started anew */
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

/** @param urls some nodes, through which the others are found */
function toCluster(urls: readonly string[]): Link {
  const { protocol, username, password } = new URL(urls[0] ?? '');
  const socket = { ...common.socket, ...(protocol === 'rediss:' ? { tls: true as const } : {}) };
  const account = {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
  const rootNodes = urls.map((url) => ({ url }));
  const cluster = createCluster({ rootNodes, defaults: { ...common, ...account, socket } });
  // It does not tell whether the node is concerned that is asked; the next command does.
  cluster.on('error', () => undefined);
  // Unlike a client, it gives up if no node answers, and connects again with the next command.
  let connecting: Promise<unknown> | undefined;
  return {
    send: async (key, words) => {
      connecting ??= cluster.connect().catch((error: unknown) => {
        connecting = undefined;
        throw error;
      });
      await connecting;
      return cluster.sendCommand(key, false, [...words], options);
    },
    close: () => cluster.destroy(),
  };
}
