import { isJsonContentType, ProtocolError, readRequestBody } from '@modelcontextprotocol/server';
import { parseMessage } from '../message-lines.ts';
import { codes, errorAnswer } from './answers.ts';

const maxBytes = 4 * 1024 * 1024;

/** One message of the protocol, of whatever shape. */
export interface Body {
  readonly message: unknown;
}

/** @returns what the body holds, or what to answer in its place */
export async function readBody(request: Request): Promise<Body | Response> {
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return errorAnswer(415, codes.refused, 'The content type must be application/json.');
  }
  const text = await readText(request).catch(() => '');
  // The connection stays open: closed under a client that is still sending, it would reset, and the answer be lost.
  if (text === undefined) return errorAnswer(413, codes.refused, 'The body is larger than 4 MB.');
  const parsed = parseMessage(text);
  if (parsed === undefined) return errorAnswer(400, codes.parseError, 'The body is no JSON.');
  if (parsed instanceof ProtocolError) return errorAnswer(400, parsed.code, parsed.message);
  return { message: parsed.content };
}

/**
 * Of a body whose length is known no more than that comes through, and it is taken whole. Any other is counted as it comes in,
 * which costs a stream.
 *
 * @returns undefined where it is too large
 */
async function readText(request: Request): Promise<string | undefined> {
  const length = request.headers.get('content-length');
  if (length !== null) return Number(length) > maxBytes ? undefined : request.text();
  const body = await readRequestBody(request, maxBytes);
  return body.tooLarge ? undefined : body.text;
}
