import {
  isJsonContentType,
  ProtocolError,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type RequestId,
  readRequestBody,
} from '@modelcontextprotocol/server';
import { isRecord, isTooDeep, type JsonRecord, maxDepth, parseJson, parseObject } from '../api/text/json.ts';
import { wrongPart } from './request-parts.ts';

/**
 * Parses one JSON message.
 *
 * @returns undefined if the text is not JSON, a ProtocolError if no method takes such a message
 */
export function parseMessage(text: string): { readonly content: unknown } | ProtocolError | undefined {
  // PowerShell begins its output with a byte order mark.
  const content = parseJson(text.startsWith('\ufeff') ? text.slice(1) : text);
  if (content === undefined) return undefined;
  // Access and rate limits are checked once per message.
  if (Array.isArray(content)) return invalidRequest('Batches are not served: send one message at a time.');
  if (isTooDeep(content)) return invalidRequest(`The message is nested deeper than ${maxDepth} levels.`);
  const isOdd = /null|"(?:params|arguments|capabilities|_meta)"\s{0,20}:\s{0,20}[["]|"initialize"/.test(text);
  return { content: replaceMalformedResponse(isOdd ? withoutOddities(content) : content) };
}

/**
 * Leaves out what a client sends as null in the parameters or the result of a message: the SDK's schemas refuse null, and over stdio
 * the refusal names no request, so the caller would wait. Arguments as an empty list, as PHP writes an empty object, are left out, and
 * arguments as JSON text read. The tool reads what is inside them. What a client does not say of itself needs no refusal.
 */
function withoutOddities(content: unknown): unknown {
  if (!isRecord(content)) return content;
  const { params: given, result, ...envelope } = content;
  const { method } = envelope;
  const params = asRecord(given);
  const read = isRecord(params)
    ? { ...params, ...asRecords(params, ['arguments', 'capabilities', 'clientInfo', '_meta']) }
    : params;
  const isKept = (name: string) => name === 'arguments' && method === 'tools/call';
  const filled = leaveOutNulls({ params: read, result }, isKept);
  return { ...envelope, ...filled, ...(method === 'initialize' ? { params: openingOf(filled['params'] ?? {}) } : {}) };
}

function openingOf(params: unknown): unknown {
  if (!isRecord(params)) return params;
  const { clientInfo = {} } = params;
  return {
    ...unsaid,
    ...params,
    clientInfo: isRecord(clientInfo) ? { ...unsaid.clientInfo, ...clientInfo } : clientInfo,
  };
}

/** What is assumed of a client that does not say it. The version is the one that the protocol has servers assume. */
const unsaid = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'unknown', version: '0' } };

/** An empty list or text is nothing, and so is null; JSON text is its object; all else stays, for the schemas to refuse. */
function asRecord(value: unknown): unknown {
  if (Array.isArray(value) && value.length === 0) return undefined;
  if (typeof value !== 'string') return value;
  return /^(?:null)?$/.test(value.trim()) ? undefined : (parseObject(value) ?? value);
}

const asRecords = (record: JsonRecord, names: readonly string[]): JsonRecord =>
  Object.fromEntries(names.flatMap((name) => (name in record ? [[name, asRecord(record[name])]] : [])));

function leaveOutNulls(record: JsonRecord, isKept: (name: string) => boolean): JsonRecord {
  const given = Object.entries(record).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, isRecord(value) && !isKept(name) ? leaveOutNulls(value, isKept) : value]),
  );
}

export function invalidRequest(problem: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, problem);
}

/**
 * Turns a client's malformed response to a question of the server into an empty result. If it were dropped, the question would
 * stay open until it times out, minutes later.
 */
function replaceMalformedResponse(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || 'method' in content || !('id' in content)) return content;
  const { id } = content;
  if (typeof id !== 'string' && typeof id !== 'number') return content;
  try {
    return parseJSONRPCMessage(content);
  } catch {
    return { jsonrpc: '2.0', id, result: {} };
  }
}

/** Why a request cannot be handled, in words; undefined if it may be. */
export function problemOfRequest(content: unknown): ProtocolError | undefined {
  const wrong = requestIdOf(content) === null ? undefined : wrongPart(content as JsonRecord);
  if (wrong === undefined) return undefined;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `The request was not read: ${wrong}.`);
}

/** Error codes of the SDK's HTTP transport. */
export const httpErrorCodes = { refused: -32000, noSession: -32001 } as const;

/** A JSON-RPC error as an HTTP response. */
export function errorResponse(
  status: number,
  code: number,
  message: string,
  { headers = {}, id = null }: { headers?: Readonly<Record<string, string>>; id?: RequestId | null } = {},
): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status, headers });
}

/** The ID of a request, whatever is wrong with it; null if the message is not a request. */
export function requestIdOf(message: unknown): RequestId | null {
  if (!isRecord(message) || !('method' in message)) return null;
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

const maxBodyBytes = 4 * 1024 * 1024;

/** Reads the message in the body of an HTTP request; an error response if there is none. */
export async function readMessage(request: Request): Promise<{ readonly content: unknown } | Response> {
  const { refused } = httpErrorCodes;
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return errorResponse(415, refused, 'The content type must be application/json.');
  }
  const body = await readRequestBody(request, maxBodyBytes).catch(() => ({ tooLarge: false as const, text: '' }));
  // The connection stays open: closing it while the client still sends would reset it, and the response would be lost.
  if (body.tooLarge) return errorResponse(413, refused, 'The body is larger than 4 MB.');
  const parsed = parseMessage(body.text);
  if (parsed === undefined) return errorResponse(400, ProtocolErrorCode.ParseError, 'The body is not JSON.');
  if (parsed instanceof ProtocolError) return errorResponse(400, parsed.code, parsed.message);
  const problem = problemOfRequest(parsed.content);
  return problem ? errorResponse(200, problem.code, problem.message, { id: requestIdOf(parsed.content) }) : parsed;
}
