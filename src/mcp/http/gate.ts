import { type AuthInfo, localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { Holder, Holders } from '../../guard/holder.ts';
import { authInfoFor, holderIn } from '../call-context.ts';
import { errorResponse, httpErrorCodes, requestIdOf } from '../messages.ts';

export interface KnownNames {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  /** Whether web pages of this machine may call too: only if no other machine reaches the server. */
  readonly isLocal: boolean;
}

/**
 * Rejects web pages that reach the server through a visitor's browser: through DNS rebinding, or from an unknown origin.
 *
 * @returns undefined if the request may be served
 */
export function rejectUnknownHosts(request: Request, { hosts, origins, isLocal }: KnownNames): Response | undefined {
  if (!validateHostHeader(request.headers.get('host'), [...hosts]).ok) {
    const message = 'This host name is not allowed (--allow-hosts).';
    return errorResponse(403, httpErrorCodes.refused, message);
  }
  const origin = request.headers.get('origin');
  if (origin === null || origins.includes(origin) || (isLocal && isOfThisMachine(origin))) return undefined;
  const message = 'Pages of this origin may not call this server (--allow-origins).';
  return errorResponse(403, httpErrorCodes.refused, message);
}

export function isOfThisMachine(origin: string): boolean {
  return URL.canParse(origin) && localhostAllowedHostnames().includes(new URL(origin).hostname);
}

/** An error of RFC 6750. */
export interface TokenProblem {
  readonly error: 'invalid_token' | 'insufficient_scope';
  readonly description: string;
}

export interface TokenVerifier extends Holders {
  /** Throws a Failure if tokens cannot be checked now: then no caller gets in. */
  verify(token: string): Promise<Holder | TokenProblem>;
  /** How a client gets a token by itself; absent if a person hands out tokens. */
  readonly authorization?: {
    readonly metadataUrl: string;
    readonly scopes: readonly string[];
    readonly metadata: object;
  };
}

/** Admits requests with a token in the header. Tokens in the URL would end up in logs. */
export class Gate {
  readonly verifier: TokenVerifier;
  readonly #writingTools: ReadonlySet<string>;

  constructor(verifier: TokenVerifier, writingTools: ReadonlySet<string>) {
    this.verifier = verifier;
    this.#writingTools = writingTools;
  }

  /** Who calls, or the response if the request is rejected. */
  async admit(request: Request): Promise<AuthInfo | Response> {
    const header = request.headers.get('authorization');
    // A client without a token only learns how to get one: RFC 6750 names no error here.
    if (header === null) return this.#reject(401, undefined);
    const token = /^Bearer +([\w~+/.=-]+) *$/i.exec(header)?.[1];
    if (token === undefined) {
      return this.#reject(401, { error: 'invalid_token', description: 'The header holds no bearer token.' });
    }
    const holder = await this.verifier.verify(token);
    if ('error' in holder) return this.#reject(holder.error === 'invalid_token' ? 401 : 403, holder);
    return authInfoFor(holder);
  }

  /** Rejects a write if the client can get a better token by itself. Other clients get the tool's error, which an agent reads. */
  rejectWrite(message: unknown, authInfo: AuthInfo): Response | undefined {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
    const name = params?.name;
    const isWrite = method === 'tools/call' && typeof name === 'string' && this.#writingTools.has(name);
    if (!isWrite || !this.verifier.authorization || holderIn(authInfo)?.access !== 'read') return undefined;
    const description = 'This tool writes, for which the token needs tracker:write.';
    return this.#reject(403, { error: 'insufficient_scope', description }, message);
  }

  #reject(status: 401 | 403, problem: TokenProblem | undefined, message?: unknown): Response {
    const { authorization } = this.verifier;
    const challenge = Object.entries({
      realm: 'tracker-mcp',
      error: problem?.error,
      error_description: problem?.description,
      scope: authorization?.scopes.join(' '),
      resource_metadata: authorization?.metadataUrl,
    }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${toQuotableText(value)}"`]));
    return errorResponse(status, httpErrorCodes.refused, problem?.description ?? 'A bearer token is needed.', {
      headers: { 'www-authenticate': `Bearer ${challenge.join(', ')}` },
      id: requestIdOf(message),
    });
  }
}

/** Text that a header can contain in quotation marks. */
function toQuotableText(text: string): string {
  return text.replaceAll('’', "'").replace(/[^ !#-[\]-~]/g, '');
}

const windowMs = 60_000;

/** Tokens are few, but the subjects of an authorization server may be many. */
const maxCallers = 10_000;

export interface Count {
  readonly requests: number;
  readonly leftMs: number;
}

export interface SharedCounts {
  /** Undefined if counting fails. */
  count(caller: string, windowMs: number): Promise<Count | undefined>;
}

/** Limits the requests of a caller per minute. */
export class RateLimit {
  readonly #max: number;
  readonly #shared: SharedCounts | undefined;
  readonly #windowByCaller = new LRUCache<string, { readonly beganAt: number; requests: number }>({
    max: maxCallers,
    ttl: windowMs,
  });

  /** Without shared counts, and while they fail, this server counts on its own. */
  constructor(maxPerMinute: number, shared?: SharedCounts) {
    this.#max = maxPerMinute;
    this.#shared = shared;
  }

  /** Counts a request. Returns the seconds until the caller may ask again, or undefined if the request may be served. */
  async take(caller: string): Promise<number | undefined> {
    const { requests, leftMs } = (await this.#shared?.count(caller, windowMs)) ?? this.#countLocally(caller);
    return requests <= this.#max ? undefined : Math.max(1, Math.ceil(leftMs / 1000));
  }

  #countLocally(caller: string): Count {
    const now = performance.now();
    let window = this.#windowByCaller.get(caller);
    if (!window || now - window.beganAt >= windowMs) {
      window = { beganAt: now, requests: 0 };
      this.#windowByCaller.set(caller, window);
    }
    window.requests += 1;
    return { requests: window.requests, leftMs: window.beganAt + windowMs - now };
  }
}
