import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { LRUCache } from 'lru-cache';
import { Failure } from '../../api/failure.ts';
import { bothObservers } from '../../api/observer.ts';
import { RecentTables, SharedRoom } from '../../tools/recent-tables.ts';
import type { Trackers } from '../../tools/trackers.ts';
import { requestIdHeader } from '../call-context.ts';
import { createServerFactory, type ServerOptions } from '../server.ts';
import { type AppOptions, createApp, metricsResponse } from './app.ts';
import { Drain } from './drain.ts';
import { Gate, type TokenVerifier } from './gate.ts';
import { logCalls, type Metrics } from './monitoring.ts';
import { type SharedSessions, withoutSessions, withSessions } from './older-clients.ts';

export type Served = Pick<ServerOptions, 'identity' | 'tools' | 'trackers' | 'hasViews' | 'onDefect' | 'questions'>;

export interface HttpOptions extends Pick<AppOptions, 'approving' | 'rateLimit' | 'writeBlocker' | 'log'> {
  readonly host: string;
  readonly port: number;
  /** Host names of the server, in addition to this machine's own. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  /** Whether only this machine reaches the server. */
  readonly isLocal: boolean;
  /** Whether clients of the older protocol get sessions. */
  readonly sessions: boolean;
  /** Where replicas find each other's sessions; absent if there are none. */
  readonly sharedSessions?: SharedSessions | undefined;
  /** Absent if no token is needed. */
  readonly verifier?: TokenVerifier | undefined;
  readonly metrics: Metrics;
  /** How long requests are still taken after /readyz reports the end, so that load balancers notice, in milliseconds. */
  readonly noticeMs: number;
  /** How long running requests may still take once the server is to end, in milliseconds. */
  readonly drainMs: number;
  /** A port for the metrics alone; 0 is any free one. If absent, the protocol's port serves them. */
  readonly metricsPort?: number | undefined;
}

export interface HttpServer {
  readonly url: string;
  readonly metricsUrl: string;
  /** Ends serving. Running requests are answered, with a header that makes clients reconnect elsewhere. */
  readonly close: () => Promise<void>;
}

/** Longer than load balancers keep a connection, so that it is not closed just as one sends a request over it. */
const keepAliveTimeout = 75_000;

/** The checks of some load balancers are HTTP/1.0 and name no host. The protocol refuses such a request, as an unknown host. */
const forNoHost = { hostname: 'localhost' };

/** Serves over HTTP. Throws a Failure if it cannot listen on the address. */
export async function serveHttp(server: Served, options: HttpOptions): Promise<HttpServer> {
  const { host, port, allowHosts, allowOrigins, isLocal, verifier, metrics, metricsPort, log } = options;
  const hangUp = new AbortController();
  const { create, idle } = createServerFactory({
    ...server,
    trackersOf: verifier && trackersByHolder(server.trackers),
    observer: bothObservers(metrics.observer, logCalls(log)),
    hungUp: hangUp.signal,
  });
  const olderClients = options.sessions ? withSessions(create, options.sharedSessions) : withoutSessions(create);
  const writes = server.tools.filter((tool) => tool.access !== 'read' && server.trackers.thatOffer(tool).length > 0);
  const writingTools = new Set(writes.map(({ name }) => name));
  let isEnding = false;
  const app = createApp({
    ...options,
    names: { hosts: ['localhost', '127.0.0.1', '[::1]', host, ...allowHosts], origins: allowOrigins, isLocal },
    gate: verifier && new Gate(verifier, writingTools),
    create,
    olderClients,
    metrics: metricsPort === undefined ? metrics : undefined,
    isReady: () => !isEnding,
    onDefect: server.onDefect,
  });
  const answer = getRequestListener(app.fetch, forNoHost);
  const listener = createServer(
    { keepAliveTimeout, headersTimeout: keepAliveTimeout + 5000 },
    async (request, response) => {
      response.setHeader(requestIdHeader, ensureRequestId(request));
      if (isEnding) response.setHeader('connection', 'close');
      await drain.hold;
      await answer(request, response);
    },
  );
  const drain = new Drain(listener);
  const url = await listen(listener, host, port);
  const metricsListener = metricsPort === undefined ? undefined : createMetricsServer(metrics);
  const metricsUrl = metricsListener ? await listen(metricsListener, host, metricsPort ?? 0) : url;
  return {
    url: `${url}/mcp`,
    metricsUrl: `${metricsUrl}/metrics`,
    close: async () => {
      isEnding = true;
      // A person may need longer to answer than the server has.
      hangUp.abort();
      if (!isLocal || drain.connections > 0) await sleep(options.noticeMs);
      const drained = drain.end(options.drainMs);
      // A session that ends takes the answers with it that are not sent yet.
      await Promise.race([Promise.all([idle(), drain.answered()]), drained]);
      await olderClients.close();
      const cutOff = await drained;
      metricsListener?.close();
      metricsListener?.closeAllConnections();
      const requests = cutOff === 1 ? '1 request was' : `${cutOff} requests were`;
      if (cutOff > 0) log(`ended after ${options.drainMs / 1000} s: ${requests} not answered.`);
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(
        new Failure(
          `${host}:${port} cannot be listened on: ${code === 'EADDRINUSE' ? 'the port is in use' : message}.`,
          'Choose another with --host and --port; port 0 is any free one.',
        ),
      ),
    );
    server.listen(port, host, () => {
      const { family, address, port: taken } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`);
    });
  });
}

function createMetricsServer(metrics: Metrics): Server {
  const app = new Hono().get('/metrics', () => metricsResponse(metrics));
  return createServer(getRequestListener(app.fetch, forNoHost));
}

const validId = /^[\w.:-]{1,128}$/;

/** Returns the ID of a request: the one that a proxy set, or a new one, which is added to the headers. */
function ensureRequestId(request: IncomingMessage): string {
  const given = request.headers[requestIdHeader];
  if (typeof given === 'string' && validId.test(given)) return given;
  const id = randomUUID();
  request.headers[requestIdHeader] = id;
  const raw = request.rawHeaders;
  request.rawHeaders = raw.filter((_, index) => raw[index & ~1]?.toLowerCase() !== requestIdHeader);
  request.rawHeaders.push(requestIdHeader, id);
  return id;
}

/** Max holders whose tables are kept. The tables of one may fill half of the space that all share. */
const maxHolders = 20;

/** How long a query on evicted tables may still take. */
const lastQueryMs = 30_000;

/** Gives each holder of a token the trackers that the token allows, with guards that know the holder, and tables of its own. */
function trackersByHolder(trackers: Trackers): NonNullable<ServerOptions['trackersOf']> {
  const tablesByHolder = new LRUCache<string, RecentTables>({
    max: maxHolders,
    dispose: (tables, _, reason) => reason === 'evict' && tables.close(lastQueryMs),
  });
  const room = new SharedRoom();
  return (holder) => {
    if (!holder) throw new TypeError('a request without a holder passed the gate');
    const recentTables = tablesByHolder.get(holder.name) ?? new RecentTables(room);
    tablesByHolder.set(holder.name, recentTables);
    return trackers.with(
      (context) => ({ ...context, guard: context.guard.heldBy(holder), recentTables }),
      holder.trackers,
    );
  };
}
