import { createServer } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { OAuthVerifier } from '../../../src/mcp/http/oauth.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';
import { startHttp, toolNames } from '../../support/http-server.ts';
import { listening } from '../../support/listening.ts';
import { bearer, listTools, toolCall } from '../../support/messages.ts';
import { plainAnswers } from '../../support/specified.ts';

const ours = await generateKeyPair('ES256');
const foreign = await generateKeyPair('ES256');

/** The part of an authorization server that a resource server uses: metadata and keys. */
let isUp = true;
const authorizationServer = createServer(async (request, response) => {
  if (!isUp) return response.writeHead(500).end();
  const documents: Readonly<Record<string, object>> = {
    '/.well-known/oauth-authorization-server': { issuer, jwks_uri: `${issuer}/keys` },
    '/keys': { keys: [{ ...(await exportJWK(ours.publicKey)), alg: 'ES256', kid: 'one' }] },
  };
  const document = documents[request.url ?? ''];
  return response.writeHead(document ? 200 : 404).end(JSON.stringify(document ?? {}));
});
const issuer = await listening(authorizationServer);

const audience = 'https://mcp.example.com/mcp';
const metadataUrl = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
const tracker = await startForeignTracker(plainAnswers);
const { post, url, logged } = await startHttp({ url: tracker.url }, { verifier: new OAuthVerifier(issuer, audience) });

const good = { iss: issuer, aud: audience, sub: 'ann', scope: 'tracker:read' };

async function tokenWith(
  claims: JWTPayload,
  { key = ours.privateKey, expires = '5m' }: { key?: CryptoKey; expires?: string } = {},
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).setExpirationTime(expires).sign(key);
}

const edit = toolCall('edit_campaign', { campaign_id: 1, bid: 1 });

it('takes a token for this server, and its scopes decide which tools it lists', async () => {
  const namesFor = async (scope: string) =>
    toolNames((await post(listTools, bearer(await tokenWith({ ...good, scope })))).body);
  expect(await namesFor('openid tracker:read')).not.toContain('edit_campaign');
  expect(await namesFor('tracker:write')).toContain('edit_campaign');
  const written = await post(edit, bearer(await tokenWith({ ...good, scope: 'tracker:read tracker:write' })));
  expect(written.body.result?.['isError']).toBeFalsy();
  expect(tracker.writes()).toHaveLength(1);
});

it('a token to propose lists writing tools, but writes nothing if no person can be asked', async () => {
  const token = await tokenWith({ ...good, scope: 'tracker:read tracker:propose' });
  expect(toolNames((await post(listTools, bearer(token))).body)).toContain('edit_campaign');
  const { body } = await post(edit, bearer(token));
  expect(JSON.stringify(body.result)).toContain('the token of ann may only propose');
  expect(tracker.writes()).toEqual([]);
});

describe('access is read from the claims', () => {
  const provider = { iss: issuer, aud: audience, sub: 'ann' };
  const writes = async (claims: object) => {
    const { status, body } = await post(listTools, bearer(await tokenWith({ ...provider, ...claims })));
    return status === 200 ? toolNames(body).includes('edit_campaign') : status;
  };
  it.each<[string, object]>([
    ['Auth0', { scope: 'openid tracker:write', permissions: ['tracker:write'] }],
    ['Auth0 with only permissions', { permissions: ['tracker:read', 'tracker:write'] }],
    ['Entra for a user', { scp: 'tracker:read tracker:write', ver: '2.0' }],
    ['Entra for a program', { roles: ['tracker:write'] }],
    ['Okta', { scp: ['openid', 'tracker:write'] }],
    ['Keycloak', { scope: 'openid email tracker:write' }],
    ['Keycloak with roles', { scope: 'openid', realm_access: { roles: ['offline_access', 'tracker:write'] } }],
    ['Cognito', { scope: `${audience}/tracker:read ${audience}/tracker:write`, client_id: 'x' }],
    ['a list of two', { scope: ['tracker:read', 'tracker:write'] }],
  ])('of %s', async (_, claims) => {
    expect(await writes(claims)).toBe(true);
  });

  it.each<[string, object, boolean | number]>([
    ['the client was granted less than its user', { scp: 'tracker:read', roles: ['tracker:write'] }, false],
    ['a scope is for another resource', { scope: 'https://other.example.com/tracker:write' }, 403],
    ['a scope is part of a name', { scope: ['tracker:write x'] }, 403],
  ])('and no more if %s', async (_, claims, expected) => {
    expect(await writes(claims)).toBe(expected);
  });

  it.each([
    ...['', ' ', ['ann'], { name: 'ann' }, 7, 'ann\u200b', 'a'.repeat(256)].map((sub) => ({ sub })),
    ...[{ scope: { write: true } }, { scope: [7] }, { scp: 7 }, { roles: [['tracker:write']] }],
  ])('and rejected as malformed: %j', async (claims) => {
    const token = await tokenWith({ ...provider, scope: 'tracker:write', ...(claims as JWTPayload) });
    const { status, headers } = await post(listTools, bearer(token));
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toMatch(/error="invalid_token".*malformed/);
  });
});

it('a read-only server asks for no scope to write', async () => {
  const verifier = new OAuthVerifier(issuer, audience, false);
  const server = await startHttp({ url: tracker.url, policy: { readOnly: true } }, { verifier });
  const { headers } = await server.post(listTools);
  expect(headers.get('www-authenticate')).toContain('scope="tracker:read",');
  const about = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', server.url));
  expect(await about.json()).toMatchObject({ scopes_supported: ['tracker:read'] });
  const { status, body } = await server.post(edit, bearer(await tokenWith(good)));
  expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('read-only')]);
});

