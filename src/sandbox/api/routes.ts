import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { endpoints, type ReadName } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import type { Database } from '../store/database.ts';
import { type Answer as HttpAnswer, readBody, TurnedAway } from '../traffic/http.ts';
import {
  type ErrorReason,
  quoted,
  Refusal,
  type RequestParameters,
  readParameters,
  renderJson,
  renderXml,
  type Tree,
  type WireStyle,
} from '../wire.ts';
import { type NamedEndpoint, parseArguments } from './arguments.ts';
import { type Content, type HandlerContext, readHandlers, type WriteName, writeHandlers } from './handlers.ts';

const maxBody = { bytes: 1_000_000, words: '1 MB' };

export interface ApiEnvironment {
  readonly database: Database;
  readonly style: WireStyle;
  readonly context: () => HandlerContext;
  /** Commits what visitors did so far, so that a report includes it. */
  readonly flush: () => Promise<void>;
}

type Answer =
  | { readonly kind: 'done'; readonly content: Content | undefined }
  | { readonly kind: 'error'; readonly reason: ErrorReason; readonly message: string };

const byPath = new Map(endpoints.map((endpoint) => [`/api/${endpoint.path}`, endpoint]));

/**
 * Answers a request to the API: GET and POST, with or without a slash at the end of the path; "Common rules" of the specification.
 * Every answer has the tracker's wire format, errors too.
 */
export async function answerRequest(incoming: IncomingMessage, environment: ApiEnvironment): Promise<HttpAnswer> {
  const { url = '' } = incoming;
  const [, path = '', query = ''] = /^([^?]*)(.*)$/.exec(url) ?? [];
  let wire = readParameters(query);
  const answering = async (): Promise<Answer> => {
    const endpoint = byPath.get(path.replace(/\/$/, ''));
    if (!endpoint) throw new Refusal('unknown-path', `Unknown path. The API has ${paths}, below /api/.`);
    if (!methods.includes(incoming.method ?? '')) throw new Refusal('wrong-method', 'The API takes GET and POST.');
    // "Common rules" 1: parameters come from the query string, and on a POST also from the form-encoded body.
    if (incoming.method === 'POST') wire = readParameters(query, await readBody(incoming, maxBody));
    await requireAccess(environment.database, wire.get('key'));
    requireFormat(wire.get('format'));
    const content = await (endpoint.access === 'read'
      ? read(endpoint, wire, environment)
      : write(endpoint, wire, environment));
    return { kind: 'done', content };
  };
  const { answer, headers } = await answering().then((answer) => ({ answer, headers: [] }), failed);
  return respond(answer, formatOf(wire.get('format')), environment.style, headers);
}

const methods = ['GET', 'HEAD', 'POST'];
const paths = endpoints.map(({ path }) => path).join(', ');

/** The reads that no visit changes. */
const setupLists: ReadonlySet<ReadName> = new Set(['list_campaigns', 'list_traffic_sources'] as const);

async function read<Name extends ReadName>(
  endpoint: NamedEndpoint<Name>,
  wire: RequestParameters,
  { database, context, flush }: ApiEnvironment,
): Promise<Content> {
  const given = parseArguments<Name>(endpoint, wire);
  if (!setupLists.has(endpoint.name)) await flush();
  const name: Name = endpoint.name;
  return database.snapshot((reader) => readHandlers[name](given, reader, context()));
}

async function write<Name extends WriteName>(
  endpoint: NamedEndpoint<Name>,
  wire: RequestParameters,
  { database, flush }: ApiEnvironment,
): Promise<Content | undefined> {
  const given = parseArguments<Name>(endpoint, wire);
  await flush();
  const name: Name = endpoint.name;
  return database.transaction((writer) => writeHandlers[name](given, writer));
}

/** Writes an answer; docs/tracker-facts.md, "The embedded tracker's own wire format". */
function respond(answer: Answer, format: Format = 'json', style: WireStyle, more: readonly string[]): HttpAnswer {
  const send = (type: string, content: string): HttpAnswer => {
    // A list of some MB is encoded here once; a text would be gone over for its length, and again to be sent.
    const body = Buffer.from(style.prefix + content);
    const length = String(body.length);
    const headers = ['Content-Type', `${type}; charset=utf-8`, 'Cache-Control', 'no-store', 'Content-Length', length];
    return {
      status: answer.kind === 'error' ? style.statuses[answer.reason] : 200,
      headers: [...headers, ...more],
      body,
    };
  };
  const sendTree = (root: string, tree: Tree) =>
    send(`application/${format}`, format === 'json' ? renderJson(tree) : renderXml(root, tree));
  if (answer.kind === 'error') {
    const { reason, message } = answer;
    const isLogin = style.loginPage !== undefined && (reason === 'no-key' || reason === 'no-access');
    if (isLogin) return send('text/html', style.loginPage);
    return sendTree('Response', { entries: Object.entries({ Status: 'Error', Message: message }) });
  }
  const { content } = answer;
  if (!style.isBare) return sendTree('Response', { entries: [['Status', 'OK'], ...(content ? [content] : [])] });
  const [root, tree] = content ?? ['ID', 'OK'];
  return typeof tree === 'string' ? send('text/plain', tree) : sendTree(root, tree);
}

const formats = ['json', 'xml'] as const;
type Format = (typeof formats)[number];

function formatOf(text: string | undefined): Format | undefined {
  if (!text) return 'json';
  return formats.find((format) => format === text.trim().toLowerCase());
}

function requireFormat(text: string | undefined): void {
  if (formatOf(text)) return;
  throw new Refusal('invalid', `The parameter format must be ${formats.join(' or ')}; it is ${quoted(text ?? '')}.`);
}

function failed(error: unknown): { readonly answer: Answer; readonly headers: readonly string[] } {
  if (!(error instanceof TurnedAway)) return { answer: errorAnswer(error), headers: [] };
  const { status, message, headers } = error;
  return { answer: { kind: 'error', reason: status === 413 ? 'too-large' : 'invalid', message }, headers };
}

function errorAnswer(error: unknown): Answer {
  if (error instanceof Refusal) return { kind: 'error', reason: error.reason, message: error.message };
  if (error instanceof Failure) return { kind: 'error', reason: 'defect', message: error.message };
  // A bug in this tracker: the details go to its log, not to the client.
  console.error(error);
  return { kind: 'error', reason: 'defect', message: 'The tracker failed; see its log.' };
}

/**
 * Lets only requests with the right key pass, "Authentication" of the specification. A wrong key, a key that was never set and
 * disabled access get the same answer.
 */
async function requireAccess(database: Database, sentKey: string | undefined): Promise<void> {
  const next = 'Send the API key of the general settings, where API access must be enabled too.';
  if (!sentKey) throw new Refusal('no-key', 'No access: the parameter key is missing.', next);
  const rows = await database.querySetup(
    "SELECT name, value FROM settings WHERE name IN ('api_key', 'api_enabled') AND value <> ''",
  );
  const settings = new Map(rows.map(({ name, value }) => [name, String(value)]));
  const key = settings.get('api_key');
  const isRight = key !== undefined && areEqual(sentKey, key);
  if (!isRight || settings.get('api_enabled') !== '1') throw new Refusal('no-access', 'No access.', next);
}

/** Takes the same time wherever the two texts differ. */
function areEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
