import type { RequestId } from '@modelcontextprotocol/server';

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

/** The ID of the request that a body is, which the answer to it repeats; null where it is none. */
export function requestIdOf(body: unknown): RequestId | null {
  const { id, method } = (body ?? {}) as { id?: unknown; method?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}
