import { type AuthInfo, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { ServerFactory } from '../server.ts';
import { codes, errorAnswer } from './answers.ts';

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