it.each(['http://idp.example.com', 'http://10.0.0.7:8080/realms/x', 'http://127.0.0.1.example.com'])(
  'does not fetch keys from %s, which is not encrypted',
  (address) => {
    expect(() => new OAuthVerifier(address, audience)).toThrow(/not encrypted.*https/);
  },
);

describe('answers 401 with the address of its metadata, for a token that', () => {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const unsigned = `${encode({ alg: 'none' })}.${encode({ ...good, exp: 9e9 })}.`;
  const withSecret = () =>
    new SignJWT(good).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('5m').sign(Buffer.alloc(32, 1));
  const withoutEnd = () => new SignJWT(good).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(ours.privateKey);
  it.each<[string, () => Promise<string> | string]>([
    ['has expired', () => tokenWith(good, { expires: '-1m' })],
    ['never expires', withoutEnd],
    ['is for another audience', () => tokenWith({ ...good, aud: 'https://other.example.com/mcp' })],
    ['is for no audience', () => tokenWith({ iss: issuer, sub: 'ann', scope: 'tracker:write' })],
    ['is from another issuer', () => tokenWith({ ...good, iss: 'https://evil.example' })],
    ['has no subject', () => tokenWith({ iss: issuer, aud: audience, scope: 'tracker:write' })],
    ['is signed with a different key', () => tokenWith(good, { key: foreign.privateKey })],
    ['is signed with a secret', withSecret],
    ['is not signed', () => unsigned],
    ['is no token', () => 'abc'],
  ])('%s', async (_, make) => {
    const before = logged.length;
    const token = await make();
    const { status, headers, body } = await post(listTools, bearer(token));
    expect([status, body.error?.code]).toEqual([401, -32000]);
    const challenge = headers.get('www-authenticate');
    expect(challenge).toContain('error="invalid_token"');
    expect(challenge).toContain(`resource_metadata="${metadataUrl}"`);
    expect(logged.slice(before)).toHaveLength(1);
    expect(logged.join()).not.toContain(token);
  });

  it('is missing, then without an error', async () => {
    const { status, headers } = await post(listTools);
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="tracker-mcp", scope="tracker:read tracker:write", resource_metadata="${metadataUrl}"`,
    );
  });
});

describe('answers 403 with the required scopes, for a token that', () => {
  const challenge = /error="insufficient_scope".*scope="tracker:read tracker:write"/;
  it.each(['', 'openid', 'tracker:readwrite'])('has the scope %j', async (scope) => {
    const { status, headers } = await post(listTools, bearer(await tokenWith({ ...good, scope })));
    expect(status).toBe(403);
    expect(headers.get('www-authenticate')).toMatch(challenge);
  });

  it('may only read and calls a writing tool', async () => {
    const { status, headers, body } = await post(edit, bearer(await tokenWith(good)));
    expect([status, body.id]).toEqual([403, edit.id]);
    expect(headers.get('www-authenticate')).toMatch(challenge);
    expect(tracker.writes()).toEqual([]);
  });
});

it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
  '%s names the authorization server, without a token',
  async (path) => {
    const response = await fetch(new URL(path, url));
    expect(await response.json()).toMatchObject({
      resource: audience,
      authorization_servers: [issuer],
      scopes_supported: ['tracker:read', 'tracker:propose', 'tracker:write'],
    });
  },
);

it('admits no caller while the keys cannot be fetched, and recovers', async () => {
  isUp = false;
  const server = await startHttp({ url: tracker.url }, { verifier: new OAuthVerifier(issuer, audience) });
  const token = await tokenWith(good);
  expect((await server.post(listTools, bearer(token))).status).toBe(503);
  isUp = true;
  expect((await server.post(listTools, bearer(token))).status).toBe(200);
});

describe('at the start', () => {
  /** An authorization server that answers every path with this document. */
  const serverWith = async (document: (issuer: string) => object, status = 200) => {
    const server = createServer((_, response) => response.writeHead(status).end(JSON.stringify(document(own))));
    const own = await listening(server);
    return own;
  };
  const check = (url: string) => new OAuthVerifier(url, audience).check();

  it('an authorization server that can be used is no reason to warn', async () => {
    expect(await check(issuer)).toBeUndefined();
  });

  it('one whose metadata names another issuer is refused, with the issuer to give', async () => {
    await expect(check(`${issuer}/`)).rejects.toThrow(`names the issuer ${issuer},`);
  });

  it('one whose keys would come unencrypted is refused', async () => {
    const url = await serverWith((own) => ({ issuer: own, jwks_uri: 'http://keys.example.com/' }));
    await expect(check(url)).rejects.toThrow('http://keys.example.com/');
  });

  it.each<[string, () => string | Promise<string>, RegExp]>([
    ['cannot be reached', () => 'http://127.0.0.1:59999', /:59999\/\.well-known.*ECONNREFUSED/],
    ['has no metadata', () => serverWith(() => ({}), 404), /well-known\/oauth-authorization-server.*404/],
    ['has no keys', () => serverWith((own) => ({ issuer: own, jwks_uri: own, keys: [] })), /keys/],
  ])('one that %s is warned about, as it may come back', async (_, url, warning) => {
    expect(await check(await url())).toMatch(warning);
  });
});

it.each([
  ['an opaque one', 'q1w2e3r4-opaque'],
  ['an encrypted one', 'a.b.c.d.e'],
])('a token that is no signed JWT is told as such, with what to ask for: %s', async (_, token) => {
  const { status, body, headers } = await post(listTools, bearer(token));
  expect(status).toBe(401);
  expect(body.error?.message).toContain(`for ${audience}`);
  expect(body.error?.message).toMatch(/opaque|encrypted/);
  expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
});
