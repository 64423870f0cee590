import { type AuthInfo, createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { Failure } from '../../api/failure.ts';
import { requestIdHeader } from '../call-context.ts';
import type { ServerFactory } from '../server.ts';
import type { Gate } from './access/gate.ts';
import type { RateLimit } from './access/rate-limit.ts';
import { type Approving, createApproveApp } from './approve-app.ts';
import { type KnownNames, rejectUnknownHosts } from './host-check.ts';
import type { Log } from './log.ts';
import { codes, errorAnswer, readBody, requestIdOf } from './messages.ts';
import type { Metrics } from './metrics.ts';
import type { AnswerOlder } from './older-clients.ts';

export interface AppOptions {
  readonly names: KnownNames;
  /** Absent if no token is needed. */
  readonly gate?: Gate | undefined;
  /** Absent if no write waits for a person. */
  readonly approving?: Approving | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly create: ServerFactory['create'];
  readonly answerOlder: AnswerOlder;
  /** Served at /metrics; absent if they have a port of their own. */
  readonly metrics: Metrics | undefined;
  readonly isReady: () => boolean;
  /** Why only reads are served now; undefined if all is. */
  readonly lacking?: (() => string | undefined) | undefined;
  readonly log: Log;
  readonly onDefect: (error: unknown) => void;
}

const path = '/mcp';

const methods = ['POST', 'GET', 'DELETE'];

/** What is served over HTTP: the protocol at /mcp, and beside it health, metrics and the approval page. */
export function createApp(options: AppOptions): Hono {
  const { names, gate, approving, metrics, log, onDefect } = options;
  const app = new Hono();
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', (context) => {
    const { code, ...about } = readiness(options);
    return context.json(about, code);
  });
  if (metrics) app.get('/metrics', () => answerMetrics(metrics));
  // Before pages of other origins are let in: only this page may decide.
  if (approving) app.route('/approve', createApproveApp(approving, names, log));
  app.use('*', async (context, next) => {
    await next();
    if (context.res.status >= 400) await logRefusal(context, log);
  });
  app.use('*', async (context, next) => rejectUnknownHosts(context.req.raw, names) ?? next());
  const answerPages = corsFor(names.origins);
  // Browsers alone name an origin and read these headers, which cost every other request a copy of its answer.
  app.use('*', async (context, next) =>
    context.req.header('origin') === undefined ? next() : answerPages(context, next),
  );
  const authorization = gate?.verifier.authorization;
  if (authorization) {
    const { pathname } = new URL(authorization.metadataUrl);
    for (const place of new Set(['/.well-known/oauth-protected-resource', pathname])) {
      app.get(place, (context) => context.json(authorization.metadata));
    }
  }
  app.on(methods, path, protocolHandler(options));
  app.all(path, () => errorAnswer(405, codes.refused, 'This method is not served.', { headers: { allow: 'POST' } }));
  app.notFound(() => errorAnswer(404, codes.refused, `Nothing is served here; the protocol is served at ${path}.`));
  app.onError((error) => {
    if (error instanceof Failure) {
      log(error.message, { event: 'access' });
      return errorAnswer(503, codes.internalError, 'The server cannot tell now who may call it; try again later.');
    }
    onDefect(error);
    return errorAnswer(500, codes.internalError, 'tracker-mcp failed with a defect of its own.');
  });
  return app;
}

/** A server that can read is ready: if all replicas without Redis were taken out, none could answer. */
function readiness({ isReady, lacking }: AppOptions) {
  if (!isReady()) return { code: 503, status: 'ending' } as const;
  const reason = lacking?.();
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

export async function answerMetrics(metrics: Metrics): Promise<Response> {
  return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } });
}

const tokenNames = new WeakMap<Request, string>();

/** Clients of the older protocol ask for a stream first, and those that sign in begin without a token. */
function isRoutine(request: Request, status: number): boolean {
  return status === 404 || status === 405 || (status === 401 && !request.headers.has('authorization'));
}

async function logRefusal({ req: { raw: request, path }, res: response }: Context, log: Log): Promise<void> {
  const { status } = response;
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

/** Serves requests of the protocol: who calls, then what is asked, then the server of the era that the client speaks. */
function protocolHandler({ gate, rateLimit, create, answerOlder, onDefect }: AppOptions) {
  const newer = createMcpHandler(create, { legacy: 'reject' });
  return async ({ req: { raw: request } }: { readonly req: { readonly raw: Request } }): Promise<Response> => {
    const admitted = await gate?.admit(request);
    if (admitted instanceof Response) return admitted;
    if (admitted) tokenNames.set(request, admitted.clientId);
    const body = request.method === 'POST' ? await readBody(request) : { message: undefined };
    if (body instanceof Response) return body;
    const { message } = body;
    const refused = admitted && gate?.refuseWrite(message, admitted);
    if (refused) return refused;
    const waitS = requestIdOf(message) === null ? undefined : await rateLimit?.take(admitted?.clientId ?? '');
    if (waitS !== undefined) return tooMany(waitS, message);
    try {
      if (await isLegacyRequest(request, message)) return await answerOlder(request, message, admitted);
      return await newer.fetch(request, withAuthInfo(message, admitted));
    } catch (error) {
      onDefect(error);
      const text = 'tracker-mcp failed with a defect of its own.';
      return errorAnswer(500, codes.internalError, text, { id: requestIdOf(message) });
    }
  };
}

function tooMany(waitS: number, message: unknown): Response {
  const text = `Too many requests within a minute; ask again in ${waitS} s.`;
  return errorAnswer(429, codes.refused, text, { headers: { 'retry-after': String(waitS) }, id: requestIdOf(message) });
}

function withAuthInfo(message: unknown, authInfo: AuthInfo | undefined) {
  return { parsedBody: message, ...(authInfo ? { authInfo } : {}) };
}
