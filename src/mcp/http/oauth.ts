import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as z from 'zod';
import { within } from '../../api/deadline.ts';
import { Failure } from '../../api/failure.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import type { Holder } from '../../guard/holder.ts';
import { isOfThisMachine, type TokenProblem, type TokenVerifier } from './gate.ts';

const [readScope, proposeScope, writeScope] = ['tracker:read', 'tracker:propose', 'tracker:write'];

/** The access that each scope grants, the widest first. */
const accessByScope = [
  [writeScope, 'write'],
  [proposeScope, 'propose'],
  [readScope, 'read'],
] as const;

/** Names separated by spaces (RFC 9068) or as a list, as Entra and Okta send them. */
const names = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === 'string' ? given.split(/\s+/) : given).filter(Boolean))
  .default([]);
const roles = z.object({ roles: names }).optional();

/** The claims in which the large providers put what a token may do. Others are ignored. */
const claims = z.object({
  // Two holders whose names look the same must not share a rate limit and tables.
  sub: z
    .string()
    .min(1)
    .max(255)
    .refine((sub) => sub.trim() === sub && cleanText(sub) === sub),
  /** RFC 9068, Auth0, Keycloak, Cognito. */
  scope: names,
  /** Entra as text, Okta as a list. */
  scp: names,
  /** Entra. */
  roles: names,
  /** Auth0. */
  permissions: names,
  /** Keycloak. */
  realm_access: roles,
});

/** Only asymmetric signatures: with a shared secret, this server could sign tokens too. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

const clockToleranceSeconds = 5;

/** Errors of fetching keys, which are not about the token. */
const keyErrors: ReadonlySet<string> = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']);

const discoveryTimeoutMs = 5000;

