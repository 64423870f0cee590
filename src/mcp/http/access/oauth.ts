import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as z from 'zod';
import { Failure } from '../../../api/failure.ts';
import { cleanText } from '../../../api/text/clean-text.ts';
import type { Holder } from '../../../guard/limits.ts';
import type { TokenProblem, TokenVerifier } from './gate.ts';

const [readScope, proposeScope, writeScope] = ['tracker:read', 'tracker:propose', 'tracker:write'];

/** What each scope lets its holder do, the most first. */
const accessOf = [
  [writeScope, 'write'],
  [proposeScope, 'propose'],
  [readScope, 'read'],
] as const;

/** Signatures that only the issuer can make; with a shared secret whoever checks could. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Clocks of two machines differ a little. */
const clockToleranceSeconds = 5;

/** What goes wrong with fetching keys, and says nothing about the token. */
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
   * @param issuer the authorization server, as tokens name it
   * @param audience the URL of this server, for which tokens are made out
   */
  constructor(issuer: string, audience: string) {
    this.#issuer = issuer;
    this.#audience = audience;
    this.authorization = {
      metadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(audience)),
      scopes: [readScope, writeScope],
      metadata: {
        resource: audience,
        authorization_servers: [issuer],
        scopes_supported: [readScope, proposeScope, writeScope],
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
      return holderFrom(payload);
    } catch (error) {
      const isAboutToken = error instanceof errors.JOSEError && !keyTroubles.has(error.code);
      if (!isAboutToken) throw error instanceof Failure ? error : unreachable(this.#issuer);
      return { error: 'invalid_token', description: problemOf(error) };
    }
  }
}

function holderFrom(payload: JWTPayload): Holder | TokenProblem {
  const scopes = new Set(String(payload['scope'] ?? '').split(' '));
  const access = accessOf.find(([scope]) => scopes.has(scope))?.[1];
  if (access) return { name: cleanText(String(payload.sub)).slice(0, 200), access, limits: {} };
  return {
    error: 'insufficient_scope',
    description: `The token needs the scope ${readScope}, ${proposeScope} or ${writeScope}.`,
  };
}

/** Told to whoever sent the token, so it quotes nothing of it. */
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
    if (data?.issuer === issuer) return createRemoteJWKSet(new URL(data.jwks_uri));
  }
  throw unreachable(issuer);
}

/** @returns undefined where nothing usable comes */
async function fetchJson(place: string): Promise<unknown> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), discoveryTimeoutMs);
  try {
    const response = await fetch(place, { signal: controller.signal, redirect: 'error' });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function unreachable(issuer: string): Failure {
  return new Failure(`The keys of the authorization server ${issuer} cannot be fetched, so no token can be checked.`);
}
