import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Holder, Holders } from '../../../guard/holder.ts';
import { authInfoOf, heldBy } from '../../call-context.ts';
import { codes, errorAnswer, requestIdOf } from '../messages.ts';

/** In the words of RFC 6750. */
export interface TokenProblem {
  readonly error: 'invalid_token' | 'insufficient_scope';
  readonly description: string;
}

export interface TokenVerifier extends Holders {
  /** Throws a Failure if that is not known now: then no caller gets in. */
  verify(token: string): Promise<Holder | TokenProblem>;
  /** Where a client finds out how it gets a token, and what for; absent if a person hands out tokens. */
  readonly authorization?: {
    readonly metadataUrl: string;
    readonly scopes: readonly string[];
    readonly metadata: object;
  };
}

/** Lets in only requests with a token, in the header alone: a URL ends up in logs. */
export class Gate {
  readonly verifier: TokenVerifier;
  readonly #writingTools: ReadonlySet<string>;

  constructor(verifier: TokenVerifier, writingTools: ReadonlySet<string>) {
    this.verifier = verifier;
    this.#writingTools = writingTools;
  }

  /** Who calls, or what to answer in place of serving the request. */
  async admit(request: Request): Promise<AuthInfo | Response> {
    const header = request.headers.get('authorization');
    const token = /^Bearer +([\w~+/.=-]+) *$/i.exec(header ?? '')?.[1];
    // A client without a token learns how to get one, and not that something is wrong.
    if (header === null) return this.#refuse(401, undefined);
    if (token === undefined) {
      return this.#refuse(401, { error: 'invalid_token', description: 'The header holds no bearer token.' });
    }
    const holder = await this.verifier.verify(token);
    if ('error' in holder) return this.#refuse(holder.error === 'invalid_token' ? 401 : 403, holder);
    return authInfoOf(holder);
  }

  /**
   * Refuses a write if the client can get a better token by itself. Any other client gets the tool's own error, which an agent
   * reads.
   */
  refuseWrite(message: unknown, authInfo: AuthInfo): Response | undefined {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
    const name = params?.name;
    const isWrite = method === 'tools/call' && typeof name === 'string' && this.#writingTools.has(name);
    if (!isWrite || !this.verifier.authorization || heldBy(authInfo)?.access !== 'read') return undefined;
    const description = 'This tool writes, for which the token needs tracker:write.';
    return this.#refuse(403, { error: 'insufficient_scope', description }, message);
  }

  #refuse(status: 401 | 403, problem: TokenProblem | undefined, message?: unknown): Response {
    const { authorization } = this.verifier;
    const challenge = Object.entries({
      realm: 'tracker-mcp',
      error: problem?.error,
      error_description: problem?.description,
      scope: authorization?.scopes.join(' '),
      resource_metadata: authorization?.metadataUrl,
    }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${plain(value)}"`]));
    return errorAnswer(status, codes.refused, problem?.description ?? 'A bearer token is needed.', {
      headers: { 'www-authenticate': `Bearer ${challenge.join(', ')}` },
      id: requestIdOf(message),
    });
  }
}

/** Text as a header can hold it in quotation marks. */
function plain(text: string): string {
  return text.replaceAll('’', "'").replace(/[^ !#-[\]-~]/g, '');
}
