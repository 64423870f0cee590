import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { ServerFactory } from '../server.ts';
import { codes, errorAnswer, requestIdOf } from './messages.ts';

/** Answers a request of a client of the older protocol; the body is read already. */
export type AnswerOlder = (
  request: Request,
  message: unknown,
  authInfo: AuthInfo | undefined,
) => Promise<Response> | Response;

/**
 * Answers each request by itself, with a server of its own, so that any replica can. A client that goes away does not end its
 * call: the older protocol has a message for that.
 */
export function withoutSessions(create: ServerFactory['create']): AnswerOlder {
  return async (request, message, authInfo) => {
    if (request.method !== 'POST') {
      return errorAnswer(405, codes.refused, 'Only POST is served.', { headers: { allow: 'POST' } });
    }
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !wantsProgress(message) });
    await create({ era: 'legacy' }).connect(transport);
    return transport.handleRequest(request, { parsedBody: message, ...(authInfo ? { authInfo } : {}) });
  };
}

/** Progress comes ahead of the answer, which takes a stream. */
function wantsProgress(message: unknown): boolean {
  const { params } = (message ?? {}) as { params?: { _meta?: { progressToken?: unknown } } };
  return params?._meta?.progressToken !== undefined;
}

const maxSessions = 10_000;

/**
 * One more ends the one that was used longest ago: of the same token first, so that no token pushes out the sessions of
 * another.
 */
const maxSessionsOfToken = 100;

/** Clients seldom say that they are done; one that comes back later begins anew. */
const maxIdleMs = 60 * 60_000;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly owner: string | undefined;
}

/** A session for each client of the older protocol, over which it can be asked while a call of it waits. */
export class Sessions {
  readonly #create: ServerFactory['create'];
  readonly #sessions = new LRUCache<string, Session>({
    ...{ max: maxSessions, ttl: maxIdleMs, updateAgeOnGet: true, ttlAutopurge: true },
    dispose: ({ transport }) => void transport.close(),
  });

  constructor(create: ServerFactory['create']) {
    this.#create = create;
  }

  async answer(request: Request, message: unknown, authInfo: AuthInfo | undefined): Promise<Response> {
    const options = { parsedBody: message, ...(authInfo ? { authInfo } : {}) };
    const id = request.headers.get('mcp-session-id');
    if (id === null && isInitializeRequest(message)) {
      return (await this.#begin(authInfo?.clientId)).handleRequest(request, options);
    }
    if (id === null) {
      const next = 'The session is not named: send initialize first, then Mcp-Session-Id with each request.';
      return errorAnswer(400, codes.refused, next, { id: requestIdOf(message) });
    }
    const session = this.#sessions.get(id);
    if (!session || session.owner !== authInfo?.clientId) {
      const next = 'There is no such session; begin a new one with initialize.';
      return errorAnswer(404, codes.noSession, next, { id: requestIdOf(message) });
    }
    return session.transport.handleRequest(request, options);
  }

  /** Ends all of them, and with them the streams that clients listen to. */
  async close(): Promise<void> {
    const transports = [...this.#sessions.values()].map(({ transport }) => transport);
    this.#sessions.clear();
    await Promise.all(transports.map((transport) => transport.close()));
  }

  async #begin(owner: string | undefined): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { transport, owner });
        if (owner === undefined) return;
        const own = [...this.#sessions.rkeys()].filter((known) => this.#sessions.peek(known)?.owner === owner);
        const [oldest] = own;
        if (own.length > maxSessionsOfToken && oldest !== undefined) this.#sessions.delete(oldest);
      },
      onsessionclosed: (id) => void this.#sessions.delete(id),
    });
    await this.#create({ era: 'legacy' }).connect(transport);
    return transport;
  }
}
