import { createMcpHandler, isLegacyRequest, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { Failure } from '../../api/failure.ts';
import { requestIdHeader } from '../call-context.ts';
import { errorResponse, httpErrorCodes, readMessage, requestIdOf } from '../messages.ts';
import type { ServerFactory } from '../server.ts';
import { inForm, normalizeAccept, readAccept, refuseForms, withFirstEvent, withoutStream } from './accept.ts';
import { type Approving, createApproveApp } from './approve-app.ts';
import { type Gate, type KnownNames, type RateLimit, rejectUnknownHosts } from './gate.ts';
import type { Log, Metrics } from './monitoring.ts';
import type { OlderClients } from './older-clients.ts';

export interface AppOptions {
  readonly names: KnownNames;
  /** Absent if no token is needed. */
  readonly gate?: Gate | undefined;
  /** Absent if no write waits for a person. */
  readonly approving?: Approving | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly create: ServerFactory['create'];
  readonly olderClients: OlderClients;
  /** Served at /metrics; absent if they have a port of their own. */
  readonly metrics: Metrics | undefined;
  readonly isReady: () => boolean;
  /** Why only reads are served now; undefined if writes are, too. */
  readonly writeBlocker?: (() => string | undefined) | undefined;
  readonly log: Log;
  readonly onDefect: (error: unknown) => void;
}

const path = '/mcp';

const methods = ['POST', 'GET', 'DELETE'];

const defectText = 'tracker-mcp failed with a defect of its own.';

/** Serves the protocol at /mcp, and next to it health, metrics and the approval page. */
export function createApp(options: AppOptions): Hono {
  const { names, gate, approving, metrics, log, onDefect } = options;
  const { refused } = httpErrorCodes;
  // Whoever writes /mcp/ means /mcp.
  const app = new Hono({ strict: false });
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', (context) => {
    const { code, ...body } = readiness(options);
    return context.json(body, code);
  });
  if (metrics) app.get('/metrics', () => metricsResponse(metrics));
  // Added before CORS lets in pages of other origins: only this page may decide.
  if (approving) app.route('/approve', createApproveApp(approving, names, log));
  app.use('*', async (context, next) => {
    await next();
    if (context.res.status >= 400) await logRefusal(context, log);
  });
  app.use('*', async (context, next) => rejectUnknownHosts(context.req.raw, names) ?? next());
  const allowOrigins = corsFor(names.origins);
  // Clients outside a browser send no origin, and get no CORS headers.
  app.use('*', async (context, next) =>
    context.req.header('origin') === undefined ? next() : allowOrigins(context, next),
  );
  const authorization = gate?.verifier.authorization;
  if (authorization) {
    const { pathname } = new URL(authorization.metadataUrl);
    for (const metadataPath of new Set(['/.well-known/oauth-protected-resource', pathname])) {
      app.get(metadataPath, (context) => context.json(authorization.metadata));
    }
  }
  app.on(methods, path, protocolHandler(options));
  app.all(path, () => errorResponse(405, refused, 'This method is not served.', { headers: { allow: 'POST' } }));
  app.notFound(() => errorResponse(404, refused, `Nothing is served here; the protocol is served at ${path}.`));
  app.onError((error) => {
    if (error instanceof Failure) {
      log(error.message, { event: 'access' });
      const text = 'The server cannot check now who may call it; try again later.';
      return errorResponse(503, ProtocolErrorCode.InternalError, text);
    }
    onDefect(error);
    return errorResponse(500, ProtocolErrorCode.InternalError, defectText);
  });
  return app;
}

/** A server that can only read is ready: if Redis fails, all replicas would be taken out at once. */
function readiness({ isReady, writeBlocker }: AppOptions) {
  if (!isReady()) return { code: 503, status: 'ending' } as const;
  const reason = writeBlocker?.();
  if (reason === undefined) return { code: 200, status: 'ready' } as const;
  return { code: 200, status: 'degraded', writes: false, redis: reason } as const;
}

function corsFor(origins: readonly string[]): ReturnType<typeof cors> {
  return cors({
    origin: [...origins],
    allowMethods: methods,
    allowHeaders: [
      ...['Content-Type', 'Accept', 'Authorization', 'Last-Event-ID'],
      ...['Mcp-Protocol-Version', 'Mcp-Session-Id', 'Mcp-Method', 'Mcp-Name'],
    ],
    exposeHeaders: ['Mcp-Session-Id', 'WWW-Authenticate', 'X-Request-Id'],
    maxAge: 600,
  });
}

export async function metricsResponse(metrics: Metrics): Promise<Response> {
  return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } });
}

const tokenNames = new WeakMap<Request, string>();

/** Clients that sign in start without a token, and look for how to get one in several places. */
function isRoutine(request: Request, status: number): boolean {
  return status === 404 || (status === 401 && !request.headers.has('authorization'));
}

async function logRefusal({ req: { raw: request, path }, res: response }: Context, log: Log): Promise<void> {
  const { status } = response;
  // Clients of the older protocol ask for a stream first, and end a session that there is none of.
  if (status === 405 && methods.includes(request.method)) return;
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { error?: { message?: string } } | undefined;
  const reason = body?.error?.message ?? 'no reason was given';
  log(`refused a request with ${status}: ${reason}`, {
    event: 'refused',
    request_id: request.headers.get(requestIdHeader) ?? undefined,
    token: tokenNames.get(request),
    method: request.method,
    path,
    status,
    ...(isRoutine(request, status) ? { routine: true } : {}),
  });
}

/** Checks who calls, then reads the message, then passes it to the server for the client's era of the protocol. */
function protocolHandler({ gate, rateLimit, create, olderClients, onDefect }: AppOptions) {
  const newer = createMcpHandler(create, { legacy: 'reject' });
  return async ({ req: { raw: request } }: Context): Promise<Response> => {
    const authInfo = await gate?.admit(request);
    if (authInfo instanceof Response) return authInfo;
    if (authInfo) tokenNames.set(request, authInfo.clientId);
    const body = request.method === 'POST' ? await readMessage(request) : { content: undefined };
    if (body instanceof Response) return body;
    const accepted = readAccept(request.headers.get('accept'));
    normalizeAccept(request, accepted);
    const message = accepted.stream ? body.content : withoutStream(body.content);
    const rejection = refuseForms(accepted, message) ?? (authInfo && gate?.rejectWrite(message, authInfo));
    if (rejection) return rejection;
    const id = requestIdOf(message);
    const waitS = id === null ? undefined : await rateLimit?.take(authInfo?.clientId ?? '');
    if (waitS !== undefined) {
      const text = `Too many requests within a minute; ask again in ${waitS} s.`;
      return errorResponse(429, httpErrorCodes.refused, text, { headers: { 'retry-after': String(waitS) }, id });
    }
    try {
      const response = (await isLegacyRequest(request, message))
        ? await olderClients.answer(request, message, authInfo)
        : await newer.fetch(request, { parsedBody: message, ...(authInfo ? { authInfo } : {}) });
      const answer = await inForm(response, accepted, message);
      return request.method === 'POST' ? await withFirstEvent(answer) : answer;
    } catch (error) {
      onDefect(error);
      return errorResponse(500, ProtocolErrorCode.InternalError, defectText, { id });
    }
  };
}
