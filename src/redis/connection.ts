import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, createCluster } from '@redis/client';
import { within } from '../api/deadline.ts';
import { Failure, type Outcome } from '../api/failure.ts';

/** The deadline of one command, the pause between attempts to reach Redis, and how long a start waits for it. */
const [commandTimeoutMs, retryEveryMs, maxStartMs] = [3000, 250, 3000];

/** Runs one Redis command. The key decides which node of a cluster gets it. */
export type Run = (key: string, words: readonly string[]) => Promise<unknown>;

const awayMessage = 'Redis, where the replicas of this server keep what they share, cannot be used now';

export class RedisAway extends Failure {
  override readonly name = 'RedisAway';
  override readonly outcome: Outcome = 'not-sent';

  constructor(reason: string) {
    super(
      `${awayMessage} (${reason}).`,
      'A write needs it, so nothing was sent. Reading works; repeat the write later.',
    );
  }
}

/** One Redis, or a cluster. When a command fails, Redis counts as away until it is reached again; nothing is queued until then. */
export class Connection {
  readonly #link: Link;
  readonly #probe: string;
  readonly #log: (line: string) => void;
  readonly #onReached: ((run: Run) => Promise<void>)[] = [];
  #away: string | undefined = 'it was not reached yet';
  /** When it was lost or came back; long ago if it was never lost. */
  #changedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** @param probe a key that is written to test Redis */
  constructor(urls: readonly string[], probe: string, log: (line: string) => void) {
    this.#link = urls.length > 1 ? toCluster(urls) : toServer(urls[0] ?? '', (error) => void this.#lose(error));
    this.#probe = probe;
    this.#log = log;
  }

  /** Why it cannot be used; undefined if the last command succeeded. */
  get away(): string | undefined {
    return this.#away;
  }

  /** How long it has been back or away, in milliseconds; infinite if it was never lost. */
  get sinceChangeMs(): number {
    return performance.now() - this.#changedAt;
  }

  /** @throws RedisAway if it cannot be used */
  require(): void {
    if (this.#away !== undefined) throw new RedisAway(this.#away);
  }

  /** Runs a task each time Redis is reached, before any other command. If it throws, Redis is still away. */
  onReached(task: (run: Run) => Promise<void>): void {
    this.#onReached.push(task);
  }

  /** Connects. Returns without Redis after a few seconds, and logs that. */
  async open(): Promise<void> {
    await Promise.race([this.#reach(), sleep(maxStartMs, undefined, { ref: false })]);
    if (this.#away !== undefined) this.#logAway(this.#away);
  }

  /** @throws RedisAway if it is away, or the command shows that it is */
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
      const timeout = new Promise<never>((_, reject) => {
        // A busy thread first reads the answers that have already arrived.
        deadline.onEnd(() => setImmediate(() => setImmediate(() => reject(new Error('it does not answer')))));
      });
      return Promise.race([this.#link.send(key, words), timeout]);
    });
  }

  #lose(error: unknown): RedisAway {
    const reason = reasonOf(error);
    if (this.#away === undefined) {
      this.#away = reason;
      this.#changedAt = performance.now();
      this.#logAway(reason);
      void this.#reach();
    }
    return new RedisAway(reason);
  }

  #logAway(reason: string): void {
    this.#log(`${awayMessage} (${reason}). Reads go on; writes are refused until it is back.`);
  }

  async #reach(): Promise<void> {
    while (!this.#isClosed) {
      try {
        // A read-only copy, or a Redis that is full, would answer a PING.
        await this.#ask(this.#probe, ['SET', this.#probe, '1', 'PX', '1000']);
        for (const task of this.#onReached) await task((key, words) => this.#ask(key, words));
        this.#away = undefined;
        if (this.sinceChangeMs === Number.POSITIVE_INFINITY) return;
        this.#changedAt = performance.now();
        this.#log('Redis is back.');
        return;
      } catch (error) {
        this.#away = reasonOf(error);
      }
      await sleep(retryEveryMs, undefined, { ref: false });
    }
  }
}

/** Why a command failed, without an address, which may contain a password. */
function reasonOf(error: unknown): string {
  const { code, message }: { code?: string; message: string } = error instanceof Error ? error : { message: '' };
  return code ?? (message === '' || message.includes('://') ? 'unknown reason' : message);
}

/** In every script `now` is the time of Redis in milliseconds, because the clocks of replicas differ. */
const clock = "local time = redis.call('TIME')\nlocal now = time[1] * 1000 + math.floor(time[2] / 1000)\n";

/** A Lua script. It is short, so it is sent each time: a restarted Redis knows no script by its hash. */
export function script(lua: string) {
  return (run: Run, keys: readonly string[], given: readonly (string | number)[]): Promise<unknown> =>
    run(keys[0] ?? '', ['EVAL', clock + lua, String(keys.length), ...keys, ...given.map(String)]);
}

/** The link to Redis. Commands that cannot be sent fail at once. */
interface Link {
  readonly send: Run;
  readonly close: () => void;
}

const common = {
  disableOfflineQueue: true,
  maintNotifications: 'disabled' as const,
  socket: { connectTimeout: 2000, reconnectStrategy: () => retryEveryMs },
};

/** Commands already have a deadline. */
const options = { timeout: 0 };

/** @param onBroken called when the connection breaks; the client reconnects by itself, maybe to a restarted Redis */
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
      // The reason why there is no connection helps more than the client's own error.
      if (!client.isReady && broken !== undefined) throw broken;
      return client.sendCommand([...words], options);
    },
    close: () => client.destroy(),
  };
}

/** @param urls some of the nodes, which know the others */
function toCluster(urls: readonly string[]): Link {
  const { protocol, username, password } = new URL(urls[0] ?? '');
  const socket = { ...common.socket, ...(protocol === 'rediss:' ? { tls: true as const } : {}) };
  const account = {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
  const rootNodes = urls.map((url) => ({ url }));
  const cluster = createCluster({ rootNodes, defaults: { ...common, ...account, socket } });
  // The error may be of any node; the next command shows whether it matters.
  cluster.on('error', () => undefined);
  // Unlike a client, it gives up if no node answers, so the next command connects again.
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
