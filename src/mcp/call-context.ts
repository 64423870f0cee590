import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Caller, TraceOrigin } from '../api/observer.ts';
import type { Holder } from '../guard/holder.ts';
import type { CallContext, ToolContext } from '../tools/define-tool.ts';
import type { Trackers } from '../tools/trackers.ts';

/** The trackers that the caller of a request may use, and what a call on one of them works with. */
export type TrackersFor = (request: ServerContext) => {
  readonly trackers: Trackers;
  readonly contextForCall: (context: ToolContext, forTools?: Partial<ForTools>) => CallContext;
};

/** What only calls of tools have. */
type ForTools = Pick<CallContext, 'ask' | 'onDefect' | 'onProposed' | 'onProgress' | 'isShownInView'>;

/**
 * The client's name and capabilities: in each request since 2026-07-28, in `initialize` before. Over HTTP without sessions an older
 * client says its name only in its User-Agent, and its capabilities are unknown.
 */
export function clientOf(server: Server, { mcpReq: { envelope }, http }: ServerContext) {
  const meta = envelope as Readonly<Record<string, unknown>> | undefined;
  const client = (meta?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as Implementation | undefined;
  const capabilities = meta?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const [program] = http?.req?.headers.get('user-agent')?.split(/[\s/(]/) ?? [];
  return { name: client?.name ?? (program || 'unknown'), capabilities: capabilities as ClientCapabilities | undefined };
}

/** The trace that a request belongs to, from the message or else from its HTTP headers. */
export function traceOriginOf({ mcpReq: { _meta }, http }: ServerContext): TraceOrigin {
  const header = (name: string) => http?.req?.headers.get(name) ?? undefined;
  const { traceparent, tracestate } = (_meta ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof traceparent !== 'string') return { traceparent: header('traceparent'), tracestate: header('tracestate') };
  return { traceparent, tracestate: typeof tracestate === 'string' ? tracestate : undefined };
}

export function holderOf({ http }: ServerContext): Holder | undefined {
  return http?.authInfo && holderIn(http.authInfo);
}

export const requestIdHeader = 'x-request-id';

export function callerOf(request: ServerContext): Caller {
  const requestId = request.http?.req?.headers.get(requestIdHeader) ?? undefined;
  return { token: holderOf(request)?.name, requestId };
}

/** The page where a person approves, by the address at which the client reached this server; undefined if not over HTTP. */
export function approvePageFor({ http }: ServerContext): string | undefined {
  const host = http?.req?.headers.get('host');
  if (!host) return undefined;
  const scheme = http?.req?.headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http';
  return `${scheme}://${host}/approve`;
}

/** Carries a holder through the SDK, without the token itself. */
export function authInfoFor(holder: Holder): AuthInfo {
  return { token: '', clientId: holder.name, scopes: [], extra: { holder } };
}

export function holderIn({ extra }: AuthInfo): Holder | undefined {
  return extra?.['holder'] as Holder | undefined;
}
