import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type Endpoint, endpoints } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import { quoted, Refusal } from '../refusal.ts';
import type { Database } from '../store/database.ts';
import type { Answer } from '../wire/answer.ts';
import type { WireStyle } from '../wire/quirks.ts';
import { type Format, formats, writeAnswer } from '../wire/write-answer.ts';
import { requireAccess } from './access.ts';
import { type ReadName, readHandlers, type Surroundings, type WriteName, writeHandlers } from './handlers.ts';
import { argumentParser } from './parse-arguments.ts';
import { readWireParameters, type WireParameters } from './read-wire-parameters.ts';

const maxBodyBytes = 1_000_000;
const cutOff: Answer = { kind: 'error', reason: 'invalid', message: 'The request ended early.' };

/** What the API's routes work with. */
export interface ApiEnvironment {
  readonly database: Database;
  readonly style: WireStyle;
  readonly surroundings: () => Surroundings;
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
    // Whoever hung up in the middle of a request hears no answer, and it is no news for the log.
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
      return carryOut();
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

/** Checks the parameters of a request, and returns what carries it out; throws a Refusal where they are not right. */
type Preparation = (wire: WireParameters) => () => Promise<Answer>;

function reading<Name extends ReadName>(
  endpoint: Endpoint & { readonly name: Name },
  { database, surroundings }: ApiEnvironment,
): Preparation {
  const name: Name = endpoint.name;
  const parse = argumentParser<Name>(endpoint);
  return (wire) => {
    const given = parse(wire);
    return () => database.snapshot((reader) => readHandlers[name](given, reader, surroundings()));
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

/** Answers a request for a path that leads nowhere. */
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

function respond(answer: Answer, format: Format | undefined, style: WireStyle): Response {
  const { status, contentType, body } = writeAnswer(answer, format ?? 'json', style);
  return new Response(body, { status, headers: { 'Content-Type': contentType, 'Cache-Control': 'no-store' } });
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
  // A defect of this tracker: what went wrong is for whoever runs it, not for who asked.
  console.error(error);
  return { kind: 'error', reason: 'defect', message: 'The tracker failed; its log says why.' };
}
