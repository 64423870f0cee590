import { localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';
import { codes, errorAnswer } from './messages.ts';

export interface KnownNames {
  /** The host names under which the server may be asked for. */
  readonly hosts: readonly string[];
  /** The origins whose pages may call it. */
  readonly origins: readonly string[];
  /** Whether pages of this machine may call too: only if nobody else reaches the server. */
  readonly isLocal: boolean;
}

/**
 * Keeps web pages out that reach the server through a visitor’s browser: by a name that was made to lead here, or from an
 * origin that nobody named.
 *
 * @returns what to answer in place of serving the request; undefined if it may be served
 */
export function rejectUnknownHosts(request: Request, { hosts, origins, isLocal }: KnownNames): Response | undefined {
  const host = validateHostHeader(request.headers.get('host'), [...hosts]);
  if (!host.ok)
    return errorAnswer(403, codes.refused, 'The host is not one that this server is reached by (--allow-hosts).');
  const origin = request.headers.get('origin');
  if (origin === null || origins.includes(origin) || (isLocal && isOfThisMachine(origin))) return undefined;
  return errorAnswer(403, codes.refused, 'Pages of this origin may not call this server (--allow-origins).');
}

/** Whether an origin or URL is on this machine. */
export function isOfThisMachine(origin: string): boolean {
  return URL.canParse(origin) && localhostAllowedHostnames().includes(new URL(origin).hostname);
}
