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
import type { InCall, Trackers } from '../tools/trackers.ts';

export interface RequestTrackers {
  readonly trackers: Trackers;
  readonly inCall: InCall;
}

export type TrackersOf = (request: ServerContext) => RequestTrackers;

/** Since 2026-07-28 each request says who sends it; before that a client said so once, when it connected. */
export function clientOf(server: Server, { mcpReq: { envelope } }: ServerContext) {
  const said = envelope as Readonly<Record<string, unknown>> | undefined;
  const about = (said?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as Implementation | undefined;
  const capabilities = said?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
  return { name: about?.name ?? 'unknown', capabilities: capabilities as ClientCapabilities };
}

/** The trace that a request belongs to: the message itself names it, or the HTTP that brought it. */
export function traceOriginOf({ mcpReq: { _meta }, http }: ServerContext): TraceOrigin {
  const said = (_meta ?? {}) as Readonly<Record<string, unknown>>;
  const header = (name: string) => http?.req?.headers.get(name) ?? undefined;
  const { traceparent, tracestate } = said;
  if (typeof traceparent !== 'string') return { traceparent: header('traceparent'), tracestate: header('tracestate') };
  return { traceparent, tracestate: typeof tracestate === 'string' ? tracestate : undefined };
}

export function holderOf({ http }: ServerContext): Holder | undefined {
  return http?.authInfo && heldBy(http.authInfo);
}

export const requestIdHeader = 'x-request-id';

export function callerOf(request: ServerContext): Caller {
  const requestId = request.http?.req?.headers.get(requestIdHeader) ?? undefined;
  return { token: holderOf(request)?.name, requestId };
}

/** How a holder travels through the SDK, beside a token that goes no further. */
export function authInfoOf(holder: Holder): AuthInfo {
  return { token: '', clientId: holder.name, scopes: [], extra: { holder } };
}

export function heldBy({ extra }: AuthInfo): Holder | undefined {
  return extra?.['holder'] as Holder | undefined;
}
