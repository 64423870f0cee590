// An authorization server for the OAuth suite of hosts.js: it knows no person, and says yes to everything that is well formed.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** A client that was registered beforehand. */
export const known = { clientId: 'known-client', clientSecret: 'known-secret' };

const scopes = ['tracker:read', 'tracker:write'];

/** @returns its issuer, until the process ends */
export async function startAuthorizationServer() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const secrets = new Map([[known.clientId, known.clientSecret]]);
  const grants = new Map();
  let issuer = '';

  const metadata = () => ({
    issuer,
    jwks_uri: `${issuer}/keys`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'client_credentials'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
    scopes_supported: scopes,
    authorization_response_iss_parameter_supported: true,
  });
  const tokenFor = async (resource, scope) => ({
    access_token: await new SignJWT({ scope, client_id: 'any' })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(resource)
      .setSubject('ann')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey),
    token_type: 'Bearer',
    expires_in: 300,
    scope,
  });
  const fail = (error, description) => ({ status: 400, body: { error, error_description: description } });

  const authorize = ({ searchParams }) => {
    const asked = Object.fromEntries(searchParams);
    if (!secrets.has(asked.client_id)) return fail('invalid_client', 'There is no such client.');
    if (asked.response_type !== 'code') return fail('unsupported_response_type');
    if (asked.code_challenge_method !== 'S256' || !asked.code_challenge) return fail('invalid_request');
    const code = randomUUID();
    grants.set(code, asked);
    const back = new URL(asked.redirect_uri);
    for (const [name, value] of Object.entries({ code, iss: issuer, state: asked.state })) {
      if (value !== undefined) back.searchParams.set(name, value);
    }
    return { status: 302, headers: { location: back.href } };
  };

  const clientOf = (form, header) => {
    const [id, secret] = header?.startsWith('Basic ')
      ? Buffer.from(header.slice(6), 'base64').toString().split(':').map(decodeURIComponent)
      : [form.client_id, form.client_secret];
    const expected = secrets.get(id);
    return secrets.has(id) && (expected === undefined || expected === secret) ? id : undefined;
  };

  const token = async (form, header) => {
    const client = clientOf(form, header);
    if (client === undefined) return { status: 401, body: { error: 'invalid_client' } };
    if (form.grant_type === 'client_credentials') {
      return { status: 200, body: await tokenFor(form.resource, form.scope ?? scopes.join(' ')) };
    }
    const grant = grants.get(form.code);
    grants.delete(form.code);
    if (!grant || grant.client_id !== client) return fail('invalid_grant', 'There is no such code.');
    if (form.redirect_uri !== grant.redirect_uri) return fail('invalid_grant', 'The redirect_uri is another one.');
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    if (challenge !== grant.code_challenge) return fail('invalid_grant', 'The code_verifier does not fit.');
    return { status: 200, body: await tokenFor(form.resource ?? grant.resource, grant.scope ?? scopes.join(' ')) };
  };

  const register = (asked) => {
    const id = randomUUID();
    const isPublic = asked.token_endpoint_auth_method === 'none';
    secrets.set(id, isPublic ? undefined : randomUUID());
    const secret = isPublic ? {} : { client_secret: secrets.get(id), client_secret_expires_at: 0 };
    return { status: 201, body: { ...asked, client_id: id, ...secret } };
  };

  const answers = {
    'GET /.well-known/oauth-authorization-server': () => ({ status: 200, body: metadata() }),
    'GET /keys': async () => ({
      status: 200,
      body: { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'one' }] },
    }),
    'GET /authorize': ({ url }) => authorize(url),
    'POST /token': ({ text, header }) => token(Object.fromEntries(new URLSearchParams(text)), header),
    'POST /register': ({ text }) => register(JSON.parse(text)),
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, issuer);
    let text = '';
    for await (const chunk of request) text += chunk;
    const { status, headers, body } = (await answers[`${request.method} ${url.pathname}`]?.({
      url,
      text,
      header: request.headers.authorization,
    })) ?? { status: 404 };
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
    response.end(body === undefined ? '' : JSON.stringify(body));
  }).unref();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer = `http://localhost:${server.address().port}`;
  return issuer;
}
