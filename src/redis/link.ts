import { createClient, createCluster, RESP_TYPES } from '@redis/client';

export type Argument = string | Buffer;

/** The way to Redis. Commands that cannot be sent fail at once. */
export interface Link {
  /** @param key decides which node of a cluster is asked */
  send(key: string, words: readonly Argument[]): Promise<unknown>;
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

/** What is stored may be bytes; what is text is read from them. Whoever asks has a deadline, so that none is set twice. */
const asBytes = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer }, timeout: 0 };

/**
 * @param urls `redis://` or `rediss://`; several are nodes of a cluster, whose others are found through them
 * @param onBroken told when the connection to one server breaks; it is made again by itself, maybe to one that was started anew
 */
export function openLink(urls: readonly string[], onBroken: (error: unknown) => void): Link {
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
      return client.sendCommand([...words], asBytes);
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
      return cluster.sendCommand(key, false, [...words], asBytes);
    },
    close: () => cluster.destroy(),
  };
}
