import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { LRUCache } from 'lru-cache';
import { Failure } from '../../api/failure.ts';
import { bothObservers, type Observer } from '../../api/observer.ts';
import type { Holder } from '../../guard/holder.ts';
import { RecentTables, SharedRoom } from '../../tools/recent-tables.ts';
import type { Trackers } from '../../tools/trackers/trackers.ts';
import { requestIdHeader } from '../call-context.ts';
import { createServerFactory, type ServerOptions } from '../server.ts';
import { Gate, type TokenVerifier } from './access/gate.ts';
import type { RateLimit } from './access/rate-limit.ts';
import { answerMetrics, createApp } from './app.ts';
import type { Approving } from './approve-app.ts';
import { Drain } from './drain.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { Sessions, withoutSessions } from './older-clients.ts';

export type Served = Pick<ServerOptions, 'version' | 'tools' | 'trackers' | 'onDefect' | 'questions'>;

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** Host names under which the server is reached, beside this machine's own. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  /** Whether only this machine reaches it. */
  readonly isLocal: boolean;
  /** Whether clients of the older protocol get sessions. */
  readonly sessions: boolean;
  /** Absent if no token is needed. */
  readonly verifier?: TokenVerifier | undefined;
  /** Absent if no write waits for a person. */
  readonly approving?: Approving | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly metrics: Metrics;
  /** Why what replicas share cannot be used now, so that only reads are served; undefined if all is. */
  readonly lacking?: (() => string | undefined) | undefined;
  /** In milliseconds, for requests under way once the server is to end. */
  readonly drainMs: number;
  /** A port for the metrics alone; 0 is any free one. Absent: beside the protocol. */
  readonly metricsPort?: number | undefined;
  readonly log: Log;
}

export interface HttpServer {
  readonly url: string;
  readonly metricsUrl: string;
  /** Ends serving: what was asked is answered, with a header that sends the next request elsewhere. */
  readonly close: () => Promise<void>;
}

/** Longer than load balancers keep a connection, so that it is not closed just as one sends a request over it. */
const keepAliveTimeout = 75_000;

/** How long requests are still taken once the end is announced, so that callers can notice. */
const farewellMs = 1000;

/** Serves over HTTP. Throws a Failure if the address cannot be listened on. */
export async function serveHttp(server: Served, options: HttpOptions): Promise<HttpServer> {
  const { host, port, allowHosts, allowOrigins, isLocal, verifier, approving, metrics, metricsPort, lacking, log } =
    options;
  const hangUp = new AbortController();
  const { create, idle } = createServerFactory({
    ...server,
    trackersFor: verifier && contextsByHolder(server.trackers),
    observer: bothObservers(metrics.observer, { toolCalled: logCalls(log) }),
    hungUp: hangUp.signal,
  });
  const sessions = options.sessions ? new Sessions(create) : undefined;
  const writes = server.tools.filter((tool) => tool.access !== 'read' && server.trackers.offering(tool).length > 0);
  const writingTools = new Set(writes.map(({ name }) => name));
  let isEnding = false;
  const app = createApp({
    names: { hosts: ['localhost', '127.0.0.1', '[::1]', host, ...allowHosts], origins: allowOrigins, isLocal },
    gate: verifier && new Gate(verifier, writingTools),
    rateLimit: options.rateLimit,
    create,
    approving,
    answerOlder: sessions ? sessions.answer.bind(sessions) : withoutSessions(create),
    metrics: metricsPort === undefined ? metrics : undefined,
    isReady: () => !isEnding,
    lacking,
    log,
    onDefect: server.onDefect,
  });
  const answer = getRequestListener(app.fetch);
  const listener = createServer(
    { keepAliveTimeout, headersTimeout: keepAliveTimeout + 5000 },
    async (request, response) => {
      response.setHeader(requestIdHeader, nameRequest(request));
      if (isEnding) response.setHeader('connection', 'close');
      await drain.released;
      await answer(request, response);
    },
  );
  const drain = new Drain(listener);
  const url = await listen(listener, host, port);
  const metricsListener = metricsPort === undefined ? undefined : serveMetrics(metrics);
  const metricsUrl = metricsListener ? await listen(metricsListener, host, metricsPort ?? 0) : url;
  return {
    url: `${url}/mcp`,
    metricsUrl: `${metricsUrl}/metrics`,
    close: async () => {
      isEnding = true;
      // A person's answer may take longer than the server has.
      hangUp.abort();
      if (drain.connections > 0) await sleep(farewellMs);
      const drained = drain.end(options.drainMs);
      await Promise.race([idle(), drained]);
      await sessions?.close();
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

function serveMetrics(metrics: Metrics): Server {
  const app = new Hono().get('/metrics', () => answerMetrics(metrics));
  return createServer(getRequestListener(app.fetch));
}

const plainId = /^[\w.:-]{1,128}$/;

/** Gives a request its ID, for all that reads its headers: that of a proxy in front, or a new one. */
function nameRequest(request: IncomingMessage): string {
  const given = request.headers[requestIdHeader];
  if (typeof given === 'string' && plainId.test(given)) return given;
  const id = randomUUID();
  request.headers[requestIdHeader] = id;
  const raw = request.rawHeaders;
  request.rawHeaders = raw.filter((_, index) => raw[index & ~1]?.toLowerCase() !== requestIdHeader);
  request.rawHeaders.push(requestIdHeader, id);
  return id;
}

function logCalls(log: Log): NonNullable<Observer['toolCalled']> {
  return (tool, outcome, seconds, { token, requestId }) =>
    log(`called ${tool}: ${outcome}`, {
      ...{ event: 'call', request_id: requestId, token, tool, outcome, ms: Math.round(seconds * 1000) },
      routine: true,
    });
}

/** Holders whose tables are kept at a time; one may keep as much as a server for one person does, all together twice that. */
const maxHolders = 20;

/** How long a query may still take whose tables make room. */
const lastQueryMs = 30_000;

/** What a holder’s calls work with: the trackers of the token, guards that know it, and tables of its own. */
function contextsByHolder(trackers: Trackers): (holder: Holder | undefined) => Trackers {
  const tables = new LRUCache<string, RecentTables>({
    max: maxHolders,
    dispose: (oldest, _, reason) => reason === 'evict' && oldest.close(lastQueryMs),
  });
  const room = new SharedRoom();
  return (holder) => {
    if (!holder) throw new TypeError('a request came past the gate');
    const recentTables = tables.get(holder.name) ?? new RecentTables(room);
    tables.set(holder.name, recentTables);
    return trackers.with(
      (context) => ({ ...context, guard: context.guard.heldBy(holder), recentTables }),
      holder.trackers,
    );
  };
}