const serverMetadata = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Verifies access tokens that an authorization server issued for this server: the resource server of OAuth 2.1. */
export class OAuthVerifier implements TokenVerifier {
  readonly authorization: NonNullable<TokenVerifier['authorization']>;
  readonly #issuer: string;
  readonly #audience: string;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  /**
   * Throws a Failure if the issuer's URL is not encrypted: anyone on the network path could send keys of their own.
   *
   * @param audience the URL of this server
   * @param canWrite whether the metadata lists the scopes that write
   */
  constructor(issuer: string, audience: string, canWrite = true) {
    if (!isSafe(issuer)) {
      throw new Failure(
        `The authorization server ${issuer} is not encrypted.`,
        'Give its https:// URL (--oauth-issuer).',
      );
    }
    this.#issuer = issuer;
    this.#audience = audience;
    this.authorization = {
      metadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(audience)),
      scopes: canWrite ? [readScope, writeScope] : [readScope],
      metadata: {
        resource: audience,
        authorization_servers: [issuer],
        scopes_supported: canWrite ? [readScope, proposeScope, writeScope] : [readScope],
        bearer_methods_supported: ['header'],
        resource_name: 'tracker-mcp',
      },
    };
  }

  /**
   * Looks for the metadata and keys at the start. Returns a warning if they cannot be read now.
   *
   * @throws Failure if no token could ever be accepted
   */
  async check(): Promise<string | undefined> {
    const { keys, unsafe, otherIssuer, problems } = await discover(this.#issuer);
    if (keys) {
      const isThere = await keys.reload().then(
        () => (keys.jwks()?.keys.length ?? 0) > 0,
        () => false,
      );
      return isThere ? undefined : unreachable(this.#issuer).message;
    }
    if (unsafe !== undefined) {
      throw new Failure(`The authorization server ${this.#issuer} has its keys at ${unsafe}, which is not encrypted.`);
    }
    if (otherIssuer !== undefined) {
      throw new Failure(
        `The metadata of ${this.#issuer} names the issuer ${otherIssuer}, and so will its tokens.`,
        'Give that one (--oauth-issuer), with or without a slash at the end as it stands there.',
      );
    }
    return `${unreachable(this.#issuer).message} ${problems.join('; ')}. Check --oauth-issuer; it is looked for again with each token.`;
  }

  async verify(token: string): Promise<Holder | TokenProblem> {
    const problem = formProblem(token, this.#audience);
    if (problem !== undefined) return { error: 'invalid_token', description: problem };
    this.#keys ??= findKeys(this.#issuer).catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    try {
      const { payload } = await jwtVerify(token, await this.#keys, {
        issuer: this.#issuer,
        audience: this.#audience,
        algorithms,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: clockToleranceSeconds,
      });
      return holderFrom(payload, this.#audience);
    } catch (error) {
      const isAboutToken = error instanceof errors.JOSEError && !keyErrors.has(error.code);
      if (!isAboutToken) throw error instanceof Failure ? error : unreachable(this.#issuer);
      return { error: 'invalid_token', description: describeError(error) };
    }
  }
}

/**
 * If the client was granted any of our scopes (`scope`, `scp`), those count: they can be fewer than what its user may do. Otherwise
 * the user's `roles` and `permissions` count.
 */
function holderFrom(payload: JWTPayload, audience: string): Holder | TokenProblem {
  const { data, error } = claims.safeParse(payload);
  if (!data) {
    const malformed = [...new Set(error.issues.map(({ path }) => String(path[0])))];
    return { error: 'invalid_token', description: `The token is malformed: its ${malformed.join(', ')}.` };
  }
  // Cognito puts the resource, which is our own URL, in front of each scope.
  const accessIn = (given: readonly string[]) =>
    accessByScope.find(([scope]) => given.includes(scope) || given.includes(`${audience}/${scope}`))?.[1];
  const { sub, scope, scp, roles, permissions, realm_access } = data;
  const access = accessIn([...scope, ...scp]) ?? accessIn([...roles, ...permissions, ...(realm_access?.roles ?? [])]);
  if (access) return { name: sub, access, limits: {} };
  return {
    error: 'insufficient_scope',
    description: `The token needs the scope ${readScope}, ${proposeScope} or ${writeScope}.`,
  };
}

/** Whether the response cannot be changed on the way. */
function isSafe(url: string): boolean {
  return new URL(url).protocol === 'https:' || isOfThisMachine(url);
}

/** The text goes back to the caller, so it quotes no part of the token. */
function describeError(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The token is not valid for this server: its ${error.claim} is missing or not accepted.`;
  }
  return 'The token was not issued by the authorization server.';
}

/** What is wrong with the form of a token; undefined for a signed JWT, which has three parts. */
function formProblem(token: string, audience: string): string | undefined {
  const parts = token.split('.').length;
  if (parts === 3) return undefined;
  const what = parts === 5 ? 'encrypted' : 'opaque';
  return `This token is ${what}, not a signed JWT, so it cannot be checked here: the client has to ask for a token for ${audience}.`;
}

async function findKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const { keys } = await discover(issuer);
  if (keys) return keys;
  throw unreachable(issuer);
}

/** What is at the addresses of the issuer's metadata, by RFC 8414 and OpenID Connect. */
async function discover(issuer: string) {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const found = await Promise.all([
    fetchMetadata(`${origin}/.well-known/oauth-authorization-server${path}`),
    fetchMetadata(`${origin}${path}/.well-known/openid-configuration`),
  ]);
  const metadata = found.flatMap((one) => (typeof one === 'string' ? [] : [one]));
  const own = metadata.filter((one) => one.issuer === issuer);
  const safe = own.find((one) => isSafe(one.jwks_uri));
  return {
    keys: safe && createRemoteJWKSet(new URL(safe.jwks_uri)),
    /** The address of keys that anyone on the network path could replace. */
    unsafe: own[0]?.jwks_uri,
    otherIssuer: metadata.find((one) => one.issuer !== issuer)?.issuer,
    problems: found.filter((one) => typeof one === 'string'),
  };
}

/** The metadata at an address, or why there is none. */
async function fetchMetadata(url: string): Promise<z.infer<typeof serverMetadata> | string> {
  try {
    return await within(discoveryTimeoutMs, async ({ signal }) => {
      const response = await fetch(url, { signal, redirect: 'error' });
      if (!response.ok) return `${url} answers ${response.status}`;
      return serverMetadata.safeParse(await response.json()).data ?? `${url} has no issuer or jwks_uri`;
    });
  } catch (error) {
    const { message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
    return `${url} cannot be read (${cause?.code ?? cause?.message ?? message})`;
  }
}

function unreachable(issuer: string): Failure {
  return new Failure(`The keys of the authorization server ${issuer} cannot be fetched, so no token can be checked.`);
}
