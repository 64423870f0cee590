import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { Failure } from '../../api/failure.ts';
import { createServerFactory, type ServerOptions } from '../server.ts';
import { Gate, type TokenVerifier } from './access/gate.ts';
import type { RateLimit } from './access/rate-limit.ts';
import { createApp } from './app.ts';
import type { Approving } from './approve/approve-app.ts';
import { contextsByHolder } from './contexts-by-holder.ts';
import type { Metrics } from './metrics.ts';
import { withoutSessions } from './older-clients.ts';
import { Sessions } from './sessions.ts';

/** What is served; whose token a request came with decides what it works with. */
export type Served = Pick<ServerOptions, 'version' | 'tools' | 'trackers' | 'onDefect' | 'questions'>;

export interface HttpOptions {
  readonly host: string;
  /** 0 is any free port. */
  readonly port: number;
  /** Host names under which the server is reached, beside this machine's own. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  /** Whether nobody but this machine reaches it. */
  readonly isLocal: boolean;
  /** Whether clients of the older protocol get sessions. */
  readonly sessions: boolean;
  /** Absent where whoever reaches the server may call. */
  readonly verifier?: TokenVerifier | undefined;
  /** Where people approve what waits for them; absent where no write does. */
  readonly approving?: Approving | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly metrics: Metrics;
  /** Why what replicas share cannot be used now, so that only reads are served; undefined where all is. */
  readonly lacking?: (() => string | undefined) | undefined;
  readonly log: (line: string) => void;
}

export interface HttpServer {
  /** Where the protocol is served. */
  readonly url: string;
  /** Ends serving: what was asked is answered, and whoever asks meanwhile is told to go elsewhere next time. */
  readonly close: () => Promise<void>;
}

/** Longer than load balancers keep a connection, so that it is not closed just as one sends a request over it. */
const keepAliveTimeout = 75_000;

/** How long requests are still taken once the end is announced, so that whoever sends them can notice. */
const farewellMs = 1000;

/**
 * Serves over HTTP.
 *
 * @throws Failure where the address cannot be listened on
 */
export async function serveHttp(server: Served, options: HttpOptions): Promise<HttpServer> {
  const { host, port, allowHosts, allowOrigins, isLocal, verifier, approving, metrics, lacking, log } = options;
  const hangUp = new AbortController();
  const { create, idle } = createServerFactory({
    ...server,
    trackersFor: verifier && contextsByHolder(server.trackers),
    observer: metrics.observer,
    hungUp: hangUp.signal,
  });
  const sessions = options.sessions ? new Sessions(create) : undefined;
  const writingTools = new Set(server.tools.filter(({ access }) => access !== 'read').map(({ name }) => name));
  let isEnding = false;
  const app = createApp({
    names: { hosts: ['localhost', '127.0.0.1', '[::1]', host, ...allowHosts], origins: allowOrigins, isLocal },
    gate: verifier && new Gate(verifier, writingTools, log),
    rateLimit: options.rateLimit,
    create,
    approving,
    answerOlder: sessions ? sessions.answer.bind(sessions) : withoutSessions(create),
    metrics,
    isReady: () => !isEnding,
    lacking,
    log,
    onDefect: server.onDefect,
  });
  const answer = getRequestListener(app.fetch);
  const listener = createServer({ keepAliveTimeout, headersTimeout: keepAliveTimeout + 5000 }, (request, response) => {
    if (isEnding) response.setHeader('connection', 'close');
    void answer(request, response);
  });
  const address = await listen(listener, host, port);
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}/mcp`,
    close: async () => {
      isEnding = true;
      // A person's answer may take longer than the server has.
      hangUp.abort();
      await Promise.race([sleep(farewellMs), unused(listener)]);
      const closed = new Promise((resolve) => listener.close(resolve));
      await idle();
      await sessions?.close();
      await closed;
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(
        new Failure(
          `${host}:${port} cannot be listened on: ${code === 'EADDRINUSE' ? 'the port is in use' : message}.`,
          'Choose another with --host and --port; port 0 is any free one.',
        ),
      ),
    );
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

/** Resolves at once where no connection is open; nobody has to notice the end then. */
function unused(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.getConnections((_, count) => {
      if (count === 0) resolve();
    });
  });
}
