import { isJsonContentType, ProtocolError, type RequestId, readRequestBody } from '@modelcontextprotocol/server';
import { parseMessage } from '../message-lines.ts';

/** Codes of JSON-RPC and of the protocol, for what never reaches a server of it. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  internalError: -32603,
  /** What HTTP itself refuses. */
  refused: -32000,
  noSession: -32001,
} as const;

/** An error as every client of the protocol reads it, whatever was wrong with the request. */
export function errorAnswer(
  status: number,
  code: number,
  message: string,
  { headers = {}, id = null }: { headers?: Readonly<Record<string, string>>; id?: RequestId | null } = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status, headers });
}

/** The ID of the request that a body is, which the answer to it repeats; null if it is none. */
export function requestIdOf(body: unknown): RequestId | null {
  const { id, method } = (body ?? {}) as { id?: unknown; method?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

const maxBytes = 4 * 1024 * 1024;

/** The message of the body, or what to answer in its place. */
export async function readBody(request: Request): Promise<{ readonly message: unknown } | Response> {
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return errorAnswer(415, codes.refused, 'The content type must be application/json.');
  }
  const text = await readText(request).catch(() => '');
  // The connection stays open: closed under a client that is still sending, it would reset, and the answer be lost.
  if (text === undefined) return errorAnswer(413, codes.refused, 'The body is larger than 4 MB.');
  const parsed = parseMessage(text);
  if (parsed === undefined) return errorAnswer(400, codes.parseError, 'The body is no JSON.');
  if (parsed instanceof ProtocolError) return errorAnswer(400, parsed.code, parsed.message);
  return { message: parsed.content };
}

/**
 * A body of a known length comes through no longer than that, and is taken whole. Any other is counted as it comes in, which
 * costs a stream. Undefined if it is too large.
 */
async function readText(request: Request): Promise<string | undefined> {
  const length = request.headers.get('content-length');
  if (length !== null) return Number(length) > maxBytes ? undefined : request.text();
  const body = await readRequestBody(request, maxBytes);
  return body.tooLarge ? undefined : body.text;
}
