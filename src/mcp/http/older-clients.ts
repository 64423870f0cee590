import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  isInitializeRequest,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { hourMs } from '../../api/durations.ts';
import { parseJson } from '../../api/text/json.ts';
import { errorResponse, httpErrorCodes, requestIdOf } from '../messages.ts';
import type { ServerFactory } from '../server.ts';

/** Serves clients of the older protocol. */
export interface OlderClients {
  /** @param message the body of the request, which was read already */
  answer(request: Request, message: unknown, authInfo: AuthInfo | undefined): Promise<Response>;
  /** Ends all sessions and their streams. */
  close(): Promise<void>;
}

/**
 * Answers each request with a server of its own, so that any replica can. A client that disconnects does not end its call: in
 * the older protocol it sends a notification for that.
 */
export function withoutSessions(create: ServerFactory['create']): OlderClients {
  return {
    answer: async (request, message, authInfo) => {
      if (request.method !== 'POST') {
        return errorResponse(405, httpErrorCodes.refused, 'Only POST is served.', { headers: { allow: 'POST' } });
      }
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !wantsProgress(message) });
      await create({ era: 'legacy' }).connect(transport);
      return transport.handleRequest(request, { parsedBody: message, ...(authInfo ? { authInfo } : {}) });
    },
    close: async () => undefined,
  };
}

/** The ID of the request that a message cancels; undefined if it cancels none. */
function cancelledBy(message: unknown): RequestId | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { requestId?: RequestId } };
  return method === 'notifications/cancelled' ? params?.requestId : undefined;
}

/** Progress notifications need a stream. */
function wantsProgress(message: unknown): boolean {
  const { params } = (message ?? {}) as { params?: { _meta?: { progressToken?: unknown } } };
  return params?._meta?.progressToken !== undefined;
}

/** Beyond these, the least recently used session ends. The limit per token keeps tokens out of each other's way. */
const maxSessions = 10_000;
const maxSessionsPerToken = 100;

/** Clients seldom end a session. One that comes back later starts a new one. */
const maxIdleMs = hourMs;

/** Every open session is kept again after this part of its life. */
const keepIntervalMs = maxIdleMs / 6;

/** A client with a longer greeting has sessions at one replica only. Real ones take some hundred characters. */
const maxStartLength = 8192;

/** What a session began with. A replica that knows it can go on with the session of another. */
const sessionStart = z.object({ owner: z.string().optional(), greeting: z.record(z.string(), z.unknown()) });

/** The starts of sessions as text, for all replicas. */
export interface SharedSessions {
  keep(id: string, start: string, ms: number): Promise<void>;
  /** Undefined if there is none, or none can be read now. */
  find(id: string): Promise<string | undefined>;
  forget(id: string): Promise<void>;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly start: z.infer<typeof sessionStart>;
  keptAt: number;
}

/**
 * Gives each client a session, over which the server can ask a person while a call waits.
 *
 * @param shared absent if no other server may get the requests of a session
 */
export function withSessions(create: ServerFactory['create'], shared?: SharedSessions): OlderClients {
  const sessions = new LRUCache<string, Session>({
    max: maxSessions,
    ttl: maxIdleMs,
    updateAgeOnGet: true,
    ttlAutopurge: true,
    dispose: ({ transport }, id, reason) => {
      void transport.close();
      if (reason === 'evict') void shared?.forget(id);
    },
  });
  const end = async (id: string) => {
    sessions.delete(id);
    await shared?.forget(id);
  };
  const keep = async (id: string, session: Session) => {
    if (performance.now() - session.keptAt < keepIntervalMs) return;
    session.keptAt = performance.now();
    const start = JSON.stringify(session.start);
    if (start.length <= maxStartLength) await shared?.keep(id, start, maxIdleMs);
  };
  const add = async (id: string, session: Session) => {
    sessions.set(id, session);
    // Before the client learns the ID, because its next request may go to another replica.
    await keep(id, session);
    const { owner } = session.start;
    if (owner === undefined) return;
    const idsOfOwner = [...sessions.rkeys()].filter((other) => sessions.peek(other)?.start.owner === owner);
    const [oldest] = idsOfOwner;
    if (idsOfOwner.length > maxSessionsPerToken && oldest !== undefined) await end(oldest);
  };
  const begin = async (start: Session['start'], makeId: () => string) => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: makeId,
      onsessioninitialized: (id) => add(id, { transport, start, keptAt: Number.NEGATIVE_INFINITY }),
      onsessionclosed: end,
    });
    await create({ era: 'legacy' }).connect(transport);
    return transport;
  };
  /** Goes on with a session of another replica: it is greeted here as it was there. */
  const adopt = async (id: string, { url }: Request, owner: string | undefined): Promise<Session | undefined> => {
    const { data: start } = sessionStart.safeParse(parseJson((await shared?.find(id)) ?? ''));
    if (!start || start.owner !== owner) return undefined;
    const transport = await begin(start, () => id);
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const greeted = await transport.handleRequest(new Request(url, { method: 'POST', headers }), {
      parsedBody: start.greeting,
    });
    await greeted.text();
    return sessions.get(id);
  };
  const adoptions = new Map<string, Promise<Session | undefined>>();
  const adoptOnce = (id: string, request: Request, owner: string | undefined) => {
    const key = JSON.stringify([id, owner]);
    const adoption = adoptions.get(key) ?? adopt(id, request, owner).finally(() => adoptions.delete(key));
    adoptions.set(key, adoption);
    return adoption;
  };
  return {
    answer: async (request, message, authInfo) => {
      const options = { parsedBody: message, ...(authInfo ? { authInfo } : {}) };
      const id = request.headers.get('mcp-session-id');
      const owner = authInfo?.clientId;
      if (id === null && isInitializeRequest(message)) {
        return (await begin({ owner, greeting: { ...message } }, randomUUID)).handleRequest(request, options);
      }
      if (id === null) {
        const next = 'The request names no session: send initialize first, then Mcp-Session-Id with each request.';
        return errorResponse(400, httpErrorCodes.refused, next, { id: requestIdOf(message) });
      }
      const session = sessions.get(id) ?? (await adoptOnce(id, request, owner));
      if (!session || session.start.owner !== owner) {
        const next = 'The session does not exist or has ended; start a new one with initialize.';
        return errorResponse(404, httpErrorCodes.noSession, next, { id: requestIdOf(message) });
      }
      void keep(id, session);
      const response = await session.transport.handleRequest(request, options);
      const cancelled = cancelledBy(message);
      // A cancelled call is not answered, and its stream would stay open as long as the session.
      if (cancelled !== undefined) session.transport.closeSSEStream(cancelled);
      return response;
    },
    close: async () => {
      const transports = [...sessions.values()].map(({ transport }) => transport);
      sessions.clear();
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}
