import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as z from 'zod';
import { within } from '../../api/deadline.ts';
import { Failure } from '../../api/failure.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import type { Holder } from '../../guard/holder.ts';
import type { TokenProblem, TokenVerifier } from './gate.ts';
import { isOfThisMachine } from './gate.ts';

const [readScope, proposeScope, writeScope] = ['tracker:read', 'tracker:propose', 'tracker:write'];

/** What each scope lets its holder do, the most first. */
const accessOf = [
  [writeScope, 'write'],
  [proposeScope, 'propose'],
  [readScope, 'read'],
] as const;

/** Names by blanks (RFC 9068) or as a list, as Entra and Okta send them. */
const names = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === 'string' ? given.split(/\s+/) : given).filter(Boolean))
  .default([]);
const roles = z.object({ roles: names }).optional();

/** The claims that are read, wherever the large providers put what a token may do; others are left alone. */
const claims = z.object({
  // Two holders who look the same would share a rate limit and tables.
  sub: z
    .string()
    .min(1)
    .max(255)
    .refine((sub) => sub.trim() === sub && cleanText(sub) === sub),
  /** RFC 9068, Auth0, Keycloak, Cognito. */
  scope: names,
  /** Entra as a text, Okta as a list. */
  scp: names,
  /** Entra. */
  roles: names,
  /** Auth0. */
  permissions: names,
  /** Keycloak. */
  realm_access: roles,
});

/** Signatures that only the issuer can make; a shared secret would let this server make them too. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Clocks of two machines differ a little. */
const clockToleranceSeconds = 5;

/** Trouble with fetching keys says nothing about the token. */
const keyTroubles: ReadonlySet<string> = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']);

const discoveryTimeoutMs = 5000;

const serverMetadata = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Takes the access tokens that an authorization server made out for this server: the resource server of OAuth 2.1. */
export class OAuthVerifier implements TokenVerifier {
  readonly authorization: NonNullable<TokenVerifier['authorization']>;
  readonly #issuer: string;
  readonly #audience: string;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  /**
   * Tokens are made out by the issuer for the audience, the URL of this server. Clients ask for the scopes that it names.
   * Throws a Failure if the issuer is asked without encryption: anybody on the way could send keys of their own.
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

  async verify(token: string): Promise<Holder | TokenProblem> {
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
      const isAboutToken = error instanceof errors.JOSEError && !keyTroubles.has(error.code);
      if (!isAboutToken) throw error instanceof Failure ? error : unreachable(this.#issuer);
      return { error: 'invalid_token', description: problemOf(error) };
    }
  }
}

/**
 * What the claims say. What a client was granted (`scope`, `scp`) decides if it names any of ours: it can be less than what its
 * user may do (`roles`, `permissions`), which counts without it.
 */
function holderFrom(payload: JWTPayload, audience: string): Holder | TokenProblem {
  const { data, error } = claims.safeParse(payload);
  if (!data) {
    const wrong = [...new Set(error.issues.map(({ path }) => String(path[0])))];
    return { error: 'invalid_token', description: `The token is malformed: its ${wrong.join(', ')}.` };
  }
  // Cognito puts the resource, which is our own URL, in front of each scope.
  const accessIn = (given: readonly string[]) =>
    accessOf.find(([scope]) => given.includes(scope) || given.includes(`${audience}/${scope}`))?.[1];
  const { sub, scope, scp, roles, permissions, realm_access } = data;
  const access = accessIn([...scope, ...scp]) ?? accessIn([...roles, ...permissions, ...(realm_access?.roles ?? [])]);
  if (access) return { name: sub, access, limits: {} };
  return {
    error: 'insufficient_scope',
    description: `The token needs the scope ${readScope}, ${proposeScope} or ${writeScope}.`,
  };
}

/** Whether what comes back cannot be changed on the way. */
function isSafe(url: string): boolean {
  return new URL(url).protocol === 'https:' || isOfThisMachine(url);
}

/** Sent back to the caller, so it quotes nothing of the token. */
function problemOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The token is not for this server: its ${error.claim} is not.`;
  return 'The token is not one of the authorization server’s.';
}

/** Looks up where the issuer publishes its keys, by RFC 8414 and then by OpenID Connect. */
async function findKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const place of places) {
    const metadata = await fetchJson(place);
    const { data } = serverMetadata.safeParse(metadata);
    if (data?.issuer === issuer && isSafe(data.jwks_uri)) return createRemoteJWKSet(new URL(data.jwks_uri));
  }
  throw unreachable(issuer);
}

async function fetchJson(place: string): Promise<unknown> {
  try {
    return await within(discoveryTimeoutMs, async ({ signal }) => {
      const response = await fetch(place, { signal, redirect: 'error' });
      return response.ok ? await response.json() : undefined;
    });
  } catch {
    return undefined;
  }
}

function unreachable(issuer: string): Failure {
  return new Failure(`The keys of the authorization server ${issuer} cannot be fetched, so no token can be checked.`);
}
