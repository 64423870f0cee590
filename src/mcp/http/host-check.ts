import { localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';
import { codes, errorAnswer } from './messages.ts';

export interface KnownNames {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  /** Whether pages of this machine may call too: only if no other machine reaches the server. */
  readonly isLocal: boolean;
}

/**
 * Refuses web pages that reach the server through a visitor’s browser: by a name that was made to lead here, or from an
 * unknown origin. Undefined if the request may be served.
 */
export function rejectUnknownHosts(request: Request, { hosts, origins, isLocal }: KnownNames): Response | undefined {
  const host = validateHostHeader(request.headers.get('host'), [...hosts]);
  if (!host.ok)
    return errorAnswer(403, codes.refused, 'The host is not one that this server is reached by (--allow-hosts).');
  const origin = request.headers.get('origin');
  if (origin === null || origins.includes(origin) || (isLocal && isOfThisMachine(origin))) return undefined;
  return errorAnswer(403, codes.refused, 'Pages of this origin may not call this server (--allow-origins).');
}

export function isOfThisMachine(origin: string): boolean {
  return URL.canParse(origin) && localhostAllowedHostnames().includes(new URL(origin).hostname);
}
