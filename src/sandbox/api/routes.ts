import { createHash, timingSafeEqual } from 'node:crypto';
import { type Context, Hono, type HonoRequest } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type Endpoint, endpoints } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import { quoted, Refusal } from '../refusal.ts';
import type { Database } from '../store/database.ts';
import type { WireStyle } from '../wire/quirks.ts';
import { type Answer, type Content, renderJson, renderXml, type Tree } from '../wire/render.ts';
import { argumentParser, type WireParameters } from './arguments.ts';
import { type HandlerContext, type ReadName, readHandlers, type WriteName, writeHandlers } from './handlers.ts';

const maxBodyBytes = 1_000_000;
const cutOff: Answer = { kind: 'error', reason: 'invalid', message: 'The request ended early.' };

export interface ApiEnvironment {
  readonly database: Database;
  readonly style: WireStyle;
  readonly context: () => HandlerContext;
  /** Commits what visitors were answered already, so that a report shows it. */
  readonly settle: () => Promise<void>;
}

/**
 * The routes of the 14 endpoints, to be mounted at `/api`: GET and POST, with or without a slash at the end; "Common rules"
 * of the specification. Whatever happens, the answer has the tracker's wire format.
 */
export function apiRoutes(environment: ApiEnvironment): Hono {
  const { database, style, settle } = environment;
  const app = new Hono({ strict: false });
  app.use(bodyLimit({ maxSize: maxBodyBytes, onError: refuse(style, 'too-large', 'The request body is over 1 MB.') }));
  app.onError((error, context) => {
    // A client that hung up reads no answer; nothing is logged.
    const answer = context.req.raw.signal.aborted ? cutOff : errorAnswer(error);
    return respond(answer, formatOf(context.req.query('format')), style);
  });
  for (const endpoint of endpoints) {
    const prepare = endpoint.access === 'read' ? reading(endpoint, environment) : writing(endpoint, environment);
    const answerRequest = async (wire: WireParameters): Promise<Answer> => {
      await requireAccess(database, wire.get('key'));
      requireFormat(wire.get('format'));
      const carryOut = prepare(wire);
      await settle();
      return { kind: 'done', content: await carryOut() };
    };
    app.on(['GET', 'POST'], `/${endpoint.path}`, async (context) => {
      const wire = await readWireParameters(context.req);
      const answer = await answerRequest(wire).catch(errorAnswer);
      return respond(answer, formatOf(wire.get('format')), style);
    });
    app.all(`/${endpoint.path}`, refuse(style, 'wrong-method', 'The API is asked with GET or POST.'));
  }
  return app;
}

/** Checks the parameters of a request, and returns what carries it out; throws a Refusal if they are not right. */
type Preparation = (wire: WireParameters) => () => Promise<Content | undefined>;

function reading<Name extends ReadName>(
  endpoint: Endpoint & { readonly name: Name },
  { database, context }: ApiEnvironment,
): Preparation {
  const name: Name = endpoint.name;
  const parse = argumentParser<Name>(endpoint);
  return (wire) => {
    const given = parse(wire);
    return () => database.snapshot((reader) => readHandlers[name](given, reader, context()));
  };
}

function writing<Name extends WriteName>(
  endpoint: Endpoint & { readonly name: Name },
  { database }: ApiEnvironment,
): Preparation {
  const name: Name = endpoint.name;
  const parse = argumentParser<Name>(endpoint);
  return (wire) => {
    const given = parse(wire);
    return () => database.transaction((writer) => writeHandlers[name](given, writer));
  };
}

export function unknownPath(style: WireStyle): (context: Context) => Response {
  return refuse(
    style,
    'unknown-path',
    `Unknown path. The API has ${endpoints.map(({ path }) => path).join(', ')}, below /api/.`,
  );
}

function refuse(style: WireStyle, reason: Refusal['reason'], message: string): (context: Context) => Response {
  return (context) => respond({ kind: 'error', reason, message }, formatOf(context.req.query('format')), style);
}

const formats = ['json', 'xml'] as const;
type Format = (typeof formats)[number];

/** Writes an answer in a format and style; facts page, "The embedded tracker's own wire format". */
function respond(answer: Answer, format: Format = 'json', style: WireStyle): Response {
  const status = answer.kind === 'error' ? style.statuses[answer.reason] : 200;
  const write = (type: string, body: string) =>
    new Response(style.ahead + body, {
      status,
      headers: { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' },
    });
  const writeTree = (root: string, tree: Tree) =>
    write(`application/${format}`, format === 'json' ? renderJson(tree) : renderXml(root, tree));
  if (answer.kind === 'error') {
    const { reason, message } = answer;
    const isLogin = style.loginPage !== undefined && (reason === 'no-key' || reason === 'no-access');
    if (isLogin) return write('text/html', style.loginPage);
    return writeTree('Response', { entries: Object.entries({ Status: 'Error', Message: message }) });
  }
  const { content } = answer;
  if (!style.bare) return writeTree('Response', { entries: [['Status', 'OK'], ...(content ? [content] : [])] });
  const [root, tree] = content ?? ['ID', 'OK'];
  return typeof tree === 'string' ? write('text/plain', tree) : writeTree(root, tree);
}

function formatOf(text: string | undefined): Format | undefined {
  if (!text) return 'json';
  return formats.find((format) => format === text.trim().toLowerCase());
}

function requireFormat(text: string | undefined): void {
  if (formatOf(text)) return;
  throw new Refusal('invalid', `The parameter format must be ${formats.join(' or ')}; it is ${quoted(text ?? '')}.`);
}

function errorAnswer(error: unknown): Answer {
  if (error instanceof Refusal) return { kind: 'error', reason: error.reason, message: error.message };
  if (error instanceof Failure) return { kind: 'error', reason: 'defect', message: error.message };
  // A defect of this tracker: the details are for its log, not for the client.
  console.error(error);
  return { kind: 'error', reason: 'defect', message: 'The tracker failed; its log says why.' };
}

const next = 'Send the API key of the general settings, where API access must be enabled too.';

/**
 * Lets a request with the right key pass, "Authentication" of the specification. A wrong key, none defined and disabled
 * access are answered alike.
 */
async function requireAccess(database: Database, sentKey: string | undefined): Promise<void> {
  const rows = await database.query(
    "SELECT name, value FROM settings WHERE name IN ('api_key', 'api_enabled') AND value <> ''",
  );
  const settings = new Map(rows.map(({ name, value }) => [name, String(value)]));
  const key = settings.get('api_key');
  if (!sentKey) throw new Refusal('no-key', 'No access: the parameter key is missing.', next);
  const isRight = key !== undefined && areEqual(sentKey, key);
  if (!isRight || settings.get('api_enabled') !== '1') throw new Refusal('no-access', 'No access.', next);
}

/** Compares in the same time wherever two texts differ. */
function areEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/**
 * "Common rules" 1: parameters come from the query string, and on a POST from the form-encoded body too, which wins. Of a
 * repeated one the last counts.
 */
async function readWireParameters(request: HonoRequest): Promise<WireParameters> {
  const query = new URL(request.url).searchParams;
  if (request.method !== 'POST') return new Map(query);
  return new Map([...query, ...new URLSearchParams(await request.text())]);
}
