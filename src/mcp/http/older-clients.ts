import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
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

/** Progress notifications need a stream. */
function wantsProgress(message: unknown): boolean {
  const { params } = (message ?? {}) as { params?: { _meta?: { progressToken?: unknown } } };
  return params?._meta?.progressToken !== undefined;
}

/** Beyond these, the least recently used session ends. The limit per token keeps tokens out of each other's way. */
const maxSessions = 10_000;
const maxSessionsPerToken = 100;

/** Clients seldom end a session. One that comes back later starts a new one. */
const maxIdleMs = 60 * 60_000;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly owner: string | undefined;
}

/** Gives each client a session, over which the server can ask a person while a call waits. */
export function withSessions(create: ServerFactory['create']): OlderClients {
  const sessions = new LRUCache<string, Session>({
    max: maxSessions,
    ttl: maxIdleMs,
    updateAgeOnGet: true,
    ttlAutopurge: true,
    dispose: ({ transport }) => void transport.close(),
  });
  const begin = async (owner: string | undefined) => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, owner });
        if (owner === undefined) return;
        const idsOfOwner = [...sessions.rkeys()].filter((other) => sessions.peek(other)?.owner === owner);
        const [oldest] = idsOfOwner;
        if (idsOfOwner.length > maxSessionsPerToken && oldest !== undefined) sessions.delete(oldest);
      },
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await create({ era: 'legacy' }).connect(transport);
    return transport;
  };
  return {
    answer: async (request, message, authInfo) => {
      const options = { parsedBody: message, ...(authInfo ? { authInfo } : {}) };
      const id = request.headers.get('mcp-session-id');
      if (id === null && isInitializeRequest(message)) {
        return (await begin(authInfo?.clientId)).handleRequest(request, options);
      }
      if (id === null) {
        const next = 'The request names no session: send initialize first, then Mcp-Session-Id with each request.';
        return errorResponse(400, httpErrorCodes.refused, next, { id: requestIdOf(message) });
      }
      const session = sessions.get(id);
      if (!session || session.owner !== authInfo?.clientId) {
        const next = 'The session does not exist or has ended; start a new one with initialize.';
        return errorResponse(404, httpErrorCodes.noSession, next, { id: requestIdOf(message) });
      }
      return session.transport.handleRequest(request, options);
    },
    close: async () => {
      const transports = [...sessions.values()].map(({ transport }) => transport);
      sessions.clear();
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}
